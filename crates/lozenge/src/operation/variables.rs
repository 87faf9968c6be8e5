//! Numbers for variables.

use lozenge_calculus::term::{DimVar, RowVar};

/// How many variables of each sort there are; the next ones are numbered from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables {
    pub(crate) dims: u32,
    pub(crate) rows: u32,
}

impl Variables {
    pub(crate) fn new_dim(&mut self) -> DimVar {
        self.dims += 1;
        DimVar::new(self.dims - 1)
    }

    pub(crate) fn new_row(&mut self) -> RowVar {
        self.rows += 1;
        RowVar::new(self.rows - 1)
    }

    /// Variables of both sorts for all of these; the first of each.
    pub(crate) fn add(&mut self, others: Variables) -> (u32, u32) {
        let first = (self.dims, self.rows);
        self.dims += others.dims;
        self.rows += others.rows;
        first
    }

    /// Variables of both sorts for that many names; the first of each.
    pub(crate) fn reserve(&mut self, names: u32) -> (u32, u32) {
        let first = (self.dims, self.rows);
        self.dims += names;
        self.rows += names;
        first
    }
}
