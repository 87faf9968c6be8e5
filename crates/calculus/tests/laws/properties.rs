//! The same laws by property, on rows of any rank up to 8 over many atoms.

use lozenge_calculus::{
    dim::{Basis, Dim},
    row::{Flanks, Row},
    size::{Size, SizeSymbol},
};
use proptest::prelude::*;

fn any_dim() -> impl Strategy<Value = Dim> {
    let size = prop_oneof![
        (1..6_u64).prop_map(|n| Size::int(n).unwrap()),
        (1..=Size::MAX).prop_map(|n| Size::int(n).unwrap()),
        (0..3_u32).prop_map(|s| Size::symbol(SizeSymbol::new(s))),
    ];
    prop_oneof![
        1 => Just(Dim::Unit),
        3 => (size, 0..3_u32).prop_map(|(size, basis)| Dim::atom(size, Basis::new(basis))),
    ]
}

fn any_row() -> impl Strategy<Value = Row> {
    let flank = || prop::collection::vec(any_dim(), 0..=4);
    (flank(), flank()).prop_map(|(lead, trail)| Flanks::new(lead, trail))
}

/// A row below `row` in the row order, made by refining entries and inserting at the marker.
fn below(row: Row) -> impl Strategy<Value = Row> {
    let more = || prop::collection::vec(any_dim(), 0..=2);
    (more(), more(), prop::collection::vec(any_dim(), 8)).prop_map(move |(l, t, refined)| {
        let mut refined = refined.into_iter();
        let inner = Flanks::new(l, t);
        row.map(|dim| if *dim == Dim::Unit { refined.next().unwrap_or(*dim) } else { *dim })
            .splice(&inner)
    })
}

/// Three rows, each below the one before.
fn chain() -> impl Strategy<Value = (Row, Row, Row)> {
    any_row()
        .prop_flat_map(|high| (below(high.clone()), Just(high)))
        .prop_flat_map(|(middle, high)| (below(middle.clone()), Just(middle), Just(high)))
}

proptest! {
    #[test]
    fn refinement_composes((low, middle, high) in chain()) {
        prop_assert!(low.refines(&middle) && middle.refines(&high));
        prop_assert!(low.refines(&high));
        prop_assert!(low.refines_once(&high), "the row order implies the one-shot order");
        for n in low.rank()..low.rank() + 3 {
            let (low, high) = (low.expand(n).unwrap(), high.expand(n).unwrap());
            prop_assert!(low.iter().zip(&high).all(|(l, h)| l.refines(*h)), "monotone");
        }
    }

    #[test]
    fn joins_are_least_upper_bounds((a, b, u) in any_row().prop_flat_map(|u| {
        (below(u.clone()), below(u.clone()), Just(u))
    })) {
        let join = a.join(&b);
        prop_assert!(a.refines(&join) && b.refines(&join) && join.refines(&u));
    }

    #[test]
    fn mutual_one_shot_is_flat_equivalence(a in any_row(), b in any_row(), at in 0..=8_usize) {
        let at = at.min(a.rank());
        let moved = Flanks::new(a.flat()[..at].to_vec(), a.flat()[at..].to_vec());
        prop_assert!(a.refines_once(&moved) && moved.refines_once(&a) && a.flat_eq(&moved));
        prop_assert_eq!(a.refines_once(&b) && b.refines_once(&a), a.flat_eq(&b));
        prop_assert_eq!(a.refines(&b) && b.refines(&a), a == b);
    }

    #[test]
    fn splicing_is_associative(a in any_row(), b in any_row(), c in any_row()) {
        prop_assert_eq!(a.splice(&b).splice(&c), a.splice(&b.splice(&c)));
    }
}
