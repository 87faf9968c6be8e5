//! Numbers and types that were wrong once: numbers beside concatenations, means, truths, precision.

mod common;

use common::run;
use lozenge_tensor::{Accumulation, ElementType, Expression, Graph, Machine};

#[test]
fn numbers_are_joined_as_they_are() {
    let graph = Graph::new();
    let x = graph.literal([5.0, 6.0]);
    let joined = graph.concat(&[x, graph.literal(0.5)]);
    let numbers = graph.concat(&[graph.literal(1.0), graph.literal(3.0)]);
    let count = graph.size_of(x.einsum("i => i"), "i");
    let counted = graph.concat(&[count, x]);
    let largest = graph.einsum_by("a;b=>a^b", Accumulation::Max, &[x, graph.literal(7.0)]);
    let [by_x] = graph.gradients(joined * joined, [x]);
    let found = run(&graph, &[joined, numbers, counted, largest, by_x]);
    let expected: [&[f64]; 5] =
        [&[5.0, 6.0, 0.5], &[1.0, 3.0], &[2.0, 5.0, 6.0], &[5.0, 6.0, 7.0], &[10.0, 12.0]];
    assert_eq!(found, expected);
}

#[test]
fn one_tensor_joined_is_a_tensor_of_its_own() {
    let graph = Graph::new();
    let w = graph.data("w", "2");
    let joined = graph.concat(&[w]).named("joined");
    let program = graph.check().unwrap().program(&[joined]).unwrap();
    let mut machine = Machine::new(&program).unwrap();
    machine.set("w", &[1.0, 2.0]).unwrap();
    machine.run(&[]).unwrap();
    assert_eq!(machine.elements("joined").unwrap(), [1.0, 2.0]);
}

/// A mean divides by how many elements a cell has got.
#[test]
fn means_of_what_is_summed() {
    let of = |spec: &str| {
        let graph = Graph::new();
        let m = graph.literal([[1.0, 2.0], [3.0, 4.0]]);
        run(&graph, &[m.mean(spec)]).remove(0)
    };
    assert_eq!(of("ij => "), [2.5]);
    assert_eq!(of("ij => j"), [2.0, 3.0]);
    assert_eq!(of("ii => i"), [1.0, 4.0]);
    assert_eq!(of("ii => "), [2.5]);
    assert_eq!(of("i1 => i"), [2.0, 4.0]);
    assert_eq!(of("i, j => i, j (2)"), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]);
    let graph = Graph::new();
    let x = graph.literal([1.0, 2.0, 3.0, 4.0]);
    let inner = x.mean("1^h^1 => ");
    let strided = x.mean("2*i, => ");
    let ends = x.mean("2*i~ => ");
    let [by_x] = graph.gradients(strided, [x]);
    let found = run(&graph, &[inner, strided, ends, by_x]);
    assert_eq!(found, [vec![2.5], vec![2.0], vec![2.0], vec![0.5, 0.0, 0.5, 0.0]]);
}

#[test]
fn a_mean_that_does_not_fit_is_said_once() {
    for spec in ["i1 => i", "ij => i"] {
        let graph = Graph::new();
        let _ = graph.data("x", "3").mean(spec);
        assert_eq!(graph.check().unwrap_err().diagnostics.len(), 1, "{spec}");
    }
}

#[test]
fn truths_are_joined_and_not_added() {
    let graph = Graph::new();
    let (a, b) = (graph.literal([true, false]), graph.literal([true, true]));
    let (joined, stacked) = (graph.concat(&[a, b]), graph.stack(&[a, b]));
    let count = joined.to(ElementType::I32).sum();
    assert_eq!(
        run(&graph, &[joined, stacked, count]),
        [vec![1.0, 0.0, 1.0, 1.0], vec![1.0, 0.0, 1.0, 1.0], vec![3.0]]
    );
    assert_eq!(graph.check().unwrap().element_type(stacked).unwrap(), ElementType::Bool);
    let graph = Graph::new();
    let _ = graph.literal([true, false]).sum();
    assert_eq!(graph.check().unwrap_err().diagnostics.len(), 1);
    let graph = Graph::new();
    graph.concat(&[graph.literal([true]), graph.literal([1.5])]);
    assert_eq!(graph.check().unwrap_err().diagnostics.len(), 1);
}

/// What is compared with a number, or masked by truths, is computed in its own precision.
#[test]
fn single_precision_stays() {
    let own = |graph: &Graph, outputs: &[lozenge_tensor::Tensor<'_>]| {
        let program = graph.check().unwrap().program(outputs).unwrap();
        let mut machine = Machine::new(&program).unwrap();
        machine.run(&[]).unwrap();
        let of = |tensor: &lozenge_tensor::Tensor<'_>| {
            machine.array(program.of(*tensor).unwrap()).iter().copied().collect::<Vec<f64>>()
        };
        outputs.iter().map(of).collect::<Vec<_>>()
    };
    let graph = Graph::new();
    let x = graph.literal([0.1, 0.2]);
    let half = graph.literal([0.1, 0.7]).to(ElementType::F16);
    let found = own(&graph, &[x.equal(0.1), x.at_most(0.1), half.at_least(0.7)]);
    assert_eq!(found, [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);

    let graph = Graph::new();
    let (a, b) = (graph.literal([0.1, 0.7]), graph.literal([0.3, 0.33]));
    let mask = graph.literal([true, true]);
    let read = Expression::read;
    let value = Expression::ternary(
        lozenge_tensor::Ternary::Where,
        [read(2), read(0) * read(1), f64::NEG_INFINITY.into()],
    );
    let y = graph.einsum_of("i;i;i=>", value, Accumulation::Max, &[a, b, mask]);
    let [by_a] = graph.gradients(y, [a]);
    assert_eq!(own(&graph, &[by_a]), [[0.0, f64::from(0.33_f32)]]);
}

#[test]
fn only_floats_have_gradients() {
    let graph = Graph::new();
    let a = graph.data("a", "3").to(ElementType::I32);
    graph.gradients((a * a).sum(), [a]);
    let said = graph.check().unwrap_err();
    assert_eq!(
        said.diagnostics[0].headline,
        "`einsum \"...|...->... => \" (t1 * t1)` is i32, the operation takes a float"
    );
}

#[test]
fn what_is_checked_stays() {
    let graph = Graph::new();
    let y = graph.data("y", "1");
    let half = (y / 2).named("half");
    let checked = graph.check().unwrap();
    let _ = graph.literal([[1.0], [2.0]]).gather("v d; s => s d", "v", y); // an index is whole
    assert_eq!(checked.element_type(half).unwrap(), ElementType::F32);
    let late = graph.data("late", "1");
    let said = checked.shape(late).unwrap_err();
    assert_eq!(said.diagnostics[0].headline, "`late` was made after the graph was checked");
    let other = Graph::new();
    let program = checked.program(&[half]).unwrap();
    assert_eq!(program.of(other.data("x", "1")), None);
}

#[test]
fn a_gather_is_along_an_axis_of_the_table() {
    let graph = Graph::new();
    let table = graph.literal([[1.0, 2.0], [3.0, 4.0]]);
    let _ = table.gather("vocab d; s => s d", "v", graph.literal([1, 0]));
    let said = graph.check().unwrap_err();
    let wanted = "the table in `vocab d; s => s d` has no axis `v`";
    assert_eq!(said.diagnostics[0].headline, wanted);
}

#[test]
fn more_elements_than_fit() {
    let graph = Graph::new();
    let y = graph.data("x", "4294967296,4294967296").exp();
    let program = graph.check().unwrap().program(&[y]).unwrap();
    let said = Machine::new(&program).unwrap_err();
    assert_eq!(said.to_string(), "`x` has more elements than fit");
}
