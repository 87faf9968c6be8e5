//! Why a variable has the value it has, after closing.

use alloc::vec::Vec;

use crate::{
    SolvedForm,
    explain::{Chain, MOST_TAKEN, Target, chain},
    tables::ids::{GivenId, Id},
};
use lozenge_calculus::constraint::OriginId;

use super::{
    choice::{Asked, ClosingRule, Commitment, asked_by},
    closed::Closed,
};

/// Why something has the value it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// The constraints force it; these alone do.
    Forced(Chain),
    /// Closing chose it, or something that it follows from.
    Chosen {
        /// What was chosen, in order.
        by: Vec<Chosen>,
        /// The constraints through which it follows from that.
        origins: Vec<OriginId>,
    },
    /// Nothing asks for anything, so it is as general as can be.
    Greatest,
}

/// A choice, and who asked for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// What was chosen.
    pub commitment: Commitment,
    /// Where the constraints come from that ask for it.
    pub asked: Vec<OriginId>,
}

impl Closed {
    /// Why something has the value it has, in the form that was closed.
    pub fn why(&self, form: &SolvedForm<'_>, target: impl Into<Target>) -> Why {
        self.why_within(form, target, MOST_TAKEN)
    }

    /// [`Closed::why`], with a bound on the constraints that the solver takes, in all tries
    /// together, to find those that can be left out.
    pub fn why_within(
        &self,
        form: &SolvedForm<'_>,
        target: impl Into<Target>,
        most_taken: usize,
    ) -> Why {
        let target = target.into();
        let solver = self.solver.as_deref().unwrap_or(form.solver());
        let mut givens = solver.config.reasoner().reasons_for(target.reading());
        let mut committed = givens.split_off(givens.partition_point(|given| *given < self.first));
        // A size that was found is forced; only what else the axis is was chosen.
        committed.retain(|given| {
            let place = given.place() - self.first.place();
            match (self.commitments.get(place), self.asked.get(place)) {
                (Some(Commitment { rule: ClosingRule::Found, .. }), Some(Asked::Cap(reason))) => {
                    givens.extend(solver.config.reasoner().cap_reasons(*reason));
                    false
                }
                _ => true,
            }
        });
        givens.sort_unstable();
        givens.dedup();
        committed.extend(givens.split_off(givens.partition_point(|given| *given < self.first)));
        if committed.is_empty() {
            let forced = chain(&solver.solved(), self.first, target, givens, most_taken);
            return forced.map_or(Why::Greatest, Why::Forced);
        }
        let chosen = |given: GivenId| {
            let place = given.place() - self.first.place();
            let asked = asked_by(solver, self.first, *self.asked.get(place)?);
            Some(Chosen { commitment: *self.commitments.get(place)?, asked })
        };
        let by = committed.into_iter().filter_map(chosen).collect();
        Why::Chosen { by, origins: solver.config.tables.givens.origins(givens) }
    }
}
