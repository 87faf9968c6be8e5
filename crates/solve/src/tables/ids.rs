//! Typed indices: what a 32-bit number in a table, a link or a list refers to.
//!
//! An index is a type of its own for every table, so that no index can be used with another table.
//! A link that may be absent is a [`PackedOption`], which is as small as the index. The two numbers
//! that are no indices are known here alone: taking a batch checks that tables stay far below them.

use core::{fmt, marker::PhantomData};

use lozenge_calculus::term::{DimVar, RowVar};

/// A length as an index. Indices are 32 bits wide throughout; taking a batch checks that there is
/// room.
pub(crate) fn index(len: usize) -> u32 {
    debug_assert!(u32::try_from(len).is_ok());
    #[allow(clippy::cast_possible_truncation)]
    {
        len as u32
    }
}

/// The index of an item of a table.
pub(crate) trait Id: Copy + Ord + fmt::Debug {
    /// The item at this place of its table.
    fn new(index: u32) -> Self;

    /// The place of the item in its table.
    fn index(self) -> u32;

    /// The item at this place of its table, which has room for it.
    #[inline]
    fn at(place: usize) -> Self {
        Self::new(index(place))
    }

    /// The item after this one.
    #[inline]
    fn next(self) -> Self {
        Self::new(self.index() + 1)
    }

    /// The item `count` places after this one.
    #[inline]
    fn plus(self, count: u32) -> Self {
        Self::new(self.index() + count)
    }

    /// The place of the item, as vectors count.
    #[inline]
    fn place(self) -> usize {
        self.index() as usize
    }
}

/// The items from one to another, the last one left out.
#[inline]
pub(crate) fn between<I: Id>(
    from: I,
    to: I,
) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
    (from.index()..to.index()).map(I::new)
}

/// The items before one.
#[inline]
pub(crate) fn before<I: Id>(
    end: I,
) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
    between(I::new(0), end)
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(u32);

        impl Id for $name {
            #[inline]
            fn new(index: u32) -> $name {
                $name(index)
            }

            #[inline]
            fn index(self) -> u32 {
                self.0
            }
        }
    )*};
}

ids! {
    /// A dimension variable as the solver sees it, named by the program or minted by a rule.
    DimNode,
    /// A row variable as the solver sees it, named by the program or minted by a rule.
    RowNode,
    /// A row variable of the program.
    RowSlot,
    /// A dimension that was met; the first is the claim-free unit.
    AtomId,
    /// The bounds of an unbound dimension variable.
    BoundsId,
    /// A dimension variable below a dimension variable.
    AdjacencyId,
    /// An axis of the flanks of a row.
    AxisId,
    /// A given constraint.
    GivenId,
    /// A relation between sizes.
    RelationId,
    /// A dimension term of a relation between sizes.
    PartId,
    /// A row of a relation between sizes.
    RelationRowId,
    /// A relation in a list of relations.
    ListedId,
    /// A relation in the list of a dimension variable.
    WatchId,
    /// Something that is known of the size of a dimension variable.
    FactId,
    /// Two causes together.
    JointId,
    /// An entry of the trace; as a time, what was there before this entry.
    EntryId,
}

impl DimNode {
    /// The variable that readers see where the program has no name for it.
    pub(crate) fn minted(self) -> DimVar {
        DimVar::new(DimVar::MINTED + self.0)
    }

    /// The node that readers see as this variable, if it is such a one.
    pub(crate) fn minted_as(var: DimVar) -> Option<DimNode> {
        var.index().checked_sub(DimVar::MINTED).map(DimNode)
    }
}

impl RowNode {
    /// The variable that readers see where the program has no name for it.
    pub(crate) fn minted(self) -> RowVar {
        RowVar::new(RowVar::MINTED + self.0)
    }

    /// The node that readers see as this variable, if it is such a one.
    pub(crate) fn minted_as(var: RowVar) -> Option<RowNode> {
        var.index().checked_sub(RowVar::MINTED).map(RowNode)
    }
}

impl AtomId {
    /// The claim-free unit.
    pub(crate) const UNIT: AtomId = AtomId(0);
}

/// The number of an index that is absent, and of the end of a list.
const ABSENT: u32 = u32::MAX;

/// The number of a link that is in no list.
const UNLINKED: u32 = u32::MAX - 1;

/// An index that may be absent, as small as the index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackedOption<I>(u32, PhantomData<I>);

impl<I> PackedOption<I> {
    /// No index.
    pub(crate) const NONE: PackedOption<I> = PackedOption(ABSENT, PhantomData);

    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.0 == ABSENT
    }

    #[inline]
    pub(crate) fn is_some(&self) -> bool {
        self.0 != ABSENT
    }
}

impl<I: Id> PackedOption<I> {
    #[inline]
    pub(crate) fn some(id: I) -> PackedOption<I> {
        debug_assert!(id.index() < UNLINKED, "an index is a number below the two that are none");
        PackedOption(id.index(), PhantomData)
    }

    #[inline]
    pub(crate) fn get(self) -> Option<I> {
        if self.is_some() { Some(I::new(self.0)) } else { None }
    }
}

impl<I: Id> From<Option<I>> for PackedOption<I> {
    #[inline]
    fn from(id: Option<I>) -> PackedOption<I> {
        id.map_or(PackedOption::NONE, PackedOption::some)
    }
}

impl<I: Id> fmt::Debug for PackedOption<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// The link of an item that can be in one list: it is in none, the last one, or another one comes
/// after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link<I>(u32, PhantomData<I>);

impl<I: Id> Link<I> {
    /// The link of an item that is in no list.
    pub(crate) const UNLINKED: Link<I> = Link(UNLINKED, PhantomData);

    /// The link of an item that comes before this one.
    #[inline]
    pub(crate) fn to(next: PackedOption<I>) -> Link<I> {
        Link(next.0, PhantomData)
    }

    #[inline]
    pub(crate) fn is_linked(self) -> bool {
        self.0 != UNLINKED
    }

    /// What comes next in the list that the item is in.
    #[inline]
    pub(crate) fn next(self) -> PackedOption<I> {
        debug_assert!(self.is_linked(), "what is in a list is linked");
        PackedOption(self.0, PhantomData)
    }
}

impl<I: Id> fmt::Debug for Link<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_linked() { self.next().fmt(f) } else { f.write_str("unlinked") }
    }
}
