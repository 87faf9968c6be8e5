//! Integer roots of polynomials of one unknown.

use alloc::vec::Vec;

use super::interval::Interval;

/// `Σ cᵢ·tⁱ`, without leading zeros.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Univariate(Vec<i128>);

impl Univariate {
    pub(super) fn constant(n: i128) -> Univariate {
        Univariate(alloc::vec![n]).trimmed()
    }

    pub(super) fn linear(factor: i128, constant: i128) -> Univariate {
        Univariate(alloc::vec![constant, factor]).trimmed()
    }

    fn trimmed(mut self) -> Univariate {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn plus(&self, other: &Univariate) -> Option<Univariate> {
        let longer = self.0.len().max(other.0.len());
        let at = |side: &Univariate, i: usize| side.0.get(i).copied().unwrap_or(0);
        let sums = (0..longer).map(|i| at(self, i).checked_add(at(other, i)));
        Some(Univariate(sums.collect::<Option<_>>()?).trimmed())
    }

    pub(super) fn times(&self, other: &Univariate) -> Option<Univariate> {
        let mut product = alloc::vec![0_i128; self.0.len() + other.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] = product[i + j].checked_add(a.checked_mul(*b)?)?;
            }
        }
        Some(Univariate(product).trimmed())
    }

    /// `⌊p/by⌋`, where that is a polynomial because `by` divides what is multiplied.
    pub(super) fn floor(&self, by: i128) -> Option<Univariate> {
        let floor = |(i, n): (usize, &i128)| (i == 0 || n % by == 0).then(|| n.div_euclid(by));
        let floors = self.0.iter().enumerate().map(floor);
        Some(Univariate(floors.collect::<Option<_>>()?).trimmed())
    }

    fn value(&self, t: i128) -> Option<i128> {
        self.0.iter().rev().try_fold(0_i128, |sum, n| sum.checked_mul(t)?.checked_add(*n))
    }

    fn derivative(&self) -> Option<Univariate> {
        let terms = self.0.iter().zip(0_i128..).skip(1).map(|(n, power)| n.checked_mul(power));
        Some(Univariate(terms.collect::<Option<_>>()?).trimmed())
    }

    /// No root is further from 0 than this.
    fn bound(&self) -> Option<i128> {
        let lead = self.0.last()?.unsigned_abs();
        let largest = self.0.iter().map(|n| n.unsigned_abs()).max()?;
        i128::try_from(largest / lead).ok()?.checked_add(2)
    }
}

/// The integer roots of a polynomial that is not 0, within an interval; `None` where a number does
/// not fit.
pub(super) fn roots(of: &Univariate, within: Interval) -> Option<Vec<i128>> {
    if of.0.len() <= 1 {
        return Some(Vec::new());
    }
    let bound = of.bound()?;
    let within = within.meet(Interval { low: Some(-bound), high: Some(bound) });
    let mut found = Vec::new();
    for (low, high) in monotone(of, within)? {
        let turn = turn(of, low, high)?;
        if of.value(turn)? == 0 {
            found.push(turn);
        }
    }
    found.dedup();
    Some(found)
}

/// Pieces of an interval on which a polynomial rises or falls throughout, in order.
fn monotone(of: &Univariate, within: Interval) -> Option<Vec<(i128, i128)>> {
    let (Some(low), Some(high)) = (within.low, within.high) else { return None };
    if low > high {
        return Some(Vec::new());
    }
    let derivative = of.derivative()?;
    let mut starts = alloc::vec![low];
    if derivative.0.len() > 1 {
        for (from, to) in monotone(&derivative, within)? {
            // Between this value and the next, or at it, the slope changes its sign.
            let turn = turn(&derivative, from, to)?;
            starts.extend([turn, turn + 1]);
        }
    }
    starts.retain(|start| (low..=high).contains(start));
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([high]);
    Some(starts.iter().copied().zip(ends).collect())
}

/// The first value of an interval at which a polynomial, which rises or falls on it, has not the
/// sign any more that it has at the beginning; the last value, if it keeps it.
fn turn(of: &Univariate, low: i128, high: i128) -> Option<i128> {
    let sign = of.value(low)?.signum();
    if sign == 0 {
        return Some(low);
    }
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low).div_euclid(2);
        if of.value(middle)?.signum() == sign { low = middle + 1 } else { high = middle }
    }
    Some(low)
}
