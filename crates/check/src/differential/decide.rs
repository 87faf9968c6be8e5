//! Decisions against brute force.

use std::fmt;

use lozenge_calculus::{constraint::Constraint, judge::Judge};
use lozenge_solve::decide::{Decision, Effort, decide};

use crate::{
    costs::Costs,
    mismatch::counts,
    oracle::{Universe, extents},
    stores::Verdict,
};

counts! {
    /// What was decided.
    pub struct Decisions {
        /// Rejected by the solver, but satisfiable.
        overturned: u64,
        unsatisfiable: u64,
        beyond: Vec<u64>,
        /// Of stores that the solver rejects.
        costs: Costs,
    }
}

impl Decisions {
    /// An acceptance passes the judge; a conflicting set has no solution within the bound.
    pub(super) fn check(
        &mut self,
        store: &[Constraint],
        case: u64,
        verdict: Verdict,
        max_rank: usize,
    ) -> Result<(), String> {
        let mut effort = Effort::default();
        let decision = decide(store, &mut effort);
        if verdict.is_rejection() {
            self.costs.add(effort.taken, store.len());
        } else if verdict == Verdict::Success && effort.spent != 1 {
            return Err("a success costs more than solving it".into());
        }
        match decision {
            Decision::Satisfiable(found)
                if !Judge::OneShot.satisfies_all_with(&found.sizes, &found.grounding, store) =>
            {
                return Err(format!("decided {}, which is no solution", found.grounding));
            }
            Decision::Satisfiable(_) if verdict.is_rejection() => self.overturned += 1,
            Decision::Satisfiable(_) => {}
            Decision::Unsatisfiable(set) => {
                self.unsatisfiable += 1;
                if verdict == Verdict::Success {
                    return Err(format!("solved, but decided {set:?}"));
                }
                let core: Vec<Constraint> = set.members.iter().map(|i| store[*i].clone()).collect();
                let universe = Universe::of(store, max_rank);
                if let Some(ground) = extents::find(&universe, Judge::OneShot, &core) {
                    return Err(format!("decided {set:?}, but {ground} is a solution"));
                }
            }
            Decision::Beyond => self.beyond.push(case),
        }
        Ok(())
    }
}

impl fmt::Display for Decisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "rejections overturned={} unsatisfiable={} beyond={} {:?}; cost of a rejected store in solves of it: {}",
            self.overturned,
            self.unsatisfiable,
            self.beyond.len(),
            self.beyond,
            self.costs
        )
    }
}
