//! `differential`: the solver against brute force, on random stores.
//!
//! Every store is solved at once and constraint by constraint; the two must agree. A success is
//! checked by the judge, a failure by semantic steps by searching for a marked solution of the
//! constraints that are blamed. The rules that deciding ranks pre-empts are met by solving again
//! without.

mod close;
mod decide;

use anyhow::ensure;
use lozenge_calculus::{constraint::Constraint, judge::Judge};
use lozenge_check::{
    generate,
    oracle::{Universe, extents},
};
use lozenge_solve::{Budget, Options, Rule, SolveError, Solver};

use crate::parallel;

use close::Closings;
pub(crate) use close::roles;
use decide::Decisions;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    cases: crate::Cases,
    /// The highest rank of a row variable in the search for a solution of what was rejected.
    #[arg(long, default_value_t = MAX_RANK)]
    max_rank: usize,
    /// Also close every store that is solved, with roles drawn at random.
    #[arg(long)]
    close: bool,
    /// Also decide every store, and hold the decision against brute force.
    #[arg(long)]
    decide: bool,
}

impl Args {
    /// Everything that there is to check of these cases.
    pub(crate) fn whole(cases: crate::Cases) -> Args {
        Args { cases, max_rank: MAX_RANK, close: true, decide: true }
    }
}

/// The highest rank of a row variable in the search for a solution of what was rejected.
const MAX_RANK: usize = 5;

pub(crate) const LIMITS: generate::Limits =
    generate::Limits { dim_vars: 4, row_vars: 3, flank: 2, constraints: 5 };

/// Enough for every store that has ranks, and little enough that one without them ends soon.
const WITHOUT_RANKS: Options =
    Options { budget: Budget { steps: 2_000, minted: 500, rank: 200 }, ranks: false };

#[derive(Default)]
struct Found {
    success: u64,
    deferred_eq: u64,
    deferred_ineq: u64,
    semantic_fail: u64,
    policy_fail: u64,
    /// Rejections that depend on the place of no marker.
    exact_fail: u64,
    budget: u64,
    without_ranks_budget: u64,
    /// How many constraints were blamed for rejections.
    blamed: u64,
    rules: [u64; Rule::ALL.len()],
    without_ranks: [u64; Rule::ALL.len()],
    closings: Closings,
    decisions: Decisions,
    mismatches: Vec<(u64, String)>,
}

/// What became of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Success,
    DeferredEq,
    DeferredIneq,
    Semantic,
    Policy,
    Budget,
}

impl Verdict {
    pub(crate) fn of(solver: &Solver, result: &Result<(), SolveError>) -> Verdict {
        match result {
            Ok(()) if solver.deferred().is_none() => Verdict::Success,
            Ok(()) if solver.deferred().equalities == 0 => Verdict::DeferredIneq,
            Ok(()) => Verdict::DeferredEq,
            Err(SolveError::Exhausted(_)) => Verdict::Budget,
            Err(SolveError::Conflict(conflict)) if conflict.policy => Verdict::Policy,
            Err(SolveError::Conflict(_)) => Verdict::Semantic,
        }
    }

    pub(crate) fn is_rejection(self) -> bool {
        matches!(self, Verdict::Semantic | Verdict::Policy)
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let check = |case, found: &mut Found| {
        let store = generate::store(&mut parallel::rng(args.cases.seed, case), LIMITS);
        if let Err(what) = check(&store, case, args, found) {
            let text: Vec<String> = store.iter().map(ToString::to_string).collect();
            found.mismatches.push((case, format!("{what}\n    {}", text.join("\n    "))));
        }
    };
    let found = parallel::run(args.cases.cases, check, Found::merge);

    for (case, what) in found.mismatches.iter().take(10) {
        println!("case {case}: {what}");
    }
    println!("{:<16} {:>12} {:>14}", "rule", "applied", "without ranks");
    // Relations between sizes have a command of their own.
    let of_sizes = |rule: &Rule| rule.name().starts_with("size-");
    for rule in Rule::ALL.into_iter().filter(|rule| !of_sizes(rule)) {
        let (with, without) = (found.rules[rule as usize], found.without_ranks[rule as usize]);
        println!("{rule:<16} {with:>12} {without:>14}");
    }
    println!(
        "seed {}; rejections searched for marked solutions up to rank {}; without ranks, {} stores ran into the budget",
        args.cases.seed, args.max_rank, found.without_ranks_budget
    );
    println!("constraints blamed, each time enough for a rejection: {}", found.blamed);
    println!("rejections that depend on the place of no marker: {}", found.exact_fail);
    if args.close {
        println!("close: {}", found.closings);
    }
    if args.decide {
        println!("decide: {}", found.decisions);
    }
    println!(
        "cases={} success={} deferred_eq={} deferred_ineq={} semantic_fail={} policy_fail={} budget={} mismatches={}",
        args.cases.cases,
        found.success,
        found.deferred_eq,
        found.deferred_ineq,
        found.semantic_fail,
        found.policy_fail,
        found.budget,
        found.mismatches.len()
    );
    ensure!(found.mismatches.is_empty(), "the solver and brute force disagree");
    ensure!(found.budget == 0, "the budget ran out");
    Ok(())
}

fn check(store: &[Constraint], case: u64, args: &Args, found: &mut Found) -> Result<(), String> {
    let max_rank = args.max_rank;
    let mut solver = Solver::new();
    let result = solver.extend(store);
    let verdict = Verdict::of(&solver, &result);
    *match verdict {
        Verdict::Success => &mut found.success,
        Verdict::DeferredEq => &mut found.deferred_eq,
        Verdict::DeferredIneq => &mut found.deferred_ineq,
        Verdict::Semantic => &mut found.semantic_fail,
        Verdict::Policy => &mut found.policy_fail,
        Verdict::Budget => &mut found.budget,
    } += 1;
    count(&mut found.rules, &solver, &result);
    if verdict == Verdict::Success {
        let greatest = solver.solved().greatest();
        if !Judge::OneShot.satisfies_all(&greatest, store) {
            return Err(format!("γ↑ = {greatest} is no solution"));
        }
    }
    if !verdict.is_rejection() {
        solver.verify().map_err(|broken| format!("{broken:?}"))?;
    }
    if let Err(SolveError::Conflict(conflict)) = &result {
        // What is blamed must be enough, so that is what is searched.
        let blamed = |constraint: &&Constraint| conflict.origins.contains(&constraint.origin);
        let core: Vec<Constraint> = store.iter().filter(blamed).cloned().collect();
        let universe = Universe::of(store, max_rank);
        let judge = match verdict {
            _ if conflict.placed.is_empty() => Some(Judge::OneShot),
            Verdict::Semantic => Some(Judge::Marked),
            _ => None,
        };
        found.exact_fail += u64::from(judge == Some(Judge::OneShot));
        if let Some(ground) = judge.and_then(|judge| extents::find(&universe, judge, &core)) {
            return Err(format!("{conflict}, but {ground} is a solution for {judge:?}"));
        }
        found.blamed += core.len() as u64;
        if Solver::new().extend(&core).is_ok() {
            return Err(format!("{conflict}, but these alone are accepted"));
        }
    }

    let mut online = Solver::new();
    let one_by_one = store.iter().try_for_each(|constraint| online.extend([constraint]));
    let agrees = match Verdict::of(&online, &one_by_one) {
        online if verdict.is_rejection() => online.is_rejection(),
        online => online == verdict,
    };
    if !agrees {
        return Err(format!(
            "at once {verdict:?}, one by one {:?}",
            Verdict::of(&online, &one_by_one)
        ));
    }

    if args.close && !verdict.is_rejection() {
        // Another stream than the store's, so that roles do not depend on how it was drawn.
        let rng = &mut parallel::rng(!args.cases.seed, case);
        found.closings.check(store, verdict, &solver, rng)?;
    }
    if args.decide {
        found.decisions.check(store, case, verdict, max_rank)?;
    }
    check_without_ranks(store, verdict, max_rank, found)
}

/// Adds what rules were applied, and the one that failed, which the solver does not count.
fn count(rules: &mut [u64; Rule::ALL.len()], solver: &Solver, result: &Result<(), SolveError>) {
    for (sum, rule) in rules.iter_mut().zip(Rule::ALL) {
        *sum += solver.stats().count(rule);
    }
    if let Err(SolveError::Conflict(conflict)) = result {
        rules[conflict.rule as usize] += 1;
    }
}

fn check_without_ranks(
    store: &[Constraint],
    verdict: Verdict,
    max_rank: usize,
    found: &mut Found,
) -> Result<(), String> {
    let mut solver = Solver::with_options(WITHOUT_RANKS);
    let result = solver.extend(store);
    count(&mut found.without_ranks, &solver, &result);
    match Verdict::of(&solver, &result) {
        Verdict::Budget => {
            found.without_ranks_budget += 1;
            if verdict.is_rejection() { Ok(()) } else { Err("ends only with ranks".into()) }
        }
        Verdict::Semantic => {
            let universe = Universe::of(store, max_rank);
            match extents::find(&universe, Judge::Marked, store) {
                Some(ground) => Err(format!("without ranks rejected, but {ground} is a solution")),
                None => Ok(()),
            }
        }
        without if without.is_rejection() == verdict.is_rejection() => Ok(()),
        // Ranks reject what would only wait without them.
        Verdict::DeferredEq | Verdict::DeferredIneq if verdict == Verdict::Semantic => Ok(()),
        without => Err(format!("with ranks {verdict:?}, without {without:?}")),
    }
}

impl Found {
    fn merge(&mut self, other: Found) {
        self.success += other.success;
        self.deferred_eq += other.deferred_eq;
        self.deferred_ineq += other.deferred_ineq;
        self.semantic_fail += other.semantic_fail;
        self.policy_fail += other.policy_fail;
        self.exact_fail += other.exact_fail;
        self.budget += other.budget;
        self.without_ranks_budget += other.without_ranks_budget;
        self.blamed += other.blamed;
        for (sum, more) in self.rules.iter_mut().zip(other.rules) {
            *sum += more;
        }
        for (sum, more) in self.without_ranks.iter_mut().zip(other.without_ranks) {
            *sum += more;
        }
        self.closings.merge(&other.closings);
        self.decisions.merge(other.decisions);
        self.mismatches.extend(other.mismatches);
        self.mismatches.sort();
    }
}
