//! What projecting begins with: an operation whose shapes are closed.

use core::ops::Range;

use lozenge_calculus::{
    constraint::Constraint,
    row::Flanks,
    size::{Size, Sizes},
    term::{DimTerm, DimVar},
};

use super::equation::Supplied;

/// One operation whose shapes are closed.
///
/// Its variables are numbered from 0. Every axis of every tensor occurrence is a variable of its
/// own: a tensor that is used twice is two occurrences. So are the names of a specification; what a
/// row variable stands for is known, and given as axes.
#[derive(Clone, Copy, Debug)]
pub struct ClosedOperation<'a> {
    /// The sizes of the dimension variables, by their numbers.
    pub sizes: &'a [Size],
    /// The table that the open sizes are of.
    pub table: &'a Sizes,
    /// By row variable, the axes that it stands for.
    pub rows: &'a [Flanks<DimVar>],
    /// The variables that are the axes of each occurrence, in memory order: of the result first,
    /// then of the operands.
    pub occurrences: &'a [Range<u32>],
    /// The constraints of this operation alone.
    pub constraints: &'a [Constraint],
    /// The positions at which axes are read or begin, which no size says.
    pub accesses: &'a [(DimTerm, Access)],
}

/// A position at which an axis is read, written or begun that the operation itself gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Access {
    /// The axis is read or written at one position only.
    At(Supplied),
    /// A strided axis or a window begins here.
    From(u64),
}
