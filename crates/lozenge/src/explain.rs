//! Explanations: what the solver says, in terms of the program.
//!
//! The solver speaks of constraints and their origins. Here origins become steps of the program,
//! and these are written as lines, in the notation, that labels point into. Headlines and notes are
//! in [`words`].
//!
//! A refusal that rests on what was chosen for earlier steps says so. Every other is explained by
//! the first of these that sees it: the specification held against what is known of the operands;
//! the rows of the operation, aligned; what a statement says of sizes that are known; and else the
//! minimal set of steps that disagree.

mod broadcast;
mod clash;
mod closing;
mod conflict;
mod declare;
mod help;
mod hidden;
mod holes;
mod listing;
mod loops;
mod names;
mod warnings;
mod why;
mod windows;
pub(crate) mod words;

pub(crate) use closing::{notes, symbolic, unclosed};
pub(crate) use conflict::{Clash, least_conflict, misapplied, refused, undecided, unsatisfiable};
pub(crate) use loops::{no_loops, no_operation};
pub(crate) use names::{Refuted, Unfit, beyond, pinned, taken_already, unfit};
pub use why::AxisPlace;
