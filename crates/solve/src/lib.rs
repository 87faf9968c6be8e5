//! The solver: constraints in, a solved form or a conflict out.
//!
//! A [`Solver`] holds a configuration: bindings, bounds and the row constraints that wait. Each
//! constraint is taken in turn; a [rule](Rule) says what follows from it; one function
//! (`apply`) does that. Binding a variable asks again what was kept for it. When nothing is left to
//! ask the configuration is a [solved form](SolvedForm).
//!
//! * Constraints may come one batch at a time, as a program is built ([`Solver::extend`]). A batch
//!   that fails leaves the solver as it was.
//! * Every row constraint also says something about ranks alone. That is decided first and exactly
//!   (`rank`), and makes every run end: see *Termination* in `docs/calculus.md`.
//! * The trace of bindings stays on; a [`Conflict`] names the constraints it follows from.
//!
//! ```
//! use lozenge_solve::Solver;
//! use lozenge_calculus::text::Names;
//!
//! let mut names = Names::new();
//! // A weight of unknown shape, multiplied with a vector of 3 and added to a vector of 2.
//! let store = names.parse_store(
//!     "⟨win⟩ ⊑ ◊[3]; ⟨sum⟩ ⊑ ⟨wout⟩; ⟨sum⟩ ⊑ ◊[2]; ⟨win⟩ ≈ ◊[?i]; ⟨wout⟩ ≈ ◊[?o]; ?o = 2",
//! )?;
//! let mut solver = Solver::new();
//! solver.extend(&store).unwrap();
//! let input = names.row_var("win").unwrap();
//! assert_eq!(solver.solved().row(input).to_string(), "◊[3]");
//! # Ok::<(), lozenge_calculus::text::TextError>(())
//! ```
//!
//! To trace a run, print `solver.solved()` after each batch, or step it as a `testing::Run`.

#![no_std]

extern crate alloc;

mod apply;
mod budget;
pub mod close;
mod commit;
mod config;
pub mod decide;
mod equated;
pub mod explain;
mod independent;
mod ranges;
mod rank;
mod reading;
mod repeated;
mod rules;
mod run;
mod search;
mod snapshot;
mod solved;
mod solver;
mod specialise;
mod tables;
mod trial;
mod verify;
mod why;

pub use budget::{Budget, Exhausted};
pub use config::Options;
pub use equated::Equations;
pub(crate) use reading::{
    frontier::{AxisState, AxisTerm, Below, Change, Tail},
    open_sizes::{NextSize, OpenSize, SizeStage},
};
pub use snapshot::Snapshot;
pub use solved::{
    derivation::{Binding, Derivation, Derived, End, Premises},
    form::{Deferred, Residual, SolvedForm},
};
pub use solver::{Solver, Stats};
pub(crate) use tables::cause::Cause;
pub use tables::{
    kept::Extent,
    rule::{Class, Rule},
};
pub use why::conflict::{Conflict, SolveError};
pub(crate) use why::trace::{Axes, CapReason, Reading};

/// Items that only tests need: runs that are stepped, and checks of a solver from outside.
#[doc(hidden)]
pub mod testing {
    pub use crate::{
        rules::step::Taken,
        run::{Run, Standing},
        snapshot::same_state,
        verify::{Broken, verify},
    };
}

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
