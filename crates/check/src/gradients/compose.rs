//! Compositions, drawn: operations from the table, each on a tensor that is there.

use super::{
    draw::Drawing,
    model::{Composition, Op},
    table::{ENTRIES, Entry},
};
use crate::Generator;

/// Applies an operation of the table; what does not suit leaves no trace.
fn apply(drawing: &mut Drawing<'_>, entry: &Entry, to: usize) -> Option<usize> {
    let before = drawing.made.clone();
    let made = (entry.draw)(drawing, to).filter(|made| drawing.is_small(*made));
    if made.is_none() {
        drawing.made = before;
    } else {
        drawing.made.names.push(entry.name);
    }
    made
}

/// A composition of one operation of the table.
pub(super) fn alone(rng: &mut Generator, entry: &Entry) -> Composition {
    loop {
        let mut drawing = Drawing::new(rng);
        let shape = drawing.any_shape();
        let leaf = drawing.leaf(shape);
        if apply(&mut drawing, entry, leaf).is_some() {
            return drawing.made;
        }
    }
}

/// The same, with a bend before and after, so that it has second derivatives.
pub(super) fn bent(rng: &mut Generator, entry: &Entry) -> Composition {
    loop {
        let mut drawing = Drawing::new(rng);
        let shape = drawing.any_shape();
        let leaf = drawing.leaf(shape.clone());
        let before = drawing.push(Op::Unary { name: "sin" }, &[leaf], shape);
        if let Some(made) = apply(&mut drawing, entry, before) {
            let shape = drawing.shape(made);
            drawing.push(Op::Unary { name: "tanh" }, &[made], shape);
            return drawing.made;
        }
    }
}

/// A composition of two to six operations.
pub(super) fn composed(rng: &mut Generator) -> Composition {
    let count = rng.usize(2..=6);
    let mut drawing = Drawing::new(rng);
    let shape = drawing.any_shape();
    let mut last = drawing.leaf(shape);
    let mut applied = 0;
    while applied < count {
        let entry = &ENTRIES[drawing.rng.usize(..ENTRIES.len())];
        if entry.is_rare && drawing.chance(70) {
            continue;
        }
        if let Some(made) = apply(&mut drawing, entry, last) {
            (last, applied) = (made, applied + 1);
        }
    }
    drawing.made
}
