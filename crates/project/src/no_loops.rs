//! Why an operation has no loop nest.

use core::fmt;

use super::{
    equation::{AxisId, Supplied},
    slot::Slot,
};

/// Why an operation has no loop nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NoLoops {
    /// Two axes of one class have different sizes.
    Sizes([AxisId; 2]),
    /// A class is pinned to two positions.
    Pins(AxisId, [Supplied; 2]),
    /// Two positions that are given disagree.
    Supplied([Supplied; 2]),
    /// An axis is read at a position that it does not have.
    OutOfBounds(AxisId),
    /// An axis begins at two positions, or it begins late and is neither a strided axis nor a
    /// window.
    Start(AxisId),
    /// Two rows do not align: their shapes are not closed.
    Ranks,
    /// A number of elements is related, which says nothing about where they are: a reshape.
    Recounted,
    /// One axis is computed in two ways that differ.
    Derived(AxisId),
    /// A part is twice in one concatenation, and would be at two positions at once.
    Repeated(AxisId),
    /// An axis is computed from itself.
    Cyclic(AxisId),
    /// An axis is computed from one that has no index of its own.
    Nested(AxisId),
    /// An axis is computed from one whose size stays symbolic.
    Symbolic(AxisId),
    /// Two operands are read for one position of a concatenation, and elsewhere only one of them.
    Ambiguous([usize; 2]),
    /// An operand is never read: where it could be, the result is not written.
    Unread(usize),
    /// The parts of concatenations exclude each other: nothing is ever written.
    Nowhere,
    /// Concatenations of an occurrence share parts so that others exclude each other that are in
    /// none together.
    Crossed(Slot),
    /// The result begins with an operand that has several elements for one cell.
    Begun(Slot),
    /// An index is beyond what can be computed with.
    Overflow,
}

impl fmt::Display for NoLoops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoLoops::Sizes(_) => "two axes that share a loop have different sizes",
            NoLoops::Pins(..) => "an axis is read at two positions",
            NoLoops::Supplied(_) => "two given positions disagree",
            NoLoops::OutOfBounds(_) => "an axis is read at a position that it does not have",
            NoLoops::Start(_) => "an axis begins at a position at which it cannot",
            NoLoops::Ranks => "two rows have different numbers of axes",
            NoLoops::Recounted => {
                "the elements are counted, not placed, so no loop says where they go"
            }
            NoLoops::Derived(_) => "one axis is computed in two ways that differ",
            NoLoops::Repeated(_) => {
                "a part is twice in one concatenation, so its loop would be at two places at once"
            }
            NoLoops::Cyclic(_) => "an axis is computed from itself",
            NoLoops::Nested(_) => "an axis is computed from one that has no loop of its own",
            NoLoops::Symbolic(_) => "an index needs a size that stays symbolic",
            NoLoops::Ambiguous(_) => "two operands are read for one part of a concatenation",
            NoLoops::Unread(_) => "an operand is never read",
            NoLoops::Nowhere => "the parts of the concatenations exclude each other",
            NoLoops::Crossed(_) => "concatenations of one tensor share some of their parts only",
            NoLoops::Begun(_) => "it begins with an operand that has several elements for a cell",
            NoLoops::Overflow => "an index is too large",
        })
    }
}

impl core::error::Error for NoLoops {}
