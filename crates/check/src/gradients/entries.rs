//! Operations that are no specifications, drawn.
#![allow(clippy::unnecessary_wraps)] // the entries of the table have one type

use super::{
    draw::Drawing,
    model::{Axis, Op, Range, Rows, Update, beside_number, elements, output},
};

fn has_units(shape: &Rows) -> bool {
    shape.iter().flatten().any(|axis| axis.is_unit)
}

pub(super) fn unary(d: &mut Drawing<'_>, name: &'static str, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    Some(d.push(Op::Unary { name }, &[x], shape))
}

pub(super) fn of_positive(d: &mut Drawing<'_>, name: &'static str, x: usize) -> Option<usize> {
    let x = d.positive(x);
    unary(d, name, x)
}

/// With another of the same shape, which may be the tensor itself, on either side.
pub(super) fn binary(d: &mut Drawing<'_>, name: &'static str, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    let other = d.same(&shape, x);
    let of = if d.rng.bool() { [x, other] } else { [other, x] };
    Some(d.push(Op::Binary { name }, &of, shape))
}

pub(super) fn by_positive(d: &mut Drawing<'_>, name: &'static str, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    let by = if d.chance(70) {
        d.leaf_in(beside_number(shape.clone()), Range::Positive)
    } else {
        let other = d.same(&shape, x);
        d.positive(other)
    };
    let shape = beside_number(shape);
    Some(d.push(Op::Binary { name }, &[x, by], shape))
}

pub(super) fn power(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let base = d.positive(x);
    let shape = d.shape(base);
    let exponent = d.same(&shape, base);
    Some(d.push(Op::Binary { name: "pow" }, &[base, exponent], shape))
}

pub(super) fn power_by_number(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    let base = d.positive(x);
    let shape = beside_number(shape);
    let number = d.rng.choice([0.0, 1.0, 2.0, 3.0, -1.0, 0.5, -2.5])?;
    let exponent = d.number(number);
    Some(d.push(Op::Binary { name: "pow" }, &[base, exponent], shape))
}

pub(super) fn ternary(d: &mut Drawing<'_>, name: &'static str, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    let [second, third] = [0, 1].map(|_| d.same(&shape, x));
    let mut of = [x, second, third];
    d.rng.shuffle(&mut of);
    // The choice is a comparison with a number.
    let shape = if name == "where" { beside_number(shape) } else { shape };
    Some(d.push(Op::Ternary { name }, &of, shape))
}

/// With a leaf that has `1_` in the place of some of its axes, or that lacks the first ones.
pub(super) fn stretched(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    let mut less = shape.clone();
    for axis in less.iter_mut().flatten() {
        if d.rng.bool() {
            *axis = Axis::UNIT;
        }
    }
    for row in &mut less {
        let dropped = d.rng.usize(..=row.len());
        if d.chance(40) {
            row.drain(..dropped);
        }
    }
    let mut other = d.leaf(less.clone());
    if d.rng.bool() {
        // In the middle: what stretches is computed.
        other = d.push(Op::Unary { name: "sin" }, &[other], less);
    }
    let name = d.rng.choice(["add", "mul", "sub", "max"])?;
    let of = if d.rng.bool() { [x, other] } else { [other, x] };
    Some(d.push(Op::Binary { name }, &of, shape))
}

/// With a leaf that has more axes before its own.
pub(super) fn longer(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut shape = d.shape(x);
    if has_units(&shape) || d.keeps_first(x) {
        return None;
    }
    let row = d.rng.usize(..3);
    let size = d.size();
    shape[row].insert(0, Axis::of(size));
    let other = d.leaf(shape.clone());
    let name = d.rng.choice(["add", "mul", "min"])?;
    let of = if d.rng.bool() { [x, other] } else { [other, x] };
    Some(d.push(Op::Binary { name }, &of, shape))
}

/// Without the mean over its first output axis, which stretches again.
pub(super) fn centred(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    if has_units(&shape) || shape[2].is_empty() || d.keeps_first(x) {
        return None;
    }
    let spec = "...|...->first, ..rest.. => ...|...->..rest..".to_owned();
    let mut less = shape.clone();
    less[2].remove(0);
    let mean = d.push(Op::Mean { spec }, &[x], beside_number(less));
    let name = d.rng.choice(["sub", "mul"])?;
    Some(d.push(Op::Binary { name }, &[x, mean], shape))
}

pub(super) fn with_number(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    let value = d.rng.choice([0.5, 2.0, -1.0, 1.0, 0.75])?;
    let number = d.number(value);
    let name = d.rng.choice(["add", "mul", "sub", "max", "div"])?;
    let is_first = name != "div" && d.rng.bool();
    let of = if is_first { [number, x] } else { [x, number] };
    Some(d.push(Op::Binary { name }, &of, beside_number(shape)))
}

/// A map is applied to what the tensor gives.
pub(super) fn composed_left(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    if has_units(&shape) {
        return None;
    }
    let mut written: Vec<Axis> = vec![];
    for _ in 0..d.rng.usize(0..=2) {
        let size = d.size();
        written.push(Axis::of(size));
    }
    let map = d.leaf([vec![], shape[2].clone(), written.clone()]);
    let made = [shape[0].clone(), shape[1].clone(), written];
    Some(d.push(Op::Compose, &[map, x], made))
}

/// The tensor is a map, applied to what another gives.
pub(super) fn composed_right(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    if has_units(&shape) {
        return None;
    }
    let mut read: Vec<Axis> = vec![];
    if d.chance(60) {
        let size = d.size();
        read.push(Axis::of(size));
    }
    let given = d.leaf([shape[0].clone(), read.clone(), shape[1].clone()]);
    let made = [shape[0].clone(), read, shape[2].clone()];
    Some(d.push(Op::Compose, &[x, given], made))
}

pub(super) fn transpose(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let [batch, input, output] = d.shape(x);
    Some(d.push(Op::Transpose, &[x], [batch, output, input]))
}

pub(super) fn reshape(d: &mut Drawing<'_>, x: usize, is_said: bool) -> Option<usize> {
    let shape = d.shape(x);
    if has_units(&shape) {
        return None;
    }
    let mut left = u64::try_from(elements(&shape)).ok()?;
    let mut made: Rows = Rows::default();
    for row in [2, 2, 0] {
        let divisors: Vec<u64> = (1..=left).filter(|by| left % by == 0).collect();
        let size = divisors[d.rng.usize(..divisors.len())];
        if size > 1 || d.rng.bool() {
            made[row].push(Axis::of(size));
            left /= size;
        }
    }
    if left > 1 {
        made[2].push(Axis::of(left));
    }
    Some(d.push(Op::Reshape { is_said }, &[x], made))
}

/// One after another along the first output axis.
pub(super) fn concat(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    if has_units(&shape) || shape[2].is_empty() {
        return None;
    }
    let (mut of, mut made) = (vec![x], shape.clone());
    for _ in 0..d.rng.usize(1..=2) {
        let mut other = shape.clone();
        if d.rng.bool() {
            other[2][0] = Axis::of(d.size());
        }
        let part = d.same(&other, x);
        // It may be the tensor itself, which has its own size.
        made[2][0].size += d.shape(part)[2][0].size;
        of.push(part);
    }
    d.rng.shuffle(&mut of);
    Some(d.push(Op::Concat, &of, made))
}

pub(super) fn stack(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut shape = d.shape(x);
    if has_units(&shape) {
        return None;
    }
    let mut of = vec![x];
    for _ in 0..d.rng.usize(1..=2) {
        of.push(d.same(&shape, x));
    }
    d.rng.shuffle(&mut of);
    shape[2].insert(0, Axis::of(u64::try_from(of.len()).ok()?));
    Some(d.push(Op::Stack, &of, shape))
}

pub(super) fn interleave(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut shape = d.shape(x);
    if has_units(&shape) || shape[2].is_empty() {
        return None;
    }
    let other = d.same(&shape, x);
    shape[2].last_mut()?.size *= 2;
    let of = if d.rng.bool() { [x, other] } else { [other, x] };
    Some(d.push(Op::Interleave, &of, shape))
}

/// Rows of the tensor, some several times, and some that it has not.
pub(super) fn gather(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    let [batch, input, rows] = &shape;
    if has_units(&shape) || rows.len() < 2 || !batch.is_empty() || !input.is_empty() {
        return None;
    }
    let sizes: Vec<u64> = (0..d.rng.usize(1..=2)).map(|_| d.size()).collect();
    let indices = d.leaf_in(output(&sizes), Range::Index(rows[0].size));
    let mut made = output(&sizes);
    made[2].extend(&rows[1..]);
    Some(d.push(Op::Gather, &[x, indices], made))
}

pub(super) fn mean(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut shape = d.shape(x);
    if has_units(&shape) || shape[2].is_empty() {
        return None;
    }
    shape[2].pop();
    let spec = "...|...->..most.., last => ...|...->..most..".to_owned();
    Some(d.push(Op::Mean { spec }, &[x], beside_number(shape)))
}

pub(super) fn count(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    let is_root = d.rng.bool();
    (!has_units(&shape)).then(|| d.push(Op::Count { is_root }, &[x], beside_number(shape)))
}

pub(super) fn size(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut shape = d.shape(x);
    if has_units(&shape) || shape[2].is_empty() {
        return None;
    }
    shape[2].remove(0);
    let spec = "...|...->first, ..rest.. => ...|...->..rest..".to_owned();
    let size = Op::Size { spec, axis: "first".to_owned() };
    Some(d.push(size, &[x], beside_number(shape)))
}

/// Times the tensor, through which a part of the gradient goes.
pub(super) fn stop(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    let stopped = d.push(Op::Stop, &[x], shape.clone());
    Some(d.push(Op::Binary { name: "mul" }, &[x, stopped], shape))
}

pub(super) fn convert(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    Some(d.push(Op::Convert, &[x], shape))
}

/// A statement that changes the tensor.
pub(super) fn update(d: &mut Drawing<'_>, by: &'static str, x: usize) -> Option<usize> {
    let shape = d.shape(x);
    if has_units(&shape) {
        return None;
    }
    let [batch, input, output] = &shape;
    let mut spec = String::new();
    let (logic, of) = match d.rng.u8(..5) {
        0 => {
            let read = vec![Axis::of(d.size())];
            let map = d.leaf([vec![], read.clone(), output.clone()]);
            let given = d.leaf([batch.clone(), input.clone(), read]);
            ("compose", vec![map, given])
        }
        1 => ("transpose", vec![d.leaf([batch.clone(), output.clone(), input.clone()])]),
        2 if batch.is_empty() && input.is_empty() => {
            let summed = Axis::of(d.size());
            let long: Vec<Axis> = output.iter().copied().chain([summed]).collect();
            let [first, second] =
                [d.leaf([vec![], vec![], long]), d.leaf([vec![], vec![], vec![summed]])];
            "...k; k => ...".clone_into(&mut spec);
            ("spec", vec![first, second])
        }
        3 => ("times", vec![d.leaf(shape.clone())]),
        _ => ("times", vec![d.leaf(shape.clone()), d.leaf(shape.clone())]),
    };
    // What is replaced by a sum over loops is written many times.
    let by = if by == "set" && matches!(logic, "compose" | "spec") { return None } else { by };
    let is_forward = d.rng.bool();
    let of: Vec<usize> = [x].into_iter().chain(of).collect();
    Some(d.push(Op::Update(Update { by, logic, spec, is_forward }), &of, shape))
}
