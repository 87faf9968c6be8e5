//! Linear equations between sizes, `Σ cᵢ·xᵢ + k = 0`.
//!
//! Strides, windows and concatenations are all of this form, because strides and dilations are
//! numbers: a valid window has `in = s·out + d·kernel + (1 − s − d)`.

use alloc::vec::Vec;

use super::Overflow;

/// An unknown of an equation, each with a coefficient that is not 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// Its coefficient.
    pub coefficient: i128,
    /// The least value that it can have.
    pub least: u64,
}

/// What an equation says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// It holds.
    Holds,
    /// Nothing satisfies it.
    Fails,
    /// These unknowns have these values, and no others: place and value.
    Forced(Vec<(usize, u64)>),
    /// It cannot be decided yet; these unknowns have at least these values.
    Open(Vec<(usize, u64)>),
}

/// What `Σ cᵢ·xᵢ + known = 0` says of its unknowns, of which no two are the same.
///
/// # Errors
/// When a number does not fit.
pub fn linear(unknowns: &[Unknown], known: i128) -> Result<Said, Overflow> {
    let Some(first) = unknowns.first() else {
        return Ok(if known == 0 { Said::Holds } else { Said::Fails });
    };
    let divisor = unknowns.iter().fold(0, |g, x| gcd(g, x.coefficient.unsigned_abs()));
    if known.unsigned_abs() % divisor != 0 {
        return Ok(Said::Fails);
    }
    let same_sign = |x: &Unknown| (x.coefficient > 0) == (first.coefficient > 0);
    if unknowns.iter().all(same_sign) {
        // |cᵢ|·xᵢ add up to a number: what is left when all are at their least is shared out.
        let total =
            if first.coefficient > 0 { known.checked_neg().ok_or(Overflow)? } else { known };
        let spare = total.checked_sub(sum_of_least(unknowns.iter())?).ok_or(Overflow)?;
        return match (spare, unknowns) {
            (..0, _) => Ok(Said::Fails),
            (0, _) => Ok(Said::Forced(unknowns.iter().map(|x| x.least).enumerate().collect())),
            (_, [only]) => {
                let value = total / only.coefficient.abs();
                Ok(Said::Forced(alloc::vec![(0, size(value)?)]))
            }
            (_, _) => Ok(Said::Open(Vec::new())),
        };
    }
    // One unknown against all others is at least what they add up to. If that is no size, it fails.
    let mut bounds = Vec::new();
    for (place, x) in unknowns.iter().enumerate() {
        let against = |other: &Unknown| (other.coefficient > 0) != (x.coefficient > 0);
        let others = || unknowns.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, x)| x);
        if others().all(against) {
            let known =
                if x.coefficient > 0 { known.checked_neg().ok_or(Overflow)? } else { known };
            let sum = sum_of_least(others()).ok().and_then(|sum| sum.checked_add(known));
            let Some(sum) = sum else { return Ok(Said::Fails) };
            let coefficient = x.coefficient.abs();
            let least = sum.div_euclid(coefficient) + i128::from(sum.rem_euclid(coefficient) > 0);
            if least > i128::from(x.least) {
                let Ok(least) = size(least) else { return Ok(Said::Fails) };
                bounds.push((place, least));
            }
        }
    }
    Ok(Said::Open(bounds))
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

pub(super) fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn size(value: i128) -> Result<u64, Overflow> {
    u64::try_from(value).ok().filter(|n| *n <= super::Size::MAX).ok_or(Overflow)
}
