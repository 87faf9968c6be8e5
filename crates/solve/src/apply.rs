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

use super::{Class, Exhausted, Rule, SolveError, Solver};
use crate::{
    reading::view::View,
    tables::{
        ids::Id,
        list::Tables,
        node::{Adjacency, Ask, DimRef, Pending, Sign},
    },
    why::{conflict::Stop, trace::Cause},
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
        let pending = if let Some(asked) = self.config.tables.queue.pop() {
            asked
        } else if let Some(given) = self.config.tables.ask_given() {
            given
        } else if let Some(last) = self.config.tables.queue.pop_last() {
            last
        } else if let Some(counted) = self.config.tables.next_counted() {
            counted
        } else {
            return Ok(None);
        };
        let taken = match pending {
            Pending::Dim { relation, left, right, cause } => {
                self.config.dim(relation, [left, right], cause, None)?
            }
            Pending::Adjacency(index) => {
                let Adjacency { low, high, cause, .. } =
                    self.config.tables.dims.adjacencies.get(index);
                self.config.dim(Sign::Ineq, [low, high], cause, Some(index))?
            }
            Pending::Row(given) => self.config.row(given, views)?,
            Pending::Size(relation) => self.config.size(relation)?,
            Pending::AtLeast { dim, least, cause } => {
                self.config.at_least_size(dim, least, cause)?
            }
            Pending::Sized { dim, fact } => self.config.exact_size(dim, fact)?,
        };
        self.stats.rules[taken.rule as usize] += 1;
        self.stats.steps += 1;
        self.config.tables.counts.steps += 1;
        self.config.tables.counts.policy += u32::from(taken.class == Class::Policy);
        if self.config.tables.counts.steps > self.config.options.budget.steps {
            return Err(Stop::from(Exhausted::Steps));
        }
        Ok(Some(taken))
    }
}

impl Tables {
    /// The next given constraint that was not asked yet.
    #[inline]
    fn ask_given(&mut self) -> Option<Pending> {
        let given = self.counts.asked;
        if given == self.givens.all.end() {
            return None;
        }
        self.counts.asked = given.next();
        Some(match self.givens.all.at(given).ask {
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
}

impl Tables {
    pub(super) fn ask_dim(&mut self, relation: Sign, terms: [DimRef; 2], cause: Cause) {
        let [left, right] = terms;
        self.queue.push(Pending::Dim { relation, left, right, cause });
    }
}
