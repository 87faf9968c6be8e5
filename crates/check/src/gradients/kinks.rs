//! Whether the elements of a composition are where it has derivatives: away from ties, from 0 where
//! something bends, and within what a function is of.
//!
//! Elements that are the same to the last bit are no tie that matters: nothing makes them so but
//! that they are the same function of the leaves, or constant around these.

use super::model::{Composition, Node, Op, Spec};
use crate::numeric::Combine;

/// How far elements are from where the derivative jumps.
const AWAY: f64 = 1e-3;

/// The largest magnitude of an element: beyond, differences say too little.
const LARGEST: f64 = 300.0;

/// The smallest that something is divided by, or that is taken a root, logarithm or power of.
const SMALLEST: f64 = 0.2;

/// The most tuples of elements that are compared with one another.
const TUPLES: usize = 4_096;

/// Whether every element of a composition is away from kinks, these being the elements of each of
/// its tensors; those of a tensor that nothing needs are not known.
pub(super) fn is_smooth(composition: &Composition, found: &[Vec<f64>]) -> bool {
    composition.nodes.iter().zip(found).all(|(node, own)| {
        let of: Vec<&[f64]> = node.of.iter().map(|of| &found[*of][..]).collect();
        let is_bounded = own.iter().all(|x| x.abs() <= LARGEST);
        is_bounded && is_away(node, &of)
    })
}

fn is_away(node: &Node, of: &[&[f64]]) -> bool {
    match (&node.op, of) {
        (Op::Unary { name }, [x]) => of_unary(name, x),
        (Op::Binary { name }, [a, b]) => of_binary(name, a, b),
        (Op::Ternary { name: "where" }, [a, ..]) => are_away(a, &[0.25]),
        (Op::Spec(spec), _) => of_spec(spec, of),
        _ => true,
    }
}

/// Whether no element is near one of these, without being it.
fn are_away(elements: &[f64], from: &[f64]) -> bool {
    elements.iter().all(|x| from.iter().all(|at| !is_near(*x - *at)))
}

fn is_near(difference: f64) -> bool {
    difference != 0.0 && difference.abs() < AWAY
}

fn of_unary(name: &str, x: &[f64]) -> bool {
    match name {
        "relu" => are_away(x, &[0.0]),
        "sat01" => are_away(x, &[0.0, 1.0]),
        "recip" => x.iter().all(|x| x.abs() >= SMALLEST),
        "log" | "log2" | "sqrt" | "recip_sqrt" => x.iter().all(|x| *x >= SMALLEST),
        "exp" | "exp2" => x.iter().all(|x| *x <= 6.0),
        "trunc" => x.iter().all(|x| x.abs() < 0.5 || !is_near_whole(*x)),
        _ => true,
    }
}

fn is_near_whole(x: f64) -> bool {
    (x - x.round()).abs() < AWAY
}

fn of_binary(name: &str, a: &[f64], b: &[f64]) -> bool {
    let all = |holds: &dyn Fn(f64, f64) -> bool| a.iter().all(|a| b.iter().all(|b| holds(*a, *b)));
    match name {
        "max" | "min" => all(&|a, b| !is_near(a - b)),
        "relu_gate" => are_away(a, &[0.0]),
        "sat01_gate" => are_away(a, &[0.0, 1.0]),
        "div" => b.iter().all(|b| b.abs() >= SMALLEST),
        "mod" => {
            let whole = |a: f64, b: f64| a / b;
            b.iter().all(|b| b.abs() >= SMALLEST)
                && all(&|a, b| whole(a, b).abs() < 0.5 || !is_near_whole(whole(a, b)))
        }
        "pow" => a.iter().all(|a| *a >= SMALLEST) && b.iter().all(|b| b.abs() <= 4.0),
        _ => true,
    }
}

fn of_spec(spec: &Spec, of: &[&[f64]]) -> bool {
    match spec.accumulate {
        "divide" => of.iter().all(|of| of.iter().all(|x| x.abs() >= SMALLEST)),
        "max" | "min" => {
            let combine = |a: f64, b: f64| match spec.combine {
                Combine::Multiply => a * b,
                Combine::Add => a + b,
            };
            let mut tuples: Option<Vec<f64>> = None;
            for elements in of {
                tuples = Some(match tuples {
                    None => elements.to_vec(),
                    Some(before) if before.len() * elements.len() > TUPLES => return false,
                    Some(before) => before
                        .iter()
                        .flat_map(|a| elements.iter().map(move |b| combine(*a, *b)))
                        .collect(),
                });
            }
            let mut tuples = tuples.unwrap_or_default();
            tuples.sort_by(f64::total_cmp);
            tuples.windows(2).all(|pair| !is_near(pair[1] - pair[0]))
        }
        _ => true,
    }
}
