//! Closing: roles, policies, what is chosen and why.

mod support;

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use lozenge_calculus::{term::RowVar, text::Names};
use lozenge_solve::{
    Budget, Exhausted, Options, Solver,
    close::{CloseError, Closed, Policy, Problem, Role, Roles, Why, close},
    explain::Target,
    testing::same_state,
};

use support::{many, store, variable};

/// `leaf ?a ⟨r⟩ parameter ⟨w⟩`.
fn roles(names: &mut Names, text: &str) -> Roles {
    let mut roles = Roles::default();
    let mut role = Role::Leaf;
    for word in text.split_whitespace() {
        match word {
            "leaf" => role = Role::Leaf,
            "parameter" => role = Role::Parameter,
            "interior" => role = Role::Interior,
            _ => roles.add(variable(names, word), role),
        }
    }
    roles
}

fn try_close(text: &str, roles_text: &str, policy: Policy) -> (Names, Result<Closed, CloseError>) {
    let (names, _, closed) = close_solved(text, roles_text, policy);
    (names, closed)
}

fn close_solved(
    text: &str,
    roles_text: &str,
    policy: Policy,
) -> (Names, Solver, Result<Closed, CloseError>) {
    let mut names = Names::new();
    let store = store(&mut names, text);
    let roles = roles(&mut names, roles_text);
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let before = solver.clone();
    let closed = close(&solver.solved(), &roles, policy);
    assert!(same_state(&solver, &before), "closing changes nothing");
    (names, solver, closed)
}

fn check(text: &str, roles: &str, policy: Policy, expect: &Expect) {
    let (names, closed) = try_close(text, roles, policy);
    expect.assert_eq(&match closed {
        Err(unclosed) => names.show(&unclosed).to_string(),
        Ok(closed) => {
            let notes = closed.notes().iter().map(|note| format!("\n{}", names.show(note)));
            format!("{}{}", names.show(closed.grounding()), notes.collect::<String>())
        }
    });
}

/// All orders of the items.
fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![vec![]];
    }
    let mut all = vec![];
    for first in 0..items.len() {
        let mut rest = items.to_vec();
        let head = rest.remove(first);
        for mut tail in permutations(&rest) {
            tail.insert(0, head.clone());
            all.push(tail);
        }
    }
    all
}

#[test]
fn values_do_not_depend_on_the_order_of_constraints() {
    for (text, leaves, expected) in [
        // E1
        ("3 ⊑ ?a; ?a ⊑ ?b; 5 ⊑ ?b", "leaf ?a ?b", "{?a = 3, ?b = 1_}"),
        ("3 ⊑ ?a; ?a ⊑ ?b; 5 ⊑ ?b", "leaf ?b ?a", "{?a = 3, ?b = 1_}"),
        // E2
        ("3 ⊑ ?a; ?b ⊑ ?a", "leaf ?a ?b", "{?a = 3, ?b = 3}"),
        ("3 ⊑ ?a; ?b ⊑ ?a", "leaf ?b ?a", "{?a = 3, ?b = 3}"),
        // E3
        ("3 ⊑ ?a; 5 ⊑ ?b; ?c ⊑ ?a; ?c ⊑ ?b", "leaf ?a ?b", "{?a = 3, ?b = 1_, ?c = 3}"),
        ("3 ⊑ ?a; 5 ⊑ ?b; ?c ⊑ ?a; ?c ⊑ ?b", "leaf ?b ?a", "{?a = 1_, ?b = 5, ?c = 5}"),
        // D20
        ("⟨r⟩ ⊑ ⟨s⟩; ◊[3] ⊑ ⟨r⟩; ◊[5] ⊑ ⟨s⟩", "leaf ⟨r⟩ ⟨s⟩", "{⟨r⟩ = ◊[3], ⟨s⟩ = ◊[1_]}"),
        ("⟨r⟩ ⊑ ⟨s⟩; ◊[3] ⊑ ⟨r⟩; ◊[5] ⊑ ⟨s⟩", "leaf ⟨s⟩ ⟨r⟩", "{⟨r⟩ = ◊[3], ⟨s⟩ = ◊[1_]}"),
        ("◊[3] ⊑ ⟨r⟩; ⟨r⟩[5] ⊑ ⟨r⟩", "leaf ⟨r⟩", "{⟨r⟩ = ◊[1_]}"),
    ] {
        let parts: Vec<&str> = text.split("; ").collect();
        for order in permutations(&parts) {
            let mut names = Names::new();
            names.parse_store(text).unwrap(); // names in one order, for printing
            let store = store(&mut names, &order.join("; "));
            let roles = roles(&mut names, leaves);
            let mut solver = Solver::new();
            solver.extend(&store).unwrap();
            let closed = close(&solver.solved(), &roles, Policy::Default).unwrap();
            assert_eq!(names.show(closed.grounding()).to_string(), expected, "{order:?}");
            assert_eq!(closed.demotions(), 0);
        }
    }
}

#[test]
fn policies() {
    let text = "◊[3] ⊑ ⟨r⟩; ⟨s⟩ ⊑ ⟨t⟩; 5 ⊑ ?a";
    let leaves = "leaf ⟨r⟩ ⟨t⟩ ?a";
    check(text, leaves, Policy::Default, &expect!["{?a = 5, ⟨r⟩ = ◊[3], ⟨s⟩ = ◊, ⟨t⟩ = ◊}"]);
    check(text, leaves, Policy::Upward, &expect!["{?a = 1_, ⟨r⟩ = ◊, ⟨s⟩ = ◊, ⟨t⟩ = ◊}"]);
    check(text, leaves, Policy::Refuse, &expect!["nothing says how many axes ⟨t⟩ has"]);
    // What waits is a choice too.
    let text = "[3]⟨r⟩ ≈ ⟨s⟩[5]";
    check(text, "", Policy::Upward, &expect!["{⟨r⟩ = ◊[5], ⟨s⟩ = [3]◊}"]);
    check(text, "", Policy::Refuse, &expect!["@0 waits, and what would satisfy it is a choice"]);
}

#[test]
fn the_first_role_of_a_variable_counts() {
    check("3 ⊑ ?a", "interior ?a leaf ?a", Policy::Default, &expect!["{?a = 1_}"]);
    check("3 ⊑ ?a", "leaf ?a parameter ?a interior ?a", Policy::Default, &expect!["{?a = 3}"]);
}

#[test]
fn a_parameter_must_be_determined() {
    let roles = "parameter ⟨w⟩ ?n ⟨lone⟩ ?alone";
    check(
        "⟨w⟩ ≈ [?i]⟨x⟩[3,?j]; ?n ⊑ ?m; 4 ⊑ ?j",
        roles,
        Policy::Default,
        &expect![[r"
            nothing says how large axis 0 of ⟨w⟩ is; nothing says how large ?n is; ⟨lone⟩ is not used, so nothing determines it; ?alone is not used, so nothing determines it"]],
    );
    let (_, unclosed) = try_close("⟨r⟩ ⊑ ⟨w⟩", "parameter ⟨w⟩", Policy::Default);
    assert!(matches!(unclosed.unwrap_err().problems[..], [Problem::NoRank(_)]));
}

#[test]
fn joins_come_from_below() {
    // A closed cap three adjacencies below, and an open one that does not count beside it.
    check(
        "⟨a⟩ ⊑ ⟨b⟩; ⟨b⟩ ⊑ ⟨c⟩; ⟨c⟩ ⊑ ⟨leaf⟩; ◊[2,3] ⊑ ⟨a⟩; ⟨x⟩[7,2,3] ⊑ ⟨b⟩",
        "leaf ⟨leaf⟩",
        Policy::Default,
        &expect!["{⟨a⟩ = ◊[2,3], ⟨b⟩ = ◊[2,3], ⟨c⟩ = ◊[2,3], ⟨leaf⟩ = ◊[2,3], ⟨x⟩ = ◊}"],
    );
    // Only open ones, the shorter of which rules.
    check(
        "⟨x⟩[7,2,3] ⊑ ⟨leaf⟩; ⟨y⟩[2,3] ⊑ ⟨b⟩; ⟨b⟩ ⊑ ⟨leaf⟩",
        "leaf ⟨leaf⟩",
        Policy::Default,
        &expect!["{⟨x⟩ = ◊, ⟨leaf⟩ = ◊[2,3], ⟨y⟩ = ◊, ⟨b⟩ = ◊[2,3]}"],
    );
}

#[test]
fn two_declarations_of_a_marker() {
    let text = "⟨r⟩ ≈ ◊[3,5]; ⟨r⟩ ≈ [3]◊[5]; ◊[9,3,5] ⊑ ⟨r⟩";
    check(
        text,
        "leaf ⟨r⟩",
        Policy::Default,
        &expect![[r"
            {⟨r⟩ = ◊[3,5]}
            placement-competes: @0 and @1 place the marker of ⟨r⟩ differently; the first holds, and @2 sees it"]],
    );
    // Nobody sees it where no axis is inserted, or where the row is no operand.
    check(
        "⟨r⟩ ≈ ◊[3,5]; ⟨r⟩ ≈ [3]◊[5]; ◊[3,5] ⊑ ⟨r⟩; ⟨r⟩ ⊑ ◊[5]",
        "leaf ⟨r⟩",
        Policy::Default,
        &expect!["{⟨r⟩ = ◊[3,5]}"],
    );
}

#[test]
fn why_it_is_what_it_is() {
    let text = "⟨w⟩ ≈ ◊[?o,?i]; ?i = 3; 5 ⊑ ?o; ⟨sum⟩ ⊑ ⟨w⟩; ⟨free⟩ ⊑ ⟨z⟩; ◊[4] ⊑ ⟨x⟩";
    let (mut names, solver, closed) = close_solved(text, "leaf ⟨w⟩ ⟨x⟩ ⟨z⟩", Policy::Default);
    let (form, closed) = (solver.solved(), closed.unwrap());
    let row = |names: &mut Names, name: &str| names.row_var(name).unwrap();
    let mut told = String::new();
    for (name, axis) in [("w", 0), ("w", 1), ("sum", 0), ("x", 0), ("z", 0)] {
        let var = row(&mut names, name);
        let why = closed.why(&form, Target::Axis(var, axis));
        writeln!(told, "{name}[{axis}]: {}", names.show(&why)).unwrap();
    }
    for name in ["w", "x", "z"] {
        let var = row(&mut names, name);
        writeln!(told, "rank of {name}: {}", names.show(&closed.why(&form, Target::Rank(var))))
            .unwrap();
    }
    expect![[r"
        w[0]: chosen: axis 0 of ⟨w⟩ takes the atom below it (@2), because of @0
        w[1]: forced, because of @0 @1
        sum[0]: chosen: axis 0 of ⟨w⟩ takes the atom below it (@2), because of @0 @3
        x[0]: chosen: ⟨x⟩ takes the join of the closed rows below it (@5), axis 0 of ⟨x⟩ takes the atom below it (@5)
        z[0]: nothing asks for more
        rank of w: forced, because of @0
        rank of x: chosen: ⟨x⟩ takes the join of the closed rows below it (@5)
        rank of z: nothing asks for more
    "]]
    .assert_eq(&told);
    let nobody = names.dim_var("nobody").unwrap();
    assert_eq!(closed.why(&form, nobody), Why::Greatest);
}

#[test]
fn running_out_of_budget_is_a_problem_of_its_own() {
    let mut names = Names::new();
    let store = store(&mut names, "◊[3] ⊑ ⟨r⟩; 3 ⊑ ?a");
    let roles = roles(&mut names, "leaf ?a ⟨r⟩");
    let budget = Budget::DEFAULT.with_steps(2);
    let mut solver = Solver::with_options(Options::DEFAULT.with_budget(budget));
    solver.extend(&store).unwrap();
    let unclosed = close(&solver.solved(), &roles, Policy::Default).unwrap_err();
    assert_eq!(unclosed.problems, [Problem::Exhausted(Exhausted::Steps)]);
}

#[test]
fn a_spent_budget_is_not_a_constraint_that_waits() {
    let mut names = Names::new();
    let store = store(&mut names, "[3]⟨r⟩ ≈ ⟨s⟩[5]; ◊[3] ⊑ ⟨q⟩; 3 ⊑ ?a; ⟨z⟩ ⊑ ◊[?a,?b]");
    let roles = roles(&mut names, "leaf ⟨q⟩ ?a");
    for steps in 7..12 {
        let budget = Budget::DEFAULT.with_steps(steps);
        let mut solver = Solver::with_options(Options::DEFAULT.with_budget(budget));
        solver.extend(&store).unwrap();
        let unclosed = close(&solver.solved(), &roles, Policy::Default).unwrap_err();
        assert_eq!(unclosed.problems, [Problem::Exhausted(Exhausted::Steps)], "{steps}");
    }
}

#[test]
fn what_waits_is_settled_piece_by_piece() {
    let text = many(1_500, |i| format!("[3]⟨r{i}⟩ ≈ ⟨s{i}⟩[5]"), "; ");
    let (mut names, closed) = try_close(&text, "", Policy::Default);
    let last = names.row_var("r1499").unwrap();
    assert_eq!(closed.unwrap().grounding().row_var(last).to_string(), "◊[5]");
}

#[test]
fn the_first_leaf_that_can_commits() {
    // The last leaf has a cap, and each commitment gives the leaf before it one.
    let pair = |i| format!("⟨c{i}⟩ ⊑ ⟨a{i}⟩; ⟨c{i}⟩ ⊑ ⟨a{}⟩", i + 1);
    let text = many(500, pair, "; ");
    let leaves = many(501, |i| format!("⟨a{i}⟩"), " ");
    let (mut names, closed) =
        try_close(&format!("{text}; ◊[64] ⊑ ⟨a500⟩"), &format!("leaf {leaves}"), Policy::Default);
    let first = names.row_var("a0").unwrap();
    assert_eq!(closed.unwrap().grounding().row_var(first).to_string(), "◊[64]");
}

#[test]
fn roles_are_for_variables_of_the_program() {
    let mut names = Names::new();
    let store = store(&mut names, "⟨r⟩ ⊑ ◊[3]; ◊[9,3] ⊑ ⟨r⟩");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let minted = RowVar::new(RowVar::MINTED + 1);
    let roles = Roles::new([(minted, Role::Leaf)]);
    let closed = close(&solver.solved(), &roles, Policy::Default).unwrap();
    assert_eq!(names.show(closed.grounding()).to_string(), "{⟨r⟩ = ◊[3]}");
}
