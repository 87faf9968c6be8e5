//! The steps of a program by their numbers, and what belongs to each.

use std::ops::Range;

use lozenge_calculus::constraint::OriginId;

use super::{super::step::StepId, Program};

impl Program {
    /// The number of the step that is made next.
    pub(crate) fn next_step(&self) -> StepId {
        StepId::new(self.steps.len())
    }

    /// The last step, which is the one under way.
    pub(crate) fn last_step(&self) -> StepId {
        StepId::new(self.steps.len().saturating_sub(1))
    }

    /// All steps, in order.
    pub(crate) fn step_ids(&self) -> impl DoubleEndedIterator<Item = StepId> + use<> {
        (0..self.steps.len()).map(StepId::new)
    }

    /// The steps after one, in order.
    pub(crate) fn steps_after(&self, step: StepId) -> impl Iterator<Item = StepId> + use<> {
        (step.place() + 1..self.steps.len()).map(StepId::new)
    }

    /// The steps that origins are of, in order, each once.
    pub(crate) fn steps_of(&self, origins: impl IntoIterator<Item = OriginId>) -> Vec<StepId> {
        let mut steps: Vec<StepId> =
            origins.into_iter().map(|origin| self.origin(origin).0).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    pub(crate) fn operands_of(&self, step: StepId) -> &[StepId] {
        let start = self.steps[step.place()].operands as usize;
        let end = self.steps.get(step.place() + 1).map(|next| next.operands as usize);
        &self.operands[start..end.unwrap_or(self.operands.len())]
    }

    /// The variables of a step: of dimensions, and of rows.
    pub(crate) fn variables_of(&self, step: StepId) -> [Range<u32>; 2] {
        let first = self.steps[step.place()].first;
        let next = self.steps.get(step.place() + 1).map(|next| (next.first.dim, next.first.row));
        let (dims, rows) = next.unwrap_or((self.variables.dims, self.variables.rows));
        [first.dim..dims, first.row..rows]
    }
}
