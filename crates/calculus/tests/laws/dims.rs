//! Dimensions: the lattice `D_⊥`, with `None` for ⊥.

use lozenge_calculus::dim::Dim;

use crate::universe::{assert_only_top, assert_partial_order, dim, dims};

type Bounded = Option<Dim>;

fn bounded() -> Vec<Bounded> {
    dims().map(Some).into_iter().chain([None]).collect()
}

fn refines(a: &Bounded, b: &Bounded) -> bool {
    match (a, b) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(a), Some(b)) => a.refines(*b),
    }
}

fn meet(a: Bounded, b: Bounded) -> Bounded {
    a?.meet(b?)
}

fn join(a: Bounded, b: Bounded) -> Bounded {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) => Some(a.join(b)),
    }
}

#[test]
fn broadcast_order() {
    assert_partial_order(&dims(), |a, b| a.refines(*b));
    assert_only_top(&dims(), &Dim::Unit, |a, b| a.refines(*b));
    assert!(dim("5_rgb").refines(Dim::Unit));
    assert!(!dim("5").refines(dim("1")), "an explicit 1 never stretches");
    assert!(!dim("3_x").refines(dim("3_default")));
}

#[test]
fn stretching() {
    let stretched = |a: Dim, b: Dim| Dim::stretched([a, b]);
    for a in dims() {
        assert_eq!(stretched(a, Dim::Unit), Some(a));
        assert_eq!(Dim::stretched([a]), Some(a));
        for b in dims() {
            assert_eq!(stretched(a, b), stretched(b, a));
            // What is broadcast is stretched to the same, and 1 to everything.
            if a.refines(b) {
                assert_eq!(stretched(a, b), Some(a));
            }
            if b == dim("1") && a.size() != dim("1").size() {
                assert_eq!(stretched(a, b), Some(a));
            }
            for c in dims() {
                let left = stretched(a, b).and_then(|ab| stretched(ab, c));
                let right = stretched(b, c).and_then(|bc| stretched(a, bc));
                assert_eq!(Dim::stretched([a, b, c]), left);
                // One element is stretched to anything, whatever it stands for: so what is refused
                // may depend on the order.
                if let (Some(left), Some(right)) = (left, right) {
                    assert_eq!(left, right);
                }
            }
        }
    }
    assert_eq!(stretched(dim("1"), Dim::Unit), Some(dim("1")), "an atom, if one of them is");
    assert_eq!(stretched(dim("3"), dim("5")), None);
    assert_eq!(stretched(dim("3"), dim("3_rgb")), None);
}

#[test]
fn lattice_structure() {
    let all = bounded();
    assert_partial_order(&all, refines);
    for &a in &all {
        for &b in &all {
            let (below, above) = (meet(a, b), join(a, b));
            assert!(refines(&below, &a) && refines(&below, &b));
            assert!(refines(&a, &above) && refines(&b, &above));
            for c in &all {
                assert!(!(refines(c, &a) && refines(c, &b)) || refines(c, &below), "greatest");
                assert!(!(refines(&a, c) && refines(&b, c)) || refines(&above, c), "least");
            }
            // Height 2: the atoms are an antichain.
            let atoms = [a, b].iter().all(|x| x.is_some_and(Dim::is_atom));
            assert!(!atoms || a == b || (below.is_none() && above == Some(Dim::Unit)));
        }
    }
}

#[test]
fn non_distributivity() {
    let [a, b, c] = ["2", "3", "5"].map(|text| Some(dim(text)));
    assert_eq!(meet(a, join(b, c)), a);
    assert_eq!(join(meet(a, b), meet(a, c)), None);
    // The lattice is modular all the same: a ⊑ c implies a ∨ (b ∧ c) = (a ∨ b) ∧ c.
    for &a in &bounded() {
        for &b in &bounded() {
            for &c in &bounded() {
                if refines(&a, &c) {
                    assert_eq!(join(a, meet(b, c)), meet(join(a, b), c));
                }
            }
        }
    }
}
