//! What Lozenge is held against: brute force, generators of random cases, and the checkers.
//!
//! * [`oracle`] finds every ground solution of a constraint set on a bounded universe.
//! * [`generate`] draws the random constraint sets that all checkers of the solver use.

pub mod generate;
pub mod oracle;

/// The README's code is a test of this crate, because this crate is never packaged without it.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
