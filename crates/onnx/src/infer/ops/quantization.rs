//! Operators between floats and numbers of few bits that stand for them, and those that compute
//! with such numbers.

use super::{
    super::{
        call::Call,
        num::Num,
        require::{Place, Stop},
        template::{Template, rest},
    },
    Family,
    agree::element_of,
    pointwise::{same, same_as},
};
use crate::element::Element;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("DequantizeLinear", dequantize),
    ("DynamicQuantizeLinear", dynamic_quantize),
    ("QuantizeLinear", quantize),
    ("com.microsoft::DequantizeLinear", dequantize),
    ("com.microsoft::QLinearAdd", binary),
    ("com.microsoft::QLinearConcat", concat),
    ("com.microsoft::QLinearLeakyRelu", same),
    ("com.microsoft::QLinearMul", binary),
    ("com.microsoft::QLinearSigmoid", same),
    ("com.microsoft::QLinearSoftmax", same),
    ("com.microsoft::QuantizeLinear", quantize),
    ("onnx.brevitas::BipolarQuant", same),
    ("onnx.brevitas::FloatQuant", same),
    ("onnx.brevitas::Quant", same),
    ("onnx.brevitas::Trunc", same),
    ("qonnx.custom_op.general::BipolarQuant", same),
    ("qonnx.custom_op.general::FloatQuant", same),
    ("qonnx.custom_op.general::IntQuant", same),
    ("qonnx.custom_op.general::Quant", same),
    ("qonnx.custom_op.general::Trunc", same),
];

/// Requires that scales and zero points are one, or one for each element of an axis, or one for
/// each block along it.
fn meet_scales(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let Ok(sizes) = call.shape(0) else { return Ok(()) };
    for input in [1, 2] {
        let Ok(scales) = call.shape(input) else { continue };
        let axis = call.int_or("axis", 1);
        match scales.as_slice() {
            [] | [Num::ONE] => {}
            [size] => {
                let axis = if sizes.len() == 1 { 0 } else { Call::axis(axis, sizes.len())? };
                call.fit(*size, Place::Axis(input, 0), sizes[axis], Place::Axis(0, axis));
            }
            _ if scales.len() != sizes.len() => {
                let (least, found) = (sizes.len(), scales.len());
                return Err(Stop::Axes { input, least, found });
            }
            _ => {
                let along = Call::axis(axis, sizes.len())?;
                let block = call.int_or("block_size", 0);
                for (place, (size, own)) in sizes.iter().zip(scales).enumerate() {
                    let blocks = match block {
                        1.. if place == along => call.nums.ceil(*size, block),
                        _ if place == along => continue,
                        _ => *size,
                    };
                    call.equal(blocks, Place::Axis(0, place), *own, Place::Axis(input, place));
                }
            }
        }
    }
    Ok(())
}

fn quantize(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let element = match call.element(2) {
        Element::Undefined => element_of(call, "output_dtype", Element::Uint8),
        element => element,
    };
    same_as(call, element)?;
    meet_scales(call)
}

fn dequantize(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let element = if call.version < 19 && call.node.domain.is_empty() {
        Element::Float
    } else {
        element_of(call, "output_dtype", call.element(1))
    };
    same_as(call, element)?;
    meet_scales(call)
}

/// The further outputs are the scale and the zero point that were found.
fn dynamic_quantize(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    call.give_sizes(1, Element::Float, []);
    call.give_sizes(2, Element::Uint8, []);
    same_as(call, Element::Uint8)
}

/// Two operands, each with scale and zero point after it, which are broadcast to each other.
fn binary(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let unread = |name| vec![rest(name)];
    let template = Template {
        operands: vec![unread("a"), unread("scale"), unread("zero"), unread("a")],
        result: unread("a"),
        given: vec![],
        stretches: true,
    };
    call.give_template(0, call.element(0), template)
}

/// The result's scale and zero point, and after them each operand with its own.
fn concat(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    const FIRST: usize = 2;
    const EACH: usize = 3;
    let mut sizes = call.shape(FIRST)?.clone();
    let along = call.int("axis").ok_or(Stop::Attribute("axis"))?;
    let along = Call::axis(along, sizes.len())?;
    for input in (FIRST + EACH..call.input_count()).step_by(EACH) {
        let other = call.shape_of_rank(input, sizes.len())?;
        for (axis, size) in other.iter().enumerate() {
            sizes[axis] = if axis == along {
                call.nums.add(sizes[axis], *size)
            } else {
                call.equal(sizes[axis], Place::Axis(FIRST, axis), *size, Place::Axis(input, axis))
            };
        }
    }
    call.give_sizes(0, call.element(FIRST), sizes);
    Ok(())
}
