//! The tables of a configuration: what they hold, how a write is undone, what refers to what.
//!
//! Nothing here knows of rows as they stand, of rules, or of why anything is asked: the other folders
//! read and write these tables.

pub(crate) mod ids;
pub(crate) mod intern;
pub(crate) mod kept;
pub(crate) mod list;
pub(crate) mod node;
pub(crate) mod queue;
pub(crate) mod sizes;
pub(crate) mod table;
