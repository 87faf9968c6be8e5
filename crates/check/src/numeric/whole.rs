//! Cases that no specification describes: reshapes, and compositions that begin with an operand.

use std::collections::BTreeSet;

use super::{
    case::{Case, Form},
    draft::KINDS,
    scalar::ELEMENTS,
};
use crate::Generator;
use lozenge::Accumulation;

type Shape = [Vec<u64>; KINDS];

/// A reshape or a composition.
pub(super) fn draw(rng: &mut Generator) -> Case {
    if rng.u8(..3) > 0 { reshape(rng) } else { compose_accumulate(rng) }
}

fn case(rng: &mut Generator, form: Form, shapes: Vec<Shape>, result: Shape) -> Case {
    let elements = |shape: &Shape| shape.iter().flatten().product::<u64>();
    let values =
        shapes.iter().map(|shape| (0..elements(shape)).map(|_| rng.i8(-4..=4)).collect()).collect();
    Case {
        form,
        spec: String::new(),
        slots: (0..shapes.len()).collect(),
        shapes,
        values,
        numbers: vec![],
        indices: vec![],
        combine: None,
        accumulate: Accumulation::Add.name(),
        value: None,
        onto: None,
        element: ELEMENTS[rng.usize(..ELEMENTS.len())],
        result,
        constructs: BTreeSet::new(),
        draft: None,
    }
}

/// Factors, grouped into the axes of one shape and, in the same order or in another, into those of
/// another.
fn reshape(rng: &mut Generator) -> Case {
    let mut factors: Vec<u64> =
        (0..rng.usize(1..=5)).map(|_| [1, 2, 3, 2, 3, 4, 5, 6][rng.usize(..8)]).collect();
    let from = grouped(rng, &factors);
    if rng.u8(..6) > 0 {
        rng.shuffle(&mut factors);
    }
    let to = grouped(rng, &factors);
    let is_refined = {
        let strides = |shape: &Shape| {
            let [batch, input, output] = shape;
            let mut stride = 1;
            let sizes = [batch, output, input].into_iter().flatten();
            let mut strides: Vec<u64> = vec![];
            for size in sizes.rev() {
                strides.push(stride);
                stride *= size;
            }
            strides
        };
        let mut all: Vec<u64> = strides(&from).into_iter().chain(strides(&to)).collect();
        all.sort_unstable();
        all.windows(2).all(|pair| pair[1] % pair[0] == 0)
    };
    let mut made = case(rng, Form::Reshape, vec![from], to);
    made.constructs.insert(if is_refined { "reshape refined" } else { "reshape flat" });
    made.constructs.insert(made.element);
    made
}

/// A shape whose axes are products of factors, one after another in memory.
fn grouped(rng: &mut Generator, factors: &[u64]) -> Shape {
    let mut axes: Vec<u64> = vec![];
    for factor in factors {
        match axes.last_mut() {
            Some(last) if rng.u8(..3) == 0 => *last *= factor,
            Some(_) | None => axes.push(*factor),
        }
    }
    let mut cuts = [rng.usize(..=axes.len()), rng.usize(..=axes.len())];
    cuts.sort_unstable();
    let cuts = if rng.bool() { cuts } else { [0, axes.len()] };
    let [batch, output, input] = [&axes[..cuts[0]], &axes[cuts[0]..cuts[1]], &axes[cuts[1]..]];
    [batch, input, output].map(<[u64]>::to_vec)
}

/// `b + w·x`, where the bias may have fewer axes than the result.
fn compose_accumulate(rng: &mut Generator) -> Case {
    let mut row = |most: usize| -> Vec<u64> {
        let rank = rng.usize(..=most);
        (0..rank).map(|_| rng.u64(1..=3)).collect()
    };
    let (batch, input, middle, output) = (row(2), row(1), row(2), row(2));
    let mut last = |row: &[u64]| row[rng.usize(..=row.len())..].to_vec();
    let w = [last(&batch), middle.clone(), output.clone()];
    let x = [batch.clone(), input.clone(), middle];
    let b = [last(&batch), last(&input), last(&output)];
    let mut made = case(rng, Form::ComposeAccumulate, vec![w, x, b], [batch, input, output]);
    made.constructs.insert("compose_accumulate");
    made.constructs.insert(made.element);
    made
}
