//! How the models here are trained: updates as statements over any list of parameters, and a few
//! steps of them on made-up data.
//!
//! ```sh
//! cargo run -p lozenge-tensor --example training
//! ```

#![allow(clippy::print_stdout)] // an example shows what it does

use std::error::Error;

use lozenge_tensor::{Graph, Holds, Machine, Region, Tensor, Value, read};

/// Stochastic gradient descent, with momentum and with decay of weights.
pub(crate) fn sgd<'g>(
    graph: &'g Graph,
    parameters: &[Tensor<'g>],
    gradients: &[Tensor<'g>],
    rate: f64,
) {
    let (momentum, decay) = (0.9, 1e-4);
    for (parameter, gradient) in parameters.iter().zip(gradients) {
        let name = parameter.name();
        let delta = graph.inline(&format!("{name}.delta"));
        let delta = delta.set(read(*gradient) + read(*parameter) * decay);
        let velocity = graph.kept(&format!("{name}.velocity"));
        let velocity = graph.update(velocity).set(read(velocity) * momentum + delta);
        graph.update(*parameter).subtract(read(velocity) * rate);
    }
}

/// Adam: a step is the mean of gradients, over the root of the mean of their squares.
pub(crate) fn adam<'g>(
    graph: &'g Graph,
    parameters: &[Tensor<'g>],
    gradients: &[Tensor<'g>],
    rate: f64,
) {
    let (fast, slow, epsilon) = (0.9, 0.999, 1e-8);
    // A number: it stands beside parameters of all shapes, and has none of theirs.
    let step = graph.update(graph.kept_of("step", "1_")).add(1.0);
    // Adam's correction of means that began with zero: 1 - decay^step.
    let part = |name, of| graph.inline(name).set(Value::from(1.0) - Value::from(of).pow(step));
    let (of_mean, of_square) = (part("of_mean", fast), part("of_square", slow));
    for (parameter, gradient) in parameters.iter().zip(gradients) {
        let kept = |what| graph.kept(&format!("{}.{what}", parameter.name()));
        let (mean, square) = (kept("mean"), kept("square"));
        let g = || read(*gradient);
        let mean = graph.update(mean).set(read(mean) * fast + g() * (1.0 - fast));
        let square = graph.update(square).set(read(square) * slow + g() * g() * (1.0 - slow));
        let root = (read(square) / of_square).sqrt();
        graph.update(*parameter).subtract(read(mean) / of_mean * rate / (root + epsilon));
    }
}

/// Statements that update parameters by their gradients, at a rate.
pub(crate) type Optimiser = for<'g> fn(&'g Graph, &[Tensor<'g>], &[Tensor<'g>], f64);

/// Trains a model that a graph has, whose loss this is: prints the shapes of its parameters, how
/// its program begins, how the first parameter is updated, and how the loss falls on made-up data.
pub(crate) fn show(
    graph: &Graph,
    loss: Tensor<'_>,
    optimiser: Optimiser,
    rate: f64,
) -> Result<(), Box<dyn Error>> {
    let parameters = graph.parameters();
    let gradients = graph.gradients_of(loss, &parameters);
    optimiser(graph, &parameters, &gradients, rate);

    let checked = graph.check()?;
    for parameter in &parameters {
        println!("{}: {}", parameter.name(), checked.shape(*parameter)?);
    }
    let program = checked.program(&[loss])?;
    for (region, count) in [(Region::Forward, 12), (Region::Update, 6)] {
        println!("\n{}:", region.name());
        let of_region = program.steps().iter().filter(|step| step.region == region);
        of_region.take(count).for_each(|step| println!("  {}", program.statement(step)));
        println!("  …");
    }

    let mut machine = Machine::new(&program)?;
    for (_, variable) in program.variables() {
        if let (Holds::Given(_), Some(count)) = (&variable.holds, variable.shape.elements()) {
            machine.set(&variable.name, &made_up(&variable.name, count))?;
        }
    }
    let mut losses = vec![];
    for _ in 0..5 {
        machine.run(&[])?;
        losses.extend(machine.elements("loss")?);
    }
    println!("\nloss: {losses:.4?}");
    assert!(losses.last() < losses.first(), "it has learned something");
    Ok(())
}

/// Numbers between -1/2 and 1/2 that are the same each time: of each name others.
pub(crate) fn made_up(name: &str, count: u64) -> Vec<f64> {
    let seed = name.bytes().fold(7, |seed, letter| (31 * seed + u32::from(letter)) % 1009);
    let mut place = f64::from(seed);
    let next = |_| {
        place += 0.618_033_988_75; // multiples of the golden ratio spread evenly
        place.fract() - 0.5
    };
    (0..count).map(next).collect()
}

/// A line through points, whose two parameters nobody sized.
fn main() -> Result<(), Box<dyn Error>> {
    for (optimiser, rate) in [(sgd as Optimiser, 0.05), (adam, 0.1)] {
        let graph = Graph::new();
        let (x, y) = (graph.data("x", "8|1"), graph.data("y", "8|1"));
        let error = graph.parameter("slope").compose(x) + graph.parameter("start") - y;
        let loss = (error * error).mean("...|... => ").named("loss");
        show(&graph, loss, optimiser, rate)?;
    }
    Ok(())
}
