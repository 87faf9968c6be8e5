//! Statements of every alignment, regions, supplied indices, and what is rounded when written.

use expect_test::expect;
use lozenge_tensor::{
    Accumulation, Checked, ElementType, Form, Graph, Machine, Program, Region, Tensor, read,
};

fn checked(graph: &Graph) -> Checked<'_> {
    graph.check().unwrap_or_else(|report| panic!("{report}"))
}

fn program(graph: &Graph, outputs: &[Tensor<'_>]) -> Program {
    checked(graph).program(outputs).unwrap_or_else(|report| panic!("{report}"))
}

/// The elements of these tensors after one run, in single precision.
fn run(graph: &Graph, outputs: &[Tensor<'_>]) -> Vec<Vec<f64>> {
    let program = program(graph, outputs);
    let mut machine = Machine::new(&program).unwrap();
    machine.run(&[]).unwrap_or_else(|error| panic!("{error}\n{program}"));
    let of =
        |tensor: &Tensor<'_>| machine.array(program.of(*tensor).unwrap()).iter().copied().collect();
    outputs.iter().map(of).collect()
}

/// Two matrices.
fn matrices(graph: &Graph) -> [Tensor<'_>; 2] {
    let a = graph.literal_of("2->2", [[1.0, 2.0], [3.0, 4.0]]);
    let b = graph.literal_of("2->2", [[0.0, 1.0], [1.0, 1.0]]);
    [a.named("a"), b.named("b")]
}

#[test]
fn a_product_is_pointwise_unless_it_is_composing() {
    let graph = Graph::new();
    let [a, b] = matrices(&graph);
    let pointwise = graph.inline("pointwise").set(read(a) * b);
    let composed = graph.inline("composed").composing().erasing().add(read(a) * b);
    let expected = a.compose(b);
    let found = run(&graph, &[pointwise, composed, expected]);
    assert_eq!(found[0], [0.0, 2.0, 3.0, 4.0]);
    assert_eq!(found[1], [2.0, 3.0, 4.0, 7.0]);
    assert_eq!(found[1], found[2]);
    let text = program(&graph, &[]).to_string();
    assert!(text.contains("{ composed } =:+ a * b ~logic:\"@\"\n"), "{text}");
}

#[test]
fn a_statement_by_specification() {
    let graph = Graph::new();
    let a = graph.literal([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let b = graph.literal([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
    let product = graph.inline("product").by("ij; jk => ik").erasing().add(read(a) * b);
    let shape = checked(&graph).shape(product).unwrap().to_string();
    assert_eq!(shape, "2,2");
    assert_eq!(run(&graph, &[product]), [[4.0, 5.0, 10.0, 11.0]]);
    let text = program(&graph, &[]).to_string();
    assert!(text.contains("{ product } =:+ t0 * t1 ~logic:\"ij; jk => ik\"\n"), "{text}");
}

#[test]
fn a_statement_that_transposes() {
    let graph = Graph::new();
    let a = graph.literal_of("3->2", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let turned = graph.inline("turned").transposing().set(read(a));
    assert_eq!(checked(&graph).shape(turned).unwrap().to_string(), "2->3");
    assert_eq!(run(&graph, &[turned]), [[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]]);
}

/// An erasing statement has the neutral element where an accumulating one has what was there.
#[test]
fn erasing_or_not() {
    let graph = Graph::new();
    let x = graph.literal([[1.0, 2.0], [3.0, 4.0]]);
    let first = graph.inline("first").by("ij => i").erasing().add(read(x));
    let both = graph.update(first).by("ij => i").add(read(x));
    let largest = graph.update(both).by("ij => i").erasing().accumulate(Accumulation::Max, read(x));
    let own = |outputs: &[Tensor<'_>]| {
        let program = checked(&graph).program_in(Form::SingleAssignment, None, outputs).unwrap();
        let mut machine = Machine::new(&program).unwrap();
        machine.run(&[]).unwrap();
        let of = |tensor: &Tensor<'_>| machine.array(program.of(*tensor).unwrap()).clone();
        outputs.iter().map(|tensor| of(tensor).into_raw_vec_and_offset().0).collect::<Vec<_>>()
    };
    assert_eq!(own(&[first, both, largest]), [[3.0, 7.0], [6.0, 14.0], [2.0, 4.0]]);
}

#[test]
fn a_cell_is_not_set_to_many_elements() {
    let graph = Graph::new();
    let x = graph.data("x", "4,3");
    let sums = graph.inline("sums").by("ij => i").set(read(x));
    let report = checked(&graph).program(&[sums]).unwrap_err();
    let said = &report.diagnostics[0];
    assert_eq!(said.code.to_string(), "many-elements");
    assert!(report.to_string().contains("crates/tensor/tests/statements.rs:"), "{report}");
    assert!(report.to_string().contains("a cell of `sums` is set to many elements"), "{report}");
}

/// What is initialised has its first value once, however often the program runs.
#[test]
fn initial_values_are_set_once() {
    let graph = Graph::new();
    let w = graph.parameter_of("w", "2,3");
    graph.update(w).in_region(Region::Initialise).set(read(graph.range("2,3")) * 0.5);
    let sum = w.sum().named("sum");
    graph.update(w).add(1.0);
    let in_place = program(&graph, &[sum]);
    expect![[r#"
        initialise:
          w =: t1 * 0.5

        forward:
          sum =:+ w ~logic:"...|...->... => "

        update:
          w =+ 1
    "#]]
    .assert_eq(&in_place.to_string());
    let single = checked(&graph).program_in(Form::SingleAssignment, None, &[sum]).unwrap();
    for program in [in_place, single] {
        let mut machine = Machine::new(&program).unwrap();
        for expected in [7.5, 13.5, 19.5] {
            machine.run(&[]).unwrap();
            assert_eq!(machine.elements("sum").unwrap(), [expected]);
        }
    }
}

/// An index is given by the caller, or the program runs for each of its values.
#[test]
fn a_supplied_index() {
    let graph = Graph::new();
    let x = graph.literal_of("4|2", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]);
    let part = x.einsum("@t...|i => ...|i").named("part");
    let total = graph.kept("total");
    graph.update(total).add(read(part) * 2.0);
    let given = program(&graph, &[part]);
    assert_eq!(given.supplied().len(), 1);
    assert_eq!((&*given.supplied()[0].name, given.supplied()[0].range), ("t", Some(4)));
    let mut machine = Machine::new(&given).unwrap();
    machine.run(&[("t", 2)]).unwrap();
    assert_eq!(machine.elements("part").unwrap(), [5.0, 6.0]);
    let mut refused = |indices: &[(&str, u64)]| machine.run(indices).unwrap_err().to_string();
    assert_eq!(refused(&[]), "the index `@t` is not supplied");
    assert_eq!(refused(&[("t", 2), ("s", 0)]), "the program asks for no index `@s`");
    let outside = "an index of operand 1 is not supplied, or not on its axis";
    assert!(refused(&[("t", 4)]).ends_with(outside));

    let looped = program(&graph, &[part]).looping("t");
    let mut machine = Machine::new(&looped).unwrap();
    machine.run(&[]).unwrap();
    assert_eq!(machine.elements("total").unwrap(), [32.0, 40.0]);
    assert_eq!(machine.elements("part").unwrap(), [7.0, 8.0]);
    let own = machine.run(&[("t", 2)]).unwrap_err();
    assert_eq!(own.to_string(), "the program asks for no index `@t`");
}

/// Elements of 16 bits are rounded when a statement has written them, not between its points.
#[test]
fn elements_of_16_bits_are_rounded_when_written() {
    let sum = |target| {
        let graph = Graph::new();
        let x = graph.literal([2048.0, 1.0, 1.0, 1.0, 1.0]).to(target);
        run(&graph, &[x.sum()])
    };
    // One by one, each sum would be rounded to 2048.
    assert_eq!(sum(ElementType::F16), [[2052.0]]);
    assert_eq!(sum(ElementType::BF16), [[2048.0]]);
    let graph = Graph::new();
    let third = graph.literal([1.0]).to(ElementType::F16) / 3.0;
    let exact = graph.literal([1.0]).to(ElementType::F64) / 3.0;
    let coarse = graph.literal([1.0]).to(ElementType::BF16) / 3.0;
    let found = run(&graph, &[third, exact, coarse]);
    assert_eq!(found, [[0.333_251_953_125], [1.0 / 3.0], [0.333_984_375]]);
}

#[test]
fn a_captured_size_is_a_number() {
    let graph = Graph::new();
    let x = graph.literal([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]);
    let rows = x.einsum("i d => i d");
    let scaled = rows.sum() / graph.size_of(rows, "d").sqrt();
    let mean = x.mean("i d => i");
    assert_eq!(run(&graph, &[scaled, mean]), [vec![18.0], vec![2.5, 6.5]]);
}

#[test]
fn literals_are_nested() {
    let graph = Graph::new();
    let cube = graph.literal([[[1.0, 2.0, 3.0]; 2], [[4.0, 5.0, 6.0]; 2]]);
    let deep = graph.literal(vec![vec![vec![vec![7.0]]]]);
    assert_eq!(cube.shape().unwrap().to_string(), "2,2,3");
    assert_eq!(deep.shape().unwrap().to_string(), "1,1,1,1");
    let sums = cube.einsum("ijk => ik");
    assert_eq!(run(&graph, &[sums]), [[2.0, 4.0, 6.0, 8.0, 10.0, 12.0]]);
}

#[test]
fn stacks_joins_turns_and_rows() {
    let graph = Graph::new();
    let (a, b) = (graph.literal([1.0, 2.0]), graph.literal([3.0, 4.0]));
    let stacked = graph.stack(&[a, b, a]);
    let joined = graph.concat(&[a, b]);
    let turns = graph.interleave(a, b);
    let table = graph.literal([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    let rows = table.gather("v d; s => s d", "v", graph.literal([2, 0, 5]));
    let shapes =
        [stacked, joined, turns, rows].map(|own| checked(&graph).shape(own).unwrap().to_string());
    assert_eq!(shapes, ["3,2", "4", "4", "3,2"]);
    let found = run(&graph, &[stacked, joined, turns, rows]);
    assert_eq!(found[0], [1.0, 2.0, 3.0, 4.0, 1.0, 2.0]);
    assert_eq!(found[1], [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(found[2], [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(found[3], [5.0, 6.0, 1.0, 2.0, 0.0, 0.0]);
}
