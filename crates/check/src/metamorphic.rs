//! What must not change the answer.
//!
//! * Renaming the variables, and saying every constraint twice: nothing changes.
//! * Another program order: where no policy step was taken and no rule met shifted flanks, the
//!   verdict and the contents of the solved form stay the same, up to flat equivalence.

use std::collections::BTreeMap;

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Vars},
    row::Flanks,
    term::{DimTerm, DimVar, RowTerm, RowVar, Substitution},
};
use lozenge_solve::{Solver, testing::Run};

use crate::{
    Generator, Mismatch, generate,
    mismatch::counts,
    stores::{LIMITS, Verdict},
};

counts! {
    /// What was compared.
    pub struct Counts {
        pub permuted: u64,
        pub with_policy: u64,
        pub verdict_moved_by_policy: u64,
    }
}

/// Draws a store and checks it.
///
/// # Errors
/// When the answer depends on what it must not depend on.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let store = generate::store(rng, LIMITS);
    check_store(&store, rng, counts).map_err(|what| Mismatch::of_store(what, &store))
}

/// A solved store: the verdict and, unless it was rejected, its contents.
struct Answer {
    verdict: Verdict,
    contents: Vec<String>,
    /// Whether a policy step was taken or flanks were shifted, also on the way to a rejection.
    chosen: bool,
}

/// The variables of a store, in an order of one's own.
struct Order {
    dims: Vec<DimVar>,
    rows: Vec<RowVar>,
}

/// A substitution of every variable by a new one, and the new ones.
fn renaming(vars: &Order, rng: &mut Generator) -> (Substitution, Order) {
    let mut indices: Vec<u32> = (100..110).collect();
    rng.shuffle(&mut indices);
    let dims: Vec<DimVar> = vars.dims.iter().zip(&indices).map(|(_, i)| DimVar::new(*i)).collect();
    let rows: Vec<RowVar> = vars.rows.iter().zip(&indices).map(|(_, i)| RowVar::new(*i)).collect();
    let dim_terms = dims.iter().map(|var| DimTerm::Var(*var));
    let row_terms = rows.iter().map(|var| RowTerm::from(*var));
    let sub = Substitution::new(
        vars.dims.iter().copied().zip(dim_terms),
        vars.rows.iter().copied().zip(row_terms),
    );
    (sub.expect("the new variables are none of the old"), Order { dims, rows })
}

/// Solves a store, and writes down what its variables are bound to, in the order of `vars`.
fn solve(store: &[Constraint], vars: &Order) -> Answer {
    let rejected = |rejection, chosen| {
        let verdict = Verdict::of(&Solver::new(), &Err(rejection));
        Answer { verdict, contents: vec![], chosen }
    };
    let mut run = match Run::begin(Solver::new(), store) {
        Ok(run) => run,
        Err(rejection) => return rejected(rejection, false),
    };
    loop {
        match run.step() {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(rejection) => {
                return rejected(rejection, run.policy_steps() > 0 || run.shifts() > 0);
            }
        }
    }
    let solver = run.finish().expect("nothing is left to ask");
    let verdict = Verdict::of(&solver, &Ok(()));
    let contents = contents(&solver, vars);
    Answer { verdict, contents, chosen: solver.policy_steps() > 0 || solver.shifts() > 0 }
}

/// What the variables are bound to, with unbound variables renamed in order of appearance.
fn contents(solver: &Solver, vars: &Order) -> Vec<String> {
    let form = solver.solved();
    let mut names = Names::default();
    let dims = vars.dims.iter().map(|var| names.dim(form.dim(*var)).to_string());
    let mut contents: Vec<String> = dims.collect();
    for var in &vars.rows {
        let row = form.row(*var);
        let flanks = match row.var {
            // Up to flat equivalence: of a closed row, the marker is left out.
            None => Flanks::new([], row.flanks.flat().iter().map(|entry| names.dim(*entry))),
            Some(_) => row.flanks.map(|entry| names.dim(*entry)),
        };
        contents.push(RowTerm { flanks, var: row.var.map(|var| names.row(var)) }.to_string());
    }
    contents
}

#[derive(Default)]
struct Names {
    dims: BTreeMap<DimVar, DimVar>,
    rows: BTreeMap<RowVar, RowVar>,
}

impl Names {
    fn dim(&mut self, term: DimTerm) -> DimTerm {
        let next = u32::try_from(self.dims.len()).unwrap_or(u32::MAX);
        match term {
            DimTerm::Dim(_) => term,
            DimTerm::Var(var) => (*self.dims.entry(var).or_insert(DimVar::new(next))).into(),
        }
    }

    fn row(&mut self, var: RowVar) -> RowVar {
        let next = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        *self.rows.entry(var).or_insert(RowVar::new(next))
    }
}

fn check_store(
    store: &[Constraint],
    rng: &mut Generator,
    counts: &mut Counts,
) -> Result<(), String> {
    let vars = Vars::of(store);
    let vars =
        Order { dims: vars.dims.into_iter().collect(), rows: vars.rows.into_iter().collect() };
    let answer = solve(store, &vars);
    let same =
        |other: &Answer| other.verdict == answer.verdict && other.contents == answer.contents;
    let told = |what: &str, other: &Answer| {
        format!(
            "{what}: {:?} {:?} became {:?} {:?}",
            answer.verdict, answer.contents, other.verdict, other.contents
        )
    };

    let twice: Vec<Constraint> = store.iter().chain(store).cloned().collect();
    let other = solve(&twice, &vars);
    if !same(&other) {
        return Err(told("said twice", &other));
    }
    let later = OriginId::new(1_000);
    let again = store.iter().map(|constraint| constraint.relation.clone().with_origin(later));
    let appended: Vec<Constraint> = store.iter().cloned().chain(again).collect();
    let other = solve(&appended, &vars);
    if !same(&other) {
        return Err(told("said again at the end", &other));
    }

    let (renaming, renamed_vars) = renaming(&vars, rng);
    let rename = |c: &Constraint| c.relation.substitute(&renaming).with_origin(c.origin);
    let renamed: Vec<Constraint> = store.iter().map(rename).collect();
    let other = solve(&renamed, &renamed_vars);
    if !same(&other) {
        return Err(told("renamed", &other));
    }

    let mut shuffled = store.to_vec();
    rng.shuffle(&mut shuffled);
    for (origin, constraint) in (0..).zip(&mut shuffled) {
        constraint.origin = OriginId::new(origin);
    }
    let other = solve(&shuffled, &vars);
    counts.permuted += 1;
    let agrees =
        if answer.verdict.is_rejection() { other.verdict.is_rejection() } else { same(&other) };
    if answer.chosen || other.chosen {
        counts.with_policy += 1;
        counts.verdict_moved_by_policy +=
            u64::from(answer.verdict.is_rejection() != other.verdict.is_rejection());
    } else if !agrees {
        return Err(told("in another order", &other));
    }
    Ok(())
}
