//! A transformer block whose widths nobody says.

use expect_test::expect;
use lozenge_tensor::{Accumulation, Graph, Tensor};

use crate::check;

/// Eight heads of attention, which have a width, and a perceptron after them.
#[test]
fn a_transformer_block_without_its_width() {
    check(
        |graph| {
            fn norm<'g>(graph: &'g Graph, number: u8, x: Tensor<'g>) -> Tensor<'g> {
                let of = |what: &str| graph.parameter(&format!("{what}{number}"));
                let centred = x - x.mean("...|... => ...|");
                let variance = (centred * centred).mean("...|... => ...|");
                centred * variance.recip_sqrt() * of("scale") + of("bias")
            }

            fn softmax(scores: Tensor<'_>) -> Tensor<'_> {
                let largest = scores.reduce("...|k->... => ...|0->...", Accumulation::Max);
                let weights = (scores - largest).exp();
                weights / weights.einsum("...|k->... => ...|0->...")
            }

            let x = graph.data("x", "batch,seq|_");
            let normed = norm(graph, 1, x);
            let [q, k, v] = ["Wq", "Wk", "Wv"]
                .map(|name| graph.parameter_of(name, "...->8,64"))
                .map(|weight| weight.compose(normed));
            let scores = graph.einsum("b q|h d; b k|h d => b q|k->h", &[q, k]);
            let mixed = graph.einsum("b q|k->h; b k|h d => b q|h d", &[softmax(scores), v]);
            let x = x + graph.parameter("Wo").compose(mixed);
            let hidden = graph.parameter("W1").compose(norm(graph, 2, x)).relu();
            let _ = x + graph.parameter("W2").compose(hidden);
        },
        expect![[r#"
            error[hidden-size]: nothing says how large output axis 0 of `x` is, so output
                                axis 0 of `scale1`, input axis 0 of `Wq` and 8 more are not
                                known
             --> mistakes.rs:+15:27
              = note: data x: batch,seq|_
                                        ^ left open
             ::: mistakes.rs:+3:45
              = note: param scale1
                      ------------ output axis 0 follows
             ::: mistakes.rs:+18:35
              = note: param Wq: ...->8,64
                                --- input axis 0 follows
              = note: from it follow output axis 0 of `scale1`, `bias1`, `Wo`, `scale2`,
                      `bias2`, `W2`; input axis 0 of `Wq`, `Wk`, `Wv`, `W1`; any one of
                      these sizes is enough
              = help: say how large it is, for example 64: `data x: batch,seq|64`
            error[hidden-rank]: nothing says how many output axes the parameter `W1` has, so
                                the input axes of `W2` are not known
             --> mistakes.rs:+23:32
              = note: param W1
                      ^^^^^^^^ declared without
             ::: mistakes.rs:+24:31
              = note: param W2
                      -------- the input axes follow
              = note: any one of these sizes is enough
              = help: say which axes it has, for example one of 128: `param W1: ...->128`
        "#]],
    );
}
