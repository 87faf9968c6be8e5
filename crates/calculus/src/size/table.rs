//! The sizes that a program computes with, each once.
//!
//! An open size is a [polynomial](super::Polynomial) over **indeterminates**: names with their
//! ranges, and what no sum or product says: floors, exact quotients that do not divide out, minima,
//! and, where a form grows beyond the cap, names by their definitions. Everything is kept in one
//! normal form, so that the same form is the same size.
//!
//! | written | kept as |
//! |---|---|
//! | `⌊(8·n + m + 5)/4⌋` | `2·n + 1 + ⌊(m + 1)/4⌋`: what divides is outside |
//! | `⌊(2·n + 1)/4⌋` | `⌊n/2⌋`: common factors go, with what they leave of the number |
//! | `⌊(⌊n/2⌋ + m)/3⌋` | `⌊(n + 2·m)/6⌋`: a floor inside another is one |
//! | `⌈n/4⌉` | `⌊(n + 3)/4⌋` |
//! | `n mod 4` | `n − 4·⌊n/4⌋` |
//! | `max(a, b)` | `a + b − min(a, b)` |
//! | `n/8`, exact | `n` with the denominator 8 |

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};

use crate::number::index;

use super::{
    Decision, Overflow, Requirement, Size, SizeKind, SizeSymbol,
    interval::Interval,
    polynomial::{Indeterminate, Polynomial},
};

/// The definition of an indeterminate that is not a name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Meaning {
    /// `⌊of/by⌋`, reduced as far as its numbers fit.
    Floor {
        of: Polynomial,
        by: u64,
    },
    /// The exact quotient `of/by`.
    Quotient {
        of: Polynomial,
        by: Polynomial,
    },
    /// The least of two.
    Least(Polynomial, Polynomial),
    /// A sum or a product that is too large to be written out.
    Sum(Polynomial, Polynomial),
    Product(Polynomial, Polynomial),
}

/// The table of a program's sizes: ranges of names, and the forms of computed sizes.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// By name, the range of its values, which are not negative; `FROM_ONE` for names beyond the
    /// end.
    ranges: Vec<Interval>,
    /// Whether an axis is written as 0.
    has_empty: bool,
    meanings: Vec<Meaning>,
    numbers: BTreeMap<Meaning, u32>,
    open: Vec<Polynomial>,
    forms: BTreeMap<Polynomial, u32>,
    /// The sizes that are taken for others, to which they are equal under a requirement.
    pub(super) equal: BTreeMap<Size, Size>,
    /// The names whose values are known at run time, and not before.
    pub(super) run_time: BTreeSet<SizeSymbol>,
    pub(super) decided: Decided,
}

/// The decisions that hold for the ranges that names have now, kept because layers of a model
/// repeat their equations.
#[derive(Default, Debug)]
pub(super) struct Decided(pub(super) BTreeMap<Requirement, Decision>);

/// Decisions follow from the rest of a table, so they do not tell two tables apart.
impl PartialEq for Decided {
    fn eq(&self, _: &Decided) -> bool {
        true
    }
}

impl Eq for Decided {}

/// A copy is made to solve something else, or with other ranges: it begins with nothing.
impl Clone for Decided {
    fn clone(&self) -> Decided {
        Decided::default()
    }
}

/// The first index of indeterminates that are not names.
const OTHERS: u32 = 1 << 31;

/// The range of a name without a range of its own.
const FROM_ONE: Interval = Interval { low: Some(1), high: None };

impl Sizes {
    /// No sizes.
    pub const fn new() -> Sizes {
        Sizes {
            ranges: Vec::new(),
            has_empty: false,
            meanings: Vec::new(),
            numbers: BTreeMap::new(),
            open: Vec::new(),
            forms: BTreeMap::new(),
            equal: BTreeMap::new(),
            run_time: BTreeSet::new(),
            decided: Decided(BTreeMap::new()),
        }
    }

    /// A name as an indeterminate.
    pub fn name(name: SizeSymbol) -> Indeterminate {
        Indeterminate(name.index())
    }

    /// The values of a name: from 1 on, where nothing else was said.
    pub fn range(&self, name: Indeterminate) -> Interval {
        self.ranges.get(name.0 as usize).copied().unwrap_or(FROM_ONE)
    }

    /// The values of names, as far as something was said of them.
    pub(super) fn ranges_of_names(&self) -> &[Interval] {
        &self.ranges
    }

    /// Says which values a name has.
    pub fn set_range(&mut self, name: SizeSymbol, range: Interval) {
        let place = name.index() as usize;
        if self.ranges.len() <= place {
            self.ranges.resize(place + 1, FROM_ONE);
        }
        self.ranges[place] = range;
        self.decided.0.clear();
    }

    /// Says that an axis is written as 0.
    pub fn allow_empty(&mut self) {
        self.has_empty = true;
    }

    /// Whether there is a size that may be 0.
    pub fn may_be_empty(&self) -> bool {
        self.has_empty || self.ranges.iter().any(|range| range.low.is_none_or(|low| low < 1))
    }

    /// Whether a form is 0, or has a name that may be.
    pub fn may_vanish(&self, form: &Polynomial) -> bool {
        let may_be_0 = |name: &Indeterminate| self.range(*name).low.is_none_or(|low| low < 1);
        *form == Polynomial::ZERO || self.may_be_empty() && self.names(form).iter().any(may_be_0)
    }

    /// The table without the ranges of names, but for their least values.
    #[must_use]
    pub fn without_ranges(&self) -> Sizes {
        let from = |range: &Interval| Interval { low: range.low.map(|low| low.min(1)), high: None };
        let ranges = self.ranges.iter().map(from).collect();
        Sizes { ranges, run_time: BTreeSet::new(), ..self.clone() }
    }

    /// The symbol of a name.
    pub fn symbol(name: Indeterminate) -> Option<SizeSymbol> {
        (name.0 < OTHERS).then(|| SizeSymbol::new(name.0))
    }

    /// Whether a name occurs in a size that is computed.
    pub fn computes_with(&self, name: SizeSymbol) -> bool {
        let name = Sizes::name(name);
        self.open.iter().any(|form| self.names(form).contains(&name))
    }

    /// The definition of an indeterminate that is not a name.
    pub(super) fn meaning(&self, indeterminate: Indeterminate) -> Option<&Meaning> {
        self.meanings.get(indeterminate.0.checked_sub(OTHERS)? as usize)
    }

    pub(super) fn indeterminate(&mut self, meaning: Meaning) -> Indeterminate {
        let next = index(self.meanings.len());
        let number = *self.numbers.entry(meaning.clone()).or_insert(next);
        if number == next {
            self.meanings.push(meaning);
        }
        Indeterminate(OTHERS | number)
    }

    /// The size that a polynomial is; `None` for a number that is not a size.
    pub fn size(&mut self, form: &Polynomial) -> Option<Size> {
        if let Some(n) = form.as_constant() {
            return u64::try_from(n).ok().and_then(|n| Size::int(n).ok());
        }
        if let Some(name) = form.as_indeterminate().and_then(Sizes::symbol) {
            return Some(Size::symbol(name));
        }
        let next = u32::try_from(self.open.len()).ok()?;
        let number = *self.forms.entry(form.clone()).or_insert(next);
        if number == next {
            self.open.push(form.clone());
        }
        Some(Size::computed(number))
    }

    /// The polynomial of a size.
    pub fn form(&self, size: Size) -> Polynomial {
        match size.kind() {
            SizeKind::Int(n) => Polynomial::constant(n.into()),
            SizeKind::Symbol(name) => match self.equal.get(&size) {
                None => Polynomial::indeterminate(Sizes::name(name)),
                Some(other) => self.form(*other),
            },
            // What is written as 0; and that of another table is nothing here.
            SizeKind::Computed(number) => {
                self.open.get(number as usize).cloned().unwrap_or(Polynomial::ZERO)
            }
        }
    }

    /// The sum of two.
    pub fn sum(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        a.plus(b).unwrap_or_else(|Overflow| self.defined(Meaning::Sum, a, b))
    }

    /// The product of two.
    pub fn product(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let product = a.times(b).and_then(|product| self.cancelled(product));
        product.unwrap_or_else(|Overflow| self.defined(Meaning::Product, a, b))
    }

    /// The difference of two.
    pub fn difference(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let negative = self.product(b, &Polynomial::constant(-1));
        self.sum(a, &negative)
    }

    /// Whether some size is kept as it was computed.
    pub fn has_capped(&self) -> bool {
        self.meanings.iter().any(is_definition)
    }

    /// Whether a size is kept as it was computed, since it is too large to be written out.
    pub fn is_capped(&self, size: Size) -> bool {
        let mut meanings = self
            .form(size)
            .indeterminates()
            .into_iter()
            .filter_map(|indeterminate| self.meaning(indeterminate));
        matches!(size.kind(), SizeKind::Computed(_)) && meanings.any(is_definition)
    }

    fn defined(
        &mut self,
        meaning: fn(Polynomial, Polynomial) -> Meaning,
        a: &Polynomial,
        b: &Polynomial,
    ) -> Polynomial {
        let (first, second) = if a <= b { (a, b) } else { (b, a) };
        Polynomial::indeterminate(self.indeterminate(meaning(first.clone(), second.clone())))
    }

    /// `⌊of/by⌋` for a number that is not 0.
    pub fn floor(&mut self, of: &Polynomial, by: u64) -> Polynomial {
        if by <= 1 && of.denominator() == 1 {
            return of.clone();
        }
        self.reduced_floor(of, by).unwrap_or_else(|Overflow| {
            Polynomial::indeterminate(
                self.indeterminate(Meaning::Floor { of: of.clone(), by: by.max(1) }),
            )
        })
    }

    fn reduced_floor(&mut self, of: &Polynomial, by: u64) -> Result<Polynomial, Overflow> {
        let mut by = of.denominator().checked_mul(by).ok_or(Overflow)?;
        let mut of = of.numerator();
        let mut outside = Polynomial::ZERO;
        loop {
            let divisor = i128::from(by);
            // Coefficients between −by/2 and by/2; what divides is outside.
            let mut inside = Polynomial::ZERO;
            for (monomial, n) in of.terms() {
                let rest = n.rem_euclid(divisor);
                let is_far = !monomial.is_empty() && rest > divisor / 2;
                let rest = if is_far { rest - divisor } else { rest };
                let term = |n: i128| Polynomial::of_monomial(monomial).scaled(n);
                inside = inside.plus(&term(rest)?)?;
                outside = outside.plus(&term((n - rest) / divisor)?)?;
            }
            let common = inside.others().fold(divisor, |g, (_, n)| super::polynomial::gcd(g, *n));
            if common > 1 {
                // ⌊(g·p + c)/(g·d)⌋ = ⌊(p + ⌊c/g⌋)/d⌋.
                let constant = inside.constant_term();
                let others = inside.minus(&Polynomial::constant(constant))?;
                let Some(others) = others.divided(&Polynomial::constant(common))? else {
                    return Err(Overflow);
                };
                of = others.plus(&Polynomial::constant(constant.div_euclid(common)))?;
                by = u64::try_from(divisor / common).map_err(|_| Overflow)?;
                if by == 1 {
                    return outside.plus(&of);
                }
                continue;
            }
            // ⌊(⌊x/d⌋ + p)/by⌋ = ⌊(x + d·p)/(d·by)⌋, where there is one floor.
            if let Some((indeterminate, inner, inner_by)) = self.lone_floor(&inside) {
                let rest = inside.minus(&Polynomial::indeterminate(indeterminate))?;
                of = inner.plus(&rest.scaled(inner_by.into())?)?;
                by = by.checked_mul(inner_by).ok_or(Overflow)?;
                continue;
            }
            if let Some(n) = self.interval(&inside).floor(divisor).as_point() {
                return outside.plus(&Polynomial::constant(n));
            }
            // Of ⌊p/d⌋ and −⌊(−p + d − 1)/d⌋ that whose first coefficient is positive.
            let leading = inside.others().last().map_or(1, |(_, n)| *n);
            if leading < 0 {
                let turned = inside.scaled(-1)?.plus(&Polynomial::constant(divisor - 1))?;
                let indeterminate = self.indeterminate(Meaning::Floor { of: turned, by });
                return outside.minus(&Polynomial::indeterminate(indeterminate));
            }
            let indeterminate = self.indeterminate(Meaning::Floor { of: inside, by });
            return outside.plus(&Polynomial::indeterminate(indeterminate));
        }
    }

    /// The only floor of a sum, if it is there once.
    fn lone_floor(&self, of: &Polynomial) -> Option<(Indeterminate, Polynomial, u64)> {
        let is_floor = |indeterminate: &Indeterminate| {
            matches!(self.meaning(*indeterminate), Some(Meaning::Floor { .. }))
        };
        let mut floors = of.indeterminates().into_iter().filter(is_floor);
        let (indeterminate, None) = (floors.next()?, floors.next()) else { return None };
        let alone =
            of.terms().iter().filter(|(m, _)| m.iter().any(|(other, _)| *other == indeterminate));
        let mut alone = alone.map(|(m, n)| (m.as_slice(), *n));
        let (Some((&[(_, 1)], 1)), None) = (alone.next(), alone.next()) else { return None };
        match self.meaning(indeterminate) {
            Some(Meaning::Floor { of, by }) => Some((indeterminate, of.clone(), *by)),
            _ => None,
        }
    }

    /// `⌈of/by⌉` for a number that is not 0.
    pub fn ceiling(&mut self, of: &Polynomial, by: u64) -> Polynomial {
        let minus_one = Polynomial::constant(-1);
        let negative = self.product(of, &minus_one);
        let floor = self.floor(&negative, by);
        self.product(&floor, &minus_one)
    }

    /// The remainder of dividing by a number that is not 0.
    pub fn remainder(&mut self, of: &Polynomial, by: u64) -> Polynomial {
        let floor = self.floor(of, by);
        let whole = self.product(&floor, &Polynomial::constant(by.into()));
        self.difference(of, &whole)
    }

    /// The least of two.
    pub fn least(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let difference = self.difference(a, b);
        let interval = self.interval(&difference);
        if interval.high.is_some_and(|high| high <= 0) {
            return a.clone();
        }
        if interval.low.is_some_and(|low| low >= 0) {
            return b.clone();
        }
        self.defined(Meaning::Least, a, b)
    }

    /// The greatest of two.
    pub fn greatest(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let (both, least) = (self.sum(a, b), self.least(a, b));
        self.difference(&both, &least)
    }

    /// The names that a requirement is over.
    pub fn names_of(&self, requirement: &Requirement) -> Vec<SizeSymbol> {
        let names: BTreeSet<Indeterminate> =
            requirement.forms().flat_map(|form| self.names(form)).collect();
        names.into_iter().filter_map(Sizes::symbol).collect()
    }

    /// The names that a form is over.
    pub fn names(&self, form: &Polynomial) -> BTreeSet<Indeterminate> {
        let mut names = BTreeSet::new();
        self.add_names(form, &mut names);
        names
    }

    /// Whether a form has more than `most` names and operations when it is written out.
    pub fn is_longer(&self, form: &Polynomial, most: usize) -> bool {
        self.left_of(form, most).is_none()
    }

    /// How many of `most` names and operations are left over when a form is written out; `None`
    /// when it has more.
    fn left_of(&self, form: &Polynomial, most: usize) -> Option<usize> {
        form.indeterminates().into_iter().try_fold(most, |left, indeterminate| {
            let left = left.checked_sub(1)?;
            match self.meaning(indeterminate) {
                None => Some(left),
                Some(Meaning::Floor { of, .. }) => self.left_of(of, left),
                Some(
                    Meaning::Quotient { of: a, by: b }
                    | Meaning::Least(a, b)
                    | Meaning::Sum(a, b)
                    | Meaning::Product(a, b),
                ) => self.left_of(b, self.left_of(a, left)?),
            }
        })
    }

    fn add_names(&self, form: &Polynomial, names: &mut BTreeSet<Indeterminate>) {
        for indeterminate in form.indeterminates() {
            match self.meaning(indeterminate) {
                None => {
                    names.insert(indeterminate);
                }
                Some(Meaning::Floor { of, .. }) => self.add_names(of, names),
                Some(
                    Meaning::Quotient { of: a, by: b }
                    | Meaning::Least(a, b)
                    | Meaning::Sum(a, b)
                    | Meaning::Product(a, b),
                ) => {
                    self.add_names(a, names);
                    self.add_names(b, names);
                }
            }
        }
    }

    /// The number that a form is where names have these values; `None` where a division is not
    /// exact, or a number does not fit.
    pub fn value(
        &self,
        form: &Polynomial,
        name: &impl Fn(Indeterminate) -> Option<i128>,
    ) -> Option<i128> {
        self.value_beside(form, name, &mut BTreeMap::new())
    }

    /// The value of a form, by the values of indeterminates that are known already: floors are
    /// inside floors, and each is in many others.
    fn value_beside(
        &self,
        form: &Polynomial,
        name: &impl Fn(Indeterminate) -> Option<i128>,
        known: &mut BTreeMap<Indeterminate, Option<i128>>,
    ) -> Option<i128> {
        form.value(|indeterminate| {
            let Some(meaning) = self.meaning(indeterminate) else { return name(indeterminate) };
            if let Some(value) = known.get(&indeterminate) {
                return *value;
            }
            let mut of = |form: &Polynomial| self.value_beside(form, name, known);
            let mut both = |a, b| of(a).zip(of(b));
            let value = match meaning {
                Meaning::Floor { of: form, by } => of(form).map(|of| of.div_euclid((*by).into())),
                Meaning::Quotient { of, by } => {
                    both(of, by).filter(|(of, by)| *by != 0 && of % by == 0).map(|(of, by)| of / by)
                }
                Meaning::Least(a, b) => both(a, b).map(|(a, b)| a.min(b)),
                Meaning::Sum(a, b) => both(a, b).and_then(|(a, b)| a.checked_add(b)),
                Meaning::Product(a, b) => both(a, b).and_then(|(a, b)| a.checked_mul(b)),
            };
            known.insert(indeterminate, value);
            value
        })
    }

    /// A form with another in the place of every name.
    pub fn substituted(
        &mut self,
        form: &Polynomial,
        name: &dyn Fn(Indeterminate) -> Option<Polynomial>,
    ) -> Polynomial {
        let mut values: BTreeMap<Indeterminate, Polynomial> = BTreeMap::new();
        for indeterminate in form.indeterminates() {
            let Some(meaning) = self.meaning(indeterminate).cloned() else {
                values.insert(
                    indeterminate,
                    name(indeterminate).unwrap_or_else(|| Polynomial::indeterminate(indeterminate)),
                );
                continue;
            };
            let value = match meaning {
                Meaning::Floor { of, by } => {
                    let of = self.substituted(&of, name);
                    self.floor(&of, by)
                }
                Meaning::Quotient { of, by } => {
                    let (of, by) = (self.substituted(&of, name), self.substituted(&by, name));
                    self.quotient(&of, &by)
                }
                Meaning::Least(a, b) => {
                    let (a, b) = (self.substituted(&a, name), self.substituted(&b, name));
                    self.least(&a, &b)
                }
                Meaning::Sum(a, b) => {
                    let (a, b) = (self.substituted(&a, name), self.substituted(&b, name));
                    self.sum(&a, &b)
                }
                Meaning::Product(a, b) => {
                    let (a, b) = (self.substituted(&a, name), self.substituted(&b, name));
                    self.product(&a, &b)
                }
            };
            values.insert(indeterminate, value);
        }
        let mut sum = Polynomial::ZERO;
        for (monomial, n) in form.terms() {
            let mut term = Polynomial::constant(*n);
            for (indeterminate, power) in monomial {
                for _ in 0..*power {
                    term = self.product(&term, &values[indeterminate]);
                }
            }
            sum = self.sum(&sum, &term);
        }
        match sum.over(form.denominator()) {
            Ok(quotient) => quotient,
            Err(Overflow) => self.quotient(&sum, &Polynomial::constant(form.denominator().into())),
        }
    }
}

/// Whether it is a sum or a product that is too large to be written out.
fn is_definition(meaning: &Meaning) -> bool {
    matches!(meaning, Meaning::Sum(..) | Meaning::Product(..))
}
