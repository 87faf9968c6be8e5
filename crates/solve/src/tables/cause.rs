//! Causes: what a constraint in the queue follows from.

use crate::tables::ids::{GivenId, Id, JointId};

/// What a constraint in the queue follows from: a given constraint, or two causes together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Cause(u32);

const JOINT_TAG: u32 = 1 << 31;

impl Cause {
    pub(crate) fn given(given: GivenId) -> Cause {
        Cause(given.index())
    }

    pub(crate) fn joint(joint: JointId) -> Cause {
        Cause(joint.index() | JOINT_TAG)
    }

    /// The given constraint that it is, if it is one alone.
    pub(crate) fn as_given(self) -> Option<GivenId> {
        (self.0 & JOINT_TAG == 0).then_some(GivenId::new(self.0))
    }

    /// The given constraint that it is alone, or the two causes together.
    pub(crate) fn parts(self) -> Result<GivenId, JointId> {
        self.as_given().ok_or(JointId::new(self.0 & !JOINT_TAG))
    }
}
