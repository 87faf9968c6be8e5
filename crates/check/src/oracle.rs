//! Brute force: every ground solution of a constraint set on a bounded universe.
//!
//! This module is written to be read beside the calculus, and to be right rather than fast. It
//! knows the algebra and the judge of `lozenge-calculus` and nothing of solving, so that the solver
//! can be held against it.
//!
//! Two ways to the same answer, held against each other:
//!
//! * [`plain::solutions`] tries every assignment: a few lines, beyond doubt, and slow.
//! * [`extents::solutions`] first chooses how many axes each row variable has on each flank. Then
//!   every row constraint falls apart into constraints between single dimensions.
//!   [`extents::find`] does the same and stops at the first solution.

pub mod extents;
pub mod plain;
mod universe;

pub use universe::Universe;
