//! A few hundred cases of every random checker; `xtask` has a command for each that runs many.

use std::fmt::Debug;

use lozenge_check::{
    Generator, Mismatch, Tally, algebra, closing, differential, explain, forced, helps,
    metamorphic, oracle_check, preservation, programs, projections, ranks, sizes, smt::Unknowing,
    snapshots, spec_check, symbols, text_check,
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

#[test]
fn what_equations_between_open_sizes_say_is_what_is_enumerated() {
    let counts = few(|rng, counts| algebra::check(&mut Unknowing, rng, counts));
    met(&counts, [(counts.linear, 60), (counts.decisions[5], 10)]);
}

#[test]
fn relations_between_sizes_are_kept() {
    let counts = few(|rng, counts| sizes::check_by_prover(&mut Unknowing, rng, counts));
    met(&counts, [(counts.closed, 30), (counts.rejected, 10)]);
    let counts = few(sizes::check_small);
    met(&counts, [(counts.closed, 30), (counts.rejected, 10), (counts.forced, 20)]);
    let counts = few(sizes::check_windows);
    met(&counts, [(counts.closed, 30)]);
    let counts = few(sizes::check_rows);
    met(&counts, counts.forms.map(|form| (form, 20)));
}

#[test]
fn open_sizes_are_at_values_what_numbers_are() {
    let counts = few(symbols::check);
    met(&counts, [(counts.closed, 50), (counts.agree, 500), (counts.loops.same, 500)]);
}

#[test]
fn a_program_means_the_same_in_every_spelling() {
    let counts = few(programs::check);
    met(&counts, [(counts.get("closed"), 100), (counts.get("refusals spelled otherwise"), 20)]);
}

#[test]
fn loops_are_what_is_visited() {
    let counts = few(projections::check);
    met(&counts, [(counts.operations, 140), (counts.covered.maps, 200), (counts.points, 1_000)]);
}

#[test]
fn edits_do_what_they_claim() {
    let counts = few(helps::check);
    met(&counts, [(counts.of("meant"), 50), (counts.of("executed: keeps"), 20)]);
}
