//! `sizes`: relations between sizes, held against z3 and against enumeration.
//!
//! A system that is rejected has no solution within the bounds drawn; one that closes is satisfied by what
//! it closes to; a size that solving found is that in every solution. What is neither rejected nor closed
//! is undecided, and counted. Nothing may run into the budget.

mod rows;
mod system;

use anyhow::ensure;
use lozenge_calculus::{
    constraint::Constraint, dim::Dim, size::SizeKind, term::DimTerm, text::Names,
};
use lozenge_check::{Generator, border::Border};
use lozenge_solve::{
    Budget, Options, Rule, SolveError, Solver,
    close::{Policy, Roles, close},
};

use crate::{
    parallel,
    z3::{Answer, Pool, Z3},
};
use rows::{Counted, FORMS};
use system::{Limits, System, dim_var};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    cases: crate::Cases,
    /// How many small systems to enumerate for every one that z3 is asked.
    #[arg(long, default_value_t = 4)]
    enumerated: u64,
    /// How many systems of windows and concatenations to solve for every one that z3 is asked.
    #[arg(long, default_value_t = 2)]
    windows: u64,
}

const FOR_Z3: Limits = Limits { vars: 8, relations: 5, most: 32, windows: false };

const ENUMERATED: Limits = Limits { vars: 4, relations: 4, most: 8, windows: false };

const WINDOWS: Limits = Limits { vars: 12, relations: 10, most: 1_000, windows: true };

/// z3 searches sizes up to this, more than the sizes drawn can lead to in a step.
const SEARCHED: u64 = 400;

/// Far beyond what these systems need.
const BUDGET: Budget = Budget { steps: 20_000, minted: 1_000, rank: 100 };

#[derive(Default)]
struct Found {
    rejected: u64,
    closed: u64,
    undecided: u64,
    forced: u64,
    exhausted: u64,
    asked: u64,
    unknown: u64,
    /// How often each rule of sizes was applied.
    rules: [u64; 4],
    mismatches: Vec<String>,
}

const OF_SIZES: [Rule; 4] = [Rule::SizeSolve, Rule::SizeClash, Rule::SizeBound, Rule::SizeKeep];

/// A random store of relations between sizes: a system of one of the kinds, or one over rows.
pub(crate) fn store(rng: &mut Generator) -> Vec<Constraint> {
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

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let seed = args.cases.seed;
    let pool = Pool::new()?;
    let by_z3 = parallel::run(
        args.cases.cases,
        |case, found: &mut Found| {
            let system = System::draw(&mut Generator::new(seed, case), FOR_Z3);
            match pool.ask(|z3| check_by_z3(&system, z3, found)) {
                Ok(Ok(())) => {}
                Ok(Err(what)) => found.mismatches.push(told(case, &system, &what)),
                Err(error) => found.mismatches.push(told(case, &system, &error.to_string())),
            }
        },
        Found::merge,
    );
    by_z3.print("z3", args.cases.cases);
    let small = args.cases.cases * args.enumerated;
    let enumerated = parallel::run(
        small,
        |case, found: &mut Found| {
            let system = System::draw(&mut Generator::new(!seed, case), ENUMERATED);
            if let Err(what) = check_by_enumeration(&system, found) {
                found.mismatches.push(told(case, &system, &what));
            }
        },
        Found::merge,
    );
    enumerated.print("enumeration", small);
    let many = args.cases.cases * args.windows;
    let windows = parallel::run(
        many,
        |case, found: &mut Found| {
            let system = window_system(&mut Generator::new(seed ^ 1, case), case);
            if let Err(what) = outcome(&system, found) {
                found.mismatches.push(told(case, &system, &what));
            }
        },
        Found::merge,
    );
    windows.print("windows and concatenations", many);
    let rows = parallel::run(
        args.cases.cases,
        |case, found: &mut Counted| found.check(case, &mut Generator::new(seed ^ 2, case)),
        Counted::merge,
    );
    rows.print(args.cases.cases);
    let systems = [&by_z3, &enumerated, &windows].map(|found| found.mismatches.len());
    let mismatches = [systems[0], systems[1], systems[2], rows.mismatches.len()];
    println!("seed {seed}");
    println!(
        "cases={} enumerated={small} windows={many} exhausted={} mismatches={}",
        args.cases.cases,
        by_z3.exhausted + enumerated.exhausted + windows.exhausted,
        mismatches.iter().sum::<usize>()
    );
    ensure!(mismatches == [0; 4], "relations between sizes are not kept");
    ensure!(by_z3.exhausted + enumerated.exhausted + windows.exhausted == 0, "the budget ran out");
    for (form, count) in FORMS.iter().zip(rows.forms) {
        ensure!(count * 5 >= args.cases.cases, "only {count} {form}");
    }
    ensure!(by_z3.unknown * 100 <= by_z3.asked, "z3 knows too little");
    Ok(())
}

fn told(case: u64, system: &System, what: &str) -> String {
    let text: Vec<String> = system.constraints().iter().map(ToString::to_string).collect();
    format!("case {case}: {what}\n  {}", text.join("\n  "))
}

/// Solves and closes a system.
fn outcome(system: &System, found: &mut Found) -> Result<Outcome, String> {
    let store = system.constraints();
    let mut solver = Solver::with_options(Options { budget: BUDGET, ..Options::default() });
    match solver.extend(&store) {
        Ok(()) => {}
        Err(SolveError::Conflict(conflict)) => {
            found.rejected += 1;
            found.rules[1] += u64::from(conflict.rule == Rule::SizeClash);
            let blamed = |c: &&Constraint| conflict.origins.contains(&c.origin);
            if Solver::new().extend(store.iter().filter(blamed)).is_ok() {
                return Err(format!("{conflict}, but these alone are accepted"));
            }
            return Ok(Outcome::Rejected);
        }
        Err(SolveError::Exhausted(what)) => {
            found.exhausted += 1;
            return Err(what.to_string());
        }
    }
    for (sum, rule) in found.rules.iter_mut().zip(OF_SIZES) {
        *sum += solver.stats().count(rule);
    }
    let form = solver.solved();
    let vars = 0..system.discardable.len();
    let known: Vec<Option<u64>> = vars.clone().map(|var| int(form.dim(dim_var(var)))).collect();
    found.forced += known.iter().flatten().count() as u64;
    let closed = close(&form, &Roles::default(), Policy::Default);
    let values = closed.ok().map(|closed| {
        let value = |var| match closed.grounding().dim(DimTerm::Var(dim_var(var))) {
            Dim::Unit => 1,
            atom @ Dim::Atom { .. } => int(DimTerm::Dim(atom)).unwrap_or(0),
        };
        vars.map(value).collect::<Vec<u64>>()
    });
    match &values {
        None => found.undecided += 1,
        Some(sizes) => {
            found.closed += 1;
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
            SizeKind::Symbol(_) | SizeKind::Computed(_) => None,
        },
    }
}

fn check_by_z3(
    system: &System,
    z3: &mut Z3,
    found: &mut Found,
) -> anyhow::Result<Result<(), String>> {
    let outcome = match outcome(system, found) {
        Ok(outcome) => outcome,
        Err(what) => return Ok(Err(what)),
    };
    let text = system.smt(SEARCHED);
    let mut ask = |text: &str, found: &mut Found| -> anyhow::Result<bool> {
        let answer = z3.check(text)?;
        found.asked += 1;
        found.unknown += u64::from(answer == Answer::Unknown);
        Ok(answer == Answer::Satisfiable)
    };
    match outcome {
        Outcome::Rejected => {
            if ask(&text, found)? {
                return Ok(Err("rejected, but z3 finds a solution".into()));
            }
        }
        Outcome::Solved(solved) => {
            let known: Vec<(usize, u64)> =
                solved.iter().enumerate().filter_map(|(var, size)| Some((var, (*size)?))).collect();
            if !known.is_empty() {
                let other = known.iter().map(|(var, n)| format!("(distinct x{var} {n})"));
                let other = other.collect::<Vec<_>>().join(" ");
                if ask(&format!("{text}(assert (or false {other}))\n"), found)? {
                    return Ok(Err(format!("{known:?} are not forced")));
                }
            }
        }
    }
    Ok(Ok(()))
}

fn check_by_enumeration(system: &System, found: &mut Found) -> Result<(), String> {
    let solutions = system.solutions(ENUMERATED.most);
    match outcome(system, found)? {
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

impl Found {
    fn print(&self, by: &str, cases: u64) {
        for what in self.mismatches.iter().take(5) {
            println!("{what}");
        }
        println!(
            "{by}: systems={cases} rejected={} closed={} undecided={} ({:.2} %); sizes found={}; asked={} unknown={}",
            self.rejected,
            self.closed,
            self.undecided,
            crate::percent(self.undecided, cases),
            self.forced,
            self.asked,
            self.unknown
        );
        let [solve, clash, bound, keep] = self.rules;
        println!("  size-solve={solve} size-clash={clash} size-bound={bound} size-keep={keep}");
    }

    fn merge(&mut self, other: Found) {
        self.rejected += other.rejected;
        self.closed += other.closed;
        self.undecided += other.undecided;
        self.forced += other.forced;
        self.exhausted += other.exhausted;
        self.asked += other.asked;
        self.unknown += other.unknown;
        for (sum, more) in self.rules.iter_mut().zip(other.rules) {
            *sum += more;
        }
        self.mismatches.extend(other.mismatches);
    }
}
