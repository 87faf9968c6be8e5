//! Any constraints are taken or rejected within the budget; what is taken without deferrals is
//! satisfied by γ↑, what is closed or decided is satisfied, and what was rolled back is as if it had
//! never been.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_core::{
    close::{Note, Policy, Role, Roles, close},
    constraint::Vars,
    decide::{Decision, Effort, decide},
    judge::Judge,
    solve::{Exhausted, Rejection, Solver},
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
            // Whoever multiplies large sizes gets ones that are none.
            Err(Rejection::Exhausted(Exhausted::Sizes)) => {}
            Err(Rejection::Exhausted(what)) => panic!("{what}"),
        }
    }
    solver.verify().unwrap();
    if solver.deferred().is_none() {
        let greatest = solver.solved().greatest();
        assert!(Judge::OneShot.satisfies_all_with(solver.sizes(), &greatest, &taken));
    }
    let vars = Vars::of(&taken);
    let roles = Roles::new(vars.rows.into_iter().map(|var| (var, Role::Leaf)));
    if let Ok(closed) = close(&solver.solved(), &roles, Policy::Default) {
        let decided = !closed.notes().iter().any(|note| matches!(note, Note::Undecided(_)));
        let (sizes, ground) = (closed.sizes(), closed.grounding());
        assert!(!decided || Judge::OneShot.satisfies_all_with(sizes, ground, &taken));
    }
    match decide(&store, &mut Effort::of(50)) {
        Decision::Satisfiable(found) => {
            assert!(Judge::OneShot.satisfies_all_with(&found.sizes, &found.grounding, &store));
        }
        Decision::Unsatisfiable(_) => {
            assert!(taken.len() < store.len() || !solver.deferred().is_none());
        }
        Decision::Beyond => {}
    }
    let mut fresh = Solver::new();
    taken.iter().for_each(|constraint| fresh.extend([constraint]).unwrap());
    assert!(fresh.same_state(&solver));
});
