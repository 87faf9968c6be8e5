//! A few hundred cases of every random checker; `xtask` has a command for each that runs many.

use lozenge_check::{CHECKERS, Checker, ranks};

/// Makes a test of each checker, called like it with `_` for other signs, and the list of them.
macro_rules! tests {
    ($($checker:ident)*) => {
        $(#[test]
        fn $checker() {
            let checker = CHECKERS.iter().find(|one| name(**one) == stringify!($checker)).unwrap();
            checker.check_few().unwrap_or_else(|what| panic!("{}: {what}", checker.name()));
        })*

        const TESTED: &[&str] = &[$(stringify!($checker)),*];
    };
}

tests! {
    oracle_check differential preservation metamorphic closing forced explain snapshots ranks
    text_check spec_check algebra sizes sizes_small sizes_windows sizes_rows symbols programs
    projections helps numpy parity numeric gradients onnx onnx_nums fuzz_onnx fuzz_text fuzz_spec fuzz_solve
}

fn name(checker: &dyn Checker) -> String {
    checker.name().replace(['-', '/'], "_")
}

#[test]
fn every_checker_is_tested() {
    let names: Vec<String> = CHECKERS.iter().map(|checker| name(*checker)).collect();
    assert_eq!(names, TESTED);
}

#[test]
fn cycles_of_ranks_are_found_at_once() {
    let mut cycles = ranks::Counts::default();
    (1..=50).try_for_each(|n| ranks::check_cycles(n, &mut cycles)).unwrap();
    assert_eq!(cycles.cycles, 50 * 5 - 25);
}
