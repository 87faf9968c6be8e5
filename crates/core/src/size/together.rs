//! Requirements of one name that exclude each other: `n <= 1` and `2 divides n`.

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
        let (mut range, mut period, mut is_periodic) = (self.range(name), 1_i128, true);
        for requirement in requirements {
            match requirement {
                Requirement::Divides(by, of) if factor_of(of, name).is_some() => {
                    let by = i128::from(*by);
                    period = (period / gcd(period, by)).saturating_mul(by);
                }
                Requirement::AtLeast(of, least) => match bound(of, *least, name) {
                    Some(bound) => range = range.meet(bound),
                    None => is_periodic = false,
                },
                Requirement::Exact(of, by) => {
                    is_periodic = false;
                    // What divides a number is no more than that.
                    let most = of.as_constant().filter(|number| *number > 0);
                    let below = most.and_then(|most| Some((by.scaled(-1).ok()?, -most)));
                    let bound = below.and_then(|(by, least)| bound(&by, least, name));
                    range = bound.map_or(range, |bound| range.meet(bound));
                }
                Requirement::Divides(..) | Requirement::Zero(_) => is_periodic = false,
            }
        }
        let Some(low) = range.low else { return false };
        // All that holds for one value holds for that and the period.
        let after = if is_periodic { low.checked_add(period - 1) } else { None };
        let last = match (range.high, after) {
            (Some(high), Some(after)) => high.min(after),
            (Some(last), None) | (None, Some(last)) => last,
            (None, None) => return false,
        };
        let tried = Interval { low: Some(low), high: Some(last) };
        if tried.count().is_none_or(|count| count > MOST_TRIED) {
            return false;
        }
        let holds = |value: i128, requirement: &Requirement| {
            self.holds(requirement, &|_| Some(value)) == Some(true)
        };
        !(low..=last).any(|value| requirements.iter().all(|required| holds(value, required)))
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

/// The `c` of `c·name + d`; `None` for other forms.
fn factor_of(form: &Polynomial, name: Atom) -> Option<i128> {
    let mut others = form.others();
    let (Some((monomial, factor)), None) = (others.next(), others.next()) else { return None };
    let is_sum = monomial.as_slice() == [(name, 1)] && form.denominator() == 1;
    is_sum.then_some(*factor)
}
