//! Conversions between kinds of integers, each in one place.
//!
//! A length or an index of a table that is in memory always fits, and a number that somebody wrote
//! may not. So lengths are converted by the functions here, which never give another number than
//! the one they took, and what was written goes through `try_from`, whose error the caller has to
//! say something about.

/// An index or a length of a table, in 32 bits, as ids are.
///
/// # Panics
/// When the table has 2³² entries, which no program has: an id of another entry would be a wrong
/// answer, so this stops as indexing beyond the end of a table does.
///
/// ```
/// assert_eq!(lozenge_calculus::number::index(3), 3_u32);
/// ```
pub fn index(place: usize) -> u32 {
    u32::try_from(place).expect("a table has fewer than 2^32 entries")
}

/// A length of a list, with a sign, as sizes in files are.
///
/// # Panics
/// Never for the length of something in memory, which is at most `isize::MAX`.
///
/// ```
/// assert_eq!(lozenge_calculus::number::length(3), 3_i64);
/// ```
pub fn length(count: usize) -> i64 {
    i64::try_from(count).expect("a list in memory has fewer than 2^63 entries")
}
