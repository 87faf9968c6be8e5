//! Ranges of named sizes, as values.

use std::{
    fmt::{self, Display, Formatter},
    ops::{Bound, RangeBounds},
};

use lozenge_calculus::size::Interval;

/// The values of a size by a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameRange {
    /// From where to where.
    pub(crate) values: Interval,
    /// Whether the program has to hold for all of them.
    pub(crate) any: bool,
    /// Whether it is known when the program runs, so that what is asked of it is checked then.
    pub(crate) at_run_time: bool,
}

impl NameRange {
    /// From 1 on, where nobody says anything; it may become a number.
    pub(crate) const UNSAID: NameRange =
        NameRange { values: Interval { low: Some(1), high: None }, any: false, at_run_time: false };

    /// The numbers of a range.
    pub(crate) fn new(range: &impl RangeBounds<u64>, any: bool) -> NameRange {
        let end = |bound: Bound<&u64>, excluded: i128| match bound {
            Bound::Included(n) => Some(i128::from(*n)),
            Bound::Excluded(n) => Some(i128::from(*n) + excluded),
            Bound::Unbounded => None,
        };
        let low = end(range.start_bound(), 1).unwrap_or(1);
        let values = Interval { low: Some(low), high: end(range.end_bound(), -1) };
        NameRange { values, any, at_run_time: false }
    }

    /// The values that are in both ranges.
    pub(crate) fn meet(self, other: NameRange) -> NameRange {
        NameRange {
            values: self.values.meet(other.values),
            any: self.any || other.any,
            at_run_time: self.at_run_time || other.at_run_time,
        }
    }
}

impl From<lozenge_notation::Range> for NameRange {
    fn from(range: lozenge_notation::Range) -> NameRange {
        let lozenge_notation::Range { low, high, any, at_run_time } = range;
        let values = Interval { low: Some(low.into()), high: high.map(i128::from) };
        NameRange { values, any, at_run_time }
    }
}

/// As it is written: `1..64`, `3..`.
impl Display for NameRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}..", self.values.low.unwrap_or(1))?;
        self.values.high.map_or(Ok(()), |high| write!(f, "{high}"))
    }
}
