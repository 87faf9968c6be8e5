//! The rules: pure functions from a constraint, resolved, to a step.
//!
//! Each is one match in the order of the calculus. Nothing is written here; [`super::apply`] does
//! that. A row constraint arrives with the positions that were compared before taken away.

mod dim;
mod row_eq;
mod row_ineq;
pub(crate) mod step;

pub(super) use dim::{dim_eq, dim_ineq};
pub(super) use row_eq::row_eq;
pub(super) use row_ineq::row_ineq;

use crate::{
    rules::step::{Class, RowStep, Rule},
    tables::ids::RowNode,
};

/// One side of a row constraint: its variable and how many axes are known on each side of it. Of a
/// closed row, only the sum matters to the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Side {
    pub(super) var: Option<RowNode>,
    pub(super) lead: usize,
    pub(super) trail: usize,
}

impl Side {
    /// A variable with nothing around it.
    pub(super) fn bare(var: RowNode) -> Side {
        Side { var: Some(var), lead: 0, trail: 0 }
    }

    pub(super) fn rank(self) -> usize {
        self.lead + self.trail
    }
}

/// What a row rule says: compare this many positions from the front and from the back, then do the
/// step with what is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RowVerdict {
    pub(super) rule: Rule,
    pub(super) class: Class,
    pub(super) front: usize,
    pub(super) back: usize,
    pub(super) step: RowStep,
}
