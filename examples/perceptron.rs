//! A perceptron of one hidden layer, whose width is the only size that is said of it.
//!
//! ```sh
//! cargo run -p lozenge-tensor --example perceptron
//! ```

#[allow(dead_code)] // it has another example's `main`
mod training;

use std::error::Error;

use lozenge_tensor::{Graph, Tensor};

/// The mean squared error of the model.
pub(crate) fn build(graph: &Graph) -> Tensor<'_> {
    let (x, labels) = (graph.data("x", "16|6"), graph.data("labels", "16|3"));
    let [w1, w2, b2] = ["w1", "w2", "b2"].map(|name| graph.parameter(name));
    let b1 = graph.parameter_of("b1", "12"); // nothing else says how wide the layer is

    let hidden = (w1.compose(x) + b1).tanh();
    let error = w2.compose(hidden) + b2 - labels;
    (error * error).mean("...|... => ").named("loss")
}

fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::new();
    let loss = build(&graph);
    training::show(&graph, loss, training::sgd, 0.05)
}
