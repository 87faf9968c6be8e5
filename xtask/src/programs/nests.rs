//! Lemma 7.7: every operation of a program that closes has its loop nest.

use anyhow::ensure;
use lozenge::{Closed, Kind, Tensor};
use lozenge_core::project::Record;

use super::{Built, Drawn};

/// What the operations of closed programs have.
#[derive(Default, Clone, Copy)]
pub(crate) struct Nests {
    pub(crate) records: u64,
    /// Operations without a nest, because it would need a size that stays symbolic.
    pub(crate) symbolic: u64,
}

impl Nests {
    pub(crate) fn add(&mut self, other: Nests) {
        self.records += other.records;
        self.symbolic += other.symbolic;
    }
}

/// Checks that every step of a closed program has a record, and what `each` checks of it.
pub(crate) fn check(
    drawn: &Drawn,
    built: &Built,
    closed: &Closed,
    each: &mut dyn FnMut(&Record) -> anyhow::Result<()>,
) -> anyhow::Result<Nests> {
    let mut nests = Nests::default();
    for (place, (tensor, step)) in built.tensors.iter().zip(&drawn.steps).enumerate() {
        match built.session.record(closed, *tensor) {
            Ok(record) => {
                each(&record).map_err(|error| error.context(format!("t{place}")))?;
                nests.records += 1;
            }
            Err(rejection) => {
                let headline = &rejection.diagnostics[0].headline;
                // No other reason is one, and this one only where there is such a size.
                let operands = step.operands().iter().map(|operand| built.tensors[*operand]);
                let mut all = operands.chain([*tensor]);
                let is_symbolic =
                    ["stays symbolic", "is no number"].iter().any(|why| headline.contains(why));
                let excused = is_symbolic && all.any(|tensor| has_symbolic_size(closed, tensor));
                ensure!(excused, "t{place}: {headline}");
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
