//! What every single step keeps, and what a whole run keeps.
//!
//! A configuration denotes the constraints it asks over its unbound variables; a bound variable is
//! what it is bound to, marker included. For every step:
//!
//! * semantic: every marked solution before extends to one after, and every one-shot solution after
//!   restricts to one before. A semantic failure had no marked solution.
//! * policy: the second half only.
//! * either: every assignment of ranks before extends to one after.
//!
//! A run without policy steps and without deferrals keeps the same from its first configuration to
//! its solved form: that is the representation theorem. Where the solved form has no bounds at
//! all, every grounding of its bindings is a solution: the principal model.

use lozenge_calculus::{
    constraint::{Constraint, Relation, Vars},
    dim::Dim,
    judge::Judge,
    row::{Flanks, Row},
    term::{DimTerm, DimVar, Grounding, RowTerm, RowVar},
};
use lozenge_solve::{
    Budget, Class, Options, Rule, SolveError, Solver,
    testing::{Run, Standing, verify},
};

use crate::{
    Generator, Mismatch, generate,
    mismatch::counts,
    oracle::{Universe, extents},
};

const LIMITS: &[generate::Limits] = &[
    generate::Limits { dim_vars: 2, row_vars: 1, flank: 2, constraints: 3 },
    generate::Limits { dim_vars: 1, row_vars: 2, flank: 1, constraints: 4 },
    generate::Limits { dim_vars: 3, row_vars: 0, flank: 0, constraints: 6 },
    generate::Limits { dim_vars: 0, row_vars: 3, flank: 1, constraints: 4 },
];

/// The highest rank of a row variable that is tried.
const MAX_RANK: usize = 2;

/// Configurations with more solutions than this are checked on so many of them.
const MAX_SOLUTIONS: usize = 2_000;

counts! {
    /// What was checked.
    pub struct Counts {
        pub configurations: u64,
        pub semantic: u64,
        pub policy: u64,
        pub failures: u64,
        pub runs: u64,
        pub principal: u64,
        pub ranks: u64,
        pub solutions: u64,
    }
}

/// Draws a store and checks it.
///
/// # Errors
/// When a step loses a solution or makes one.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let limits = LIMITS[rng.usize(..LIMITS.len())];
    let store = generate::store(rng, limits);
    let options =
        Options::DEFAULT.with_budget(Budget::DEFAULT.with_steps(60).with_minted(12).with_rank(12));
    let options = if rng.bool() { options } else { options.without_ranks() };
    check_store(&store, options, counts).map_err(|what| Mismatch::of_store(what, &store))
}

/// What a configuration says of the variables of an earlier one.
struct After<'a> {
    standing: Standing<'a>,
    asked: Vec<Constraint>,
}

fn check_store(store: &[Constraint], options: Options, counts: &mut Counts) -> Result<(), String> {
    let universe = Universe::of(store, MAX_RANK);
    let mut run = match Run::begin(Solver::with_options(options), store) {
        Ok(run) => run,
        Err(SolveError::Exhausted(_)) => return Ok(()),
        Err(SolveError::Conflict(conflict)) => {
            counts.failures += 1;
            counts.configurations += 1;
            return refuted(&universe, store, &format!("{conflict}"));
        }
    };
    let start = run.standing().asked();
    let mut before = start.clone();
    loop {
        let step = run.step();
        let taken = match &step {
            Ok(None) => break,
            Ok(Some(taken)) => *taken,
            Err(SolveError::Exhausted(_)) => return Ok(()),
            Err(SolveError::Conflict(conflict)) => {
                counts.failures += 1;
                counts.configurations += 1;
                return refuted(&universe, &before, &format!("{conflict}"));
            }
        };
        counts.configurations += 1;
        let standing = run.standing();
        let after = After { asked: standing.asked(), standing };
        let name = taken.rule;
        match taken.class {
            Class::Semantic => {
                counts.semantic += 1;
                counts.solutions += after.keeps_marked(&universe, &before, name)?;
            }
            Class::Policy => counts.policy += 1,
        }
        counts.solutions += after.keeps_one_shot(&universe, &before, name)?;
        counts.ranks += after.keeps_ranks(&before, name)?;
        before = after.asked;
    }
    let at_end = run.clone();
    let solver = run.finish().ok_or("something is left to ask")?;
    verify(&solver).map_err(|broken| format!("{broken:?}"))?;
    if solver.policy_steps() == 0 && solver.deferred().is_none() {
        let after = After { standing: at_end.standing(), asked: before };
        counts.runs += 1;
        after.keeps_marked(&universe, &start, Rule::Ranks)?;
        after.keeps_one_shot(&universe, &start, Rule::Ranks)?;
        if after.asked.is_empty() {
            counts.principal += 1;
            after.is_model(&universe, &start)?;
        }
    }
    Ok(())
}

fn refuted(universe: &Universe, constraints: &[Constraint], what: &str) -> Result<(), String> {
    match extents::find(universe, Judge::Marked, constraints) {
        None => Ok(()),
        Some(ground) => {
            Err(format!("{what}, but {ground} is a marked solution of {}", show(constraints)))
        }
    }
}

fn show(constraints: &[Constraint]) -> String {
    let texts: Vec<String> = constraints.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

impl After<'_> {
    /// Every marked solution before extends to one after.
    fn keeps_marked(
        &self,
        universe: &Universe,
        before: &[Constraint],
        rule: Rule,
    ) -> Result<u64, String> {
        let solutions = extents::solutions(universe, Judge::Marked, before);
        for ground in solutions.iter().take(MAX_SOLUTIONS) {
            let kept = self
                .extend(ground)
                .is_some_and(|extended| Judge::Marked.satisfies_all(&extended, &self.asked));
            if !kept {
                return Err(format!(
                    "{rule} loses {ground} of {}; after: {}",
                    show(before),
                    show(&self.asked)
                ));
            }
        }
        Ok(solutions.len() as u64)
    }

    /// Every one-shot solution after restricts to one before.
    fn keeps_one_shot(
        &self,
        universe: &Universe,
        before: &[Constraint],
        rule: Rule,
    ) -> Result<u64, String> {
        let solutions = extents::solutions(universe, Judge::OneShot, &self.asked);
        for ground in solutions.iter().take(MAX_SOLUTIONS) {
            let restricted = self.restrict(ground, before);
            if !Judge::OneShot.satisfies_all(&restricted, before) {
                return Err(format!(
                    "{rule} makes {restricted} of {}; after: {}",
                    show(before),
                    show(&self.asked)
                ));
            }
        }
        Ok(solutions.len() as u64)
    }

    /// Every grounding of the bindings satisfies the constraints.
    fn is_model(&self, universe: &Universe, constraints: &[Constraint]) -> Result<(), String> {
        let form = &self.standing;
        let vars = Vars::of(constraints);
        let mut free = Vars::default();
        for &var in &vars.dims {
            free.dims.extend(form.dim(var).var());
        }
        for &var in &vars.rows {
            let row = form.row(var);
            free.dims.extend(row.dim_vars());
            free.rows.extend(row.var);
        }
        // A constraint that always holds, to have all the groundings of the free variables.
        let top = RowTerm::from(&Flanks::empty());
        let dims = free.dims.iter().map(|var| Relation::DimIneq((*var).into(), DimTerm::UNIT));
        let rows = free.rows.iter().map(|var| Relation::RowIneq((*var).into(), top.clone()));
        let always: Vec<Constraint> =
            dims.chain(rows).map(|r| r.with_origin(constraints[0].origin)).collect();
        for ground in
            extents::solutions(universe, Judge::OneShot, &always).iter().take(MAX_SOLUTIONS)
        {
            let restricted = self.restrict(ground, constraints);
            if !Judge::OneShot.satisfies_all(&restricted, constraints) {
                return Err(format!("{restricted} is no solution of {}", show(constraints)));
            }
        }
        Ok(())
    }

    /// Every assignment of ranks before extends to one after.
    fn keeps_ranks(&self, before: &[Constraint], rule: Rule) -> Result<u64, String> {
        let vars: Vec<RowVar> = Vars::of(before).rows.into_iter().collect();
        let mut ranks = vec![0; vars.len()];
        let mut models = 0;
        loop {
            let rank = |var: RowVar| vars.iter().position(|v| *v == var).map(|i| ranks[i]);
            if before.iter().all(|c| ranks_hold(&c.relation, &rank)) {
                models += 1;
                let mut extended: Vec<(RowVar, i64)> = vec![];
                for (&var, &rank) in vars.iter().zip(&ranks) {
                    let term = self.standing.row(var);
                    let inner = rank - i64::try_from(term.flanks.rank()).unwrap_or(i64::MAX);
                    match term.var {
                        None if inner == 0 => {}
                        Some(tail) if inner >= 0 => extended.push((tail, inner)),
                        _ => {
                            return Err(format!(
                                "{rule} loses the rank {rank} of {var:?} in {}",
                                show(before)
                            ));
                        }
                    }
                }
                let rank = |var: RowVar| extended.iter().find(|(v, _)| *v == var).map(|(_, r)| *r);
                if !self.asked.iter().all(|c| ranks_hold(&c.relation, &rank)) {
                    return Err(format!("{rule} loses ranks {ranks:?} of {}", show(before)));
                }
            }
            let Some(next) = ranks.iter().position(|rank| *rank < 3) else { return Ok(models) };
            ranks[next] += 1;
            ranks[..next].fill(0);
        }
    }

    /// The grounding of the unbound variables that agrees with `ground`, if there is one.
    fn extend(&self, ground: &Grounding) -> Option<Grounding> {
        let form = &self.standing;
        let mut values = Values::default();
        for (var, dim) in ground.dims() {
            values.dim(form.dim(var), dim)?;
        }
        for (var, row) in ground.rows() {
            values.row(&form.row(var), row)?;
        }
        Some(Grounding::new(values.dims, values.rows))
    }

    /// The grounding of the variables of `constraints` that `ground` gives.
    fn restrict(&self, ground: &Grounding, constraints: &[Constraint]) -> Grounding {
        let form = &self.standing;
        let vars = Vars::of(constraints);
        Grounding::new(
            vars.dims.iter().map(|var| (*var, ground.dim(form.dim(*var)))),
            vars.rows.iter().map(|var| (*var, ground.row(&form.row(*var)))),
        )
    }
}

/// Values that terms must have.
#[derive(Default)]
struct Values {
    dims: std::collections::BTreeMap<DimVar, Dim>,
    rows: std::collections::BTreeMap<RowVar, Row>,
}

impl Values {
    fn dim(&mut self, term: DimTerm, value: Dim) -> Option<()> {
        let known = match term {
            DimTerm::Dim(dim) => dim,
            DimTerm::Var(var) => *self.dims.entry(var).or_insert(value),
        };
        (known == value).then_some(())
    }

    fn row(&mut self, term: &RowTerm, value: &Row) -> Option<()> {
        let (lead, trail) = (term.flanks.lead().len(), term.flanks.trail().len());
        let inner_lead = value.lead().get(lead..)?;
        let inner_trail = value.trail().get(..value.trail().len().checked_sub(trail)?)?;
        let inner = Flanks::new(inner_lead.to_vec(), inner_trail.to_vec());
        let known = match term.var {
            None => Flanks::empty(),
            Some(var) => self.rows.entry(var).or_insert_with(|| inner.clone()).clone(),
        };
        let outer = value.lead()[..lead].iter().chain(&value.trail()[inner_trail.len()..]);
        for (entry, dim) in term.flanks.flat().iter().zip(outer) {
            self.dim(*entry, *dim)?;
        }
        (known == inner).then_some(())
    }
}

/// Whether ranks allow a constraint to hold. A variable of unknown rank allows everything.
fn ranks_hold(relation: &Relation, rank: &dyn Fn(RowVar) -> Option<i64>) -> bool {
    let of = |row: &RowTerm| {
        let known = i64::try_from(row.flanks.rank()).ok()?;
        Some(known + row.var.map_or(Some(0), rank)?)
    };
    let (Relation::RowEq(left, right) | Relation::RowIneq(left, right)) = relation else {
        return true;
    };
    match (relation, of(left), of(right)) {
        (Relation::RowEq(..), Some(left), Some(right)) => left == right,
        (_, Some(left), Some(right)) => left >= right,
        _ => true,
    }
}
