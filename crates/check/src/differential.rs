//! The solver against brute force, on random stores.
//!
//! Every store is solved at once and constraint by constraint; the two must agree. A success is
//! checked by the judge, a failure by semantic steps by searching for a marked solution of the
//! constraints that are blamed. The rules that deciding ranks pre-empts are met by solving again
//! without.

mod close;
mod decide;

use lozenge_calculus::{constraint::Constraint, judge::Judge};
use lozenge_solve::{Budget, Options, Rule, SolveError, Solver, testing::verify};

use crate::{
    Generator, Mismatch, generate,
    mismatch::counts,
    oracle::{Universe, extents},
    stores::{LIMITS, Verdict},
};

pub use close::Closings;
pub use decide::Decisions;

/// What is checked beside solving.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The highest rank of a row variable in the search for a solution of what was rejected.
    pub max_rank: usize,
    /// Whether every store that is solved is also closed, with roles drawn at random.
    pub close: bool,
    /// Whether every store is also decided, and the decision held against brute force.
    pub decide: bool,
}

impl Scope {
    /// Everything that there is to check of a store.
    pub const WHOLE: Scope = Scope { max_rank: MAX_RANK, close: true, decide: true };
}

/// The highest rank of a row variable in the search for a solution of what was rejected.
pub const MAX_RANK: usize = 5;

/// Enough for every store that has ranks, and little enough that one without them ends soon.
const WITHOUT_RANKS: Options = Options::DEFAULT
    .with_budget(Budget::DEFAULT.with_steps(2_000).with_minted(500).with_rank(200))
    .without_ranks();

counts! {
    /// What became of the stores.
    pub struct Counts {
        pub success: u64,
        pub deferred_eq: u64,
        pub deferred_ineq: u64,
        pub semantic_fail: u64,
        pub policy_fail: u64,
        /// Rejections that depend on the place of no marker.
        pub exact_fail: u64,
        pub budget: u64,
        pub without_ranks_budget: u64,
        /// The constraints that were blamed for rejections.
        pub blamed: u64,
        pub rules: [u64; Rule::ALL.len()],
        pub without_ranks: [u64; Rule::ALL.len()],
        pub closings: Closings,
        pub decisions: Decisions,
    }
}

/// Draws a store and checks it.
///
/// # Errors
/// When the solver and brute force disagree.
pub fn check(scope: Scope, rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let store = generate::store(rng, LIMITS);
    check_store(&store, scope, rng, counts).map_err(|what| Mismatch::of_store(what, &store))
}

fn check_store(
    store: &[Constraint],
    scope: Scope,
    rng: &Generator,
    counts: &mut Counts,
) -> Result<(), String> {
    let max_rank = scope.max_rank;
    let mut solver = Solver::new();
    let result = solver.extend(store);
    let verdict = Verdict::of(&solver, &result);
    *match verdict {
        Verdict::Success => &mut counts.success,
        Verdict::DeferredEq => &mut counts.deferred_eq,
        Verdict::DeferredIneq => &mut counts.deferred_ineq,
        Verdict::Semantic => &mut counts.semantic_fail,
        Verdict::Policy => &mut counts.policy_fail,
        Verdict::Budget => &mut counts.budget,
    } += 1;
    count(&mut counts.rules, &solver, &result);
    if verdict == Verdict::Success {
        let greatest = solver.solved().greatest();
        if !Judge::OneShot.satisfies_all(&greatest, store) {
            return Err(format!("γ↑ = {greatest} is no solution"));
        }
    }
    if !verdict.is_rejection() {
        verify(&solver).map_err(|broken| format!("{broken:?}"))?;
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
        counts.exact_fail += u64::from(judge == Some(Judge::OneShot));
        if let Some(ground) = judge.and_then(|judge| extents::find(&universe, judge, &core)) {
            return Err(format!("{conflict}, but {ground} is a solution for {judge:?}"));
        }
        counts.blamed += core.len() as u64;
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

    if scope.close && !verdict.is_rejection() {
        // Another stream than the store's, so that roles do not depend on how it was drawn.
        counts.closings.check(store, verdict, &solver, &mut rng.aside())?;
    }
    if scope.decide {
        counts.decisions.check(store, rng.case(), verdict, max_rank)?;
    }
    check_without_ranks(store, verdict, max_rank, counts)
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
    counts: &mut Counts,
) -> Result<(), String> {
    let mut solver = Solver::with_options(WITHOUT_RANKS);
    let result = solver.extend(store);
    count(&mut counts.without_ranks, &solver, &result);
    match Verdict::of(&solver, &result) {
        Verdict::Budget => {
            counts.without_ranks_budget += 1;
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
