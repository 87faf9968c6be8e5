//! Equations between sizes without the factors that are never 0, and solved for a name.

use alloc::vec::Vec;

use super::{
    SizeSymbol,
    polynomial::{Indeterminate, Monomial, Polynomial},
    table::{Meaning, Sizes},
};

impl Sizes {
    /// The form without factors that are at least 1, which is 0 where the form is: `b − 1` for
    /// `b·s·64 − s·64`.
    pub fn without_factors(&self, form: &Polynomial) -> Polynomial {
        let mut rest = form.primitive();
        for indeterminate in form.indeterminates() {
            let is_positive = self.interval_of(indeterminate).low.is_some_and(|low| low >= 1);
            if !is_positive {
                continue;
            }
            let factor = Polynomial::indeterminate(indeterminate);
            while let Ok(Some(quotient)) = rest.divided(&factor) {
                if quotient.denominator() != 1 || quotient == Polynomial::ZERO {
                    break;
                }
                rest = quotient;
            }
        }
        rest
    }

    /// The two forms whose minimum a form is, if it is one.
    pub fn as_least(&self, form: &Polynomial) -> Option<[Polynomial; 2]> {
        match self.meaning(form.as_indeterminate()?)? {
            Meaning::Least(a, b) => Some([a.clone(), b.clone()]),
            _ => None,
        }
    }

    /// How many indeterminates there are in a form and in what these stand for, each as often as it
    /// is written; no more than `most` are counted.
    pub fn weight(&self, form: &Polynomial, most: usize) -> usize {
        let mut weight = 0;
        for (monomial, _) in form.terms() {
            for (indeterminate, _) in monomial {
                weight += 1;
                let inner = match self.meaning(*indeterminate) {
                    None => [None, None],
                    Some(Meaning::Floor { of, .. }) => [Some(of), None],
                    Some(
                        Meaning::Quotient { of: a, by: b }
                        | Meaning::Least(a, b)
                        | Meaning::Sum(a, b)
                        | Meaning::Product(a, b),
                    ) => [Some(a), Some(b)],
                };
                for form in inner.into_iter().flatten() {
                    if weight < most {
                        weight += self.weight(form, most - weight);
                    }
                }
                if weight >= most {
                    return most;
                }
            }
        }
        weight
    }

    /// A name that `form = 0` can be solved for, and what it is then: the last name that occurs in
    /// one term, by itself.
    pub fn solved(&mut self, form: &Polynomial) -> Option<(SizeSymbol, Polynomial)> {
        let form = self.without_factors(form);
        let is_candidate = |(monomial, factor): &(Monomial, i128)| {
            let [(indeterminate, 1)] = monomial.as_slice() else { return None };
            (factor.abs() == 1)
                .then_some((*indeterminate, *factor))
                .filter(|(indeterminate, _)| Sizes::symbol(*indeterminate).is_some())
        };
        let mut candidates: Vec<(Indeterminate, i128)> =
            form.terms().iter().filter_map(is_candidate).collect();
        candidates.sort_unstable();
        candidates.into_iter().rev().find_map(|(indeterminate, factor)| {
            let own = Polynomial::indeterminate(indeterminate).scaled(factor).ok()?;
            let rest = own.minus(&form).ok()?.scaled(factor).ok()?;
            let is_alone = !self.names(&rest).contains(&indeterminate);
            Some((Sizes::symbol(indeterminate)?, rest)).filter(|_| is_alone)
        })
    }
}
