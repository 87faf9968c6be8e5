//! What the solver binds is forced, and what it does not bind is free, unless something waits.
//!
//! Few stores are drawn here, many by `cargo xtask forced`.

#[path = "forced/check.rs"]
mod check;

use lozenge_calculus::text::Names;
use lozenge_check::generate::{self, Limits};

use check::{Seen, check};

const LIMITS: Limits = Limits { dim_vars: 3, row_vars: 3, flank: 2, constraints: 4 };

const STORES: u64 = 500;

#[test]
fn what_is_not_bound_has_two_values() {
    let mut seen = Seen::default();
    for seed in 0..STORES {
        let store = generate::store(&mut fastrand::Rng::with_seed(seed), LIMITS);
        match check(&store) {
            Ok(found) => seen.merge(found),
            Err(what) => {
                let text: Vec<String> = store.iter().map(ToString::to_string).collect();
                panic!("seed {seed}: {what}\n{}", text.join("\n"));
            }
        }
    }
    // Enough of each sort, so that nothing is true for want of cases.
    assert!(seen.free > 400 && seen.forced > 40 && seen.waiting > 20, "{seen:?}");
    assert!(seen.unsettled + seen.long < STORES / 50, "{seen:?}");
}

#[test]
fn what_waits_may_be_forced() {
    let seen = |text: &str| check(&Names::new().parse_store(text).unwrap()).unwrap();
    // Every axis of r is the next one, so a is 5 and r any number of fives.
    let rotation = seen("[?a]⟨r⟩ ≈ ⟨r⟩[5]");
    assert_eq!((rotation.missed, rotation.waiting, rotation.free), (1, 1, 0));
    // r is an odd number of alternating axes, and at most two.
    let bounded = seen("[3,5]⟨r⟩ ≈ ⟨r⟩[5,3]; [7]◊[3] ⊑ ⟨r⟩");
    assert_eq!((bounded.missed, bounded.waiting, bounded.free), (1, 0, 0));
    // No row satisfies the first; b has nothing to do with it, and nothing can be said of it either.
    let impossible = seen("[3]⟨r⟩ ≈ ⟨r⟩[5]; 3 ⊑ ?b");
    assert_eq!((impossible.unsettled, impossible.free), (1, 0));
    // What is not connected with what waits is free.
    let apart = seen("[?a]⟨r⟩ ≈ ⟨r⟩[5]; 3 ⊑ ?b; ◊[3] ⊑ ⟨s⟩");
    assert_eq!((apart.missed, apart.waiting, apart.free), (1, 1, 2));
}
