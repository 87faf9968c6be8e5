//! Sums and products of many sizes.

use alloc::vec::Vec;

use super::{
    Size,
    polynomial::{Indeterminate, Monomial, Polynomial},
    table::Sizes,
};

/// Sizes of so few terms add up to a form in every order.
const SHORT: usize = 8;

impl Sizes {
    /// A number and multiples of sizes; `None` where that is beyond what a form can be.
    pub fn linear(
        &self,
        constant: i128,
        terms: impl IntoIterator<Item = (i64, Size)>,
    ) -> Option<Polynomial> {
        terms.into_iter().try_fold(Polynomial::constant(constant), |sum, (coefficient, size)| {
            sum.plus(&self.form(size).scaled(coefficient.into()).ok()?).ok()
        })
    }

    /// A form as a sum of products: a number, and the names and other sizes that it multiplies.
    /// `None` where something is subtracted or divided.
    pub fn products(&self, form: &Polynomial) -> Option<Vec<(u64, Vec<Polynomial>)>> {
        let product = |(monomial, n): &(Monomial, i128)| {
            let power = |(indeterminate, power): &(Indeterminate, u32)| {
                core::iter::repeat_n(Polynomial::indeterminate(*indeterminate), *power as usize)
            };
            Some((u64::try_from(*n).ok()?, monomial.iter().flat_map(power).collect()))
        };
        let terms = (form.denominator() == 1).then(|| form.terms())?;
        terms.iter().map(product).collect()
    }

    /// `constant + Σ factor·size`.
    pub fn weighted(
        &mut self,
        constant: i128,
        terms: impl IntoIterator<Item = (Size, i128)>,
    ) -> Polynomial {
        let mut sum = Polynomial::constant(constant);
        let mut forms: Vec<(Polynomial, i128)> =
            terms.into_iter().map(|(size, factor)| (self.form(size), factor)).collect();
        if forms.iter().map(|(form, _)| form.terms().len()).sum::<usize>() > SHORT {
            put_in_order(&mut forms);
        }
        for (size, factor) in forms {
            let term = self.product(&Polynomial::constant(factor), &size);
            sum = self.sum(&sum, &term);
        }
        sum
    }

    /// `number·Π size`; `None` for a number that does not fit.
    pub fn multiplied(
        &mut self,
        number: u128,
        sizes: impl IntoIterator<Item = Size>,
    ) -> Option<Polynomial> {
        let mut product = Polynomial::constant(i128::try_from(number).ok()?);
        let mut forms: Vec<(Polynomial, ())> =
            sizes.into_iter().map(|size| (self.form(size), ())).collect();
        put_in_order(&mut forms);
        for (size, ()) in forms {
            product = self.product(&product, &size);
        }
        Some(product)
    }
}

/// Puts forms of sizes behind what they were computed from: a sum or product that is too large is
/// the same one in every order, and what was solved for comes last, where it cancels.
fn put_in_order<T>(forms: &mut [(Polynomial, T)]) {
    forms.sort_by_cached_key(|(form, _)| (form.indeterminates().into_iter().max(), form.clone()));
}
