//! Equations between products of sizes, `a·Π xᵢ = b·Π yⱼ`.
//!
//! Merged axes and numbers of elements are of this form.

use alloc::vec::Vec;

use super::{Implied, Overflow, Size};

/// An unknown of an equation, and how often it is a factor: on the left if that is positive, on the
/// right if it is negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Factor {
    /// How often; not 0.
    pub power: i32,
    /// The least value that it can have.
    pub least: u64,
}

/// The consequences of `left·Π xᵢ = right·Π yⱼ` for its unknowns, which differ.
///
/// # Errors
/// When a number does not fit.
pub fn solve_product(factors: &[Factor], left: u128, right: u128) -> Result<Implied, Overflow> {
    let Some(first) = factors.first() else {
        return Ok(if left == right { Implied::Holds } else { Implied::Fails });
    };
    if left == 0 || right == 0 {
        return Ok(if left == right { Implied::Open(Vec::new()) } else { Implied::Fails });
    }
    if factors.iter().all(|x| (x.power > 0) == (first.power > 0)) {
        // Π xᵢ is a number.
        let (divisor, total) = if first.power > 0 { (left, right) } else { (right, left) };
        if total % divisor != 0 {
            return Ok(Implied::Fails);
        }
        let total = total / divisor;
        let least = product_of_least(factors.iter());
        return Ok(match (least, factors) {
            (None, _) => Implied::Fails,
            (Some(least), _) if least > total => Implied::Fails,
            (Some(least), _) if least == total => {
                Implied::Forced(factors.iter().map(|x| x.least).enumerate().collect())
            }
            (_, [only]) => match root(total, only.power.unsigned_abs()) {
                Some(value) => Implied::Forced(alloc::vec![(0, size(value)?)]),
                None => Implied::Fails,
            },
            (_, _) => Implied::Open(Vec::new()),
        });
    }
    // One unknown against all others is at least what they multiply to. If that is no size, it
    // fails.
    let mut bounds = Vec::new();
    for (place, x) in factors.iter().enumerate().filter(|(_, x)| x.power.unsigned_abs() == 1) {
        let others = || factors.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, x)| x);
        if others().all(|other| (other.power > 0) != (x.power > 0)) {
            let (divisor, total) = if x.power > 0 { (left, right) } else { (right, left) };
            let least = product_of_least(others()).and_then(|n| n.checked_mul(total));
            let Some(least) = least.map(|least| least.div_ceil(divisor)) else {
                return Ok(Implied::Fails);
            };
            if least > u128::from(x.least) {
                let Ok(least) = size(least) else { return Ok(Implied::Fails) };
                bounds.push((place, least));
            }
        }
    }
    Ok(Implied::Open(bounds))
}

/// `Π leastᵢ`, or `None` when it does not fit.
fn product_of_least<'a>(mut factors: impl Iterator<Item = &'a Factor>) -> Option<u128> {
    factors.try_fold(1_u128, |product, x| {
        product.checked_mul(u128::from(x.least).checked_pow(x.power.unsigned_abs())?)
    })
}

/// The number whose power is `n`, if there is one.
fn root(n: u128, power: u32) -> Option<u128> {
    let (mut low, mut high) = (1_u128, n);
    while low < high {
        let middle = low + (high - low) / 2;
        match middle.checked_pow(power) {
            Some(power) if power < n => low = middle + 1,
            _ => high = middle,
        }
    }
    (low.checked_pow(power) == Some(n)).then_some(low)
}

fn size(value: u128) -> Result<u64, Overflow> {
    u64::try_from(value).ok().filter(|n| *n <= Size::MAX).ok_or(Overflow)
}
