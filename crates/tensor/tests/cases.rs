//! Numbers of expressions and their gradients, worked out by hand.

mod common;

use lozenge_tensor::{Accumulation, Binary, Expression, Graph, Tensor};

use common::run;

/// F31: a product of three, and its gradients.
#[test]
fn a_product_of_three_matrices() {
    let graph = Graph::new();
    let a = graph.literal([[1.0, 2.0], [3.0, 4.0]]);
    let swap = graph.literal([[0.0, 1.0], [1.0, 0.0]]);
    let one = graph.literal([[1.0, 0.0], [0.0, 1.0]]);
    let all = graph.einsum("ij;jk;km=>im", &[a, swap, one]);
    let [by_a, by_swap, by_one] = graph.gradients(all, [a, swap, one]);
    let twice = graph.einsum("ik;km=>im", &[graph.einsum("ij;jk=>ik", &[a, swap]), one]);
    let [chained_a, chained_swap, chained_one] = graph.gradients(twice, [a, swap, one]);
    let found = run(&graph, &[all, by_a, by_swap, by_one, chained_a, chained_swap, chained_one]);
    assert_eq!(found[0], [2.0, 1.0, 4.0, 3.0]);
    assert_eq!(found[1..4], found[4..7]);
}

/// F32 and F33: a choice, summed, and its gradients.
#[test]
fn a_choice_goes_to_the_operand_that_was_chosen() {
    let graph = Graph::new();
    let choice = graph.literal([[1.0, 0.0], [0.0, 1.0]]);
    let (a, b) =
        (graph.literal([[10.0, 20.0], [30.0, 40.0]]), graph.literal([[1.0, 2.0], [3.0, 4.0]]));
    let where_ =
        Expression::ternary(lozenge_tensor::Ternary::Where, [0, 1, 2].map(Expression::read));
    let rows = graph.einsum_of("ij;ij;ij=>i", where_.clone(), Accumulation::Add, &[choice, a, b]);
    assert_eq!(run(&graph, &[rows]), [[12.0, 43.0]]);

    let graph = Graph::new();
    let choice = graph.literal([1.0, 0.0, 1.0, 0.0]);
    let [a, b] = [1.0, 2.0].map(|x| graph.literal([x, x, x, x]));
    let chosen = graph.einsum_of("i;i;i=>i", where_, Accumulation::Add, &[choice, a, b]);
    let [by_a, by_b] = graph.gradients(chosen, [a, b]);
    assert_eq!(run(&graph, &[by_a, by_b]), [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]);
}

/// H9: a maximum pool, one maximum a window.
#[test]
fn a_pool_hands_back_to_its_maxima() {
    let graph = Graph::new();
    let x = graph.literal([
        [9.0, 1.0, 8.0, 2.0],
        [3.0, 4.0, 1.0, 0.0],
        [7.0, 2.0, 0.0, 1.0],
        [3.0, 4.0, 6.0, 5.0],
    ]);
    let pooled = graph.einsum_by("2*h<+i, 2*w<+j => h, w", Accumulation::Max, &[x]);
    let loss = pooled.sum();
    let [by_x] = graph.gradients(loss, [x]);
    graph.set_size(pooled, "i", 2);
    graph.set_size(pooled, "j", 2);
    let found = run(&graph, &[loss, by_x]);
    assert_eq!(found[0], [30.0]);
    let mut expected = [0.0; 16];
    for place in [0, 2, 8, 14] {
        expected[place] = 1.0;
    }
    assert_eq!(found[1], expected);
}

fn tropical<'g>(graph: &'g Graph, x: Tensor<'g>, kernel: Tensor<'g>) -> Tensor<'g> {
    let sum = Expression::read(0).binary(Binary::Add, Expression::read(1));
    let spec = "2*h<+i, 2*w<+j; i, j => h, w";
    graph.einsum_of(spec, sum, Accumulation::Max, &[x, kernel])
}

/// H10: the tropical product of windows and a kernel.
#[test]
fn a_tropical_product() {
    let graph = Graph::new();
    let x = graph.range("4,4");
    let kernel = graph.literal([[0.0, 1.0], [2.0, 3.0]]);
    assert_eq!(run(&graph, &[tropical(&graph, x, kernel)]), [[8.0, 10.0, 16.0, 18.0]]);
}

/// H11: its gradients.
#[test]
fn a_tropical_product_hands_back_to_its_winners() {
    let graph = Graph::new();
    let x = graph.literal([[1.0; 4]; 4]);
    let kernel = graph.literal([[0.0, 0.0], [0.0, 10.0]]);
    let out = tropical(&graph, x, kernel);
    let loss = out.sum();
    let [by_x, by_kernel] = graph.gradients(loss, [x, kernel]);
    let found = run(&graph, &[out, loss, by_x, by_kernel]);
    assert_eq!((&found[0][..], &found[1][..]), (&[11.0; 4][..], &[44.0][..]));
    let mut expected = [0.0; 16];
    for place in [5, 7, 13, 15] {
        expected[place] = 1.0;
    }
    assert_eq!(found[2], expected);
    assert_eq!(found[3], [0.0, 0.0, 0.0, 4.0]);
}

/// I1 and I7: a concatenation, and what it hands back to its parts.
#[test]
fn a_concatenation_hands_back_to_its_parts() {
    let graph = Graph::new();
    let (a, b) = (graph.literal([1.0, 2.0, 3.0]), graph.literal([4.0, 5.0]));
    let all = graph.einsum("a; b => a^b", &[a, b]);
    let loss = all.sin().sum();
    let [by_a, by_b] = graph.gradients(loss, [a, b]);
    assert_eq!(all.shape().unwrap().to_string(), "5");
    let found = run(&graph, &[by_a, by_b]);
    for (found, at) in found.iter().flatten().zip(1..) {
        assert!((found - f64::from(at).cos()).abs() < 1e-12);
    }

    let graph = Graph::new();
    let (a, b) = (graph.literal([[1.0], [2.0]]), graph.literal([[3.0, 4.0], [5.0, 6.0]]));
    let zeros = graph.literal([[0.0; 2]; 2]);
    let all = graph.einsum("i, a; i, b; i, c => i, a^b^c", &[a, b, zeros]);
    let [by_a, by_b] = graph.gradients(all.sum(), [a, b]);
    assert_eq!(run(&graph, &[by_a, by_b]), [vec![1.0; 2], vec![1.0; 4]]);
}

/// A tensor used twice accumulates, broadcasting sums, `relu` has 0 at 0, and a product of zeros
/// has the others' product.
#[test]
fn corners_of_gradients() {
    let graph = Graph::new();
    let x = graph.literal([-1.0, 0.0, 2.0]);
    let b = graph.literal(3.0);
    let y = x.relu() * x + b;
    let [by_x, by_b] = graph.gradients(y, [x, b]);
    let one_zero = graph.literal([2.0, 0.0, 5.0]);
    let two_zeros = graph.literal([0.0, 0.0, 5.0]);
    let [p, q] = [one_zero, two_zeros]
        .map(|x| graph.gradients(x.reduce("i => ", Accumulation::Multiply), [x])[0]);
    let ties = graph.literal([3.0, 3.0, 1.0]);
    let [shared] = graph.gradients(ties.reduce("i => ", Accumulation::Max), [ties]);
    let found = run(&graph, &[by_x, by_b, p, q, shared]);
    assert_eq!(found[0], [0.0, 0.0, 4.0]);
    assert_eq!(found[1], [3.0]);
    assert_eq!(found[2], [0.0, 10.0, 0.0]);
    assert_eq!(found[3], [0.0, 0.0, 0.0]);
    assert_eq!(found[4], [0.5, 0.5, 0.0]);
}

/// While one part of a concatenation is copied, what is left of a difference is that part: its
/// derivative is not found, and not made up.
#[test]
fn a_concatenation_of_what_has_sides_has_no_derivative() {
    let graph = Graph::new();
    let (a, b) = (graph.literal([1.0, 2.0]), graph.literal([3.0]));
    let difference = Expression::read(0) - Expression::read(1);
    let all = graph.einsum_of("a; b => a^b", difference, Accumulation::Add, &[a, b]);
    let [by_b] = graph.gradients(all, [b]);
    assert_eq!(run(&graph, &[all]), [[1.0, 2.0, 3.0]]);
    let refused = graph.check().unwrap().program(&[by_b]).unwrap_err();
    let headline = "a concatenation of a difference, a quotient or the like has no derivative";
    assert_eq!(refused.diagnostics[0].headline, headline);
}

/// What is joined has as many rows as there are tensors, whatever it meets.
#[test]
fn stacked_tensors_are_as_many_as_they_are() {
    let fits = |is_stack: bool, spec: &str, shape: &str| {
        let graph = Graph::new();
        let (a, b) = (graph.data("a", "3"), graph.data("b", "3"));
        let joined = if is_stack { graph.stack(&[a, b]) } else { graph.interleave(a, b) };
        graph.einsum(spec, &[joined, graph.data("c", shape)]);
        graph.check().is_ok()
    };
    assert!(fits(true, "i, j; i, j => ", "2,3"));
    assert!(!fits(true, "i, j; i, j => ", "4,3"));
    assert!(fits(false, "i; i => ", "6"));
    assert!(!fits(false, "i; i => ", "9"));
}
