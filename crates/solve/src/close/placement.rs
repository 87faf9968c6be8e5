//! Where two declarations place a marker differently, and it matters.
//!
//! An equality forgets markers, so two of them can give one row two places for its marker. The
//! first in program order holds, unless only another place fits. Most programs never notice; but
//! where the row is broadcast to a higher rank afterwards, axes are inserted at the marker, and a
//! person who wrote the other declaration should be told.

use alloc::{collections::BTreeMap, vec::Vec};

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation, Vars},
    row::Flanks,
    term::{Grounding, RowTerm, RowVar, Variable},
};

use crate::tables::ids::{GivenId, before};

use super::{
    choice::Note,
    closing::Closing,
    founded::unfounded,
    problem::{CloseError, Problem},
};

impl Closing<'_> {
    /// Adds a note for every declaration that lost against another, where an inequality sees it.
    pub(super) fn note_placements(&mut self, ground: &Grounding) {
        if self.solver.policy_steps() == 0 {
            return;
        }
        let form = self.solver.solved();
        let given = |index: GivenId| form.given(index);
        let mut notes = Vec::new();
        // Who sees a marker in which place.
        let mut seen: BTreeMap<(RowVar, usize), Option<OriginId>> = BTreeMap::new();
        // The inequalities by the variable of their operand, made when first needed.
        let mut operands: Option<BTreeMap<RowVar, Vec<Constraint>>> = None;
        for loser in before(self.first) {
            let equality = given(loser);
            if equality.origin == OriginId::NOBODY {
                continue;
            }
            let Relation::RowEq(left, right) = &equality.relation else { continue };
            for (side, other) in [(left, right), (right, left)] {
                let Some((var, lead)) = other_place(ground, side, other) else { continue };
                let Some(winner) =
                    self.solver.config.tables.placed_by(var).filter(|winner| *winner < loser)
                else {
                    continue;
                };
                let operands =
                    &*operands.get_or_insert_with(|| by_operand(before(self.first).map(given)));
                let seen_by = *seen.entry((var, lead)).or_insert_with(|| {
                    let sees = |constraint: &&Constraint| sees(ground, constraint, var, lead);
                    operands.get(&var).into_iter().flatten().find(sees).map(|found| found.origin)
                });
                let Some(seen_by) = seen_by else { continue };
                notes.push(Note::PlacementCompetes {
                    var: Variable::Row(var),
                    holds: Some(self.solver.config.tables.givens.given_origin(winner))
                        .filter(|origin| *origin != OriginId::NOBODY),
                    yields: equality.origin,
                    seen_by,
                });
            }
        }
        notes.dedup();
        self.notes.extend(notes);
    }

    /// Adds a note for every row whose marker was supposed to stand where it does, because with the
    /// place that its declarations give it something would not fit. Where [nothing says
    /// so](super::founded), that is a problem.
    pub(super) fn note_suppositions(&mut self, ground: &Grounding) -> Result<(), CloseError> {
        let supposed = self.solver.config.reasoner().supposed_flanks(self.first);
        if supposed.is_empty() {
            return Ok(());
        }
        let form = self.solver.solved();
        let asked = || {
            let given = before(self.first).map(|given| form.given(given));
            given.filter(|constraint| constraint.origin != OriginId::NOBODY)
        };
        let all: Vec<Constraint> = asked().collect();
        let unfounded = unfounded(ground, &all, &supposed);
        let (mut notes, mut problems) = (Vec::new(), Vec::new());
        for var in supposed {
            let names = |constraint: &Constraint| {
                let mut vars = Vars::default();
                constraint.relation.collect_vars(&mut vars);
                vars.rows.contains(&var)
            };
            let of_var: Vec<&Constraint> =
                all.iter().filter(|constraint| names(constraint)).collect();
            let declaration = of_var.iter().find_map(|constraint| {
                declared(ground, constraint, var).map(|lead| (constraint, lead))
            });
            let saw = |lead| of_var.iter().find(|constraint| sees(ground, constraint, var, lead));
            let (yields, seen_by) = match declaration {
                Some((yields, lead)) => (Some(yields), saw(lead)),
                None => (of_var.first(), saw(0)),
            };
            let (Some(yields), Some(seen_by)) = (yields, seen_by.or(of_var.last())) else {
                continue;
            };
            let (yields, seen_by) = (yields.origin, seen_by.origin);
            let is_founded = !unfounded.contains(&var);
            let var = Variable::Row(var);
            if is_founded {
                notes.push(Note::PlacementCompetes { var, holds: None, yields, seen_by });
            } else {
                problems.push(Problem::Misplaced { var, yields, seen_by });
            }
        }
        self.notes.extend(notes);
        if problems.is_empty() { Ok(()) } else { Err(CloseError { problems }) }
    }
}

/// How many axes come before the marker of a variable where a constraint places it, if that is
/// another place than it has: the other side of an equality, or an operand that it is the result
/// of.
fn declared(ground: &Grounding, constraint: &Constraint, var: RowVar) -> Option<usize> {
    match &constraint.relation {
        Relation::RowEq(left, right) => {
            let places = [(left, right), (right, left)];
            let places = places.map(|(side, other)| other_place(ground, side, other));
            places.into_iter().flatten().find(|(found, _)| *found == var).map(|(_, lead)| lead)
        }
        Relation::RowIneq(result, operand) if result.var == Some(var) => {
            let (here, above) = (ground.row(result), ground.row(operand));
            let lead = above.lead().len().saturating_sub(result.flanks.lead().len());
            (!here.refines(&above)).then_some(lead.min(ground.row_var(var).rank()))
        }
        Relation::RowIneq(..) | Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => {
            None
        }
    }
}

/// The variable of `side`, and where `other` would place its marker, if that is another place.
fn other_place(ground: &Grounding, side: &RowTerm, other: &RowTerm) -> Option<(RowVar, usize)> {
    let var = side.var?;
    let here = ground.row_var(var);
    // As far as the other marker is within the variable; a bare variable declares nothing.
    if other.var.is_some() && other.flanks.rank() == 0 {
        return None;
    }
    let there = ground.row(other).lead().len().saturating_sub(side.flanks.lead().len());
    let there = there.min(here.rank());
    (there != here.lead().len()).then_some((var, there))
}

/// The row inequalities by the variable of their operand.
fn by_operand(
    constraints: impl IntoIterator<Item = Constraint>,
) -> BTreeMap<RowVar, Vec<Constraint>> {
    let mut by_operand: BTreeMap<RowVar, Vec<Constraint>> = BTreeMap::new();
    for constraint in constraints {
        if let Relation::RowIneq(_, RowTerm { var: Some(var), .. }) = &constraint.relation {
            by_operand.entry(*var).or_default().push(constraint);
        }
    }
    by_operand
}

/// Whether an inequality that has `var` in its operand would compare other axes if the marker of
/// `var` stood after `lead` axes.
fn sees(ground: &Grounding, constraint: &Constraint, var: RowVar, lead: usize) -> bool {
    let Relation::RowIneq(result, operand) = &constraint.relation else { return false };
    let inner = ground.row_var(var);
    let moved =
        Flanks::new(inner.flat()[..lead].iter().copied(), inner.flat()[lead..].iter().copied());
    let host = operand.flanks.map(|entry| ground.dim(*entry));
    let rank = ground.row(result).rank();
    host.splice(&inner).expand(rank) != host.splice(&moved).expand(rank)
}
