//! `sizes`: relations between sizes, held against z3 and against enumeration.

use anyhow::ensure;
use lozenge_check::sizes::{self, Counts, FORMS};

use crate::{
    cases::{Cases, percent},
    parallel::{Found, check},
    z3::Pool,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    cases: Cases,
    /// The number of small systems to enumerate for every one that z3 is asked.
    #[arg(long, default_value_t = 4)]
    enumerated: u64,
    /// The number of systems of windows and concatenations to solve for every one that z3 is asked.
    #[arg(long, default_value_t = 2)]
    windows: u64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let seed = args.cases.seed;
    let pool = Pool::new()?;
    let by_z3 = check(0..args.cases.cases, seed, |rng, counts| {
        pool.ask(|z3| Ok(sizes::check_by_prover(z3, rng, counts)))?
    });
    print(&by_z3, "z3", args.cases.cases);
    let small = args.cases.cases * args.enumerated;
    let enumerated = check(0..small, !seed, sizes::check_small);
    print(&enumerated, "enumeration", small);
    let many = args.cases.cases * args.windows;
    let windows = check(0..many, seed ^ 1, sizes::check_windows);
    print(&windows, "windows and concatenations", many);
    let rows = check(0..args.cases.cases, seed ^ 2, sizes::check_rows);
    rows.show();
    for (form, count) in FORMS.iter().zip(rows.counts.forms) {
        println!("{form}: {count}");
    }
    println!(
        "rows: systems={} rejected={} closed={} undecided={}",
        args.cases.cases, rows.counts.rejected, rows.counts.closed, rows.counts.undecided
    );
    let exhausted = by_z3.counts.exhausted + enumerated.counts.exhausted + windows.counts.exhausted;
    let systems = [&by_z3, &enumerated, &windows].map(|found| found.mismatches.len());
    let mismatches = [systems[0], systems[1], systems[2], rows.mismatches.len()];
    println!("seed {seed}");
    println!(
        "cases={} enumerated={small} windows={many} exhausted={} mismatches={}",
        args.cases.cases,
        exhausted,
        mismatches.iter().sum::<usize>()
    );
    ensure!(mismatches == [0; 4], "relations between sizes are not kept");
    ensure!(exhausted == 0, "the budget ran out");
    for (form, count) in FORMS.iter().zip(rows.counts.forms) {
        ensure!(count * 5 >= args.cases.cases, "only {count} {form}");
    }
    ensure!(by_z3.counts.unknown * 100 <= by_z3.counts.asked, "z3 knows too little");
    Ok(())
}

/// Prints what became of systems.
fn print(found: &Found<Counts>, by: &str, cases: u64) {
    found.show();
    let counts = &found.counts;
    println!(
        "{by}: systems={cases} rejected={} closed={} undecided={} ({:.2} %); sizes found={}; asked={} unknown={}",
        counts.rejected,
        counts.closed,
        counts.undecided,
        percent(counts.undecided, cases),
        counts.forced,
        counts.asked,
        counts.unknown
    );
    let [solve, clash, bound, keep] = counts.rules;
    println!("  size-solve={solve} size-clash={clash} size-bound={bound} size-keep={keep}");
}
