//! The variables of constraints.

use alloc::collections::BTreeSet;

use crate::term::{DimVar, RowVar};

/// The variables of a set of constraints, each sort in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vars {
    /// The dimension variables.
    pub dims: BTreeSet<DimVar>,
    /// The row variables.
    pub rows: BTreeSet<RowVar>,
}
