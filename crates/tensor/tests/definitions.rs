//! Operations whose statements somebody wrote: the consumer regime.

mod common;

use lozenge::{Compose, Einsum, Pointwise};
use lozenge_tensor::{Accumulation, Binary, Definition, Graph, Tensor, Unary, slot};

use common::run;

fn matmul() -> Definition {
    Definition::of(Compose)
        .forward(slot("v").erased().add(slot("v1") * slot("v2")))
        .backward(slot("g1").add(slot("g") * slot("v2")))
        .backward(slot("g2").add(slot("v1") * slot("g")))
}

/// The statements that a document of matrices has are those that are found.
#[test]
fn a_product_with_its_own_gradients() {
    let graph = Graph::new();
    let w = graph.literal_of("3->2", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let x = graph.literal_of("4|3", [[0.5, -1.0, 2.0]; 4]);
    let own = graph.define(&matmul(), &[w, x]);
    let known = w.compose(x);
    let both = [own, known].map(|y| graph.gradients((y * y).sum(), [w, x]));
    let found = run(&graph, &[own, known, both[0][0], both[1][0], both[0][1], both[1][1]]);
    for pair in found.chunks(2) {
        assert_eq!(pair[0], pair[1]);
    }
    let program = graph.check().unwrap().program(&both[0]).unwrap().to_string();
    assert!(program.contains(" =+ t4.grad * t3\n"), "{program}");
}

/// A gradient of a definition is a tensor with gradients of its own.
#[test]
fn a_definition_can_be_differentiated_twice() {
    let graph = Graph::new();
    let w = graph.literal_of("2->2", [[1.0, 2.0], [3.0, 4.0]]);
    let x = graph.literal([0.5, -1.0]);
    let twice = |y: Tensor<'_>| -> Vec<f64> {
        let [slope] = graph.gradients((y * y * y).sum(), [w]);
        let [curvature] = graph.gradients((slope * slope).sum(), [w]);
        run(&graph, &[curvature]).remove(0)
    };
    assert_eq!(twice(graph.define(&matmul(), &[w, x])), twice(w.compose(x)));
}

/// What won is a fact about the operand, so that the intermediate has its shape.
#[test]
fn an_intermediate_with_the_shape_of_an_operand() {
    let pool = Einsum::new("2*i<+k => i").unwrap();
    let greatest = Definition::of(pool)
        .forward(slot("v").erased().accumulate(Accumulation::Max, slot("v1")))
        .backward(
            slot("won_rhs1")
                .erased()
                .accumulate(Accumulation::Or, slot("v").binary(Binary::Equal, slot("v1"))),
        )
        .backward(slot("g1").add(slot("won_rhs1").choose(slot("g"), 0.0)));
    let graph = Graph::new();
    let x = graph.literal([1.0, 5.0, 2.0, 3.0]);
    let y = graph.define(&greatest, &[x]);
    graph.set_size(y, "k", 2);
    let [by_x] = graph.gradients(y.sum(), [x]);
    assert_eq!(run(&graph, &[y, by_x]), [vec![5.0, 3.0], vec![0.0, 1.0, 0.0, 1.0]]);
}

/// Forward statements may make intermediates, and read the result once it is there.
#[test]
fn an_intermediate_of_the_forward_statements() {
    let gated = Definition::of(Pointwise::new("gated"))
        .forward(slot("gate_lhs").set(slot("v1").unary(Unary::Tanh)))
        .forward(slot("v").set(slot("gate_lhs") * slot("v1")))
        .forward(slot("left_lhs").set(slot("v1") - slot("v")))
        .backward(slot("g1").add(slot("g") * slot("left_lhs")));
    let graph = Graph::new();
    let x = graph.literal([0.0, 2.0]);
    let y = graph.define(&gated, &[x]);
    let [by_x] = graph.gradients(y.sum(), [x]);
    let found = run(&graph, &[y, by_x]);
    let wanted = 2.0 * 2.0_f64.tanh();
    assert_eq!(found, [vec![0.0, wanted], vec![0.0, 2.0 - wanted]]);
}

/// The headlines of what is refused.
fn refused(definition: &Definition) -> Vec<String> {
    let graph = Graph::new();
    let x = graph.data("x", "3");
    let y = graph.define(definition, &[x]);
    let _ = y + y; // says nothing
    let report = graph.check().unwrap_err();
    let here = |said: &lozenge::diagnostic::Diagnostic| {
        let place = said.place().unwrap();
        report.sources.get(place.source).unwrap().name.ends_with("definitions.rs")
    };
    assert!(report.diagnostics.iter().all(here), "{report}");
    report.diagnostics.iter().map(|said| said.headline.clone()).collect()
}

#[test]
fn names_that_claim_nothing() {
    let of = || Definition::of(Pointwise::new("own"));
    let sum = of().forward(slot("v").set(slot("x") + slot("v2")));
    let wanted =
        ["`x` claims no tensor of the operation", "`v2` claims no tensor of the operation"];
    assert_eq!(refused(&sum), wanted);
    let unwritten = of().forward(slot("v").set(slot("mask_rhs1") * slot("v1")));
    assert_eq!(refused(&unwritten), ["`mask_rhs1` is read and nothing writes it"]);
    let gradient = of().forward(slot("v").set(slot("g") * slot("v1")));
    assert_eq!(refused(&gradient), ["`g` cannot be read here"]);
    let backwards = of()
        .forward(slot("v").set(slot("v1")))
        .backward(slot("v").set(slot("g")))
        .backward(slot("g").add(slot("g")));
    let wanted = ["`v` cannot be written backward", "`g` cannot be written backward"];
    assert_eq!(refused(&backwards), wanted);
    let operand = of().forward(slot("v1").set(slot("v1")));
    assert_eq!(refused(&operand), ["`v1` cannot be written forward"]);
    let late = of()
        .forward(slot("v").set(slot("v1")))
        .forward(slot("seen_lhs").set(slot("v")))
        .forward(slot("v").add(slot("seen_lhs")));
    assert_eq!(refused(&late), ["`v` cannot be written after it was read"]);
}

/// What several statements write is their sum, and so is every gradient: nothing else is taken.
#[test]
fn statements_that_are_no_sum() {
    let of = || Definition::of(Pointwise::new("own"));
    let copied = || of().forward(slot("v").set(slot("v1")));
    let twice =
        ["`v` cannot be written twice but by a sum: `=:`, `=:+` or `=+` first, then `=+` or `=-`"];
    let second = |by| copied().forward(slot("v").accumulate(by, slot("v1")));
    assert_eq!(refused(&second(Accumulation::Multiply)), twice);
    assert_eq!(refused(&copied().forward(slot("v").erased().add(slot("v1")))), twice);
    let largest = of().forward(slot("v").accumulate(Accumulation::Max, slot("v1")));
    assert_eq!(refused(&largest.clone().forward(slot("v").add(slot("v1")))), twice);
    let seen = |definition: Definition| definition.forward(slot("x_lhs").add(slot("v1")));
    assert_eq!(refused(&seen(seen(of()))), ["`x_lhs` cannot be written a second time"]);
    let by = ["`g1` cannot be written but by `=+` or `=-`: other uses add to it"];
    assert_eq!(refused(&copied().backward(slot("g1").set(slot("g")))), by);
    assert_eq!(refused(&copied().backward(slot("g1").erased().add(slot("g")))), by);

    let graph = Graph::new();
    let x = graph.literal([2.0, 3.0]);
    let sum =
        of().forward(slot("v").set(slot("v1"))).forward(slot("v").add(slot("v1") * slot("v1")));
    let y = graph.define(&sum, &[x]);
    let [by_x] = graph.gradients(y, [x]);
    assert_eq!(run(&graph, &[y, by_x]), [[6.0, 12.0], [5.0, 7.0]]);
}

/// A definition that gives nothing.
#[test]
fn a_definition_without_a_result() {
    let none = Definition::of(Pointwise::new("none"));
    assert_eq!(refused(&none), ["nothing writes `v`"]);
}
