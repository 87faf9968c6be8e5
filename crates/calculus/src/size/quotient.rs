//! Exact quotients of sizes, in one form.
//!
//! | written | kept as |
//! |---|---|
//! | `(m/2)/n`, `m/(2·n)` | `m/n` with the denominator 2: where the whole is exact, `m/n` is |
//! | `(m/n)/k` | `m/(n·k)` |
//! | `(m·k)/(n·k)` | `m/n`: what both have as a factor goes |
//! | `(m/(n·k))·n` | `m/k` |

use super::{
    Overflow,
    polynomial::{Monomial, Polynomial, gcd},
    table::{Meaning, Sizes},
};

/// How many quotients of an equation are multiplied out.
const MOST_MULTIPLIED: usize = 6;

impl Sizes {
    /// The quotient, which whoever divides requires to be exact. That by 0 is 0.
    pub fn quotient(&mut self, of: &Polynomial, by: &Polynomial) -> Polynomial {
        if by.as_constant() == Some(0) {
            return Polynomial::ZERO;
        }
        if let Ok(Some(quotient)) = of.divided(by) {
            return quotient;
        }
        if by.as_constant().is_some() {
            // Together with the denominator it would be too large.
            return Polynomial::indeterminate(
                self.indeterminate(Meaning::Quotient { of: of.clone(), by: by.clone() }),
            );
        }
        let flat = self.flattened(of, by).unwrap_or_else(|Overflow| (of.clone(), by.clone()));
        let common = Polynomial::of_monomial(&common_factors(&flat.0, &flat.1));
        let (of, by) = without(&common, flat);
        if let Ok(Some(quotient)) = of.divided(&by) {
            return quotient;
        }
        let (by, number) = primitive(by);
        let quotient = Polynomial::indeterminate(self.indeterminate(Meaning::Quotient { of, by }));
        quotient.over(number).unwrap_or(Polynomial::ZERO) // it has no denominator, so this fits
    }

    /// What divides something, and that, without what they have as a common factor that is never 0.
    pub(super) fn in_lowest_terms(
        &self,
        of: &Polynomial,
        by: &Polynomial,
    ) -> (Polynomial, Polynomial) {
        let (of, by) = self.flattened(of, by).unwrap_or_else(|Overflow| (of.clone(), by.clone()));
        let mut common = common_factors(&of, &by);
        common.retain(|(indeterminate, _)| {
            self.interval_of(*indeterminate).low.is_some_and(|low| low > 0)
        });
        without(&Polynomial::of_monomial(&common), (of, by))
    }

    /// An equation with exact quotients, multiplied by what they are divided by; `None` where there
    /// are none, or by too much, or by what may be 0.
    pub(super) fn multiplied_out(&mut self, form: &Polynomial) -> Option<Polynomial> {
        let mut whole = form.clone();
        for _ in 0..MOST_MULTIPLIED {
            let divisor = |indeterminate| match self.meaning(indeterminate) {
                Some(Meaning::Quotient { by, .. }) => Some(by.clone()),
                _ => None,
            };
            let Some(by) = whole.indeterminates().into_iter().find_map(divisor) else {
                return Some(whole).filter(|whole| whole != form);
            };
            if self.interval(&by).low.is_none_or(|low| low < 1) {
                return None;
            }
            whole = whole.times(&by).and_then(|whole| self.cancelled(whole)).ok()?;
        }
        None
    }

    /// Both sides of a quotient without denominators, a common number, and quotients that are all
    /// of a side.
    fn flattened(
        &self,
        of: &Polynomial,
        by: &Polynomial,
    ) -> Result<(Polynomial, Polynomial), Overflow> {
        let (above, below) = (i128::from(by.denominator()), i128::from(of.denominator()));
        let (mut of, mut by) = (of.numerator().scaled(above)?, by.numerator().scaled(below)?);
        while let Some((more_of, more_by)) = self.as_quotient(&of)? {
            (of, by) = (more_of, by.times(&more_by)?);
        }
        while let Some((more_of, more_by)) = self.as_quotient(&by)? {
            (of, by) = (of.times(&more_by)?, more_of);
        }
        let number = Polynomial::constant(gcd(of.content(), by.content()).max(1));
        Ok(without(&number, (of, by)))
    }

    /// The sides of a quotient that is all of a term.
    fn as_quotient(&self, form: &Polynomial) -> Result<Option<(Polynomial, Polynomial)>, Overflow> {
        let [(monomial, n)] = form.terms() else { return Ok(None) };
        let found =
            monomial.iter().find_map(|(indeterminate, power)| match self.meaning(*indeterminate) {
                Some(Meaning::Quotient { of, by }) if *power == 1 => Some((*indeterminate, of, by)),
                _ => None,
            });
        let Some((indeterminate, of, by)) = found else { return Ok(None) };
        let others: Monomial =
            monomial.iter().filter(|(other, _)| *other != indeterminate).copied().collect();
        Ok(Some((Polynomial::of_monomial(&others).scaled(*n)?.times(of)?, by.clone())))
    }

    /// A product without exact quotients beside factors of what they are divided by: `(m/n)·n` is
    /// `m`.
    pub(super) fn cancelled(&mut self, form: Polynomial) -> Result<Polynomial, Overflow> {
        let cancels = |(monomial, n): &(Monomial, i128)| {
            monomial.iter().find_map(|(indeterminate, power)| {
                let Some(Meaning::Quotient { of, by }) = self.meaning(*indeterminate) else {
                    return None;
                };
                let others =
                    monomial.iter().filter(|(other, _)| other != indeterminate).copied().collect();
                let rest = Polynomial::of_monomial(&others).scaled(*n).ok()?;
                let is_whole =
                    matches!(rest.divided(by), Ok(Some(rest)) if rest.denominator() == 1);
                let is_less = is_whole || !common_factors(&rest, by).is_empty();
                (*power == 1 && is_less).then(|| (rest, of.clone(), by.clone()))
            })
        };
        let terms = form.terms();
        let Some((place, (rest, of, by))) =
            terms.iter().enumerate().find_map(|(place, term)| Some((place, cancels(term)?)))
        else {
            return Ok(form);
        };
        let (monomial, n) = &terms[place];
        let others = form.numerator().minus(&Polynomial::of_monomial(monomial).scaled(*n)?)?;
        let other = self.quotient(&rest.times(&of)?, &by);
        self.cancelled(others.plus(&other)?.over(form.denominator())?)
    }
}

/// A form without the number that divides all of it, and that.
fn primitive(form: Polynomial) -> (Polynomial, u64) {
    let content = form.content();
    let number = Polynomial::constant(content.max(1));
    match (form.divided(&number), u64::try_from(content)) {
        (Ok(Some(form)), Ok(content @ 2..)) => (form, content),
        _ => (form, 1),
    }
}

/// Two sides of a quotient without a factor that both have.
fn without(common: &Polynomial, (of, by): (Polynomial, Polynomial)) -> (Polynomial, Polynomial) {
    let cancelled = |side: &Polynomial| side.divided(common).ok().flatten();
    match (cancelled(&of), cancelled(&by)) {
        (Some(of), Some(by)) => (of, by),
        _ => (of, by),
    }
}

/// The indeterminates that are factors of all terms of two forms.
fn common_factors(a: &Polynomial, b: &Polynomial) -> Monomial {
    let mut terms = a.terms().iter().chain(b.terms()).map(|(monomial, _)| monomial);
    let Some(first) = terms.next() else { return Monomial::new() };
    let mut common: Monomial = first.clone();
    for monomial in terms {
        common.retain(|(indeterminate, power)| {
            let other = monomial.iter().find(|(other, _)| other == indeterminate);
            *power = other.map_or(0, |(_, other)| (*other).min(*power));
            *power > 0
        });
    }
    common
}
