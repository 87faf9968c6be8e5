//! What is measured of a composition: its gradients in two spellings, central differences, and
//! second derivatives.

use lozenge_tensor::{Graph, Machine, Program, Tensor};

use super::{
    build::{Spelling, build, found, leaf_name, run, set},
    kinks::is_smooth,
    model::{Composition, Node, Op, Range, elements},
};
use crate::Generator;

/// The part of a number that two spellings may differ by, and central differences.
const SPELLED: f64 = 1e-9;
pub const DIFFERENCES: f64 = 1e-6;

/// How often elements are drawn before a composition is given up.
const TRIES: usize = 12;

/// The weighted sum of a composition, and its derivatives by all elements of the leaves, one leaf
/// after another.
#[derive(Clone, Default, Debug)]
pub struct Derivatives {
    pub loss: f64,
    pub gradient: Vec<f64>,
    /// Row by row, where it was made.
    pub hessian: Vec<f64>,
    /// The largest error of a central difference, in parts of what it is held to.
    pub difference: f64,
}

/// How far two numbers are apart, in parts of the larger, or of 1.
pub fn error(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::INFINITY;
    }
    (a - b).abs() / a.abs().max(b.abs()).max(1.0)
}

/// Draws elements until all are away from kinks.
pub(super) fn settle(composition: &mut Composition, rng: &mut Generator) -> Result<bool, String> {
    let graph = Graph::new();
    draw_elements(composition, rng);
    let built = build(&graph, composition, Spelling::Plain);
    let checked = graph.check().map_err(|report| report.to_string())?;
    built.hold_shapes(&checked, composition)?;
    let computed: Vec<Tensor<'_>> = built.tensors.clone();
    let program = built.program(&checked, composition, &computed)?;
    let mut machine = Machine::in_double(&program).map_err(|error| error.to_string())?;
    for _ in 0..TRIES {
        built.set(&mut machine, &program, composition)?;
        run(&mut machine, composition)?;
        let all: Vec<Vec<f64>> =
            built.tensors.iter().map(|tensor| found(&machine, &program, *tensor)).collect();
        if is_smooth(composition, &all) {
            return Ok(true);
        }
        draw_elements(composition, rng);
    }
    Ok(false)
}

fn uniform(rng: &mut Generator, from: f64, to: f64) -> f64 {
    let part = f64::from(rng.u32(0..=1_000_000_000)) / 1e9;
    from + part * (to - from)
}

fn draw_elements(composition: &mut Composition, rng: &mut Generator) {
    // Zeros are where products have something to get wrong; elsewhere they may be ties.
    let makes_ties = |op: &Op| match op {
        Op::Spec(spec) => matches!(spec.accumulate, "max" | "min"),
        Op::Unary { name } => matches!(*name, "relu" | "sat01"),
        Op::Binary { name } => matches!(*name, "max" | "min" | "relu_gate" | "sat01_gate" | "mod"),
        _ => false,
    };
    let multiplies = |op: &Op| matches!(op, Op::Spec(spec) if spec.accumulate == "product");
    let has = |what: &dyn Fn(&Op) -> bool| composition.nodes.iter().any(|node| what(&node.op));
    let has_zeros = has(&multiplies) && !has(&makes_ties) && rng.u8(..4) > 0;
    for node in &mut composition.nodes {
        let count = elements(&node.shape);
        if let Op::Leaf { values, range, .. } = &mut node.op {
            *values = (0..count).map(|_| element(rng, *range)).collect();
            if has_zeros && *range == Range::Any && count > 0 {
                for _ in 0..rng.usize(1..=2) {
                    values[rng.usize(..count)] = 0.0;
                }
            }
        }
    }
    let count = elements(&composition.result());
    composition.weights = (0..count).map(|_| element(rng, Range::Any)).collect();
}

fn element(rng: &mut Generator, range: Range) -> f64 {
    match range {
        Range::Any if rng.bool() => -uniform(rng, 0.1, 2.0),
        Range::Any => uniform(rng, 0.1, 2.0),
        Range::Positive => uniform(rng, 0.5, 2.0),
        Range::Index(size) => {
            let beyond = i32::try_from(size).unwrap_or(i32::MAX);
            f64::from(if rng.u8(..8) == 0 { rng.i32(-1..=beyond) } else { rng.i32(0..beyond) })
        }
    }
}

fn say(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The gradients of a composition in both spellings, held against each other and against central
/// differences.
///
/// # Errors
/// With what differs, or cannot be computed.
pub fn differentiate(composition: &Composition) -> Result<Derivatives, String> {
    let mut made = gradients(composition, Spelling::Plain)?;
    let other = gradients(composition, Spelling::Other)?;
    let pairs = made.gradient.iter().zip(&other.gradient).chain([(&made.loss, &other.loss)]);
    for (place, (one, other)) in pairs.enumerate() {
        if error(*one, *other) > SPELLED {
            return Err(format!("gradient {place} is {one}, spelled otherwise {other}"));
        }
    }
    made.difference = difference(composition, &made.gradient)?;
    Ok(made)
}

/// The gradients of a composition, held against nothing.
///
/// # Errors
/// With what cannot be computed.
pub fn plain(composition: &Composition) -> Result<Derivatives, String> {
    gradients(composition, Spelling::Plain)
}

fn gradients(composition: &Composition, spelling: Spelling) -> Result<Derivatives, String> {
    let graph = Graph::new();
    let built = build(&graph, composition, spelling);
    let wanted: Vec<Tensor<'_>> =
        composition.wanted().iter().map(|place| built.tensors[*place]).collect();
    let gradients = graph.gradients_of(built.loss, &wanted);
    let checked = graph.check().map_err(say)?;
    let outputs: Vec<Tensor<'_>> = [&[built.loss], &gradients[..]].concat();
    let program = built.program(&checked, composition, &outputs)?;
    let mut machine = Machine::in_double(&program).map_err(say)?;
    built.set(&mut machine, &program, composition)?;
    run(&mut machine, composition)?;
    let loss = found(&machine, &program, built.loss).first().copied().unwrap_or(f64::NAN);
    let mut gradient = vec![];
    for (place, tensor) in composition.wanted().iter().zip(&gradients) {
        let own = found(&machine, &program, *tensor);
        if own.len() != elements(&composition.nodes[*place].shape) {
            return Err(format!("the gradient by x{place} has {} elements", own.len()));
        }
        gradient.extend(own);
    }
    Ok(Derivatives { loss, gradient, ..Derivatives::default() })
}

/// The composition in which a tensor through which no gradient goes is one that is given.
fn stopped(composition: &Composition) -> Result<Composition, String> {
    let mut made = composition.clone();
    let is_stopped = |node: &Node| matches!(node.op, Op::Stop);
    if !made.nodes.iter().any(is_stopped) {
        return Ok(made);
    }
    let graph = Graph::new();
    let built = build(&graph, composition, Spelling::Plain);
    let checked = graph.check().map_err(say)?;
    let program = built.program(&checked, composition, &built.tensors)?;
    let mut machine = Machine::in_double(&program).map_err(say)?;
    built.set(&mut machine, &program, composition)?;
    run(&mut machine, composition)?;
    for (node, tensor) in made.nodes.iter_mut().zip(&built.tensors) {
        if is_stopped(node) {
            let values = found(&machine, &program, *tensor);
            node.op = Op::Leaf { values, wanted: false, range: Range::Any };
            node.of = vec![];
        }
    }
    Ok(made)
}

/// The largest error of a central difference.
fn difference(composition: &Composition, gradient: &[f64]) -> Result<f64, String> {
    let composition = &stopped(composition)?;
    let graph = Graph::new();
    let built = build(&graph, composition, Spelling::Plain);
    let checked = graph.check().map_err(say)?;
    let program = built.program(&checked, composition, &[built.loss])?;
    let mut machine = Machine::in_double(&program).map_err(say)?;
    let mut worst = 0.0_f64;
    let mut gradient = gradient.iter();
    for place in composition.wanted() {
        let Op::Leaf { values, .. } = &composition.nodes[place].op else { continue };
        for number in 0..values.len() {
            let by = *gradient.next().ok_or("fewer elements than leaves have")?;
            let mut at = |by: f64| -> Result<f64, String> {
                built.set(&mut machine, &program, composition)?;
                let mut moved = values.clone();
                moved[number] += by;
                set(&mut machine, &program, &leaf_name(place, Spelling::Plain), &moved)?;
                run(&mut machine, composition)?;
                Ok(found(&machine, &program, built.loss).first().copied().unwrap_or(f64::NAN))
            };
            let mut best = f64::INFINITY;
            // Where one step is too long for a bent function, a shorter one of fourth order is not.
            for (step, is_fourth) in
                [(1e-5, false), (1e-4, true), (2e-5, true), (4e-4, true), (1e-6, false)]
            {
                let near = (at(step)? - at(-step)?) / (2.0 * step);
                let slope = if is_fourth {
                    let far = (at(2.0 * step)? - at(-2.0 * step)?) / (4.0 * step);
                    (4.0 * near - far) / 3.0
                } else {
                    near
                };
                best = best.min(error(slope, by));
                if best <= DIFFERENCES / 4.0 {
                    break;
                }
            }
            if best > DIFFERENCES {
                let slope = (at(1e-5)? - at(-1e-5)?) / 2e-5;
                return Err(format!(
                    "by element {number} of x{place}: {by}, by differences {slope}"
                ));
            }
            worst = worst.max(best);
        }
    }
    Ok(worst)
}

/// The second derivatives: those of the inner product of the gradient and a direction, for each
/// direction along one element.
///
/// # Errors
/// With what cannot be computed.
pub fn second(composition: &Composition) -> Result<Derivatives, String> {
    let graph = Graph::new();
    let built = build(&graph, composition, Spelling::Plain);
    let places = composition.wanted();
    let wanted: Vec<Tensor<'_>> = places.iter().map(|place| built.tensors[*place]).collect();
    let gradients = graph.gradients_of(built.loss, &wanted);
    let along = |number: usize| format!("along{number}");
    let mut inner: Option<Tensor<'_>> = None;
    for (number, (gradient, place)) in gradients.iter().zip(&places).enumerate() {
        let shape = super::model::text(&composition.nodes[*place].shape);
        let part = (*gradient * graph.data(&along(number), &shape)).sum();
        inner = Some(inner.map_or(part, |inner| inner + part));
    }
    let inner = inner.ok_or("nothing to differentiate by")?;
    let twice = graph.gradients_of(inner, &wanted);
    let checked = graph.check().map_err(say)?;
    let outputs: Vec<Tensor<'_>> = [&[built.loss], &gradients[..], &twice[..]].concat();
    let program: Program = built.program(&checked, composition, &outputs)?;
    let mut machine = Machine::in_double(&program).map_err(say)?;
    let mut made = Derivatives::default();
    for (direction, place) in places.iter().enumerate() {
        for number in 0..elements(&composition.nodes[*place].shape) {
            built.set(&mut machine, &program, composition)?;
            for (other, place) in places.iter().enumerate() {
                let mut along_other = vec![0.0; elements(&composition.nodes[*place].shape)];
                if other == direction {
                    along_other[number] = 1.0;
                }
                set(&mut machine, &program, &along(other), &along_other)?;
            }
            run(&mut machine, composition)?;
            let all = |tensors: &[Tensor<'_>]| -> Vec<f64> {
                tensors.iter().flat_map(|tensor| found(&machine, &program, *tensor)).collect()
            };
            made.hessian.extend(all(&twice));
            made.gradient = all(&gradients);
            made.loss = found(&machine, &program, built.loss).first().copied().unwrap_or(f64::NAN);
        }
    }
    Ok(made)
}
