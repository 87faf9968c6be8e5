//! Operators that make values: constants, shapes, ranges.

use super::{
    super::{
        call::Call,
        constant::constant,
        known::Known,
        num::{Num, Truth},
        require::{Place, Stop},
        value::{Elem, Value},
    },
    Family,
    pointwise::converted,
};
use crate::{element::Element, graph::AttributeValue};
use lozenge_calculus::number::length;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("Constant", stored),
    ("ConstantOfShape", filled),
    ("EyeLike", eye),
    ("Range", range),
    ("Shape", shape),
    ("Size", size),
];

fn stored(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let list = |element, value: Vec<Elem>| {
        let size = length(value.len());
        let mut known = Known::tensor(element, [Num::Int(size)]);
        let is_short = value.len() <= super::super::value::MOST_ELEMENTS;
        known.value = is_short.then(|| value.into());
        known
    };
    let scalar = |element, elem: Option<Elem>| Known {
        value: elem.map(|elem| Value::from([elem])),
        ..Known::tensor(element, [])
    };
    let names = [
        "value",
        "value_int",
        "value_ints",
        "value_float",
        "value_floats",
        "value_string",
        "value_strings",
        "sparse_value",
    ];
    let value =
        names.iter().find_map(|name| call.attribute(name)).ok_or(Stop::Attribute("value"))?;
    let known = match value {
        AttributeValue::Tensor(tensor) => constant(tensor),
        AttributeValue::SparseTensor(sparse) => {
            Known::tensor(sparse.values.element, sparse.dims().map(Num::Int))
        }
        AttributeValue::Int(n) => scalar(Element::Int64, Some((*n).into())),
        AttributeValue::Ints(of) => list(Element::Int64, of.clone().map(Elem::from).collect()),
        AttributeValue::Float(x) => scalar(Element::Float, Some(Elem::Real((*x).into()))),
        AttributeValue::Floats(of) => {
            list(Element::Float, of.clone().map(|x| Elem::Real(x.into())).collect())
        }
        AttributeValue::String(_) => scalar(Element::String, None),
        AttributeValue::Strings(of) => {
            list(Element::String, of.clone().map(|_| Elem::Unknown).collect())
        }
        _ => return Err(Stop::Attribute("value")),
    };
    call.give(0, known);
    Ok(())
}

fn shape(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?;
    let rank = length(sizes.len());
    let place = |n: i64| if n < 0 { (n + rank).max(0) } else { n.min(rank) };
    let (start, end) = (place(call.int_or("start", 0)), place(call.int_or("end", rank)));
    let taken: Vec<Elem> = sizes
        .iter()
        .zip(0..)
        .filter(|(_, axis)| (start..end).contains(axis))
        .map(|(size, _)| Elem::Whole(*size))
        .collect();
    let count = length(taken.len());
    call.give_value(0, Element::Int64, [Num::Int(count)], taken);
    Ok(())
}

fn size(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?;
    let count = call.nums.product(sizes.iter().copied());
    call.give_value(0, Element::Int64, [], [Elem::Whole(count)]);
    Ok(())
}

fn eye(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape_of_rank(0, 2)?.clone();
    let element = call
        .int("dtype")
        .and_then(|n| i32::try_from(n).ok())
        .map_or(call.element(0), Element::of_number);
    call.give_sizes(0, element, sizes);
    Ok(())
}

fn filled(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let fill = call.tensor("value").map(constant);
    let element = fill.as_ref().map_or(Element::Float, |fill| fill.element);
    let sizes = super::shapes::sizes_of_input(call, 0)?;
    let elem = match &fill {
        None => Elem::Real(0.0),
        Some(fill) => {
            fill.value.as_ref().and_then(|value| value.first().copied()).unwrap_or(Elem::Unknown)
        }
    };
    let known = Known::tensor(element, sizes);
    match known.count() {
        Some(count) if count <= super::super::value::MOST_ELEMENTS && elem != Elem::Unknown => {
            call.give(
                0,
                Known { value: Some(std::iter::repeat_n(elem, count).collect()), ..known },
            );
        }
        _ => call.give(0, known),
    }
    Ok(())
}

/// `⌈(limit − start)/step⌉` numbers, and none if that is negative.
/// The number of steps from `start` until `limit` is reached, negative where it lies behind; none
/// beyond 64 bits.
fn steps(start: i64, limit: i64, step: i64) -> Option<i64> {
    let [start, limit, step] = [start, limit, step].map(i128::from);
    let (way, step) = if step > 0 { (limit - start, step) } else { (start - limit, -step) };
    i64::try_from((way + step - 1).div_euclid(step)).ok()
}

fn range(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let element = call.element(0);
    let elems = [0, 1, 2].map(|input| call.scalar(input).unwrap_or(Elem::Unknown));
    let known = elems.map(Elem::real);
    if let ([Some(start), Some(limit), Some(step)], false) =
        (known, elems.iter().any(|elem| matches!(elem, Elem::Ratio(_))))
    {
        if step == 0.0 {
            return Err(Stop::Elements(2));
        }
        let count = match elems {
            // A float does not hold every number of 64 bits.
            [
                Elem::Whole(Num::Int(start)),
                Elem::Whole(Num::Int(limit)),
                Elem::Whole(Num::Int(step)),
            ] => steps(start, limit, step),
            _ => super::elements::whole_part(((limit - start) / step).ceil()),
        };
        let count = count.ok_or(Stop::Elements(1))?.max(0);
        let value = (0..count).take(1 + super::super::value::MOST_ELEMENTS).map(|n| {
            #[expect(clippy::cast_precision_loss, reason = "as the operator computes")]
            let at = start + step * n as f64;
            converted(call.nums, Elem::Real(at), element)
        });
        let value: Vec<Elem> = value.collect();
        call.give_value(0, element, [Num::Int(count)], value);
        return Ok(());
    }
    let num = |elem| match elem {
        Elem::Whole(num) | Elem::Ratio(num) => Some(num),
        Elem::Real(x) => {
            super::elements::fraction(x).filter(|(_, below)| *below == 1).map(|(n, _)| Num::Int(n))
        }
        Elem::Unknown => None,
    };
    let count = match elems.map(num) {
        [Some(start), Some(limit), Some(Num::Int(step))] if step != 0 => {
            let (from, to) = if step > 0 { (start, limit) } else { (limit, start) };
            let distance = call.nums.sub(to, from);
            // A step of -2^63 and one of 1 - 2^63 both reach one element at most.
            let count = call.nums.ceil(distance, step.checked_abs().unwrap_or(i64::MAX));
            match call.nums.at_most(Num::Int(0), count) {
                Truth::Always => count,
                Truth::Never => Num::Int(0),
                Truth::Maybe => call.nums.greatest(count, Num::Int(0)),
            }
        }
        [Some(start), Some(limit), Some(step)] => {
            let length = call.nums.sub(limit, start);
            match call.nums.quotient(length, step) {
                Some(count) if call.nums.is_quotient_exact(length, step, count) => count,
                _ => call.fresh(0, 0, None),
            }
        }
        _ => call.fresh(0, 0, None),
    };
    call.at_least(count, 0, Place::Node);
    call.give_sizes(0, element, [count]);
    Ok(())
}
