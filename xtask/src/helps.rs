//! `helps`: the edits that are offered for random mistakes, beside what they claim.

use anyhow::ensure;
use lozenge_check::helps;

use crate::{
    cases::{Cases, percent},
    parallel,
};

/// The number of cases from which on every claim that can be executed occurs at least this often.
const MANY: u64 = 5_000;
const LEAST: u64 = 50;

/// The claims of edits that helps offer for specifications that can be read.
const CLAIMED: [&str; 12] = [
    "permutes",
    "keeps",
    "joins",
    "sums",
    "splits",
    "splits-row",
    "splits-index",
    "splits-part",
    "equates",
    "pads",
    "steps",
    "places",
];

pub(crate) fn run(args: &Cases) -> anyhow::Result<()> {
    let found = parallel::check(0..args.cases, args.seed, helps::check);
    found.show();
    let counts = &found.counts;
    for (what, count) in &counts.counts {
        println!("{what}: {count}");
    }
    let meant = counts.of("meant");
    for found in ["the first help", "another help", "no help", "no help is offered"] {
        let count = counts.of(&format!("gives back what was meant: {found}"));
        println!("{found}: {:.1} %", percent(count, meant));
    }
    let mismatches = found.mismatches.len();
    println!("cases={} seed={} mismatches={mismatches}", args.cases, args.seed);
    if args.cases >= MANY {
        for claim in CLAIMED {
            let executed = counts.of(&format!("executed: {claim}"));
            ensure!(executed >= LEAST, "only {executed} claims of {claim} were executed");
        }
    }
    found.agree(&format!("{mismatches} mismatches"))
}
