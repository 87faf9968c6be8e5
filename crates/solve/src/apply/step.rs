//! One step: what is next in the queue is asked, and done.

use crate::{
    budget::Exhausted,
    config::Config,
    reading::view::View,
    rules::step::Taken,
    tables::{
        node::{Adjacency, Pending, Sign},
        rule::Class,
    },
    why::conflict::Stop,
};

impl Config {
    /// Applies one rule; `None` when nothing is left to ask.
    #[allow(clippy::inline_always)] // a run of the solver is the only caller that counts
    #[inline(always)]
    pub(crate) fn step(&mut self, views: &mut [View; 2]) -> Result<Option<Taken>, Stop> {
        // No chain of `or_else`, which copies what it found at every link.
        let pending = if let Some(asked) = self.tables.queue.pop() {
            asked
        } else if let Some(given) = self.tables.next_to_ask() {
            given
        } else if let Some(last) = self.tables.queue.pop_last() {
            last
        } else if let Some(counted) = self.tables.next_counted() {
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
        self.tables.counts.steps += 1;
        self.tables.counts.policy += u32::from(taken.class == Class::Policy);
        Ok(Some(taken))
    }

    /// Whether no more steps may be taken.
    #[inline]
    pub(crate) fn within_steps(&self) -> Result<(), Stop> {
        if self.tables.counts.steps > self.options.budget.steps {
            return Err(Stop::from(Exhausted::Steps));
        }
        Ok(())
    }
}
