//! Idempotent substitutions, with splicing at the marker.
//!
//! Invariant (idempotency): no variable that a substitution binds occurs in a term that it binds
//! one to. Every way to make one refuses what would break it.

use alloc::collections::BTreeMap;
use core::fmt;

use super::{DimTerm, DimVar, RowTerm, RowVar};

/// A finite map from variables to terms of their sort.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Substitution {
    dims: BTreeMap<DimVar, DimTerm>,
    rows: BTreeMap<RowVar, RowTerm>,
}

/// A variable of either sort.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variable {
    /// A dimension variable.
    Dim(DimVar),
    /// A row variable.
    Row(RowVar),
}

impl From<DimVar> for Variable {
    fn from(var: DimVar) -> Variable {
        Variable::Dim(var)
    }
}

impl From<RowVar> for Variable {
    fn from(var: RowVar) -> Variable {
        Variable::Row(var)
    }
}

/// A substitution would bind this variable to a term in which a bound variable occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurs(pub Variable);

impl Substitution {
    /// The identity.
    pub fn identity() -> Substitution {
        Substitution::default()
    }

    /// The substitution with these bindings.
    ///
    /// # Errors
    /// When it is not idempotent.
    pub fn new(
        dims: impl IntoIterator<Item = (DimVar, DimTerm)>,
        rows: impl IntoIterator<Item = (RowVar, RowTerm)>,
    ) -> Result<Substitution, Occurs> {
        let (dims, rows) = (dims.into_iter().collect(), rows.into_iter().collect());
        Substitution { dims, rows }.checked()
    }

    /// The substitution `[var ↦ term]`; the identity when `term` is `var`.
    pub fn bind_dim(var: DimVar, term: DimTerm) -> Substitution {
        let mut dims = BTreeMap::new();
        if term != DimTerm::Var(var) {
            dims.insert(var, term);
        }
        Substitution { dims, rows: BTreeMap::new() }
    }

    /// The substitution `[var ↦ term]`; the identity when `term` is `var`.
    ///
    /// # Errors
    /// When `var` occurs in `term` with something around it.
    pub fn bind_row(var: RowVar, term: RowTerm) -> Result<Substitution, Occurs> {
        let mut rows = BTreeMap::new();
        if term != RowTerm::from(var) {
            if term.var == Some(var) {
                return Err(Occurs(Variable::Row(var)));
            }
            rows.insert(var, term);
        }
        Ok(Substitution { dims: BTreeMap::new(), rows })
    }

    /// The composite `self ∘ first`: `first` is applied, then `self`.
    ///
    /// # Errors
    /// When the composite is not idempotent, as with `[ρ ↦ [3]⟨σ⟩]` after `[σ ↦ [4]⟨ρ⟩]`.
    pub fn compose(&self, first: &Substitution) -> Result<Substitution, Occurs> {
        let mut dims = self.dims.clone();
        for (&var, &term) in &first.dims {
            match self.dim(term) {
                image if image == DimTerm::Var(var) => dims.remove(&var),
                image => dims.insert(var, image),
            };
        }
        let mut rows = self.rows.clone();
        for (&var, term) in &first.rows {
            match self.row(term) {
                image if image == RowTerm::from(var) => rows.remove(&var),
                image => rows.insert(var, image),
            };
        }
        Substitution { dims, rows }.checked()
    }

    /// The substitution applied to a dimension term.
    pub fn dim(&self, term: DimTerm) -> DimTerm {
        match term {
            DimTerm::Var(var) => self.dims.get(&var).copied().unwrap_or(term),
            DimTerm::Dim(_) => term,
        }
    }

    /// The substitution applied to a row term: structural, except that what the row variable is
    /// bound to is spliced in at the marker.
    pub fn row(&self, term: &RowTerm) -> RowTerm {
        let host = term.flanks.map(|entry| self.dim(*entry));
        match term.var.and_then(|var| self.rows.get(&var)) {
            None => RowTerm { flanks: host, var: term.var },
            Some(inner) => RowTerm { flanks: host.splice(&inner.flanks), var: inner.var },
        }
    }

    /// The bindings of dimension variables, in order of the variables.
    pub fn dims(&self) -> impl Iterator<Item = (DimVar, DimTerm)> + '_ {
        self.dims.iter().map(|(var, term)| (*var, *term))
    }

    /// The bindings of row variables, in order of the variables.
    pub fn rows(&self) -> impl Iterator<Item = (RowVar, &RowTerm)> {
        self.rows.iter().map(|(var, term)| (*var, term))
    }

    fn checked(self) -> Result<Substitution, Occurs> {
        let bound = |term: DimTerm| term.var().filter(|var| self.dims.contains_key(var));
        let in_dims = self.dims.values().find_map(|term| bound(*term));
        let in_flanks = || {
            self.rows.values().flat_map(RowTerm::dim_vars).find(|var| self.dims.contains_key(var))
        };
        if let Some(var) = in_dims.or_else(in_flanks) {
            return Err(Occurs(Variable::Dim(var)));
        }
        match self.rows.values().find_map(|term| term.var.filter(|var| self.rows.contains_key(var)))
        {
            Some(var) => Err(Occurs(Variable::Row(var))),
            None => Ok(self),
        }
    }
}

impl fmt::Display for Occurs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Variable::Dim(var) => {
                write!(
                    f,
                    "dimension variable ?{} occurs in a term it is substituted in",
                    var.index()
                )
            }
            Variable::Row(var) => {
                write!(f, "row variable ⟨{}⟩ occurs in a term it is substituted in", var.index())
            }
        }
    }
}

impl core::error::Error for Occurs {}
