//! The solved form: what a solver at rest knows, in terms of the calculus, and how it follows.

pub(crate) mod derivation;
pub(crate) mod form;
pub(crate) mod given;
pub(crate) mod relation;
