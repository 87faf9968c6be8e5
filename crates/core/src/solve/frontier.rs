//! The frontier of a configuration: what is not bound, and what bounds it. Closing reads this.

use alloc::vec::Vec;

use crate::{
    constraint::{Constraint, Relation},
    dim::Dim,
    row::{Flanks, Row},
    term::{DimTerm, DimVar, RowTerm, RowVar, Variable},
};

use super::{
    SolvedForm, Solver,
    node::{Ask, DimRef, NIL, RowAsk, RowNode, RowRef, RowState, Segment, Sign},
    step::Status,
    trace::Reasons,
    view::View,
};

/// A dimension term as the solver sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct AxisTerm(pub(super) DimRef);

/// An unbound row variable as the solver sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tail(RowNode);

/// A row variable as far as it is known.
pub(crate) struct Known {
    pub(crate) lead: Vec<AxisTerm>,
    pub(crate) trail: Vec<AxisTerm>,
    /// What is between the flanks, unless the row is closed.
    pub(crate) tail: Option<Tail>,
}

/// What is known of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AxisState {
    Bound(Dim),
    /// Unbound, above this atom.
    Capped(Dim),
    /// Unbound, above nothing.
    Open,
}

/// What the trace is read for: a variable, and which of its axes matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reading {
    pub(crate) var: Variable,
    pub(crate) axes: Axes,
}

/// Which axes of a row matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Axes {
    All,
    None,
    One(usize),
}

/// What is directly below an unbound row variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Below {
    /// A closed row with these flanks.
    Closed { lead: usize, trail: usize },
    /// A row with these flanks and a variable between them.
    Open { lead: usize, trail: usize },
    /// A variable.
    Adjacent(Tail),
}

impl Known {
    /// Its axes from the front.
    pub(crate) fn axes(&self) -> impl Iterator<Item = AxisTerm> + '_ {
        self.lead.iter().chain(self.trail.iter()).copied()
    }
}

impl Solver {
    /// What is known of a row variable; `None` when no constraint mentions it.
    pub(crate) fn known(&self, var: RowVar) -> Option<Known> {
        let mut view = View::default();
        self.view_node(self.row_node(var)?, &mut view);
        Some(Known {
            lead: view.lead.into_iter().map(AxisTerm).collect(),
            trail: view.trail.into_iter().rev().map(AxisTerm).collect(),
            tail: view.var.map(Tail),
        })
    }

    /// A dimension variable as a term; `None` when no constraint mentions it.
    pub(crate) fn axis(&self, var: DimVar) -> Option<AxisTerm> {
        self.dim_node(var).map(|node| AxisTerm(DimRef::node(node)))
    }

    /// What is known of an axis.
    pub(crate) fn axis_state(&self, axis: AxisTerm) -> AxisState {
        let met = |term: DimRef| term.as_ground().map(|index| self.dims_met.get(index));
        let end = self.resolve(axis.0);
        match end.as_node() {
            None => AxisState::Bound(met(end).unwrap_or(Dim::Unit)),
            Some(node) => match self.cap(node).and_then(|cap| met(cap.atom)) {
                Some(atom) => AxisState::Capped(atom),
                None => AxisState::Open,
            },
        }
    }

    /// What is directly below an unbound row variable, each with the given constraint that says so.
    pub(crate) fn below(&self, tail: Tail) -> Vec<(u32, Below)> {
        let mut below = Vec::new();
        let RowState::Open { as_right, .. } = self.rows.get(tail.0.0) else { return below };
        let mut at = as_right;
        while at != NIL {
            let progress = self.progress.get(at);
            let left = self.view(self.row_ask_of(at).left);
            let side = left.side(usize::from(progress.front), usize::from(progress.back));
            let (lead, trail) = (side.lead, side.trail);
            match (progress.status, side.var) {
                (Status::Adjacent, Some(low)) => below.push((at, Below::Adjacent(Tail(low)))),
                (Status::Cap, None) => below.push((at, Below::Closed { lead, trail })),
                (Status::Cap, Some(_)) => below.push((at, Below::Open { lead, trail })),
                // What waits says nothing yet.
                (_, _) => {}
            }
            at = progress.next_right;
        }
        below
    }

    /// The first constraint that waits and does not hold when every unbound variable is at its top.
    pub(crate) fn first_unsettled(&self) -> Option<u32> {
        self.deferred_givens().find(|given| {
            let ask = *self.row_ask_of(*given);
            let [left, right] = [ask.left, ask.right].map(|row| self.top_row(row));
            !match ask.relation {
                Sign::Eq | Sign::Is => left.flat_eq(&right),
                Sign::Ineq => left.refines_once(&right),
            }
        })
    }

    /// A row term with every unbound variable at its top.
    fn top_row(&self, row: RowRef) -> Row {
        let view = self.view(row);
        let dim = |term: &DimRef| match self.axis_state(AxisTerm(*term)) {
            AxisState::Bound(dim) => dim,
            AxisState::Capped(_) | AxisState::Open => Dim::Unit,
        };
        Flanks::new(view.lead.iter().map(dim), view.trail.iter().rev().map(dim))
    }

    /// How far the known axes of a row constraint reach from either end, together.
    pub(crate) fn reach(&self, given: u32) -> usize {
        let RowAsk { left, right, .. } = *self.row_ask_of(given);
        let (left, right) = (self.view(left), self.view(right));
        let front = left.lead.len().max(right.lead.len());
        let back = left.trail.len().max(right.trail.len());
        front + back
    }

    /// The greater rank of the two rows of a constraint, with every unbound variable at its top.
    pub(crate) fn top_rank(&self, given: u32) -> usize {
        let RowAsk { left, right, .. } = *self.row_ask_of(given);
        self.top_row(left).rank().max(self.top_row(right).rank())
    }

    /// Why there is an atom below an axis: the given constraints from which it follows.
    pub(crate) fn cap_reasons(&self, axis: AxisTerm) -> Vec<u32> {
        let cap = self.resolve(axis.0).as_node().and_then(|node| self.cap(node));
        cap.map_or_else(Vec::new, |cap| sorted(self.reasons(cap.cause, [cap.via, DimRef::UNIT])))
    }

    /// Why something has the value it has: the given constraints from which it follows.
    pub(crate) fn reasons_for(&self, reading: Reading) -> Vec<u32> {
        sorted(self.collect(|search, now| search.reading(reading, now)))
    }

    /// The given constraint that bound a row variable by choosing where its marker stands.
    pub(crate) fn placed_by(&self, var: RowVar) -> Option<u32> {
        self.placement_reason(self.row_node(var)?)
    }
}

fn sorted(reasons: Reasons) -> Vec<u32> {
    reasons.givens.into_iter().collect()
}

impl SolvedForm<'_> {
    /// The given constraints that name a variable, in order.
    pub(crate) fn givens_naming(&self, var: Variable) -> impl Iterator<Item = u32> + '_ {
        let node = match var {
            Variable::Dim(var) => self.solver.dim_node(var).map(DimRef::node),
            Variable::Row(_) => None,
        };
        let slot = match var {
            Variable::Dim(_) => None,
            Variable::Row(var) => self.solver.row_vars.get(var.index()),
        };
        let names = move |row: RowRef| {
            let Segment { at, lead, trail } = row.flanks;
            let entries = at..at + u32::from(lead) + u32::from(trail);
            slot == Some(row.slot)
                || node.is_some_and(|node| {
                    entries.into_iter().any(|at| *self.solver.pool.at(at) == node)
                })
        };
        (0..self.solver.givens.len()).filter(move |given| match self.solver.givens.at(*given).ask {
            Ask::Dim { left, right, .. } => node.is_some_and(|node| node == left || node == right),
            Ask::Row(ask) => names(ask.left) || names(ask.right),
        })
    }

    /// A given constraint as it was given.
    pub(crate) fn given(&self, index: u32) -> Constraint {
        let given = self.solver.givens.get(index);
        let relation = match given.ask {
            Ask::Dim { relation, left, right } => {
                let (left, right) = (self.given_dim(left), self.given_dim(right));
                match relation {
                    Sign::Eq | Sign::Is => Relation::DimEq(left, right),
                    Sign::Ineq => Relation::DimIneq(left, right),
                }
            }
            Ask::Row(ask) => {
                let (left, right) = (self.given_row(ask.left), self.given_row(ask.right));
                match ask.relation {
                    Sign::Eq | Sign::Is => Relation::RowEq(left, right),
                    Sign::Ineq => Relation::RowIneq(left, right),
                }
            }
        };
        relation.with_origin(given.origin)
    }

    pub(super) fn given_dim(&self, term: DimRef) -> DimTerm {
        match term.as_ground() {
            Some(index) => self.solver.dims_met.get(index).into(),
            None => term.as_node().map_or(DimTerm::UNIT, |node| self.dim_var(node).into()),
        }
    }

    fn given_row(&self, row: RowRef) -> RowTerm {
        let var = (row.slot != NIL).then(|| self.solver.slots.at(row.slot).var);
        RowTerm { flanks: self.given_flanks(row.flanks), var }
    }
}
