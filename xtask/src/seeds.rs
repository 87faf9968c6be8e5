//! `seeds`: the checks of the solver and of sessions, each from several seeds.
//!
//! One seed draws the same cases in every run, so that what it does not draw is never seen. CI runs
//! the first five seeds; a hundred is for a change of inference, and takes a while.

use std::time::Instant;

use anyhow::ensure;
use lozenge_check::differential::Scope;

use crate::{cases::Cases, programs, projections, solver};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of seeds to run each check from.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
}

/// A check by its name, with the number of cases that it draws from each seed.
type Check = (&'static str, u64, fn(&Cases) -> anyhow::Result<()>);

const CHECKS: [Check; 5] = [
    ("programs", 1_500, programs::run),
    ("projections", 8_000, projections::run),
    ("closing", 50_000, solver::closing),
    ("metamorphic", 50_000, solver::metamorphic),
    ("differential", 50_000, |cases| solver::differential_of(cases, Scope::WHOLE)),
];

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut failed = vec![];
    for (name, cases, check) in CHECKS {
        let start = Instant::now();
        for seed in (0..args.seeds).map(seed) {
            println!("\n-- {name} from seed {seed}");
            if let Err(error) = check(&Cases { cases, seed }) {
                println!("{error:#}");
                failed.push(format!("{name} --cases {cases} --seed {seed}: {error:#}"));
            }
        }
        println!("-- {name} took {:.0} s", start.elapsed().as_secs_f64());
    }
    // All of them run whatever fails, so that one run shows how much does.
    for what in &failed {
        println!("failed: {what}");
    }
    ensure!(failed.is_empty(), "{} of the checks failed", failed.len());
    Ok(())
}

/// The seeds, of which CI has the first five.
fn seed(number: u64) -> u64 {
    let first = [11, 23, 42, 1001, 4242];
    let place = usize::try_from(number).unwrap_or(usize::MAX);
    first.get(place).copied().unwrap_or(100_000 + number)
}
