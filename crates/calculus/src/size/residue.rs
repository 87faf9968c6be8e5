//! Forms modulo a number.

use alloc::{collections::BTreeMap, vec::Vec};

use super::polynomial::{Indeterminate, Monomial, Polynomial, common_divisor};

/// The indeterminate of a polynomial over one, a period, and the residues modulo that period for
/// which a number divides the polynomial. `None` for other forms, and where the period is above
/// the largest.
pub(super) fn classes(
    form: &Polynomial,
    number: u64,
    largest: u64,
) -> Option<(Indeterminate, u64, Vec<u64>)> {
    let [indeterminate] = form.indeterminates()[..] else { return None };
    let common = |sum: u64, (_, n): &(Monomial, i128)| {
        // What divides a number of 64 bits has no more, and 0 has no period anyway.
        u64::try_from(common_divisor(n.unsigned_abs(), sum.into())).unwrap_or(1)
    };
    let common = form.terms().iter().fold(number, common).max(1);
    let period = number / common;
    if form.denominator() != 1 || !(1..=largest).contains(&period) {
        return None;
    }
    // By powers of the indeterminate, the highest last.
    let mut factors: Vec<u64> = Vec::new();
    for (monomial, n) in form.terms() {
        let power = monomial.first().map_or(0, |(_, power)| *power as usize);
        factors.resize(factors.len().max(power + 1), 0);
        let residue = (n / i128::from(common)).rem_euclid(period.into());
        factors[power] = u64::try_from(residue).ok()?;
    }
    let at = |value: u64| factors.iter().rev().fold(0, |sum, n| (sum * value + n) % period);
    // Below the largest period nothing overflows.
    Some((indeterminate, period, (0..period).filter(|class| at(*class) == 0).collect()))
}

/// Whether a form is a multiple of another one, modulo a number: whatever divides that divides it
/// as well.
pub(super) fn is_multiple(of: &Polynomial, other: &Polynomial, modulus: u64) -> bool {
    if of.denominator() != 1 || other.denominator() != 1 {
        return false;
    }
    let residues = |form: &Polynomial| -> BTreeMap<Monomial, u128> {
        let residue = |n: i128| n.rem_euclid(modulus.into()).unsigned_abs();
        let terms = form.terms().iter().map(|(monomial, n)| (monomial.clone(), residue(*n)));
        terms.filter(|(_, residue)| *residue != 0).collect()
    };
    let (of, other) = (residues(of), residues(other));
    let modulus = u128::from(modulus);
    let Some((monomial, n)) = other.iter().find(|(_, n)| common_divisor(**n, modulus) == 1) else {
        return of == other;
    };
    // Both are below 2^64.
    let factor = of.get(monomial).map_or(0, |m| m * inverse(*n, modulus) % modulus);
    let times = |(monomial, n): (&Monomial, &u128)| (monomial.clone(), n * factor % modulus);
    of == other.iter().map(times).filter(|(_, n)| *n != 0).collect()
}

/// The inverse of a number modulo another that it has no divisor in common with.
fn inverse(n: u128, modulus: u128) -> u128 {
    let (mut rest, mut factor) = ((modulus, n), (0, 1));
    while rest.1 > 1 {
        let quotient = rest.0 / rest.1;
        rest = (rest.1, rest.0 % rest.1);
        // Both are below the modulus.
        factor =
            (factor.1, (factor.0 + modulus - quotient % modulus * factor.1 % modulus) % modulus);
    }
    factor.1 % modulus
}
