//! The one place where steps are applied.
//!
//! Given constraints are asked one after another, in program order, and all that follows from one
//! is settled before the next. So what a policy step chooses is a function of the program.
//!
//! A file here names `tables`, `reading`, `rules`, `why` and the configuration.

mod counted;
mod dims;
mod enqueue;
mod equated;
mod fail;
mod open;
mod reading;
mod rows;
mod sizes;
mod step;
mod stretch;
mod take;
