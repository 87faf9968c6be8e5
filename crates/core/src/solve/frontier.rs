//! The frontier of a configuration: what is not bound, and what bounds it. Closing reads this.

use alloc::{collections::BTreeSet, vec::Vec};

use crate::{
    constraint::{Constraint, OriginId, Relation, SizeRelation, count},
    dim::Dim,
    row::{Flanks, Row},
    term::{DimTerm, DimVar, RowTerm, RowVar, Variable},
};

use super::{
    SolvedForm, Solver,
    node::{Ask, DimRef, NIL, RowAsk, RowNode, RowRef, RowState, Segment, Sign},
    order::Graph,
    sizes::{Form, Kind, SizePart, SizeRel},
    step::Status,
    trace::{Cause, Reasons},
    view::View,
};

/// A dimension term as the solver sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct AxisTerm(pub(super) DimRef);

/// An unbound row variable as the solver sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tail(RowNode);

/// What a step changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Touched {
    /// A row variable was bound, or something was put below it.
    Row(RowNode),
    /// An atom was put below a dimension variable.
    Dim(u32),
    /// A dimension variable was bound, to another one or to a dimension.
    Moved(u32, Option<u32>),
}

/// What changed since closing last asked, in terms that it knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Row(Tail),
    Axis(AxisTerm),
    /// The first axis is the second one, or known.
    Axes(AxisTerm, Option<AxisTerm>),
}

/// Why there is an atom below an axis: what it follows from, as things stood then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CapReason {
    cause: Cause,
    via: DimRef,
    time: u32,
}

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

/// The stages in which closing settles relations between sizes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum SizeStage {
    Rows,
    LeftOut,
    Least,
    Rest,
}

/// What comes next when relations are settled one after another.
pub(crate) enum NextSize {
    /// There are no more.
    End,
    /// Nothing can be chosen for this one.
    Nothing,
    /// This can be, because of what comes from there.
    Choose(OriginId, OpenSize),
}

/// What closing can choose to settle relations between sizes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum OpenSize {
    /// How many axes a row has whose elements are counted, or whose axes are listed: none where there
    /// are other such rows after it.
    Row { var: RowVar, last: bool },
    /// The size of a part that may be left out.
    Discardable { axis: AxisTerm, least: u64 },
    /// The size of an axis, at least this.
    Axis { axis: AxisTerm, least: u64 },
}

impl Known {
    /// Its axes from the front.
    pub(crate) fn axes(&self) -> impl Iterator<Item = AxisTerm> + '_ {
        self.lead.iter().chain(self.trail.iter()).copied()
    }
}

impl Solver {
    /// What is known of a row variable of the program; `None` when no constraint mentions it.
    pub(crate) fn known(&self, var: RowVar) -> Option<Known> {
        let slot = self.row_vars.get(var.index())?;
        let mut view = View::default();
        self.view_node(self.slots.at(slot).node, &mut view);
        Some(Known {
            lead: view.lead.into_iter().map(AxisTerm).collect(),
            trail: view.trail.into_iter().rev().map(AxisTerm).collect(),
            tail: view.var.map(Tail),
        })
    }

    /// A dimension variable of the program as a term; `None` when no constraint mentions it.
    pub(crate) fn axis(&self, var: DimVar) -> Option<AxisTerm> {
        self.dim_vars.get(var.index()).map(|node| AxisTerm(DimRef::node(node)))
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

    /// The variable that an axis is.
    pub(crate) fn axis_var(&self, axis: AxisTerm) -> DimVar {
        let node = self.resolve(axis.0).as_node().unwrap_or(0);
        self.solved().dim_var(node)
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
        self.deferred_givens().find(|given| self.is_unsettled(*given))
    }

    /// Whether a row constraint waits and does not hold when every unbound variable is at its top.
    pub(crate) fn is_unsettled(&self, given: u32) -> bool {
        let ask = *self.row_ask_of(given);
        let holds = || {
            let [left, right] = [ask.left, ask.right].map(|row| self.top_row(row));
            match ask.relation {
                Sign::Eq | Sign::Is => left.flat_eq(&right),
                Sign::Ineq => left.refines_once(&right),
            }
        };
        self.progress.at(given).status.is_deferred() && !holds()
    }

    /// The wholes of the relations that are open: they follow from their parts.
    pub(crate) fn open_wholes(&self) -> BTreeSet<AxisTerm> {
        let has_whole = |relation: &SizeRel| match relation.kind {
            Kind::Linear { form, .. } => form != Form::Difference,
            Kind::Product { .. } => !relation.counts_elements,
            Kind::Total { .. } | Kind::Exact | Kind::AtLeast { .. } => false,
        };
        let open = self.relations.iter().filter(|relation| !relation.done && has_whole(relation));
        let whole = |relation: SizeRel| self.relation_parts.get(relation.parts.at).dim;
        open.map(|relation| self.root(AxisTerm(whole(relation)))).collect()
    }

    /// What can be chosen at this stage for the open relation with this index, or, beyond the last one, for
    /// a variable with a least size.
    pub(crate) fn open_size(
        &self,
        stage: SizeStage,
        index: u32,
        may_choose: &dyn Fn(OpenSize) -> bool,
    ) -> NextSize {
        let beyond = index.checked_sub(self.relations.len());
        if let Some(node) = beyond {
            if stage != SizeStage::Least || self.leasts.len() == 0 || node >= self.dims.len() {
                return NextSize::End;
            }
            let unbound = self.dims.get(node).bound == DimRef::node(node);
            let least = if unbound { self.least_above_one(node) } else { None };
            let Some(least) = least else { return NextSize::Nothing };
            let axis = AxisTerm(DimRef::node(node));
            let open = OpenSize::Axis { axis, least: least.size };
            return if may_choose(open) {
                NextSize::Choose(self.first_origin(least.cause), open)
            } else {
                NextSize::Nothing
            };
        }
        let relation = self.relations.get(index);
        if relation.done || self.names_a_size(relation) {
            return NextSize::Nothing;
        }
        let found = if relation.rows.len > 0 {
            if stage != SizeStage::Rows {
                return NextSize::Nothing;
            }
            let rows = relation.rows.range().map(|at| self.relation_rows.get(at));
            let mut open: Vec<RowVar> = rows
                .filter(|row| self.tail(*row).is_some())
                .map(|row| self.slots.at(row.slot).var)
                .collect();
            open.dedup();
            let last = open.iter().all(|var| open.first() == Some(var));
            open.iter().map(|var| OpenSize::Row { var: *var, last }).find(|open| may_choose(*open))
        } else if self.holds_at_top(relation) {
            None
        } else {
            let range = relation.parts.range();
            // The whole comes last: it follows from its parts.
            let order = range.clone().skip(1).chain(range.take(1));
            let mut parts = order.map(|at| self.relation_parts.get(at));
            let open = |part: SizePart| {
                let node = self.resolve(part.dim).as_node()?;
                let axis = AxisTerm(DimRef::node(node));
                let least = self.least_of(node).map(|least| least.size);
                let (at, open) = match (part.discardable, least) {
                    (true, None) => (SizeStage::LeftOut, OpenSize::Discardable { axis, least: 0 }),
                    (_, Some(least @ 2..)) => (SizeStage::Least, OpenSize::Axis { axis, least }),
                    (_, least) => {
                        (SizeStage::Rest, OpenSize::Axis { axis, least: least.unwrap_or(1) })
                    }
                };
                (part.coefficient != 0 && at <= stage && may_choose(open)).then_some(open)
            };
            parts.find_map(open)
        };
        found.map_or(NextSize::Nothing, |open| {
            NextSize::Choose(self.first_origin(relation.cause), open)
        })
    }

    fn first_origin(&self, cause: Cause) -> OriginId {
        let givens = self.reasons(cause, [DimRef::UNIT; 2]).givens;
        givens.into_iter().next().map(|given| self.givens.at(given).origin).unwrap_or_default()
    }

    /// Where a relation between sizes comes from that does not hold when every unbound variable is at
    /// its top.
    pub(crate) fn unsettled_size(&self) -> Option<OriginId> {
        let fails = |relation: &SizeRel| {
            !relation.done && !self.names_a_size(*relation) && !self.holds_at_top(*relation)
        };
        let relation = self.relations.iter().find(fails).map(|relation| relation.cause);
        let cause =
            relation.or_else(|| self.unbound_leasts().next().map(|(_, least)| least.cause))?;
        Some(self.first_origin(cause))
    }

    /// Where the relations come from that are over a named size and so stay undecided.
    pub(crate) fn undecided_sizes(&self) -> Vec<OriginId> {
        let undecided = |relation: &SizeRel| !relation.done && self.names_a_size(*relation);
        let mut givens = Vec::new();
        for relation in self.relations.iter().filter(undecided) {
            match relation.cause.as_given() {
                Some(given) => givens.push(given),
                // A least size that came to a named size through bindings. A difference follows from
                // what it is the difference of.
                None if matches!(relation.kind, Kind::AtLeast { .. }) => {
                    let reasons = self.reasons(relation.cause, [DimRef::UNIT; 2]).givens;
                    let at_least =
                        |given: &u32| matches!(self.givens.at(*given).ask, Ask::AtLeast { .. });
                    givens.extend(reasons.into_iter().filter(at_least));
                }
                None => {}
            }
        }
        self.origins(givens)
    }

    /// Whether a part of a relation is a named size.
    fn names_a_size(&self, relation: SizeRel) -> bool {
        // Exact axes are equated, whatever they are.
        relation.kind != Kind::Exact
            && self.parts(relation.parts).any(|part| match self.axis_state(AxisTerm(part.dim)) {
                AxisState::Bound(dim) => count(dim).is_none(),
                AxisState::Capped(_) | AxisState::Open => false,
            })
    }

    /// Whether a relation holds when every unbound variable is at its top.
    fn holds_at_top(&self, relation: SizeRel) -> bool {
        let not_the_unit = |part: SizePart| {
            let node = self.resolve(part.dim).as_node();
            node.is_some_and(|node| self.least_above_one(node).is_some())
        };
        if self.parts(relation.parts).any(not_the_unit) {
            return false;
        }
        let top = |dim: DimRef| match self.axis_state(AxisTerm(dim)) {
            AxisState::Bound(dim) => dim,
            AxisState::Capped(_) | AxisState::Open => Dim::Unit,
        };
        let sum = |constant: i64| {
            self.parts(relation.parts).try_fold(i128::from(constant), |sum, part| {
                sum.checked_add(i128::from(part.coefficient) * i128::from(count(top(part.dim))?))
            })
        };
        match relation.kind {
            Kind::Linear { constant, .. } => sum(constant) == Some(0),
            Kind::Product { left, right } => {
                let start = (u128::from(left), u128::from(right));
                let sides = self.parts(relation.parts).try_fold(start, |(left, right), part| {
                    let n = u128::from(count(top(part.dim))?);
                    Some(if part.coefficient > 0 {
                        (left.checked_mul(n)?, right)
                    } else {
                        (left, right.checked_mul(n)?)
                    })
                });
                sides.is_some_and(|(left, right)| left == right)
            }
            Kind::Total { .. } | Kind::Exact | Kind::AtLeast { .. } => false,
        }
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

    /// Why there is an atom below an axis, if there is one.
    pub(crate) fn cap_reason(&self, axis: AxisTerm) -> Option<CapReason> {
        let cap = self.cap(self.resolve(axis.0).as_node()?)?;
        Some(CapReason { cause: cap.cause, via: cap.via, time: self.trace.len() })
    }

    /// The given constraints that are the reason.
    pub(crate) fn cap_reasons(&self, reason: CapReason) -> Vec<u32> {
        sorted(self.collect(|search, _| {
            search.cause(reason.cause, reason.time);
            search.term(reason.via, reason.time);
        }))
    }

    /// The given constraints from which an axis is what it is.
    pub(crate) fn axis_reasons(&self, axis: AxisTerm) -> Vec<u32> {
        sorted(self.collect(|search, now| search.term(axis.0, now)))
    }

    /// Begins to keep what changes.
    pub(crate) fn watch_changes(&mut self) {
        self.touched = Some(Vec::new());
    }

    /// What changed since this was last asked.
    pub(crate) fn changes(&mut self) -> Vec<Change> {
        let axis = |node: u32| AxisTerm(DimRef::node(node));
        let touched = self.touched.as_mut().map(core::mem::take).unwrap_or_default();
        let change = |touched: Touched| match touched {
            Touched::Row(node) => Change::Row(Tail(node)),
            Touched::Dim(node) => Change::Axis(axis(node)),
            Touched::Moved(from, to) => Change::Axes(axis(from), to.map(axis)),
        };
        // What was rolled back since is not there any more.
        let (rows, dims) = (self.rows.len(), self.dims.len());
        let stands = |touched: &Touched| match *touched {
            Touched::Row(node) => node.0 < rows,
            Touched::Dim(node) => node < dims,
            Touched::Moved(from, to) => from < dims && to.is_none_or(|to| to < dims),
        };
        touched.into_iter().filter(stands).map(change).collect()
    }

    /// The axis that an axis was found to be; itself, if it is not known better.
    pub(crate) fn root(&self, axis: AxisTerm) -> AxisTerm {
        AxisTerm(self.resolve(axis.0))
    }

    /// The variables directly above an unbound row variable.
    pub(crate) fn above(&self, tail: Tail) -> Vec<Tail> {
        let mut above = Vec::new();
        self.row_graph().above(tail.0.0, &mut |high, _| above.push(Tail(RowNode(high))));
        above
    }

    /// The constraints that wait and are joined with a given one by row variables, itself included.
    pub(crate) fn waiting_with(&self, given: u32) -> BTreeSet<u32> {
        let mut members = BTreeSet::from([given]);
        let mut seen: BTreeSet<RowNode> = BTreeSet::new();
        let mut todo = alloc::vec![given];
        while let Some(given) = todo.pop() {
            let RowAsk { left, right, .. } = *self.row_ask_of(given);
            for node in [left, right].into_iter().filter_map(|row| self.tail(row)) {
                if !seen.insert(node) {
                    continue;
                }
                let RowState::Open { as_left, as_right, .. } = self.rows.get(node.0) else {
                    continue;
                };
                for (head, on_left) in [(as_left, true), (as_right, false)] {
                    let mut at = head;
                    while at != NIL {
                        let progress = self.progress.at(at);
                        if progress.status.is_deferred() && members.insert(at) {
                            todo.push(at);
                        }
                        at = if on_left { progress.next_left } else { progress.next_right };
                    }
                }
            }
        }
        members
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
            Ask::AtLeast { dim, .. } => node == Some(dim),
            Ask::Size(relation) => {
                let relation = self.solver.relations.get(relation);
                let mut rows = relation.rows.range().map(|at| self.solver.relation_rows.get(at));
                let mut parts = self.solver.parts(relation.parts);
                rows.any(names) || parts.any(|part| node == Some(part.dim))
            }
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
            Ask::Size(relation) => {
                Relation::Size(self.size_relation(self.solver.relations.get(relation), false))
            }
            Ask::AtLeast { dim, least } => {
                Relation::Size(SizeRelation::AtLeast { dim: self.given_dim(dim), least })
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

    pub(super) fn given_row(&self, row: RowRef) -> RowTerm {
        let var = (row.slot != NIL).then(|| self.solver.slots.at(row.slot).var);
        RowTerm { flanks: self.given_flanks(row.flanks), var }
    }
}
