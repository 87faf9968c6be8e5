//! Projections: the loop nest of one operation, from the constraints that gave it its shapes.
//!
//! Shapes read the constraints of an operation as an order; here the same constraints are read as an
//! equivalence: axes that share a loop. Nothing is declared to be a reduction: a loop that the result's index
//! map does not mention writes one cell again and again, and that is a reduction.
//!
//! ```text
//!  ClosedOperation ──elaborate──▶ Equations ──Classes::solve──▶ Classes ──label──▶ Record ──▶ coverage
//!   sizes, constraints             Eq, Iter, derived axes        stratum 1          stratum 2
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `equation` | the language: identifiers, atoms, equations, derived axes |
//! | `elaborate` | the rules P1–P6 from constraints to equations, and those of derived axes |
//! | `classes` | union-find with sizes, pins and iterate marks; no choice is made |
//! | `label` | the second stratum: loops, derived indices, the record |
//! | `couple` | loops that exclude each other, as the parts of a concatenation do |
//! | `index` | where an axis is read or written, as a function of a point |
//! | `record` | the result: product space and index maps |
//! | `reshape` | the record of a reshape, which its shapes say and no constraint does |
//! | `coverage` | how often a map writes each cell: injective, onto |
//! | `decide` | whether to initialise, and whether to store or to accumulate |
//!
//! **Invariants.** Global sizes, local identities: an identifier is of one axis of one occurrence in one
//! operation, so that axes which other operations made equal in size share no loop here. Every index is in
//! bounds over the whole product space, margins included. Everything is a pure function of the operation.

#![no_std]

extern crate alloc;

mod classes;
mod couple;
mod coverage;
mod decide;
mod elaborate;
mod equation;
mod index;
mod label;
mod record;
mod reshape;

use core::{fmt, ops::Range};

use lozenge_calculus::{
    constraint::Constraint,
    row::Flanks,
    size::{Size, Sizes},
    term::{DimTerm, DimVar},
};

pub use classes::Classes;
pub use coverage::{Budget, Coverage};
pub use decide::{Decision, Statement, Write, decide};
pub use elaborate::elaborate;
pub use equation::{
    AxisId, Derivation, Derived, Equation, Equations, IndexTerm, Part, Start, Supplied, SymbolId,
};
pub use index::{Affine, Concat, Digit, Index, LoopId, Offset, Point, Term};
pub use record::{AxisMap, Margin, Record, Slot};
pub use reshape::reshape;

/// One operation whose shapes are closed.
///
/// Its variables are numbered from 0. Every axis of every tensor occurrence is a variable of its own: a
/// tensor that is used twice is two occurrences. So are the names of a specification; what a row variable
/// stands for is known, and given as axes.
#[derive(Clone, Copy, Debug)]
pub struct ClosedOperation<'a> {
    /// The sizes of the dimension variables, by their numbers.
    pub sizes: &'a [Size],
    /// What the open ones of them are.
    pub table: &'a Sizes,
    /// What the row variables stand for, by their numbers.
    pub rows: &'a [Flanks<DimVar>],
    /// The variables that are the axes of each occurrence, in memory order: of the result first, then of
    /// the operands.
    pub occurrences: &'a [Range<u32>],
    /// What the operation asks, and nothing that another asks.
    pub constraints: &'a [Constraint],
    /// What no size says: where axes are read.
    pub accesses: &'a [(DimTerm, Access)],
}

/// Where an axis is read or written, as far as the operation says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// At one position only.
    At(Supplied),
    /// A strided axis or a window begins here.
    From(u64),
}

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
    /// A position that the axis does not have.
    OutOfBounds(AxisId),
    /// An axis begins at two positions, or at another than the first and is no strided axis and no window.
    Start(AxisId),
    /// Two rows that do not align: their shapes are not closed.
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
    /// Concatenations of an occurrence share parts so that others exclude each other that are in none together.
    Crossed(Slot),
    /// The result begins with an operand that has several elements for one cell.
    Begun(Slot),
    /// An index is beyond what can be computed with.
    Overflow,
}

/// The loop nest of an operation.
///
/// # Errors
/// When its constraints make no loop nest; see [`NoLoops`].
///
/// ```
/// use lozenge_project::{ClosedOperation, project};
/// use lozenge_calculus::{size::{Size, Sizes}, term::{DimVar, RowTerm}};
/// use lozenge_calculus::constraint::{OriginId, Relation};
///
/// // c[i,k] = a[i,j] b[j,k]: axes 0,1 of the result, 2,3 and 4,5 of the operands.
/// let n = |n| Size::int(n).unwrap();
/// let sizes = [n(2), n(4), n(2), n(3), n(3), n(4)];
/// let same = |a, b| Relation::DimEq(DimVar::new(a).into(), DimVar::new(b).into())
///     .with_origin(OriginId::default());
/// let operation = ClosedOperation {
///     sizes: &sizes,
///     table: &Sizes::default(),
///     rows: &[],
///     occurrences: &[0..2, 2..4, 4..6],
///     constraints: &[same(0, 2), same(3, 4), same(1, 5)],
///     accesses: &[],
/// };
/// let record = project(&operation)?;
/// assert_eq!(record.to_string(), "(i0:2, i1:4, i2:3) -> [i0, i1]; [i0, i2], [i2, i1]");
/// assert_eq!(record.reductions().count(), 1); // i2, which nobody declared
/// # Ok::<(), lozenge_project::NoLoops>(())
/// ```
pub fn project(operation: &ClosedOperation<'_>) -> Result<Record, NoLoops> {
    let equations = elaborate(operation)?;
    let classes = Classes::solve(&equations.sizes, &equations.equations)?;
    label::label(&classes, &equations, operation)
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

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
