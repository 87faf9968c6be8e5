//! Steps: what rules ask for, and the verdict on a row constraint.

use crate::tables::{
    ids::{DimNode, RowNode},
    node::{DimRef, Status},
    rule::{Class, Rule},
};

/// The step that a dimension rule asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DimStep {
    Discard,
    Fail,
    /// Bind the variable, whose bounds are asked again of the term.
    Bind(DimNode, DimRef),
    /// Bind all variables on the cycle that the adjacency closes to one of them.
    Unite(DimNode, DimNode),
    /// Record the atom below the variable, and below what is above it.
    Cap(DimNode),
    /// Two different caps: bind the variable to the unit.
    Collapse(DimNode),
    /// Record the adjacency on both variables.
    Adjoin,
}

/// The step that a row rule asks for, beyond comparing the positions that overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowStep {
    /// Discard the constraint: nothing of it is left.
    Discard,
    Fail,
    /// Keep the constraint with the variables of the sides it says, to be asked again when one of
    /// them is bound.
    Keep {
        status: Status,
        watch_left: bool,
        watch_right: bool,
    },
    /// Bind the variable to what the other side has beyond the positions that overlap.
    Bind {
        var: RowNode,
        to: Rest,
    },
    /// Bind all variables on the cycle that the adjacency closes to one of them.
    Unite(RowNode, RowNode),
    /// Bind the variable to the empty row.
    Close(RowNode),
    /// Give the variable this many new axes on each side, and ask again.
    Grow {
        var: RowNode,
        lead: usize,
        trail: usize,
    },
}

/// Which side's remainder a row variable is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rest {
    Left,
    Right,
}

/// The verdict of a row rule: compare this many positions from the front and from the back, then do
/// the step with what is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowVerdict {
    pub(crate) rule: Rule,
    pub(crate) class: Class,
    pub(crate) front: usize,
    pub(crate) back: usize,
    pub(crate) step: RowStep,
}

/// A step that was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Taken {
    /// The rule that was applied.
    pub rule: Rule,
    /// What kind of step it was.
    pub class: Class,
}
