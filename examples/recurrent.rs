//! A recurrent cell, unrolled over a few steps that share its weights: each weight is one tensor,
//! which is used once a step.
//!
//! ```sh
//! cargo run -p lozenge-tensor --example recurrent
//! ```

#[allow(dead_code)] // it has another example's `main`
mod training;

use std::error::Error;

use lozenge_tensor::{Graph, Tensor};

/// A gated cell: how much of its state it forgets, and what comes instead.
struct Cell<'g> {
    forget: Gate<'g>,
    candidate: Gate<'g>,
}

/// The weights of one half of a cell.
struct Gate<'g> {
    input: Tensor<'g>,
    state: Tensor<'g>,
    bias: Tensor<'g>,
}

impl<'g> Gate<'g> {
    fn new(graph: &'g Graph, name: &str) -> Gate<'g> {
        let [input, state, bias] =
            ["input", "state", "bias"].map(|what| graph.parameter(&format!("{name}.{what}")));
        Gate { input, state, bias }
    }

    fn apply(&self, input: Tensor<'g>, state: Tensor<'g>) -> Tensor<'g> {
        self.input.compose(input) + self.state.compose(state) + self.bias
    }
}

impl<'g> Cell<'g> {
    fn new(graph: &'g Graph) -> Cell<'g> {
        Cell { forget: Gate::new(graph, "forget"), candidate: Gate::new(graph, "candidate") }
    }

    fn step(&self, input: Tensor<'g>, state: Tensor<'g>) -> Tensor<'g> {
        let forget = 1.0 / ((-self.forget.apply(input, state)).exp() + 1.0);
        let candidate = self.candidate.apply(input, forget * state).tanh();
        state + forget * (candidate - state)
    }
}

/// The mean squared error of what the last state says.
pub(crate) fn build(graph: &Graph) -> Tensor<'_> {
    let (x, labels) = (graph.data("x", "4,6|3"), graph.data("labels", "4|2"));
    let cell = Cell::new(graph);
    let mut state = graph.data("start", "...|5"); // the width of the state
    for time in 0..6 {
        state = cell.step(x.einsum(&format!("b, {time}|i => b|i")), state);
    }
    let error = graph.parameter("out").compose(state) - labels;
    (error * error).mean("...|... => ").named("loss")
}

fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::new();
    let loss = build(&graph);
    training::show(&graph, loss, training::sgd, 0.05)
}
