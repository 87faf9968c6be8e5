//! Bounds of polynomials that interval arithmetic does not see.
//!
//! Every name is its least value and something that is not negative. Written over these, a
//! polynomial without negative coefficients is least where all of them are 0: `m·n − 2·n` with `m ≥
//! 3` and `n ≥ 2` is `2 + n' + 2·m' + m'·n'`, so at least 2.

use super::{
    Overflow,
    interval::Interval,
    polynomial::{Monomial, Polynomial},
    table::Sizes,
};

impl Sizes {
    /// The interval of the values of a polynomial, as far as the signs of its terms give it.
    pub(super) fn shifted(&self, form: &Polynomial) -> Interval {
        if form.denominator() != 1 {
            return Interval::ALL;
        }
        let Ok(shifted) = self.over_least(form) else { return Interval::ALL };
        let constant = Some(shifted.constant_term());
        let all = |is: fn(i128) -> bool| shifted.others().all(|(_, n)| is(*n));
        Interval {
            low: constant.filter(|_| all(|n| n >= 0)),
            high: constant.filter(|_| all(|n| n <= 0)),
        }
    }

    /// The polynomial written over the differences between names and their least values.
    fn over_least(&self, form: &Polynomial) -> Result<Polynomial, Overflow> {
        let mut sum = Polynomial::ZERO;
        for (monomial, n) in form.terms() {
            sum = sum.plus(&self.monomial_over_least(monomial)?.scaled(*n)?)?;
        }
        Ok(sum)
    }

    fn monomial_over_least(&self, monomial: &Monomial) -> Result<Polynomial, Overflow> {
        let mut product = Polynomial::constant(1);
        for (indeterminate, power) in monomial {
            let least = Polynomial::constant(self.interval_of(*indeterminate).low.ok_or(Overflow)?);
            let name = Polynomial::indeterminate(*indeterminate).plus(&least)?;
            for _ in 0..*power {
                product = product.times(&name)?;
            }
        }
        Ok(product)
    }
}
