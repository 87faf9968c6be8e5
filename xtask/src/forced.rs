//! `forced`: what the solver binds is forced, and what it leaves is not, on random stores.

#[path = "../../crates/check/tests/forced/check.rs"]
mod check;

use anyhow::ensure;
use lozenge_check::generate;

use self::check::{Seen, check};
use crate::{differential::LIMITS, parallel};

#[derive(Default)]
struct Found {
    seen: Seen,
    mismatches: Vec<(u64, String)>,
}

pub(crate) fn run(args: &crate::Cases) -> anyhow::Result<()> {
    let check = |case, found: &mut Found| {
        let store = generate::store(&mut parallel::rng(args.seed, case), LIMITS);
        match check(&store) {
            Ok(seen) => found.seen.merge(seen),
            Err(what) => {
                let text: Vec<String> = store.iter().map(ToString::to_string).collect();
                found.mismatches.push((case, format!("{what}\n    {}", text.join("\n    "))));
            }
        }
    };
    let found = parallel::run(args.cases, check, |found: &mut Found, other| {
        found.seen.merge(other.seen);
        found.mismatches.extend(other.mismatches);
        found.mismatches.sort();
    });
    for (case, what) in found.mismatches.iter().take(10) {
        println!("case {case}: {what}");
    }
    let Seen { free, forced, waiting, missed, unsettled, long } = found.seen;
    println!(
        "not bound, and of two values: {free}; bound to a ground value, and of no other: {forced}"
    );
    println!(
        "connected with what waits: of two values {waiting}, of one, as far as was searched, {missed}"
    );
    println!("stores left out: {unsettled} not settled, {long} with rows too long to search");
    println!("seed {}", args.seed);
    println!("cases={} mismatches={}", args.cases, found.mismatches.len());
    ensure!(found.mismatches.is_empty(), "what is bound is not what is forced");
    Ok(())
}
