//! Extents-first search against plain enumeration, under both judges.

use lozenge_calculus::judge::Judge;

use crate::{
    Generator, Mismatch, generate,
    mismatch::counts,
    oracle::{Universe, extents, plain},
};

/// Small enough that trying every assignment is quick: at most some hundred thousand of them.
const LIMITS: &[(generate::Limits, usize)] = &[
    (generate::Limits { dim_vars: 3, row_vars: 1, flank: 2, constraints: 4 }, 3),
    (generate::Limits { dim_vars: 2, row_vars: 2, flank: 2, constraints: 4 }, 2),
    (generate::Limits { dim_vars: 1, row_vars: 3, flank: 2, constraints: 4 }, 1),
    (generate::Limits { dim_vars: 1, row_vars: 2, flank: 1, constraints: 5 }, 2),
];

counts! {
    /// What was compared.
    pub struct Counts {
        /// Stores with solutions under the one-shot and under the marked judge.
        pub satisfiable: [u64; 2],
        /// The solutions that were compared.
        pub solutions: usize,
    }
}

/// Draws a store and finds its solutions in each way.
///
/// # Errors
/// When the ways differ.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let (limits, max_rank) = LIMITS[rng.usize(..LIMITS.len())];
    let store = generate::store(rng, limits);
    let universe = Universe::of(&store, max_rank);
    let judges = [Judge::OneShot, Judge::Marked];
    for (judge, satisfiable) in judges.into_iter().zip(&mut counts.satisfiable) {
        let expected = plain::solutions(&universe, judge, &store);
        let found = extents::solutions(&universe, judge, &store);
        let first = extents::find(&universe, judge, &store);
        let first_agrees = match &first {
            None => expected.is_empty(),
            Some(ground) => expected.binary_search(ground).is_ok(),
        };
        if found != expected || !first_agrees {
            let (plain, extents) = (expected.len(), found.len());
            let what = format!("{judge:?}: plain {plain}, extents {extents}, first {first:?}");
            return Err(Mismatch::of_store(what, &store));
        }
        *satisfiable += u64::from(!expected.is_empty());
        counts.solutions += expected.len();
    }
    Ok(())
}
