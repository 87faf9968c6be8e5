//! The parts of an operation, which messages point at.

use crate::Kind;

/// What part of an operation asks for something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SchemePart {
    /// The row of an operand, by its number from 0.
    Row {
        /// Which operand.
        operand: u16,
        /// Which row.
        kind: Kind,
    },
    /// A row of an operand, and the row of another that it may be broadcast to.
    Between {
        /// The operand that is lower, and which of its rows.
        low: (u16, Kind),
        /// The operand that may be broadcast, and which of its rows.
        high: (u16, Kind),
    },
    /// An axis of a specification's operand or result, where something is computed.
    Axis {
        /// Which operand; the result comes after the last.
        slot: u16,
        /// Which row.
        kind: Kind,
        /// Which of its axes, as they are written.
        axis: u16,
    },
    /// The size of a name of a specification.
    Name(u32),
    /// All of it.
    Whole,
}
