//! Names that become numbers where they stand.

use lozenge_calculus::{
    constraint::Constraint,
    dim::Dim,
    size::Size,
    term::{DimTerm, DimVar},
    text::Names,
};
use lozenge_solve::{Solver, testing::same_state};

/// All sets of at most so many of these.
fn subsets<'a>(of: &[&'a str], most: usize) -> Vec<Vec<&'a str>> {
    let mut sets: Vec<Vec<&str>> = vec![vec![]];
    for one in of {
        let shorter = sets.iter().filter(|set| set.len() < most);
        let with: Vec<Vec<&str>> =
            shorter.map(|set| set.iter().copied().chain([*one]).collect()).collect();
        sets.extend(with);
    }
    sets
}

/// Constraints with a number in the place of a name.
fn with_number(constraints: &[Constraint], name: Size, number: u64) -> Vec<Constraint> {
    let in_place = |term: DimTerm| match term {
        DimTerm::Dim(dim) if dim.size() == name => Dim::int(number).unwrap().into(),
        DimTerm::Dim(_) | DimTerm::Var(_) => term,
    };
    let put =
        |asked: &Constraint| Constraint { relation: asked.relation.map_dims(in_place), ..*asked };
    constraints.iter().map(put).collect()
}

/// What was derived with a name holds with a number in its place, wherever the solver says so: it
/// knows the same, and goes on in the same way.
#[test]
fn a_name_becomes_a_number_where_it_stands() {
    let pool = [
        "n ⊑ ?a",
        "3 ⊑ ?a",
        "?a ⊑ ?b",
        "n ⊑ ?b",
        "?b ⊑ n",
        "?c ⊑ 3",
        "?b ⊑ ?c",
        "?c = ?d",
        "3 ⊑ ?d",
        "m ⊑ ?a",
        "?d ⊑ ?a",
        "⟨r⟩ ⊑ ◊[n]",
        "⟨r⟩ ≈ ◊[?c,?a]",
        "⟨s⟩ ⊑ ⟨r⟩",
        "?d = ^[?a,1]",
        "?c ≥ 2",
    ];
    let (mut in_place, mut again) = (0, 0);
    for set in subsets(&pool, 5) {
        let mut names = Names::new();
        names.parse_store("?a = ?b; ?c = ?d").unwrap(); // so that they have the first indices
        let symbol = names.symbol("n").unwrap();
        let name = Size::symbol(symbol);
        let store = names.parse_store(&set.join("; ")).unwrap();
        let mut solver = Solver::new();
        if solver.extend(&store).is_err() {
            continue;
        }
        let before = solver.clone();
        if !solver.specialise(symbol, 3) {
            again += 1;
            assert!(same_state(&solver, &before));
            continue;
        }
        in_place += 1;
        let numbered = with_number(&store, name, 3);
        let mut fresh = Solver::new();
        fresh.extend(&numbered).unwrap_or_else(|refusal| panic!("{set:?}: {refusal:?}"));
        for more in ["", "?a ⊑ 3", "?b = 3", "?d ⊑ n", "⟨r⟩ ⊑ ◊[3,3]", "?c ⊑ m", "3 ⊑ ?b; m ⊑ ?d"]
        {
            let asked = with_number(&names.parse_store(more).unwrap(), name, 3);
            let (mut one, mut other) = (solver.clone(), fresh.clone());
            assert_eq!(one.extend(&asked).is_ok(), other.extend(&asked).is_ok(), "{set:?}, {more}");
            assert!(one.given().eq(other.given()), "{set:?}, {more}");
            let (one, other) = (one.solved(), other.solved());
            for var in (0..4).map(DimVar::new) {
                assert_eq!(one.dim(var), other.dim(var), "{set:?}, {more}");
                assert_eq!(one.cap(var), other.cap(var), "{set:?}, {more}");
            }
        }
        assert!(solver.given_as_written().eq(before.given()));
        solver.take_back_number(symbol);
        assert!(solver.given().eq(before.given()));
    }
    assert!(in_place > 1000 && again > 100, "{in_place} in place, {again} again");
}
