//! What operations compute, held against pages that can be read.

#[path = "../../../lozenge/tests/session/claims.rs"]
mod claims;
mod numbers;
mod pages;
mod program;
