//! What the solver binds is forced, and what it does not bind is free, unless something waits:
//! stores that show where the exceptions are.

use lozenge_calculus::text::Names;
use lozenge_check::forced::check_store;

#[test]
fn what_waits_may_be_forced() {
    let seen = |text: &str| check_store(&Names::new().parse_store(text).unwrap()).unwrap();
    // Every axis of r is the next one, so a is 5 and r any number of fives.
    let rotation = seen("[?a]⟨r⟩ ≈ ⟨r⟩[5]");
    assert_eq!((rotation.missed, rotation.deferred, rotation.free), (1, 1, 0));
    // r is an odd number of alternating axes, and at most two.
    let bounded = seen("[3,5]⟨r⟩ ≈ ⟨r⟩[5,3]; [7]◊[3] ⊑ ⟨r⟩");
    assert_eq!((bounded.missed, bounded.deferred, bounded.free), (1, 0, 0));
    // No row satisfies the first; b has nothing to do with it, and nothing can be said of it
    // either.
    let impossible = seen("[3]⟨r⟩ ≈ ⟨r⟩[5]; 3 ⊑ ?b");
    assert_eq!((impossible.unsettled, impossible.free), (1, 0));
    // What is not connected with what waits is free.
    let apart = seen("[?a]⟨r⟩ ≈ ⟨r⟩[5]; 3 ⊑ ?b; ◊[3] ⊑ ⟨s⟩");
    assert_eq!((apart.missed, apart.deferred, apart.free), (1, 1, 2));
}
