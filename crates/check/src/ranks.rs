//! Ranks: cycles of row variables fail at once and say which constraints make the cycle; systems
//! with ranks end, in a number of steps that grows with the input and the answer.

use anyhow::{Context, ensure};
use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation, Vars},
    dim::Dim,
    term::{DimTerm, RowTerm, RowVar},
};
use lozenge_solve::{Rule, SolveError, Solver, testing::Run};

use crate::{Generator, Mismatch, mismatch::counts};

/// Where a link of a cycle has its extra axis.
#[derive(Clone, Copy, Debug)]
enum Form {
    Leading,
    Trailing,
    Mixed,
    /// Every other link is a cap: the axis is on the result, and two on the operand after it.
    Laundered,
    /// One link asks for many axes, the others give back one each.
    MixedSigns,
}

const FORMS: [Form; 5] =
    [Form::Leading, Form::Trailing, Form::Mixed, Form::Laundered, Form::MixedSigns];

fn axes(n: usize) -> Vec<DimTerm> {
    vec![Dim::int(3).unwrap_or(Dim::Unit).into(); n]
}

/// A variable with `count` axes on one side of it.
fn row(var: u32, count: usize, leading: bool) -> RowTerm {
    let (lead, trail) = if leading { (count, 0) } else { (0, count) };
    RowTerm::open(axes(lead), RowVar::new(var), axes(trail))
}

/// A cycle of `n` inequalities that asks for one axis more than it gives.
fn cycle(n: u32, form: Form) -> Vec<Constraint> {
    let link = |i: u32| {
        let next = (i + 1) % n;
        let (result, operand) = match form {
            Form::Leading => (row(i, 0, true), row(next, 1, true)),
            Form::Trailing => (row(i, 0, true), row(next, 1, false)),
            Form::Mixed => (row(i, 0, true), row(next, 1, i % 2 == 0)),
            Form::Laundered if i % 2 == 0 => (row(i, 0, true), row(next, 2, i % 4 == 0)),
            Form::Laundered => (row(i, 1, i % 4 == 1), row(next, 0, true)),
            Form::MixedSigns if i == 0 => (row(i, 0, true), row(next, n as usize, false)),
            Form::MixedSigns => (row(i, 1, false), row(next, 0, true)),
        };
        Relation::RowIneq(result, operand).with_origin(OriginId::new(i))
    };
    (0..n).map(link).collect()
}

/// Fails at once before anything is minted, and online before a further axis is; names the cycle.
fn check_cycle(n: u32, form: Form) -> anyhow::Result<()> {
    let store = cycle(n, form);
    let all: Vec<OriginId> = store.iter().map(|constraint| constraint.origin).collect();
    let is_cycle = |result: Result<(), SolveError>| match result {
        Err(SolveError::Conflict(conflict)) => {
            conflict.rule == Rule::Ranks && conflict.origins == all && !conflict.policy
        }
        _ => false,
    };

    let begun = Run::begin(Solver::new(), &store).map(|_| ());
    ensure!(
        is_cycle(begun),
        "{n} {form:?}: not rejected as a cycle of all before a rule is applied"
    );

    let mut solver = Solver::new();
    let (last, rest) = store.split_last().context("a cycle has a link")?;
    for constraint in rest {
        solver.extend([constraint]).with_context(|| format!("{n} {form:?}"))?;
    }
    let steps = solver.stats().steps();
    ensure!(is_cycle(solver.extend([last])), "{n} {form:?}: online, not rejected as a cycle");
    ensure!(solver.stats().steps() == steps, "{n} {form:?}: online, a rule was applied first");
    Ok(())
}

/// A random system over `n` variables that has ranks: they are drawn first, and every constraint is
/// made to fit them.
fn satisfiable(rng: &mut Generator) -> Vec<Constraint> {
    let n = rng.u32(1..=30);
    let ranks: Vec<usize> = (0..n).map(|_| rng.usize(0..8)).collect();
    let count = rng.u32(1..=2 * n + 2);
    let constraint = |i: u32, rng: &mut Generator| {
        let (left, right) = (rng.u32(0..n), rng.u32(0..n));
        let (left_axes, mut right_axes) = (rng.usize(0..4), rng.usize(0..4));
        let left_rank = ranks[left as usize] + left_axes;
        while ranks[right as usize] + right_axes > left_rank && right_axes > 0 {
            right_axes -= 1;
        }
        let open = |var, axes: usize, rng: &mut Generator| {
            let lead = rng.usize(0..=axes);
            let one = || DimTerm::UNIT;
            RowTerm::open(vec![one(); lead], RowVar::new(var), vec![one(); axes - lead])
        };
        let left_row = open(left, left_axes, rng);
        let fits = ranks[right as usize] + right_axes <= left_rank;
        let right_row = if fits {
            open(right, right_axes, rng)
        } else {
            RowTerm::closed([], vec![DimTerm::UNIT; rng.usize(0..=left_rank)])
        };
        Relation::RowIneq(left_row, right_row).with_origin(OriginId::new(i))
    };
    (0..count).map(|i| constraint(i, rng)).collect()
}

counts! {
    /// What was solved.
    pub struct Counts {
        /// The cycles, of every length and form.
        pub cycles: u64,
        /// The steps of the systems that have ranks.
        pub steps: u64,
        /// The most steps for each thousand axes of the input and the answer, a case each.
        pub per_thousand_axes: Vec<u64>,
    }
}

/// Rejects the cycles of a length in every form.
///
/// # Errors
/// When one is not rejected at once, or not by what it is.
pub fn check_cycles(n: u32, counts: &mut Counts) -> Result<(), Mismatch> {
    for form in FORMS {
        // A cycle through caps alone gives back more than it asks for unless it is even.
        if matches!(form, Form::Laundered) && n % 2 == 1 {
            continue;
        }
        check_cycle(n, form)?;
        counts.cycles += 1;
    }
    Ok(())
}

/// Draws a system that has ranks, and solves it.
///
/// # Errors
/// When it is rejected.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let store = satisfiable(rng);
    let mut solver = Solver::new();
    solver.extend(&store).map_err(|rejection| Mismatch::of_store(rejection, &store))?;
    let form = solver.solved();
    let vars = Vars::of(&store);
    let answer: usize = vars.rows.iter().map(|var| 1 + form.row(*var).flanks.rank()).sum();
    let input: usize = store
        .iter()
        .map(|constraint| match &constraint.relation {
            Relation::RowIneq(left, right) => 2 + left.flanks.rank() + right.flanks.rank(),
            _ => 2,
        })
        .sum();
    let steps = solver.stats().steps();
    counts.steps += steps;
    counts.per_thousand_axes.push(steps * 1_000 / (input + answer) as u64);
    Ok(())
}
