//! The frontier of a configuration: what is not bound, and what bounds it. Closing and deciding
//! read this.

use alloc::{collections::BTreeSet, vec::Vec};

use lozenge_calculus::{
    dim::Dim,
    row::{Flanks, Row},
    size::Size,
    term::{DimVar, RowVar},
};

use crate::{
    budget::Exhausted,
    reading::{order::Graph, view::View},
    tables::{
        ids::{GivenId, RelationRowId, RowNode, RowSlot},
        kept::Extent,
        list::{Dims, Rows, Tables},
        node::{DimRef, GivenKind, RowGiven, RowRef, RowState, Sign, Status},
        sizes::Kind as SizeKind,
    },
};

/// A dimension term as the solver sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct AxisTerm(pub(crate) DimRef);

/// An unbound row variable as the solver sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tail(pub(crate) RowNode);

/// A change that a step made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// A row variable was bound, or something was put below it.
    Row(Tail),
    /// An atom was put below an axis.
    Axis(AxisTerm),
    /// The first axis was found to be the second one, which may be known.
    Axes(AxisTerm, AxisTerm),
}

/// A row as far as it is known.
pub(crate) struct Known {
    pub(crate) flanks: Flanks<AxisTerm>,
    /// What is between the flanks, unless the row is closed.
    pub(crate) tail: Option<Tail>,
}

/// The state of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AxisState {
    Bound(Dim),
    /// Unbound, above this atom.
    Capped(Dim),
    /// Unbound, above nothing.
    Open,
}

/// A lower bound of an unbound row variable, directly below it.
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
    fn of(view: View) -> Known {
        Known {
            flanks: Flanks::new(
                view.lead.into_iter().map(AxisTerm),
                view.trail.into_iter().rev().map(AxisTerm),
            ),
            tail: view.var.map(Tail),
        }
    }

    /// Its axes from the front.
    pub(crate) fn axes(&self) -> impl Iterator<Item = AxisTerm> + '_ {
        self.flanks.flat().iter().copied()
    }

    /// The extent of the row with `lead` and `trail` more axes at its marker.
    pub(crate) fn extent_with(&self, lead: usize, trail: usize) -> Result<Extent, Exhausted> {
        let length = |len: usize| u16::try_from(len).map_err(|_| Exhausted::Rank);
        let (lead, trail) = (self.flanks.lead().len() + lead, self.flanks.trail().len() + trail);
        Ok(Extent { lead: length(lead)?, trail: length(trail)? })
    }
}

/// How often all constraints are looked through for ranks that are bounded.
const PASSES: usize = 8;

/// The variables that are not bound, and their bounds.
#[derive(Clone, Copy)]
pub(crate) struct Frontier<'a> {
    tables: &'a Tables,
}

impl Tables {
    pub(crate) fn frontier(&self) -> Frontier<'_> {
        Frontier { tables: self }
    }
}

impl Frontier<'_> {
    /// The given constraints because of which a row variable has at least its least rank.
    pub(crate) fn least_rank_reasons(self, var: RowVar) -> Vec<GivenId> {
        let Some(slot) = self.tables.rows.vars.get(var) else { return Vec::new() };
        self.tables.raising(slot)
    }
}

impl Rows {
    /// What is known of a row variable of the program; `None` when no constraint mentions it.
    pub(crate) fn known(&self, var: RowVar) -> Option<Known> {
        let slot = self.vars.get(var)?;
        let mut view = View::default();
        self.view_node(self.slots.at(slot).node, &mut view);
        Some(Known::of(view))
    }

    /// The least rank that a row variable can have.
    pub(crate) fn least_rank(&self, var: RowVar) -> u32 {
        self.vars.get(var).map_or(0, |slot| self.slots.at(slot).rank)
    }
}

impl Dims {
    /// A dimension variable of the program as a term; `None` when no constraint mentions it.
    pub(crate) fn axis(&self, var: DimVar) -> Option<AxisTerm> {
        self.vars.get(var).map(|node| AxisTerm(DimRef::node(node)))
    }

    /// What is known of an axis.
    pub(crate) fn axis_state(&self, axis: AxisTerm) -> AxisState {
        let end = self.resolve(axis.0);
        match end.as_node() {
            None => AxisState::Bound(self.met(end).unwrap_or(Dim::Unit)),
            Some(node) => match self.cap(node).and_then(|cap| self.met(cap.atom)) {
                Some(atom) => AxisState::Capped(atom),
                None => AxisState::Open,
            },
        }
    }

    /// The atom that an unbound axis of more than one element is when its size was found, unless
    /// something says otherwise.
    fn found_atom(&self, axis: DimRef) -> Option<Dim> {
        let known = self.exact_of(axis).filter(|known| known.size > 1)?;
        Some(Dim::atom(Size::int(known.size).ok()?, known.exact?))
    }

    /// The axis that an axis was found to be; itself, if it is not known better.
    pub(crate) fn root(&self, axis: AxisTerm) -> AxisTerm {
        AxisTerm(self.resolve(axis.0))
    }
}

impl Frontier<'_> {
    /// What is directly below an unbound row variable, each with the given constraint that says so.
    pub(crate) fn below(self, tail: Tail) -> Vec<(GivenId, Below)> {
        let mut below = Vec::new();
        let RowState::Open { as_right, .. } = self.tables.rows.states.get(tail.0) else {
            return below;
        };
        let mut next = as_right.get();
        while let Some(at) = next {
            let progress = self.tables.givens.progress.get(at);
            next = progress.next_right.next().get();
            // Exact axes bound nothing.
            let GivenKind::Row(related) = &self.tables.givens.all.at(at).kind else { continue };
            let left = self.tables.rows.view(related.left);
            let side = left.side(usize::from(progress.front), usize::from(progress.back));
            let (lead, trail) = (side.lead, side.trail);
            match (progress.status, side.var) {
                (Status::Adjacent, Some(low)) => below.push((at, Below::Adjacent(Tail(low)))),
                (Status::Cap, None) => below.push((at, Below::Closed { lead, trail })),
                (Status::Cap, Some(_)) => below.push((at, Below::Open { lead, trail })),
                // What waits says nothing yet.
                (_, _) => {}
            }
        }
        below
    }

    /// The first constraint that waits and does not hold when every unbound variable is at its top.
    pub(crate) fn first_unsettled(self) -> Option<GivenId> {
        self.tables.deferred_givens().find(|given| self.is_unsettled(*given))
    }

    /// Whether a row constraint waits and does not hold when every unbound variable is at its top.
    pub(crate) fn is_unsettled(self, given: GivenId) -> bool {
        let related = *self.tables.givens.row_given_of(given);
        let holds = || {
            let [left, right] = [related.left, related.right].map(|row| self.top_row(row));
            match related.relation {
                Sign::Eq | Sign::Is => left.flat_eq(&right),
                Sign::Ineq => left.refines_once(&right),
            }
        };
        self.tables.givens.progress.at(given).status.is_deferred() && !holds()
    }

    /// A row term with every unbound variable at its top.
    fn top_row(self, row: RowRef) -> Row {
        let view = self.tables.rows.view(row);
        let dim = |term: &DimRef| {
            let found = || self.tables.dims.found_atom(*term).unwrap_or(Dim::Unit);
            self.tables.dims.met(self.tables.dims.resolve(*term)).unwrap_or_else(found)
        };
        Flanks::new(view.lead.iter().map(dim), view.trail.iter().rev().map(dim))
    }

    /// How far the known axes of a row constraint reach from either end, together.
    pub(crate) fn reach(self, given: GivenId) -> usize {
        let RowGiven { left, right, .. } = *self.tables.givens.row_given_of(given);
        let (left, right) = (self.tables.rows.view(left), self.tables.rows.view(right));
        let front = left.lead.len().max(right.lead.len());
        let back = left.trail.len().max(right.trail.len());
        front + back
    }

    /// The greater rank of the two rows of a constraint, with every unbound variable at its top.
    pub(crate) fn top_rank(self, given: GivenId) -> usize {
        let RowGiven { left, right, .. } = *self.tables.givens.row_given_of(given);
        self.top_row(left).rank().max(self.top_row(right).rank())
    }

    /// The variables directly above an unbound row variable.
    pub(crate) fn above(self, tail: Tail) -> Vec<Tail> {
        let mut above = Vec::new();
        self.tables.row_graph().above(tail.0, &mut |high, _| above.push(Tail(high)));
        above
    }

    /// The constraints that wait and are joined with a given one by row variables, itself included.
    pub(crate) fn deferred_with(self, given: GivenId) -> BTreeSet<GivenId> {
        let mut members = BTreeSet::from([given]);
        let mut seen: BTreeSet<RowNode> = BTreeSet::new();
        let mut todo = alloc::vec![given];
        while let Some(given) = todo.pop() {
            let RowGiven { left, right, .. } = *self.tables.givens.row_given_of(given);
            for node in [left, right].into_iter().filter_map(|row| self.tables.rows.tail(row)) {
                if !seen.insert(node) {
                    continue;
                }
                let RowState::Open { as_left, as_right, .. } = self.tables.rows.states.get(node)
                else {
                    continue;
                };
                for (head, on_left) in [(as_left, true), (as_right, false)] {
                    let mut next = head.get();
                    while let Some(at) = next {
                        let progress = self.tables.givens.progress.at(at);
                        if progress.status.is_deferred() && members.insert(at) {
                            todo.push(at);
                        }
                        let link = if on_left { progress.next_left } else { progress.next_right };
                        next = link.next().get();
                    }
                }
            }
        }
        members
    }

    /// How far what is known reaches from the front and from the back, at most, of the rows of the
    /// given constraints that a row variable stands in and that wait, or in which its marker may
    /// matter.
    pub(crate) fn reach_of(self, var: RowVar) -> Extent {
        let (mut lead, mut trail) = (0, 0);
        let slot = self.tables.rows.vars.get(var);
        for given in self.tables.givens.all.iter() {
            let GivenKind::Row(related) = given.kind else { continue };
            if slot.is_some()
                && (slot == related.left.slot.get() || slot == related.right.slot.get())
            {
                let (left, right) =
                    (self.tables.rows.view(related.left), self.tables.rows.view(related.right));
                lead = lead.max(left.lead.len()).max(right.lead.len());
                trail = trail.max(left.trail.len()).max(right.trail.len());
            }
        }
        let short = |len: usize| u16::try_from(len).unwrap_or(u16::MAX / 2);
        Extent { lead: short(lead), trail: short(trail) }
    }

    /// A row variable that is not closed and stands in a relation over exact axes.
    pub(crate) fn exact_var(self) -> Option<RowVar> {
        self.var_in(|kind| kind == SizeKind::Exact, |_| true)
    }

    /// A row variable that is not closed, stands in a relation between sizes, and has finitely many
    /// ranks.
    pub(crate) fn bounded_var(self) -> Option<RowVar> {
        let bounded = self.bounded_slots();
        self.var_in(|_| true, |slot| bounded.contains(&slot))
    }

    /// A row variable that is not closed and stands in a relation between sizes.
    pub(crate) fn counted_var(self) -> Option<RowVar> {
        self.var_in(|_| true, |_| true)
    }

    fn var_in(
        self,
        is_such: impl Fn(SizeKind) -> bool,
        is_of: impl Fn(RowSlot) -> bool,
    ) -> Option<RowVar> {
        let relations =
            self.tables.relations.all.iter().filter(|rel| !rel.done && is_such(rel.kind));
        let mut rows =
            relations.flat_map(|rel| rel.rows.range()).map(|at| self.tables.relations.rows.get(at));
        let is_such = |row: RowRef| {
            let slot = row.slot.get().filter(|slot| is_of(*slot))?;
            self.tables.rows.tail(row).map(|_| self.tables.rows.slots.at(slot).var)
        };
        rows.find_map(is_such)
    }

    /// Slots of row variables whose ranks are bounded from above: by a closed row, or by one that
    /// is bounded. In a few passes over the constraints, from the last to the first, as programs
    /// are built; there may be more.
    fn bounded_slots(self) -> BTreeSet<RowSlot> {
        let mut bounded = BTreeSet::new();
        for _ in 0..PASSES {
            let before = bounded.len();
            for given in self.tables.givens.all.ids().rev() {
                let GivenKind::Row(RowGiven { relation, left, right, .. }) =
                    self.tables.givens.all.at(given).kind
                else {
                    continue;
                };
                // The variable of a row that is not known to be bounded.
                let open = |row: RowRef| row.slot.get().filter(|slot| !bounded.contains(slot));
                match (open(left), open(right)) {
                    (None, Some(low)) => bounded.insert(low),
                    (Some(high), None) => relation != Sign::Ineq && bounded.insert(high),
                    (None, None) | (Some(_), Some(_)) => false,
                };
            }
            if bounded.len() == before {
                break;
            }
        }
        bounded
    }

    /// The greatest rank that exact axes allow a row variable, with the given constraint that does.
    pub(crate) fn most_rank(self, var: RowVar) -> Option<(u32, GivenId)> {
        let slot = self.tables.rows.vars.get(var)?;
        let exact = self.tables.relations.all.iter().filter(|rel| rel.kind == SizeKind::Exact);
        let limits = exact.filter_map(|rel| {
            let has =
                |row: RelationRowId| self.tables.relations.rows.get(row).slot.get() == Some(slot);
            let given = rel.cause.as_given()?;
            rel.rows.range().any(has).then_some((rel.parts.len, given))
        });
        limits.min()
    }

    /// The rows of a given row constraint: the variable of the result and what is open of it, if it
    /// is not closed, and the operand as far as it is known.
    pub(crate) fn deferred_rows(self, given: GivenId) -> (Option<(RowVar, Tail)>, Known) {
        let RowGiven { left, right, .. } = *self.tables.givens.row_given_of(given);
        let open = left.slot.get().zip(self.tables.rows.tail(left));
        let result = open.map(|(slot, tail)| (self.tables.rows.slots.at(slot).var, Tail(tail)));
        (result, Known::of(self.tables.rows.view(right)))
    }

    /// A row variable of a given row constraint that is not closed.
    pub(crate) fn open_var(self, given: GivenId) -> Option<RowVar> {
        let RowGiven { left, right, .. } = *self.tables.givens.row_given_of(given);
        let mut open =
            [left, right].into_iter().filter(|row| self.tables.rows.tail(*row).is_some());
        open.find_map(|row| Some(self.tables.rows.slots.at(row.slot.get()?).var))
    }
}
