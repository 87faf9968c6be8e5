//! On which markers a conflict depends, axis by axis.
//!
//! [What a conflict follows from](crate::why::trace) is found constraint by constraint, and a
//! constraint that sees a marker which a rule has placed makes a conflict depend on it. That is too
//! much: `⟨r⟩ ⊑ ⟨s⟩[3]` compares its last axes wherever the marker of `s` stands. Here only the
//! axes are followed that were compared. An axis of a row has a place, so many from the front or
//! from the back; a growth gave it to the row because the operand has an axis there; so it leads to
//! an axis of the operand, and only if the marker of the operand could also stand further out than
//! that axis does the place of the marker matter.
//!
//! What is not followed so far, a shift or a cycle, is taken as a whole.

use alloc::{collections::BTreeSet, vec::Vec};

use crate::{
    reading::view::View,
    tables::{
        cause::Cause,
        ids::{EntryId, GivenId, RowNode, RowSlot},
        joint::Source,
        kept::Extent,
        list::Givens,
        node::{DimRef, GivenKind, RowGiven, RowRef, RowState, Sign},
        rule::{Class, Rule},
        sizes::SizeRel,
    },
    why::trace::Reasoner,
};

/// An end of a row, from which its axes are counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    Front,
    Back,
}

const ENDS: [End; 2] = [End::Front, End::Back];

impl End {
    fn of<T>(self, lead: T, trail: T) -> T {
        match self {
            End::Front => lead,
            End::Back => trail,
        }
    }

    fn of_extent(self, extent: Extent) -> usize {
        usize::from(self.of(extent.lead, extent.trail))
    }
}

/// A side of a given row constraint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    Left,
    Right,
}

/// An axis of a row that stands in a given constraint. Once it is there it stays.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Axis {
    given: GivenId,
    side: Side,
    end: End,
    place: usize,
}

/// Something whose dependence on markers is to be found.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Axis(Axis),
    /// What a cause relates: these two terms, or what is among these.
    Asked(Cause, Terms, EntryId),
    /// Why a dimension was bound.
    Bound(EntryId),
    /// Everything that a cause follows from.
    Whole(Cause, EntryId),
}

/// What is known of the terms that a constraint compares.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Terms {
    /// The left one and the right one.
    Both([DimRef; 2]),
    /// One of them is among these.
    Among(Vec<DimRef>),
}

impl Terms {
    /// Whether they can be the axes at one place of two rows, of which either may have none.
    fn fit(&self, left: Option<&DimRef>, right: Option<&DimRef>) -> bool {
        match self {
            Terms::Both([first, second]) => left == Some(first) && right == Some(second),
            Terms::Among(terms) => {
                let is_met = |axis: Option<&DimRef>| axis.is_some_and(|a| terms.contains(a));
                is_met(left) || is_met(right)
            }
        }
    }
}

struct Markers<'a> {
    reasoner: Reasoner<'a>,
    /// The slots of the row variables on whose marker it depends, and the given inequalities that
    /// see it.
    placed: BTreeSet<(RowSlot, GivenId)>,
    seen: BTreeSet<Need>,
    todo: Vec<Need>,
}

impl Reasoner<'_> {
    /// The slots of the row variables on whose marker it depends that `cause` relates `terms`, each
    /// with the given inequality that sees it.
    pub(crate) fn markers(&self, cause: Cause, terms: [DimRef; 2]) -> BTreeSet<(RowSlot, GivenId)> {
        let (placed, seen, todo) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        let mut markers = Markers { reasoner: *self, placed, seen, todo };
        let now = self.tables.trace.entries.end();
        markers.asked(cause, terms, now);
        markers.run();
        markers.placed
    }
}

impl Givens {
    fn row_of(&self, given: GivenId, side: Side) -> Option<RowRef> {
        match &self.all.at(given).kind {
            GivenKind::Row(RowGiven { left, right, .. }) => Some(match side {
                Side::Left => *left,
                Side::Right => *right,
            }),
            GivenKind::Dim { .. } | GivenKind::Size(_) | GivenKind::AtLeast { .. } => None,
        }
    }
}

impl Markers<'_> {
    fn need(&mut self, need: Need) {
        if self.seen.insert(need.clone()) {
            self.todo.push(need);
        }
    }

    fn run(&mut self) {
        while let Some(need) = self.todo.pop() {
            match need {
                Need::Axis(axis) => self.axis(axis),
                Need::Asked(cause, terms, time) => self.relates(cause, terms, time),
                Need::Whole(cause, time) => {
                    let reasons = self.reasoner.collect(|search, _| search.cause(cause, time));
                    self.placed.extend(reasons.placed);
                }
                Need::Bound(index) => {
                    let entry = self.reasoner.tables.trace.entries.get(index);
                    self.asked(entry.cause, entry.terms, index);
                }
            }
        }
    }

    /// Two terms that a cause relates, with the bindings through which they were read.
    fn asked(&mut self, cause: Cause, terms: [DimRef; 2], time: EntryId) {
        for term in terms {
            self.term(term, time);
        }
        // A unit may stand for nothing at all.
        let terms = if terms.contains(&DimRef::UNIT) {
            Terms::Among(terms.into_iter().filter(|term| *term != DimRef::UNIT).collect())
        } else {
            Terms::Both(terms)
        };
        self.need(Need::Asked(cause, terms, time));
    }

    /// Asks for the bindings that lead from a dimension term to what it was.
    fn term(&mut self, term: DimRef, time: EntryId) {
        for reason in self.reasoner.tables.dims.bindings(term, time) {
            self.need(Need::Bound(reason));
        }
    }

    fn relates(&mut self, cause: Cause, terms: Terms, time: EntryId) {
        match self.reasoner.tables.trace.source(cause) {
            Source::Joint { causes, terms: more, time } => {
                let mut among = match terms {
                    Terms::Both(terms) => terms.to_vec(),
                    Terms::Among(terms) => terms,
                };
                among.extend(more);
                among.retain(|term| *term != DimRef::UNIT);
                among.sort_unstable();
                among.dedup();
                for term in more {
                    self.term(term, time);
                }
                for cause in causes {
                    self.need(Need::Asked(cause, Terms::Among(among.clone()), time));
                }
            }
            Source::Given(given) => match self.reasoner.tables.givens.all.get(given).kind {
                GivenKind::Row(related) => self.compared(given, &related, &terms, time),
                GivenKind::Size(relation) => {
                    let SizeRel { kind, rows, .. } =
                        self.reasoner.tables.relations.all.get(relation);
                    if kind.is_stretched() {
                        return self.whole(cause, time);
                    }
                    // Its rows are flat in it.
                    for row in rows.range() {
                        if let Some(slot) = self.reasoner.tables.relations.rows.get(row).slot.get()
                        {
                            self.content(slot, time);
                        }
                    }
                }
                GivenKind::Dim { .. } | GivenKind::AtLeast { .. } => {}
            },
        }
    }

    /// The axes that a given constraint compares, where these are the terms.
    fn compared(&mut self, given: GivenId, related: &RowGiven, terms: &Terms, time: EntryId) {
        let views = [
            self.reasoner.tables.rows.view(related.left),
            self.reasoner.tables.rows.view(related.right),
        ];
        let mut found = false;
        for end in ENDS {
            let axes = |view: &View| end.of(view.lead.clone(), view.trail.clone());
            let [left, right] = [axes(&views[0]), axes(&views[1])];
            for place in 0..left.len().max(right.len()) {
                if !terms.fit(left.get(place), right.get(place)) {
                    continue;
                }
                found = true;
                for side in [Side::Left, Side::Right] {
                    self.need(Need::Axis(Axis { given, side, end, place }));
                }
            }
        }
        if !found {
            self.whole(Cause::given(given), time);
        }
    }

    /// Everything that a cause follows from.
    fn whole(&mut self, cause: Cause, time: EntryId) {
        self.need(Need::Whole(cause, time));
    }

    /// The axes of a row variable, wherever its marker stands.
    fn content(&mut self, slot: RowSlot, time: EntryId) {
        let mut next = Some(self.reasoner.tables.rows.slots.get(slot).node);
        while let Some(at) = next {
            let RowState::Bound { tail, reason, .. } = self.reasoner.tables.rows.states.get(at)
            else {
                return;
            };
            if reason >= time {
                return;
            }
            let cause = self.reasoner.tables.trace.entries.get(reason).cause;
            self.whole(cause, reason);
            next = tail.get();
        }
    }

    /// Why a row has an axis, and on the operand's side of an inequality also why its marker is not
    /// further out.
    fn axis(&mut self, Axis { given, side, end, place }: Axis) {
        let Some(row) = self.reasoner.tables.givens.row_of(given, side) else { return };
        let written = usize::from(end.of(row.flanks.lead, row.flanks.trail));
        let (Some(place), Some(row)) = (place.checked_sub(written), row.slot.get()) else { return };
        let slot = self.reasoner.tables.rows.slots.get(row);
        let sees_marker = side == Side::Right
            && self.reasoner.tables.givens.row_given_of(given).relation == Sign::Ineq;
        let is_kept = place < end.of_extent(self.reasoner.kept.of(slot.var));
        let mut before = 0;
        let mut next = Some(slot.node);
        while let Some(at) = next {
            let RowState::Bound { flanks, tail, reason } = self.reasoner.tables.rows.states.get(at)
            else {
                break;
            };
            let entry = self.reasoner.tables.trace.entries.get(reason);
            let here = usize::from(end.of(flanks.lead, flanks.trail));
            if here > 0 || !entry.grows() {
                if sees_marker && !is_kept && entry.narrows_placement() {
                    self.placed.insert((row, given));
                }
                let last = (place - before).min(here);
                self.made(reason, at, end, last + usize::from(place < before + here));
            }
            before += here;
            if place < before {
                return;
            }
            next = tail.get();
        }
        // A closed row has it beyond its marker, so that it depends on all others.
        self.whole(Cause::given(given), self.reasoner.tables.trace.entries.end());
    }

    /// Why a binding of a row variable has this many axes at an end.
    fn made(&mut self, reason: EntryId, node: RowNode, end: End, axes: usize) {
        let entry = self.reasoner.tables.trace.entries.get(reason);
        let given = match self.reasoner.tables.trace.source(entry.cause) {
            Source::Given(given) => given,
            Source::Joint { .. } => return self.whole(entry.cause, reason),
        };
        let GivenKind::Row(related) = self.reasoner.tables.givens.all.get(given).kind else {
            return self.whole(entry.cause, reason);
        };
        if related.relation == Sign::Is {
            return;
        }
        let mut follow = |own: Side, other: Side| -> bool {
            let Some(before) = self.before(given, own, node, end) else { return false };
            for (side, axes) in [(own, before), (other, before + axes)] {
                if let Some(place) = axes.checked_sub(1) {
                    self.need(Need::Axis(Axis { given, side, end, place }));
                }
            }
            true
        };
        let followed = match (related.relation, entry.rule) {
            (Sign::Ineq, Rule::RiDeficit) => follow(Side::Left, Side::Right),
            (Sign::Eq, Rule::ReOpenClosed | Rule::ReNested) if entry.class == Class::Policy => {
                follow(Side::Left, Side::Right) || follow(Side::Right, Side::Left)
            }
            _ => false,
        };
        if !followed {
            self.whole(entry.cause, reason);
        }
    }

    /// How many axes a row has from an end before those of the binding of a node.
    fn before(&self, given: GivenId, side: Side, node: RowNode, end: End) -> Option<usize> {
        let row = self.reasoner.tables.givens.row_of(given, side)?;
        let mut before = usize::from(end.of(row.flanks.lead, row.flanks.trail));
        let mut at = self.reasoner.tables.rows.slots.get(row.slot.get()?).node;
        while at != node {
            let RowState::Bound { flanks, tail, .. } = self.reasoner.tables.rows.states.get(at)
            else {
                return None;
            };
            before += usize::from(end.of(flanks.lead, flanks.trail));
            at = tail.get()?;
        }
        Some(before)
    }
}
