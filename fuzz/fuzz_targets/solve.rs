//! Any constraints are taken or rejected within the budget; what is taken without deferrals is
//! satisfied by γ↑; and what was rolled back is as if it had never been.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_core::{
    judge::Judge,
    solve::{Rejection, Solver},
    text::Names,
};

fuzz_target!(|text: &str| {
    let Ok(store) = Names::new().parse_store(text) else { return };
    let mut solver = Solver::new();
    let mut taken = Vec::new();
    for constraint in &store {
        match solver.extend([constraint]) {
            Ok(()) => taken.push(constraint.clone()),
            Err(Rejection::Conflict(conflict)) => assert!(!conflict.to_string().is_empty()),
            Err(Rejection::Exhausted(what)) => panic!("{what}"),
        }
    }
    solver.verify().unwrap();
    if solver.deferred().is_none() {
        assert!(Judge::OneShot.satisfies_all(&solver.solved().greatest(), &taken));
    }
    let mut fresh = Solver::new();
    taken.iter().for_each(|constraint| fresh.extend([constraint]).unwrap());
    assert!(fresh.same_state(&solver));
});
