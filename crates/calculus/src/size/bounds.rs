//! Between which numbers a form lies, by the ranges of its names.
//!
//! Term by term that is interval arithmetic, which forgets that a name in two terms is one number.
//! So forms whose terms belong together are read once more as a whole: floors that are added and
//! subtracted, a minimum beside what it is of, a remainder. What each reading says holds, so all of
//! them do.

use alloc::collections::BTreeMap;

use super::{
    Sizes,
    interval::Interval,
    known::up,
    polynomial::{Indeterminate, Monomial, Polynomial},
    table::Meaning,
};

impl Sizes {
    /// Values that it has at most and at least, by the ranges of names.
    pub fn interval(&self, form: &Polynomial) -> Interval {
        self.interval_beside(form, &mut BTreeMap::new())
    }

    /// The interval of a form, by the intervals of indeterminates that are known already.
    fn interval_beside(
        &self,
        form: &Polynomial,
        known: &mut BTreeMap<Indeterminate, Interval>,
    ) -> Interval {
        let terms = self.interval_of_terms(form, known);
        let beside = self.beside_least(form, known).map_or(terms, |other| terms.meet(other));
        let beside = self.of_periods(form, beside).map_or(beside, |other| beside.meet(other));
        self.without_remainder(form).map_or(beside, |(other, rest)| {
            let by = i128::from(form.denominator());
            beside.meet(rounded(self.interval_beside(&other, known).plus(rest), by))
        })
    }

    /// The interval of a sum of floors over one name that are added and subtracted: its terms one
    /// by one do not bound it.
    fn of_periods(&self, form: &Polynomial, found: Interval) -> Option<Interval> {
        const LONGEST: u64 = 512;
        let is_open = found.low.is_none() || found.high.is_none();
        let mut signs = form.others().map(|(_, n)| *n > 0);
        let first = signs.next()?;
        if !is_open || signs.all(|sign| sign == first) {
            return None;
        }
        let names = self.names(form);
        let (name, 1) = (*names.first()?, names.len()) else { return None };
        self.period(form, name).filter(|period| *period <= LONGEST)?;
        self.extent(form)
    }

    /// The interval of `c·min(a, b) + p`: the form is at most the one with `a` or `b` in place of
    /// the minimum if `c` is positive, and at least that if `c` is negative.
    fn beside_least(
        &self,
        form: &Polynomial,
        known: &mut BTreeMap<Indeterminate, Interval>,
    ) -> Option<Interval> {
        let least = |(monomial, n): &(Monomial, i128)| {
            let &[(indeterminate, 1)] = monomial.as_slice() else { return None };
            match self.meaning(indeterminate)? {
                Meaning::Least(a, b) => Some((indeterminate, *n, [a, b])),
                _ => None,
            }
        };
        // By itself it has an interval already.
        let (indeterminate, n, parts) = form.terms().iter().find_map(least)?;
        if form.terms().len() < 2 || form.denominator() != 1 {
            return None;
        }
        let rest = form.minus(&Polynomial::indeterminate(indeterminate).scaled(n).ok()?).ok()?;
        let mut found = Interval::ALL;
        for part in parts {
            let other = rest.plus(&part.scaled(n).ok()?).ok()?;
            // What does not become shorter says little.
            if other.terms().len() < form.terms().len() {
                let other = self.interval_beside(&other, known);
                found = found.meet(if n > 0 {
                    Interval { low: None, high: other.high }
                } else {
                    Interval { low: other.low, high: None }
                });
            }
        }
        Some(found)
    }

    /// The numerator of a form without a remainder `x − d·⌊x/d⌋` in it, and what is left out.
    fn without_remainder(&self, form: &Polynomial) -> Option<(Polynomial, Interval)> {
        let numerator = form.numerator();
        numerator.terms().iter().find_map(|(monomial, n)| {
            let &[(indeterminate, 1)] = monomial.as_slice() else { return None };
            let Some(Meaning::Floor { of, by }) = self.meaning(indeterminate) else { return None };
            let by = i128::from(*by);
            if n % by != 0 {
                return None;
            }
            let remainder =
                of.minus(&Polynomial::indeterminate(indeterminate).scaled(by).ok()?).ok()?;
            let other = numerator.plus(&remainder.scaled(n / by).ok()?).ok()?;
            let is_less = other.terms().len() < numerator.terms().len();
            let rest = Interval { low: Some(0), high: Some(by - 1) };
            is_less.then(|| (other, rest.scaled(-(n / by))))
        })
    }

    fn interval_of_terms(
        &self,
        form: &Polynomial,
        known: &mut BTreeMap<Indeterminate, Interval>,
    ) -> Interval {
        let mut sum = Interval::point(0);
        for (monomial, n) in form.terms() {
            let mut term = Interval::point(*n);
            for (indeterminate, power) in monomial {
                let factor = self.range_beside(*indeterminate, known);
                for _ in 0..*power {
                    term = term.times(factor);
                }
            }
            sum = sum.plus(term);
        }
        rounded(sum, form.denominator().into())
    }

    pub(super) fn interval_of(&self, indeterminate: Indeterminate) -> Interval {
        self.range_beside(indeterminate, &mut BTreeMap::new())
    }

    fn range_beside(
        &self,
        indeterminate: Indeterminate,
        known: &mut BTreeMap<Indeterminate, Interval>,
    ) -> Interval {
        let Some(meaning) = self.meaning(indeterminate) else { return self.range(indeterminate) };
        if let Some(interval) = known.get(&indeterminate) {
            return *interval;
        }
        let mut of = |form: &Polynomial| self.interval_beside(form, known);
        let interval = match meaning {
            Meaning::Floor { of: form, by } => of(form).floor((*by).into()),
            Meaning::Quotient { of: form, by } => {
                let (of, by) = (of(form), of(by));
                match (of.low, by.low) {
                    // Of something it is no less than one, since it is exact.
                    (Some(low @ 0..), Some(least @ 1..)) => {
                        let high = of.high.map(|high| high.div_euclid(least));
                        Interval { low: Some(low.min(1)), high }
                    }
                    _ => Interval::ALL,
                }
            }
            Meaning::Least(a, b) => of(a).least(of(b)),
            Meaning::Sum(a, b) => of(a).plus(of(b)),
            Meaning::Product(a, b) => of(a).times(of(b)),
        };
        known.insert(indeterminate, interval);
        interval
    }
}

/// The whole numbers of an interval that is divided by a positive number.
pub(super) fn rounded(all: Interval, by: i128) -> Interval {
    let low = all.low.map(|low| up(low, by));
    Interval { low, high: all.high.map(|high| high.div_euclid(by)) }
}
