//! Specifications on a tensor that is there, drawn.
#![allow(clippy::unnecessary_wraps)] // the entries of the table have one type

use super::{
    draw::Drawing,
    model::{Axis, Op, Range, Rows, Spec, elements, output},
};
use crate::{
    border::{Border, Slide},
    numeric::{self, Combine},
};

/// The largest size of a name of any specification.
const LARGEST: u64 = 3;

/// How axes of three rows are written, each with its size.
type Named = [Vec<(String, u64)>; 3];

const PRODUCT: (Combine, &str) = (Combine::Multiply, "sum");

/// A name for every axis; `None` where one is a unit, which has no size of its own.
fn named(shape: &Rows) -> Option<Named> {
    if shape.iter().flatten().any(|axis| axis.is_unit) {
        return None;
    }
    let mut made = Named::default();
    for (row, stem) in ["b", "i", "o"].into_iter().enumerate() {
        let axes = shape[row].iter().enumerate();
        made[row] = axes.map(|(at, axis)| (format!("{stem}{at}"), axis.size)).collect();
    }
    Some(made)
}

fn rows(named: &Named) -> Rows {
    named.each_ref().map(|row| row.iter().map(|(_, size)| Axis::of(*size)).collect())
}

/// The axes of a slot as they are written, with a comma behind the last so that names are words.
fn side(named: &Named) -> String {
    let row = |row: &Vec<(String, u64)>| {
        row.iter().map(|(name, _)| format!("{name},")).collect::<Vec<_>>().concat()
    };
    let [batch, input, output] = named.each_ref().map(row);
    let arrow = if input.is_empty() { "" } else { "->" };
    let bar = if batch.is_empty() { "" } else { "|" };
    format!("{batch}{bar}{input}{arrow}{output}")
}

fn flat(named: &Named) -> Vec<(String, u64)> {
    named.iter().flatten().cloned().collect()
}

/// The place of an axis, by row and by place in it.
fn any_axis(d: &mut Drawing<'_>, named: &Named) -> Option<(usize, usize)> {
    let all: Vec<(usize, usize)> =
        (0..3).flat_map(|row| (0..named[row].len()).map(move |at| (row, at))).collect();
    d.rng.choice(all)
}

/// The axes in any order, in the rows of any kind.
fn scattered(d: &mut Drawing<'_>, mut axes: Vec<(String, u64)>) -> Named {
    d.rng.shuffle(&mut axes);
    let mut made = Named::default();
    for axis in axes {
        let row = [2, 2, 2, 0, 1][d.rng.usize(..5)];
        made[row].push(axis);
    }
    made
}

/// Some of the axes, where they are.
fn some(d: &mut Drawing<'_>, named: &Named, percent: u8) -> Named {
    let mut made = named.clone();
    for row in &mut made {
        row.retain(|_| d.rng.u8(..100) < percent);
    }
    made
}

/// An operation of one operand.
fn one(
    d: &mut Drawing<'_>,
    (from, to): (&Named, &Named),
    numbers: &[(&str, u64)],
    accumulate: &'static str,
    x: usize,
) -> usize {
    let spec = format!("{} => {}", side(from), side(to));
    d.spec((spec, numbers), (Combine::Multiply, accumulate), &[x], rows(to))
}

pub(super) fn reduced(d: &mut Drawing<'_>, accumulate: &'static str, x: usize) -> Option<usize> {
    // What is divided by must not be 0.
    let x = if accumulate == "divide" { d.positive(x) } else { x };
    let from = named(&d.shape(x))?;
    let to = some(d, &from, 50);
    let cells = elements(&rows(&to)).max(1);
    let is_large = elements(&rows(&from)) / cells > 6;
    if matches!(accumulate, "product" | "divide") && is_large {
        return None;
    }
    Some(one(d, (&from, &to), &[], accumulate, x))
}

pub(super) fn permuted(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let to = scattered(d, flat(&from));
    Some(one(d, (&from, &to), &[], "sum", x))
}

/// An operand with some of the axes of others and one of its own.
fn beside(d: &mut Drawing<'_>, axes: &[(String, u64)], own: &str) -> (Named, usize) {
    let mut taken: Vec<(String, u64)> =
        axes.iter().filter(|_| d.rng.u8(..100) < 60).cloned().collect();
    if d.chance(60) {
        taken.push((own.to_owned(), d.size()));
    }
    let made = scattered(d, taken);
    let leaf = d.leaf(rows(&made));
    (made, leaf)
}

/// A product with another tensor, summed over what the result lacks.
pub(super) fn contraction(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let (other, leaf) = beside(d, &flat(&from), "w");
    joined(d, &[(&from, x), (&other, leaf)], PRODUCT)
}

pub(super) fn of_three(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let (second, two) = beside(d, &flat(&from), "w");
    let (third, three) = beside(d, &flat(&second), "u");
    joined(d, &[(&from, x), (&second, two), (&third, three)], PRODUCT)
}

/// A specification of these operands, whose result has some of their axes.
fn joined(
    d: &mut Drawing<'_>,
    operands: &[(&Named, usize)],
    how: (Combine, &'static str),
) -> Option<usize> {
    let mut operands = operands.to_vec();
    d.rng.shuffle(&mut operands);
    let mut axes: Vec<(String, u64)> = operands.iter().flat_map(|(named, _)| flat(named)).collect();
    axes.sort();
    axes.dedup();
    axes.retain(|_| d.rng.u8(..100) < 55);
    let to = scattered(d, axes);
    let read: Vec<String> = operands.iter().map(|(named, _)| side(named)).collect();
    let spec = format!("{} => {}", read.join("; "), side(&to));
    let of: Vec<usize> = operands.iter().map(|(_, of)| *of).collect();
    Some(d.spec((spec, &[]), how, &of, rows(&to)))
}

/// The tensor times itself, under names that are the same for some axes.
pub(super) fn with_itself(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let mut again = from.clone();
    for (name, _) in again.iter_mut().flatten() {
        if d.rng.u8(..100) < 35 {
            name.push('x');
        }
    }
    joined(d, &[(&from, x), (&again, x)], PRODUCT)
}

/// One name for two axes of a size: kept, or summed.
pub(super) fn diagonal(d: &mut Drawing<'_>, x: usize, is_kept: bool) -> Option<usize> {
    let mut from = named(&d.shape(x))?;
    let (row, at) = any_axis(d, &from)?;
    let (name, size) = from[row][at].clone();
    let mut twins = vec![];
    for (row, axes) in from.iter().enumerate() {
        twins.extend(
            (0..axes.len())
                .map(|at| (row, at))
                .filter(|(row, at)| from[*row][*at].1 == size && from[*row][*at].0 != name),
        );
    }
    let (other, place) = d.rng.choice(twins)?;
    let twin = std::mem::replace(&mut from[other][place].0, name.clone()).clone();
    let mut kept = flat(&from);
    kept.sort();
    kept.dedup();
    debug_assert_ne!(twin, name);
    kept.retain(|(own, _)| *own != name || is_kept);
    let to = scattered(d, kept);
    Some(one(d, (&from, &to), &[], "sum", x))
}

pub(super) fn diagonal_written(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let mut to = from.clone();
    let (row, at) = any_axis(d, &from)?;
    to[2].push(from[row][at].clone());
    Some(one(d, (&from, &to), &[], "sum", x))
}

pub(super) fn fixed(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut from = named(&d.shape(x))?;
    let mut to = from.clone();
    let (row, at) = any_axis(d, &from)?;
    let size = from[row][at].1;
    from[row][at].0 = d.rng.u64(..size).to_string();
    to[row].remove(at);
    Some(one(d, (&from, &to), &[], "sum", x))
}

pub(super) fn fixed_written(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let mut to = from.clone();
    let position = d.rng.u64(..3);
    to[2].push((position.to_string(), position + 1));
    Some(one(d, (&from, &to), &[], "sum", x))
}

pub(super) fn stride(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut from = named(&d.shape(x))?;
    let mut to = from.clone();
    let (row, at) = any_axis(d, &from)?;
    let size = from[row][at].1;
    let step = d.rng.u64(2..=3);
    let is_loose = size % step != 0;
    let sign = if is_loose { "~" } else { "" };
    // The positions that are read lie on the axis.
    let beyond = if is_loose { size % step } else { step };
    let offset = match d.rng.u64(..beyond) {
        0 => String::new(),
        offset => format!("+{offset}"),
    };
    from[row][at].0 = format!("{step}*s{sign}{offset}");
    to[row][at] = ("s".to_owned(), size.div_ceil(step));
    Some(one(d, (&from, &to), &[], "sum", x))
}

/// A window along an axis: as it is written, the number of its places, and the size of its kernel.
fn sliding(d: &mut Drawing<'_>, size: u64) -> Option<(String, u64, u64)> {
    for _ in 0..40 {
        let slide = Slide {
            border: Border::draw(d.rng, 2),
            stride: if d.rng.bool() { 1 } else { d.rng.u64(2..=3) },
            dilation: if d.chance(60) { 1 } else { 2 },
            kernel: d.rng.u64(1..=3),
        };
        let Some(places) = slide.places(size) else { continue };
        let count = u64::try_from(places.len()).ok()?;
        // What closing finds from the number of places is the same size.
        let offset = if d.chance(70) { 0 } else { d.rng.u64(..slide.stride) };
        let factor = |number: u64| if number == 1 { String::new() } else { format!("{number}*") };
        let mut text =
            format!("{}p{}+{}k", factor(slide.stride), slide.border.text(), factor(slide.dilation));
        if offset > 0 {
            text = format!("{text}+{offset}");
        }
        return Some((text, count, slide.kernel));
    }
    None
}

/// A pool: windows along an axis, accumulated; along a second one as well, now and then.
pub(super) fn window(d: &mut Drawing<'_>, accumulate: &'static str, x: usize) -> Option<usize> {
    let mut from = named(&d.shape(x))?;
    let mut to = from.clone();
    let first = any_axis(d, &from)?;
    let second = any_axis(d, &from).filter(|second| *second != first && d.rng.bool());
    let mut numbers = vec![];
    for ((row, at), suffix) in [Some(first), second].into_iter().flatten().zip(["0", "1"]) {
        let (text, places, kernel) = sliding(d, from[row][at].1)?;
        from[row][at].0 =
            text.replace('p', &format!("p{suffix}")).replace('k', &format!("k{suffix}"));
        to[row][at] = (format!("p{suffix}"), places);
        numbers.push((format!("k{suffix}"), kernel));
    }
    if accumulate == "sum" && d.rng.bool() {
        to = some(d, &to, 70);
    }
    let numbers: Vec<(&str, u64)> = numbers.iter().map(|(name, size)| (&name[..], *size)).collect();
    Some(one(d, (&from, &to), &numbers, accumulate, x))
}

/// Windows whose elements are an axis of the result.
pub(super) fn windows_kept(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut from = named(&d.shape(x))?;
    let mut to = from.clone();
    let (row, at) = any_axis(d, &from)?;
    let (text, places, kernel) = sliding(d, from[row][at].1)?;
    from[row][at].0 = text;
    to[row][at] = ("p".to_owned(), places);
    to[2].push(("k".to_owned(), kernel));
    Some(one(d, (&from, &to), &[("k", kernel)], "sum", x))
}

/// A kernel that slides along an axis; tropical, it is added and the largest stays.
pub(super) fn convolution(d: &mut Drawing<'_>, is_tropical: bool, x: usize) -> Option<usize> {
    let mut from = named(&d.shape(x))?;
    let (row, at) = any_axis(d, &from)?;
    let (text, places, size) = sliding(d, from[row][at].1)?;
    from[row][at] = (text, from[row][at].1);
    let others: Vec<(String, u64)> =
        from.iter().flatten().filter(|(name, _)| !name.contains('+')).cloned().collect();
    let mut taken: Vec<(String, u64)> =
        others.iter().filter(|_| d.rng.u8(..100) < 40).cloned().collect();
    taken.push(("k".to_owned(), size));
    if !is_tropical && d.rng.bool() {
        taken.push(("f".to_owned(), d.size()));
    }
    let kernel = scattered(d, taken.clone());
    let leaf = d.leaf(rows(&kernel));
    let mut kept: Vec<(String, u64)> = others.into_iter().filter(|_| d.rng.bool()).collect();
    kept.extend(taken.into_iter().filter(|(name, _)| name == "f"));
    kept.push(("p".to_owned(), places));
    let to = scattered(d, kept);
    let how = if is_tropical { (Combine::Add, d.rng.choice(["max", "min"])?) } else { PRODUCT };
    let spec = format!("{}; {} => {}", side(&from), side(&kernel), side(&to));
    Some(d.spec((spec, &[]), how, &[x, leaf], rows(&to)))
}

pub(super) fn tropical(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let (other, leaf) = beside(d, &flat(&from), "w");
    let combine = if d.chance(70) { Combine::Add } else { Combine::Multiply };
    let how = (combine, d.rng.choice(["max", "min"])?);
    joined(d, &[(&from, x), (&other, leaf)], how)
}

/// Two axes become one.
pub(super) fn merged(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let mut to = scattered(d, flat(&from));
    let (row, at) = any_axis(d, &to)?;
    let (second, more) = if to[row].len() > at + 1 { to[row].remove(at + 1) } else { return None };
    let (first, size) = to[row][at].clone();
    to[row][at] = (format!("({first} {second})"), size * more);
    Some(one(d, (&from, &to), &[], "sum", x))
}

/// One axis becomes two, of which the result has one or both, in any order.
pub(super) fn split(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut from = named(&d.shape(x))?;
    let (row, at) = any_axis(d, &from)?;
    let (_, size) = from[row][at];
    let factor = d.rng.choice((1..=size).filter(|by| size % by == 0).collect::<Vec<_>>())?;
    let mut kept: Vec<(String, u64)> = flat(&from);
    kept.retain(|(name, _)| *name != from[row][at].0);
    "(s t)".clone_into(&mut from[row][at].0);
    kept.extend([("s".to_owned(), size / factor), ("t".to_owned(), factor)]);
    kept.retain(|_| d.rng.u8(..100) < 80);
    let to = scattered(d, kept);
    Some(one(d, (&from, &to), &[("t", factor)], "sum", x))
}

/// An axis with each element several times, or a new axis.
pub(super) fn repeated(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let mut to = from.clone();
    let times = d.rng.u64(1..=3);
    let (row, at) = any_axis(d, &from)?;
    if d.rng.bool() {
        let (name, size) = from[row][at].clone();
        let text =
            if d.rng.bool() { format!("({name} {times})") } else { format!("({times} {name})") };
        to[row][at] = (text, size * times);
        return Some(one(d, (&from, &to), &[], "sum", x));
    }
    to[row].insert(at, ("r".to_owned(), times));
    Some(one(d, (&from, &to), &[("r", times)], "sum", x))
}

/// Some neighbours along an axis: a part of a concatenation.
pub(super) fn slice(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let mut from = named(&d.shape(x))?;
    let mut to = from.clone();
    let (row, at) = any_axis(d, &from)?;
    let size = from[row][at].1;
    let before = d.rng.u64(..size);
    let taken = d.rng.u64(1..=size - before);
    let after = size - before - taken;
    let mut numbers = vec![("s", taken)];
    let mut parts = vec![];
    for (part, name) in [(before, "a"), (taken, "s"), (after, "z")] {
        match part {
            0 => {}
            _ if name == "s" => parts.push("s".to_owned()),
            // Named, or a number.
            part if d.rng.bool() => {
                parts.push(name.to_owned());
                numbers.push((name, part));
            }
            part => parts.push(part.to_string()),
        }
    }
    if parts.len() < 2 {
        return None;
    }
    from[row][at].0 = parts.join("^");
    to[row][at] = ("s".to_owned(), taken);
    Some(one(d, (&from, &to), &numbers, "sum", x))
}

/// An axis with a border that nothing is written to.
pub(super) fn padding(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let mut to = from.clone();
    let (row, at) = any_axis(d, &from)?;
    let [before, after] = [0, 1].map(|_| d.rng.u64(0..=2));
    if before + after == 0 {
        return None;
    }
    let (name, size) = from[row][at].clone();
    let number = |n: u64| (n > 0).then(|| n.to_string());
    let parts: Vec<String> =
        [number(before), Some(name), number(after)].into_iter().flatten().collect();
    to[row][at] = (parts.join("^"), before + size + after);
    Some(one(d, (&from, &to), &[], "sum", x))
}

/// One after another along an axis, with a gap now and then.
pub(super) fn concatenation(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    let from = named(&d.shape(x))?;
    let (row, at) = any_axis(d, &from)?;
    let mut other = from.clone();
    other[row][at] = ("y".to_owned(), d.size());
    let same = d.shape(x);
    let is_itself = d.chance(25);
    let second = if is_itself {
        other[row][at].1 = from[row][at].1;
        d.same(&same, x)
    } else {
        d.leaf(rows(&other))
    };
    let mut to = from.clone();
    let mut parts = vec![from[row][at].clone(), other[row][at].clone()];
    if d.chance(30) {
        parts.push(("1".to_owned(), 1));
    }
    d.rng.shuffle(&mut parts);
    let texts: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    to[row][at] = (texts.join("^"), parts.iter().map(|(_, size)| size).sum());
    let spec = format!("{}; {} => {}", side(&from), side(&other), side(&to));
    Some(d.spec((spec, &[]), PRODUCT, &[x, second], rows(&to)))
}

/// A specification of any constructs, over leaves and over what is made of the tensor.
pub(super) fn any(d: &mut Drawing<'_>, x: usize) -> Option<usize> {
    if d.shape(x).iter().flatten().any(|axis| axis.is_unit) {
        return None;
    }
    let case = numeric::draw(d.rng, LARGEST, true);
    let shapes: Vec<Rows> = case
        .shapes
        .iter()
        .map(|shape| shape.each_ref().map(|row| row.iter().map(|size| Axis::of(*size)).collect()))
        .collect();
    let result: Rows =
        case.result.each_ref().map(|row| row.iter().map(|size| Axis::of(*size)).collect());
    let places: u64 = shapes.iter().map(elements).sum::<usize>().try_into().ok()?;
    if places > 60 {
        return None;
    }
    let mut of: Vec<usize> = vec![];
    let mut tensors: Vec<usize> = vec![];
    for (slot, shape) in case.slots.iter().zip(&shapes) {
        if *slot == tensors.len() {
            let made = if *slot == 0 { fitted(d, x, shape) } else { d.leaf(shape.clone()) };
            tensors.push(made);
        }
        of.push(*tensors.get(*slot)?);
    }
    let named = |pairs: &[(&'static str, u64)]| -> Vec<(String, u64)> {
        pairs.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect()
    };
    let spec = Spec {
        text: case.spec.clone(),
        numbers: named(&case.numbers),
        indices: named(&case.indices),
        combine: case.combine?,
        accumulate: case.accumulate,
    };
    Some(d.push(Op::Spec(spec), &of, result))
}

/// The tensor brought to a shape: by a matrix, where its number of elements is another.
fn fitted(d: &mut Drawing<'_>, x: usize, shape: &Rows) -> usize {
    let is_leaf = matches!(d.made.nodes[x].op, Op::Leaf { range: Range::Any, .. });
    if is_leaf && d.made.nodes.len() == x + 1 {
        d.made.nodes[x].shape.clone_from(shape);
        return x;
    }
    let [from, to] = [elements(&d.shape(x)), elements(shape)]
        .map(|count| u64::try_from(count).unwrap_or(u64::MAX));
    let flat = d.push(Op::Reshape { is_said: true }, &[x], output(&[from]));
    let fit = if from == to {
        flat
    } else {
        let matrix = d.leaf(output(&[from, to]));
        d.spec(("i; ij => j".to_owned(), &[]), PRODUCT, &[flat, matrix], output(&[to]))
    };
    d.push(Op::Reshape { is_said: true }, &[fit], shape.clone())
}
