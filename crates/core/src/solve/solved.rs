//! Solved forms: what the solver knows when nothing is left to ask.

use alloc::{collections::BTreeMap, vec::Vec};
use core::fmt;

use crate::{
    constraint::{Constraint, OriginId, Relation},
    dim::Dim,
    row::Flanks,
    term::{DimTerm, DimVar, Grounding, Occurs, RowTerm, RowVar, Substitution},
};

use super::{
    Solver,
    node::{Ask, DimRef, DimRelation, Pending, Progress, RowAsk, RowNode, RowRelation},
    step::Status,
    view::View,
};

/// A solver at rest, read: bindings of the program's variables and residual bounds on the rest.
///
/// Variables that rules minted are shown with indices above those of the program.
pub struct SolvedForm<'a> {
    solver: &'a Solver,
    dim_names: BTreeMap<u32, DimVar>,
    row_names: BTreeMap<u32, RowVar>,
    first_minted: (u32, u32),
}

/// A residual constraint, over unbound variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Residual {
    /// A cap or an adjacency: satisfied when every unbound variable is at its top.
    Bound(Constraint),
    /// A row constraint that waits until its variables are known better.
    Deferred(Constraint),
}

impl Residual {
    /// The constraint, of either kind.
    pub fn constraint(&self) -> &Constraint {
        match self {
            Residual::Bound(constraint) | Residual::Deferred(constraint) => constraint,
        }
    }
}

impl Solver {
    /// What the solver knows.
    pub fn solved(&self) -> SolvedForm<'_> {
        let mut form = SolvedForm {
            solver: self,
            dim_names: BTreeMap::new(),
            row_names: BTreeMap::new(),
            first_minted: (0, 0),
        };
        for &var in self.dim_vars.keys() {
            if let Some(node) = self.dim_vars.get(var) {
                form.dim_names.insert(node, DimVar::new(var));
            }
        }
        for slot in self.slots.iter() {
            form.row_names.insert(slot.node.0, slot.var);
        }
        // When the highest indices are taken, minted ones wrap around to the lowest.
        let after = |keys: &[u32]| keys.iter().max().map_or(0, |last| last.wrapping_add(1));
        form.first_minted = (after(self.dim_vars.keys()), after(self.row_vars.keys()));
        form
    }

    /// How many equalities wait, and how many inequalities.
    pub fn deferred(&self) -> (u32, u32) {
        (self.counts.deferred_eq, self.counts.deferred_ineq)
    }
}

impl SolvedForm<'_> {
    /// What a dimension variable of the program is bound to; itself when it is not.
    pub fn dim(&self, var: DimVar) -> DimTerm {
        let named = self.solver.dim_vars.get(var.index());
        match named.or_else(|| minted(var.index(), self.first_minted.0, self.solver.dims.len())) {
            None => var.into(),
            Some(node) => self.dim_term(DimRef::node(node)),
        }
    }

    /// What a row variable of the program is bound to; itself when it is not.
    pub fn row(&self, var: RowVar) -> RowTerm {
        let named = self.solver.row_vars.get(var.index());
        let node = named.map(|slot| self.solver.slots.get(slot).node.0);
        match node.or_else(|| minted(var.index(), self.first_minted.1, self.solver.rows.len())) {
            None => var.into(),
            Some(node) => {
                let mut view = View::default();
                self.solver.view_node(RowNode(node), &mut view);
                self.row_term(&view, 0, 0)
            }
        }
    }

    /// The atom that an unbound dimension variable must be above, if any.
    pub fn cap(&self, var: DimVar) -> Option<Dim> {
        let node = self.solver.dim_vars.get(var.index())?;
        let root = self.solver.resolve(DimRef::node(node)).as_node()?;
        self.solver.cap(root)?.atom.as_ground().map(|index| self.solver.atoms.get(index))
    }

    /// Where the constraints come from that force the value of a dimension variable.
    pub fn why_dim(&self, var: DimVar) -> Vec<OriginId> {
        let Some(node) = self.solver.dim_vars.get(var.index()) else { return Vec::new() };
        self.origins(self.solver.term_reasons(DimRef::node(node)))
    }

    /// Where the constraints come from that force the value of a row variable, as far as it is
    /// known.
    pub fn why_row(&self, var: RowVar) -> Vec<OriginId> {
        let Some(slot) = self.solver.row_vars.get(var.index()) else { return Vec::new() };
        self.origins(self.solver.slot_reasons(slot))
    }

    fn origins(&self, givens: impl IntoIterator<Item = u32>) -> Vec<OriginId> {
        let origin = |given| self.solver.givens.get(given).origin;
        let mut origins: Vec<OriginId> = givens.into_iter().map(origin).collect();
        origins.sort_unstable();
        origins.dedup();
        origins
    }

    /// What the program's variables are bound to.
    ///
    /// # Errors
    /// Never for a solver at rest; that it is idempotent is one of the invariants that
    /// [`Solver::verify`] checks.
    pub fn substitution(&self) -> Result<Substitution, Occurs> {
        let dims = self.solver.dim_vars.keys().iter().map(|var| DimVar::new(*var));
        let dims =
            dims.map(|var| (var, self.dim(var))).filter(|(var, term)| *term != DimTerm::Var(*var));
        let rows = self.solver.slots.iter().map(|slot| (slot.var, self.row(slot.var)));
        let rows = rows.filter(|(var, term)| *term != RowTerm::from(*var));
        Substitution::new(dims, rows)
    }

    /// The residual constraints, in order: caps and adjacencies of dimensions, then rows.
    pub fn residual(&self) -> Vec<Residual> {
        let mut residual = Vec::new();
        let origin = OriginId::default();
        for node in 0..self.solver.dims.len() {
            let here = DimRef::node(node);
            if let (true, Some(cap)) =
                (self.solver.resolve(here) == here, self.solver.bound_cap(node))
            {
                let relation = Relation::DimIneq(self.dim_term(cap), self.dim_term(here));
                residual.push(Residual::Bound(relation.from(origin)));
            }
        }
        for adjacency in self.solver.adjacencies.iter() {
            let [low, high] = [adjacency.low, adjacency.high].map(|term| self.solver.resolve(term));
            if low != high && low.as_node().is_some() && high.as_node().is_some() {
                let relation = Relation::DimIneq(self.dim_term(low), self.dim_term(high));
                residual.push(Residual::Bound(relation.from(origin)));
            }
        }
        for (given, progress) in self.solver.givens.iter().zip(self.solver.progress.iter()) {
            let Ask::Row(ask) = given.ask else { continue };
            let constraint = || self.row_relation(ask, progress).from(given.origin);
            match progress.status {
                Status::Adjacent | Status::Cap => residual.push(Residual::Bound(constraint())),
                Status::DeferredEq | Status::DeferredIneq => {
                    residual.push(Residual::Deferred(constraint()));
                }
                Status::Pending | Status::Done => {}
            }
        }
        residual
    }

    /// Everything that the configuration asks, over unbound variables: what is in the queue as well
    /// as what is kept. With the bindings this is what the calculus calls the constraint set that a
    /// configuration denotes. Only between two steps of a run does it differ from the residual
    /// constraints.
    pub fn asked(&self) -> Vec<Constraint> {
        let residual = self.residual();
        let mut asked: Vec<Constraint> = residual.iter().map(|r| r.constraint().clone()).collect();
        let origin = OriginId::default();
        let dim = |relation, left, right| {
            let (left, right) = (self.dim_term(left), self.dim_term(right));
            match relation {
                DimRelation::Eq => Relation::DimEq(left, right),
                DimRelation::Ineq => Relation::DimIneq(left, right),
            }
        };
        let row = |given: u32, ask| self.row_relation(ask, self.solver.progress.get(given));
        for pending in self.solver.queue.iter() {
            let relation = match pending {
                Pending::Dim { relation, left, right, .. } => dim(relation, left, right),
                Pending::Adjacency(index) => {
                    let adjacency = self.solver.adjacencies.get(index);
                    dim(DimRelation::Ineq, adjacency.low, adjacency.high)
                }
                Pending::Row(given) => row(given, *self.solver.row_ask_of(given)),
            };
            asked.push(relation.from(origin));
        }
        for given in self.solver.counts.asked..self.solver.givens.len() {
            let relation = match self.solver.givens.get(given).ask {
                Ask::Dim { relation, left, right } => dim(relation, left, right),
                Ask::Row(ask) => row(given, ask),
            };
            asked.push(relation.from(origin));
        }
        asked
    }

    /// γ↑: every unbound variable at its top, the others as they are bound.
    pub fn greatest(&self) -> Grounding {
        let top = Grounding::top();
        let dims = self.solver.dim_vars.keys().iter().map(|var| DimVar::new(*var));
        Grounding::new(
            dims.map(|var| (var, top.dim(self.dim(var)))),
            self.solver.slots.iter().map(|slot| (slot.var, top.row(&self.row(slot.var)))),
        )
    }

    pub(super) fn dim_term(&self, term: DimRef) -> DimTerm {
        let root = self.solver.resolve(term);
        match (root.as_ground(), root.as_node()) {
            (Some(index), _) => self.solver.atoms.get(index).into(),
            (None, Some(node)) => self.dim_var(node).into(),
            (None, None) => DimTerm::UNIT,
        }
    }

    fn dim_var(&self, node: u32) -> DimVar {
        let minted = || DimVar::new(self.first_minted.0.wrapping_add(node));
        self.dim_names.get(&node).copied().unwrap_or_else(minted)
    }

    fn row_var(&self, node: RowNode) -> RowVar {
        let minted = || RowVar::new(self.first_minted.1.wrapping_add(node.0));
        self.row_names.get(&node.0).copied().unwrap_or_else(minted)
    }

    pub(super) fn row_term(&self, view: &View, front: usize, back: usize) -> RowTerm {
        let side = view.side(front, back);
        let lead = (front..front + side.lead).map(|i| self.dim_term(view.front(i)));
        let trail = (back..back + side.trail).rev().map(|i| self.dim_term(view.back(i)));
        RowTerm { flanks: Flanks::new(lead, trail), var: view.var.map(|node| self.row_var(node)) }
    }

    /// A row constraint as it stands, without the positions that were compared.
    pub(super) fn row_relation(&self, ask: RowAsk, progress: Progress) -> Relation {
        let (front, back) = (usize::from(progress.front), usize::from(progress.back));
        let side = |row| self.row_term(&self.solver.view(row), front, back);
        match ask.relation {
            RowRelation::Eq => Relation::RowEq(side(ask.left), side(ask.right)),
            RowRelation::Ineq => Relation::RowIneq(side(ask.left), side(ask.right)),
        }
    }
}

/// The node that is shown with this index because a rule minted it.
fn minted(index: u32, first: u32, nodes: u32) -> Option<u32> {
    Some(index.wrapping_sub(first)).filter(|node| *node < nodes)
}

impl fmt::Display for SolvedForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.substitution() {
            Ok(bindings) => writeln!(f, "{bindings}")?,
            Err(occurs) => writeln!(f, "{occurs}")?,
        }
        for residual in self.residual() {
            match residual {
                Residual::Bound(constraint) => writeln!(f, "{constraint}")?,
                Residual::Deferred(constraint) => writeln!(f, "{constraint}  // deferred")?,
            }
        }
        Ok(())
    }
}
