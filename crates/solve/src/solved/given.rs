//! Given constraints, read as they were given.

use alloc::vec::Vec;

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation, SizeRelation},
    row::Flanks,
    term::{DimTerm, RowTerm, Variable},
};

use crate::{
    solved::form::SolvedForm,
    solver::Solver,
    tables::{
        ids::GivenId,
        node::{DimRef, GivenKind, RowRef, Segment, Sign},
    },
};

impl Solver {
    /// The constraints that were taken, in order, as they were given; what nobody asked is not
    /// among them.
    pub fn given(&self) -> impl Iterator<Item = Constraint> + '_ {
        self.given_by(self.standing())
    }

    fn given_by<'a>(&'a self, form: SolvedForm<'a>) -> impl Iterator<Item = Constraint> + 'a {
        // Constraints are large, so whoever collects them has to know how many there are.
        let asked =
            |given: &GivenId| self.config.tables.givens.all.at(*given).origin != OriginId::NOBODY;
        let asked: Vec<GivenId> = self.config.tables.givens.all.ids().filter(asked).collect();
        asked.into_iter().map(move |given| form.given(given))
    }

    /// The constraints that were taken, with the names that became numbers.
    pub fn given_as_written(&self) -> impl Iterator<Item = Constraint> + '_ {
        self.given_by(self.standing().with_names())
    }

    /// The number of constraints and commitments that were taken.
    pub fn given_count(&self) -> u32 {
        self.config.tables.givens.all.len()
    }
}

impl SolvedForm<'_> {
    /// The given constraints that name a variable, in order.
    pub(crate) fn givens_naming(&self, var: Variable) -> impl Iterator<Item = GivenId> + '_ {
        let node = match var {
            Variable::Dim(var) => self.solver.config.tables.dims.dim_node(var).map(DimRef::node),
            Variable::Row(_) => None,
        };
        let slot = match var {
            Variable::Dim(_) => None,
            Variable::Row(var) => self.solver.config.tables.rows.vars.get(var),
        };
        let names = move |row: RowRef| {
            let mut entries = row.flanks.leading().chain(row.flanks.trailing());
            slot.is_some() && slot == row.slot.get()
                || node.is_some_and(|node| {
                    entries.any(|at| *self.solver.config.tables.rows.axes.at(at) == node)
                })
        };
        self.solver.config.tables.givens.all.ids().filter(move |given| {
            match self.solver.config.tables.givens.all.at(*given).kind {
                GivenKind::Dim { left, right, .. } => {
                    node.is_some_and(|node| node == left || node == right)
                }
                GivenKind::Row(related) => names(related.left) || names(related.right),
                GivenKind::AtLeast { dim, .. } => node == Some(dim),
                GivenKind::Size(relation) => {
                    let relation = self.solver.config.tables.relations.all.get(relation);
                    let mut rows = relation
                        .rows
                        .range()
                        .map(|at| self.solver.config.tables.relations.rows.get(at));
                    let mut parts = self.solver.config.tables.relations.parts(relation.parts);
                    rows.any(names) || parts.any(|part| node == Some(part.dim))
                }
            }
        })
    }

    /// A given constraint as it was given.
    pub(crate) fn given(&self, index: GivenId) -> Constraint {
        let given = self.solver.config.tables.givens.all.get(index);
        let relation = match given.kind {
            GivenKind::Dim { relation, left, right } => {
                let (left, right) = (self.given_dim(left), self.given_dim(right));
                match relation {
                    Sign::Eq | Sign::Is => Relation::DimEq(left, right),
                    Sign::Ineq => Relation::DimIneq(left, right),
                }
            }
            GivenKind::Row(related) => {
                let (left, right) = (self.given_row(related.left), self.given_row(related.right));
                match related.relation {
                    Sign::Eq | Sign::Is => Relation::RowEq(left, right),
                    Sign::Ineq => Relation::RowIneq(left, right),
                }
            }
            GivenKind::Size(relation) => Relation::Size(
                self.size_relation(self.solver.config.tables.relations.all.get(relation), false),
            ),
            GivenKind::AtLeast { dim, least } => {
                Relation::Size(SizeRelation::AtLeast { dim: self.given_dim(dim), least })
            }
        };
        relation.with_origin(given.origin)
    }

    pub(crate) fn given_dim(&self, term: DimRef) -> DimTerm {
        match term.as_ground() {
            Some(index) if self.is_written => {
                self.solver.config.tables.dims.met.written(index).into()
            }
            Some(index) => self.solver.config.tables.dims.met.given(index).into(),
            None => term.as_node().map_or(DimTerm::UNIT, |node| self.dim_var(node).into()),
        }
    }

    pub(crate) fn given_row(&self, row: RowRef) -> RowTerm {
        let var = row.slot.get().map(|slot| self.solver.config.tables.rows.slots.at(slot).var);
        RowTerm { flanks: self.given_flanks(row.flanks), var }
    }

    /// Flanks of the pool as they were written.
    pub(crate) fn given_flanks(&self, flanks: Segment) -> Flanks<DimTerm> {
        let entry = |at| self.given_dim(self.solver.config.tables.rows.axes.get(at));
        Flanks::new(flanks.leading().map(entry), flanks.trailing().rev().map(entry))
    }
}
