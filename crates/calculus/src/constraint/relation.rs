//! A relation between terms, and a constraint: a relation with where it came from.

use crate::term::{DimTerm, RowTerm, Substitution};

use super::{sizes::SizeRelation, vars::Vars};

/// The origin of a constraint. Opaque here: whoever emits constraints knows what it stands for.
/// Within a batch, program order is the order of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct OriginId(u32);

/// A constraint: a relation that has to hold, and where it came from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint {
    /// The relation that has to hold.
    pub relation: Relation,
    /// Where the constraint came from.
    pub origin: OriginId,
}

/// A relation between terms. In an inequality, the first term is the result, the lower side, and
/// the second is the operand.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// `t₁ = t₂`: the same dimension.
    DimEq(DimTerm, DimTerm),
    /// `t_res ⊑ t_op`: the broadcast order.
    DimIneq(DimTerm, DimTerm),
    /// `R₁ ≈ R₂`: flat equivalence.
    RowEq(RowTerm, RowTerm),
    /// `R_res ⊑ R_op`: which order judges it is the [judge](crate::judge)'s to say.
    RowIneq(RowTerm, RowTerm),
    /// A relation between sizes.
    Size(SizeRelation),
}

/// A constraint between terms that stand elsewhere, so that no row is cloned to constrain it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConstraintRef<'a> {
    /// The relation that has to hold.
    pub relation: RelationRef<'a>,
    /// Where the constraint came from.
    pub origin: OriginId,
}

/// A [`Relation`] between terms that stand elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelationRef<'a> {
    /// See [`Relation::DimEq`].
    DimEq(DimTerm, DimTerm),
    /// See [`Relation::DimIneq`].
    DimIneq(DimTerm, DimTerm),
    /// See [`Relation::RowEq`].
    RowEq(&'a RowTerm, &'a RowTerm),
    /// See [`Relation::RowIneq`].
    RowIneq(&'a RowTerm, &'a RowTerm),
    /// See [`Relation::Size`].
    Size(&'a SizeRelation),
}

impl<'a> From<&'a Constraint> for ConstraintRef<'a> {
    fn from(constraint: &'a Constraint) -> ConstraintRef<'a> {
        let relation = match &constraint.relation {
            Relation::DimEq(left, right) => RelationRef::DimEq(*left, *right),
            Relation::DimIneq(result, operand) => RelationRef::DimIneq(*result, *operand),
            Relation::RowEq(left, right) => RelationRef::RowEq(left, right),
            Relation::RowIneq(result, operand) => RelationRef::RowIneq(result, operand),
            Relation::Size(relation) => RelationRef::Size(relation),
        };
        ConstraintRef { relation, origin: constraint.origin }
    }
}

impl OriginId {
    /// The origin of constraints that no program states: commitments of closing, suppositions of
    /// deciding.
    pub const NOBODY: OriginId = OriginId(u32::MAX);

    /// The origin with this index.
    pub const fn new(index: u32) -> OriginId {
        OriginId(index)
    }

    /// The index it was made from.
    pub const fn index(self) -> u32 {
        self.0
    }
}

impl Relation {
    /// The constraint that this relation holds, with its origin.
    pub fn with_origin(self, origin: OriginId) -> Constraint {
        Constraint { relation: self, origin }
    }

    /// The relation with a substitution applied to both terms.
    #[must_use]
    pub fn substitute(&self, sub: &Substitution) -> Relation {
        self.map(|term| sub.dim(term), |row| sub.row(row))
    }

    /// The relation between what its terms become.
    #[must_use]
    pub fn map(
        &self,
        dim: impl Fn(DimTerm) -> DimTerm,
        row: impl Fn(&RowTerm) -> RowTerm,
    ) -> Relation {
        match self {
            Relation::DimEq(left, right) => Relation::DimEq(dim(*left), dim(*right)),
            Relation::DimIneq(result, operand) => Relation::DimIneq(dim(*result), dim(*operand)),
            Relation::RowEq(left, right) => Relation::RowEq(row(left), row(right)),
            Relation::RowIneq(result, operand) => Relation::RowIneq(row(result), row(operand)),
            Relation::Size(relation) => Relation::Size(relation.map(dim, row)),
        }
    }

    /// The relation between what its dimensions become, in rows as well.
    #[must_use]
    pub fn map_dims(&self, dim: impl Fn(DimTerm) -> DimTerm) -> Relation {
        let row = |row: &RowTerm| {
            let flanks = row.flanks.map(|term| dim(*term));
            RowTerm { flanks, var: row.var }
        };
        self.map(&dim, row)
    }

    /// Adds the variables of both terms to `vars`.
    pub fn collect_vars(&self, vars: &mut Vars) {
        match self {
            Relation::DimEq(left, right) | Relation::DimIneq(left, right) => {
                vars.dims.extend(left.var());
                vars.dims.extend(right.var());
            }
            Relation::RowEq(left, right) | Relation::RowIneq(left, right) => {
                for term in [left, right] {
                    vars.dims.extend(term.dim_vars());
                    vars.rows.extend(term.var);
                }
            }
            Relation::Size(relation) => relation.collect_vars(vars),
        }
    }
}

impl Vars {
    /// The variables of these constraints.
    pub fn of<'a>(constraints: impl IntoIterator<Item = &'a Constraint>) -> Vars {
        let mut vars = Vars::default();
        for constraint in constraints {
            constraint.relation.collect_vars(&mut vars);
        }
        vars
    }
}
