//! Forms modulo a number.

use alloc::collections::BTreeMap;

use super::polynomial::{Monomial, Polynomial};

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
    let Some((monomial, n)) = other.iter().find(|(_, n)| coprime(**n, modulus)) else {
        return of == other;
    };
    // Both are below 2^64.
    let factor = of.get(monomial).map_or(0, |m| m * inverse(*n, modulus) % modulus);
    let times = |(monomial, n): (&Monomial, &u128)| (monomial.clone(), n * factor % modulus);
    of == other.iter().map(times).filter(|(_, n)| *n != 0).collect()
}

fn coprime(a: u128, b: u128) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}

/// What a number is to be multiplied by so that 1 is left of it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::{Requirement, SizeSymbol, Sizes};

    /// By trying all values.
    #[test]
    fn a_divisor_follows_from_another() {
        let sizes = Sizes::new();
        let n = Sizes::name(SizeSymbol::new(0));
        let mut followed = 0;
        for (by, from) in (2..=12_u64).flat_map(|by| (2..=12).map(move |from| (by, from))) {
            for (a, b, c, d) in (0..5 * 5 * 5 * 5).map(|i| (i % 5, i / 5 % 5, i / 25 % 5, i / 125))
            {
                let form = |factor: i128, number: i128| {
                    let factor = Polynomial::constant(factor).times(&Polynomial::atom(n)).unwrap();
                    factor.plus(&Polynomial::constant(number)).unwrap()
                };
                let one = Requirement::Divides(by, form(a, b - 2));
                let other = Requirement::Divides(from, form(c, d - 2));
                if !sizes.follows(&one, &other) {
                    continue;
                }
                followed += 1;
                let holds = |asked: &Requirement, n: i128| sizes.holds(asked, &|_| Some(n));
                let fails = (0..150)
                    .find(|n| holds(&other, *n) == Some(true) && holds(&one, *n) == Some(false));
                assert_eq!(fails, None, "{one:?} from {other:?}");
            }
        }
        assert!(followed > 1000, "{followed}");
    }

    #[test]
    fn inverses() {
        for modulus in 2..60 {
            for n in (1..modulus).filter(|n| coprime(*n, modulus)) {
                assert_eq!(n * inverse(n, modulus) % modulus, 1, "{n} modulo {modulus}");
            }
        }
    }
}
