//! Element types: what follows from use, what is said, and what is refused.

use lozenge_tensor::{ElementType, Graph, Tensor};

/// The types of tensors.
fn types(graph: &Graph, tensors: &[Tensor<'_>]) -> Vec<&'static str> {
    let checked = graph.check().unwrap_or_else(|report| panic!("{report}"));
    tensors.iter().map(|tensor| checked.element_type(*tensor).unwrap().name()).collect()
}

fn headlines(graph: &Graph) -> Vec<String> {
    let report = graph.check().unwrap_err();
    report.diagnostics.iter().map(|said| said.headline.clone()).collect()
}

#[test]
fn what_nobody_says_is_single_precision() {
    let graph = Graph::new();
    let (x, w) = (graph.data("x", "3"), graph.literal([1, 2, 3]));
    assert_eq!(types(&graph, &[x, w, x * w, (x * w).exp()]), ["f32"; 4]);
}

/// What is said of one is known of all that are pointwise beside it, also of those before it.
#[test]
fn a_type_goes_through_operations_both_ways() {
    let graph = Graph::new();
    let x = graph.data("x", "3");
    let y = x + 1.0;
    let half = graph.data("half", "3").to(ElementType::F16);
    let sum = y + half;
    let w = graph.parameter("w");
    let product = w.compose(sum);
    let shape = graph.literal([0.5, 0.5]);
    assert_eq!(types(&graph, &[x, y, half, sum, w, product, product + shape, shape]), ["f16"; 8]);
}

#[test]
fn comparisons_are_truths_and_choices_are_not() {
    let graph = Graph::new();
    let (x, n) = (graph.data("x", "3").to(ElementType::F64), graph.literal([1, 2, 3]));
    let is_less = x.less(0.5);
    let chosen = graph.choose(is_less, n, n * 2);
    let counted = n + graph.literal([1, 1, 1]).to(ElementType::I64);
    assert_eq!(
        types(&graph, &[is_less, is_less.and(!is_less), chosen, n, counted]),
        ["bool", "bool", "i64", "i64", "i64"]
    );
}

#[test]
fn indices_are_whole_numbers() {
    let graph = Graph::new();
    let (table, ids) = (graph.data("table", "10,4"), graph.data("ids", "2,5"));
    let rows = table.gather("v d; b s => b s d", "v", ids);
    assert_eq!(types(&graph, &[table, ids, rows]), ["f32", "i32", "f32"]);

    let graph = Graph::new();
    let (table, ids) = (graph.data("table", "10,4"), graph.literal([0.0, 1.0]).named("ids"));
    let _ = table.gather("v d; s => s d", "v", ids);
    assert_eq!(headlines(&graph), ["`ids` is a float, the operation takes i32 or i64"]);
}

#[test]
fn mixtures_are_refused_where_they_meet() {
    let graph = Graph::new();
    let x = graph.data("x", "3").to(ElementType::BF16).named("x");
    let n = graph.data("n", "3").to(ElementType::I32).named("n");
    let _ = (x * n).exp(); // says nothing more
    let _ = n.exp();
    let _ = n + 1.5;
    let truth = x.less(x).named("truth");
    let _ = truth * truth;
    assert_eq!(
        headlines(&graph),
        [
            "`x` is bf16, `n` is i32",
            "`n` is i32, the operation takes a float",
            "`n` is i32, `1.5` is a float",
            "`truth` is bool, the operation takes a number",
        ]
    );
}

/// What is replaced has the type of what is assigned.
#[test]
fn an_assignment_has_one_type() {
    let graph = Graph::new();
    let w = graph.parameter_of("w", "3");
    graph.update(w).subtract(graph.data("x", "3").to(ElementType::F64));
    assert_eq!(types(&graph, &[w]), ["f64"]);

    let graph = Graph::new();
    let n = graph.data("n", "3").to(ElementType::I32).named("n");
    let kept = graph.kept("kept");
    graph.update(kept).set(n);
    graph.update(kept).add(graph.data("x", "3").to(ElementType::F32).named("x"));
    assert_eq!(headlines(&graph), ["`kept` is i32, `kept =+ x` is f32"]);
}

/// Two graphs never meet, and a graph may be sent.
#[test]
fn a_graph_is_a_value() {
    fn is_sent<T: Send + Sync>() {}
    is_sent::<Graph>();
    is_sent::<Tensor<'static>>();
    let (one, two) = (Graph::new(), Graph::new());
    let y = one.data("x", "3") + two.data("x", "3");
    assert!(y.is_poisoned());
    assert_eq!(headlines(&one), ["a tensor here is of another graph"]);
    assert!(two.check().is_ok());
}
