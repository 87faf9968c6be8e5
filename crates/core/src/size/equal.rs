//! Sizes that are equal under a requirement.
//!
//! Rules look at sizes in one way only: whether two of them are the same. So of two that have to be equal, and are for some
//! values of their name, one is taken for the other wherever it is computed. Which one that is depends on nothing but
//! what they are: a number, else a name, else what is shorter, else what is less at the first values that tell.

use core::cmp::Ordering;

use super::{
    Requirement, Size, SizeKind,
    polynomial::{Atom, Polynomial},
    table::Sizes,
};

/// At how many values two forms are compared.
const COMPARED: i128 = 16;

impl Sizes {
    /// Takes one of two sizes for the other. Gives what that requires.
    pub(crate) fn equate(&mut self, one: Size, other: Size) -> Requirement {
        let [one, other] = [self.taken_for(one), self.taken_for(other)];
        let (kept, left) = match self.by_length(one, other) {
            Ordering::Less | Ordering::Equal => (one, other),
            Ordering::Greater => (other, one),
        };
        if kept != left {
            self.equal.insert(left, kept);
        }
        let [left, kept] = [left, kept].map(|size| self.form(size));
        Requirement::Zero(self.difference(&left, &kept))
    }

    /// What a size is taken for: itself, unless that is equal to another under a requirement.
    pub(crate) fn taken_for(&self, mut size: Size) -> Size {
        while let Some(other) = self.equal.get(&size) {
            size = *other;
        }
        size
    }

    fn by_length(&self, one: Size, other: Size) -> Ordering {
        let kind = |size: Size| match size.kind() {
            SizeKind::Int(_) => 0,
            SizeKind::Symbol(_) => 1,
            SizeKind::Computed(_) => 2,
        };
        let (a, b) = (self.form(one), self.form(other));
        let length = |form: &Polynomial| {
            let factors = form.terms().iter().flat_map(|(monomial, _)| monomial);
            let degree: u32 = factors.map(|(_, power)| power).sum();
            (form.terms().len(), degree, form.denominator())
        };
        let at = |form: &Polynomial, n: i128| {
            let value = |name: Atom| Some(self.range(name).low.unwrap_or(0) + n);
            self.value(form, &value)
        };
        let by_kind = kind(one).cmp(&kind(other));
        by_kind
            .then_with(|| length(&a).cmp(&length(&b)))
            .then_with(|| (0..COMPARED).map(|n| at(&a, n)).cmp((0..COMPARED).map(|n| at(&b, n))))
            .then_with(|| a.cmp(&b))
    }
}
