//! What to change so that a node fits.

use super::{
    super::{
        id::TensorId,
        inferred::{Inferred, Source},
        num::Num,
        require::{Conflict, Place, Relation},
        text::shape_text,
    },
    name::{tensor_at, tensor_called},
};

/// Ways out of a conflict, likely ones only.
pub(super) fn helps(inferred: &Inferred<'_, '_>, conflict: &Conflict) -> Vec<String> {
    let mut helps = vec![];
    match conflict.relation {
        Some(Relation::Equal(a, b)) if conflict.places[0] == Place::Input(0) => {
            helps.extend(reshape(inferred, conflict, a, b));
        }
        Some(Relation::Equal(a, b)) => {
            for (place, needed) in [(conflict.places[0], b), (conflict.places[1], a)] {
                helps.extend(transposed(inferred, conflict, place, needed));
            }
        }
        Some(Relation::Divides(..)) => {
            if let (Some(shape), true) = (
                tensor_at(inferred, conflict.node, Place::Input(1)),
                is_reshape(inferred, conflict),
            ) {
                helps.extend(divisors(inferred, conflict, shape));
            }
        }
        _ => {}
    }
    helps
}

fn is_reshape(inferred: &Inferred<'_, '_>, conflict: &Conflict) -> bool {
    inferred.node(conflict.node).node.op == "Reshape"
}

/// An initializer that would fit with its axes the other way round.
fn transposed(
    inferred: &Inferred<'_, '_>,
    conflict: &Conflict,
    place: Place,
    needed: Num,
) -> Option<String> {
    let Place::Axis(_, axis) = place else { return None };
    let tensor = tensor_at(inferred, conflict.node, place)?;
    let record = inferred.tensor(tensor);
    if record.source != Source::Initializer {
        return None;
    }
    let sizes = record.known.shape.as_ref()?;
    let other = sizes.iter().enumerate().position(|(own, size)| own != axis && *size == needed)?;
    let shape = shape_text(inferred.nums(), Some(sizes));
    let called = tensor_called(inferred, tensor);
    let is_gemm = inferred.node(conflict.node).node.op == "Gemm";
    let flag = if is_gemm { ", or change `transB` of the node" } else { "" };
    Some(format!(
        "axis {other} of {called} {shape} is {}: if it was stored transposed, exchange axes {axis} and {other}{flag}",
        inferred.nums().text(needed)
    ))
}

/// The element of a shape that would fit as another number.
fn reshape(
    inferred: &Inferred<'_, '_>,
    conflict: &Conflict,
    all: Num,
    said: Num,
) -> Option<String> {
    let shape = tensor_at(inferred, conflict.node, Place::Input(1))?;
    let ints: Vec<i64> = ints_of(inferred, shape)?;
    let (all, said) = (all.as_int(), said.as_int());
    let called = tensor_called(inferred, shape);
    // The element that is the least off, where exactly one other number fits.
    let fitting = ints.iter().enumerate().filter_map(|(place, n)| {
        let others = said?.checked_div(*n).filter(|_| *n > 0)?;
        let fits = all?.checked_div(others)?;
        (others * fits == all?).then_some((place, *n, fits))
    });
    let best = fitting.min_by_key(|(_, n, fits)| n.abs_diff(*fits));
    if let Some((place, n, fits)) = best {
        return Some(format!(
            "element {place} of {called} is {n}: {fits} fits, or -1, which is whatever fits"
        ));
    }
    Some(format!("one element of {called} as -1 is whatever fits"))
}

/// What stands in a shape with -1 whose other elements do not divide what there is.
fn divisors(inferred: &Inferred<'_, '_>, conflict: &Conflict, shape: TensorId) -> Option<String> {
    let ints = ints_of(inferred, shape)?;
    let Some(Relation::Divides(by, of)) = conflict.relation else { return None };
    let (by, of) = (by.as_int()?, of.as_int()?);
    let called = tensor_called(inferred, shape);
    let fitting = ints.iter().enumerate().filter(|(_, n)| **n > 1).filter_map(|(place, n)| {
        let others = by.checked_div(*n).filter(|others| *others > 0 && others * n == by)?;
        (of % others == 0).then_some((place, *n, of / others))
    });
    let (place, n, most) = fitting.max_by_key(|(_, n, _)| *n)?;
    Some(format!("element {place} of {called} is {n}: a number that divides {most} fits"))
}

fn ints_of(inferred: &Inferred<'_, '_>, tensor: TensorId) -> Option<Vec<i64>> {
    let value = inferred.tensor(tensor).known.value.as_ref()?;
    value.iter().map(|elem| elem.int()).collect()
}
