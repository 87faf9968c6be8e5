//! Elements of small tensors by their places: how many there may be, and those at positions of an axis.

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
