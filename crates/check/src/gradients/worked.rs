//! Compositions whose gradients were worked out by hand, where draws do not go: ties, zeros.

use super::model::{Axis, Composition, Node, Op, Range, Rows, Spec, output};
use crate::numeric::Combine;

/// A composition, its name, and its gradient.
pub type Worked = (&'static str, Composition, Vec<f64>);

fn leaf(sizes: &[u64], values: &[f64]) -> Node {
    let op = Op::Leaf { values: values.to_vec(), wanted: true, range: Range::Any };
    Node { op, of: vec![], shape: output(sizes) }
}

fn spec(
    spec: &str,
    numbers: &[(&str, u64)],
    (combine, accumulate): (Combine, &'static str),
    of: usize,
    sizes: &[u64],
) -> Node {
    let numbers = numbers.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    let spec = Spec { text: spec.to_owned(), numbers, indices: vec![], combine, accumulate };
    Node { op: Op::Spec(spec), of: (0..of).collect(), shape: output(sizes) }
}

fn composition(nodes: Vec<Node>, weights: &[f64]) -> Composition {
    Composition { nodes, weights: weights.to_vec(), names: vec![] }
}

/// All of them.
pub fn worked() -> Vec<Worked> {
    let reduce = |accumulate| (Combine::Multiply, accumulate);
    let of_row = |accumulate, values: &[f64]| {
        let count = values.len() as u64;
        composition(
            vec![leaf(&[count], values), spec("i => ", &[], reduce(accumulate), 1, &[])],
            &[6.0],
        )
    };
    let pair = |name| {
        let both = Node { op: Op::Binary { name }, of: vec![0, 1], shape: output(&[2]) };
        composition(vec![leaf(&[2], &[1.0, 2.0]), leaf(&[2], &[1.0, 3.0]), both], &[4.0, 5.0])
    };
    let relu = Node { op: Op::Unary { name: "relu" }, of: vec![0], shape: output(&[3]) };
    let windows = |accumulate| {
        let pool = spec("o<+k => o", &[("k", 2)], reduce(accumulate), 1, &[3]);
        composition(vec![leaf(&[4], &[1.0, 1.0, 1.0, 0.0]), pool], &[2.0, 4.0, 8.0])
    };
    let tropical = spec("o<+k, ; k, => o,", &[], (Combine::Add, "max"), 2, &[2]);
    vec![
        ("max of two the same", of_row("max", &[3.0, 3.0, 1.0]), vec![3.0, 3.0, 0.0]),
        ("min of three the same", of_row("min", &[3.0; 3]), vec![2.0; 3]),
        ("max of pairs, one the same", pair("max"), vec![2.0, 0.0, 2.0, 5.0]),
        ("min of pairs, one the same", pair("min"), vec![2.0, 5.0, 2.0, 0.0]),
        ("max over windows that overlap", windows("max"), vec![1.0, 3.0, 10.0, 0.0]),
        ("min over windows that overlap", windows("min"), vec![1.0, 3.0, 2.0, 8.0]),
        (
            "tropical, every sum the same",
            composition(
                vec![leaf(&[3], &[1.0, 2.0, 3.0]), leaf(&[2], &[1.0, 0.0]), tropical],
                &[2.0, 4.0],
            ),
            vec![1.0, 3.0, 2.0, 3.0, 3.0],
        ),
        ("product with one zero", of_row("product", &[2.0, 0.0, 5.0]), vec![0.0, 60.0, 0.0]),
        ("product with two zeros", of_row("product", &[2.0, 0.0, 0.0]), vec![0.0; 3]),
        (
            "relu at 0",
            composition(vec![leaf(&[3], &[-1.0, 0.0, 2.0]), relu], &[1.0, 2.0, 3.0]),
            vec![0.0, 0.0, 3.0],
        ),
    ]
}

/// A perceptron of one hidden layer with `tanh`, whose error is squared.
pub(super) fn perceptron() -> Composition {
    let of_batch = |size| -> Rows { [vec![Axis::of(2)], vec![], vec![Axis::of(size)]] };
    let map = |read, written| -> Rows { [vec![], vec![Axis::of(read)], vec![Axis::of(written)]] };
    let given = |shape: Rows| {
        let op = Op::Leaf { values: vec![], wanted: true, range: Range::Any };
        Node { op, of: vec![], shape }
    };
    let made = |op, of: &[usize], shape| Node { op, of: of.to_vec(), shape };
    let nodes = vec![
        given(of_batch(3)),
        given(map(3, 4)),
        given(output(&[4])),
        given(map(4, 2)),
        given(output(&[2])),
        given(of_batch(2)),
        made(Op::Compose, &[1, 0], of_batch(4)),
        made(Op::Binary { name: "add" }, &[6, 2], of_batch(4)),
        made(Op::Unary { name: "tanh" }, &[7], of_batch(4)),
        made(Op::Compose, &[3, 8], of_batch(2)),
        made(Op::Binary { name: "add" }, &[9, 4], of_batch(2)),
        made(Op::Binary { name: "sub" }, &[10, 5], of_batch(2)),
        made(Op::Binary { name: "mul" }, &[11, 11], of_batch(2)),
    ];
    Composition { nodes, weights: vec![], names: vec!["perceptron"] }
}
