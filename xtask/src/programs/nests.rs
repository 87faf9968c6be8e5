//! Lemma 7.7: every operation of a program that closes has its loop nest. A reshape or a bit-cast has none.

use anyhow::ensure;
use lozenge::{Closed, Kind, Tensor, diagnostic::Code};
use lozenge_core::project::Record;

use super::{
    build::Built,
    model::{Program, Step},
};

/// What the operations of closed programs have.
#[derive(Default, Clone, Copy)]
pub(crate) struct Nests {
    pub(crate) records: u64,
    /// Operations without a nest, because it would need a size that stays symbolic.
    pub(crate) symbolic: u64,
    /// Reshapes and bit-casts, which no nest describes.
    pub(crate) reshapes: u64,
}

impl Nests {
    pub(crate) fn add(&mut self, other: Nests) {
        self.records += other.records;
        self.symbolic += other.symbolic;
        self.reshapes += other.reshapes;
    }
}

/// Checks that every step of a closed program has a record, and what `each` checks of it.
pub(crate) fn check(
    program: &Program,
    built: &Built,
    closed: &Closed,
    each: &mut dyn FnMut(&Record) -> anyhow::Result<()>,
) -> anyhow::Result<Nests> {
    let mut nests = Nests::default();
    for (place, step) in program.steps.iter().enumerate() {
        let Some(tensor) = built.tensor(place) else { continue };
        let is_reshape = matches!(step, Step::Reshape(..) | Step::BitCast(..));
        match built.session.record(closed, tensor) {
            Ok(record) if is_reshape => {
                // Of one element there is nothing to place.
                let mut axes = record.slots().flat_map(|slot| record.map(slot));
                let is_single = axes.all(|axis| axis.size.count() == Some(1));
                ensure!(is_single, "t{place:03}: a reshape has {record}");
            }
            Ok(record) => {
                each(&record).map_err(|error| error.context(format!("t{place:03}")))?;
                nests.records += 1;
            }
            Err(rejection) if is_reshape => {
                let said = &rejection.diagnostics[0];
                ensure!(said.code == Code::NoLoops, "t{place:03}: {}", said.headline);
                nests.reshapes += 1;
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

fn has_symbolic_size(closed: &Closed, tensor: Tensor) -> bool {
    let shape = closed.shape(tensor);
    shape.is_ok_and(|shape| Kind::ALL.iter().any(|kind| shape.sizes(*kind).is_none()))
}
