//! Sequences of tensors, and values that may be absent.

use lozenge_calculus::number;
use std::sync::Arc;

use super::{
    super::{
        call::Call,
        known::{Container, Known, Sizes},
        num::{Num, Truth},
        require::Stop,
        value::Elem,
    },
    Family,
};
use crate::{element::Element, graph::AttributeValue};

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("ConcatFromSequence", concat),
    ("Optional", optional),
    ("OptionalGetElement", get),
    ("OptionalHasElement", has),
    ("SequenceAt", at),
    ("SequenceConstruct", construct),
    ("SequenceEmpty", empty),
    ("SequenceErase", erase),
    ("SequenceInsert", insert),
    ("SequenceLength", length),
    ("SplitToSequence", split),
];

/// What the elements of a sequence are, and how many there are.
fn sequence<'r>(call: &Call<'r, '_>, input: usize) -> Result<(&'r Arc<Known>, Option<Num>), Stop> {
    match &call.known(input)?.container {
        Some(Container::Sequence(of, count)) => Ok((of, *count)),
        _ => Err(Stop::Container),
    }
}

fn give_sequence(call: &mut Call<'_, '_>, of: Known, count: Option<Num>) {
    let element = of.element;
    call.give(
        0,
        Known {
            element,
            container: Some(Container::Sequence(Arc::new(of), count)),
            ..Known::default()
        },
    );
}

/// What is known of any of two.
fn either(call: &mut Call<'_, '_>, one: &Known, other: &Known) -> Known {
    let element = if one.element == Element::Undefined { other.element } else { one.element };
    let shape = match (&one.shape, &other.shape) {
        (Some(a), Some(b)) if a.len() == b.len() => {
            let mut sizes = Sizes::new();
            for (axis, (a, b)) in a.iter().zip(b).enumerate() {
                sizes.push(if call.nums.equals(*a, *b) == Truth::Always {
                    *a
                } else {
                    call.fresh(axis + 1, 0, None)
                });
            }
            Some(sizes)
        }
        _ => None,
    };
    Known { element, shape, ..Known::default() }
}

fn construct(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let count = number::length(call.input_count());
    let mut of = Known { value: None, ..call.known(0)?.clone() };
    for input in 1..call.input_count() {
        let other = call.known(input)?.clone();
        of = either(call, &of, &other);
    }
    give_sequence(call, of, Some(Num::Int(count)));
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "a rule may stop")]
fn empty(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let element = call
        .int("dtype")
        .and_then(|n| i32::try_from(n).ok())
        .map_or(Element::Float, Element::of_number);
    give_sequence(call, Known::of_element(element), Some(Num::Int(0)));
    Ok(())
}

fn insert(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (of, count) = sequence(call, 0)?;
    let new = Known { value: None, ..call.known(1)?.clone() };
    let of = if count == Some(Num::Int(0)) { new } else { either(call, &of.clone(), &new) };
    let count = count.map(|count| call.nums.add(count, Num::ONE));
    give_sequence(call, of, count);
    Ok(())
}

fn erase(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (of, count) = sequence(call, 0)?;
    let count = count.map(|count| call.nums.sub(count, Num::ONE));
    give_sequence(call, (**of).clone(), count);
    Ok(())
}

fn at(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (of, _) = sequence(call, 0)?;
    let is_open = of.shape.is_none();
    call.give(0, (**of).clone());
    if is_open { Err(Stop::Data) } else { Ok(()) }
}

fn length(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (_, count) = sequence(call, 0)?;
    match count {
        Some(count) => call.give_value(0, Element::Int64, [], [Elem::Whole(count)]),
        None => call.give_sizes(0, Element::Int64, []),
    }
    Ok(())
}

fn concat(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (of, count) = sequence(call, 0)?;
    let mut sizes = of.shape.clone().ok_or(Stop::Rank(0))?;
    let element = of.element;
    let is_new = call.flag("new_axis", false);
    let rank = sizes.len() + usize::from(is_new);
    let axis = Call::axis(call.int_or("axis", 0), rank)?;
    if is_new {
        let count = count.unwrap_or_else(|| call.fresh(0, 0, None));
        sizes.insert(axis, count);
    } else {
        sizes[axis] = match count {
            Some(count)
                if !call.nums.names_of(sizes[axis]).iter().any(|name| is_of_node(call, *name)) =>
            {
                call.nums.mul(sizes[axis], count)
            }
            _ => call.fresh(0, 0, None),
        };
    }
    call.give_sizes(0, element, sizes);
    Ok(())
}

/// Whether a name was given by a node, as for sizes that differ from element to element.
fn is_of_node(call: &Call<'_, '_>, name: super::super::num::NameId) -> bool {
    call.nums.name(name).is_some_and(|name| name.origin != super::super::num::Origin::Input)
}

fn split(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let mut sizes = call.shape(0)?.clone();
    let axis = Call::axis(call.int_or("axis", 0), sizes.len())?;
    let element = call.element(0);
    let whole = sizes[axis];
    let count = if !call.has(1) {
        if call.flag("keepdims", true) {
            sizes[axis] = Num::ONE;
        } else {
            sizes.remove(axis);
        }
        Some(whole)
    } else if call.shape(1)?.is_empty() {
        let part = call.scalar(1).and_then(Elem::int).filter(|part| *part > 0);
        if let Some(part) = part {
            let count = call.nums.ceil(whole, part);
            let rest = call.nums.rem(whole, part);
            sizes[axis] = if rest == Num::Int(0) {
                Num::Int(part)
            } else {
                call.fresh(axis + 1, 0, Some(Num::Int(part)))
            };
            Some(count)
        } else {
            sizes[axis] = call.fresh(axis + 1, 0, Some(whole));
            None
        }
    } else {
        let parts = call.wholes(1)?;
        let first = parts.first().copied().flatten();
        let are_equal = parts.iter().all(|part| *part == first);
        sizes[axis] = match first {
            Some(part) if are_equal => part,
            _ => call.fresh(axis + 1, 0, Some(whole)),
        };
        Some(Num::Int(number::length(parts.len())))
    };
    give_sequence(call, Known::tensor(element, sizes), count);
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "a rule may stop")]
fn optional(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let of = match call.known(0) {
        Ok(known) => known.clone(),
        Err(_) => match call.attribute("type") {
            Some(AttributeValue::Type(ty)) => ty
                .as_tensor()
                .map_or_else(Known::default, |tensor| Known::of_element(tensor.element)),
            _ => Known::default(),
        },
    };
    call.give(
        0,
        Known {
            element: of.element,
            container: Some(Container::Optional(Arc::new(of))),
            ..Known::default()
        },
    );
    Ok(())
}

fn get(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let known = call.known(0)?;
    let of = match &known.container {
        Some(Container::Optional(of)) => (**of).clone(),
        _ => known.clone(),
    };
    call.give(0, of);
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "a rule may stop")]
fn has(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let truth = match call.known(0) {
        Ok(known) if !matches!(known.container, Some(Container::Optional(_))) => {
            Elem::of_truth(true)
        }
        Ok(_) => Elem::Unknown,
        Err(_) => Elem::of_truth(false),
    };
    call.give_value(0, Element::Bool, [], [truth]);
    Ok(())
}
