//! Forms modulo a number.

use alloc::collections::BTreeMap;

use super::{
    linear::gcd,
    polynomial::{Monomial, Polynomial},
};

/// Whether a form is a multiple of another one, modulo a number: whatever divides that divides it as well.
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
    let Some((monomial, n)) = other.iter().find(|(_, n)| gcd(**n, modulus) == 1) else {
        return of == other;
    };
    // Both are below 2^64.
    let factor = of.get(monomial).map_or(0, |m| m * inverse(*n, modulus) % modulus);
    let times = |(monomial, n): (&Monomial, &u128)| (monomial.clone(), n * factor % modulus);
    of == other.iter().map(times).filter(|(_, n)| *n != 0).collect()
}

/// What a number that has no divisor with the modulus is to be multiplied by, so that 1 is left.
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
