//! Why a variable has its value.

mod support;

use expect_test::{Expect, expect};
use lozenge_calculus::{term::DimVar, text::Names};
use lozenge_solve::{
    Solver,
    explain::{Target, why},
};

use support::{store, variable};

fn check(text: &str, var: &str, expect: &Expect) {
    let mut names = Names::new();
    let store = store(&mut names, text);
    let var = variable(&mut names, var);
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let told = match why(&solver.solved(), var) {
        None => "nothing is known of it".to_owned(),
        Some(chain) => {
            let lines = chain.constraints.iter().map(|c| format!("{}\n", names.show(c)));
            format!("{}{}", lines.collect::<String>(), names.show(&chain.derivation))
        }
    };
    expect.assert_eq(&told);
}

#[test]
fn why_a_variable_has_its_value() {
    let text = "?x = 7; ⟨r⟩ ⊑ ◊[?a,4]; ?a = ?b; ?b = 3; ⟨s⟩ ⊑ ◊[9]; ?u ⊑ ?v";
    check(
        text,
        "?a",
        &expect![[r"
        ?a = ?b @2
        ?b = 3 @3
        (1) ?b = ?a by DE-bind from @2
        (2) ?a = 3 by DE-bind from @3 (1)
        which gives the value from (2)"]],
    );
    check(
        text,
        "⟨r⟩",
        &expect![[r"
        ⟨r⟩ ⊑ ◊[?a,4] @1
        ?a = ?b @2
        ?b = 3 @3
        (1) ⟨r⟩ = ⟨'1⟩[?'2,4] by RI-deficit from @1
        (2) ?b = ?a by DE-bind from @2
        (3) ?a = 3 by DE-bind from @3 (2)
        (4) ?'2 = 3 by DI-pin from @1 (1) (3)
        which gives the value from (1) (4)"]],
    );
    check(
        text,
        "⟨s⟩",
        &expect![[r"
        ⟨s⟩ ⊑ ◊[9] @4
        (1) ⟨s⟩ = ⟨'1⟩[9] by RI-deficit from @4
        which gives the value from (1)"]],
    );
    check(text, "?u", &expect!["nothing is known of it"]);
    check(text, "?nobody", &expect!["nothing is known of it"]);
}

#[test]
fn what_is_not_needed_is_left_out() {
    // The unit follows from any two of the three caps.
    check(
        "3 ⊑ ?a; 5 ⊑ ?a; 7 ⊑ ?a",
        "?a",
        &expect![[r"
        3 ⊑ ?a
        5 ⊑ ?a @1
        (1) ?a = 1_ by DI-cap from @0 @1
        which gives the value from (1)"]],
    );
    // One line is enough, though the trace came another way.
    check(
        "?a = ?b; ?b = 3; ?a ⊑ 3",
        "?a",
        &expect![[r"
        ?a ⊑ 3 @2
        (1) ?a = 3 by DI-pin from @2
        which gives the value from (1)"]],
    );
    check(
        "⟨r⟩ ≈ ⟨s⟩; ⟨s⟩ ≈ ◊[3]; ⟨r⟩ ≈ ◊[3]",
        "⟨r⟩",
        &expect![[r"
        ⟨r⟩ ≈ ◊[3] @2
        (1) ⟨r⟩ = ◊[3] by RE-open-closed, a choice, from @2
        which gives the value from (1)"]],
    );
}

#[test]
fn why_an_axis_needs_no_other_axis() {
    let mut names = Names::new();
    let store = names.parse_store("⟨r⟩ ⊑ ◊[5] @1; ⟨r⟩ ⊑ [3,5]◊ @2").unwrap();
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let row = names.row_var("r").unwrap();
    let chain = why(&solver.solved(), Target::Axis(row, 0)).unwrap();
    assert_eq!(chain.constraints, store[1..]);
}

#[test]
fn minted_variables_are_not_the_programs() {
    let mut names = Names::new();
    let store = names.parse_store("⟨q⟩ ⊑ ◊[?a]; ?a = 3").unwrap();
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let minted = (0..9).map(|i| DimVar::new(DimVar::MINTED + i));
    assert!(minted.into_iter().all(|var| why(&solver.solved(), var).is_none()));
}
