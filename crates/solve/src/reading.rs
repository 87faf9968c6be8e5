//! Tables as they stand: rows with their bindings spliced in, adjacencies and their cycles, what is
//! not bound and what bounds it.
//!
//! A file here names `tables` alone, and changes nothing.

pub(crate) mod dims;
pub(crate) mod frontier;
pub(crate) mod givens;
pub(crate) mod graph;
pub(crate) mod open_sizes;
pub(crate) mod order;
pub(crate) mod ranks;
pub(crate) mod relations;
pub(crate) mod rows;
pub(crate) mod stretched;
pub(crate) mod view;
