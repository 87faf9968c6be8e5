//! What a tensor of the file is, by what the file has of it.

use super::{
    known::Known,
    num::Num,
    value::{Elem, MOST_ELEMENTS, Value},
};
use crate::{element::Element, tensor::Tensor};

/// The most elements of a tensor of floats that are read: scales, limits and steps, not weights.
const MOST_FLOATS: usize = 64;

/// What a tensor of the file is, with its elements where these are in it and may decide shapes.
pub(crate) fn constant(tensor: &Tensor<'_>) -> Known {
    let mut known = Known::tensor(tensor.element, tensor.dims().map(Num::Int));
    let whole = |known: &Known| -> Option<Value> {
        known.count().filter(|count| *count <= MOST_ELEMENTS)?;
        let elements = tensor.ints(MOST_ELEMENTS).ok()?;
        Some(elements.into_iter().map(Into::into).collect())
    };
    let real = |known: &Known| -> Option<Value> {
        known.count().filter(|count| *count <= MOST_FLOATS)?;
        let elements = tensor.floats(MOST_FLOATS).ok()?;
        Some(elements.into_iter().map(Elem::Real).collect())
    };
    known.value = match tensor.element {
        Element::Float | Element::Double | Element::Float16 | Element::Bfloat16 => real(&known),
        _ => whole(&known),
    };
    known
}
