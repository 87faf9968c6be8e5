//! What Lozenge is held against: brute force, generators of random cases, and the checkers.
//!
//! * [`oracle`] finds every ground solution of a constraint set on a bounded universe.
//! * [`generate`] draws the random constraint sets that all checkers of the solver use.
//! * The other modules are checkers, named like the commands of `xtask` that run them. Each has a
//!   function `check` that takes a [`Generator`], draws a case from it, adds to its counts and
//!   gives a [`Mismatch`] where something is wrong. `cargo test` runs a few hundred cases of each,
//!   `xtask` many, a fuzzer those that it finds.

pub mod algebra;
pub mod border;
mod checker;
pub mod closing;
pub mod costs;
pub mod differential;
pub mod explain;
pub mod forced;
pub mod generate;
mod generator;
pub mod gradients;
pub mod helps;
pub mod metamorphic;
mod mismatch;
pub mod numeric;
pub mod numpy;
pub mod onnx;
pub mod oracle;
pub mod oracle_check;
pub mod parity;
pub mod preservation;
pub mod programs;
pub mod projections;
pub mod ranks;
pub mod sizes;
pub mod smt;
pub mod snapshots;
pub mod spec_check;
pub mod stores;
pub mod symbols;
pub mod text_check;
pub mod texts;

pub use checker::{CASES, CHECKERS, Checker, check_bytes};
pub use generator::Generator;
pub use mismatch::{Mismatch, Tally};

/// The README's code is a test of this crate, because this crate is never packaged without it.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Pages about tensors, whose blocks are tests.
#[cfg(doctest)]
mod pages {
    macro_rules! pages {
        ($($name:ident $page:literal)*) => {
            $(#[doc = include_str!(concat!("../../../docs/", $page))]
            struct $name;)*
        };
    }

    pages! {
        Tensors "tensors.md"
        Assignments "assignments.md"
        Gradients "gradients.md"
        MixedTypes "errors/mixed-types.md"
        RaggedLiteral "errors/ragged-literal.md"
        NoSlot "errors/no-slot.md"
        NoDerivative "errors/no-derivative.md"
        ManyElements "errors/many-elements.md"
        StaleRead "errors/stale-read.md"
    }
}
