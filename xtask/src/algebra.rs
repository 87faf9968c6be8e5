//! `algebra`: what equations between open sizes say, held against z3 and against enumeration.

use anyhow::ensure;
use lozenge_check::algebra;

use crate::{
    cases::{Cases, percent},
    parallel,
    z3::Pool,
};

pub(crate) fn run(args: &Cases) -> anyhow::Result<()> {
    let pool = Pool::new()?;
    let found = parallel::check(0..args.cases, args.seed, |rng, counts| {
        pool.ask(|z3| Ok(algebra::check(z3, rng, counts)))?
    });
    let counts = &found.counts;
    for (name, count) in algebra::DECISIONS.iter().zip(counts.decisions) {
        println!("{name}: {count} ({:.1} %)", percent(count, args.cases));
    }
    println!(
        "linear with floors: {}; could be decided: {} (with products and minima only)\n\
         several names, and no values anyway: {}; z3 does not know: {}",
        counts.linear, counts.undecided, counts.none_anyway, counts.unknown
    );
    found.show();
    println!("cases={} seed={} mismatches={}", args.cases, args.seed, found.mismatches.len());
    if args.cases >= 1_000 {
        let least =
            counts.decisions.iter().zip(algebra::DECISIONS).find(|(n, _)| **n < args.cases / 200);
        ensure!(least.is_none(), "hardly any is {least:?}");
    }
    ensure!(found.mismatches.is_empty(), "{} mismatches", found.mismatches.len());
    Ok(())
}
