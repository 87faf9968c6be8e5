//! What a search has supposed, kept in a solver: as little of it as is needed.

use alloc::{boxed::Box, collections::BTreeMap, vec::Vec};

use crate::{
    Solver,
    close::{Policy, Roles, close},
    independent::independent_parts,
    search::Outcome,
};
use lozenge_calculus::{
    constraint::{Constraint, Relation},
    term::RowVar,
};

use super::{decision::Supposition, effort::Effort, search::rounds, suppose::suppose};

/// A solver that has taken the constraints in this order, with what must be supposed of row
/// variables so that none is refused. If nothing does, some constraints that have no one-shot
/// solution.
///
/// What is supposed in one part depends on nothing in another, so each has as many runs as if it
/// were alone.
pub(super) fn place(
    blank: &Solver,
    constraints: &[&Constraint],
    effort: &mut Effort,
) -> Placed<Vec<usize>> {
    let mut by_part: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, part) in independent_parts(constraints.iter().copied()).into_iter().enumerate() {
        by_part.entry(part).or_default().push(place);
    }
    let Effort { runs, tries, .. } = *effort;
    let mut supposed = Some(Vec::new());
    for places in by_part.values() {
        (effort.runs, effort.tries) = (runs, tries);
        let of_part: Vec<&Constraint> = places.iter().map(|place| constraints[*place]).collect();
        match suppositions(blank, &of_part, effort) {
            Outcome::Solution(more) => {
                if let Some(supposed) = &mut supposed {
                    supposed.extend(more);
                }
            }
            Outcome::Refuted(members) => {
                return Placed::Refuted(members.into_iter().map(|member| places[member]).collect());
            }
            // Another part may have no solution.
            Outcome::Beyond => supposed = None,
        }
    }
    match supposed.and_then(|supposed| with(blank, &supposed, constraints)) {
        Some(solver) => Placed::Solver(Box::new(solver)),
        // Where something was found for all parts, only the work may differ.
        None => Placed::Beyond,
    }
}

/// What must be supposed of row variables so that none of the constraints is refused.
fn suppositions(
    blank: &Solver,
    constraints: &[&Constraint],
    effort: &mut Effort,
) -> Outcome<Vec<(RowVar, Supposition)>, Vec<usize>> {
    let (outcome, mut supposed) = rounds(blank, constraints, effort, false);
    match outcome {
        Outcome::Solution(_) => {}
        Outcome::Refuted(core) => return Outcome::Refuted(core.constraints.into_iter().collect()),
        Outcome::Beyond => return Outcome::Beyond,
    }
    // What closing finds too is left to it: what was supposed last because of what came before,
    // rows that are counted together, then one after another.
    let is_needed = |fewer: &[(RowVar, Supposition)]| {
        !with(blank, fewer, constraints).is_some_and(|solver| closes(&solver))
    };
    let least = (0..supposed.len()).find(|count| !is_needed(&supposed[..*count]));
    supposed.truncate(least.unwrap_or(supposed.len()));
    for rows in constraints.iter().filter_map(|constraint| counted_together(constraint)) {
        let mut fewer = supposed.clone();
        fewer.retain(|(var, _)| !rows.contains(var));
        if fewer.len() + 1 < supposed.len() && !is_needed(&fewer) {
            supposed = fewer;
        }
    }
    for place in (0..supposed.len()).rev() {
        let mut fewer = supposed.clone();
        fewer.remove(place);
        if !is_needed(&fewer) {
            supposed = fewer;
        }
    }
    Outcome::Solution(supposed)
}

/// The row variables that a constraint counts together: what is supposed of some says what the
/// others have.
fn counted_together(constraint: &Constraint) -> Option<Vec<RowVar>> {
    let Relation::Size(relation) = &constraint.relation else { return None };
    let rows: Vec<RowVar> = relation.rows().filter_map(|row| row.var).collect();
    (rows.len() > 1).then_some(rows)
}

/// The solver with these suppositions, if it takes the constraints.
fn with(
    blank: &Solver,
    supposed: &[(RowVar, Supposition)],
    constraints: &[&Constraint],
) -> Option<Solver> {
    let mut solver = blank.blank();
    suppose(&mut solver, supposed).ok()?;
    solver.take_all(constraints.iter().copied()).ok()?;
    Some(solver)
}

fn closes(solver: &Solver) -> bool {
    close(&solver.solved(), &Roles::default(), Policy::Upward).is_ok()
}

/// What [`place`] finds.
pub(super) enum Placed<Core> {
    Solver(Box<Solver>),
    Refuted(Core),
    Beyond,
}
