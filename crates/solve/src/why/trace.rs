//! Why: what every binding follows from.
//!
//! The trace has one entry a binding, in the order in which they were made, with the constraint
//! that led to it. Which earlier bindings that constraint was read through is not stored: it can be
//! found again from its terms, because bindings are never changed and an entry's index says what
//! was there before it. So the trace is small enough to stay on.

use alloc::{collections::BTreeSet, vec::Vec};

use lozenge_calculus::{
    constraint::OriginId,
    term::{RowVar, Variable},
};

use crate::{
    reading::{frontier::AxisTerm, view::View},
    tables::{
        cause::Cause,
        ids::{EntryId, GivenId, Id, JointId, RowNode, RowSlot, before},
        kept::{Extent, KeptFlanks},
        list::Tables,
        node::{DimRef, Given, GivenKind, RowState, Sign},
        rule::Class,
        sizes::{Kind, SizeRel},
    },
};

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

/// Why there is an atom below an axis: what it follows from, as things stood then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CapReason {
    cause: Cause,
    via: DimRef,
    time: EntryId,
}

/// The reasons of something: what it follows from.
#[derive(Debug, Default)]
pub(crate) struct Reasons {
    /// The given constraints.
    pub(crate) givens: BTreeSet<GivenId>,
    /// Whether a policy step was needed.
    pub(crate) policy: bool,
    /// The slots of the row variables that stood in an operand after a rule had narrowed where
    /// their marker stands, and the given inequalities in which they did.
    pub(crate) placed: BTreeSet<(RowSlot, GivenId)>,
    /// The entries of the trace.
    pub(crate) entries: BTreeSet<EntryId>,
}

/// The trace, read for what something follows from.
#[derive(Clone, Copy)]
pub(crate) struct Reasoner<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) kept: &'a KeptFlanks,
}

impl Reasoner<'_> {
    /// The given constraints from which it follows that `terms` are related by `cause`, as things
    /// stand now.
    pub(crate) fn reasons(&self, cause: Cause, terms: [DimRef; 2]) -> Reasons {
        self.collect(|reasons, now| {
            reasons.cause(cause, now);
            reasons.terms(&terms, now);
        })
    }

    /// The given constraints that are the reason.
    pub(crate) fn cap_reasons(&self, reason: CapReason) -> Vec<GivenId> {
        sorted(self.collect(|search, _| {
            search.cause(reason.cause, reason.time);
            search.term(reason.via, reason.time);
        }))
    }

    /// The given constraints from which an axis is what it is.
    pub(crate) fn axis_reasons(&self, axis: AxisTerm) -> Vec<GivenId> {
        sorted(self.collect(|search, now| search.term(axis.0, now)))
    }

    /// Why something has the value it has: the given constraints from which it follows.
    pub(crate) fn reasons_for(&self, reading: Reading) -> Vec<GivenId> {
        sorted(self.collect(|search, now| search.reading(reading, now)))
    }

    /// Everything that follows what `ask` asks for.
    pub(crate) fn collect(&self, read: impl FnOnce(&mut Search<'_>, EntryId)) -> Reasons {
        self.search(true, read)
    }

    /// The reasons that follow at once from what `ask` asks for: a binding is not followed further.
    pub(crate) fn collect_direct(&self, read: impl FnOnce(&mut Search<'_>, EntryId)) -> Reasons {
        self.search(false, read)
    }

    fn search(&self, follow: bool, read: impl FnOnce(&mut Search<'_>, EntryId)) -> Reasons {
        let (found, seen) = (Reasons::default(), BTreeSet::new());
        let (joints, todo) = (Vec::new(), Vec::new());
        let mut search = Search { reasoner: *self, follow, found, seen, joints, todo };
        read(&mut search, self.tables.trace.entries.end());
        search.run();
        search.found
    }

    /// The row variables whose flanks were supposed among the given constraints before `end`.
    pub(crate) fn supposed_flanks(&self, end: GivenId) -> Vec<RowVar> {
        let supposed = |given: GivenId| match *self.tables.givens.all.at(given) {
            Given { kind: GivenKind::Row(related), origin: OriginId::NOBODY }
                if related.relation == Sign::Is =>
            {
                Some(self.tables.rows.slots.at(related.left.slot.get()?).var)
            }
            Given { .. } => None,
        };
        before(end)
            .map_while(|given| {
                let is_supposed = self.tables.givens.all.at(given).origin == OriginId::NOBODY;
                is_supposed.then(|| supposed(given)) // suppositions come first
            })
            .flatten()
            .collect()
    }
}

impl Tables {
    /// Why there is an atom below an axis, if there is one.
    pub(crate) fn cap_reason(&self, axis: AxisTerm) -> Option<CapReason> {
        let cap = self.dims.cap(self.dims.resolve(axis.0).as_node()?)?;
        Some(CapReason { cause: cap.cause, via: cap.via, time: self.trace.entries.end() })
    }

    /// Why an axis has the size that was found for it.
    pub(crate) fn size_reason(&self, axis: AxisTerm) -> Option<CapReason> {
        let known = self.dims.exact_of(axis.0)?;
        Some(CapReason { cause: known.cause, via: known.via, time: self.trace.entries.end() })
    }
}

impl Tables {
    /// The given constraint that first chose where the marker of a row variable stands.
    pub(crate) fn placed_by(&self, var: RowVar) -> Option<GivenId> {
        let mut at = self.rows.row_node(var)?;
        loop {
            let RowState::Bound { tail, reason, .. } = self.rows.states.get(at) else {
                return None;
            };
            let entry = self.trace.entries.get(reason);
            if let (Class::Policy, Some(given)) = (entry.class, entry.cause.as_given()) {
                return Some(given);
            }
            at = tail.get()?;
        }
    }
}

fn sorted(reasons: Reasons) -> Vec<GivenId> {
    reasons.givens.into_iter().collect()
}

/// A search through the trace, from what is to be explained to given constraints.
pub(crate) struct Search<'a> {
    reasoner: Reasoner<'a>,
    /// Whether the reasons of bindings are looked for as well.
    follow: bool,
    found: Reasons,
    seen: BTreeSet<Why>,
    /// The joints that were asked for, a bit each: a search may meet thousands.
    joints: Vec<u64>,
    todo: Vec<Why>,
}

/// Something to be explained as it was when the trace had this length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Given(GivenId, EntryId),
    Joint(JointId),
    Entry(EntryId),
}

impl Search<'_> {
    fn need(&mut self, why: Why) {
        if self.seen.insert(why) {
            self.todo.push(why);
        }
    }

    pub(crate) fn cause(&mut self, cause: Cause, time: EntryId) {
        let joint = match cause.parts() {
            Ok(given) => return self.need(Why::Given(given, time)),
            // What was joined knows when that was.
            Err(joint) => joint,
        };
        let (word, bit) = ((joint.index() / u64::BITS) as usize, 1 << (joint.index() % u64::BITS));
        if self.joints.len() <= word {
            self.joints.resize(word + 1, 0);
        }
        if self.joints[word] & bit == 0 {
            self.joints[word] |= bit;
            self.todo.push(Why::Joint(joint));
        }
    }

    /// Asks for what an entry follows from.
    pub(crate) fn entry(&mut self, index: EntryId) {
        let entry = self.reasoner.tables.trace.entries.get(index);
        self.cause(entry.cause, index);
        self.terms(&entry.terms, index);
    }

    pub(crate) fn terms(&mut self, terms: &[DimRef], time: EntryId) {
        for term in terms {
            self.term(*term, time);
        }
    }

    /// Asks for the bindings that lead from a dimension term to what it was at `time`.
    pub(crate) fn term(&mut self, term: DimRef, time: EntryId) {
        for reason in self.reasoner.tables.dims.bindings(term, time) {
            self.need(Why::Entry(reason));
        }
    }

    /// Asks for what a dimension term is, or for its size where only that is known.
    fn value(&mut self, term: DimRef, time: EntryId) {
        self.term(term, time);
        if let Some(known) = self.reasoner.tables.dims.exact_of(term) {
            self.cause(known.cause, time);
            self.term(known.via, time);
        }
    }

    /// Asks for the bindings that lead from the variable of a slot to what it was at `time`, and
    /// says whether one of them narrowed where its marker stands.
    fn slot(&mut self, slot: RowSlot, time: EntryId) -> bool {
        let slot = self.reasoner.tables.rows.slots.get(slot);
        self.row(slot.node, self.reasoner.kept.of(slot.var), time)
    }

    /// Asks for the bindings that lead from a variable to what it is.
    pub(crate) fn reading(&mut self, reading: Reading, time: EntryId) {
        match reading.var {
            Variable::Dim(var) => {
                if let Some(node) = self.reasoner.tables.dims.dim_node(var) {
                    self.value(DimRef::node(node), time);
                }
            }
            Variable::Row(var) => {
                let Some(node) = self.reasoner.tables.rows.row_node(var) else { return };
                self.row(node, Extent::NONE, time);
                let mut view = View::default();
                self.reasoner.tables.rows.view_node(node, &mut view);
                let axes = view.lead.iter().chain(view.trail.iter().rev()).copied();
                for (place, axis) in axes.enumerate() {
                    let matters = match reading.axes {
                        Axes::All => true,
                        Axes::None => false,
                        Axes::One(one) => place == one,
                    };
                    if matters {
                        self.value(axis, time);
                    }
                }
            }
        }
    }

    /// Asks for the bindings of a row variable that keeps these flanks, and says whether one of
    /// them narrowed where its marker stands.
    fn row(&mut self, node: RowNode, kept: Extent, time: EntryId) -> bool {
        let mut narrowed = false;
        let (mut lead, mut trail) = (0, 0);
        let mut next = Some(node);
        while let Some(at) = next {
            match self.reasoner.tables.rows.states.get(at) {
                RowState::Bound { flanks, tail, reason } if reason < time => {
                    self.need(Why::Entry(reason));
                    lead += u32::from(flanks.lead);
                    trail += u32::from(flanks.trail);
                    let entry = self.reasoner.tables.trace.entries.at(reason);
                    let is_kept = entry.grows()
                        && lead <= u32::from(kept.lead)
                        && trail <= u32::from(kept.trail);
                    narrowed |= entry.narrows_placement() && !is_kept;
                    next = tail.get();
                }
                RowState::Bound { .. } | RowState::Open { .. } => break,
            }
        }
        narrowed
    }

    fn run(&mut self) {
        while let Some(why) = self.todo.pop() {
            match why {
                Why::Entry(index) => {
                    self.found.entries.insert(index);
                    let entry = self.reasoner.tables.trace.entries.at(index);
                    self.found.policy |= entry.class == Class::Policy;
                    if self.follow {
                        self.entry(index);
                    }
                }
                Why::Joint(joint) => {
                    let joint = self.reasoner.tables.trace.joints.get(joint);
                    self.cause(joint.first, joint.time);
                    self.cause(joint.second, joint.time);
                    self.terms(&joint.terms, joint.time);
                }
                Why::Given(given, time) => {
                    self.found.givens.insert(given);
                    match self.reasoner.tables.givens.all.get(given).kind {
                        GivenKind::Row(related) => {
                            if let Some(slot) = related.left.slot.get() {
                                self.slot(slot, time);
                            }
                            let Some(slot) = related.right.slot.get() else { continue };
                            if self.slot(slot, time) && related.relation == Sign::Ineq {
                                self.found.placed.insert((slot, given));
                            }
                        }
                        GivenKind::Size(relation) => {
                            let SizeRel { kind, rows, .. } =
                                self.reasoner.tables.relations.all.get(relation);
                            for row in rows.range() {
                                let row = self.reasoner.tables.relations.rows.get(row);
                                let Some(slot) = row.slot.get() else { continue };
                                // What is stretched is so at its marker; all other rows are flat.
                                if self.slot(slot, time) && kind == Kind::StretchedRows {
                                    self.found.placed.insert((slot, given));
                                }
                            }
                        }
                        GivenKind::Dim { .. } | GivenKind::AtLeast { .. } => {}
                    }
                }
            }
        }
    }
}
