//! relations between sizes, held against z3 and against enumeration.
//!
//! A system that is rejected has no solution within the bounds drawn; one that closes is satisfied
//! by what it closes to; a size that solving found is that in every solution. What is neither
//! rejected nor closed is undecided, and counted. Nothing may run into the budget.

mod rows;
mod system;

use lozenge_calculus::{
    constraint::Constraint, dim::Dim, size::SizeKind, term::DimTerm, text::Names,
};
use lozenge_solve::{
    Budget, Options, Rule, SolveError, Solver,
    close::{Policy, Roles, close},
};

use crate::{
    Generator, Mismatch,
    border::Border,
    mismatch::counts,
    smt::{Answer, Prover},
};
pub use rows::{Counted, FORMS};
use system::{Limits, System, dim_var};

const FOR_Z3: Limits = Limits { vars: 8, relations: 5, most: 32, windows: false };

const ENUMERATED: Limits = Limits { vars: 4, relations: 4, most: 8, windows: false };

const WINDOWS: Limits = Limits { vars: 12, relations: 10, most: 1_000, windows: true };

/// z3 searches sizes up to this, more than the sizes drawn can lead to in a step.
const SEARCHED: u64 = 400;

/// Far beyond what these systems need.
const BUDGET: Budget = Budget::DEFAULT.with_steps(20_000).with_minted(1_000).with_rank(100);

counts! {
    /// What became of systems.
    pub struct Counts {
        pub rejected: u64,
        pub closed: u64,
        pub undecided: u64,
        pub forced: u64,
        pub exhausted: u64,
        pub asked: u64,
        pub unknown: u64,
        /// The applications of each rule of sizes.
        pub rules: [u64; 4],
    }
}

const OF_SIZES: [Rule; 4] = [Rule::SizeSolve, Rule::SizeClash, Rule::SizeBound, Rule::SizeKeep];

/// A random store of relations between sizes: a system of one of the kinds, or one over rows.
pub fn store(rng: &mut Generator) -> Vec<Constraint> {
    match rng.u8(..3) {
        0 => System::draw(rng, FOR_Z3).constraints(),
        1 => System::draw(rng, WINDOWS).constraints(),
        _ => Names::new().parse_store(&rows::text(rng).1).unwrap_or_default(),
    }
}

/// What became of a system.
enum Outcome {
    Rejected,
    /// With these sizes, where solving found them.
    Solved(Vec<Option<u64>>),
}

/// Draws a system that a prover can search, solves it, and holds what is said against the prover.
///
/// # Errors
/// When it is rejected and has a solution, or a size that is found is not forced.
pub fn check_by_prover(
    prover: &mut dyn Prover,
    rng: &mut Generator,
    counts: &mut Counts,
) -> Result<(), Mismatch> {
    let system = System::draw(rng, FOR_Z3);
    check_by_z3(&system, prover, counts)?
        .map_err(|what| Mismatch::of_store(what, &system.constraints()))
}

/// Draws a small system and holds what is said against all its solutions.
///
/// # Errors
/// When it is rejected and has a solution, or a size that is found is another in one.
pub fn check_small(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let system = System::draw(rng, ENUMERATED);
    check_by_enumeration(&system, counts)
        .map_err(|what| Mismatch::of_store(what, &system.constraints()))
}

/// Draws a system of windows and concatenations, and solves it.
///
/// # Errors
/// When it closes to what does not hold, or what is blamed for a rejection is accepted.
pub fn check_windows(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let case = rng.case();
    let system = window_system(rng, case);
    let solved = outcome(&system, counts);
    solved.map(drop).map_err(|what| Mismatch::of_store(what, &system.constraints()))
}

/// Draws a relation between whole rows, and holds it against what it means.
///
/// # Errors
/// When the two differ.
pub fn check_rows(rng: &mut Generator, counts: &mut Counted) -> Result<(), Mismatch> {
    counts.check(rng)
}

/// Solves and closes a system.
fn outcome(system: &System, counts: &mut Counts) -> Result<Outcome, String> {
    let store = system.constraints();
    let mut solver = Solver::with_options(Options::DEFAULT.with_budget(BUDGET));
    match solver.extend(&store) {
        Ok(()) => {}
        Err(SolveError::Conflict(conflict)) => {
            counts.rejected += 1;
            counts.rules[1] += u64::from(conflict.rule == Rule::SizeClash);
            let blamed = |c: &&Constraint| conflict.origins.contains(&c.origin);
            if Solver::new().extend(store.iter().filter(blamed)).is_ok() {
                return Err(format!("{conflict}, but these alone are accepted"));
            }
            return Ok(Outcome::Rejected);
        }
        Err(SolveError::Exhausted(what)) => {
            counts.exhausted += 1;
            return Err(what.to_string());
        }
    }
    for (sum, rule) in counts.rules.iter_mut().zip(OF_SIZES) {
        *sum += solver.stats().count(rule);
    }
    let form = solver.solved();
    let vars = 0..system.discardable.len();
    let known: Vec<Option<u64>> = vars.clone().map(|var| int(form.dim(dim_var(var)))).collect();
    counts.forced += known.iter().flatten().count() as u64;
    let closed = close(&form, &Roles::default(), Policy::Default);
    let values = closed.ok().map(|closed| {
        let value = |var| match closed.grounding().dim(DimTerm::Var(dim_var(var))) {
            Dim::Unit => 1,
            atom @ Dim::Atom { .. } => int(DimTerm::Dim(atom)).unwrap_or(0),
        };
        vars.map(value).collect::<Vec<u64>>()
    });
    match &values {
        None => counts.undecided += 1,
        Some(sizes) => {
            counts.closed += 1;
            if let Some(rel) = system.relations.iter().find(|rel| !rel.holds(sizes)) {
                return Err(format!("closed to {sizes:?}, but {rel:?}"));
            }
            if let Some(var) = (0..sizes.len()).find(|var| sizes[*var] < system.least(*var)) {
                return Err(format!("closed to {sizes:?}, but {var} is not empty"));
            }
        }
    }
    Ok(Outcome::Solved(known))
}

fn int(term: DimTerm) -> Option<u64> {
    match term.ground()? {
        Dim::Unit => Some(1),
        Dim::Atom { size, .. } => match size.kind() {
            SizeKind::Int(n) => Some(n),
            _ => None,
        },
    }
}

fn check_by_z3(
    system: &System,
    prover: &mut dyn Prover,
    counts: &mut Counts,
) -> anyhow::Result<Result<(), String>> {
    let outcome = match outcome(system, counts) {
        Ok(outcome) => outcome,
        Err(what) => return Ok(Err(what)),
    };
    let text = system.smt(SEARCHED);
    let mut ask = |text: &str, counts: &mut Counts| -> anyhow::Result<bool> {
        let answer = prover.check(text)?;
        counts.asked += 1;
        counts.unknown += u64::from(answer == Answer::Unknown);
        Ok(answer == Answer::Satisfiable)
    };
    match outcome {
        Outcome::Rejected => {
            if ask(&text, counts)? {
                return Ok(Err("rejected, but z3 finds a solution".into()));
            }
        }
        Outcome::Solved(solved) => {
            let known: Vec<(usize, u64)> =
                solved.iter().enumerate().filter_map(|(var, size)| Some((var, (*size)?))).collect();
            if !known.is_empty() {
                let other = known.iter().map(|(var, n)| format!("(distinct x{var} {n})"));
                let other = other.collect::<Vec<_>>().join(" ");
                if ask(&format!("{text}(assert (or false {other}))\n"), counts)? {
                    return Ok(Err(format!("{known:?} are not forced")));
                }
            }
        }
    }
    Ok(Ok(()))
}

fn check_by_enumeration(system: &System, counts: &mut Counts) -> Result<(), String> {
    let solutions = system.solutions(ENUMERATED.most);
    match outcome(system, counts)? {
        Outcome::Rejected => match solutions.first() {
            Some(solution) => Err(format!("rejected, but {solution:?} is a solution")),
            None => Ok(()),
        },
        Outcome::Solved(solved) => {
            for (var, size) in solved.iter().enumerate() {
                let other = |solution: &&Vec<u64>| size.is_some_and(|size| solution[var] != size);
                if let Some(solution) = solutions.iter().find(other) {
                    return Err(format!("{var} is said to be {size:?}, but not in {solution:?}"));
                }
            }
            Ok(())
        }
    }
}

/// A system of windows and concatenations; the first ones are the window `o<+k` with every subset
/// known, and a prefix slice of which nothing is.
fn window_system(rng: &mut Generator, case: u64) -> System {
    use system::Rel;
    let border = Border::VALID;
    let window = Rel::Window { whole: 0, stride: 1, over: 1, dilation: 1, kernel: 2, border };
    let told = |case: u64| {
        let sizes = [(0, 5), (1, 4), (2, 2)];
        sizes.into_iter().filter(move |(var, _)| case >> var & 1 == 1)
    };
    match case {
        0..8 => {
            let mut relations = vec![window];
            relations.extend(told(case).map(|(var, n)| Rel::Known(var, n)));
            System { discardable: vec![false; 3], relations }
        }
        8 => {
            let relations = vec![Rel::Concat { whole: 0, parts: vec![1, 2] }];
            System { discardable: vec![false, false, true], relations }
        }
        _ => System::draw(rng, WINDOWS),
    }
}
