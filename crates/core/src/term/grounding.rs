//! Ground substitutions: a dimension or a row for every variable there is.

use alloc::collections::BTreeMap;

use crate::{
    dim::Dim,
    row::{Flanks, Row},
};

use super::{DimTerm, DimVar, RowTerm, RowVar};

/// A ground substitution γ, total by construction: a variable without an entry takes the greatest
/// value of its sort, `1_∅` or the empty row. So [`Grounding::top`] is γ↑ on unsolved variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Grounding {
    dims: BTreeMap<DimVar, Dim>,
    rows: BTreeMap<RowVar, Row>,
}

impl Grounding {
    /// The grounding that takes every variable to its top.
    pub fn top() -> Grounding {
        Grounding::default()
    }

    /// The grounding with these entries.
    pub fn new(
        dims: impl IntoIterator<Item = (DimVar, Dim)>,
        rows: impl IntoIterator<Item = (RowVar, Row)>,
    ) -> Grounding {
        Grounding { dims: dims.into_iter().collect(), rows: rows.into_iter().collect() }
    }

    /// The value of a dimension term.
    pub fn dim(&self, term: DimTerm) -> Dim {
        match term {
            DimTerm::Var(var) => self.dims.get(&var).copied().unwrap_or(Dim::Unit),
            DimTerm::Dim(dim) => dim,
        }
    }

    /// The value of a row term.
    pub fn row(&self, term: &RowTerm) -> Row {
        let host = term.flanks.map(|entry| self.dim(*entry));
        match term.var.and_then(|var| self.rows.get(&var)) {
            None => host,
            Some(inner) => host.splice(inner),
        }
    }

    /// The value of a row variable.
    pub fn row_var(&self, var: RowVar) -> Row {
        self.rows.get(&var).cloned().unwrap_or_else(Flanks::empty)
    }

    /// Sets the value of a dimension variable.
    pub fn set_dim(&mut self, var: DimVar, dim: Dim) {
        self.dims.insert(var, dim);
    }

    /// Sets the value of a row variable.
    pub fn set_row(&mut self, var: RowVar, row: Row) {
        self.rows.insert(var, row);
    }

    /// The entries for dimension variables, in order of the variables.
    pub fn dims(&self) -> impl Iterator<Item = (DimVar, Dim)> + '_ {
        self.dims.iter().map(|(var, dim)| (*var, *dim))
    }

    /// The entries for row variables, in order of the variables.
    pub fn rows(&self) -> impl Iterator<Item = (RowVar, &Row)> {
        self.rows.iter().map(|(var, row)| (*var, row))
    }
}
