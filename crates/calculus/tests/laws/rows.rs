//! Rows: expansion, the row order, joins, flat equivalence and the one-shot order.

use lozenge_calculus::row::{Flanks, Row};

use crate::universe::{assert_only_top, assert_partial_order, row, rows, sequences};

/// Calls `f` for every ordered pair of rows up to rank 4: two and a half million.
fn all_pairs(mut f: impl FnMut(&Row, &Row)) {
    let all = rows(4);
    for a in &all {
        for b in &all {
            f(a, b);
        }
    }
}

#[test]
fn rows_and_identity() {
    assert_ne!(row("[3]◊[4]"), row("[3,4]◊"));
    assert_eq!(row("[3]◊[4]").flat(), row("[3,4]◊").flat());
    assert_eq!(rows(4).iter().map(Row::rank).max(), Some(4));
    assert_eq!(rows(4).len(), 1 + 2 * 4 + 3 * 16 + 4 * 64 + 5 * 256);
}

#[test]
fn expansion() {
    let at = |text: &str, n| row(text).expand(n).map(|dims| Flanks::new([], dims));
    assert_eq!(at("[3]◊[4]", 4), Some(row("◊[3,1_,1_,4]")));
    assert_eq!(at("[3]◊[4]", 2), Some(row("◊[3,4]")));
    assert_eq!(at("[3]◊[4]", 1), None);
    for r in rows(3) {
        assert_eq!(r.expand(r.rank()).as_deref(), Some(r.flat()), "own rank is the flattening");
    }
}

#[test]
fn expansion_monotonicity() {
    let expanded = |r: &Row, n: usize| r.expand(n).expect("n is at least the rank");
    for low in rows(3) {
        for high in rows(3) {
            if !low.refines(&high) {
                continue;
            }
            for n in low.rank()..low.rank() + 3 {
                let pairs = expanded(&low, n).into_iter().zip(expanded(&high, n));
                assert!(pairs.into_iter().all(|(l, h)| l.refines(h)), "{low} ⊑ {high} at {n}");
            }
        }
    }
}

#[test]
fn row_order_is_partial() {
    assert_partial_order(&rows(2), Row::refines);
    all_pairs(|a, b| assert!(a == b || !(a.refines(b) && b.refines(a)), "{a} {b}"));
}

#[test]
fn empty_row_is_greatest() {
    assert_only_top(&rows(2), &Flanks::empty(), Row::refines);
    assert!(rows(4).iter().all(|r| r.refines(&Flanks::empty())));
}

#[test]
fn rows_join() {
    let bounds = rows(2);
    for a in &bounds {
        for b in &bounds {
            let join = a.join(b);
            assert!(a.refines(&join) && b.refines(&join), "{a} ∨ {b} = {join}");
            // An upper bound of both has flanks no longer than theirs, so rank 2 is exhaustive.
            for u in &bounds {
                assert!(!(a.refines(u) && b.refines(u)) || join.refines(u), "{a} ∨ {b}, below {u}");
            }
        }
    }
    all_pairs(|a, b| {
        let join = a.join(b);
        assert!(a.refines(&join) && b.refines(&join) && join == b.join(a), "{a} ∨ {b} = {join}");
        assert_eq!(join == *b, a.refines(b), "{a} {b}");
    });
    assert_eq!(row("[3,5]◊[7]").join(&row("[3]◊[8,7]")), row("[3]◊[7]"));
    assert_eq!(row("[3]◊[7]").join(&row("[5]◊[7]")), row("[1_]◊[7]"));
}

#[test]
fn flat_equivalence() {
    assert!(row("◊[3,5]").flat_eq(&row("[3]◊[5]")));
    assert!(!row("◊[3,5]").flat_eq(&row("◊[3]")));
    all_pairs(|a, b| {
        let same_expansion = a.rank() == b.rank() && a.expand(a.rank()) == b.expand(b.rank());
        assert_eq!(a.flat_eq(b), same_expansion, "{a} {b}");
    });
}

#[test]
fn flat_equivalence_is_not_derivable() {
    // Mutual ⊑ is the identity, and distinct flat-equal rows are incomparable.
    all_pairs(|a, b| {
        assert_eq!(a.refines(b) && b.refines(a), a == b);
        assert!(a == b || !a.flat_eq(b) || !(a.refines(b) || b.refines(a)), "{a} {b}");
    });
}

#[test]
fn flat_equivalence_is_no_congruence() {
    let (result, operand, replaced) = (row("[3]◊[2,4]"), row("[3]◊[4]"), row("[3,4]◊"));
    assert!(operand.flat_eq(&replaced));
    assert!(result.refines(&operand) && !result.refines(&replaced));
}

/// Calls `f` for every equivalence on `n` things, given as the number of the class of each.
fn all_equivalences(n: usize, f: &mut impl FnMut(&[usize])) {
    fn extend(classes: &mut Vec<usize>, n: usize, f: &mut impl FnMut(&[usize])) {
        if classes.len() == n {
            return f(classes);
        }
        // The next thing joins a class that there is, or begins one.
        let begun = classes.iter().max().map_or(0, |last| last + 1);
        for class in 0..=begun {
            classes.push(class);
            extend(classes, n, f);
            classes.pop();
        }
    }
    extend(&mut vec![], n, f);
}

#[test]
fn no_equivalence_but_identity_is_a_congruence() {
    // Compatible with the order is an equivalence whose members may replace each other in it:
    // `s ⊑ r` and r ~ r′ give s ⊑ r′. That is that related rows have the same rows below them.
    // Replacing the lower side instead asks for the same rows above. Here is every equivalence on
    // the rows up to rank 1.
    let all = rows(1);
    let below = |r: &Row| -> Vec<bool> { all.iter().map(|s| s.refines(r)).collect() };
    let above = |r: &Row| -> Vec<bool> { all.iter().map(|s| r.refines(s)).collect() };
    let below: Vec<_> = all.iter().map(below).collect();
    let above: Vec<_> = all.iter().map(above).collect();
    let mut equivalences = 0;
    all_equivalences(all.len(), &mut |classes| {
        equivalences += 1;
        let trivial = classes.iter().enumerate().all(|(at, class)| at == *class);
        for sets in [&below, &above] {
            let compatible = classes.iter().zip(sets).all(|(class, set)| {
                classes.iter().zip(sets).all(|(other, theirs)| class != other || set == theirs)
            });
            assert_eq!(compatible, trivial, "{classes:?}");
        }
    });
    assert_eq!(equivalences, 21_147, "Bell's number of 9");
    // Beyond rank 1 there are too many to try, and no need to: an equivalence is compatible only if
    // each of its pairs is, and of two different rows one is below itself and not below the other.
    all_pairs(|a, b| {
        let separated_below = [a, b].iter().any(|s| s.refines(a) != s.refines(b));
        let separated_above = [a, b].iter().any(|s| a.refines(s) != b.refines(s));
        assert_eq!((separated_below, separated_above), (a != b, a != b), "{a} {b}");
    });
}

#[test]
fn classes_of_flat_equivalence_are_ordered() {
    // What ≈ lacks is replacement. The weaker demand, that chains of ⊑ and ≈ do not lead from one
    // class to another and back, it meets: ⊑ never goes to a higher rank, and at one rank it
    // compares contents.
    let classes: Vec<Row> =
        (0..=2).flat_map(sequences).map(|content| Flanks::new([], content)).collect();
    let all = rows(2);
    let refines = |a: &Row, b: &Row| {
        let members = |class: &Row| all.iter().filter(|r| r.flat_eq(class)).collect::<Vec<_>>();
        members(a).iter().any(|low| members(b).iter().any(|high| low.refines(high)))
    };
    let mut chained: Vec<Vec<bool>> =
        classes.iter().map(|a| classes.iter().map(|b| refines(a, b)).collect()).collect();
    for via in 0..classes.len() {
        for low in 0..classes.len() {
            for high in 0..classes.len() {
                chained[low][high] |= chained[low][via] && chained[via][high];
            }
        }
    }
    for (low, a) in classes.iter().enumerate() {
        for (high, b) in classes.iter().enumerate() {
            let mutual = chained[low][high] && chained[high][low];
            assert_eq!(mutual, low == high, "{a} {b}");
        }
    }
}

#[test]
fn flat_equivalence_is_the_kernel_of_own_rank() {
    // Flat-equal rows expand alike at their own rank and differ, if at all, only above it.
    let (a, b) = (row("[3]◊[4]"), row("[3,4]◊"));
    assert_eq!(a.expand(2), b.expand(2));
    assert_ne!(a.expand(3), b.expand(3));
}

#[test]
fn equality_leaves_the_marker_free() {
    // ρ ≈ ◊[3,5] and [3]◊[9,5] ⊑ ρ: the declared marker fails, another placement holds.
    let below = row("[3]◊[9,5]");
    let declared = row("◊[3,5]");
    let other = row("[3]◊[5]");
    assert!(declared.flat_eq(&other));
    assert!(!below.refines(&declared) && !below.refines_once(&declared));
    assert!(below.refines(&other) && below.refines_once(&other));
}

#[test]
fn row_order_implies_one_shot_order() {
    let mut strict = 0;
    all_pairs(|a, b| {
        assert!(!a.refines(b) || a.refines_once(b), "{a} ⊑ {b}");
        strict += usize::from(a.refines_once(b) && !a.refines(b));
    });
    assert!(strict > 0, "the one-shot order must accept more");
}

#[test]
fn one_shot_order_induces_flat_equivalence() {
    all_pairs(|a, b| assert_eq!(a.refines_once(b) && b.refines_once(a), a.flat_eq(b), "{a} {b}"));
}

#[test]
fn one_shot_order_is_not_an_order() {
    let (x, y, z) = (row("[5]◊[3]"), row("◊[3]"), row("[3]◊"));
    assert!(x.refines_once(&y) && y.refines_once(&z), "the two steps hold");
    assert!(!x.refines_once(&z), "not transitive");
    assert!(y.refines_once(&z) && z.refines_once(&y) && y != z, "not antisymmetric");
    assert!(rows(2).iter().all(|r| r.refines_once(r)), "reflexive");
}

#[test]
fn one_shot_order_admits_what_the_row_order_excludes() {
    // An operand template [3]⟨ρ⟩[4] against a literal ◊[3,5,4]: the intended ρ is [5].
    let literal = row("◊[3,5,4]");
    for template in ["[3]◊[5,4]", "[3,5]◊[4]"] {
        assert!(row(template).refines_once(&literal) && !row(template).refines(&literal));
    }
}
