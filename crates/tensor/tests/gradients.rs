//! Gradients that were wrong once: each case that `xtask gradients` found, by hand.

mod common;

use lozenge_tensor::{Accumulation, Graph};

use common::run;

/// What one part of a concatenation hands back says nothing of the other part.
#[test]
fn second_derivatives_through_a_concatenation_stay_in_their_part() {
    let graph = Graph::new();
    let (a, b) = (graph.literal([2.0, 3.0]), graph.literal([5.0]));
    let all = graph.einsum("a; b => a^b", &[a, b]);
    let loss = (all * all * all).sum();
    let [by_a, by_b] = graph.gradients(loss, [a, b]);
    let inner = (by_a * graph.literal([1.0, 10.0])).sum() + (by_b * 100.0).sum();
    let [twice_a, twice_b] = graph.gradients(inner, [a, b]);
    let found = run(&graph, &[by_a, by_b, twice_a, twice_b]);
    assert_eq!(found, [vec![12.0, 27.0], vec![75.0], vec![12.0, 180.0], vec![3000.0]]);
}

/// The second derivatives of a product by its factors are the products of all others: of
/// `[3, 0, 5]` those with the second are 5 and 3, of `[0, 0, 5]` the first two's is 5.
#[test]
fn second_derivatives_of_products_are_right_with_zeros() {
    let cases = [
        ([3.0, 0.0, 5.0], [[0.0, 5.0, 0.0], [5.0, 0.0, 3.0], [0.0, 3.0, 0.0]]),
        ([0.0, 0.0, 5.0], [[0.0, 5.0, 0.0], [5.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
        ([0.0, 0.0, 0.0], [[0.0; 3]; 3]),
        ([2.0, 3.0, 5.0], [[0.0, 5.0, 3.0], [5.0, 0.0, 2.0], [3.0, 2.0, 0.0]]),
    ];
    for (x, expected) in cases {
        for (along, expected) in expected.iter().enumerate() {
            let graph = Graph::new();
            let x = graph.literal(x);
            let [slope] = graph.gradients(x.reduce("i => ", Accumulation::Multiply), [x]);
            let direction: [f64; 3] = std::array::from_fn(|at| f64::from(u8::from(at == along)));
            let [row] = graph.gradients((slope * graph.literal(direction)).sum(), [x]);
            let found = run(&graph, &[row]);
            for (found, expected) in found[0].iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
            }
        }
    }
}
