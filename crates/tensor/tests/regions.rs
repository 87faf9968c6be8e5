//! In which order statements of regions run, what is initialised once, and what is stale.

use lozenge_tensor::{Checked, Form, Graph, Machine, Region, Tensor, read};

const FORMS: [Form; 2] = [Form::InPlace, Form::SingleAssignment];

/// Elements after some runs, in both forms.
fn after(graph: &Graph, runs: usize, outputs: &[Tensor<'_>]) -> [Vec<Vec<f64>>; 2] {
    let checked = graph.check().unwrap_or_else(|report| panic!("{report}"));
    FORMS.map(|form| {
        let program = checked.program_in(form, None, outputs).unwrap_or_else(|e| panic!("{e}"));
        let mut machine = Machine::in_double(&program).unwrap();
        for _ in 0..runs {
            machine.run(&[]).unwrap_or_else(|error| panic!("{error}\n{program}"));
        }
        let of = |tensor: &Tensor<'_>| {
            machine.array(program.of(*tensor).unwrap()).iter().copied().collect()
        };
        outputs.iter().map(of).collect()
    })
}

fn both(expected: &[&[f64]]) -> [Vec<Vec<f64>>; 2] {
    let expected: Vec<Vec<f64>> = expected.iter().map(|elements| elements.to_vec()).collect();
    [expected.clone(), expected]
}

/// What an initial value is made of is computed again where something else needs it.
#[test]
fn what_is_initialised_does_not_stop_the_clock() {
    let graph = Graph::new();
    let w = graph.kept_of("w", "1_");
    let s = w + 1.0;
    let mean = graph.kept_of("mean", "1_");
    graph.update(mean).in_region(Region::Initialise).set(s);
    graph.update(w).add(1.0);
    assert_eq!(after(&graph, 1, &[s, mean]), both(&[&[1.0], &[1.0]]));
    let graph = Graph::new();
    let w = graph.kept_of("w", "1_");
    let s = w + 1.0;
    graph.update(graph.kept_of("mean", "1_")).in_region(Region::Initialise).set(s);
    graph.update(w).add(1.0);
    assert_eq!(after(&graph, 2, &[s]), both(&[&[2.0]]));
}

/// An initial value is made of initial values, in whatever order they were said.
#[test]
fn initial_values_are_in_order() {
    let graph = Graph::new();
    let (w, b) = (graph.kept_of("w", "1_"), graph.kept_of("b", "1_"));
    let s = w * 2.0;
    let b = graph.update(b).in_region(Region::Initialise).set(s);
    let w1 = graph.update(w).in_region(Region::Initialise).set(3.0);
    let w2 = graph.update(w1).in_region(Region::Initialise).add(1.0);
    assert_eq!(after(&graph, 1, &[s * 1.0, b, w2]), both(&[&[8.0], &[8.0], &[4.0]]));
    // One that is made of what it was.
    let graph = Graph::new();
    let w = graph.kept_of("w", "1_");
    let w = graph.update(w).in_region(Region::Initialise).set((w + 1.0) * 2.0);
    assert_eq!(after(&graph, 2, &[w]), both(&[&[2.0]]));
}

fn refused(checked: &Checked<'_>, outputs: &[Tensor<'_>]) -> Vec<String> {
    let of = |form| checked.program_in(form, None, outputs).unwrap_err().diagnostics.remove(0);
    FORMS.map(|form| of(form).headline).to_vec()
}

#[test]
fn what_cannot_be_initialised() {
    let graph = Graph::new();
    let y = graph.literal([1.0, 3.0]) * 2.0;
    graph.update(y.named("y")).in_region(Region::Initialise).set(5.0);
    let said = graph.check().unwrap_err();
    let wanted = "`y` is initialised, and computed anew in every run";
    assert_eq!(said.diagnostics[0].headline, wanted);

    let graph = Graph::new();
    let (w, b) = (graph.kept_of("w", "1_"), graph.kept_of("b", "1_"));
    let w = graph.update(w).add(1.0);
    graph.update(b).in_region(Region::Initialise).set(w);
    let wanted = "an initial value is made of what an assignment gives later";
    assert_eq!(refused(&graph.check().unwrap(), &[]), [wanted, wanted]);
}

/// What a tensor was initialised to is that tensor, and as stale.
#[test]
fn initialised_tensors_become_stale() {
    let graph = Graph::new();
    let w = graph.kept_of("w", "1_");
    let w1 = graph.update(w).in_region(Region::Initialise).set(3.0);
    let w2 = graph.update(w1).add(1.0);
    let checked = graph.check().unwrap();
    assert_eq!(
        refused_in_place(&checked, &[w1]),
        "`w` is read after an assignment has replaced it"
    );
    assert_eq!(after(&graph, 2, &[w2]), both(&[&[5.0]]));
    graph.inline("y").set(read(w1) * 10.0);
    let said = refused_in_place(&graph.check().unwrap(), &[]);
    assert_eq!(said, "`w` is read after an assignment has replaced it");
}

fn refused_in_place(checked: &Checked<'_>, outputs: &[Tensor<'_>]) -> String {
    checked.program(outputs).unwrap_err().diagnostics.remove(0).headline
}

/// What takes the place of a tensor comes after it, whatever region it is said to be in; and of
/// two that do, the one that runs last is what stays.
#[test]
fn what_is_replaced_was_there_before() {
    let graph = Graph::new();
    let k = graph.kept_of("k", "1_");
    let first = graph.update(k).set(1.0);
    let second = graph.update(first).in_region(Region::Forward).set(2.0);
    assert_eq!(after(&graph, 2, &[second]), both(&[&[2.0]]));

    let graph = Graph::new();
    let k = graph.kept_of("k", "1_");
    let before = graph.inline("before").in_region(Region::Forward).set(read(k) * 1.0);
    graph.update(k).set(1.0);
    graph.update(k).in_region(Region::Forward).set(2.0);
    assert_eq!(after(&graph, 2, &[before]), both(&[&[1.0]]));
}

/// A statement runs in whatever region it is.
#[test]
fn every_statement_runs() {
    for region in &Region::ALL[1..] {
        let graph = Graph::new();
        let count = graph.kept_of("count", "1_");
        graph.update(count).in_region(*region).add(1.0);
        let program = graph.check().unwrap().program(&[]).unwrap();
        let mut machine = Machine::new(&program).unwrap();
        for _ in 0..3 {
            machine.run(&[]).unwrap();
        }
        assert_eq!(machine.elements("count").unwrap(), [3.0], "{}", region.name());
    }
}
