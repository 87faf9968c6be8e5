//! What waits gets the least material with which it holds.
//!
//! A constraint waits because its known axes reach past each other: `[3]⟨ρ⟩ ≈ ⟨σ⟩[5]`. With all variables
//! at their tops it may hold already. If not, the rows of its variables are closed with one axis more,
//! then two, on either side of the marker, until it holds and everything else still does. Those that share
//! row variables are settled together, the others one after another. Bounded by the axes that are known of
//! what waits, and by a number of tries.

use alloc::{collections::BTreeSet, vec::Vec};

use crate::{
    constraint::OriginId,
    solve::{Exhausted, Extent, Rejection, Solver},
    term::{RowVar, Variable},
};

use super::{Asked, Closing, ClosingRule, Commitment, Note};

/// How many extents are tried for constraints that share variables before giving up.
const TRIES: u32 = 2_000;

/// How many of their variables are chosen at once: each takes some of the stack.
const MOST_CHOICES: usize = 64;

/// The variables that were chosen, each because of a constraint that waited.
type Choices = Vec<(RowVar, u32)>;

impl Closing<'_> {
    /// Whether what waits can be satisfied from here.
    pub(super) fn can_settle(&mut self) -> Result<bool, Exhausted> {
        let solver = self.fork();
        let snapshot = solver.snapshot();
        let settled = settle_all(solver, &mut Choices::new());
        solver.roll_back(snapshot);
        settled
    }

    /// Satisfies what waits, if it can be.
    pub(super) fn settle(&mut self) -> Result<bool, Exhausted> {
        let waiting: Vec<(u32, usize)> =
            self.solver.deferred_givens().map(|given| (given, self.solver.reach(given))).collect();
        let mut chosen = Choices::new();
        if !settle_all(self.fork(), &mut chosen)? {
            return Ok(false);
        }
        for (var, given) in chosen {
            let var = Variable::Row(var);
            self.commitments.push(Commitment { var, axis: None, rule: ClosingRule::Least });
            self.asked.push(Asked::Rows([given; 2]));
        }
        self.follow_changes();
        self.settled = true;
        let overlapping = |(given, reach): &&(u32, usize)| self.solver.top_rank(*given) < *reach;
        let overlaps = waiting.iter().filter(overlapping);
        let overlaps: Vec<OriginId> = overlaps.map(|w| self.solver.given_origin(w.0)).collect();
        self.notes.extend(overlaps.into_iter().map(Note::AxesOverlap));
        Ok(true)
    }
}

/// Settles everything that waits, or leaves it half done.
fn settle_all(solver: &mut Solver, chosen: &mut Choices) -> Result<bool, Exhausted> {
    // What a choice makes wait anew comes in another round.
    loop {
        let waiting: Vec<u32> =
            solver.deferred_givens().filter(|given| solver.is_unsettled(*given)).collect();
        if waiting.is_empty() {
            return Ok(true);
        }
        for given in waiting {
            if !solver.is_unsettled(given) {
                continue;
            }
            let members = solver.waiting_with(given);
            let limit = members.iter().map(|given| solver.reach(*given)).sum();
            let mut tries = TRIES;
            let mut search = Search { members: &members, limit, tries: &mut tries, chosen };
            let most = search.chosen.len() + MOST_CHOICES;
            if !search.settle(solver, most)? {
                return Ok(false);
            }
        }
    }
}

/// A search for extents with which some constraints hold.
struct Search<'a> {
    members: &'a BTreeSet<u32>,
    /// The most material that one variable gets.
    limit: usize,
    tries: &'a mut u32,
    chosen: &'a mut Choices,
}

impl Search<'_> {
    /// Chooses extents until the constraints hold; if none do, leaves the solver as it was.
    fn settle(&mut self, solver: &mut Solver, most: usize) -> Result<bool, Exhausted> {
        let Some(given) = self.members.iter().copied().find(|given| solver.is_unsettled(*given))
        else {
            return Ok(true);
        };
        let Some(var) = solver.open_var(given) else { return Ok(false) };
        let Some(known) = solver.known(var) else { return Ok(false) };
        if self.chosen.len() >= most {
            return Ok(false);
        }
        for more in 0..=self.limit {
            // The marker stands in front unless something else is needed, as it does for a literal.
            for lead in 0..=more {
                let Some(left) = self.tries.checked_sub(1) else { return Ok(false) };
                *self.tries = left;
                let length = |len: usize| u16::try_from(len).map_err(|_| Exhausted::Rank);
                let lead_len = length(known.lead.len() + lead)?;
                let trail = length(known.trail.len() + more - lead)?;
                let snapshot = solver.snapshot();
                self.chosen.push((var, given));
                let fits = match solver.choose_extent(var, Extent { lead: lead_len, trail }) {
                    Ok(()) => self.settle(solver, most),
                    Err(Rejection::Conflict(_)) => Ok(false),
                    Err(Rejection::Exhausted(exhausted)) => Err(exhausted),
                };
                if fits == Ok(true) {
                    solver.commit(snapshot);
                    return fits;
                }
                self.chosen.pop();
                solver.roll_back(snapshot);
                fits?;
            }
        }
        Ok(false)
    }
}
