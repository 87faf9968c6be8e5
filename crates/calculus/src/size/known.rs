//! Arithmetic on sizes that are numbers, and what is known of an equation where some are.

use super::{Decision, Polynomial, Size, Sizes};

/// A sum with a coefficient times a size more; `None` for one that is too large.
#[inline]
pub fn plus(sum: i128, coefficient: i64, size: u64) -> Option<i128> {
    sum.checked_add(i128::from(coefficient).checked_mul(size.into())?)
}

/// `⌈n/by⌉`.
pub(super) fn up(n: i128, by: i128) -> i128 {
    n.div_euclid(by) + i128::from(n.rem_euclid(by) > 0)
}

/// Whether a sum is 0 with 0 to `slack` more.
#[inline]
pub fn fills(sum: i128, slack: u32) -> bool {
    (-i128::from(slack)..=0).contains(&sum)
}

impl Sizes {
    /// The form `⌊-form/(slack + 1)⌋`, which is 0 where `form` with 0 to `slack` more is 0.
    pub fn rest(&mut self, form: Polynomial, slack: u32) -> Polynomial {
        if slack == 0 {
            return form;
        }
        let negative = self.product(&form, &Polynomial::constant(-1));
        self.floor(&negative, u64::from(slack) + 1)
    }
}

/// How much is missing from a coefficient times a size, if it counts for at least this.
pub fn lacking(size: u64, coefficient: i64, least: i64) -> Option<i128> {
    Some((i128::from(least) - plus(0, coefficient, size)?).max(0))
}

/// How much is missing from a coefficient times a size that may be open, if it counts for at least
/// `least`; `None` where that is not known.
pub fn missing(sizes: &mut Sizes, size: Size, coefficient: i64, least: i64) -> Option<i128> {
    if let Some(n) = size.count() {
        return lacking(n, coefficient, least);
    }
    let form = sizes.weighted(0, [(size, coefficient.into())]);
    (sizes.decide_at_least(&form, least.into()) == Decision::Always).then_some(0)
}

/// How many elements axes of these sizes have; `None` where one is not known, or for more than can
/// be counted.
pub fn elements(mut sizes: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let times = |product: Option<u64>, size: Option<u64>| match size? {
        0 => Some(Some(0)), // also where the others have more than can be counted
        size => Some(product.and_then(|product| product.checked_mul(size))),
    };
    sizes.try_fold(Some(1), times)?
}

/// The stride of an axis in memory: the stride `inner` of the next axis times that axis's size;
/// `None` for more elements than can be counted.
pub fn stride(inner: u64, size: u64) -> Option<u64> {
    inner.checked_mul(size)
}

/// All divisors of a number.
pub fn divisors(number: u64) -> impl Iterator<Item = u64> {
    (1..=number).filter(move |n| number % n == 0)
}

/// Whether a number divides another; 0 divides no number.
pub fn divides(divisor: u64, number: u64) -> bool {
    divisor != 0 && number % divisor == 0
}

/// The remainder of `number·times` when it is divided.
pub fn remainder(number: u64, times: u64, by: u64) -> u64 {
    let by = u128::from(by.max(1));
    below(u128::from(number) * u128::from(times) % by)
}

/// A number that a division by a `u64` left over.
fn below(rest: u128) -> u64 {
    u64::try_from(rest).expect("a remainder is below the divisor")
}

/// How far a padded window reaches before the first position of its axis: `⌊(span − 1)/2⌋`.
pub fn margin(kernel: u64, dilation: u64) -> Option<u64> {
    Some(dilation.checked_mul(kernel.saturating_sub(1))? / 2)
}

/// A side of an equation between products.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The left side: the factors.
    Left,
    /// The right side: the product.
    Right,
}

impl Side {
    /// The side on which a factor stands that has this power on the left one.
    #[inline]
    pub fn of_power(power: i64) -> Side {
        if power < 0 { Side::Right } else { Side::Left }
    }
}

/// The two sides of an equation between products, as far as their factors are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sides {
    /// The product of those on the left.
    pub left: u128,
    /// The product of those on the right.
    pub right: u128,
}

impl Sides {
    /// One factor on either side.
    #[inline]
    pub fn new(left: u64, right: u64) -> Sides {
        Sides { left: left.into(), right: right.into() }
    }

    /// The sides with a factor more; `None` for a product that is too large.
    #[inline]
    pub fn times(self, side: Side, size: u64) -> Option<Sides> {
        Some(match side {
            Side::Left => Sides { left: self.left.checked_mul(size.into())?, ..self },
            Side::Right => Sides { right: self.right.checked_mul(size.into())?, ..self },
        })
    }

    /// Whether there are numbers for the other factors, on the sides that have some, with which
    /// both are equal. Where one is 0 that is not decided here, and this says that there are.
    pub fn fit(self, has_others: [bool; 2]) -> bool {
        let Sides { left, right } = self;
        match has_others {
            _ if left == 0 || right == 0 => true,
            [true, true] => true,
            [false, false] => left == right,
            [true, false] => right % left == 0,
            [false, true] => left % right == 0,
        }
    }

    /// The product of the other factors, where one side has them: what is left of the other one.
    pub fn rest(self, has_others: [bool; 2]) -> Option<u64> {
        let Sides { left, right } = self;
        let rest = match has_others {
            [true, false] => right.checked_div(left)?,
            [false, true] => left.checked_div(right)?,
            [true, true] | [false, false] => return None,
        };
        rest.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_divides_what_it_is_part_of() {
        let sides = Sides::new(6, 1).times(Side::Right, 18);
        assert_eq!(sides, Some(Sides { left: 6, right: 18 }));
        let sides = sides.unwrap();
        assert!(sides.fit([true, false]) && sides.fit([true, true]));
        assert!(!sides.fit([false, true]) && !sides.fit([false, false]));
        assert_eq!(sides.rest([true, false]), Some(3));
        assert_eq!(sides.rest([true, true]), None);
        assert!(Sides::new(0, 5).fit([false, false]));
        assert_eq!(Sides::new(0, 5).rest([true, false]), None);
    }

    #[test]
    fn what_is_too_large_is_none() {
        let all = Sides::new(u64::MAX, 1).times(Side::Left, u64::MAX).unwrap();
        assert_eq!(all.times(Side::Left, 2), None);
        assert_eq!(plus(i128::MAX, 1, 1), None);
        let elements = |sizes: [u64; 3]| elements(sizes.into_iter().map(Some));
        assert_eq!(elements([u64::MAX, 2, 1]), None);
        assert_eq!(elements([u64::MAX, 2, 0]), Some(0));
        assert_eq!(elements([5, 2, 3]), Some(30));
    }

    #[test]
    fn numbers_are_divided() {
        assert!(divisors(12).eq([1, 2, 3, 4, 6, 12]));
        assert_eq!([remainder(3, 5, 4), remainder(u64::MAX, u64::MAX, 2)], [3, 1]);
        assert_eq!(
            [margin(3, 1), margin(4, 1), margin(3, 2), margin(1, 5)].map(Option::unwrap),
            [1, 1, 2, 0]
        );
        assert!(divides(4, 12) && !divides(5, 12) && !divides(0, 7));
        assert_eq!([stride(4, 3), stride(u64::MAX, 2)], [Some(12), None]);
    }
}
