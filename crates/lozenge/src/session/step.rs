//! The numbers of steps, by which everything about a program finds them.

use std::fmt::{self, Display, Formatter};

use crate::number::index;

/// The number of a step of a program, which is also that of its result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct StepId(u32);

impl StepId {
    /// The step at this place of the program.
    pub(crate) fn new(place: usize) -> StepId {
        StepId(index(place))
    }

    /// The number, as messages have it.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The step before this one.
    pub(crate) fn before(self) -> Option<StepId> {
        self.0.checked_sub(1).map(StepId)
    }

    /// The number of steps from this one to another, in either direction.
    pub(crate) fn distance(self, other: StepId) -> u32 {
        self.0.abs_diff(other.0)
    }

    /// The place of the step in the program.
    pub(crate) fn place(self) -> usize {
        self.0 as usize
    }
}

impl Display for StepId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
