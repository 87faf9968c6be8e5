//! Closed forms against the judge.

use std::fmt;

use lozenge_calculus::{constraint::Constraint, judge::Judge};
use lozenge_solve::{
    Solver,
    close::{Note, Policy, Problem, close},
};

use crate::{
    Generator,
    mismatch::counts,
    stores::{Verdict, roles},
};

counts! {
    /// What became of closed stores, by every policy.
    pub struct Closings {
        closed: u64,
        demotions: u64,
        /// Demotions in stores in which nothing waits.
        plain_demotions: u64,
        overlaps: u64,
        competing: u64,
        unsettled: u64,
        refused: u64,
        holes: u64,
    }
}

impl Closings {
    /// Every closed form is a solution. Where nothing waits, closing upward gives γ↑, and without
    /// parameters every policy but refusing ends well.
    pub(super) fn check(
        &mut self,
        store: &[Constraint],
        verdict: Verdict,
        solver: &Solver,
        rng: &mut Generator,
    ) -> Result<(), String> {
        let form = solver.solved();
        let parameters = rng.bool();
        let roles = roles(store, parameters, rng);
        for policy in [Policy::Default, Policy::Upward, Policy::Refuse] {
            let closed = match close(&form, &roles, policy) {
                Ok(closed) => closed,
                Err(unclosed) => {
                    let must_close = verdict == Verdict::Success
                        && (policy == Policy::Upward || policy == Policy::Default && !parameters);
                    if must_close {
                        return Err(format!("{policy:?} does not close: {unclosed}"));
                    }
                    self.count_problems(&unclosed.problems)?;
                    continue;
                }
            };
            let ground = closed.grounding();
            if !Judge::OneShot.satisfies_all(ground, store) {
                return Err(format!("closed to {ground}, which is no solution"));
            }
            if policy == Policy::Upward && verdict == Verdict::Success && *ground != form.greatest()
            {
                return Err(format!("closed upward to {ground}, which is not γ↑"));
            }
            self.closed += 1;
            for note in closed.notes() {
                match note {
                    Note::Demoted(_) => {
                        self.demotions += 1;
                        self.plain_demotions += u64::from(verdict == Verdict::Success);
                    }
                    Note::AxesOverlap(_) => self.overlaps += 1,
                    Note::PlacementCompetes { .. } => self.competing += 1,
                    Note::Undecided(_) => {}
                }
            }
        }
        Ok(())
    }

    fn count_problems(&mut self, problems: &[Problem]) -> Result<(), String> {
        for problem in problems {
            *match problem {
                Problem::Unsettled(_) | Problem::Deferred(_) | Problem::Misplaced { .. } => {
                    &mut self.unsettled
                }
                Problem::Refused(_) => &mut self.refused,
                Problem::Exhausted(exhausted) => return Err(exhausted.to_string()),
                Problem::Unused(_) | Problem::NoRank(_) | Problem::Hole { .. } => &mut self.holes,
            } += 1;
        }
        Ok(())
    }
}

impl fmt::Display for Closings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "closed={} demotions={} (where nothing waits: {}) axes-overlap={} placement-competes={}; problems: unsettled={} refused={} holes={}",
            self.closed,
            self.demotions,
            self.plain_demotions,
            self.overlaps,
            self.competing,
            self.unsettled,
            self.refused,
            self.holes
        )
    }
}
