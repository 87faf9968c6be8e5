//! The checkers of the solver and of the two languages, over many cases, and what they counted.

use anyhow::{anyhow, ensure};
use clap::Args;
use lozenge_check::{
    Tally, closing, differential, explain, forced, metamorphic, oracle_check, preservation, ranks,
    snapshots, spec_check, text_check,
};
use lozenge_solve::Rule;

use crate::{
    cases::{Cases, percent},
    large_texts,
    parallel::{Found, check},
};

/// Prints the last lines of a command, and fails where something was wrong.
fn end<C>(args: &Cases, found: &Found<C>, otherwise: &str) -> anyhow::Result<()> {
    println!("seed {}", args.seed);
    println!("cases={} mismatches={}", args.cases, found.mismatches.len());
    found.agree(otherwise)
}

/// Holds the oracle against plain enumeration.
pub(crate) fn oracle_check(args: &Cases) -> anyhow::Result<()> {
    let found = check(0..args.cases, args.seed, oracle_check::check);
    found.show();
    let oracle_check::Counts { satisfiable: [one_shot, marked], solutions } = found.counts;
    println!("satisfiable: one-shot={one_shot} marked={marked}; solutions compared: {solutions}");
    println!("seed {}", args.seed);
    println!("cases={} disagreements={}", args.cases, found.mismatches.len());
    found.agree("the oracle disagrees with plain enumeration")
}

/// Checks what every step of the solver keeps.
pub(crate) fn preservation(args: &Cases) -> anyhow::Result<()> {
    // A store has about eight configurations; stores are drawn until there are enough of them.
    const STORES: u64 = 1_000;
    let mut found: Found<preservation::Counts> = Found::default();
    let mut first = 0;
    while found.counts.configurations < args.cases {
        found.merge(check(first..first + STORES, args.seed, preservation::check));
        first += STORES;
    }
    found.show();
    let counts = &found.counts;
    println!(
        "steps: semantic={} policy={} failures={}; rank models={}; solutions={}; whole runs={}, of which principal={}",
        counts.semantic,
        counts.policy,
        counts.failures,
        counts.ranks,
        counts.solutions,
        counts.runs,
        counts.principal
    );
    println!("seed {}", args.seed);
    println!("configurations={} mismatches={}", counts.configurations, found.mismatches.len());
    found.agree("a step lost or made a solution")
}

/// Checks that what is bound is forced, and that what is not has two values.
pub(crate) fn forced(args: &Cases) -> anyhow::Result<()> {
    let found = check(0..args.cases, args.seed, forced::check);
    found.show();
    let forced::Counts { free, forced, deferred, missed, unsettled, long } = found.counts;
    println!(
        "not bound, and of two values: {free}; bound to a ground value, and of no other: {forced}"
    );
    println!(
        "connected with what waits: of two values {deferred}, of one, as far as was searched, {missed}"
    );
    println!("stores left out: {unsettled} not settled, {long} with rows too long to search");
    end(args, &found, "what is bound is not what is forced")
}

/// Checks that explanations explain: conflicting sets, chains and their derivations.
pub(crate) fn explain(args: &Cases) -> anyhow::Result<()> {
    const STORES: u64 = 10_000;
    let mut found: Found<explain::Counts> = Found::default();
    let mut first = 0;
    let enough = |counts: &explain::Counts| counts.sets.min(counts.chains) >= args.cases;
    while !enough(&found.counts) && found.mismatches.is_empty() {
        found.merge(check(first..first + STORES, args.seed, explain::check));
        first += STORES;
    }
    found.show();
    let counts = &found.counts;
    println!(
        "minimal conflicting sets={} with {} members; beyond={}; cost in solves of the input: {}",
        counts.sets, counts.set_members, counts.beyond, counts.costs
    );
    let smallest = percent(counts.smallest, counts.chains);
    println!(
        "chains={} with {} members; the smallest possible={} ({smallest:.1} %)",
        counts.chains, counts.chain_members, counts.smallest,
    );
    println!("seed {}", args.seed);
    println!("sets={} chains={} mismatches={}", counts.sets, counts.chains, found.mismatches.len());
    found.agree("an explanation does not explain")?;
    ensure!(counts.costs.percentile(50) <= 10_000, "conflicting sets cost too much");
    ensure!(smallest >= 90.0, "too many chains are too long");
    Ok(())
}

/// Checks that rolling back leaves nothing behind.
pub(crate) fn snapshots(args: &Cases) -> anyhow::Result<()> {
    let found = check(0..args.cases, args.seed, snapshots::check);
    found.show();
    let snapshots::Counts { taken, failed, rolled_back } = found.counts;
    println!("batches taken={taken} failed={failed} snapshots rolled back={rolled_back}");
    end(args, &found, "rolling back left something behind")
}

/// Checks that cycles of ranks are found at once, and that systems with ranks end.
pub(crate) fn ranks(args: &Cases) -> anyhow::Result<()> {
    const LONGEST: u32 = 200;
    let mut cycles = ranks::Counts::default();
    (1..=LONGEST)
        .try_for_each(|n| ranks::check_cycles(n, &mut cycles))
        .map_err(|what| anyhow!("{what}"))?;
    println!("cycles rejected before any axis, at once and online: {}", cycles.cycles);

    let found = check(0..args.cases, args.seed, ranks::check);
    found.show();
    let worst = found.counts.per_thousand_axes.iter().max().copied().unwrap_or_default();
    println!("steps per axis of input and answer: at most {:.2}", percent(worst, 1_000) / 100.0);
    println!("seed {}", args.seed);
    println!(
        "cases={} steps={} cycles={} mismatches={}",
        args.cases,
        found.counts.steps,
        cycles.cycles,
        found.mismatches.len()
    );
    found.agree("a system that has ranks was rejected")
}

/// Checks what closed values do not depend on, and what they are best among.
pub(crate) fn closing(args: &Cases) -> anyhow::Result<()> {
    let found = check(0..args.cases, args.seed, closing::check);
    found.show();
    let counts = &found.counts;
    println!(
        "permuted and closed: stores={} demotions={}; γ↑ greatest: marked runs={} one-shot runs={}, not above after a placement={}; leaves closed to the least value above their caps={}",
        counts.compared,
        counts.demotions,
        counts.marked_runs,
        counts.one_shot_runs,
        counts.after_placement,
        counts.least
    );
    end(args, &found, "closing does not keep what it must")
}

/// Checks what must not change the answer.
pub(crate) fn metamorphic(args: &Cases) -> anyhow::Result<()> {
    let found = check(0..args.cases, args.seed, metamorphic::check);
    found.show();
    println!(
        "other program orders: compared={}, with a policy step or shifted flanks={}, of which another verdict={}",
        found.counts.permuted, found.counts.with_policy, found.counts.verdict_moved_by_policy
    );
    end(args, &found, "the answer changed")
}

/// What `differential` takes.
#[derive(Args)]
pub(crate) struct Differential {
    #[command(flatten)]
    cases: Cases,
    /// The highest rank of a row variable in the search for a solution of what was rejected.
    #[arg(long, default_value_t = differential::MAX_RANK)]
    max_rank: usize,
    /// Also close every store that is solved, with roles drawn at random.
    #[arg(long)]
    close: bool,
    /// Also decide every store, and hold the decision against brute force.
    #[arg(long)]
    decide: bool,
}

/// Holds the solver against brute force, on random stores.
pub(crate) fn differential(args: &Differential) -> anyhow::Result<()> {
    let &Differential { ref cases, max_rank, close, decide } = args;
    differential_of(cases, differential::Scope { max_rank, close, decide })
}

/// Holds as much of the solver against brute force as is asked for.
pub(crate) fn differential_of(args: &Cases, scope: differential::Scope) -> anyhow::Result<()> {
    let found =
        check(0..args.cases, args.seed, |rng, counts| differential::check(scope, rng, counts));
    found.show();
    let counts = &found.counts;
    println!("{:<16} {:>12} {:>14}", "rule", "applied", "without ranks");
    // Relations between sizes have a command of their own.
    let of_sizes = |rule: &Rule| rule.name().starts_with("size-");
    for rule in Rule::ALL.into_iter().filter(|rule| !of_sizes(rule)) {
        let (with, without) = (counts.rules[rule as usize], counts.without_ranks[rule as usize]);
        println!("{rule:<16} {with:>12} {without:>14}");
    }
    println!(
        "seed {}; rejections searched for marked solutions up to rank {}; without ranks, {} stores ran into the budget",
        args.seed, scope.max_rank, counts.without_ranks_budget
    );
    println!("constraints blamed, each time enough for a rejection: {}", counts.blamed);
    println!("rejections that depend on the place of no marker: {}", counts.exact_fail);
    if scope.close {
        println!("close: {}", counts.closings);
    }
    if scope.decide {
        println!("decide: {}", counts.decisions);
    }
    println!(
        "cases={} success={} deferred_eq={} deferred_ineq={} semantic_fail={} policy_fail={} budget={} mismatches={}",
        args.cases,
        counts.success,
        counts.deferred_eq,
        counts.deferred_ineq,
        counts.semantic_fail,
        counts.policy_fail,
        counts.budget,
        found.mismatches.len()
    );
    found.agree("the solver and brute force disagree")?;
    ensure!(counts.budget == 0, "the budget ran out");
    Ok(())
}

/// Prints and parses generated constraints.
pub(crate) fn text_check(args: &Cases) -> anyhow::Result<()> {
    let tables = args.cases.div_ceil(text_check::PER_TABLE);
    let found = check(0..tables, args.seed, text_check::check);
    found.show();
    let text_check::Counts { constraints, bytes } = found.counts;
    println!("seed {}", args.seed);
    println!("cases={constraints} bytes={bytes} mismatches={}", found.mismatches.len());
    found.agree("a text is not read as it was printed")
}

/// Spells, parses and prints generated specifications and shapes, and reads large ones.
pub(crate) fn spec_check(args: &Cases) -> anyhow::Result<()> {
    let found = check(0..args.cases, args.seed, spec_check::check);
    println!("seed {}", args.seed);
    found.show();
    let shapes = args.cases.div_ceil(spec_check::SHAPES);
    let (specs, wrong) = (args.cases - shapes, found.mismatches.len());
    let spec_check::Counts { bytes, letters, warned } = found.counts;
    println!("specs={specs} (letters {letters}, warned {warned}) shapes={shapes}");
    println!("cases={} bytes={bytes} mismatches={wrong}", args.cases);
    found.agree(&format!("{wrong} mismatches"))?;
    large_texts::run()
}
