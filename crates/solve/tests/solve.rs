//! The solver, rule by rule and as a whole, on stores small enough to read. The random ones are in
//! `xtask differential`, `preservation`, `metamorphic`, `ranks` and `snapshots`.

// expect-test hands its snapshots over by value.
#![allow(clippy::needless_pass_by_value)]

mod support;

use expect_test::{Expect, expect};
use lozenge_calculus::text::Names;
use lozenge_solve::{
    Budget, Class, Exhausted, Options, Rule, SolveError, Solver,
    testing::{Run, same_state, verify},
};

use support::store;

/// Steps through a run and writes down the rules; a policy step has a star.
fn rules(text: &str, options: Options) -> String {
    let store = store(&mut Names::new(), text);
    let mut rules = vec![];
    let mut result = Run::begin(Solver::with_options(options), &store);
    while let Ok(run) = &mut result {
        match run.step() {
            Ok(None) => {
                let solver = run.clone().finish().expect("nothing is left to ask");
                assert_eq!(verify(&solver), Ok(()), "{text}");
                return rules.join(" ");
            }
            Ok(Some(taken)) => {
                let star = if taken.class == Class::Policy { "*" } else { "" };
                rules.push(format!("{}{star}", taken.rule));
            }
            Err(rejection) => result = Err(rejection),
        }
    }
    rules.push(match result {
        Err(SolveError::Conflict(conflict)) => format!("{}!", conflict.rule),
        Err(SolveError::Exhausted(what)) => format!("{what:?}!"),
        Ok(_) => unreachable!(),
    });
    rules.join(" ")
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&rules(text, Options::default()));
}

fn check_without_ranks(text: &str, expected: Expect) {
    expected.assert_eq(&rules(text, Options::DEFAULT.without_ranks()));
}

#[test]
fn dimension_rules() {
    check("3 = 3", expect!["DE-refl"]);
    check("3 = 5", expect!["DE-clash!"]);
    check("1_ = 1", expect!["DE-clash!"]);
    check("?a = 5", expect!["DE-bind"]);
    check("?a ⊑ 1_", expect!["DI-top"]);
    check("?a ⊑ ?a", expect!["DI-refl"]);
    check("3 ⊑ 1", expect!["DI-ground!"]);
    check("?a ⊑ 5; ?a = 3", expect!["DI-pin DE-clash!"]);
    check("1_ ⊑ ?a", expect!["DI-pin-top"]);
    check("3 ⊑ ?a; 3 ⊑ ?a; 5 ⊑ ?a", expect!["DI-cap DI-cap DI-cap DI-top"]);
    check("?a ⊑ ?b", expect!["DI-adj"]);
    check("?a ⊑ ?b; ?b ⊑ ?c; ?c ⊑ ?a", expect!["DI-adj DI-adj DI-antisym DI-refl DI-refl"]);
    // A cap is forwarded across an adjacency, whichever comes first.
    check("3 ⊑ ?a; ?a ⊑ ?b", expect!["DI-cap DI-adj DI-cap"]);
    check("?a ⊑ ?b; 3 ⊑ ?a", expect!["DI-adj DI-cap DI-cap"]);
}

#[test]
fn row_equality_rules() {
    check("◊[3] ≈ [3]◊", expect!["RE-closed DE-refl"]);
    check("⟨r⟩[3] ≈ ◊[3]", expect!["RE-open-closed DE-refl"]);
    check("⟨r⟩[3] ≈ ◊[5,3]", expect!["RE-open-closed* DE-refl"]);
    check("⟨r⟩ ≈ [3]⟨s⟩[5]", expect!["RE-nested*"]);
    check("[3]⟨r⟩ ≈ ⟨s⟩[5]", expect!["RE-cross"]);
    check("[3]⟨r⟩ ≈ [3]⟨r⟩", expect!["RE-same-empty DE-refl"]);
    check("[3]⟨r⟩ ≈ ⟨r⟩[3]", expect!["RE-same-rot"]);
    check("[3]⟨r⟩ ≈ ⟨r⟩", expect!["ranks!"]);
    check_without_ranks("[3]⟨r⟩ ≈ ⟨r⟩", expect!["RE-same-occurs!"]);
    check_without_ranks("◊[3] ≈ ◊", expect!["RE-closed!"]);
    check_without_ranks("[3]⟨r⟩ ≈ ◊", expect!["RE-open-closed!"]);
}

#[test]
fn row_inequality_rules() {
    check("◊[3,5] ⊑ ◊[5]", expect!["RI-closed-op DI-refl"]);
    check("◊ ⊑ ◊[5]", expect!["ranks!"]);
    check_without_ranks("◊ ⊑ ◊[5]", expect!["RI-short-closed!"]);
    check("[3]⟨r⟩ ⊑ ⟨s⟩", expect!["RI-cap"]);
    check("⟨r⟩ ⊑ ⟨s⟩", expect!["RI-adj"]);
    check("⟨r⟩ ⊑ ⟨s⟩; ⟨s⟩ ⊑ ⟨r⟩", expect!["RI-adj RI-antisym RI-self"]);
    check("⟨r⟩ ⊑ [?a]⟨s⟩[5]", expect!["RI-deficit RI-adj DI-adj DI-refl"]);
    check("⟨r⟩ ⊑ [3]⟨s⟩[5]", expect!["RI-deficit"]);
    check("⟨r⟩[3] ⊑ [3,5]⟨s⟩", expect!["RI-shift RI-shift"]);
    check("[3]⟨r⟩[5] ⊑ ⟨r⟩", expect!["RI-self"]);
    check("[3]⟨r⟩ ⊑ ⟨r⟩[3]", expect!["RI-self"]);
    check_without_ranks("⟨r⟩ ⊑ ⟨r⟩[3]", expect!["RI-self!"]);
    // The empty row refines only itself, also through an adjacency that was there before.
    check("⟨r⟩ ⊑ ⟨s⟩; ◊ ⊑ ⟨r⟩", expect!["RI-adj RI-cap RI-cap"]);
}

#[test]
fn size_rules() {
    check("8 = 2*?o", expect!["size-solve size-keep"]);
    check("7 = 2*?o", expect!["size-clash!"]);
    check("3 = 1*?o<+1*3", expect!["size-solve size-solve size-keep"]);
    check("?w = ^[?a,?b]", expect!["size-bound size-keep"]);
    check(
        "?w = 2*?a; ?w = 3*?b; ?b = 2",
        expect![
            "size-bound size-bound size-bound size-keep size-bound size-bound size-bound size-bound size-keep size-keep size-keep size-keep DE-bind size-bound size-solve size-solve size-solve size-keep size-bound size-keep size-keep"
        ],
    );
    check(
        "?x ≥ 2; 5 ⊑ ?x; ?y ⊑ ?x",
        expect!["size-bound DI-cap DE-bind DI-refl size-bound DI-pin"],
    );
    check(
        "|⟨r⟩| = 6; ⟨r⟩ ≈ ◊[2,?v]",
        expect!["size-keep RE-open-closed* size-keep size-solve size-solve size-keep"],
    );
    check("|⟨r⟩, ◊[3]| ≈ [5,3]", expect!["size-solve DE-refl"]);
}

#[test]
fn every_rule_has_a_test_above() {
    let source = include_str!("solve.rs");
    for rule in Rule::ALL {
        assert!(source.contains(rule.name()), "{rule}");
    }
}

#[test]
fn running_out_of_budget_is_an_error_of_its_own() {
    let small = |budget| Options::DEFAULT.with_budget(budget).without_ranks();
    let cycle = "⟨r⟩ ⊑ ⟨s⟩[2]; ⟨s⟩ ⊑ ⟨r⟩[3]";
    let default = Budget::default();
    let steps = rules(cycle, small(default.with_steps(50)));
    assert!(steps.ends_with("Steps!"), "{steps}");
    let minted = rules(cycle, small(default.with_minted(50)));
    assert!(minted.ends_with("Minted!"), "{minted}");
    let rank = rules(cycle, small(default.with_rank(50)));
    assert!(rank.ends_with("Rank!"), "{rank}");

    let mut solver = Solver::with_options(small(default.with_rank(1)));
    let store = store(&mut Names::new(), "⟨r⟩ ⊑ ◊[3,5]");
    assert_eq!(solver.extend(&store), Err(SolveError::Exhausted(Exhausted::Rank)));
    assert!(same_state(&solver, &Solver::with_options(small(default))), "rolled back");
}

/// The origins that a conflict names.
fn blamed(text: &str) -> Vec<u32> {
    let store = store(&mut Names::new(), text);
    match Solver::new().extend(&store) {
        Err(SolveError::Conflict(conflict)) => conflict.origins.iter().map(|o| o.index()).collect(),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_conflict_names_what_it_follows_from() {
    // Through a chain of bindings, and nothing beside it.
    assert_eq!(blamed("?x = 7; ?a = ?b; ?b = ?c; ?c = 3; ?y ⊑ ?x; ?a = 5"), [1, 2, 3, 5]);
    // Through rows: the axes that clash, not the ones beside them.
    assert_eq!(blamed("⟨r⟩ ≈ ◊[?a,?b]; ?a = 3; ?b = 5; ⟨r⟩ ≈ ◊[3,7]"), [0, 2, 3]);
    // Two caps make a variable the unit.
    assert_eq!(blamed("3 ⊑ ?a; 9 ⊑ ?z; 5 ⊑ ?a; ?a ⊑ 3"), [0, 2, 3]);
    // A cap that was found through a binding.
    assert_eq!(blamed("?a = 3; ?a ⊑ ?b; 9 ⊑ ?z; ?b = 5"), [0, 1, 3]);
    // A constraint that no rank fits is enough by itself.
    assert_eq!(blamed("◊[?a] ≈ ⟨r⟩; ⟨r⟩[5] ≈ ◊"), [1]);
    // A cap that was forwarded.
    assert_eq!(blamed("3 ⊑ ?a; ?a ⊑ ?b; 9 ⊑ ?z; ?b = 5"), [0, 1, 3]);
    // A cycle of adjacencies.
    assert_eq!(blamed("?a ⊑ ?b; ?b ⊑ ?c; ?c ⊑ ?a; ?a = 3; 9 ⊑ ?z; ?b = 5"), [0, 1, 2, 3, 5]);
    assert_eq!(blamed("⟨r⟩ ⊑ ⟨s⟩; ⟨s⟩ ⊑ ⟨r⟩; ⟨r⟩ ≈ ◊[3]; ⟨t⟩ ≈ ◊; ⟨s⟩ ≈ ◊[5]"), [0, 1, 2, 4]);
    // Ranks: a cycle, and a rise past a limit.
    assert_eq!(blamed("⟨r⟩ ⊑ ⟨s⟩[2]; ⟨t⟩ ⊑ ⟨s⟩; ⟨s⟩ ⊑ ⟨r⟩"), [0, 2]);
    assert_eq!(blamed("◊[3] ⊑ ⟨r⟩; ⟨t⟩ ⊑ ⟨r⟩; ⟨r⟩ ⊑ ⟨s⟩; ⟨s⟩ ⊑ ◊[3,5]"), [0, 2, 3]);
}

#[test]
fn a_batch_that_fails_leaves_the_solver_as_it_was() {
    let mut names = Names::new();
    let good = store(&mut names, "⟨r⟩ ⊑ ◊[?a,4]; 3 ⊑ ?a; ?a ⊑ ?b");
    let bad = store(&mut names, "⟨r⟩ ≈ ◊[3,4]; ⟨q⟩ ⊑ ⟨r⟩[8]; ?b = 11_new");
    let mut solver = Solver::new();
    solver.extend(&good).unwrap();
    let before = solver.clone();
    assert!(solver.extend(&bad).is_err());
    assert!(same_state(&solver, &before));
    let snapshot = solver.snapshot();
    solver.extend(&bad[..2]).unwrap();
    assert!(!same_state(&solver, &before));
    solver.roll_back(snapshot);
    assert!(same_state(&solver, &before));
}

#[test]
fn program_order_is_the_order_of_origins() {
    // Two declarations compete for the marker of r: the one that comes first in the program wins,
    // in whatever order the batch is.
    let mut names = Names::new();
    let declared = store(&mut names, "⟨r⟩ ≈ [3]◊[5]; ⟨r⟩ ≈ ◊[3,5]");
    let row = names.row_var("r").unwrap();
    for batch in [[&declared[0], &declared[1]], [&declared[1], &declared[0]]] {
        let mut solver = Solver::new();
        solver.extend(batch).unwrap();
        assert_eq!(solver.solved().row(row).to_string(), "[3]◊[5]");
    }
}

#[test]
fn bounds_without_caps_are_no_model() {
    // The calculus says that a solved form without caps is a principal model, adjacencies allowed.
    // Adjacencies are bounds too: not every grounding of ?a ⊑ ?b satisfies it.
    let mut names = Names::new();
    let store = store(&mut names, "?a ⊑ ?b");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let form = solver.solved();
    assert_eq!(form.cap(names.dim_var("a").unwrap()), None);
    assert_eq!(form.residual().len(), 1);
}

#[test]
fn stray_indices_cost_no_memory() {
    let mut names = Names::new();
    let store = store(&mut names, "?4294967295 = ?0; ⟨4294967295⟩ ⊑ [3]⟨4000000000⟩");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    assert!(solver.heap_bytes() < 100_000);
    assert_eq!(verify(&solver), Ok(()));
}

#[test]
fn a_row_longer_than_the_budget_is_refused_wherever_it_comes_from() {
    // Each row is within 16 bits, together they are not; they were once cut off.
    let axes = |n: usize| vec!["3"; n].join(",");
    for relation in ["≈", "⊑"] {
        let text = format!("⟨s⟩ ≈ [{0}]◊; ⟨t⟩ {relation} [{0}]⟨s⟩", axes(60_000));
        let store = store(&mut Names::new(), &text);
        let result = Solver::new().extend(&store);
        assert_eq!(result, Err(SolveError::Exhausted(Exhausted::Rank)), "{relation}");
    }
    let budget = Budget::DEFAULT.with_rank(3);
    let mut solver = Solver::with_options(Options::DEFAULT.with_budget(budget));
    let store = store(&mut Names::new(), "⟨s⟩ ≈ ◊[1,2,3]; ⟨t⟩ ≈ [1,2,3]⟨s⟩");
    assert_eq!(solver.extend(&store), Err(SolveError::Exhausted(Exhausted::Rank)));
}

#[test]
fn a_variable_that_nobody_mentioned_is_itself() {
    let mut names = Names::new();
    let store = store(&mut names, "⟨w_in⟩ ≈ ◊[?i]; ⟨w_in⟩ ⊑ ◊[3]");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let (row, dim) = (names.row_var("typo").unwrap(), names.dim_var("typo").unwrap());
    assert_eq!(solver.solved().row(row), row.into());
    assert_eq!(solver.solved().dim(dim), dim.into());
    assert_eq!(names.find_row_var("another"), None);
}

#[test]
fn minted_variables_keep_their_names() {
    let mut names = Names::new();
    let store = store(&mut names, "⟨r⟩ ⊑ [3]⟨s⟩[?a]");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let row = names.row_var("r").unwrap();
    let before = names.show(&solver.solved().row(row)).to_string();
    assert_eq!(before, "[3]⟨'2⟩[?'1]");
    let more = names.parse_store("⟨x⟩ ⊑ ⟨y⟩; ?c ⊑ ?d").unwrap();
    solver.extend(&more).unwrap();
    assert_eq!(names.show(&solver.solved().row(row)).to_string(), before);
}

#[test]
fn a_run_gives_its_solver_back_when_nothing_is_left() {
    let mut names = Names::new();
    let store = store(&mut names, "[3]◊ ≈ ◊[?a]");
    let mut run = Run::begin(Solver::new(), &store).unwrap();
    assert!(run.clone().finish().is_none());
    run.step().unwrap();
    assert!(run.clone().finish().is_none());
    while run.step().unwrap().is_some() {}
    let solver = run.finish().unwrap();
    assert_eq!(solver.solved().dim(names.dim_var("a").unwrap()).to_string(), "3");
}

#[test]
fn a_conflict_does_not_blame_policy_elsewhere() {
    let needs_policy = |text: &str| {
        let store = store(&mut Names::new(), text);
        match Solver::new().extend(&store) {
            Err(SolveError::Conflict(conflict)) => conflict.policy,
            other => panic!("{text}: {other:?}"),
        }
    };
    assert!(!needs_policy("⟨z⟩ ≈ ◊[1]; 3 = 5"));
    assert!(needs_policy("⟨r⟩ ≈ ◊[3,5]; [3]◊[9,5] ⊑ ⟨r⟩"));
    assert!(needs_policy("⟨r⟩ ≈ ◊[3,5]; [3]◊[?a,5] ⊑ ⟨r⟩; ?a ⊑ ?b; ?b = 9"));
}

#[test]
fn residual_bounds_say_where_they_come_from() {
    let mut names = Names::new();
    let store = store(&mut names, "9 ⊑ ?z; 3 ⊑ ?a; ?a ⊑ ?b; [3]⟨r⟩ ⊑ ⟨s⟩");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let residual = solver.solved().residual();
    let told: Vec<String> = residual
        .iter()
        .map(|r| {
            let origins: Vec<u32> = r.origins.iter().map(|origin| origin.index()).collect();
            format!("{} {origins:?}", names.show(&r.relation))
        })
        .collect();
    let expected = ["9 ⊑ ?z [0]", "3 ⊑ ?a [1]", "3 ⊑ ?b [1, 2]", "?a ⊑ ?b [2]", "[3]⟨r⟩ ⊑ ⟨s⟩ [3]"];
    assert_eq!(told, expected);
}
