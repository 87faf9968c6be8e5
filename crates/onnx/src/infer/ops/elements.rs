//! Elements of small tensors by their places: how many there may be, and those at positions of an
//! axis.

use smallvec::SmallVec;

use super::super::{
    known::Sizes,
    value::{Elem, MOST_ELEMENTS, Value},
};

/// The sizes of a tensor as numbers, where all are known and there may be a value of such sizes.
pub(super) fn known_sizes(sizes: &Sizes) -> Option<SmallVec<[usize; 4]>> {
    let sizes: Option<SmallVec<[usize; 4]>> =
        sizes.iter().map(|size| usize::try_from(size.as_int()?).ok()).collect();
    // No product of some of them is large then, also where another one is 0.
    sizes.filter(|sizes| {
        let most = sizes.iter().try_fold(1_usize, |most, size| most.checked_mul((*size).max(1)));
        most.is_some_and(is_few)
    })
}

/// How many elements there are before an axis, and behind it.
pub(super) fn around(sizes: &[usize], axis: usize) -> [usize; 2] {
    [&sizes[..axis], &sizes[axis + 1..]].map(|part| part.iter().product())
}

/// Whether a value may have this many elements.
pub(super) fn is_few(count: usize) -> bool {
    count <= MOST_ELEMENTS
}

/// The elements at some positions of an axis; none for those that are not known.
pub(super) fn picked(
    value: &Value,
    sizes: &[usize],
    axis: usize,
    positions: &(impl ExactSizeIterator<Item = Option<usize>> + Clone),
) -> Option<Value> {
    let [before, behind] = around(sizes, axis);
    let count = before.checked_mul(behind)?.checked_mul(positions.len())?;
    if !is_few(count) {
        return None;
    }
    let mut elems = Vec::with_capacity(count);
    if count == 0 {
        return Some(elems.into());
    }
    for row in 0..before {
        for position in positions.clone() {
            for at in 0..behind {
                let elem = position
                    .and_then(|position| value.get((row * sizes[axis] + position) * behind + at));
                elems.push(elem.copied().unwrap_or(Elem::Unknown));
            }
        }
    }
    Some(elems.into())
}

/// The whole part of a float that a size is computed from; none for an infinite one, for what is
/// not a number, and beyond 64 bits, where no size can be said.
#[expect(clippy::cast_possible_truncation, reason = "it is in range")]
pub(super) fn whole_part(x: f64) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0; // 2^63
    (-END..END).contains(&x).then_some(x as i64)
}

/// A float as an exact fraction, where its denominator is not too large: what it is above, and what
/// below.
#[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
pub(super) fn fraction(x: f64) -> Option<(i64, i64)> {
    const MOST_HALVINGS: u32 = 40;
    let mut below = 1_i64;
    let mut above = x;
    for _ in 0..=MOST_HALVINGS {
        if above.fract() == 0.0 {
            return (above.abs() < 9.0e15).then_some((above as i64, below));
        }
        (above, below) = (above * 2.0, below * 2);
    }
    None
}

/// The fraction that a float is, if it has so few digits that products and quotients of sizes by it
/// are rounded nowhere that shows: 0.5, 1.5 or 3, and not 0.1, which is another number in 32 bits.
pub(super) fn short_fraction(x: f64) -> Option<(i64, i64)> {
    const MOST: i64 = 1024;
    fraction(x).filter(|(above, below)| above.abs() <= MOST && *below <= MOST)
}
