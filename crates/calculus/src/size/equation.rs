//! What an equation between sizes says, by the ranges of its names.
//!
//! | the equation | says |
//! |---|---|
//! | holds for all values | nothing: [`Decision::Always`] |
//! | for none | [`Decision::Never`] |
//! | over one name, for one value | that the name is that number: [`Decision::Is`] |
//! | over one name, for several values; or this is not found out | [`Decision::Requires`] it |
//! | over several names, and not for all values | [`Decision::Several`]: different names are different sizes |
//!
//! Over one name this is exact but for minima and quotients: on the residues of the name modulo the
//! least common multiple of all divisors floors are polynomials, and those have roots. Over several
//! names a form that vanishes on a grid with more values of each name than its degree, for each
//! residue, vanishes everywhere.

use alloc::{collections::BTreeMap, vec::Vec};

use super::{
    Decision, Overflow, Requirement,
    bounds::rounded,
    grid::{Extent, LARGEST_PERIOD, MOST_TRIED, Tried},
    interval::Interval,
    known::{divisors, up},
    polynomial::{Indeterminate, Polynomial},
    residue,
    roots::{Univariate, roots},
    table::{Meaning, Sizes},
};

/// How many decisions are kept.
const MOST_DECIDED: usize = 1024;

/// The largest number whose divisors are looked for.
const MOST_DIVIDED: u64 = 100_000;

/// The values of a name that satisfy an equation.
struct Solutions {
    /// The residues modulo this number all of whose values are solutions.
    period: u64,
    classes: Vec<u64>,
    /// The single values that are solutions besides.
    points: Vec<i128>,
}

impl Solutions {
    /// The decision that a name has one of these values; `None` where that is a requirement that
    /// cannot be said shorter.
    fn decide(&self, name: Indeterminate, range: Interval) -> Option<Decision> {
        let Solutions { period, classes, points } = self;
        let in_class = |residue: &u64| class_range(range, *period, *residue).count();
        let counts: Option<Vec<u128>> = classes.iter().map(in_class).collect();
        let all: Option<u128> =
            counts.map(|counts| counts.iter().sum::<u128>() + points.len() as u128);
        match all {
            Some(0) => return Some(Decision::Never),
            Some(all) if range.count() == Some(all) => return Some(Decision::Always),
            Some(1) => {
                let class = classes.iter().find_map(|class| {
                    let of = class_range(range, *period, *class);
                    Some(of.low? * i128::from(*period) + i128::from(*class))
                        .filter(|_| !of.is_empty())
                });
                if let Some(n) = points.first().copied().or(class) {
                    return Some(is(name, n));
                }
            }
            None if classes.len() as u64 == *period => return Some(Decision::Always),
            Some(_) | None => {}
        }
        let count = classes.len() as u64;
        if points.is_empty() && count > 0 && period % count == 0 {
            let modulus = period / count;
            let (first, step) = (classes[0], modulus);
            let even = classes.iter().zip(0..).all(|(class, place)| *class == first + place * step);
            let shifted = Polynomial::indeterminate(name)
                .minus(&Polynomial::constant((first % modulus).into()));
            if let (true, Ok(shifted)) = (even, shifted) {
                return Some(Decision::Requires(Requirement::Divides(modulus, shifted)));
            }
        }
        None
    }
}

impl Sizes {
    /// Decides `form = 0`.
    pub fn decide(&mut self, form: &Polynomial) -> Decision {
        let decision = self.decide_whether(form, false);
        let whole = self.multiplied_out(form);
        let whole = whole.as_ref().unwrap_or(form);
        self.at_run_time(decision, || Requirement::Zero(whole.numerator().primitive()))
    }

    /// A decision in which an equation over a size that is known at run time becomes a requirement.
    fn at_run_time(&self, decision: Decision, asked: impl Fn() -> Requirement) -> Decision {
        let is_late = |name| self.is_at_run_time(name);
        match decision {
            _ if !self.has_run_time() => decision,
            Decision::Is(name, n) if Sizes::symbol(name).is_some_and(is_late) => {
                let value = Polynomial::constant(n.into());
                let is_it = Polynomial::indeterminate(name).minus(&value);
                let is_it = is_it.expect("a name less a number of 64 bits");
                Decision::Requires(Requirement::Zero(is_it))
            }
            Decision::Several if self.names_of(&asked()).into_iter().any(is_late) => {
                Decision::Requires(asked())
            }
            decision => decision,
        }
    }

    /// Decides whether a form can be 0; `is_periodic` says that it depends on residues of names
    /// only, as remainders do.
    fn decide_whether(&mut self, form: &Polynomial, is_periodic: bool) -> Decision {
        let form = &self.with_numbers(form).numerator();
        if let Some(n) = form.as_constant() {
            return if n == 0 { Decision::Always } else { Decision::Never };
        }
        let content = form.content_of_others();
        if !self.interval(form).has(0) || content != 0 && form.constant_term() % content != 0 {
            return Decision::Never;
        }
        if let Some(whole) = self.multiplied_out(form) {
            return self.decide_whether(&whole, is_periodic);
        }
        let names: Vec<Indeterminate> = self.names(form).into_iter().collect();
        if let [name] = *names.as_slice() {
            return self.decide_one(form, name);
        }
        match self.tried(form, &names) {
            Tried { fails: false, holds: true, extent: Extent::Enough | Extent::All } => {
                Decision::Always
            }
            Tried { holds: false, extent: Extent::All, .. } => Decision::Never,
            Tried { holds: false, extent: Extent::Enough, .. } if is_periodic => Decision::Never,
            Tried { fails: true, .. } => Decision::Several,
            Tried { .. } => Decision::Requires(Requirement::Zero(form.primitive())),
        }
    }

    /// A form with the numbers of names that have one value only.
    fn with_numbers(&mut self, form: &Polynomial) -> Polynomial {
        let number = |name: &Indeterminate| Some((*name, self.range(*name).as_point()?));
        let numbers: BTreeMap<Indeterminate, i128> =
            self.names(form).iter().filter_map(number).collect();
        if numbers.is_empty() {
            return form.clone();
        }
        self.substituted(form, &|name| numbers.get(&name).map(|n| Polynomial::constant(*n)))
    }

    fn decide_one(&self, form: &Polynomial, name: Indeterminate) -> Decision {
        let required = || Decision::Requires(Requirement::Zero(form.primitive()));
        let range = self.range(name);
        let Some(found) = self.solutions(form, name, range) else {
            let size = range.count().filter(|count| *count <= MOST_TRIED);
            let (Some(_), Some(low), Some(high)) = (size, range.low, range.high) else {
                return required();
            };
            let holds = |n: &i128| self.value(form, &|_| Some(*n)) == Some(0);
            let values: Vec<i128> = (low..=high).filter(holds).take(2).collect();
            return match values.as_slice() {
                [] => Decision::Never,
                [n] => is(name, *n),
                _ if (low..=high).all(|n| holds(&n)) => Decision::Always,
                _ => required(),
            };
        };
        found.decide(name, range).unwrap_or_else(required)
    }

    /// The values of the one name of an equation that satisfy it, in order, where they are few and
    /// known.
    pub fn roots(&self, requirement: &Requirement) -> Option<Vec<i128>> {
        let (Requirement::Zero(form), [name]) = (requirement, &self.names_of(requirement)[..])
        else {
            return None;
        };
        let name = Sizes::name(*name);
        let Solutions { classes, mut points, .. } = self.solutions(form, name, self.range(name))?;
        points.sort_unstable();
        classes.is_empty().then_some(points)
    }

    /// Decides `form ≥ least`.
    pub fn decide_at_least(&mut self, form: &Polynomial, least: i128) -> Decision {
        let form = &self.with_numbers(form);
        // p/d ≥ n if and only if p ≥ d·n.
        let by = i128::from(form.denominator());
        let (form, least) = match least.checked_mul(by) {
            Some(least) => (&form.numerator(), least),
            None => return Decision::Requires(Requirement::AtLeast(form.clone(), least)),
        };
        let (form, least) = &without_number(form, least).unwrap_or((form.clone(), least));
        let least = *least;
        // ⌊p/d⌋ ≥ n if and only if p ≥ d·n.
        if let Some(Meaning::Floor { of, by }) =
            form.as_indeterminate().and_then(|indeterminate| self.meaning(indeterminate))
        {
            if let Some(least) = least.checked_mul((*by).into()) {
                let of = of.clone();
                return self.decide_at_least(&of, least);
            }
        }
        // −⌊p/d⌋ ≥ n if and only if −p ≥ d·(n − 1) + 1.
        let negated = form.scaled(-1).ok().and_then(|form| form.as_indeterminate());
        if let Some(Meaning::Floor { of, by }) =
            negated.and_then(|indeterminate| self.meaning(indeterminate))
        {
            let least =
                least.checked_sub(1).and_then(|n| n.checked_mul((*by).into())?.checked_add(1));
            if let (Some(least), Ok(of)) = (least, of.scaled(-1)) {
                return self.decide_at_least(&of, least);
            }
        }
        let interval =
            self.extent(form).unwrap_or_else(|| self.interval(form).meet(self.shifted(form)));
        if interval.low.is_some_and(|low| low >= least) || self.is_product_above(form, least) {
            return Decision::Always;
        }
        if interval.high.is_some_and(|high| high < least) {
            return Decision::Never;
        }
        let required = || Decision::Requires(Requirement::AtLeast(form.clone(), least));
        let names: Vec<Indeterminate> = self.names(form).into_iter().collect();
        if let ([name], false) = (names.as_slice(), form.is_linear()) {
            return self.tried_at_least(form, least, *name).unwrap_or_else(required);
        }
        let ([name], true) = (names.as_slice(), form.is_linear()) else { return required() };
        let mut others = form.others();
        let (Some((monomial, factor)), None) = (others.next(), others.next()) else {
            return required();
        };
        if monomial.as_slice() != [(*name, 1)] || *factor != 1 || form.constant_term() != 0 {
            return required();
        }
        match self.range(*name).high {
            Some(high) if high < least => Decision::Never,
            Some(high) if high == least => is(*name, least),
            _ => required(),
        }
    }

    /// Whether a form is a name times another form, and by what both are at least no less than
    /// this.
    fn is_product_above(&self, form: &Polynomial, least: i128) -> bool {
        let low = |form: &Polynomial| {
            let interval = self.extent(form).unwrap_or_else(|| self.interval(form));
            interval.low.filter(|low| *low > 0)
        };
        !form.is_linear()
            && self.names(form).into_iter().any(|name| {
                let name = Polynomial::indeterminate(name);
                let Ok(Some(other)) = form.divided(&name) else { return false };
                let least_product = low(&name).zip(low(&other)).map(|(a, b)| a.checked_mul(b));
                other.denominator() == 1 && least_product.flatten().is_some_and(|low| low >= least)
            })
    }

    /// Decides `form ≥ least` over the one name of a form, by trying all its values; `None` where
    /// they are many, or some satisfy it and others do not.
    fn tried_at_least(
        &self,
        form: &Polynomial,
        least: i128,
        name: Indeterminate,
    ) -> Option<Decision> {
        let range = self.range(name);
        range.count().filter(|count| *count <= MOST_TRIED)?;
        let holds = |n: i128| self.value(form, &|_| Some(n)).is_some_and(|value| value >= least);
        let values: Vec<i128> = (range.low?..=range.high?).filter(|n| holds(*n)).collect();
        match values.as_slice() {
            [] => Some(Decision::Never),
            _ if range.count() == Some(values.len() as u128) => Some(Decision::Always),
            [n] => Some(is(name, *n)),
            _ => None,
        }
    }

    /// Decides a requirement by the ranges of its names.
    pub fn decide_requirement(&mut self, requirement: &Requirement) -> Decision {
        if let Some(known) = self.decided.0.get(requirement) {
            return known.clone();
        }
        let decision = match requirement {
            Requirement::Divides(by, of) => self.decide_divides(*by, of),
            Requirement::AtLeast(of, least) => self.decide_at_least(of, *least),
            Requirement::Zero(form) => self.decide(form),
            Requirement::Exact(of, by) => self.decide_exact(of, by),
        };
        let decision = self.at_run_time(decision, || requirement.clone());
        if self.decided.0.len() < MOST_DECIDED {
            self.decided.0.insert(requirement.clone(), decision.clone());
        }
        decision
    }

    /// Whether a requirement holds where names have these values; `None` where that is not known.
    pub fn holds(
        &self,
        requirement: &Requirement,
        name: &impl Fn(Indeterminate) -> Option<i128>,
    ) -> Option<bool> {
        let value = |form: &Polynomial| self.value(form, name);
        let is_known =
            |form: &Polynomial| self.names(form).into_iter().all(|own| name(own).is_some());
        match requirement {
            // A quotient that is not exact is no number, and divisible by none.
            Requirement::Divides(by, of) => {
                is_known(of).then(|| value(of).is_some_and(|of| of.rem_euclid((*by).into()) == 0))
            }
            Requirement::AtLeast(of, least) => {
                is_known(of).then(|| value(of).is_some_and(|of| of >= *least))
            }
            Requirement::Zero(form) => is_known(form).then(|| value(form) == Some(0)),
            Requirement::Exact(of, by) => (is_known(of) && is_known(by)).then(|| {
                let (of, by) = (value(of), value(by));
                matches!((of, by), (Some(of), Some(by)) if by != 0 && of % by == 0)
            }),
        }
    }

    /// Whether a requirement follows from another one.
    pub fn follows(&self, requirement: &Requirement, from: &Requirement) -> bool {
        match (requirement, from) {
            (Requirement::Divides(n, of), Requirement::Divides(m, other)) => {
                m % n == 0 && (of == other || residue::is_multiple(of, other, *n))
            }
            // By how much one is at least above the other.
            (Requirement::AtLeast(of, n), Requirement::AtLeast(other, m)) => {
                let above = of.minus(other).ok().and_then(|above| self.interval(&above).low);
                let above = above.and_then(|above| above.checked_add(*m));
                above.is_some_and(|least| least >= *n)
                    || self.is_factor(of, *n, other, *m)
                    || self.has_factor(of, *n, other, *m)
                    || self.is_above(of, *n, other, *m)
            }
            // Beside what is 0.
            (Requirement::AtLeast(of, n), Requirement::Zero(other)) => {
                let beside = [of.minus(other), other.scaled(-1).and_then(|less| of.minus(&less))];
                let low = |rest: Polynomial| self.interval(&rest).low.is_some_and(|low| low >= *n);
                beside.into_iter().flatten().any(low)
            }
            (Requirement::AtLeast(of, n), Requirement::Divides(m, other)) => {
                self.first_multiple((*m).into(), other, of).is_some_and(|least| least >= *n)
            }
            // What divides a factor of a divisor.
            (Requirement::Divides(n, of), Requirement::Exact(other, by)) => {
                of == other && by.denominator() == 1 && by.content() % i128::from(*n) == 0
            }
            (Requirement::Exact(of, by), Requirement::Exact(other, all)) if of == other => {
                matches!(all.divided(by), Ok(Some(rest)) if rest.denominator() == 1)
            }
            (one, other) => one == other,
        }
    }

    /// Whether `of ≥ n` follows from `of·g ≥ m`, where `g` is a number of 1 to another one: then
    /// `of ≥ m/g`.
    fn is_factor(&self, of: &Polynomial, n: i128, product: &Polynomial, m: i128) -> bool {
        let Ok(Some(factor)) = product.divided(of) else { return false };
        let range = self.interval(&factor);
        match (range.low, range.high) {
            (Some(1..), Some(high)) if factor.denominator() == 1 && m > 0 => {
                rounded(Interval { low: Some(m), high: None }, high).low.is_some_and(|low| low >= n)
            }
            _ => false,
        }
    }

    /// Whether `of ≥ n` holds for all values of a name that are at least `m`.
    fn is_above(&self, of: &Polynomial, n: i128, name: &Polynomial, m: i128) -> bool {
        let Some(name) =
            name.as_indeterminate().filter(|indeterminate| Sizes::symbol(*indeterminate).is_some())
        else {
            return false;
        };
        let least = Interval { low: Some(m), high: None };
        let range = |other: Indeterminate| {
            let range = self.range(other);
            if other == name { range.meet(least) } else { range }
        };
        let extent = self.extent_within(of, &range);
        extent.and_then(|extent| extent.low).is_some_and(|low| low >= n)
    }

    /// Whether `g·h ≥ n` follows from `g ≥ m`, by what `h` is at least.
    fn has_factor(&self, product: &Polynomial, n: i128, g: &Polynomial, m: i128) -> bool {
        let Ok(Some(h)) = product.divided(g) else { return false };
        let low = self.interval(&h).low.filter(|low| *low > 0 && m > 0 && h.denominator() == 1);
        low.and_then(|low| low.checked_mul(m)).is_some_and(|least| least >= n)
    }

    /// The least value of `of` where a number divides `other`, which is `c·of + d`: a multiple is
    /// at least the first multiple in range.
    fn first_multiple(&self, number: i128, other: &Polynomial, of: &Polynomial) -> Option<i128> {
        let times = other.content_of_others().checked_div(of.content_of_others())?.max(1);
        let rest = other.minus(&of.scaled(times).ok()?).ok()?.as_constant()?;
        let low = self.interval(other).meet(self.shifted(other)).low?;
        let multiple = low.checked_add((number - low.rem_euclid(number)) % number)?;
        rounded(Interval { low: Some(multiple.checked_sub(rest)?), high: None }, times).low
    }

    /// Decides whether a number divides a form.
    pub fn decide_divides(&mut self, number: u64, form: &Polynomial) -> Decision {
        let required = || Decision::Requires(Requirement::Divides(number, form.clone()));
        // Of a polynomial over one name it says which residues that has.
        let classes = residue::classes(form, number, LARGEST_PERIOD);
        let of_name = classes.filter(|(indeterminate, ..)| Sizes::symbol(*indeterminate).is_some());
        if let Some((name, period, mut classes)) = of_name {
            let range = self.range(name);
            classes.retain(|class| !class_range(range, period, *class).is_empty());
            let found = Solutions { period, classes, points: Vec::new() };
            return found.decide(name, range).unwrap_or_else(required);
        }
        let rest = self.remainder(form, number);
        match self.decide_whether(&rest, true) {
            Decision::Requires(Requirement::Zero(_)) | Decision::Several => required(),
            decided => decided,
        }
    }

    /// Decides whether a form divides another.
    pub fn decide_exact(&mut self, of: &Polynomial, by: &Polynomial) -> Decision {
        let divided = of.divided(by);
        // A number that is too large for a denominator stays beside it, as it does in a quotient.
        let is_number = by.as_constant().is_some();
        let lowest = (!is_number).then(|| self.in_lowest_terms(of, by));
        let (of, by) = lowest.as_ref().map_or((of, by), |(of, by)| (of, by));
        match divided.map(|quotient| quotient.or_else(|| of.divided(by).ok().flatten())) {
            Ok(Some(quotient)) if quotient.denominator() == 1 => Decision::Always,
            Ok(Some(quotient)) => {
                self.decide_divides(quotient.denominator(), &quotient.numerator())
            }
            Ok(None) | Err(Overflow) => self.decide_divisor(of, by),
        }
    }

    /// Decides whether a form over one name divides a number; other forms stay undecided.
    fn decide_divisor(&self, of: &Polynomial, by: &Polynomial) -> Decision {
        let required = || Decision::Requires(Requirement::Exact(of.clone(), by.clone()));
        let names: Vec<Indeterminate> = self.names(by).into_iter().collect();
        let number = of.as_constant().and_then(|n| u64::try_from(n).ok());
        let number = number.filter(|n| (1..=MOST_DIVIDED).contains(n));
        let (Some(number), [name]) = (number, names.as_slice()) else { return required() };
        // A divisor is one of finitely many numbers.
        let mut values = Vec::new();
        for divisor in divisors(number).map(i128::from) {
            let Ok(equation) = by.minus(&Polynomial::constant(divisor)) else { return required() };
            match self.solutions(&equation.numerator(), *name, self.range(*name)) {
                Some(Solutions { classes, points, .. }) if classes.is_empty() => {
                    values.extend(points);
                }
                Some(_) | None => return required(),
            }
        }
        match values.as_slice() {
            [] => Decision::Never,
            [n] => is(*name, *n),
            _ => required(),
        }
    }

    /// The values of a name for which a form over it alone is 0; `None` where that is not found
    /// out.
    fn solutions(
        &self,
        form: &Polynomial,
        name: Indeterminate,
        range: Interval,
    ) -> Option<Solutions> {
        let period = self.period(form, name)?;
        let (mut classes, mut points) = (Vec::new(), Vec::new());
        for residue in 0..period {
            let within = class_range(range, period, residue);
            if within.is_empty() {
                continue;
            }
            let on_class = self.on_class(form, period, residue)?;
            if on_class.is_zero() {
                classes.push(residue);
                continue;
            }
            for root in roots(&on_class, within)? {
                points.push(root.checked_mul(period.into())?.checked_add(residue.into())?);
            }
        }
        points.sort_unstable();
        Some(Solutions { period, classes, points })
    }

    /// A form over one name as a polynomial of `t`, where the name is `period·t + residue`.
    fn on_class(&self, form: &Polynomial, period: u64, residue: u64) -> Option<Univariate> {
        let mut sum = Univariate::constant(0);
        for (monomial, n) in form.terms() {
            let mut term = Univariate::constant(*n);
            for (indeterminate, power) in monomial {
                let factor = self.atom_on_class(*indeterminate, period, residue)?;
                for _ in 0..*power {
                    term = term.times(&factor)?;
                }
            }
            sum = sum.plus(&term)?;
        }
        (form.denominator() == 1).then_some(sum)
    }

    fn atom_on_class(
        &self,
        indeterminate: Indeterminate,
        period: u64,
        residue: u64,
    ) -> Option<Univariate> {
        let Some(meaning) = self.meaning(indeterminate) else {
            return Some(Univariate::linear(period.into(), residue.into()));
        };
        match meaning {
            Meaning::Floor { of, by } => self.on_class(of, period, residue)?.floor((*by).into()),
            Meaning::Sum(a, b) => {
                self.on_class(a, period, residue)?.plus(&self.on_class(b, period, residue)?)
            }
            Meaning::Product(a, b) => {
                self.on_class(a, period, residue)?.times(&self.on_class(b, period, residue)?)
            }
            Meaning::Least(..) | Meaning::Quotient { .. } => None,
        }
    }
}

fn is(name: Indeterminate, n: i128) -> Decision {
    u64::try_from(n).map_or(Decision::Never, |n| Decision::Is(name, n))
}

/// The `t` for which `period·t + residue` is in a range.
fn class_range(range: Interval, period: u64, residue: u64) -> Interval {
    let (period, residue) = (i128::from(period), i128::from(residue));
    Interval {
        low: range.low.map(|low| up(low - residue, period)),
        high: range.high.map(|high| (high - residue).div_euclid(period)),
    }
}

/// `form ≥ least` with all numbers on the right, and without a common factor on the left; `None`
/// where that does not fit.
fn without_number(form: &Polynomial, least: i128) -> Option<(Polynomial, i128)> {
    let number = form.constant_term();
    let least = least.checked_sub(number)?;
    let form = form.minus(&Polynomial::constant(number)).ok()?;
    let common = form.content_of_others();
    if common <= 1 {
        return Some((form, least));
    }
    let least = up(least, common);
    let divided = form.divided(&Polynomial::constant(common)).ok()??;
    Some((divided, least))
}
