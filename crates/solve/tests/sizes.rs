//! Relations between sizes: arithmetic, discardability, and what is told of them. The random ones
//! are in `xtask sizes`, the cases in `docs/cases/sizes.md`.

mod support;

use lozenge_calculus::{
    constraint::{OriginId, discardable},
    judge::Judge,
    size::{Factor, Implied, Overflow, Unknown, solve_linear, solve_product},
    text::Names,
};
use lozenge_solve::{
    Exhausted, SolveError, Solver,
    close::{Policy, Role, Roles, close},
    decide::{ConflictingSet, Decision, Effort, decide},
    explain::why,
};

use support::{many, store};

fn x(coefficient: i128, least: u64) -> Unknown {
    Unknown { coefficient, least }
}

#[test]
fn linear_equations() {
    assert_eq!(solve_linear(&[], 0, 0), Ok(Implied::Holds));
    assert_eq!(solve_linear(&[], 3, 0), Ok(Implied::Fails));
    assert_eq!(solve_linear(&[x(2, 1)], -8, 0), Ok(Implied::Forced(vec![(0, 4)])));
    assert_eq!(solve_linear(&[x(2, 1)], -7, 0), Ok(Implied::Fails)); // not divisible
    assert_eq!(solve_linear(&[x(2, 5)], -8, 0), Ok(Implied::Fails)); // too small
    assert_eq!(solve_linear(&[x(2, 1), x(-2, 1)], 1, 0), Ok(Implied::Fails)); // even against odd
    assert_eq!(solve_linear(&[x(1, 1), x(1, 1)], -2, 0), Ok(Implied::Forced(vec![(0, 1), (1, 1)])));
    assert_eq!(solve_linear(&[x(1, 1), x(1, 1)], -3, 0), Ok(Implied::Open(vec![])));
    assert_eq!(solve_linear(&[x(-1, 1), x(1, 1), x(1, 2)], 0, 0), Ok(Implied::Open(vec![(0, 3)])));
    assert_eq!(solve_linear(&[x(2, 1), x(-3, 1)], 0, 0), Ok(Implied::Open(vec![(0, 2)])));
    assert_eq!(solve_linear(&[x(-1, 1)], i128::from(u64::MAX), 0), Err(Overflow));
}

/// What an equation with something left over says is true of all its solutions, and where it says
/// that there is none there is none.
#[test]
fn what_is_left_over_is_left_to_the_unknowns() {
    let most = 12;
    for slack in 0..4 {
        for (known, [a, b]) in
            (-30..30).flat_map(|known| COEFFICIENTS.map(|coefficients| (known, coefficients)))
        {
            let unknowns = [x(a, 1), x(b, 2)];
            let unknowns = if b == 0 { &unknowns[..1] } else { &unknowns[..] };
            let all = (1..=most).flat_map(|i| (2..=most).map(move |j| [i, j]));
            let holds = |[i, j]: &[u64; 2]| {
                let sum = a * i128::from(*i) + b * i128::from(*j) + known;
                (0..=i128::from(slack)).any(|rest| sum + rest == 0)
            };
            let solutions: Vec<[u64; 2]> = all.filter(holds).collect();
            let case = format!("{a}·x + {b}·y + {known}, {slack} left over");
            match solve_linear(unknowns, known, slack).expect(&case) {
                Implied::Holds => panic!("{case}: it has unknowns"),
                Implied::Fails => assert!(solutions.is_empty(), "{case}: {solutions:?}"),
                Implied::Forced(values) => {
                    let is_so =
                        |found: &[u64; 2]| values.iter().all(|(place, n)| found[*place] == *n);
                    assert!(solutions.iter().all(is_so), "{case}: {values:?}");
                    let small = values.iter().all(|(_, n)| *n <= most);
                    assert!(!small || !solutions.is_empty(), "{case}: {values:?}");
                }
                Implied::Open(bounds) => {
                    let is_so =
                        |found: &[u64; 2]| bounds.iter().all(|(place, n)| found[*place] >= *n);
                    assert!(solutions.iter().all(is_so), "{case}: {bounds:?}");
                    if b == 0 {
                        let found: std::collections::BTreeSet<u64> =
                            solutions.iter().map(|[i, _]| *i).collect();
                        assert!(found.len() != 1 || found.contains(&most), "{case}: {found:?}");
                    }
                }
            }
        }
    }
}

const COEFFICIENTS: [[i128; 2]; 8] =
    [[1, 0], [-1, 0], [2, 0], [3, 0], [2, -1], [-1, 3], [2, 3], [-2, -1]];

#[test]
fn products() {
    let x = |power, least| Factor { power, least };
    assert_eq!(solve_product(&[], 6, 6), Ok(Implied::Holds));
    assert_eq!(solve_product(&[x(1, 1)], 4, 24), Ok(Implied::Forced(vec![(0, 6)])));
    assert_eq!(solve_product(&[x(1, 1)], 5, 24), Ok(Implied::Fails));
    assert_eq!(solve_product(&[x(2, 1)], 1, 36), Ok(Implied::Forced(vec![(0, 6)]))); // a square
    assert_eq!(solve_product(&[x(2, 1)], 1, 35), Ok(Implied::Fails));
    assert_eq!(solve_product(&[x(1, 1), x(1, 1)], 7, 7), Ok(Implied::Forced(vec![(0, 1), (1, 1)])));
    assert_eq!(solve_product(&[x(1, 2), x(-1, 1)], 3, 1), Ok(Implied::Open(vec![(1, 6)])));
}

#[test]
fn which_parts_may_be_left_out() {
    // Each line: components of the concatenation, shapes of the other side, which may be left out.
    type Shapes = &'static [&'static [&'static [&'static str]]];
    let table: [(&[&str], Shapes, &[bool]); 12] = [
        (&["a", "b"], &[&[&["a"]]], &[false, true]), // a^b => a
        (&["a", "b"], &[&[&["b"]]], &[true, false]), // a^b => b
        (&["a", "b"], &[&[&["a", "b"]]], &[false, false]), // a^b => a^b
        (&["b", "c"], &[&[&["a"]]], &[false, false]), // b^c => a
        (&["a", "b"], &[&[&["a"]], &[&["b"]]], &[false, false]), // a; b => a^b
        (&["a", "c"], &[&[&["a"]], &[&["b"]]], &[false, false]), // a; b => a^c
        (&["a", "b", "c"], &[&[&["a"]], &[&["b"]]], &[false, false, true]), // a; b => a^b^c
        (&["a", "b", "c"], &[&[&["b"]]], &[true, false, true]), // a^b^c => b
        (&["a", "b"], &[&[&["x"], &["a"]]], &[false, true]), // a^b => x, a
        (&["a", "b"], &[&[&["b"], &["a"]]], &[true, true]), // a^b => b, a
        (&["a", "a", "b"], &[&[&["a"]]], &[true, true, true]), // a^a^b => a
        (&["a", "_"], &[&[&["a", "_"], &["a"]]], &[false, true]), // a^3 => a^3, a
    ];
    for (axis, others, expected) in table {
        let components = |axis: &&[&'static str]| -> Vec<Option<&str>> {
            axis.iter().map(|name| Some(*name).filter(|name| *name != "_")).collect()
        };
        let shapes: Vec<Vec<_>> =
            others.iter().map(|shape| shape.iter().map(components).collect()).collect();
        assert_eq!(discardable(&components(&axis), &shapes), expected, "{axis:?} {others:?}");
    }
}

#[test]
fn overflow_is_an_error() {
    let mut names = Names::new();
    let store = store(&mut names, "?w = 4000000000*?a; ?a = 4000000000000000000");
    let rejection = Solver::new().extend(&store).unwrap_err();
    assert_eq!(rejection, SolveError::Exhausted(Exhausted::Sizes));
}

#[test]
fn a_conflict_of_sizes_names_what_it_follows_from() {
    let blamed = |text: &str| {
        let store = store(&mut Names::new(), text);
        match Solver::new().extend(&store).unwrap_err() {
            SolveError::Conflict(conflict) => conflict.origins.iter().map(|o| o.index()).collect(),
            SolveError::Exhausted(_) => vec![],
        }
    };
    assert_eq!(blamed("?z = 7; ?w = 2*?o; ?y ⊑ ?z; ?w = ?v; ?v = 7"), [1, 3, 4]);
    assert_eq!(blamed("?w = ^[?a,?b]; ?w = ^[?a,?c]; ?b = 3; ?q = 9; ?c = 4"), [0, 1, 2, 4]);
    assert_eq!(blamed("⟨r⟩ ≈ ◊[?h,4]; ?z = 1; |⟨r⟩| = 6"), [0, 2]);
    assert_eq!(blamed("?x ≥ 4; ?y = 1; 3 ⊑ ?x"), [0, 2]);
    assert_eq!(blamed("?w = ^[?a,?b]; ?a ≥ 4; ?c = 1; ?w = 4"), [0, 1, 3]);
    // Each is one more than the other.
    assert_eq!(blamed("?a = 2*?b; ?z = 3; ?b = 2*?a"), [0, 2]);
}

#[test]
fn why_a_computed_size_is_what_it_is() {
    let mut names = Names::new();
    let store = store(&mut names, "?k = 3; ?in = 9; ?z = 4; ?in = 2*?o<+1*?k; ⟨r⟩ ≈ ◊[?o,?z]");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let chain = why(&solver.solved(), names.dim_var("o").unwrap()).unwrap();
    let origins: Vec<u32> = chain.constraints.iter().map(|c| c.origin.index()).collect();
    assert_eq!(origins, [0, 1, 3]);
    assert_eq!(
        names.show(&chain.derivation).to_string().lines().nth(2),
        Some("(3) ?o = 4 by size-solve from @3 (1) (2)")
    );
}

#[test]
fn relations_over_named_sizes_are_computed() {
    let mut names = Names::new();
    let store = store(&mut names, "?v = ^[batch,3]; ?w = 1*batch; 2 ⊑ ?x; batch ≥ 4");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    assert_eq!(
        names.show(&solver.solved().dim(names.find_dim_var("w").unwrap())).to_string(),
        "batch"
    );
    let roles = Roles::new([(names.dim_var("x").unwrap(), Role::Leaf)]);
    let closed = close(&solver.solved(), &roles, Policy::Default).unwrap();
    assert_eq!(closed.notes(), []);
    let whole = closed.grounding().dim(names.dim_var("v").unwrap().into()).size();
    let form = closed.sizes().form(whole);
    let batch = |_| "batch".to_owned();
    assert_eq!(closed.sizes().written(&form, &batch), "batch+3");
    let [(requirement, origins)] = closed.requirements() else { panic!("one requirement") };
    assert_eq!(closed.sizes().written_requirement(requirement, &batch), "batch >= 4");
    assert_eq!(origins, &[OriginId::new(3)]);
}

/// A whole has the basis of its parts, whatever their sizes are.
#[test]
fn open_sizes_have_bases_too() {
    let taken = |text: &str| {
        let mut names = Names::new();
        let store = store(&mut names, text);
        Solver::new().extend(&store).is_ok()
    };
    assert!(taken("?w = ^[?a,?b]; ?a = batch; ?b = 3; ?w = ?v"));
    assert!(taken("?w = ^[?a,?b]; ?w = 2*?c; ?a = batch_rgb; ?b = batch_rgb; ?c = batch_rgb"));
    assert!(!taken("?w = ^[?a,?b]; ?w = 2*?c; ?a = batch; ?b = batch; ?c = batch_rgb"));
    assert!(!taken("?c = batch_rgb; ?w = 2*?c; ?a = batch; ?b = batch; ?w = ^[?a,?b]"));
}

#[test]
fn a_parameter_is_never_guessed() {
    let mut names = Names::new();
    let store = store(&mut names, "⟨w⟩ ≈ ◊[?k]; ?in = 1*?o<+1*?k; ?all = ^[?o,?p]");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let roles = Roles::new([(names.row_var("w").unwrap(), Role::Parameter)]);
    let unclosed = close(&solver.solved(), &roles, Policy::Default).unwrap_err();
    assert_eq!(names.show(&unclosed).to_string(), "nothing says how large axis 0 of ⟨w⟩ is");
}

#[test]
fn closing_settles_many_relations() {
    // Windows of unknown size that have nothing to do with each other, and a chain of them.
    let mut names = Names::new();
    let apart = many(1_000, |i| format!("?w{i} = 1*?o{i}<+1*3"), "; ");
    let chain = many(600, |i| format!("?x{i} = 1*?x{}<+1*3", i + 1), "; ");
    for (text, var, size) in [(apart, "w999", "3"), (chain, "x0", "1201")] {
        let mut solver = Solver::new();
        solver.extend(&store(&mut names, &text)).unwrap();
        let closed = close(&solver.solved(), &Roles::default(), Policy::Default).unwrap();
        let var = names.dim_var(var).unwrap();
        assert_eq!(closed.grounding().dim(var.into()).to_string(), size);
    }
}

#[test]
fn a_size_that_closing_chose_is_told_by_its_name() {
    let mut names = Names::new();
    let store = store(&mut names, "?z = 4; ?w = ^[?a,?b!]; ?x ≥ 3");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let closed = close(&solver.solved(), &Roles::default(), Policy::Default).unwrap();
    let told = ["b", "x", "a", "z"].map(|name| {
        let var = names.dim_var(name).unwrap();
        names.show(&closed.why(&solver.solved(), var)).to_string()
    });
    let expected = [
        "chosen: ?b takes no elements (@1)",
        "chosen: ?x takes the least size that fits (@2)",
        "nothing asks for more",
        "forced, because of @0",
    ];
    assert_eq!(told, expected);
}

#[test]
fn decisions_over_sizes_are_judged() {
    let decided = |text: &str| {
        let store = store(&mut Names::new(), text);
        decide(&store, &mut Effort::default())
    };
    assert!(matches!(decided("?x ≥ 3"), Decision::Satisfiable(_)));
    assert!(matches!(decided("?w = 2*?a; ?w = 3*?b; |⟨r⟩| = 6"), Decision::Satisfiable(_)));
    // For some values of batch.
    for text in ["batch ≥ 3", "?w = 2*?o; ?w = batch", "?w = ^[batch,3]"] {
        assert!(matches!(decided(text), Decision::Satisfiable(_)), "{text}");
    }
    // But it is what it is.
    let text = "?w = ^[batch,?a]; ?w = ^[batch,3]; ?z = 1; ?a = 5";
    let set = ConflictingSet { members: vec![0, 1, 3], minimal: true };
    assert_eq!(decided(text), Decision::Unsatisfiable(set));
    let set = ConflictingSet { members: vec![1], minimal: true };
    assert_eq!(decided("?o ≥ 2; 5 = 2*?o"), Decision::Unsatisfiable(set));
}

#[test]
fn the_judge_and_the_solver_agree_on_named_sizes() {
    let holds = |text: &str| {
        let mut names = Names::new();
        let store = store(&mut names, text);
        let mut solver = Solver::new();
        solver.extend(&store).unwrap();
        let judged = Judge::OneShot.satisfies_all(&solver.solved().greatest(), &store);
        (solver.deferred().is_none(), judged)
    };
    assert_eq!(holds("j = *[j]"), (true, true));
    assert_eq!(holds("j = *[j,1]; |◊[j,6]|*2 = 24*j/2"), (true, true));
    // A least size of 0 says nothing, whichever is asked first.
    assert_eq!(holds("?a ≥ 0; ?a = j"), (true, true));
    assert_eq!(holds("?a = j; ?a ≥ 0"), (true, true));
    assert_eq!(holds("?a ≥ 1; ?a = j"), (true, true));
    // A named size is equal to nothing but itself: it is no number, and the judge says so too.
    for text in ["|◊[j,k,6]|*k = 18*j/3", "j = *[j,k]", "j = 2*?n; ?n = 3"] {
        let mut names = Names::new();
        let store = store(&mut names, text);
        assert!(Solver::new().extend(&store).is_err(), "{text}");
        assert!(
            !Judge::OneShot.satisfies_all(&Solver::new().solved().greatest(), &store),
            "{text}"
        );
    }
}

#[test]
fn roles_do_not_matter_upward() {
    let mut names = Names::new();
    let store = store(&mut names, "?x ≥ 3; ?w = ^[?a!,?b!]");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let vars = ["x", "w", "a", "b"].map(|name| (names.dim_var(name).unwrap(), Role::Parameter));
    let closed = close(&solver.solved(), &Roles::new(vars), Policy::Upward).unwrap();
    assert_eq!(names.show(closed.grounding()).to_string(), "{?x = 3, ?w = 1_, ?a = 0, ?b = 1_}");
}

#[test]
fn a_padded_window_keeps_its_kernel() {
    let mut names = Names::new();
    let store = store(&mut names, "5 = 1*?o=+2*?k");
    let mut solver = Solver::new();
    solver.extend(&store).unwrap();
    let chain = why(&solver.solved(), names.dim_var("o").unwrap()).unwrap();
    assert_eq!(chain.constraints, store);
}

/// Beyond the highest degree a product is a name by its definition: the same one however its
/// factors are listed, so that what was solved for it cancels.
#[test]
fn a_product_of_too_many_names_is_the_same_in_every_order() {
    let mut parts: Vec<String> = (0..30).map(|name| format!("n{name}")).collect();
    parts.push("?c".to_owned());
    for place in 0..parts.len() {
        parts.rotate_left(place);
        for text in [format!("i = *[{}]", parts.join(",")), format!("i = ^[{}]", parts.join(","))] {
            let constraints = store(&mut Names::new(), &text);
            let mut solver = Solver::new();
            solver.extend(&constraints).unwrap();
            assert!(solver.deferred().is_none(), "{text}");
            let found = solver.solved().greatest();
            assert!(
                Judge::OneShot.satisfies_all_with(solver.sizes(), &found, &constraints),
                "{text}"
            );
        }
    }
}

/// Of a relation over a name, too, whether the bases agree shows when that of a size that was found
/// is known.
#[test]
fn a_found_size_takes_a_basis_that_all_its_relations_allow() {
    let one_way = "1_rgb = 2*?n<+?k; t = 2*?n<+?b";
    for text in [one_way, "t = 2*?n<+?b; 1_rgb = 2*?n<+?k"] {
        let constraints = store(&mut Names::new(), text);
        let mut solver = Solver::new();
        solver.extend(&constraints).unwrap();
        for policy in [Policy::Default, Policy::Upward] {
            let closed = close(&solver.solved(), &Roles::default(), policy).unwrap();
            let (sizes, found) = (closed.sizes(), closed.grounding());
            assert!(
                Judge::OneShot.satisfies_all_with(sizes, found, &constraints),
                "{text}: {found}"
            );
        }
    }
}
