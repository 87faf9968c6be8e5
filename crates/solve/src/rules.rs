//! The rules: pure functions from a constraint, resolved, to a step.
//!
//! Each is one match in the order of the calculus. Nothing is written here; `apply` does that. A row
//! constraint arrives with the positions that were compared before taken away. A file here names
//! `tables` and `reading` alone.

mod dim;
mod row;
mod row_eq;
mod row_ineq;
pub(crate) mod step;

pub(crate) use dim::{dim_eq, dim_ineq};
