//! A few hundred cases of every random checker; `xtask` has a command for each that runs many.

use std::fmt::Debug;

use lozenge_check::{
    Generator, Mismatch, Tally, closing, differential, explain, forced, metamorphic, oracle_check,
    preservation, ranks, snapshots, spec_check, text_check,
};

/// How many cases of each checker are run.
const CASES: u64 = 200;

/// Runs the first cases of a seed.
#[track_caller]
fn few<C: Tally + Debug>(check: impl Fn(&mut Generator, &mut C) -> Result<(), Mismatch>) -> C {
    let mut counts = C::default();
    for case in 0..CASES {
        if let Err(what) = check(&mut Generator::new(7, case), &mut counts) {
            panic!("seed 7, case {case}: {what}");
        }
    }
    counts
}

/// Holds counts of what was met against the least of it, so that nothing is true for want of cases.
#[track_caller]
fn met<const N: usize>(counts: &impl Debug, met: [(u64, u64); N]) {
    assert!(met.iter().all(|(count, least)| count >= least), "{counts:?}: {met:?}");
}

#[test]
fn the_oracle_finds_what_plain_enumeration_finds() {
    let counts = few(oracle_check::check);
    met(&counts, [(counts.satisfiable[0], 40), (counts.satisfiable[1], 40)]);
}

#[test]
fn the_solver_and_brute_force_agree() {
    let counts = few(|rng, counts| differential::check(differential::Scope::WHOLE, rng, counts));
    met(&counts, [(counts.success, 60), (counts.semantic_fail, 30), (counts.blamed, 100)]);
    assert_eq!(counts.budget, 0);
}

#[test]
fn a_step_keeps_the_solutions() {
    let counts = few(preservation::check);
    met(&counts, [(counts.semantic, 300), (counts.policy, 5), (counts.failures, 20)]);
}

#[test]
fn what_must_not_change_the_answer_does_not() {
    let counts = few(metamorphic::check);
    met(&counts, [(counts.permuted, CASES)]);
}

#[test]
fn closed_values_are_the_best_in_any_order() {
    let counts = few(closing::check);
    met(&counts, [(counts.compared, 60), (counts.marked_runs, 40), (counts.least, 5)]);
}

#[test]
fn what_is_not_bound_has_two_values() {
    let counts = few(forced::check);
    met(&counts, [(counts.free, 100), (counts.forced, 10), (counts.waiting, 5)]);
    assert!(counts.unsettled + counts.long < CASES / 50, "{counts:?}");
}

#[test]
fn explanations_explain() {
    let counts = few(explain::check);
    met(&counts, [(counts.sets, 30), (counts.chains, 40)]);
}

#[test]
fn rolling_back_leaves_nothing_behind() {
    let counts = few(snapshots::check);
    met(&counts, [(counts.taken, 200), (counts.failed, 50), (counts.rolled_back, 30)]);
}

#[test]
fn ranks_decide_what_ends() {
    let counts = few(ranks::check);
    met(&counts, [(counts.steps, 100)]);
    let mut cycles = ranks::Counts::default();
    (1..=50).try_for_each(|n| ranks::check_cycles(n, &mut cycles)).unwrap();
    assert_eq!(cycles.cycles, 50 * 5 - 25);
}

#[test]
fn texts_are_read_as_they_are_printed() {
    let counts = few(text_check::check);
    met(&counts, [(counts.constraints, CASES * text_check::PER_TABLE)]);
}

#[test]
fn specifications_are_read_as_they_are_spelled() {
    let counts = few(spec_check::check);
    met(&counts, [(counts.letters, 10)]);
}
