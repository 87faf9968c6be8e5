//! A case, and what comes of it.

use serde::{Deserialize, Serialize};

/// The most elements of a result that is computed.
pub(super) const MOST_ELEMENTS: u64 = 64;

/// A specification, or none for a pointwise operation, and the shapes of the operands.
#[derive(Serialize, Debug)]
pub struct Case {
    pub spec: Option<String>,
    pub shapes: Vec<Vec<u64>>,
}

/// The shape of a result, and its elements where there are few and they are computed.
#[derive(Deserialize, PartialEq, Debug)]
pub struct Made {
    pub shape: Vec<u64>,
    pub elements: Option<Vec<i64>>,
}

/// The element at a place of an operand, in the order of memory.
pub(super) fn element(place: usize) -> i64 {
    i64::try_from(place * 7 % 11).map_or(0, |element| element - 5)
}
