//! Sizes that are equal under a requirement.
//!
//! Rules look at sizes in one way only: whether two of them are the same. So of two that have to be
//! equal, and are for some values of their name, one is taken for the other wherever it is
//! computed. Which one that is depends on nothing but what they are: a number, else a name, else
//! what is shorter, else what is less at the first values that tell.
//!
//! A name that is known at run time only is taken for whatever an equation says it is, as a
//! requirement: such an equation is solved for a name, so there is one name less, and this ends.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};
use core::cmp::{Ordering, Reverse};

use super::{
    Requirement, Size, SizeKind, SizeSymbol,
    polynomial::{Indeterminate, Polynomial},
    table::Sizes,
};

/// The most computed sizes that are taken for others.
const MOST_EQUATED: usize = 64;

/// The number of values at which two forms are compared.
const COMPARED: i128 = 16;

impl Sizes {
    /// Takes one of two sizes for the other under a requirement. Returns whether that is new.
    pub fn equate(&mut self, one: Size, other: Size, required: &Requirement) -> bool {
        let [one, other] = [self.taken_for(one), self.taken_for(other)];
        if one == other {
            return false;
        }
        if self.solve_at_run_time(required) {
            return true;
        }
        let (kept, left) = match self.by_length(one, other) {
            Ordering::Less | Ordering::Equal => (one, other),
            Ordering::Greater => (other, one),
        };
        let is_computed = matches!(left.kind(), SizeKind::Computed(_));
        is_computed && self.equal.insert(left, kept).is_none()
    }

    /// Takes a size for the number that it has to be. Returns whether that is new.
    pub fn equate_number(&mut self, asked: &Requirement) -> bool {
        let Requirement::Zero(form) = asked else { return false };
        let number = form.constant_term();
        let rest = form.minus(&Polynomial::constant(number)).ok();
        let size = rest.and_then(|rest| self.size(&rest));
        let number = u64::try_from(-number).ok().and_then(|number| Size::int(number).ok());
        size.zip(number).is_some_and(|(size, number)| self.equate(size, number, asked))
    }

    /// Takes a name that is known at run time for the size that an equation says it is. Returns
    /// whether there is such a name.
    pub fn solve_at_run_time(&mut self, required: &Requirement) -> bool {
        let Requirement::Zero(form) = required else { return false };
        let Some((name, factor)) = self.solvable(form) else { return false };
        let times = |by: i128| Polynomial::indeterminate(Sizes::name(name)).scaled(by);
        let rest = times(factor).and_then(|own| own.minus(form));
        let rest = rest.map(|rest| self.quotient(&rest, &Polynomial::constant(factor)));
        let Some(size) = rest.ok().and_then(|rest| self.size(&rest)) else { return false };
        self.put(name, size);
        self.equal.insert(Size::symbol(name), size);
        self.narrow(name, size);
        true
    }

    /// Says of a name that another is taken for that its values are among those of that one.
    fn narrow(&mut self, name: SizeSymbol, size: Size) {
        if let SizeKind::Symbol(other) = size.kind() {
            let values = self.range(Sizes::name(other)).meet(self.range(Sizes::name(name)));
            self.set_range(other, values);
        }
    }

    /// Narrows the ranges of all names that others are taken for. Returns whether a range became
    /// smaller.
    pub fn narrow_all(&mut self) -> bool {
        let taken: Vec<(Size, Size)> =
            self.equal.iter().map(|(one, other)| (*one, *other)).collect();
        let before = self.ranges_of_names().to_vec();
        for (one, _) in taken {
            if let SizeKind::Symbol(name) = one.kind() {
                self.narrow(name, self.taken_for(one));
            }
        }
        self.ranges_of_names() != before
    }

    /// Takes a name for itself again.
    pub fn take_back(&mut self, name: SizeSymbol) {
        self.equal.remove(&Size::symbol(name));
        self.decided.0.clear();
    }

    /// Takes all names for themselves again. Returns those that were taken for others.
    pub fn take_back_all(&mut self) -> BTreeSet<SizeSymbol> {
        let name = |size: &Size| match size.kind() {
            SizeKind::Symbol(name) => Some(name),
            SizeKind::Int(_) | SizeKind::Computed(_) => None,
        };
        let taken: BTreeSet<SizeSymbol> = self.equal.keys().filter_map(name).collect();
        self.equal.retain(|size, _| name(size).is_none());
        self.decided.0.clear();
        taken
    }

    /// Whether a size that is taken for another, or that other one, has a name in it.
    pub fn takes_with(&self, name: SizeSymbol) -> bool {
        self.equal
            .iter()
            .any(|(left, kept)| self.has_name(*left, name) || self.has_name(*kept, name))
    }

    fn has_name(&self, size: Size, name: SizeSymbol) -> bool {
        self.names(&self.form(size)).contains(&Sizes::name(name))
    }

    /// Says without a name what others are taken for. Those that are computed with it are found
    /// again.
    pub fn put(&mut self, name: SizeSymbol, size: Size) {
        let value = self.form(size);
        let value = |indeterminate: Indeterminate| {
            (indeterminate == Sizes::name(name)).then(|| value.clone())
        };
        let equal: Vec<(Size, Size)> =
            self.equal.iter().map(|(one, other)| (*one, *other)).collect();
        self.equal.clear();
        for (left, kept) in equal {
            let has_name = self.has_name(left, name) || self.has_name(kept, name);
            let is_name = matches!(left.kind(), SizeKind::Symbol(_));
            if is_name || !has_name {
                let form = self.form(kept);
                let form = self.substituted(&form, &value);
                let kept = self.size(&form).unwrap_or(kept);
                self.equal.insert(left, kept);
            }
        }
        self.decided.0.clear();
    }

    /// Whether a name that is known at run time is taken for what it has to be where this is
    /// required.
    pub fn is_solvable(&self, required: &Requirement) -> bool {
        self.has_run_time()
            && matches!(required, Requirement::Zero(form) if self.solvable(form).is_some())
    }

    /// The name that is known at run time for which an equation is solved, and its factor: that of
    /// the least factor, and the last of those.
    fn solvable(&self, form: &Polynomial) -> Option<(SizeSymbol, i128)> {
        let mut found: Option<(SizeSymbol, i128)> = None;
        for (monomial, factor) in form.others() {
            let [(indeterminate, 1)] = monomial.as_slice() else { continue };
            let Some(name) = Sizes::symbol(*indeterminate) else { continue };
            let rest = Polynomial::indeterminate(*indeterminate)
                .scaled(*factor)
                .and_then(|own| form.minus(&own));
            let is_alone = rest.is_ok_and(|rest| !self.names(&rest).contains(indeterminate));
            let is_better = found.is_none_or(|(known, least)| {
                (factor.abs(), Reverse(name)) < (least.abs(), Reverse(known))
            });
            if self.is_at_run_time(name) && is_alone && is_better {
                found = Some((name, *factor));
            }
        }
        found
    }

    /// Notes that a name is known at run time, and not before. Returns whether that is new.
    pub fn set_at_run_time(&mut self, name: SizeSymbol) -> bool {
        self.decided.0.clear();
        self.run_time.insert(name)
    }

    /// Whether a name is known at run time, and not before.
    pub fn is_at_run_time(&self, name: SizeSymbol) -> bool {
        self.run_time.contains(&name)
    }

    /// Whether there is a name that is known at run time, and not before.
    pub fn has_run_time(&self) -> bool {
        !self.run_time.is_empty()
    }

    /// After how many sizes that are taken for others no more are: each of them is a name less, or
    /// one of a few.
    pub fn most_equated(&self) -> usize {
        self.run_time.len() + MOST_EQUATED
    }

    /// An equation with what the names in it are taken for.
    pub fn as_taken(&mut self, asked: &Requirement) -> Requirement {
        let Requirement::Zero(form) = asked else { return asked.clone() };
        let taken: BTreeMap<Indeterminate, Polynomial> = self
            .names(form)
            .into_iter()
            .filter_map(|name| {
                let size = Size::symbol(Sizes::symbol(name)?);
                let other = self.taken_for(size);
                (other != size).then(|| (name, self.form(other)))
            })
            .collect();
        if taken.is_empty() {
            return asked.clone();
        }
        Requirement::Zero(self.substituted(form, &|name| taken.get(&name).cloned()))
    }

    /// Whether any size is taken for another.
    #[inline]
    pub fn has_taken(&self) -> bool {
        !self.equal.is_empty()
    }

    /// The size that a size is taken for: itself, unless it is equal to another under a
    /// requirement.
    pub fn taken_for(&self, mut size: Size) -> Size {
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
            // From the least value of each name on; from 0 where it has none.
            let value = |name: Indeterminate| Some(self.range(name).low.unwrap_or(0) + n);
            self.value(form, &value)
        };
        let by_kind = kind(one).cmp(&kind(other));
        by_kind
            .then_with(|| length(&a).cmp(&length(&b)))
            .then_with(|| (0..COMPARED).map(|n| at(&a, n)).cmp((0..COMPARED).map(|n| at(&b, n))))
            .then_with(|| a.cmp(&b))
    }
}
