//! Polynomials over indeterminates with integer coefficients and one denominator.
//!
//! `(Σ cᵢ·mᵢ)/d`, monomials in order, no coefficient 0, nothing that divides all of them and `d`.
//! So two that are equal as functions are the same value. A denominator above 1 is an exact
//! quotient: that it divides is a requirement of whoever divided.

use alloc::vec::Vec;
use core::cmp::Ordering;

use smallvec::SmallVec;

use super::Overflow;

/// A name, or something else that no sum or product says: an index of the [table](super::Sizes).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Indeterminate(pub(super) u32);

/// A product of powers of indeterminates, in order; that of none is 1.
pub(super) type Monomial = SmallVec<[(Indeterminate, u32); 2]>;

/// `(Σ cᵢ·mᵢ)/d`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Polynomial {
    terms: Vec<(Monomial, i128)>,
    /// At least 1.
    denominator: u64,
}

/// The most terms, and the highest degree: what is larger gets a name by its definition.
const MOST_TERMS: usize = 64;
const HIGHEST_DEGREE: u32 = 12;

impl Polynomial {
    /// No elements.
    pub const ZERO: Polynomial = Polynomial { terms: Vec::new(), denominator: 1 };

    /// A number.
    pub fn constant(n: i128) -> Polynomial {
        let terms = if n == 0 { Vec::new() } else { alloc::vec![(Monomial::new(), n)] };
        Polynomial { terms, denominator: 1 }
    }

    /// An indeterminate as a polynomial.
    pub fn indeterminate(indeterminate: Indeterminate) -> Polynomial {
        Polynomial {
            terms: alloc::vec![(Monomial::from_slice(&[(indeterminate, 1)]), 1)],
            denominator: 1,
        }
    }

    /// The number that it is, if it is one.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, n)] if monomial.is_empty() && self.denominator == 1 => Some(*n),
            _ => None,
        }
    }

    /// The indeterminate that it is, if it is one.
    pub(super) fn as_indeterminate(&self) -> Option<Indeterminate> {
        match self.terms.as_slice() {
            [(monomial, 1)] if self.denominator == 1 => match monomial.as_slice() {
                [(indeterminate, 1)] => Some(*indeterminate),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn terms(&self) -> &[(Monomial, i128)] {
        &self.terms
    }

    pub(super) fn denominator(&self) -> u64 {
        self.denominator
    }

    /// Without its denominator.
    pub(super) fn numerator(&self) -> Polynomial {
        Polynomial { terms: self.terms.clone(), denominator: 1 }
    }

    /// The shortest form that is 0 wherever this one is: without a denominator and what divides all
    /// terms, and with a positive last term.
    pub(super) fn primitive(&self) -> Polynomial {
        let content = self.content().max(1);
        let sign = self.terms.last().map_or(1, |(_, n)| n.signum());
        let mut form = self.numerator();
        for (_, n) in &mut form.terms {
            *n /= content * sign;
        }
        form
    }

    /// The greatest number that divides all terms of the numerator; 0 for 0.
    pub(super) fn content(&self) -> i128 {
        self.terms.iter().fold(0, |g, (_, n)| gcd(g, *n))
    }

    /// The greatest number that divides every coefficient but the constant one; 0 for a number.
    pub(super) fn content_of_others(&self) -> i128 {
        self.others().fold(0, |g, (_, n)| gcd(g, *n))
    }

    /// A product of indeterminates as a polynomial.
    pub(super) fn of_monomial(monomial: &Monomial) -> Polynomial {
        Polynomial { terms: alloc::vec![(monomial.clone(), 1)], denominator: 1 }
    }

    /// The sum of the terms that the numerator adds, and of those that it subtracts.
    pub(super) fn sides(&self) -> [Polynomial; 2] {
        [1, -1].map(|sign: i128| {
            let of_side = self.terms.iter().filter(|(_, n)| n.signum() == sign);
            let terms = of_side.map(|(monomial, n)| (monomial.clone(), n.saturating_abs()));
            Polynomial { terms: terms.collect(), denominator: 1 }
        })
    }

    /// The number that is added; of the numerator.
    pub(super) fn constant_term(&self) -> i128 {
        let is_constant = |(monomial, _): &&(Monomial, i128)| monomial.is_empty();
        self.terms.iter().find(is_constant).map_or(0, |(_, n)| *n)
    }

    /// The terms that are not numbers.
    pub(super) fn others(&self) -> impl Iterator<Item = &(Monomial, i128)> {
        self.terms.iter().filter(|(monomial, _)| !monomial.is_empty())
    }

    /// The indeterminates in it, in order.
    pub(super) fn indeterminates(&self) -> Vec<Indeterminate> {
        let all = self
            .terms
            .iter()
            .flat_map(|(monomial, _)| monomial.iter().map(|(indeterminate, _)| *indeterminate));
        let mut indeterminates: Vec<Indeterminate> = all.collect();
        indeterminates.sort_unstable();
        indeterminates.dedup();
        indeterminates
    }

    /// Whether it is a sum of multiples of indeterminates.
    pub(super) fn is_linear(&self) -> bool {
        self.terms.iter().all(|(monomial, _)| degree(monomial) <= 1)
    }

    fn made(mut terms: Vec<(Monomial, i128)>, denominator: u64) -> Result<Polynomial, Overflow> {
        terms.sort_unstable_by(|(a, _), (b, _)| by_degree(a, b));
        let mut sums: Vec<(Monomial, i128)> = Vec::with_capacity(terms.len());
        for (monomial, n) in terms {
            match sums.last_mut() {
                Some((last, sum)) if *last == monomial => {
                    *sum = sum.checked_add(n).ok_or(Overflow)?;
                }
                _ => sums.push((monomial, n)),
            }
        }
        sums.retain(|(_, n)| *n != 0);
        Polynomial::reduced(sums, denominator)
    }

    /// The polynomial with these terms, which are in order, each with a coefficient other than 0.
    fn reduced(terms: Vec<(Monomial, i128)>, denominator: u64) -> Result<Polynomial, Overflow> {
        if terms.len() > MOST_TERMS || terms.iter().any(|(m, _)| degree(m) > HIGHEST_DEGREE) {
            return Err(Overflow);
        }
        let mut made = Polynomial { terms, denominator };
        if denominator == 1 {
            return Ok(made);
        }
        let common = made.terms.iter().fold(denominator.into(), |g, (_, n)| gcd(g, *n));
        if common > 1 {
            for (_, n) in &mut made.terms {
                *n /= common;
            }
            made.denominator =
                u64::try_from(i128::from(denominator) / common).map_err(|_| Overflow)?;
        }
        Ok(made)
    }

    pub(super) fn plus(&self, other: &Polynomial) -> Result<Polynomial, Overflow> {
        let common = lcm(self.denominator, other.denominator)?;
        let [by, other_by] = [self, other].map(|side| i128::from(common / side.denominator));
        // Both are in order.
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        let mut terms = Vec::with_capacity(left.len() + right.len());
        loop {
            let order = match (left.first(), right.first()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => by_degree(a, b),
            };
            let mut n = 0;
            let mut monomial = None;
            if let (Some(((m, own), rest)), true) = (left.split_first(), order.is_le()) {
                (n, monomial, left) = (own.checked_mul(by).ok_or(Overflow)?, Some(m), rest);
            }
            if let (Some(((m, own), rest)), true) = (right.split_first(), order.is_ge()) {
                let own = own.checked_mul(other_by).ok_or(Overflow)?;
                (n, monomial, right) = (n.checked_add(own).ok_or(Overflow)?, Some(m), rest);
            }
            if let (Some(monomial), true) = (monomial, n != 0) {
                terms.push((monomial.clone(), n));
            }
        }
        Polynomial::reduced(terms, common)
    }

    pub(super) fn minus(&self, other: &Polynomial) -> Result<Polynomial, Overflow> {
        self.plus(&other.scaled(-1)?)
    }

    pub(super) fn scaled(&self, by: i128) -> Result<Polynomial, Overflow> {
        if by == 0 {
            return Ok(Polynomial::ZERO);
        }
        let term = |(m, n): &(Monomial, i128)| Ok((m.clone(), n.checked_mul(by).ok_or(Overflow)?));
        let terms: Result<Vec<_>, Overflow> = self.terms.iter().map(term).collect();
        Polynomial::reduced(terms?, self.denominator)
    }

    pub(super) fn times(&self, other: &Polynomial) -> Result<Polynomial, Overflow> {
        for (number, side) in [(self.as_constant(), other), (other.as_constant(), self)] {
            if let Some(number) = number {
                return side.scaled(number);
            }
        }
        if self.terms.len().saturating_mul(other.terms.len()) > MOST_TERMS * MOST_TERMS {
            return Err(Overflow);
        }
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (a, m) in &self.terms {
            for (b, n) in &other.terms {
                terms.push((product(a, b), m.checked_mul(*n).ok_or(Overflow)?));
            }
        }
        let denominator = self.denominator.checked_mul(other.denominator).ok_or(Overflow)?;
        Polynomial::made(terms, denominator)
    }

    /// The exact quotient by a number that is not 0.
    pub(super) fn over(&self, by: u64) -> Result<Polynomial, Overflow> {
        let denominator = self.denominator.checked_mul(by).ok_or(Overflow)?;
        Polynomial::made(self.terms.clone(), denominator)
    }

    /// The quotient by a polynomial that divides it, if it does.
    pub(super) fn divided(&self, by: &Polynomial) -> Result<Option<Polynomial>, Overflow> {
        let Some((lead, factor)) = by.terms.last() else { return Ok(None) };
        if by.terms.len() == 1 && lead.is_empty() {
            let sign = factor.signum();
            let by_number = u64::try_from(factor.unsigned_abs()).map_err(|_| Overflow)?;
            let scaled = self.scaled(sign * i128::from(by.denominator))?;
            return scaled.over(by_number).map(Some);
        }
        // Long division by the last monomial, with the quotients of coefficients as they come.
        let (mut rest, mut quotient) = (self.clone(), Polynomial::ZERO);
        for _ in 0..=MOST_TERMS {
            let Some((last, n)) = rest.terms.last() else { return Ok(Some(quotient)) };
            let Some(monomial) = quotient_of(last, lead) else { return Ok(None) };
            let (n, denominator) = (*n, rest.denominator);
            let sign = factor.signum();
            let scale = n.checked_mul(sign).and_then(|n| n.checked_mul(by.denominator.into()));
            let below =
                u64::try_from(factor.unsigned_abs()).ok().and_then(|f| f.checked_mul(denominator));
            let (Some(scale), Some(below)) = (scale, below) else { return Err(Overflow) };
            let step = Polynomial::made(alloc::vec![(monomial, scale)], below)?;
            rest = rest.minus(&step.times(by)?)?;
            quotient = quotient.plus(&step)?;
        }
        Ok(None)
    }

    /// The value of the form at these values of its indeterminates; `None` where it is not a whole
    /// number, or does not fit.
    pub(super) fn value(
        &self,
        mut indeterminate: impl FnMut(Indeterminate) -> Option<i128>,
    ) -> Option<i128> {
        let mut sum = 0_i128;
        for (monomial, n) in &self.terms {
            let mut term = *n;
            for (factor, power) in monomial {
                term = term.checked_mul(indeterminate(*factor)?.checked_pow(*power)?)?;
            }
            sum = sum.checked_add(term)?;
        }
        let by = i128::from(self.denominator);
        (sum % by == 0).then_some(sum / by)
    }
}

fn degree(monomial: &Monomial) -> u32 {
    monomial.iter().map(|(_, power)| power).sum()
}

/// The lower degree first; of one degree, that with less of the first indeterminate. Products keep
/// this order, so that division ends.
fn by_degree(a: &Monomial, b: &Monomial) -> Ordering {
    degree(a).cmp(&degree(b)).then_with(|| {
        let differ = a.iter().zip(b).find(|(a, b)| a != b);
        differ.map_or(Ordering::Equal, |((a, m), (b, n))| b.cmp(a).then(m.cmp(n)))
    })
}

fn product(a: &Monomial, b: &Monomial) -> Monomial {
    let mut all: Monomial = a.clone();
    for (indeterminate, power) in b {
        match all.iter_mut().find(|(other, _)| other == indeterminate) {
            Some((_, sum)) => *sum += power,
            None => all.push((*indeterminate, *power)),
        }
    }
    all.sort_unstable();
    all
}

fn quotient_of(a: &Monomial, by: &Monomial) -> Option<Monomial> {
    let mut left = a.clone();
    for (indeterminate, power) in by {
        let (_, of) = left.iter_mut().find(|(other, _)| other == indeterminate)?;
        *of = of.checked_sub(*power)?;
    }
    left.retain(|(_, power)| *power > 0);
    Some(left)
}

/// The greatest common divisor of two numbers; 1, which divides everything, where it is 2^127.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    i128::try_from(common_divisor(a.unsigned_abs(), b.unsigned_abs())).unwrap_or(1)
}

/// The greatest common divisor of two numbers; of 0 and a number that number.
pub(super) fn common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

pub(super) fn lcm(a: u64, b: u64) -> Result<u64, Overflow> {
    let g = u64::try_from(gcd(a.into(), b.into())).map_err(|_| Overflow)?;
    (a / g).checked_mul(b).ok_or(Overflow)
}
