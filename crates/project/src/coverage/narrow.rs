//! Conditions on one loop each, as the part of its range that they leave.
//!
//! `0 ≤ a·i + c < size` holds for the values of `i` from one to another. Counted from the first of
//! them, the loop is one like any other, and nothing is left of the condition.

use alloc::{vec, vec::Vec};
use core::ops::Range;

use lozenge_calculus::size::Size;

use super::linear::Linear;

/// Loops with what is left of their ranges where conditions on one loop each hold.
pub(super) struct Narrowed {
    /// By loop.
    pub(super) extents: Vec<Size>,
    /// By loop, the first value that is left.
    begins: Vec<i128>,
    /// Whether nothing is left of one.
    pub(super) is_empty: bool,
}

impl Narrowed {
    /// Takes out the conditions that a range of one loop can say; `None` where no condition is on
    /// one loop.
    pub(super) fn new(extents: &[Size], conditions: &mut Vec<(Linear, Size)>) -> Option<Narrowed> {
        let mut ranges: Vec<Option<Range<i128>>> = Vec::new();
        conditions.retain(|(index, size)| {
            let [(coefficient @ 1.., id)] = index.terms[..] else { return true };
            let (extent, size) = (extents[id.0 as usize].count(), size.count());
            let (Some(extent), Some(size), false) = (extent, size, index.supplied) else {
                return true;
            };
            // The least value with a·i + c ≥ 0, and the least with a·i + c ≥ size.
            let least = |bound: i128| {
                let by = i128::from(coefficient);
                (bound - index.offset + by - 1).div_euclid(by).clamp(0, extent.into())
            };
            ranges.resize(extents.len(), None);
            let range = ranges[id.0 as usize].get_or_insert(0..extent.into());
            *range = range.start.max(least(0))..range.end.min(least(size.into()));
            false
        });
        if ranges.is_empty() {
            return None;
        }
        let mut narrowed =
            Narrowed { extents: extents.to_vec(), begins: vec![0; extents.len()], is_empty: false };
        for (id, range) in ranges.into_iter().enumerate() {
            let Some(range) = range else { continue };
            // One that ends before it begins is empty.
            let left = (range.end - range.start).max(0);
            narrowed.is_empty |= left == 0;
            let left = u64::try_from(left).ok().and_then(|left| Size::int(left).ok());
            narrowed.extents[id] = left.expect("a part of a loop's range is no longer than it");
            narrowed.begins[id] = range.start;
        }
        for (index, _) in conditions {
            *index = narrowed.moved(index);
        }
        Some(narrowed)
    }

    /// An index, with loops counted from the first value that is left of them.
    pub(super) fn moved(&self, index: &Linear) -> Linear {
        let mut moved = index.clone();
        for (coefficient, id) in &index.terms {
            moved.offset += i128::from(*coefficient) * self.begins[id.0 as usize];
        }
        moved
    }
}
