//! Ground substitutions: a dimension or a row for every variable there is.

use alloc::vec::Vec;

use crate::{
    dim::Dim,
    row::{Flanks, Row},
};

use super::{DimTerm, DimVar, RowTerm, RowVar};

/// A ground substitution γ, total by construction: a variable without an entry takes the greatest
/// value of its sort, `1_∅` or the empty row. So [`Grounding::top`] is γ↑ on unsolved variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Grounding {
    // In order of the variables, each once. A map would be many small blocks of memory for what is
    // made once and then read.
    dims: Vec<(DimVar, Dim)>,
    rows: Vec<(RowVar, Row)>,
}

/// The greatest dimension, which a variable without an entry takes.
const TOP: Dim = Dim::Unit;

/// Entries in order of their variables; of two for one variable, the later one holds.
fn in_order<V: Ord + Copy, T>(entries: impl IntoIterator<Item = (V, T)>) -> Vec<(V, T)> {
    let mut entries: Vec<(V, T)> = entries.into_iter().collect();
    if !entries.is_sorted_by(|(first, _), (second, _)| first < second) {
        entries.reverse();
        entries.sort_by_key(|(var, _)| *var); // stable
        entries.dedup_by_key(|(var, _)| *var);
    }
    entries
}

fn find<V: Ord + Copy, T>(entries: &[(V, T)], var: V) -> Option<&T> {
    let place = entries.binary_search_by_key(&var, |(var, _)| *var).ok()?;
    entries.get(place).map(|(_, value)| value)
}

fn set<V: Ord + Copy, T>(entries: &mut Vec<(V, T)>, var: V, value: T) {
    match entries.binary_search_by_key(&var, |(var, _)| *var) {
        Ok(place) => entries[place].1 = value,
        Err(place) => entries.insert(place, (var, value)),
    }
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
        Grounding { dims: in_order(dims), rows: in_order(rows) }
    }

    /// The value of a dimension term.
    pub fn dim(&self, term: DimTerm) -> Dim {
        match term {
            DimTerm::Var(var) => find(&self.dims, var).copied().unwrap_or(TOP),
            DimTerm::Dim(dim) => dim,
        }
    }

    /// The value of a row term.
    pub fn row(&self, term: &RowTerm) -> Row {
        let host = term.flanks.map(|entry| self.dim(*entry));
        match term.var.and_then(|var| find(&self.rows, var)) {
            None => host,
            Some(inner) => host.splice(inner),
        }
    }

    /// The value of a row variable.
    pub fn row_var(&self, var: RowVar) -> Row {
        find(&self.rows, var).cloned().unwrap_or_else(Flanks::empty)
    }

    /// Sets the value of a dimension variable.
    pub fn set_dim(&mut self, var: DimVar, dim: Dim) {
        set(&mut self.dims, var, dim);
    }

    /// Sets the value of a row variable.
    pub fn set_row(&mut self, var: RowVar, row: Row) {
        set(&mut self.rows, var, row);
    }

    /// The entries for dimension variables, in order of the variables.
    pub fn dims(&self) -> impl Iterator<Item = (DimVar, Dim)> + '_ {
        self.dims.iter().copied()
    }

    /// The entries for dimension variables from this one on, in order of the variables.
    pub fn dims_from(&self, first: DimVar) -> impl Iterator<Item = (DimVar, Dim)> + '_ {
        let start = self.dims.partition_point(|(var, _)| *var < first);
        self.dims[start..].iter().copied()
    }

    /// The entries for row variables, in order of the variables.
    pub fn rows(&self) -> impl Iterator<Item = (RowVar, &Row)> {
        self.rows.iter().map(|(var, row)| (*var, row))
    }
}
