//! Tables as they stand: rows with their bindings spliced in, adjacencies and their cycles, what is not
//! bound and what bounds it.
//!
//! A file here reads tables and names nothing of rules, of applying, or of why.

pub(crate) mod frontier;
pub(crate) mod graph;
pub(crate) mod open_sizes;
pub(crate) mod order;
pub(crate) mod stretched;
pub(crate) mod view;
