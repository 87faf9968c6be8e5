//! Values of names that are like any others.

use std::collections::BTreeMap;

use lozenge::{Axis, Closed, Kind, Size, Tensor, Valued};

/// Whether some axis has one element.
pub(super) fn has_one(closed: &Closed, tensors: &[Tensor]) -> bool {
    tensors.iter().any(|tensor| {
        let axes = closed.shape(*tensor).map(|shape| shape.row(Kind::Output));
        axes.is_ok_and(|axes| axes.iter().any(|axis| axis.count().is_some_and(|count| count < 2)))
    })
}

/// Whether every size that is not written as 1 is at least 2, and different sizes have different
/// values.
pub(super) fn is_generic(closed: &Closed, tensors: &[Tensor], at: &Valued<'_>) -> bool {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let one = Axis::Sized { size: Size::Number(1), basis: None };
    for tensor in tensors {
        let (Ok(open), Ok(numbers)) = (closed.shape(*tensor), at.shape(*tensor)) else {
            return false;
        };
        for (form, value) in open.row(Kind::Output).iter().zip(numbers.row(Kind::Output)) {
            // What is written as 1 is so for all values.
            if value.count().is_some_and(|count| count < 2) && *form != one {
                return false;
            }
            let known = values.entry(value.to_string()).or_insert_with(|| form.to_string());
            if *known != form.to_string() {
                return false;
            }
        }
    }
    true
}
