//! `symbols`: programs with open sizes against the same programs with numbers.

use anyhow::ensure;
use lozenge_check::symbols;

use crate::{
    cases::{Cases, percent},
    parallel,
};

const CONSTRUCTS: [&str; 25] = [
    "range",
    "computed",
    "merged",
    "split",
    "concatenated",
    "with a number",
    "valid window",
    "whole window",
    "begun window",
    "padded window",
    "loosely padded window",
    "window with margins",
    "strided",
    "loosely strided",
    "transposed",
    "contracted",
    "sum",
    "stretched",
    "product of matrices",
    "reshape",
    "at run time",
    "captured",
    "declared",
    "unknown",
    "equal for two values",
];

pub(crate) fn run(args: &Cases) -> anyhow::Result<()> {
    let found = parallel::check(0..args.cases, args.seed, symbols::check);
    let counts = &found.counts;
    for construct in CONSTRUCTS {
        let count = counts.constructs.get(construct).copied().unwrap_or(0);
        println!("{construct}: {count}");
        let least = args.cases / 20;
        ensure!(
            args.cases < 1_000 || count >= least,
            "{construct} is drawn {count} times, not {least}"
        );
    }
    println!(
        "closed={:.1} % with requirements={:.1} % refused={:.1} % undecided={:.1} %",
        percent(counts.closed, args.cases),
        percent(counts.with_requirements, args.cases),
        percent(counts.refused, args.cases),
        percent(counts.open, args.cases),
    );
    println!(
        "values: the same shapes={} a requirement violated and refused={} refused both ways={}\n\
         not generic: {} of them, {} differ\n\
         places that compete: {} programs, {} values differ\n\
         too large: {}; a size chosen with numbers only: {}; guessed otherwise where something may be empty: {}; \
         otherwise where no generic values are declared: {}\n\
         required beside what it follows from: {}; the search ended: {}\n\
         operations with the same loops={} with none over open sizes={}; \
         coverage known={} only with numbers={}; \
         amounts the same={} not compared={}",
        counts.agree,
        counts.violated,
        counts.refused_too,
        counts.coincident,
        counts.coincident_differ,
        counts.competing,
        counts.competing_differ,
        counts.too_large,
        counts.hidden,
        counts.guessed,
        counts.ungeneric,
        counts.redundant,
        counts.ended,
        counts.loops.same,
        counts.loops.none,
        counts.loops.covered,
        counts.loops.uncovered,
        counts.loops.amounts,
        counts.loops.uncounted
    );
    ensure!(counts.competing * 50 < args.cases.max(50), "in 2 % of the programs places compete");
    found.show();
    println!("cases={} seed={} mismatches={}", args.cases, args.seed, found.mismatches.len());
    ensure!(found.mismatches.is_empty(), "{} mismatches", found.mismatches.len());
    Ok(())
}
