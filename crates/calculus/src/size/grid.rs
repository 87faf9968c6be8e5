//! Forms at the values of a grid: what they are between, whether they are 0.

use alloc::vec::Vec;

use super::{
    interval::Interval,
    polynomial::{Indeterminate, Polynomial, lcm},
    table::{Meaning, Sizes},
};

/// The most values that are tried.
pub(super) const MOST_TRIED: u128 = 20_000;

/// The largest modulus whose residues are looked at one by one.
pub(super) const LARGEST_PERIOD: u64 = 20_000;

impl Sizes {
    /// The least and the greatest value of a sum of names and floors; `None` for other forms, and
    /// where that takes too long.
    ///
    /// When a name grows by the period, such a form grows by a number that depends on nothing else.
    /// So for each residue its extremes are at the ends of the range.
    pub(super) fn extent(&self, form: &Polynomial) -> Option<Interval> {
        self.extent_within(form, &|name| self.range(name))
    }

    /// The extent of a form, where names have these ranges instead of their own.
    pub(super) fn extent_within(
        &self,
        form: &Polynomial,
        range: &dyn Fn(Indeterminate) -> Interval,
    ) -> Option<Interval> {
        if !self.is_sum(form) || form.denominator() != 1 {
            return None;
        }
        let names: Vec<Indeterminate> = self.names(form).into_iter().collect();
        let (mut extent, mut grid) = (Interval { low: Some(0), high: Some(0) }, Vec::new());
        for name in &names {
            let (period, range) = (self.period(form, *name)?, range(*name));
            let (low, period) = (range.low?, i128::from(period));
            let at = |n: i128| self.value(form, &|other| Some(if other == *name { n } else { 0 }));
            let growth = at(low.checked_add(period)?)?.checked_sub(at(low)?)?;
            let first = low..low.checked_add(period)?;
            let values: Vec<i128> = match range.high {
                Some(high) if high.checked_sub(low)? < 2 * period => (low..=high).collect(),
                Some(high) => first.chain(high - period + 1..=high).collect(),
                None => {
                    extent.low = extent.low.filter(|_| growth >= 0);
                    extent.high = extent.high.filter(|_| growth <= 0);
                    first.collect()
                }
            };
            grid.push(values);
        }
        let counts: Vec<u128> = grid.iter().map(|values| values.len() as u128).collect();
        let size = counts.iter().try_fold(1_u128, |size, count| size.checked_mul(*count))?;
        if size > MOST_TRIED {
            return None;
        }
        let (mut low, mut high) = (i128::MAX, i128::MIN);
        for at in 0..size {
            let places = digits(at, &counts);
            let found = self.value(form, &|name| {
                let own = names.iter().position(|other| *other == name)?;
                grid[own].get(usize::try_from(places[own]).ok()?).copied()
            })?;
            (low, high) = (low.min(found), high.max(found));
        }
        Some(Interval { low: extent.low.map(|_| low), high: extent.high.map(|_| high) })
    }

    /// Whether a form adds up multiples of names and of floors of such sums.
    fn is_sum(&self, form: &Polynomial) -> bool {
        let is_sum = |indeterminate: Indeterminate| match self.meaning(indeterminate) {
            None => true,
            Some(Meaning::Floor { of, .. }) => self.is_sum(of),
            Some(_) => false,
        };
        form.is_linear() && form.indeterminates().into_iter().all(is_sum)
    }

    /// A number such that a form is a polynomial on each residue of the name modulo it.
    pub(super) fn period(&self, form: &Polynomial, name: Indeterminate) -> Option<u64> {
        let mut period = 1_u64;
        for indeterminate in form.indeterminates() {
            let Some(meaning) = self.meaning(indeterminate) else { continue };
            let own = match meaning {
                Meaning::Floor { of, by } => self.period(of, name)?.checked_mul(*by)?,
                Meaning::Sum(a, b) | Meaning::Product(a, b) => {
                    lcm(self.period(a, name)?, self.period(b, name)?).ok()?
                }
                // Of what has other names the period does not matter.
                Meaning::Least(a, b) | Meaning::Quotient { of: a, by: b } => {
                    let is_over = |side| self.names(side).contains(&name);
                    if is_over(a) || is_over(b) {
                        return None;
                    }
                    1
                }
            };
            period = lcm(period, own).ok()?;
        }
        (period <= LARGEST_PERIOD).then_some(period)
    }

    /// How often a name is a factor of a term of a form, at most.
    fn degree(&self, form: &Polynomial, name: Indeterminate) -> u32 {
        let of_each = |indeterminate: Indeterminate| match self.meaning(indeterminate) {
            None => u32::from(indeterminate == name),
            Some(Meaning::Floor { of, .. }) => self.degree(of, name),
            Some(
                Meaning::Quotient { of: a, by: b } | Meaning::Least(a, b) | Meaning::Sum(a, b),
            ) => self.degree(a, name).max(self.degree(b, name)),
            Some(Meaning::Product(a, b)) => {
                self.degree(a, name).saturating_add(self.degree(b, name))
            }
        };
        let of_term = |monomial: &[(Indeterminate, u32)]| {
            monomial.iter().fold(0_u32, |sum, (indeterminate, power)| {
                sum.saturating_add(power.saturating_mul(of_each(*indeterminate)))
            })
        };
        form.terms().iter().map(|(monomial, _)| of_term(monomial)).max().unwrap_or(0)
    }

    /// Whether a form is 0 on a grid of these names, which are sorted.
    pub(super) fn tried(&self, form: &Polynomial, names: &[Indeterminate]) -> Tried {
        let mut extent = Extent::All;
        let (mut lows, mut counts) = (Vec::new(), Vec::new());
        let mut size = 1_u128;
        for name in names {
            let range = self.range(*name);
            let degrees = u128::from(self.degree(form, *name)) + 1;
            let period = self.period(form, *name).map(u128::from);
            let enough = period.map(|period| period.saturating_mul(degrees));
            let count = match (range.count(), enough) {
                (Some(count), None) => count,
                (Some(count), Some(enough)) if count <= enough => count,
                (_, Some(enough)) => {
                    extent = extent.min(Extent::Enough);
                    enough
                }
                (None, None) => {
                    extent = Extent::Few;
                    degrees.saturating_mul(4)
                }
            };
            // A name without a least value is tried from 0 on.
            lows.push(range.low.unwrap_or(0));
            counts.push(count);
            size = size.saturating_mul(count);
        }
        let mut stride = 1;
        // A form of many names takes as much longer to evaluate.
        let most = MOST_TRIED * 8 / (names.len() as u128).max(8);
        if size > most {
            extent = Extent::Few;
            stride = (size / most.max(1)) | 1; // odd, so that all names change
        }
        let mut tried = Tried { fails: false, holds: false, extent };
        let mut at = 0_u128;
        while at < size && !(tried.fails && tried.holds) {
            let places = digits(at, &counts);
            let value = |name: Indeterminate| {
                let own = names.binary_search(&name).ok()?;
                i128::try_from(places[own]).ok()?.checked_add(lows[own])
            };
            match self.value(form, &value) {
                Some(0) => tried.holds = true,
                Some(_) => tried.fails = true,
                // A division that is not exact there, or a number that does not fit.
                None => tried.extent = Extent::Few,
            }
            at = at.saturating_add(stride);
        }
        tried
    }
}

/// The interval of a form at the values that were tried.
pub(super) struct Tried {
    pub(super) fails: bool,
    pub(super) holds: bool,
    pub(super) extent: Extent,
}

/// How far the values that were tried reach.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Extent {
    /// Some.
    Few,
    /// Enough points that a form which is 0 at all of them is 0 everywhere.
    Enough,
    /// All.
    All,
}

/// The place along each side of a point of a grid, from the number of the point and the lengths of
/// the sides.
fn digits(mut number: u128, counts: &[u128]) -> Vec<u128> {
    let mut digit = |count: &u128| {
        let place = number % count;
        number /= count;
        place
    };
    counts.iter().map(&mut digit).collect()
}
