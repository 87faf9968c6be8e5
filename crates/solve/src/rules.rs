//! The rules: pure functions from a constraint, resolved, to a step.
//!
//! Each is one match in the order of the calculus. Nothing is written here; `apply` does that. A
//! row constraint arrives with the positions that were compared before taken away. A file here
//! names `tables` and `reading` alone.
//!
//! # Shortcuts
//!
//! Invariant: what is bound, recorded, compared or discarded of a dimension or a row is what a rule
//! says. Four places apply a rule without asking it, for speed; in debug builds each asks it all
//! the same, and compares the whole verdict.
//!
//! * An inequality whose operand is the closed empty row is done (`Config::row` in
//!   `apply/rows.rs`). Every row refines the empty one: `RI-closed-op` compares nothing and
//!   discards.
//! * Two bare variables that fit the order are adjacent (`Config::adjoin_rows` in `apply/rows.rs`).
//!   An adjacency that fits closes no cycle, so that the rule is `RI-adj` and not `RI-antisym`.
//! * An axis that grows against an atom is that atom (`Config::grow_axis` in `apply/rows.rs`). A
//!   new variable below the atom would be bound to it at once, by `DI-pin`.
//! * A constraint whose result `RI-deficit` has grown by atoms alone is adjacent, or done where the
//!   operand is closed (`Config::row` in `apply/rows.rs`). The new flanks are the operand's own
//!   terms, which `DI-refl` discards; what is left is one of the first two.
//!
//! Two places depart from what a rule says. A variable that is an axis of a row is not bound to a
//! dimension without elements: that is a conflict (`Config::dim` in `apply/dims.rs`). And where
//! equations between sizes are collected, one that fails is put down and the run goes on, good for
//! nothing but collecting more (`Config::keep_equation` in `apply/equated.rs`).
//!
//! Relations between sizes have no rule that returns a step. The consequences of an equation are a
//! pure function in the calculus (`size`), which `sizes`, `open`, `counted` and `stretch` of
//! `apply` carry out.

mod dim;
mod row;
mod row_eq;
mod row_ineq;
pub(crate) mod step;

pub(crate) use dim::{dim_eq, dim_ineq};
