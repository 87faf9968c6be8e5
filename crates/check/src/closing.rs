//! Closing: what closed values do not depend on, and what they are best among.
//!
//! * The order in which constraints come does not matter where origins hold the program order, and
//!   neither does giving them one at a time: the closed values are the same.
//! * γ↑ is the greatest solution. In the row order among the marked solutions, on runs without
//!   policy steps; in the one-shot order among all solutions, on runs where nothing waits and no
//!   rule narrowed where a marker stands. Where a policy step placed one it can fail, and that is
//!   counted.
//! * A leaf of which all caps are ground takes the least value above them.

use lozenge_calculus::{
    constraint::{Constraint, Relation, Vars},
    dim::Dim,
    judge::Judge,
    row::Row,
    term::{DimTerm, RowTerm, RowVar},
};
use lozenge_solve::{
    Rule, Solver,
    close::{Policy, Role, Roles, close},
};

use crate::{
    Generator, Mismatch, generate,
    mismatch::counts,
    oracle::{Universe, extents},
    stores::{LIMITS, roles},
};

/// Stores whose solutions are all enumerated are smaller.
const SMALL: generate::Limits =
    generate::Limits { dim_vars: 2, row_vars: 2, flank: 1, constraints: 4 };

const MAX_RANK: usize = 2;

counts! {
    /// What was closed.
    pub struct Counts {
        pub compared: u64,
        pub demotions: u64,
        pub marked_runs: u64,
        pub one_shot_runs: u64,
        /// One-shot solutions that γ↑ is not above, after a rule placed a marker.
        pub after_placement: u64,
        pub least: u64,
    }
}

/// Draws two stores and closes them, in three orders and beside all their solutions.
///
/// # Errors
/// When a closed value depends on the order, or another one is better.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let store = generate::store(rng, LIMITS);
    let small = generate::store(rng, SMALL);
    let permuted = permuted(&store, rng, counts);
    let greatest = greatest(&small, counts);
    let least = least(&store, counts);
    for (result, store) in [(permuted, &store), (greatest, &small), (least, &store)] {
        result.map_err(|what| Mismatch::of_store(what, store))?;
    }
    Ok(())
}

/// Closes a store in three orders of asking, which must not matter.
fn permuted(store: &[Constraint], rng: &mut Generator, counts: &mut Counts) -> Result<(), String> {
    let mut solver = Solver::new();
    if solver.extend(store).is_err() {
        return Ok(());
    }
    let roles = roles(store, false, rng);
    let mut shuffled: Vec<&Constraint> = store.iter().collect();
    rng.shuffle(&mut shuffled);
    let mut other = Solver::new();
    other.extend(shuffled.iter().copied()).map_err(|rejection| rejection.to_string())?;
    let mut online = Solver::new();
    for constraint in store {
        online.extend([constraint]).map_err(|rejection| rejection.to_string())?;
    }
    counts.compared += 1;
    for policy in [Policy::Default, Policy::Upward] {
        let close = |solver: &Solver| close(&solver.solved(), &roles, policy);
        let closed = close(&solver);
        let values = |closed: &Result<lozenge_solve::close::Closed, _>| {
            closed.as_ref().ok().map(|closed| closed.grounding().clone())
        };
        for (what, other) in [("shuffled", &other), ("one by one", &online)] {
            let other = close(other);
            if values(&closed) != values(&other) {
                return Err(format!("{what}: {:?}, not {:?}", values(&other), values(&closed)));
            }
        }
        counts.demotions += closed.map_or(0, |closed| closed.demotions() as u64);
    }
    Ok(())
}

/// Holds γ↑ against all solutions.
fn greatest(store: &[Constraint], counts: &mut Counts) -> Result<(), String> {
    let mut solver = Solver::new();
    if solver.extend(store).is_err() || !solver.deferred().is_none() {
        return Ok(());
    }
    let vars = Vars::of(store);
    let greatest = solver.solved().greatest();
    let universe = Universe::of(store, MAX_RANK);
    let narrowing = [Rule::RiDeficit, Rule::RiShift, Rule::RiAntisym];
    let narrowed = narrowing.iter().any(|rule| solver.stats().count(*rule) > 0);
    let placed = solver.policy_steps() > 0 || narrowed;
    let below = |judge: Judge| {
        extents::solutions(&universe, judge, store).into_iter().find(|solution| {
            let dims = vars.dims.iter().map(|var| {
                let var = DimTerm::Var(*var);
                solution.dim(var).refines(greatest.dim(var))
            });
            let rows = vars.rows.iter().map(|var| {
                let (row, above) = (solution.row_var(*var), greatest.row_var(*var));
                match judge {
                    Judge::Marked => row.refines(&above),
                    Judge::OneShot => row.refines_once(&above),
                }
            });
            !dims.chain(rows).all(|holds| holds)
        })
    };
    if solver.policy_steps() == 0 {
        counts.marked_runs += 1;
        if let Some(solution) = below(Judge::Marked) {
            return Err(format!("γ↑ = {greatest} is not above the marked solution {solution}"));
        }
    }
    match below(Judge::OneShot) {
        None => counts.one_shot_runs += 1,
        Some(_) if placed => counts.after_placement += 1,
        Some(solution) => {
            return Err(format!("γ↑ = {greatest} is not above the solution {solution}"));
        }
    }
    Ok(())
}

/// Closes each row variable as the only leaf, if all its caps are ground, and holds the value
/// against all rows above the caps.
fn least(store: &[Constraint], counts: &mut Counts) -> Result<(), String> {
    let mut solver = Solver::new();
    if solver.extend(store).is_err() || !solver.deferred().is_none() {
        return Ok(());
    }
    let vars = Vars::of(store);
    for var in vars.rows {
        let Some(caps) = ground_caps(&solver, var) else { continue };
        let roles = Roles::new([(var, Role::Leaf)]);
        let closed = close(&solver.solved(), &roles, Policy::Default);
        let closed = closed.map_err(|unclosed| unclosed.to_string())?;
        let value = closed.grounding().row_var(var);
        let above = |row: &Row| caps.iter().all(|cap| cap.refines(row));
        if !above(&value) {
            return Err(format!("{value} is not above the caps of ⟨{}⟩", var.index()));
        }
        let universe = Universe::of(store, value.rank() + 1);
        let rows = universe.rows();
        if let Some(row) = rows.iter().find(|row| above(row) && !value.refines(row)) {
            return Err(format!("{value} is not the least above the caps: {row}"));
        }
        counts.least += 1;
    }
    for var in vars.dims {
        let Some(cap) = solver.solved().cap(var) else { continue };
        let roles = Roles::new([(var, Role::Leaf)]);
        let closed = close(&solver.solved(), &roles, Policy::Default);
        let closed = closed.map_err(|unclosed| unclosed.to_string())?;
        let value: Dim = closed.grounding().dim(var.into());
        if value != cap {
            return Err(format!("?{} closed to {value}, not to its cap {cap}", var.index()));
        }
        counts.least += 1;
    }
    Ok(())
}

/// The caps of an unbound row variable, if there are some, all of them are ground, and no variable
/// is below it.
fn ground_caps(solver: &Solver, var: RowVar) -> Option<Vec<Row>> {
    let form = solver.solved();
    let bare = RowTerm::from(var);
    if form.row(var) != bare {
        return None;
    }
    let mut caps = vec![];
    for residual in form.residual() {
        if let Relation::RowIneq(result, operand) = residual.relation {
            if operand == bare {
                caps.push(result.ground()?);
            }
        }
    }
    (!caps.is_empty()).then_some(caps)
}
