//! Numbers of entries: each conversion to a smaller integer, once.

/// The index of an entry of a table, or a place in a text. What a session keeps ends at the indices
/// of its solver, and a text at the places that a span can say; neither is reached.
pub(crate) fn index(number: usize) -> u32 {
    debug_assert!(u32::try_from(number).is_ok(), "a table has more entries than indices");
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The number of an operand or an axis in a [part](crate::SchemePart), which is only for messages:
/// those after the last that has a number there are told as that one.
pub(crate) fn in_message(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
