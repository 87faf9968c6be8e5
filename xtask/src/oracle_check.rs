//! `oracle-check`: extents-first search against plain enumeration, under both judges.

use anyhow::ensure;
use lozenge_calculus::judge::Judge;
use lozenge_check::{
    generate,
    oracle::{Universe, extents, plain},
};

/// Small enough that trying every assignment is quick: at most some hundred thousand of them.
const LIMITS: &[(generate::Limits, usize)] = &[
    (generate::Limits { dim_vars: 3, row_vars: 1, flank: 2, constraints: 4 }, 3),
    (generate::Limits { dim_vars: 2, row_vars: 2, flank: 2, constraints: 4 }, 2),
    (generate::Limits { dim_vars: 1, row_vars: 3, flank: 2, constraints: 4 }, 1),
    (generate::Limits { dim_vars: 1, row_vars: 2, flank: 1, constraints: 5 }, 2),
];

pub(crate) fn run(args: &crate::Cases) -> anyhow::Result<()> {
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let mut disagreements = 0_u64;
    let mut satisfiable = [0_u64; 2];
    let mut solutions = 0_usize;
    for case in 0..args.cases {
        let (limits, max_rank) = LIMITS[rng.usize(..LIMITS.len())];
        let store = generate::store(&mut rng, limits);
        let universe = Universe::of(&store, max_rank);
        for (judge, satisfiable) in
            [Judge::OneShot, Judge::Marked].into_iter().zip(&mut satisfiable)
        {
            let expected = plain::solutions(&universe, judge, &store);
            let found = extents::solutions(&universe, judge, &store);
            let first = extents::find(&universe, judge, &store);
            let first_agrees = match &first {
                None => expected.is_empty(),
                Some(ground) => expected.binary_search(ground).is_ok(),
            };
            if found != expected || !first_agrees {
                disagreements += 1;
                println!("case {case} under {judge:?}:");
                for constraint in &store {
                    println!("  {constraint}");
                }
                println!("  plain {}, extents {}, first {first:?}", expected.len(), found.len());
            }
            *satisfiable += u64::from(!expected.is_empty());
            solutions += expected.len();
        }
    }
    let [one_shot, marked] = satisfiable;
    println!("satisfiable: one-shot={one_shot} marked={marked}; solutions compared: {solutions}");
    println!("seed {}", args.seed);
    println!("cases={} disagreements={disagreements}", args.cases);
    ensure!(disagreements == 0, "the oracle disagrees with plain enumeration");
    Ok(())
}
