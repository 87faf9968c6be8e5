//! Document 003's update of parameters, as statements that ask for shapes themselves.

use expect_test::{Expect, expect};
use lozenge_tensor::{Checked, Form, Graph, Machine, Program, Tensor, read};

/// How the last statement is spelled.
#[derive(Clone, Copy)]
enum Spelling {
    /// The product is a tensor of its own, which the statement accumulates.
    Unary,
    /// The statement multiplies.
    Binary,
}

/// The three statements of the document for one parameter.
fn sgd<'g>(
    graph: &'g Graph,
    (p, gradient): (Tensor<'g>, Tensor<'g>),
    learning_rate: Tensor<'g>,
    spelling: Spelling,
) {
    let (weight_decay, momentum) = (graph.literal(0.01), graph.literal(0.9));
    let name = p.name();
    let of = |what: &str| format!("{name}.{what}");
    let decayed = (weight_decay * p).named(&of("decayed"));
    let delta = graph.inline(&of("sgd_delta")).set(read(gradient) + decayed);
    let kept = graph.kept(&of("sgd_momentum"));
    let slowed = (momentum * kept).named(&of("slowed"));
    graph.update(kept).set(read(slowed) + delta);
    let _ = match spelling {
        Spelling::Unary => graph.update(p).subtract((learning_rate * delta).named(&of("step"))),
        Spelling::Binary => graph.update(p).subtract(read(learning_rate) * delta),
    };
}

fn checked(graph: &Graph) -> Checked<'_> {
    graph.check().unwrap_or_else(|report| panic!("{report}"))
}

fn program(graph: &Graph, form: Form, outputs: &[Tensor<'_>]) -> Program {
    let made = checked(graph).program_in(form, None, outputs);
    made.unwrap_or_else(|report| panic!("{report}"))
}

fn region(program: &Program, name: &str, expected: &Expect) {
    let text = program.to_string();
    let begin = text.find(&format!("{name}:\n")).unwrap_or_else(|| panic!("{text}"));
    let own = text[begin..].split("\n\n").next().unwrap_or_default();
    expected.assert_eq(&format!("{}\n", own.trim_end()));
}

/// One rate serves parameters of shapes that have nothing in common, and nobody says its shape.
#[test]
fn one_rate_for_parameters_of_two_shapes() {
    for spelling in [Spelling::Unary, Spelling::Binary] {
        let graph = Graph::new();
        let (w, b) = (graph.parameter_of("w", "784->10"), graph.parameter_of("b", "12"));
        let loss = (w * w).sum() + (b * b).sum();
        let [of_w, of_b] = graph.gradients(loss, [w, b]);
        let learning_rate = graph.undeclared("lr");
        sgd(&graph, (w, of_w), learning_rate, spelling);
        sgd(&graph, (b, of_b), learning_rate, spelling);
        let checked = checked(&graph);
        assert_eq!(checked.shape(learning_rate).unwrap().to_string(), "1_");
        assert!(checked.notes().is_empty());
        let program = program(&graph, Form::InPlace, &[loss]);
        let shape = |name| program.variable(program.named(name).unwrap()).shape.to_string();
        let kept = ["w.sgd_delta", "w.sgd_momentum", "b.sgd_delta", "b.sgd_momentum"].map(shape);
        assert_eq!(kept, ["784->10", "784->10", "12", "12"]);
    }
}

/// A small model, whose update is spelled this way.
fn small(graph: &Graph, spelling: Spelling) -> Tensor<'_> {
    let (x, y) = (graph.data("x", "4|3"), graph.data("y", "4|2"));
    let [w, b] = ["w", "b"].map(|name| graph.parameter(name));
    let error = w.compose(x) + b - y;
    let loss = (error * error).sum().named("loss");
    let [of_w, of_b] = graph.gradients(loss, [w, b]);
    // A rate without a shape takes that of what it stands beside: of `w`, whose shape is known
    // first, and with it `b` would.
    let learning_rate = graph.data("lr", "");
    sgd(graph, (w, of_w), learning_rate, spelling);
    sgd(graph, (b, of_b), learning_rate, spelling);
    loss
}

/// What three steps make of the small model: its parameters, and the losses on the way.
fn learned(program: &Program) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut machine = Machine::in_double(program).unwrap();
    let numbers = |count: u32| (0..count).map(|n| f64::from(n * 7 % 5) / 5.0).collect::<Vec<_>>();
    for (name, count) in [("x", 12), ("y", 8), ("w", 6), ("b", 2)] {
        machine.set(name, &numbers(count)).unwrap();
    }
    machine.set("lr", &[0.05]).unwrap();
    let mut losses = vec![];
    for _ in 0..3 {
        machine.run(&[]).unwrap();
        losses.extend(machine.elements("loss").unwrap());
    }
    let of = |name: &str| machine.elements(name).unwrap();
    (["w", "b", "w.sgd_momentum", "b.sgd_momentum"].map(of).to_vec(), losses)
}

/// Both spellings give the same numbers; the binary one has a variable fewer for each parameter.
#[test]
fn both_spellings_are_one_update() {
    let [unary, binary] = [Spelling::Unary, Spelling::Binary].map(|spelling| {
        let graph = Graph::new();
        let loss = small(&graph, spelling);
        program(&graph, Form::InPlace, &[loss])
    });
    assert_eq!(learned(&unary), learned(&binary));
    let names = |program: &Program| {
        program.variables().map(|(_, own)| own.name.to_string()).collect::<Vec<_>>()
    };
    let mut more = names(&unary);
    let fewer = names(&binary);
    more.retain(|name| !fewer.contains(name));
    assert_eq!(more, ["w.step", "b.step"]);
    assert_eq!(unary.variables().len(), binary.variables().len() + 2);
    assert_eq!(unary.steps().len(), binary.steps().len() + 2);
    let (_, losses) = learned(&unary);
    assert!(losses.is_sorted_by(|a, b| a > b), "{losses:?}");
}

/// A printed program reads like the document.
#[test]
fn a_program_reads_like_the_document() {
    let graph = Graph::new();
    let loss = small(&graph, Spelling::Unary);
    region(
        &program(&graph, Form::InPlace, &[loss]),
        "update",
        &expect![[r"
        update:
          { w.sgd_delta } =: w.grad + w.decayed
          { w.sgd_momentum } =: w.slowed + w.sgd_delta
          { w.step } =:+ lr * w.sgd_delta
          w =- w.step
          { b.sgd_delta } =: b.grad + b.decayed
          { b.sgd_momentum } =: b.slowed + b.sgd_delta
          { b.step } =:+ lr * b.sgd_delta
          b =- b.step
    "]],
    );
    let graph = Graph::new();
    let loss = small(&graph, Spelling::Binary);
    region(
        &program(&graph, Form::InPlace, &[loss]),
        "update",
        &expect![[r"
        update:
          { w.sgd_delta } =: w.grad + w.decayed
          { w.sgd_momentum } =: w.slowed + w.sgd_delta
          w =- lr * w.sgd_delta
          { b.sgd_delta } =: b.grad + b.decayed
          { b.sgd_momentum } =: b.slowed + b.sgd_delta
          b =- lr * b.sgd_delta
    "]],
    );
}

/// In place and in single assignment the numbers are the same.
#[test]
fn both_forms_give_the_same_numbers() {
    let graph = Graph::new();
    let loss = small(&graph, Spelling::Binary);
    let [in_place, single] =
        [Form::InPlace, Form::SingleAssignment].map(|form| program(&graph, form, &[loss]));
    assert!(single.variables().len() > in_place.variables().len());
    assert_eq!(learned(&in_place), learned(&single));
    region(
        &single,
        "update",
        &expect![[r"
        update:
          { w.sgd_delta } =: w.grad + w.decayed
          { w.sgd_momentum.2 } =: w.slowed + w.sgd_delta
          { w.2 } =: w
          w.2 =- lr * w.sgd_delta
          { b.sgd_delta } =: b.grad + b.decayed
          { b.sgd_momentum.2 } =: b.slowed + b.sgd_delta
          { b.2 } =: b
          b.2 =- lr * b.sgd_delta
    "]],
    );
}
