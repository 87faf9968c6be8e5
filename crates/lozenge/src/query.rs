//! An einsum that is asked about by itself: its shapes, what nothing determines of them, and its
//! loops.
//!
//! ```text
//! Query ── infer ──► Inferred ── what nothing determines of it: `undetermined`
//!   └──── loops ───► Looped     names for that, so that there are loops: `named`
//!                      └──►     NoLoops, with the sizes that would be enough: `enough`
//! ```
//!
//! **Invariant.** What is found is a value. Whoever asks says it in words of their own, since what
//! to type is theirs to know.

mod enough;
mod inferred;
mod named;
mod undetermined;

pub use enough::{Looped, NoLoops, Undetermined};
pub use inferred::{Inferred, Query};
pub use named::{Assumed, Unnamed};
pub use undetermined::OpenRow;
