//! Why something holds or fails: the given constraints that it follows from, found from the trace.
//!
//! A file here names `tables` and `reading`, and changes nothing. Applying a step may ask why: a
//! name is taken for another size only where that follows from nothing that was chosen.

pub(crate) mod conflict;
pub(crate) mod markers;
pub(crate) mod sizes;
pub(crate) mod trace;
