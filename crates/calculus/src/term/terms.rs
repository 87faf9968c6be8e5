//! Terms: dimensions and rows in which variables stand.

use crate::{
    dim::Dim,
    row::{Flanks, Row},
};

use super::variables::{DimVar, RowVar};

/// A dimension term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DimTerm {
    /// A variable.
    Var(DimVar),
    /// A dimension.
    Dim(Dim),
}

/// A row term: `l·◊·r` when closed, `l·⟨ρ⟩·r` when open.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RowTerm {
    /// The two flanks.
    pub flanks: Flanks<DimTerm>,
    /// The variable at the marker, if the row is open.
    pub var: Option<RowVar>,
}

impl DimTerm {
    /// The claim-free unit as a term.
    pub const UNIT: DimTerm = DimTerm::Dim(Dim::Unit);

    /// The variable, if this is one.
    pub fn var(self) -> Option<DimVar> {
        match self {
            DimTerm::Var(var) => Some(var),
            DimTerm::Dim(_) => None,
        }
    }

    /// The dimension, if this is ground.
    pub fn ground(self) -> Option<Dim> {
        match self {
            DimTerm::Var(_) => None,
            DimTerm::Dim(dim) => Some(dim),
        }
    }
}

impl RowTerm {
    /// The closed row `lead·◊·trail`.
    pub fn closed(
        lead: impl IntoIterator<Item = DimTerm>,
        trail: impl IntoIterator<Item = DimTerm>,
    ) -> RowTerm {
        RowTerm { flanks: Flanks::new(lead, trail), var: None }
    }

    /// The open row `lead·⟨var⟩·trail`.
    pub fn open(
        lead: impl IntoIterator<Item = DimTerm>,
        var: RowVar,
        trail: impl IntoIterator<Item = DimTerm>,
    ) -> RowTerm {
        RowTerm { flanks: Flanks::new(lead, trail), var: Some(var) }
    }

    /// The dimension variables of both flanks, in order, with repetitions.
    pub fn dim_vars(&self) -> impl Iterator<Item = DimVar> {
        self.flanks.flat().iter().filter_map(|term| term.var())
    }

    /// The row, if this term has no variable.
    pub fn ground(&self) -> Option<Row> {
        let ground = |side: &[DimTerm]| {
            side.iter().map(|term| term.ground()).collect::<Option<alloc::vec::Vec<Dim>>>()
        };
        match self.var {
            Some(_) => None,
            None => Some(Flanks::new(ground(self.flanks.lead())?, ground(self.flanks.trail())?)),
        }
    }
}

impl From<DimVar> for DimTerm {
    fn from(var: DimVar) -> DimTerm {
        DimTerm::Var(var)
    }
}

impl From<Dim> for DimTerm {
    fn from(dim: Dim) -> DimTerm {
        DimTerm::Dim(dim)
    }
}

/// The bare variable `ρ`, which is `[]·⟨ρ⟩·[]`.
impl From<RowVar> for RowTerm {
    fn from(var: RowVar) -> RowTerm {
        RowTerm { flanks: Flanks::empty(), var: Some(var) }
    }
}

impl From<&Row> for RowTerm {
    fn from(row: &Row) -> RowTerm {
        RowTerm { flanks: row.map(|dim| DimTerm::Dim(*dim)), var: None }
    }
}
