//! Requirements of one name that exclude each other: `n <= 1` and `2 divides n`.

use alloc::vec::Vec;

use super::{
    equation::Requirement,
    grid::MOST_TRIED,
    interval::Interval,
    polynomial::{Atom, Polynomial, gcd},
    table::{Sizes, rounded},
};

impl Sizes {
    /// Whether no value of a name satisfies all of these, which are over that name alone. Where that is not found out, some
    /// value may.
    pub fn exclude_each_other(&self, requirements: &[&Requirement], name: Atom) -> bool {
        let (mut range, mut period) = (self.range(name), 1_i128);
        // What holds for one value holds for that and the period, or bounds the values.
        let mut periodic: Vec<&Requirement> = Vec::new();
        for requirement in requirements {
            match requirement {
                Requirement::Divides(by, of) if is_plain(of, name) => {
                    let by = i128::from(*by);
                    period = (period / gcd(period, by)).saturating_mul(by);
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
        let Some(low) = range.low else { return false };
        let none_of = |last: Option<i128>, asked: &[&Requirement]| {
            let tried = Interval { low: Some(low), high: last };
            let holds = |value: i128, requirement: &Requirement| {
                self.holds(requirement, &|_| Some(value)) == Some(true)
            };
            let fits = |value: i128| asked.iter().all(|asked| holds(value, asked));
            let Some(last) = last.filter(|_| tried.count().is_some_and(|all| all <= MOST_TRIED))
            else {
                return false;
            };
            !(low..=last).any(fits)
        };
        let after = low.checked_add(period - 1);
        let after = after.map(|after| range.high.map_or(after, |high| high.min(after)));
        none_of(after, &periodic) || none_of(range.high, requirements)
    }
}

/// The values of a name for which `c·name + d ≥ least`; `None` for other forms.
fn bound(form: &Polynomial, least: i128, name: Atom) -> Option<Interval> {
    let factor = factor_of(form, name)?;
    let rest = least.checked_sub(form.constant_term())?;
    Some(if factor > 0 {
        rounded(Interval { low: Some(rest), high: None }, factor)
    } else {
        rounded(Interval { low: None, high: Some(rest.checked_neg()?) }, factor.checked_neg()?)
    })
}

/// Whether a form is a polynomial over nothing but a name.
fn is_plain(form: &Polynomial, name: Atom) -> bool {
    form.denominator() == 1 && form.atoms() == [name]
}

/// The `c` of `c·name + d`; `None` for other forms.
fn factor_of(form: &Polynomial, name: Atom) -> Option<i128> {
    let mut others = form.others();
    let (Some((monomial, factor)), None) = (others.next(), others.next()) else { return None };
    let is_sum = monomial.as_slice() == [(name, 1)] && form.denominator() == 1;
    is_sum.then_some(*factor)
}
