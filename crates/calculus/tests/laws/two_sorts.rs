//! Rigid rows beside marked ones.

use lozenge_calculus::row::{Flanks, Rigid, Row, TwoSorted};

use crate::universe::{assert_only_top, assert_partial_order, rigid_rows, row, rows};

fn both_sorts(max_rank: usize) -> Vec<TwoSorted> {
    let marked = rows(max_rank).into_iter().map(TwoSorted::Marked);
    marked.chain(rigid_rows(max_rank).into_iter().map(TwoSorted::Rigid)).collect()
}

fn rigid(text: &str) -> TwoSorted {
    TwoSorted::Rigid(row(text).rigid())
}

fn marked(text: &str) -> TwoSorted {
    TwoSorted::Marked(row(text))
}

#[test]
fn two_sorted_order() {
    let all = both_sorts(2);
    assert_partial_order(&all, TwoSorted::refines);
    assert_only_top(&all, &TwoSorted::Marked(Flanks::empty()), TwoSorted::refines);
    // On the rigid sort flat equality is equality.
    for a in rigid_rows(2) {
        for b in rigid_rows(2) {
            assert_eq!(a == b, a.dims() == b.dims());
        }
    }
}

#[test]
fn clause_d_is_forced() {
    // Suppose a marked row could sit below a rigid row of its rank. Then transitivity would put
    // [5]◊[3] below [3]•, whose rank is 1.
    assert!(marked("[5]◊[3]").refines(&marked("◊[3]")));
    let supposed = |low: &Row, high: &Rigid| {
        low.rank() == high.dims().len()
            && low.flat().iter().zip(high.dims()).all(|(l, h)| l.refines(*h))
    };
    let target = row("◊[3]").rigid();
    assert!(supposed(&row("◊[3]"), &target));
    assert!(!supposed(&row("[5]◊[3]"), &target));
    assert!(!marked("◊[3]").refines(&rigid("◊[3]")));
}

#[test]
fn broadcast_credit() {
    // Every marked row is directly above its flattening, and never below it.
    for r in rows(3) {
        let (flat, marked) = (TwoSorted::Rigid(r.rigid()), TwoSorted::Marked(r));
        assert!(flat.refines(&marked) && !marked.refines(&flat));
    }
}

#[test]
fn one_shot_order_is_the_rigid_order() {
    let all = rows(3);
    for a in &all {
        for b in &all {
            let rigid = TwoSorted::Rigid(a.rigid()).refines(&TwoSorted::Marked(b.clone()));
            assert_eq!(a.refines_once(b), rigid, "{a} {b}");
        }
    }
}
