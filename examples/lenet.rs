//! A convolutional network after `LeNet`: two convolutions with pools, and three layers.
//!
//! You give only the sizes that nothing determines: kernels, windows of pools, channels and the
//! widths of hidden layers. The length of the flattened image is inferred.
//!
//! ```sh
//! cargo run -p lozenge-tensor --example lenet
//! ```

#[allow(dead_code)] // it has another example's `main`
mod training;

use std::error::Error;

use lozenge_tensor::{Accumulation, Graph, Tensor};

/// Layers of a network, by their numbers.
#[derive(Clone, Copy)]
struct Layers<'g>(&'g Graph);

impl<'g> Layers<'g> {
    /// A convolution with a square kernel, and the largest of every window of 2 by 2.
    fn convolution(self, number: u32, x: Tensor<'g>, size: u64, channels: u64) -> Tensor<'g> {
        let kernel = self.0.parameter(&format!("kernel{number}"));
        // A number for each channel: without `_` it would be one for each pixel.
        let bias = self.0.parameter_of(&format!("bias{number}"), "_");

        let spec = "...|h<+kh, w<+kw, ..in..; kh, kw, ..in..->out => ...|h, w, out";
        let sizes = [("kh", size), ("kw", size), ("out", channels)];
        let x = (self.0.einsum_with(spec, &sizes, &[x, kernel]) + bias).relu();
        let pooled = x.reduce("...|2*h<+i, 2*w<+j, c => ...|h, w, c", Accumulation::Max);
        for window in ["i", "j"] {
            self.0.set_size(pooled, window, 2);
        }
        pooled
    }

    /// A layer with a width of its own.
    fn hidden(self, number: u32, x: Tensor<'g>, width: u64) -> Tensor<'g> {
        let weight = self.0.parameter(&format!("weight{number}"));
        let bias = self.0.parameter_of(&format!("bias{number}"), &width.to_string());
        (weight.compose(x) + bias).relu()
    }
}

/// The logarithm of a distribution over the output axes.
fn log_softmax(x: Tensor<'_>) -> Tensor<'_> {
    let x = x - x.reduce("...|... => ...|", Accumulation::Max);
    x - x.exp().einsum("...|... => ...|").log()
}

/// The mean cross-entropy of what the model says and what a teacher does.
pub(crate) fn build(graph: &Graph) -> Tensor<'_> {
    let (image, teacher) = (graph.data("image", "4|16,16"), graph.data("teacher", "4|10"));
    let layers = Layers(graph);

    let x = layers.convolution(1, image, 5, 4);
    let x = layers.convolution(2, x, 3, 8);
    let x = x.einsum("...|h, w, c => ...|(h w c)");
    let x = layers.hidden(3, x, 24);
    let x = layers.hidden(4, x, 16);
    // As wide as the teacher.
    let x = graph.parameter("weight5").compose(x) + graph.parameter("bias5");

    let crossed = -log_softmax(teacher).exp() * log_softmax(x);
    crossed.einsum("...|... => ...|").mean("...|... => ").named("loss")
}

fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::new();
    let loss = build(&graph);
    training::show(&graph, loss, training::sgd, 0.02)
}
