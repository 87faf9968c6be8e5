//! Closed programs before the judge: every constraint that was given, with the values that closing found.

use lozenge::Closed;
use lozenge_core::{
    constraint::{Constraint, Relation},
    judge::Judge,
    term::{DimTerm, Grounding, RowTerm},
};

use super::build::Built;

/// What the judge does not find satisfied.
#[derive(Clone, Debug)]
pub(crate) enum Unsatisfied {
    /// A constraint that does not hold.
    No(String),
    /// A relation between sizes of which some stay symbolic, so that nobody knows whether it holds.
    Unknown(String),
    /// A template row that is not between the result and the operand it was equated with.
    NotWithin(String),
}

/// Checks every constraint of a closed program, and that every template row is within the operand it was equated
/// with, in the one-shot order (Remark 2.15). Gives the number of constraints and of rows.
pub(crate) fn check(built: &Built, closed: &Closed) -> Result<[u64; 2], Unsatisfied> {
    let ground = closed.grounding();
    let [mut constraints, mut rows] = [0, 0];
    let mut unknown = None;
    for constraint in built.session.constraints() {
        constraints += 1;
        if !Judge::OneShot.satisfies(ground, &constraint) {
            let said = grounded(ground, &constraint);
            if !has_symbol(ground, &constraint) {
                return Err(Unsatisfied::No(said));
            }
            unknown = Some(Unsatisfied::Unknown(said));
        }
        if let Relation::RowEq(template, operand) = &constraint.relation {
            let within = Relation::RowIneq(template.clone(), operand.clone());
            let within = within.with_origin(constraint.origin);
            if !Judge::OneShot.satisfies(ground, &within) {
                return Err(Unsatisfied::NotWithin(grounded(ground, &within)));
            }
            rows += 1;
        }
    }
    unknown.map_or(Ok([constraints, rows]), Err)
}

/// A constraint, and what it is with the values that closing found.
fn grounded(ground: &Grounding, constraint: &Constraint) -> String {
    let dim = |term: DimTerm| DimTerm::Dim(ground.dim(term));
    let row = |term: &RowTerm| RowTerm::from(&ground.row(term));
    let relation = match &constraint.relation {
        Relation::DimEq(left, right) => Relation::DimEq(dim(*left), dim(*right)),
        Relation::DimIneq(result, operand) => Relation::DimIneq(dim(*result), dim(*operand)),
        Relation::RowEq(left, right) => Relation::RowEq(row(left), row(right)),
        Relation::RowIneq(result, operand) => Relation::RowIneq(row(result), row(operand)),
        Relation::Size(relation) => Relation::Size(relation.map(dim, row)),
    };
    format!("{constraint} is {}", relation.with_origin(constraint.origin))
}

/// Whether a relation between sizes has one that stays symbolic.
fn has_symbol(ground: &Grounding, constraint: &Constraint) -> bool {
    let Relation::Size(relation) = &constraint.relation else { return false };
    let found = std::cell::Cell::new(false);
    let dim = |term: DimTerm| {
        let symbolic = ground.dim(term).size().count().is_none();
        found.set(found.get() || symbolic);
        term
    };
    let row = |term: &RowTerm| {
        let symbolic = ground.row(term).flat().iter().any(|dim| dim.size().count().is_none());
        found.set(found.get() || symbolic);
        term.clone()
    };
    let _ = relation.map(dim, row); // only to visit its terms
    found.get()
}
