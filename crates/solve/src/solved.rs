//! The solved form: what a configuration says once nothing is left in the queue, in terms of the
//! calculus.

pub(crate) mod form;
pub(crate) mod given;
