//! Terms and substitutions.

use lozenge_calculus::{
    constraint::{Constraint, Vars},
    judge::Judge,
    row::Row,
    term::{DimTerm, Grounding, Occurs, RowTerm, RowVar, Substitution, Variable},
    text::Names,
};

use crate::universe::{dims, parse};

fn term(text: &str) -> RowTerm {
    parse(text)
}

fn var(index: u32) -> RowVar {
    RowVar::new(index)
}

#[test]
fn splicing_at_the_marker() {
    let open = Substitution::bind_row(var(0), term("[4]⟨1⟩[5]")).unwrap();
    assert_eq!(open.row(&term("[3]⟨0⟩[6]")), term("[3,4]⟨1⟩[5,6]"));
    let closed = Substitution::bind_row(var(0), term("[4]◊[5]")).unwrap();
    assert_eq!(closed.row(&term("[3]⟨0⟩[6]")), term("[3,4]◊[5,6]"));
    assert_eq!(closed.row(&term("[3]⟨1⟩")), term("[3]⟨1⟩"));
}

#[test]
fn substitutions_are_idempotent() {
    let bound = Variable::Row(var(0));
    assert_eq!(Substitution::bind_row(var(0), term("[3]⟨0⟩")), Err(Occurs(bound)));
    let first = Substitution::bind_row(var(0), term("[3]⟨1⟩")).unwrap();
    let second = Substitution::bind_row(var(1), term("[4]⟨0⟩")).unwrap();
    assert!(second.compose(&first).is_err(), "⟨0⟩ ↦ [3,4]⟨0⟩");
    assert_eq!(Substitution::bind_row(var(0), term("⟨0⟩")), Ok(Substitution::identity()));
}

/// All substitutions of one dimension variable and one row variable by small terms over two of
/// each.
fn small_substitutions() -> Vec<Substitution> {
    let dim_terms: Vec<DimTerm> = ["?0", "?1", "3", "1_"].iter().map(|text| parse(text)).collect();
    let flanks = ["", "[?0]", "[?1]", "[3]"];
    let mut all = vec![];
    for &dim in &dim_terms {
        for lead in flanks {
            for marker in ["◊", "⟨0⟩", "⟨1⟩"] {
                for trail in flanks {
                    for (dim_var, row_var) in [(0, 0), (1, 1), (0, 1)] {
                        let dims = Substitution::bind_dim(parse_var(dim_var), dim);
                        let image = term(&format!("{lead}{marker}{trail}"));
                        let rows = Substitution::bind_row(var(row_var), image);
                        all.extend(rows.and_then(|rows| dims.compose(&rows)));
                    }
                }
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

fn parse_var(index: u32) -> lozenge_calculus::term::DimVar {
    lozenge_calculus::term::DimVar::new(index)
}

#[test]
fn substitution_composes() {
    let subs = small_substitutions();
    let terms = ["⟨0⟩", "[?0]⟨1⟩[?1]", "[3,?1]⟨0⟩[?0]", "[?0]◊[?1,1_]"].map(term);
    let (mut defined, mut refused) = (0, 0);
    for s in &subs {
        for t in &subs {
            let Ok(composite) = s.compose(t) else {
                refused += 1;
                continue;
            };
            defined += 1;
            for x in &terms {
                assert_eq!(composite.row(x), s.row(&t.row(x)), "{s} after {t} on {x}");
                assert_eq!(composite.row(&composite.row(x)), composite.row(x), "idempotent");
            }
        }
    }
    assert!(defined > 10_000 && refused > 1_000, "{defined} {refused}");
}

#[test]
fn groundings_are_substitutions() {
    // A grounding applied to a term is the substitution of its entries.
    let value: Row = parse("[3]◊[1_]");
    let ground = Grounding::new([(parse_var(0), dims()[1])], [(var(0), value.clone())]);
    let sub = Substitution::bind_dim(parse_var(0), dims()[1].into())
        .compose(&Substitution::bind_row(var(0), RowTerm::from(&value)).unwrap())
        .unwrap();
    for text in ["⟨0⟩", "[?0]⟨0⟩[5]", "[1_]◊[?0]"] {
        assert_eq!(sub.row(&term(text)).ground(), Some(ground.row(&term(text))));
    }
}

#[test]
fn the_judges_differ_where_markers_do() {
    let mut names = Names::new();
    let mut judge = |text: &str| {
        let constraint: Constraint = names.parse(text).unwrap();
        let top = Grounding::top();
        [Judge::OneShot, Judge::Marked].map(|judge| judge.satisfies(&top, &constraint))
    };
    assert_eq!(judge("[3]◊ ⊑ ◊[3]"), [true, false]);
    assert_eq!(judge("[3]◊[5] ⊑ ◊[5]"), [true, true]);
    assert_eq!(judge("[3]◊ ⊑ ◊[5]"), [false, false]);
    assert_eq!(judge("[3]◊ ≈ ◊[3]"), [true, true]);
    assert_eq!(judge("?a ⊑ 1_"), [true, true]);
    assert_eq!(judge("1_ = 1"), [false, false]);
}

#[test]
fn variables_of_a_store() {
    let mut names = Names::new();
    let store = names.parse_store("?b ⊑ 3; [?a]⟨s⟩ ≈ ⟨r⟩[?b]").unwrap();
    let vars = Vars::of(&store);
    assert_eq!((vars.dims.len(), vars.rows.len()), (2, 2));
}
