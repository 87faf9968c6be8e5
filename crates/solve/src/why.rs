//! Why something holds or fails: the given constraints that it follows from, found from the trace.
//!
//! A file here reads tables and changes none.

pub(crate) mod conflict;
pub(crate) mod derivation;
pub(crate) mod markers;
pub(crate) mod trace;
