//! The one place where steps are applied.
//!
//! Given constraints are asked one after another, in program order, and all that follows from one
//! is settled before the next. So what a policy step chooses is a function of the program.

mod counted;
mod dims;
mod open;
mod reading;
mod rows;
mod sizes;
mod stretch;

use super::{
    Class, Exhausted, Rule, SolveError, Solver,
    conflict::Stop,
    ids::Id,
    node::{Adjacency, Ask, DimRef, Pending, Sign},
    trace::Cause,
    view::View,
};

/// A step that was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The rule that was applied.
    pub rule: Rule,
    /// What kind of step it was.
    pub class: Class,
}

impl Solver {
    /// Applies rules until nothing is left to ask.
    pub(super) fn run(&mut self) -> Result<(), Stop> {
        let mut views = core::mem::take(&mut self.views);
        let result = loop {
            match self.step_with(&mut views) {
                Ok(None) => break Ok(()),
                Ok(Some(_)) => {}
                Err(stop) => break Err(stop),
            }
        };
        self.views = views;
        result
    }

    /// Applies one rule; `None` when nothing is left to ask. For those who step a run by hand, after
    /// [`Solver::offer`].
    ///
    /// # Errors
    /// When the rule fails or the budget runs out; the solver is not rolled back.
    pub fn step(&mut self) -> Result<Option<Taken>, SolveError> {
        let mut views = core::mem::take(&mut self.views);
        let taken = self.step_with(&mut views);
        self.views = views;
        taken.map_err(SolveError::from)
    }

    #[allow(clippy::inline_always)] // `run` is the only caller that counts
    #[inline(always)]
    fn step_with(&mut self, views: &mut [View; 2]) -> Result<Option<Taken>, Stop> {
        // No chain of `or_else`, which copies what it found at every link.
        let pending = if let Some(asked) = self.tables.queue.pop() {
            asked
        } else if let Some(given) = self.ask_given() {
            given
        } else if let Some(last) = self.tables.queue.pop_last() {
            last
        } else if let Some(counted) = self.next_counted() {
            counted
        } else {
            return Ok(None);
        };
        let taken = match pending {
            Pending::Dim { relation, left, right, cause } => {
                self.dim(relation, [left, right], cause, None)?
            }
            Pending::Adjacency(index) => {
                let Adjacency { low, high, cause, .. } = self.tables.dims.adjacencies.get(index);
                self.dim(Sign::Ineq, [low, high], cause, Some(index))?
            }
            Pending::Row(given) => self.row(given, views)?,
            Pending::Size(relation) => self.size(relation)?,
            Pending::AtLeast { dim, least, cause } => self.at_least_size(dim, least, cause)?,
            Pending::Sized { dim, fact } => self.exact_size(dim, fact)?,
        };
        self.stats.rules[taken.rule as usize] += 1;
        self.stats.steps += 1;
        self.tables.counts.steps += 1;
        self.tables.counts.policy += u32::from(taken.class == Class::Policy);
        if self.tables.counts.steps > self.options.budget.steps {
            return Err(Stop::from(Exhausted::Steps));
        }
        Ok(Some(taken))
    }

    /// The next given constraint that was not asked yet.
    #[inline]
    fn ask_given(&mut self) -> Option<Pending> {
        let given = self.tables.counts.asked;
        if given == self.tables.givens.all.end() {
            return None;
        }
        self.tables.counts.asked = given.next();
        Some(match self.tables.givens.all.at(given).ask {
            Ask::Row(_) => Pending::Row(given),
            Ask::Size(relation) => Pending::Size(relation),
            Ask::AtLeast { dim, least } => {
                Pending::AtLeast { dim, least, cause: Cause::given(given) }
            }
            Ask::Dim { relation, left, right } => {
                Pending::Dim { relation, left, right, cause: Cause::given(given) }
            }
        })
    }

    pub(super) fn ask_dim(&mut self, relation: Sign, terms: [DimRef; 2], cause: Cause) {
        let [left, right] = terms;
        self.tables.queue.push(Pending::Dim { relation, left, right, cause });
    }
}
