//! The one place where steps are applied.
//!
//! Given constraints are asked one after another, in program order, and all that follows from one
//! is settled before the next. So what a policy step chooses is a function of the program.
//!
//! # Shortcuts
//!
//! Invariant: what is bound, recorded, compared or discarded of a dimension or a row is what a rule
//! says. Four places apply a rule without asking it; in debug builds each asks it all the same.
//!
//! | shortcut | where | why it is sound |
//! |---|---|---|
//! | an inequality whose operand is the closed empty row is done | `rows.rs`, `Config::row` | every row refines the empty one: `RI-closed-op` compares nothing and discards |
//! | two bare variables that fit the order are adjacent | `rows.rs`, `Config::adjoin_rows` | what fits the order closes no cycle: it is `RI-adj`, not `RI-antisym` |
//! | an axis that grows against an atom is that atom | `rows.rs`, `Config::grow_axis` | a new variable below an atom would be bound to it at once, by `DI-pin` |
//! | after `RI-deficit` has grown atoms alone, the constraint is adjacent or done | `rows.rs`, `Config::row` | the flanks are the same terms, by `DI-refl`; what is left is one of the first two |
//!
//! Two places do less than a rule says, and none does more: a variable that is an axis of a row is not
//! bound to a dimension without elements (`dims.rs`, `Config::dim`), which is a conflict; and where
//! equations between sizes are collected, one that fails is put down and the run goes on
//! (`equated.rs`, `Config::keep_equation`), good for nothing but collecting more.
//!
//! Relations between sizes have no rule that returns a step. What an equation says of numbers is a pure
//! function in the calculus (`size`), and `sizes.rs`, `open.rs`, `counted.rs` and `stretch.rs` do that.
//!
//! A file here names `tables`, `reading`, `rules`, `why` and the configuration.

mod ask;
mod counted;
mod dims;
mod equated;
mod fail;
mod open;
mod reading;
mod rows;
mod sizes;
mod step;
mod stretch;
mod take;
