//! What waits gets the least material with which it holds.
//!
//! A constraint waits because its known axes reach past each other: `[3]⟨ρ⟩ ≈ ⟨σ⟩[5]`. With all variables
//! at their tops it may hold already. If not, the rows of its variables are closed with one axis more,
//! then two, on either side of the marker, until it holds and everything else still does; what then
//! still waits is treated likewise. Bounded by the axes that are known of what waits, and by a number
//! of tries.

use alloc::vec::Vec;

use crate::{
    constraint::OriginId,
    solve::{Extent, Solver},
    term::{RowVar, Variable},
};

use super::{Closing, ClosingRule, Commitment, Note};

/// How many extents are tried before giving up.
const TRIES: u32 = 2_000;

/// A choice that settles something.
type Choices = Vec<RowVar>;

impl Closing<'_> {
    /// Whether what waits can be satisfied from here.
    pub(super) fn can_settle(&mut self) -> bool {
        let snapshot = self.solver.snapshot();
        let limit = limit(&self.solver);
        let settled = settle(&mut self.solver, limit, &mut TRIES.clone(), &mut Choices::new());
        self.solver.roll_back(snapshot);
        settled
    }

    /// Satisfies what waits, if it can be.
    pub(super) fn settle(&mut self) -> bool {
        let waiting: Vec<(u32, usize)> =
            self.solver.deferred_givens().map(|given| (given, self.solver.reach(given))).collect();
        let asked = self.origins(self.solver.first_unsettled());
        let mut chosen = Choices::new();
        let limit = limit(&self.solver);
        if !settle(&mut self.solver, limit, &mut TRIES.clone(), &mut chosen) {
            return false;
        }
        let commitment = |var| Commitment {
            var: Variable::Row(var),
            axis: None,
            rule: ClosingRule::Least,
            asked: asked.clone(),
        };
        self.commitments.extend(chosen.into_iter().map(commitment));
        self.joins.clear();
        self.settled = true;
        let overlapping = |(given, reach): &(u32, usize)| self.solver.top_rank(*given) < *reach;
        let overlaps: Vec<OriginId> = waiting
            .iter()
            .filter(|w| overlapping(w))
            .map(|w| self.solver.given_origin(w.0))
            .collect();
        self.notes.extend(overlaps.into_iter().map(Note::AxesOverlap));
        true
    }
}

/// The most material that one variable gets.
fn limit(solver: &Solver) -> usize {
    solver.deferred_givens().map(|given| solver.reach(given)).sum()
}

/// Chooses extents until what waits holds; if none do, leaves the solver as it was.
fn settle(solver: &mut Solver, limit: usize, tries: &mut u32, chosen: &mut Choices) -> bool {
    let Some(given) = solver.first_unsettled() else { return true };
    let Some(var) = solver.open_vars(given).first().copied() else { return false };
    let Some(known) = solver.known(var) else { return false };
    for more in 0..=limit {
        // The marker stands in front unless something else is needed, as it does for a literal.
        for lead in 0..=more {
            let Some(left) = tries.checked_sub(1) else { return false };
            *tries = left;
            let lengths = (known.lead.len() + lead, known.trail.len() + more - lead);
            let (Ok(lead), Ok(trail)) = (u16::try_from(lengths.0), u16::try_from(lengths.1)) else {
                return false;
            };
            let snapshot = solver.snapshot();
            chosen.push(var);
            if solver.choose_extent(var, Extent { lead, trail }).is_ok()
                && settle(solver, limit, tries, chosen)
            {
                solver.commit(snapshot);
                return true;
            }
            chosen.pop();
            solver.roll_back(snapshot);
        }
    }
    false
}
