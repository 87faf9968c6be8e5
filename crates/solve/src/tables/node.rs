//! What the tables of a configuration hold: nodes, bindings, bounds, given constraints.
//!
//! A node is a variable as the solver sees it, named by the program or minted by a rule. Everything
//! here is `Copy`, small, and refers to other things by 32-bit indices, so that a million
//! operations fit and every write can be undone.

use lozenge_calculus::{constraint::OriginId, term::RowVar};

use crate::tables::{
    cause::Cause,
    ids::{
        AdjacencyId, AtomId, AxisId, BoundsId, DimNode, EntryId, FactId, GivenId, Id, Link,
        PackedOption, RelationId, RowNode, RowSlot, WatchId, between,
    },
    place::Place,
};

/// A dimension term: an atom by its index, with the claim-free unit as atom 0, or a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct DimRef(u32);

const ATOM_TAG: u32 = 1 << 31;

/// A dimension variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DimState {
    Unbound {
        bounds: PackedOption<BoundsId>,
        /// Whether it is an axis of no row. Only then can it have no elements.
        bare: bool,
    },
    Bound {
        /// The term that it is bound to, along a path that looking it up shortens.
        up: DimRef,
        /// The term that it was bound to at first.
        to: DimRef,
        /// The trace entry of the binding.
        reason: EntryId,
    },
}

/// The bounds of an unbound dimension variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    /// The atom below it.
    pub(crate) cap: Option<Cap>,
    /// The adjacencies in which it is the lower side.
    pub(crate) above: PackedOption<AdjacencyId>,
    /// The adjacencies in which it is the upper side.
    pub(crate) below: PackedOption<AdjacencyId>,
    /// Its place in an order in which the lower side of every adjacency is greater.
    pub(crate) order: Place,
    /// How many adjacencies and relations were ever linked.
    pub(crate) degree: u32,
    /// The relations between sizes that it is in.
    pub(crate) watches: PackedOption<WatchId>,
    /// What is known of its size.
    pub(crate) least: PackedOption<FactId>,
}

/// An atom below a variable, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cap {
    pub(crate) atom: DimRef,
    /// The term of the constraint that stood for the variable.
    pub(crate) via: DimRef,
    pub(crate) cause: Cause,
}

/// A dimension variable below a dimension variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Adjacency {
    pub(crate) low: DimRef,
    pub(crate) high: DimRef,
    pub(crate) cause: Cause,
    pub(crate) next_above: Link<AdjacencyId>,
    pub(crate) next_below: Link<AdjacencyId>,
}

/// A row variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowState {
    Open {
        /// The given constraints that wait for it as their left side.
        as_left: PackedOption<GivenId>,
        /// The given constraints that wait for it as their right side.
        as_right: PackedOption<GivenId>,
        /// Its place in an order in which the lower side of every adjacency is greater.
        order: Place,
        /// How many variables are it, itself included.
        class: u32,
    },
    Bound {
        flanks: Segment,
        /// The variable between the flanks, unless the row is closed.
        tail: PackedOption<RowNode>,
        /// The trace entry of the binding.
        reason: EntryId,
    },
}

/// Two flanks in the pool: the leading one from the front, then the trailing one from the back, so
/// that both are met from the outer edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    pub(crate) at: AxisId,
    pub(crate) lead: u16,
    pub(crate) trail: u16,
}

/// A row term as it was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowRef {
    pub(crate) flanks: Segment,
    /// Its variable, unless it is closed.
    pub(crate) slot: PackedOption<RowSlot>,
}

/// A row variable of the program: its node, and what is known of its rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    pub(crate) var: RowVar,
    pub(crate) node: RowNode,
    /// The least rank that it can have.
    pub(crate) rank: u32,
    /// The given constraint that asks for that much.
    pub(crate) raised_by: PackedOption<GivenId>,
    /// The given constraint whose closed row allows it the least rank.
    pub(crate) limited_by: PackedOption<GivenId>,
    /// The given constraints that ask other variables for more when this one's rank rises.
    pub(crate) dependents: PackedOption<GivenId>,
}

/// A constraint as it was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Given {
    pub(crate) kind: GivenKind,
    pub(crate) origin: OriginId,
}

/// The relation that a given constraint asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GivenKind {
    Dim {
        relation: Sign,
        left: DimRef,
        right: DimRef,
    },
    Row(RowGiven),
    Size(RelationId),
    /// A dimension has at least this many elements.
    AtLeast {
        dim: DimRef,
        least: u64,
    },
}

/// How the left term is related to the right one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Sign {
    /// They are equated.
    Eq,
    /// It refines it.
    Ineq,
    /// It is the right one, which is closed, marker included: what a commitment says.
    Is,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowGiven {
    pub(crate) relation: Sign,
    pub(crate) left: RowRef,
    pub(crate) right: RowRef,
    /// Links of the lists of dependents of its left and right variable.
    pub(crate) next_of_left: Link<GivenId>,
    pub(crate) next_of_right: Link<GivenId>,
}

/// The progress of a given constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Progress {
    pub(crate) status: Status,
    pub(crate) queued: bool,
    /// How many positions have been compared from the front, and how many from the back.
    pub(crate) front: u16,
    pub(crate) back: u16,
    /// Links of the lists of the variables it waits for.
    pub(crate) next_left: Link<GivenId>,
    pub(crate) next_right: Link<GivenId>,
}

/// A constraint in the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pending {
    Dim {
        relation: Sign,
        left: DimRef,
        right: DimRef,
        cause: Cause,
    },
    Adjacency(AdjacencyId),
    Row(GivenId),
    Size(RelationId),
    AtLeast {
        dim: DimRef,
        least: u64,
        cause: Cause,
    },
    /// A dimension has the size that was found.
    Sized {
        dim: DimRef,
        fact: FactId,
    },
}

/// The status of a given row constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Status {
    /// In the queue, or being processed.
    Pending,
    /// Satisfied, whatever the variables that are left become.
    Done,
    /// A bare variable below a bare variable.
    Adjacent,
    /// A row term below a bare variable.
    Cap,
    /// An inequality that is deferred until one of its variables is known better.
    DeferredIneq,
    /// An equality that is deferred likewise.
    DeferredEq,
}

impl DimRef {
    /// The claim-free unit.
    pub(crate) const UNIT: DimRef = DimRef(ATOM_TAG);

    #[inline]
    pub(crate) fn node(node: DimNode) -> DimRef {
        DimRef(node.index())
    }

    #[inline]
    pub(crate) fn ground(atom: AtomId) -> DimRef {
        DimRef(atom.index() | ATOM_TAG)
    }

    #[inline]
    pub(crate) fn as_node(self) -> Option<DimNode> {
        (self.0 & ATOM_TAG == 0).then_some(DimNode::new(self.0))
    }

    #[inline]
    pub(crate) fn as_ground(self) -> Option<AtomId> {
        (self.0 & ATOM_TAG != 0).then_some(AtomId::new(self.0 & !ATOM_TAG))
    }
}

impl DimState {
    /// An unbound variable without bounds.
    pub(crate) fn new(bare: bool) -> DimState {
        DimState::Unbound { bounds: PackedOption::NONE, bare }
    }
}

impl Segment {
    /// The axes of the leading flank, from the front.
    #[inline]
    pub(crate) fn leading(self) -> impl DoubleEndedIterator<Item = AxisId> + Clone {
        between(self.at, self.middle())
    }

    /// The axes of the trailing flank, from the back.
    #[inline]
    pub(crate) fn trailing(self) -> impl DoubleEndedIterator<Item = AxisId> + Clone {
        let middle = self.middle();
        between(middle, middle.plus(self.trail.into()))
    }

    #[inline]
    fn middle(self) -> AxisId {
        self.at.plus(self.lead.into())
    }

    /// How many axes both flanks have.
    #[inline]
    pub(crate) fn rank(self) -> u32 {
        u32::from(self.lead) + u32::from(self.trail)
    }
}

impl RowRef {
    /// Whether this is the closed empty row.
    pub(crate) fn is_empty(self) -> bool {
        self.slot.is_none() && self.flanks.lead == 0 && self.flanks.trail == 0
    }
}

impl Progress {
    pub(crate) const NEW: Progress = Progress {
        status: Status::Pending,
        queued: false,
        front: 0,
        back: 0,
        next_left: Link::UNLINKED,
        next_right: Link::UNLINKED,
    };
}

impl Status {
    pub(crate) fn is_deferred(self) -> bool {
        matches!(self, Status::DeferredIneq | Status::DeferredEq)
    }
}
