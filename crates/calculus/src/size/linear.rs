//! Linear equations between sizes, `Σ cᵢ·xᵢ + k + r = 0` for some `r` of 0 to a slack.
//!
//! Strides, windows and concatenations are all of this form, because strides and dilations are
//! numbers: a valid window has `in = s·out + d·kernel + (1 − s − d)`, and where whole windows are
//! taken up to `s − 1` more.

use alloc::vec::Vec;

use super::{
    Overflow,
    known::{fills, up},
    polynomial::common_divisor,
};

/// An unknown of an equation, each with a coefficient that is not 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// The coefficient of the unknown.
    pub coefficient: i128,
    /// The least value that it can have.
    pub least: u64,
}

/// The consequence of an equation for its unknowns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Implied {
    /// The equation holds.
    Holds,
    /// No sizes satisfy the equation.
    Fails,
    /// These unknowns have these values, and no others: place and value.
    Forced(Vec<(usize, u64)>),
    /// The equation cannot be decided yet; these unknowns have at least these values.
    Open(Vec<(usize, u64)>),
}

/// The consequences for its unknowns of `Σ cᵢ·xᵢ + known + r = 0` for some `r` from 0 to `slack`.
/// The unknowns differ.
///
/// # Errors
/// When a number does not fit.
pub fn solve_linear(unknowns: &[Unknown], known: i128, slack: u32) -> Result<Implied, Overflow> {
    let Some(first) = unknowns.first() else {
        return Ok(if fills(known, slack) { Implied::Holds } else { Implied::Fails });
    };
    let rest = i128::from(slack);
    let divisor = unknowns.iter().fold(0, |g, x| common_divisor(g, x.coefficient.unsigned_abs()));
    let divisor = i128::try_from(divisor).map_err(|_| Overflow)?;
    // The least that is left over of what the unknowns add up to.
    if (divisor - known.rem_euclid(divisor)) % divisor > rest {
        return Ok(Implied::Fails);
    }
    let same_sign = |x: &Unknown| (x.coefficient > 0) == (first.coefficient > 0);
    if unknowns.iter().all(same_sign) {
        // |cᵢ|·xᵢ add up to a number: what is left when all are at their least is shared out.
        let most =
            if first.coefficient > 0 { known.checked_neg() } else { known.checked_add(rest) };
        let most = most.ok_or(Overflow)?;
        let spare = most.checked_sub(sum_of_least(unknowns.iter())?).ok_or(Overflow)?;
        return match (spare, unknowns) {
            (..0, _) => Ok(Implied::Fails),
            (0, _) => Ok(Implied::Forced(unknowns.iter().map(|x| x.least).enumerate().collect())),
            (_, [only]) => {
                let by = only.coefficient.abs();
                let least = up(most - rest, by).max(only.least.into());
                Ok(match (least, most.div_euclid(by)) {
                    (least, greatest) if least > greatest => Implied::Fails,
                    (least, greatest) if least == greatest => {
                        Implied::Forced(alloc::vec![(0, size(least)?)])
                    }
                    (least, _) if least > only.least.into() => {
                        Implied::Open(alloc::vec![(0, size(least)?)])
                    }
                    (_, _) => Implied::Open(Vec::new()),
                })
            }
            (_, _) => Ok(Implied::Open(Vec::new())),
        };
    }
    // One unknown against all others is at least what they add up to. If that is no size, it fails.
    let mut bounds = Vec::new();
    for (place, x) in unknowns.iter().enumerate() {
        let against = |other: &Unknown| (other.coefficient > 0) != (x.coefficient > 0);
        let others = || unknowns.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, x)| x);
        if others().all(against) {
            // What is left over is not its own.
            let known = if x.coefficient > 0 {
                known.checked_neg().and_then(|known| known.checked_sub(rest)).ok_or(Overflow)?
            } else {
                known
            };
            let sum = sum_of_least(others()).ok().and_then(|sum| sum.checked_add(known));
            let Some(sum) = sum else { return Ok(Implied::Fails) };
            let least = up(sum, x.coefficient.abs());
            if least > i128::from(x.least) {
                let Ok(least) = size(least) else { return Ok(Implied::Fails) };
                bounds.push((place, least));
            }
        }
    }
    Ok(Implied::Open(bounds))
}

/// `Σ |cᵢ|·leastᵢ`.
fn sum_of_least<'a>(mut unknowns: impl Iterator<Item = &'a Unknown>) -> Result<i128, Overflow> {
    unknowns
        .try_fold(0_i128, |sum, x| {
            let least = x.coefficient.checked_abs()?.checked_mul(i128::from(x.least))?;
            sum.checked_add(least)
        })
        .ok_or(Overflow)
}

fn size(value: i128) -> Result<u64, Overflow> {
    u64::try_from(value).ok().filter(|n| *n <= super::Size::MAX).ok_or(Overflow)
}
