//! The tables of a configuration: what they hold, what refers to what, and how a write is undone.
//!
//! Nothing here names another folder: rows as they stand, rules and reasons are read from these
//! tables, and `apply` writes them.

pub(crate) mod cause;
pub(crate) mod ids;
pub(crate) mod intern;
pub(crate) mod joint;
pub(crate) mod kept;
pub(crate) mod list;
pub(crate) mod node;
pub(crate) mod place;
pub(crate) mod queue;
pub(crate) mod rule;
pub(crate) mod sizes;
pub(crate) mod table;
pub(crate) mod trace;
