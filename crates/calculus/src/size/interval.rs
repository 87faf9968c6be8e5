//! Intervals of integers, both ends included.

/// The whole numbers from `low` to `high`, both included; an end that is `None` is unbounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least.
    pub low: Option<i128>,
    /// The greatest.
    pub high: Option<i128>,
}

impl Interval {
    /// Everything.
    pub const ALL: Interval = Interval { low: None, high: None };

    /// One number.
    pub const fn point(n: i128) -> Interval {
        Interval { low: Some(n), high: Some(n) }
    }

    /// The number, if there is only one in it.
    pub fn as_point(self) -> Option<i128> {
        self.low.filter(|low| self.high == Some(*low))
    }

    /// Whether a number is in it.
    pub fn has(self, n: i128) -> bool {
        self.low.is_none_or(|low| low <= n) && self.high.is_none_or(|high| n <= high)
    }

    /// Whether nothing is in it.
    pub fn is_empty(self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if low > high)
    }

    /// How many numbers are in it, if they end.
    pub fn count(self) -> Option<u128> {
        let (low, high) = (self.low?, self.high?);
        let count = high.checked_sub(low)?.checked_add(1)?;
        // Of an empty interval there are none, and not fewer.
        Some(count.max(0).unsigned_abs())
    }

    /// The intersection of two intervals.
    #[must_use]
    pub fn meet(self, other: Interval) -> Interval {
        let tighter = |a: Option<i128>, b: Option<i128>, by: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(by(a, b)),
            (a, b) => a.or(b),
        };
        Interval {
            low: tighter(self.low, other.low, i128::max),
            high: tighter(self.high, other.high, i128::min),
        }
    }

    pub(super) fn plus(self, other: Interval) -> Interval {
        let add = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Interval { low: add(self.low, other.low), high: add(self.high, other.high) }
    }

    pub(super) fn scaled(self, by: i128) -> Interval {
        let times = |end: Option<i128>| end?.checked_mul(by);
        match by {
            0 => Interval::point(0),
            1.. => Interval { low: times(self.low), high: times(self.high) },
            _ => Interval { low: times(self.high), high: times(self.low) },
        }
    }

    /// The interval of products; tight where both are not negative, as sizes are.
    pub(super) fn times(self, other: Interval) -> Interval {
        if let Some(n) = self.as_point() {
            return other.scaled(n);
        }
        if let Some(n) = other.as_point() {
            return self.scaled(n);
        }
        let (Some(a @ 0..), Some(b @ 0..)) = (self.low, other.low) else { return Interval::ALL };
        let high = match (self.high, other.high) {
            (Some(a), Some(b)) => a.checked_mul(b),
            _ => None,
        };
        Interval { low: a.checked_mul(b).or(Some(0)), high }
    }

    /// `⌊x/by⌋` for a positive number.
    pub(super) fn floor(self, by: i128) -> Interval {
        let floor = |end: Option<i128>| end.map(|end| end.div_euclid(by));
        Interval { low: floor(self.low), high: floor(self.high) }
    }

    /// The interval of minima.
    pub(super) fn least(self, other: Interval) -> Interval {
        let both = |a: Option<i128>, b: Option<i128>| Some(a?.min(b?));
        let either = |a: Option<i128>, b: Option<i128>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Interval { low: both(self.low, other.low), high: either(self.high, other.high) }
    }
}
