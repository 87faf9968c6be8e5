//! Any constraints are taken or rejected within the budget; what is taken without deferrals is
//! satisfied by γ↑, what is closed or decided is satisfied, and what was rolled back is as if it had
//! never been. Names have ranges, of one value, of few, and with 0.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_solve::{close::{Note, Policy, Role, Roles, close}, decide::{Decision, Effort, decide_with}, Exhausted, SolveError, Solver};
use lozenge_calculus::{constraint::Vars, judge::Judge, size::{self, Interval, SizeSymbol}, text::Names};

/// A solver that knows the ranges of names, others for each text.
fn ranged(text: &str) -> Solver {
    let mut solver = Solver::new();
    let mut drawn = text.bytes().fold(0, |sum: u32, byte| sum.wrapping_mul(31) + u32::from(byte));
    for name in 0..4 {
        let (low, high) = [(1, None), (0, Some(4)), (2, Some(2)), (3, Some(64)), (2, None)]
            [(drawn % 5) as usize];
        solver.set_range(SizeSymbol::new(name), Interval { low: Some(low), high });
        drawn /= 5;
    }
    solver
}

fuzz_target!(|text: &str| {
    let Ok(store) = Names::new().parse_store(text) else { return };
    let blank = ranged(text);
    let mut solver = blank.clone();
    let mut taken = Vec::new();
    for constraint in &store {
        match solver.extend([constraint]) {
            Ok(()) => taken.push(constraint.clone()),
            Err(SolveError::Conflict(conflict)) => assert!(!conflict.to_string().is_empty()),
            // Whoever multiplies large sizes gets ones that are none.
            Err(SolveError::Exhausted(Exhausted::Sizes)) => {}
            Err(SolveError::Exhausted(what)) => panic!("{what}"),
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
    for (requirement, origins) in solver.requirements() {
        assert!(!origins.is_empty());
        let decided = solver.sizes().clone().decide_requirement(&requirement);
        assert!(!matches!(decided, size::Decision::Always | size::Decision::Never), "{decided:?}");
    }
    match decide_with(&blank, &store, &mut Effort::of(50)) {
        Decision::Satisfiable(found) => {
            assert!(Judge::OneShot.satisfies_all_with(&found.sizes, &found.grounding, &store));
        }
        Decision::Unsatisfiable(_) => {
            assert!(taken.len() < store.len() || !solver.deferred().is_none());
        }
        Decision::Beyond => {}
    }
    // With the same table: sizes that a refused constraint computed keep their place, since its conflict shows them.
    let mut fresh = solver.blank();
    taken.iter().for_each(|constraint| fresh.extend([constraint]).unwrap());
    assert!(fresh.same_state(&solver));
});
