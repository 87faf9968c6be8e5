//! Why: what every binding follows from.
//!
//! The trace has one entry a binding, in the order in which they were made, with the constraint
//! that led to it. Which earlier bindings that constraint was read through is not stored: it can be
//! found again from its terms, because bindings are never changed and an entry's index says what
//! was there before it. So the trace is small enough to stay on.

use alloc::{collections::BTreeSet, vec::Vec};

use super::{
    Solver,
    node::{Ask, DimRef, NIL, RowNode, RowState},
    step::{Class, Rule},
    view::View,
};

/// What a constraint in the queue follows from: a given constraint, or two causes together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cause(u32);

const JOINT_TAG: u32 = 1 << 31;

/// Two causes, and two terms that stand for the same variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Joint {
    first: Cause,
    second: Cause,
    terms: [DimRef; 2],
    /// How long the trace was.
    time: u32,
}

/// Why a variable was bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) rule: Rule,
    pub(super) class: Class,
    pub(super) cause: Cause,
    /// The terms of the dimension constraint; units for a row binding.
    pub(super) terms: [DimRef; 2],
}

impl Entry {
    /// Why a dimension variable was bound.
    pub(super) fn dim(rule: Rule, cause: Cause, terms: [DimRef; 2]) -> Entry {
        Entry { rule, class: Class::Semantic, cause, terms }
    }

    /// Why a row variable was bound.
    pub(super) fn row(rule: Rule, class: Class, cause: Cause) -> Entry {
        Entry { rule, class, cause, terms: [DimRef::UNIT; 2] }
    }
}

/// What something follows from.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    /// The given constraints.
    pub(super) givens: BTreeSet<u32>,
    /// Whether a policy step was needed.
    pub(super) policy: bool,
}

impl Cause {
    pub(super) const fn given(index: u32) -> Cause {
        Cause(index)
    }
}

impl Solver {
    /// The cause that is both causes, where the two terms stand for the same variable.
    pub(super) fn joint(&mut self, first: Cause, second: Cause, terms: [DimRef; 2]) -> Cause {
        let time = self.trace.len();
        Cause(self.joints.push(Joint { first, second, terms, time }) | JOINT_TAG)
    }

    /// The given constraints from which it follows that `terms` are related by `cause`, as things
    /// stand now.
    pub(super) fn reasons(&self, cause: Cause, terms: [DimRef; 2]) -> Reasons {
        self.collect(|reasons, now| {
            reasons.cause(cause, now);
            reasons.terms(&terms, now);
        })
    }

    /// The given constraints from which the value of a dimension term follows.
    pub(super) fn term_reasons(&self, term: DimRef) -> Reasons {
        self.collect(|reasons, now| reasons.term(term, now))
    }

    /// The given constraints from which the value of a row variable follows, its axes included.
    pub(super) fn row_reasons(&self, node: RowNode) -> Reasons {
        self.collect(|reasons, now| {
            reasons.row(node, now);
            let mut view = View::default();
            self.view_node(node, &mut view);
            reasons.terms(&view.lead, now);
            reasons.terms(&view.trail, now);
        })
    }

    fn collect(&self, ask: impl FnOnce(&mut Search<'_>, u32)) -> Reasons {
        let (found, seen, todo) = (Reasons::default(), BTreeSet::new(), Vec::new());
        let mut search = Search { solver: self, found, seen, todo };
        ask(&mut search, self.trace.len());
        search.run();
        search.found
    }
}

struct Search<'a> {
    solver: &'a Solver,
    found: Reasons,
    seen: BTreeSet<Why>,
    todo: Vec<Why>,
}

/// Something to be explained as it was when the trace had this length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Cause(u32, u32),
    Entry(u32),
}

impl Search<'_> {
    fn ask(&mut self, why: Why) {
        if self.seen.insert(why) {
            self.todo.push(why);
        }
    }

    fn cause(&mut self, cause: Cause, time: u32) {
        self.ask(Why::Cause(cause.0, time));
    }

    fn terms(&mut self, terms: &[DimRef], time: u32) {
        for term in terms {
            self.term(*term, time);
        }
    }

    /// Asks for the bindings that lead from a dimension term to what it was at `time`.
    fn term(&mut self, term: DimRef, time: u32) {
        let mut at = term;
        while let Some(node) = at.as_node() {
            let state = self.solver.dims.get(node);
            if state.bound == at || state.note >= time {
                return;
            }
            self.ask(Why::Entry(state.note));
            at = state.bound;
        }
    }

    /// Asks for the bindings that lead from the variable of a slot to what it was at `time`.
    fn slot(&mut self, slot: u32, time: u32) {
        if slot != NIL {
            self.row(self.solver.slots.get(slot).node, time);
        }
    }

    /// Asks for the bindings that lead from a row variable to what it was at `time`.
    fn row(&mut self, node: RowNode, time: u32) {
        let mut at = node.0;
        while at != NIL {
            match self.solver.rows.get(at) {
                RowState::Bound { tail, reason, .. } if reason < time => {
                    self.ask(Why::Entry(reason));
                    at = tail;
                }
                RowState::Bound { .. } | RowState::Open { .. } => return,
            }
        }
    }

    fn run(&mut self) {
        while let Some(why) = self.todo.pop() {
            match why {
                Why::Entry(index) => {
                    let entry = self.solver.trace.get(index);
                    self.found.policy |= entry.class == Class::Policy;
                    self.cause(entry.cause, index);
                    self.terms(&entry.terms, index);
                }
                Why::Cause(cause, _) if cause & JOINT_TAG != 0 => {
                    let joint = self.solver.joints.get(cause & !JOINT_TAG);
                    self.cause(joint.first, joint.time);
                    self.cause(joint.second, joint.time);
                    self.terms(&joint.terms, joint.time);
                }
                Why::Cause(given, time) => {
                    self.found.givens.insert(given);
                    if let Ask::Row(ask) = self.solver.givens.get(given).ask {
                        self.slot(ask.left.slot, time);
                        self.slot(ask.right.slot, time);
                    }
                }
            }
        }
    }
}
