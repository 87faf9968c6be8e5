//! Lemma 7.7: every operation of a program that closes has its loop nest. A bit-cast has none:
//! other bits are other elements.

use anyhow::ensure;
use lozenge::{Closed, Kind, Tensor, diagnostic::Code};
use lozenge_project::{Budget, Record, Slot};

use crate::mismatch::counts;

use super::{
    build::Built,
    model::{Program, Step},
};

counts! {
    /// What the operations of closed programs have.
    pub struct Nests {
        pub records: u64,
        /// Operations without a nest, because it would need a size that stays symbolic.
        pub symbolic: u64,
        /// Reshapes, of which each element goes to where it is in memory.
        pub reshapes: u64,
    }
}

/// Checks that every step of a closed program has a record, and what `each` checks of it.
///
/// # Errors
/// The first step that has none, or what `each` says.
pub fn check(
    program: &Program,
    built: &Built,
    closed: &Closed,
    each: &mut dyn FnMut(&Record) -> anyhow::Result<()>,
) -> anyhow::Result<Nests> {
    let mut nests = Nests::default();
    for (place, step) in program.steps.iter().enumerate() {
        let Some(tensor) = built.tensor(place) else { continue };
        let is_bit_cast = matches!(step, Step::BitCast(..));
        match built.session.record(closed, tensor) {
            Ok(record) if is_bit_cast => {
                // Of one element there is nothing to place.
                let mut axes = record.slots().flat_map(|slot| record.map(slot));
                let is_single = axes.all(|axis| axis.size.count() == Some(1));
                ensure!(is_single, "t{place:03}: other bits have {record}");
            }
            Ok(record) => {
                if matches!(step, Step::Reshape(..)) {
                    in_memory_order(&record)
                        .map_err(|error| error.context(format!("t{place:03}: {record}")))?;
                    nests.reshapes += 1;
                }
                each(&record).map_err(|error| error.context(format!("t{place:03}")))?;
                nests.records += 1;
            }
            Err(rejection) if is_bit_cast => {
                let said = &rejection.diagnostics[0];
                ensure!(said.code == Code::NoLoops, "t{place:03}: {}", said.headline);
            }
            Err(rejection) => {
                let headline = &rejection.diagnostics[0].headline;
                // No other reason is one, and this one only where there is such a size.
                let operands = step.uses().into_iter().filter_map(|used| built.tensor(used));
                let mut all = operands.chain([tensor]);
                let is_symbolic =
                    ["stays symbolic", "is no number"].iter().any(|why| headline.contains(why));
                let excused = is_symbolic && all.any(|tensor| has_symbolic_size(closed, tensor));
                ensure!(excused, "t{place:03}: {headline}");
                nests.symbolic += 1;
            }
        }
    }
    Ok(nests)
}

/// Checks that each element is copied once, and to where it is in memory.
fn in_memory_order(record: &Record) -> anyhow::Result<()> {
    for coverage in record.coverages(Budget::default()) {
        ensure!(coverage.bijective() == Some(true), "{coverage:?}");
    }
    let mut misplaced = false;
    record.for_each_point(&[], &mut |point| {
        let flat = |slot: Slot| {
            let sizes = record.map(slot).iter().map(|axis| axis.size.count().unwrap_or(1));
            let at = record.position(slot, point)?;
            Some(at.iter().zip(sizes).fold(0, |flat, (at, size)| flat * size + at))
        };
        misplaced |= flat(Slot::RESULT) != flat(Slot::operand(0));
    });
    ensure!(!misplaced, "an element goes elsewhere");
    Ok(())
}

fn has_symbolic_size(closed: &Closed, tensor: Tensor) -> bool {
    let shape = closed.shape(tensor);
    shape.is_ok_and(|shape| Kind::ALL.iter().any(|kind| shape.sizes(*kind).is_none()))
}
