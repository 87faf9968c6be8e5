//! A decoder block: causal attention and a perceptron, each after a layer norm and beside a
//! residual.
//!
//! ```sh
//! cargo run -p lozenge-tensor --example decoder
//! ```

#[allow(dead_code)] // it has another example's `main`
mod training;

use std::error::Error;

use lozenge_tensor::{Accumulation, Graph, Tensor};

/// Normalises over the output axes; a gain and a shift are learned.
fn layer_norm<'g>(graph: &'g Graph, name: &str, x: Tensor<'g>) -> Tensor<'g> {
    let [gain, shift] = ["gain", "shift"].map(|what| graph.parameter(&format!("{name}.{what}")));
    let centred = x - x.mean("...|... => ...|");
    let variance = (centred * centred).mean("...|... => ...|");
    gain * centred * (variance + 1e-5).recip_sqrt() + shift
}

/// A distribution over the input axes. `0` leaves an input axis of one position, which stretches
/// over the keys.
fn softmax(scores: Tensor<'_>) -> Tensor<'_> {
    let largest = scores.reduce("...|k->... => ...|0->...", Accumulation::Max);
    let weights = (scores - largest).exp();
    weights / weights.einsum("...|k->... => ...|0->...")
}

/// What each place takes from those that are not after it.
fn causal_attention<'g>(graph: &'g Graph, x: Tensor<'g>) -> Tensor<'g> {
    let wq = graph.parameter_of("wq", "...->2,4"); // two heads of width 4
    let wv = graph.parameter_of("wv", "...->_,4");
    let [wk, wo] = ["wk", "wo"].map(|name| graph.parameter(name));

    let [q, k, v] = [wq, wk, wv].map(|w| w.compose(x));
    let products = graph.einsum("... q|h d; ... k|h d => ... q|k->h", &[q, k]);
    let scores = products / graph.size_of(products, "d").sqrt();
    // Both ranges are as long as the sequence, because they stand beside the scores.
    let (key, query) = (graph.range("_->"), graph.range("_|"));
    let seen = graph.choose(key.at_most(query), scores, graph.literal(-1e9));
    let mixed = graph.einsum("... q|k->h; ... k|h e => ... q|h e", &[softmax(seen), v]);
    wo.compose(mixed)
}

/// The block.
fn block<'g>(graph: &'g Graph, x: Tensor<'g>) -> Tensor<'g> {
    let x = x + causal_attention(graph, layer_norm(graph, "before", x));

    let b1 = graph.parameter_of("b1", "16"); // the width of the hidden layer
    let [w1, w2, b2] = ["w1", "w2", "b2"].map(|name| graph.parameter(name));
    let hidden = w1.compose(layer_norm(graph, "between", x)) + b1;
    let gated = hidden / ((hidden * -1.702).exp() + 1.0); // nearly GELU
    x + w2.compose(gated) + b2
}

/// The mean squared error of what the block makes of a sequence.
pub(crate) fn build(graph: &Graph) -> Tensor<'_> {
    let (x, labels) = (graph.data("x", "2,5|8"), graph.data("labels", "2,5|8"));
    let error = block(graph, x) - labels;
    (error * error).mean("...|... => ").named("loss")
}

fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::new();
    let loss = build(&graph);
    training::show(&graph, loss, training::adam, 0.01)
}
