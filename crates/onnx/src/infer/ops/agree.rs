//! What rules of several families share: inputs that have to have given sizes, and element types
//! that attributes name.

use super::super::{
    call::Call,
    num::Num,
    require::{Place, Stop},
};
use crate::element::Element;

/// Requires that an input has these sizes, each of which stands at a place of the node. Does
/// nothing where the input is left out or its rank is not known.
pub(super) fn agree(
    call: &mut Call<'_, '_>,
    input: usize,
    wanted: &[(Num, Place)],
) -> Result<(), Stop> {
    let Ok(own) = call.shape(input) else { return Ok(()) };
    if own.len() != wanted.len() {
        return Err(Stop::Axes { input, least: wanted.len(), found: own.len() });
    }
    for (axis, (size, (num, place))) in own.iter().zip(wanted).enumerate() {
        call.equal(*num, *place, *size, Place::Axis(input, axis));
    }
    Ok(())
}

/// Requires that an input can be broadcast to these sizes, each of which stands at a place of the
/// node. Does nothing where the input is left out or its rank is not known.
pub(super) fn fit(
    call: &mut Call<'_, '_>,
    input: usize,
    wanted: &[(Num, Place)],
) -> Result<(), Stop> {
    let Ok(own) = call.shape(input) else { return Ok(()) };
    let ahead = wanted.len().checked_sub(own.len());
    let ahead = ahead.ok_or(Stop::Axes { input, least: wanted.len(), found: own.len() })?;
    for (axis, (size, (num, place))) in own.iter().zip(&wanted[ahead..]).enumerate() {
        call.fit(*size, Place::Axis(input, axis), *num, *place);
    }
    Ok(())
}

/// The element type whose number an attribute says, else the given one: where the node has no such
/// attribute, where that is 0, which stands for no type, and where no type has a number like it.
pub(super) fn element_of(
    call: &Call<'_, '_>,
    attribute: &'static str,
    default: Element,
) -> Element {
    let number = call.int(attribute).and_then(|number| i32::try_from(number).ok());
    match number.map(Element::of_number) {
        None | Some(Element::Undefined) => default,
        Some(element) => element,
    }
}

/// The numbers of an attribute that has one for each axis; the default for each where the node has
/// no such attribute.
pub(super) fn list(
    call: &Call<'_, '_>,
    attribute: &'static str,
    count: usize,
    default: i64,
) -> Result<Vec<i64>, Stop> {
    match call.ints(attribute).filter(|numbers| !numbers.is_empty()) {
        None => Ok(vec![default; count]),
        Some(numbers) if numbers.len() == count => Ok(numbers),
        Some(_) => Err(Stop::Attribute(attribute)),
    }
}
