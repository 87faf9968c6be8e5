//! `programs`: random programs through sessions, and what must not change their shapes.

use anyhow::ensure;
use lozenge_check::programs::{self, BESIDE, Counts, PARTS, Transformation, UNDECIDED, shrunk};

use crate::{
    cases::{Cases, percent},
    parallel,
};

pub(crate) fn run(args: &Cases) -> anyhow::Result<()> {
    let counts = parallel::check(0..args.cases, args.seed, programs::check).counts;
    report(args, &counts);
    bars(args, &counts)
}

fn report(args: &Cases, counts: &Counts) {
    for (case, failure) in counts.failures.smallest.values().flatten() {
        println!("case {case}: {}", shrunk(failure));
    }
    for (kind, count) in &counts.failures.counts {
        println!("mismatch {count}: {kind}");
    }
    let share = |count: u64| format!("{:.1} %", percent(count, args.cases));
    for (what, count) in &counts.constructs {
        println!("programs with {what}: {count} ({})", share(*count));
    }
    for (transformation, count) in &counts.spellings {
        println!("spellings: {}: {count}", transformation.name());
    }
    for (code, count) in &counts.unclosed {
        println!("not closed: {code}: {count}");
    }
    for (what, count) in &counts.others {
        println!("{what}: {count}");
    }
    println!(
        "records={} without one for a symbolic size={} reshapes without one={}",
        counts.nests.records, counts.nests.symbolic, counts.nests.reshapes
    );
    println!(
        "closed={} compared up to symmetric steps={} undecided in a spelling={}; symmetric steps={:.1} % of all",
        share(counts.get("closed")),
        share(counts.get("compared up to symmetric steps")),
        share(counts.get(UNDECIDED)),
        percent(counts.get("symmetric steps"), counts.get("steps")),
    );
    let mismatches = counts.failures.total();
    println!("cases={} seed={} mismatches={mismatches}", args.cases, args.seed);
}

/// The constructs of which a share of all programs has one, in percent.
const SHARES: [(&str, u64); 3] = [("flanked leaf", 10), ("counted row", 10), ("statement", 10)];

/// The other constructs, of each of which one program in a hundred has one.
const CONSTRUCTS: [&str; 25] = [
    "number",
    "data",
    "unknown",
    "parameter",
    "parameter of a shape",
    "elements",
    "array",
    "size",
    "pointwise",
    "compose",
    "compose_accumulate",
    "transpose",
    "einsum",
    "reshape",
    "reshape to a shape",
    "bit_cast",
    "same",
    "square",
    "set",
    "equal",
    "scale",
    "named size",
    "twins",
    "repeated",
    "symmetric steps",
];

/// The most programs of a hundred of which that may be so. No bound on the ranks of solutions is
/// known, so that a refutation is not always found, and what else is in a program can hide one.
const MOST_UNDECIDED: u64 = 2;

/// What must hold of all programs together. A check that draws nothing finds nothing.
fn bars(args: &Cases, counts: &Counts) -> anyhow::Result<()> {
    let mismatches = counts.failures.total();
    ensure!(mismatches == 0, "{mismatches} mismatches");
    let met = |what: &str| counts.constructs.get(what).copied().unwrap_or(0);
    for (what, least) in SHARES.into_iter().chain(CONSTRUCTS.map(|what| (what, 1))) {
        ensure!(met(what) * 100 >= args.cases * least, "only {} programs with {what}", met(what));
    }
    for transformation in Transformation::ALL {
        let count = counts.spellings.get(&transformation).copied().unwrap_or(0);
        let name = transformation.name();
        ensure!(count * 100 >= args.cases, "only {count} spellings: {name}");
    }
    for what in
        ["refusals spelled otherwise", "operations twice", "operations with and without {…}"]
    {
        ensure!(counts.get(what) * 100 >= args.cases, "only {} {what}", counts.get(what));
    }
    ensure!(counts.get(PARTS) * BESIDE >= args.cases, "only {} {PARTS}", counts.get(PARTS));
    ensure!(counts.get("closed") * 2 >= args.cases, "only {} closed", counts.get("closed"));
    let undecided = counts.get(UNDECIDED);
    ensure!(undecided * 100 <= args.cases * MOST_UNDECIDED, "{undecided} {UNDECIDED}");
    Ok(())
}
