//! A checker of random cases, and the list of all of them.
//!
//! `tests/random.rs` runs a few hundred cases of each, `xtask` has a command for each that runs
//! many, and the fuzz target `checkers` chooses the cases by its bytes.

use std::fmt::Debug;

use crate::{
    Generator, Mismatch, Tally, algebra, closing,
    differential::{self, Scope},
    explain, forced, gradients, helps, metamorphic, numeric, numpy, onnx, oracle_check, parity,
    preservation, programs, projections, ranks, sizes,
    smt::Unknowing,
    snapshots, spec_check, symbols, text_check, texts,
};

/// The number of cases that `cargo test` runs of each checker.
pub const CASES: u64 = 200;

/// The seed of those cases.
const SEED: u64 = 7;

/// A checker whose counts are of any type.
pub trait Checker: Sync {
    /// The command of `xtask` that runs many cases. Where a command runs several checkers, the part
    /// after a slash says which one this is; of `fuzz`, it is the target.
    fn name(&self) -> &'static str;

    /// Draws a case and checks it.
    ///
    /// # Errors
    /// What is wrong with the case.
    fn check(&self, rng: &mut Generator) -> Result<(), Mismatch>;

    /// Checks the first [`CASES`] of a fixed seed, and that they were not all of one kind.
    ///
    /// # Errors
    /// What is wrong with a case, or what the cases met too seldom.
    fn check_few(&self) -> Result<(), Mismatch>;
}

/// A checker with counts of its own type.
struct Of<C> {
    name: &'static str,
    check: fn(&mut Generator, &mut C) -> Result<(), Mismatch>,
    /// Counts of what [`CASES`] met, each with the least that it may be: a checker that draws
    /// nothing finds nothing.
    met: fn(&C) -> Vec<(u64, u64)>,
}

impl<C: Tally + Debug> Checker for Of<C> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn check(&self, rng: &mut Generator) -> Result<(), Mismatch> {
        (self.check)(rng, &mut C::default())
    }

    fn check_few(&self) -> Result<(), Mismatch> {
        let mut counts = C::default();
        for case in 0..CASES {
            (self.check)(&mut Generator::new(SEED, case), &mut counts)
                .map_err(|what| format!("seed {SEED}, case {case}: {what}"))?;
        }
        let met = (self.met)(&counts);
        if met.iter().any(|(count, least)| count < least) {
            return Err(format!("met too seldom: {met:?} of {counts:?}").into());
        }
        Ok(())
    }
}

/// Every checker of random cases.
pub const CHECKERS: &[&dyn Checker] = &[
    &Of {
        name: "oracle-check",
        check: oracle_check::check,
        met: |counts| vec![(counts.satisfiable[0], 40), (counts.satisfiable[1], 40)],
    },
    &Of {
        name: "differential",
        check: |rng, counts| differential::check(Scope::WHOLE, rng, counts),
        met: |counts| {
            let in_budget = CASES - counts.budget;
            vec![
                (counts.success, 60),
                (counts.semantic_fail, 30),
                (counts.blamed, 100),
                (in_budget, CASES),
            ]
        },
    },
    &Of {
        name: "preservation",
        check: preservation::check,
        met: |counts| vec![(counts.semantic, 300), (counts.policy, 5), (counts.failures, 20)],
    },
    &Of {
        name: "metamorphic",
        check: metamorphic::check,
        met: |counts| vec![(counts.permuted, CASES)],
    },
    &Of {
        name: "closing",
        check: closing::check,
        met: |counts| vec![(counts.compared, 60), (counts.marked_runs, 40), (counts.least, 5)],
    },
    &Of {
        name: "forced",
        check: forced::check,
        met: |counts| {
            let searched = CASES.saturating_sub(counts.unsettled + counts.long);
            vec![
                (counts.free, 100),
                (counts.forced, 10),
                (counts.deferred, 5),
                (searched, CASES - CASES / 50),
            ]
        },
    },
    &Of {
        name: "explain",
        check: explain::check,
        met: |counts| vec![(counts.sets, 30), (counts.chains, 40)],
    },
    &Of {
        name: "snapshots",
        check: snapshots::check,
        met: |counts| vec![(counts.taken, 200), (counts.failed, 50), (counts.rolled_back, 30)],
    },
    &Of { name: "ranks", check: ranks::check, met: |counts| vec![(counts.steps, 100)] },
    &Of {
        name: "text-check",
        check: text_check::check,
        met: |counts| vec![(counts.constraints, CASES * text_check::PER_TABLE)],
    },
    &Of { name: "spec-check", check: spec_check::check, met: |counts| vec![(counts.letters, 10)] },
    &Of {
        name: "algebra",
        check: |rng, counts| algebra::check(&mut Unknowing, rng, counts),
        met: |counts| vec![(counts.linear, 60), (counts.decisions[5], 10)],
    },
    &Of {
        name: "sizes",
        check: |rng, counts| sizes::check_by_prover(&mut Unknowing, rng, counts),
        met: |counts| vec![(counts.closed, 30), (counts.rejected, 10)],
    },
    &Of {
        name: "sizes/small",
        check: sizes::check_small,
        met: |counts| vec![(counts.closed, 30), (counts.rejected, 10), (counts.forced, 20)],
    },
    &Of {
        name: "sizes/windows",
        check: sizes::check_windows,
        met: |counts| vec![(counts.closed, 30)],
    },
    &Of {
        name: "sizes/rows",
        check: sizes::check_rows,
        met: |counts| counts.forms.map(|form| (form, 20)).to_vec(),
    },
    &Of {
        name: "symbols",
        check: symbols::check,
        met: |counts| vec![(counts.closed, 50), (counts.agree, 500), (counts.loops.same, 500)],
    },
    &Of {
        name: "programs",
        check: programs::check,
        met: |counts| {
            let refusals = counts.get("refusals spelled otherwise");
            vec![(counts.get("closed"), 100), (refusals, 20)]
        },
    },
    &Of {
        name: "projections",
        check: projections::check,
        met: |counts| {
            vec![(counts.operations, 140), (counts.covered.maps, 200), (counts.points, 1_000)]
        },
    },
    &Of {
        name: "helps",
        check: helps::check,
        met: |counts| vec![(counts.of("meant"), 50), (counts.of("executed: keeps"), 20)],
    },
    &Of {
        name: "numpy",
        check: numpy::check,
        met: |counts| {
            let [[read, unread], [stretched, unfit]] = [counts.specifications, counts.pointwise];
            vec![(read, 20), (unread, 20), (stretched, 20), (unfit, 2), (counts.computed, 20)]
        },
    },
    &Of {
        name: "parity",
        check: parity::check,
        met: |counts| vec![(counts.fit, 100), (counts.refused, 20)],
    },
    &Of {
        name: "numeric",
        check: numeric::check,
        met: |counts| vec![(counts.specifications, 150), (counts.compared, 140)],
    },
    &Of {
        name: "gradients",
        check: gradients::check,
        met: |counts| {
            let operations = counts.operations.len() as u64;
            vec![(counts.composed, 80), (counts.elements, 1_000), (operations, 60)]
        },
    },
    &Of {
        name: "onnx",
        check: onnx::check,
        met: |counts| vec![(counts.refused, 10), (counts.inferred, 50), (counts.conflicts, 10)],
    },
    &Of {
        name: "onnx/nums",
        check: onnx::check_nums,
        met: |counts| vec![(counts.decided, 500), (counts.solved, 50)],
    },
    &Of {
        name: "fuzz/onnx",
        check: onnx::check_recipe,
        met: |counts| vec![(counts.read, 20), (counts.refused, 20)],
    },
    &Of {
        name: "fuzz/text",
        check: texts::check_constraints,
        met: |counts| vec![(counts.read, 40), (counts.refused, 40)],
    },
    &Of {
        name: "fuzz/spec",
        check: texts::check_specification,
        met: |counts| vec![(counts.read, 40), (counts.refused, 40)],
    },
    &Of {
        name: "fuzz/solve",
        check: texts::check_solver,
        met: |counts| vec![(counts.read, 20), (counts.refused, 40)],
    },
];

/// Has the bytes of a fuzzer choose a checker and its case.
///
/// # Errors
/// What is wrong with the case.
pub fn check_bytes(bytes: &[u8]) -> Result<(), Mismatch> {
    let [chosen, bytes @ ..] = bytes else { return Ok(()) };
    let checker = CHECKERS[usize::from(*chosen) % CHECKERS.len()];
    let what = checker.check(&mut Generator::of_bytes(bytes));
    what.map_err(|what| format!("{}: {what}", checker.name()).into())
}
