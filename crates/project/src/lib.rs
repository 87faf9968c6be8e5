//! Projections: the loop nest of one operation, from the constraints that gave it its shapes.
//!
//! Shapes read the constraints of an operation as an order; here the same constraints are read as
//! an equivalence: axes that share a loop. Nothing is declared to be a reduction: a loop that the
//! result's index map does not mention writes one cell again and again, and that is a reduction.
//!
//! ```text
//!  ClosedOperation ──elaborate──▶ Equations ──Classes::solve──▶ Classes ──label──▶ Record ──▶ coverage
//!   sizes, constraints             Eq, Iter, derived axes        stratum 1          stratum 2
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `equation` | the language: axes by their numbers, index terms, equations, derived axes |
//! | `operation` | what projecting begins with: an operation whose shapes are closed |
//! | `elaborate` | from constraints to equations, a rule for each kind of constraint |
//! | `classes` | union-find with sizes, pins and iterate marks; no choice is made |
//! | `label` | the second stratum: loops, derived indices, the record |
//! | `couple` | loops that exclude each other, as the parts of a concatenation do |
//! | `index` | where an axis is read or written, as a function of a point |
//! | `record`, `slot` | the result: product space and index maps, by the tensors of the operation |
//! | `no_loops` | why an operation has no loop nest |
//! | `reshape` | the record of a reshape, which its shapes say and no constraint does |
//! | `coverage` | how often a map writes each cell: injective, onto |
//! | `decide` | whether to initialise, and whether to store or to accumulate |
//!
//! **Invariants.** Global sizes, local identities: an identifier is of one axis of one occurrence
//! in one operation, so that axes which other operations made equal in size share no loop here.
//! Every index is in bounds over the whole product space, margins included. Everything is a pure
//! function of the operation.

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
mod no_loops;
mod operation;
mod record;
mod reshape;
mod slot;

pub use coverage::{Budget, Coverage};
pub use decide::{Decision, Statement, Write, decide};
pub use equation::{AxisId, Supplied, SymbolId};
pub use index::{Affine, Concat, Digit, Index, LoopId, Offset, Point, Term};
pub use no_loops::NoLoops;
pub use operation::{Access, ClosedOperation};
pub use record::{AxisMap, Margin, Record};
pub use reshape::reshape;
pub use slot::Slot;

use self::{classes::Classes, elaborate::elaborate};

/// The first stratum by itself, for tests of it.
#[doc(hidden)]
pub mod testing {
    pub use super::{
        classes::Classes,
        equation::{Equation, IndexTerm},
    };
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
    let classes = Classes::solve(&equations.sizes, &equations.asserted)?;
    label::label(&classes, &equations, operation)
}

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
