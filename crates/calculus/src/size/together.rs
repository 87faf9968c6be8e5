//! What requirements of one name say together: `n <= 1` and `2 divides n` exclude each other, with
//! `n <= 3` it is 2, and from `12 divides n` and `n >= 2` follows `n*n >= 36`.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{
    bounds::rounded,
    grid::MOST_TRIED,
    interval::Interval,
    polynomial::{Indeterminate, Polynomial, gcd},
    requirement::{Decision, Requirement},
    table::Sizes,
};

/// How many values are tried to find out what follows.
const MOST_FOLLOWED: i128 = 1 << 12;

/// How many values of a name satisfy requirements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommonValues {
    /// No value does.
    None,
    /// This one alone.
    One(i128),
    /// Several; or this is not found out.
    Several,
}

/// The values of a name, as far as requirements bound them one by one.
struct Bounded<'a> {
    range: Interval,
    /// Those that hold for a value if and only if they do for that and the period.
    periodic: Vec<&'a Requirement>,
    period: i128,
}

impl Sizes {
    /// How many values of a name satisfy all of these, which are over that name alone.
    pub fn common_values(
        &self,
        requirements: &[&Requirement],
        name: Indeterminate,
    ) -> CommonValues {
        let Bounded { range, periodic, period } = self.bounded(requirements, name);
        let Some(low) = range.low else { return CommonValues::Several };
        let upto = |last: i128| Interval { low: Some(low), high: Some(last) };
        let after = low.checked_add(period - 1).map(upto).map(|after| after.meet(range));
        if after.is_some_and(|after| self.fitting(after, &periodic) == CommonValues::None) {
            return CommonValues::None;
        }
        let roots = requirements.iter().find_map(|requirement| self.roots(requirement));
        match roots {
            Some(roots) => self.only_of(roots.into_iter(), requirements),
            None => self.fitting(range, requirements),
        }
    }

    /// Whether a requirement follows from others.
    pub fn follows_from(&self, requirement: &Requirement, others: &[&Requirement]) -> bool {
        if others.iter().any(|other| self.follows(requirement, other)) {
            return true;
        }
        let names = self.names_of(requirement);
        let mut tightened = Vec::new();
        for name in &names {
            let of_name = others.iter().filter(|other| self.names_of(other) == [*name]);
            let of_name: Vec<&Requirement> = of_name.copied().collect();
            let indeterminate = Sizes::name(*name);
            if names.len() == 1 && self.divisor_follows(requirement, &of_name, indeterminate) {
                return true;
            }
            if !of_name.is_empty() {
                tightened.push((*name, self.tightened(&of_name, indeterminate)));
            }
        }
        if tightened.is_empty() {
            return false;
        }
        let mut within = self.clone();
        for (name, range) in tightened {
            within.set_range(name, range);
        }
        others.iter().any(|other| within.follows(requirement, other))
            || within.decide_requirement(requirement) == Decision::Always
    }

    /// The places of requirements from which all of these follow: what follows from another, or
    /// from others together, is not among them.
    pub fn least_of(&self, all: &[&Requirement]) -> Vec<usize> {
        let follows = |place: usize| {
            let others = all.iter().enumerate().filter(|(other, _)| *other != place);
            others.into_iter().any(|(other, from)| {
                let is_first_of_same = place < other && self.follows(from, all[place]);
                self.follows(all[place], from) && !is_first_of_same
            })
        };
        let mut kept: Vec<usize> = (0..all.len()).filter(|place| !follows(*place)).collect();
        // The longest goes first, whatever the order.
        let mut tried = kept.clone();
        tried.sort_by_key(|place| Reverse((length(all[*place]), *place)));
        for place in tried {
            let others = kept.iter().filter(|other| **other != place).map(|other| all[*other]);
            let others: Vec<&Requirement> = others.collect();
            if self.follows_from(all[place], &others) {
                kept.retain(|other| *other != place);
            }
        }
        kept
    }

    /// Whether a number divides a form over a name, since others divide others.
    fn divisor_follows(
        &self,
        asked: &Requirement,
        others: &[&Requirement],
        name: Indeterminate,
    ) -> bool {
        let Requirement::Divides(by, of) = asked else { return false };
        let Bounded { range, periodic, period } = self.bounded(others, name);
        let (Some(low), true) = (range.low, is_plain(of, name)) else { return false };
        let period = least_multiple(period, (*by).into());
        let all = low..low.saturating_add(period);
        let fits = |value: &i128| periodic.iter().all(|of| self.is_at(of, *value));
        period <= MOST_FOLLOWED && all.filter(fits).all(|value| self.is_at(asked, value))
    }

    /// The values of a name from the first on that satisfies these, which are over that name alone,
    /// as far as each bounds them.
    fn tightened(&self, others: &[&Requirement], name: Indeterminate) -> Interval {
        let Bounded { range, periodic, period } = self.bounded(others, name);
        let Some(low) = range.low else { return range };
        let mut after = low..low.saturating_add(period.min(MOST_FOLLOWED));
        let first = after.find(|value| periodic.iter().all(|of| self.is_at(of, *value)));
        Interval { low: Some(first.unwrap_or(low)), ..range }
    }

    /// The bounds and the residues that requirements of a name have.
    fn bounded<'a>(&self, requirements: &[&'a Requirement], name: Indeterminate) -> Bounded<'a> {
        let (mut range, mut period) = (self.range(name), 1_i128);
        let mut periodic: Vec<&Requirement> = Vec::new();
        for requirement in requirements {
            match requirement {
                Requirement::Divides(by, of) if is_plain(of, name) => {
                    period = least_multiple(period, (*by).into());
                    periodic.push(requirement);
                }
                Requirement::AtLeast(of, least) => {
                    range = bound(of, *least, name).map_or(range, |bound| range.meet(bound));
                }
                Requirement::Exact(of, by) => {
                    // What divides a number is no more than that.
                    let most = of.as_constant().filter(|number| *number > 0);
                    let below = most.and_then(|most| Some((by.scaled(-1).ok()?, -most)));
                    let bound = below.and_then(|(by, least)| bound(&by, least, name));
                    range = bound.map_or(range, |bound| range.meet(bound));
                }
                Requirement::Divides(..) | Requirement::Zero(_) => {}
            }
        }
        Bounded { range, periodic, period }
    }

    /// How many values of an interval satisfy all of these.
    fn fitting(&self, within: Interval, asked: &[&Requirement]) -> CommonValues {
        match (within.low, within.high) {
            _ if within.is_empty() => CommonValues::None,
            (Some(low), Some(high)) if within.count().is_some_and(|all| all <= MOST_TRIED) => {
                self.only_of(low..=high, asked)
            }
            (_, _) => CommonValues::Several,
        }
    }

    /// How many of these values satisfy all of these.
    fn only_of(&self, values: impl Iterator<Item = i128>, asked: &[&Requirement]) -> CommonValues {
        let mut fits = values.filter(|value| asked.iter().all(|asked| self.is_at(asked, *value)));
        match (fits.next(), fits.next()) {
            (None, _) => CommonValues::None,
            (Some(value), None) => CommonValues::One(value),
            (Some(_), Some(_)) => CommonValues::Several,
        }
    }

    /// Whether a requirement holds where its one name has this value.
    fn is_at(&self, requirement: &Requirement, value: i128) -> bool {
        self.holds(requirement, &|_| Some(value)) == Some(true)
    }
}

/// How long a requirement is, as it is written.
fn length(requirement: &Requirement) -> usize {
    let factors =
        |form: &Polynomial| form.others().map(|(monomial, _)| monomial.len()).sum::<usize>();
    let degree = |form: &Polynomial| {
        form.others()
            .flat_map(|(monomial, _)| monomial)
            .map(|(_, power)| *power as usize)
            .sum::<usize>()
    };
    requirement.forms().map(|form| factors(form) + degree(form)).sum()
}

/// The least common multiple; as much as fits.
fn least_multiple(one: i128, other: i128) -> i128 {
    (one / gcd(one, other)).saturating_mul(other)
}

/// The values of a name for which `c·name + d ≥ least`; `None` for other forms.
fn bound(form: &Polynomial, least: i128, name: Indeterminate) -> Option<Interval> {
    let factor = factor_of(form, name)?;
    let rest = least.checked_sub(form.constant_term())?;
    Some(if factor > 0 {
        rounded(Interval { low: Some(rest), high: None }, factor)
    } else {
        rounded(Interval { low: None, high: Some(rest.checked_neg()?) }, factor.checked_neg()?)
    })
}

/// Whether a form is a polynomial over nothing but a name.
fn is_plain(form: &Polynomial, name: Indeterminate) -> bool {
    form.denominator() == 1 && form.indeterminates() == [name]
}

/// The `c` of `c·name + d`; `None` for other forms.
fn factor_of(form: &Polynomial, name: Indeterminate) -> Option<i128> {
    let mut others = form.others();
    let (Some((monomial, factor)), None) = (others.next(), others.next()) else { return None };
    let is_sum = monomial.as_slice() == [(name, 1)] && form.denominator() == 1;
    is_sum.then_some(*factor)
}
