//! What the tables of a configuration hold: nodes, bindings, bounds, given constraints.
//!
//! A node is a variable as the solver sees it, named by the program or minted by a rule. Everything
//! here is `Copy`, small, and refers to other things by 32-bit indices, so that a million
//! operations fit and every write can be undone.

use lozenge_calculus::{constraint::OriginId, term::RowVar};

use super::{step::Status, trace::Cause};

/// No index; the end of a list.
pub(super) const NIL: u32 = u32::MAX;

/// The link of what is in no list.
pub(super) const UNLINKED: u32 = u32::MAX - 1;

/// A dimension term: an atom by its index, with the claim-free unit as atom 0, or a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct DimRef(u32);

const ATOM_TAG: u32 = 1 << 31;

impl DimRef {
    /// The claim-free unit.
    pub(super) const UNIT: DimRef = DimRef::ground(0);

    pub(super) const fn node(node: u32) -> DimRef {
        DimRef(node)
    }

    pub(super) const fn ground(index: u32) -> DimRef {
        DimRef(index | ATOM_TAG)
    }

    pub(super) fn as_node(self) -> Option<u32> {
        (self.0 & ATOM_TAG == 0).then_some(self.0)
    }

    pub(super) fn as_ground(self) -> Option<u32> {
        (self.0 & ATOM_TAG != 0).then_some(self.0 & !ATOM_TAG)
    }
}

/// A dimension variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DimNode {
    /// What it is bound to, along a path that looking it up shortens; itself while unbound.
    pub(super) up: DimRef,
    /// What it was bound to at first; itself while unbound.
    pub(super) bound: DimRef,
    /// While unbound its bounds, or `NIL`; then the trace entry of its binding.
    pub(super) note: u32,
    /// Whether it is an axis of no row. Only then can it have no elements.
    pub(super) bare: bool,
}

/// What is known of an unbound dimension variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// The atom below it.
    pub(super) cap: Option<Cap>,
    /// The adjacencies in which it is the lower side.
    pub(super) above: u32,
    /// The adjacencies in which it is the upper side.
    pub(super) below: u32,
    /// Its place in an order in which the lower side of every adjacency is greater.
    pub(super) order: u32,
    /// How many adjacencies and relations were ever linked.
    pub(super) degree: u32,
    /// The relations between sizes that it is in.
    pub(super) watches: u32,
    /// What is known of its size, or `NIL`.
    pub(super) least: u32,
}

/// An atom below a variable, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cap {
    pub(super) atom: DimRef,
    /// The term of the constraint that stood for the variable.
    pub(super) via: DimRef,
    pub(super) cause: Cause,
}

/// A dimension variable below a dimension variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Adjacency {
    pub(super) low: DimRef,
    pub(super) high: DimRef,
    pub(super) cause: Cause,
    pub(super) next_above: u32,
    pub(super) next_below: u32,
}

/// A row variable as the solver sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct RowNode(pub(super) u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RowState {
    Open {
        /// The given constraints that wait for it as their left side.
        as_left: u32,
        /// The given constraints that wait for it as their right side.
        as_right: u32,
        /// Its place in an order in which the lower side of every adjacency is greater.
        order: u32,
        /// How many variables are it, itself included.
        class: u32,
    },
    Bound {
        flanks: Segment,
        /// The variable between the flanks, or `NIL` when the row is closed.
        tail: u32,
        /// The trace entry of the binding.
        reason: u32,
    },
}

/// Two flanks in the pool: the leading one from the front, then the trailing one from the back, so
/// that both are met from the outer edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Segment {
    pub(super) at: u32,
    pub(super) lead: u16,
    pub(super) trail: u16,
}

/// A row term as it was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RowRef {
    pub(super) flanks: Segment,
    /// The slot of its variable; `NIL` when it is closed.
    pub(super) slot: u32,
}

impl RowRef {
    /// Whether this is the closed empty row.
    pub(super) fn is_empty(self) -> bool {
        self.slot == NIL && self.flanks.lead == 0 && self.flanks.trail == 0
    }
}

/// A row variable of the program: its node, and what is known of its rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    pub(super) var: RowVar,
    pub(super) node: RowNode,
    /// The least rank that it can have.
    pub(super) rank: u32,
    /// The given constraint that asks for that much, or `NIL`.
    pub(super) raised_by: u32,
    /// The given constraint whose closed row allows it the least rank, or `NIL`.
    pub(super) limited_by: u32,
    /// The given constraints that ask other variables for more when this one's rank rises.
    pub(super) dependents: u32,
}

/// A constraint as it was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Given {
    pub(super) ask: Ask,
    pub(super) origin: OriginId,
}

/// What a given constraint asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ask {
    Dim {
        relation: Sign,
        left: DimRef,
        right: DimRef,
    },
    Row(RowAsk),
    /// The relation between sizes with this index.
    Size(u32),
    /// A dimension has at least this many elements.
    AtLeast {
        dim: DimRef,
        least: u64,
    },
}

/// How the left term is related to the right one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Sign {
    /// They are equated.
    Eq,
    /// It refines it.
    Ineq,
    /// It is the right one, which is closed, marker included: what a commitment says.
    Is,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RowAsk {
    pub(super) relation: Sign,
    pub(super) left: RowRef,
    pub(super) right: RowRef,
    /// Links of the lists of dependents of its left and right variable.
    pub(super) next_of_left: u32,
    pub(super) next_of_right: u32,
}

/// What has become of a given constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Progress {
    pub(super) status: Status,
    pub(super) queued: bool,
    /// How many positions have been compared from the front, and how many from the back.
    pub(super) front: u16,
    pub(super) back: u16,
    /// Links of the lists of the variables it waits for.
    pub(super) next_left: u32,
    pub(super) next_right: u32,
}

impl Progress {
    pub(super) const NEW: Progress = Progress {
        status: Status::Pending,
        queued: false,
        front: 0,
        back: 0,
        next_left: UNLINKED,
        next_right: UNLINKED,
    };
}

/// What is still to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pending {
    Dim {
        relation: Sign,
        left: DimRef,
        right: DimRef,
        cause: Cause,
    },
    Adjacency(u32),
    Row(u32),
    Size(u32),
    AtLeast {
        dim: DimRef,
        least: u64,
        cause: Cause,
    },
    /// A dimension has the size that the entry with this index in the table of sizes says.
    Sized {
        dim: DimRef,
        fact: u32,
    },
}
