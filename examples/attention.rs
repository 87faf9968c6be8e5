//! Multi-head attention: the number of heads and their widths are said once, where the weights are
//! made; everything else follows.
//!
//! ```sh
//! cargo run -p lozenge-tensor --example attention
//! ```

#[allow(dead_code)] // it has another example's `main`
mod training;

use std::error::Error;

use lozenge_tensor::{Accumulation, Graph, Tensor};

/// A distribution over the input axes. `0` leaves an input axis of one position, which stretches
/// over the keys.
fn softmax(scores: Tensor<'_>) -> Tensor<'_> {
    let largest = scores.reduce("...|k->... => ...|0->...", Accumulation::Max);
    let weights = (scores - largest).exp();
    weights / weights.einsum("...|k->... => ...|0->...")
}

/// A mean of the values of `from` for each place of `to`, weighted by the softmax of query times
/// key.
fn attention<'g>(graph: &'g Graph, from: Tensor<'g>, to: Tensor<'g>) -> Tensor<'g> {
    let wq = graph.parameter_of("wq", "...->2,4"); // two heads of width 4
    let wv = graph.parameter_of("wv", "...->_,3"); // nothing else says how wide a value is
    let (wk, wo) = (graph.parameter("wk"), graph.parameter("wo"));

    let (q, k, v) = (wq.compose(to), wk.compose(from), wv.compose(from));
    let products = graph.einsum("... q|h d; ... k|h d => ... q|k->h", &[q, k]);
    let scores = products / graph.size_of(products, "d").sqrt();
    let mixed = graph.einsum("... q|k->h; ... k|h e => ... q|h e", &[softmax(scores), v]);
    wo.compose(mixed)
}

/// The mean squared error of what attention finds.
pub(crate) fn build(graph: &Graph) -> Tensor<'_> {
    let (from, to) = (graph.data("from", "2,7|6"), graph.data("to", "2,5|8"));
    let error = attention(graph, from, to) - graph.data("labels", "2,5|3");
    (error * error).mean("...|... => ").named("loss")
}

fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::new();
    let loss = build(&graph);
    training::show(&graph, loss, training::adam, 0.01)
}
