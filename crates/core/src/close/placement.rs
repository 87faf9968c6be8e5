//! Where two declarations place a marker differently, and it matters.
//!
//! An equality forgets markers, so two of them can give one row two places for its marker. The first in
//! program order holds. Most programs never notice; but where the row is broadcast to a higher rank
//! afterwards, axes are inserted at the marker, and a person who wrote the other declaration should
//! be told.

use alloc::{collections::BTreeMap, vec::Vec};

use crate::{
    constraint::{Constraint, OriginId, Relation},
    row::Flanks,
    term::{Grounding, RowTerm, RowVar, Variable},
};

use super::{Closing, Note};

impl Closing<'_> {
    /// Adds a note for every declaration that lost against another, where an inequality sees it.
    pub(super) fn note_placements(&mut self, ground: &Grounding) {
        if self.solver.policy_steps() == 0 {
            return;
        }
        let form = self.solver.solved();
        let given = |index: u32| form.given(index);
        let mut notes = Vec::new();
        // Who sees a marker in which place.
        let mut seen: BTreeMap<(RowVar, usize), Option<OriginId>> = BTreeMap::new();
        // The inequalities by the variable of their operand, made when first needed.
        let mut operands: Option<BTreeMap<RowVar, Vec<Constraint>>> = None;
        for loser in 0..self.first {
            let equality = given(loser);
            let Relation::RowEq(left, right) = &equality.relation else { continue };
            for (side, other) in [(left, right), (right, left)] {
                let Some((var, lead)) = other_place(ground, side, other) else { continue };
                let Some(winner) = self.solver.placed_by(var).filter(|winner| *winner < loser)
                else {
                    continue;
                };
                let operands =
                    &*operands.get_or_insert_with(|| by_operand((0..self.first).map(given)));
                let seen_by = *seen.entry((var, lead)).or_insert_with(|| {
                    let sees = |constraint: &&Constraint| sees(ground, constraint, var, lead);
                    operands.get(&var).into_iter().flatten().find(sees).map(|found| found.origin)
                });
                let Some(seen_by) = seen_by else { continue };
                notes.push(Note::PlacementCompetes {
                    var: Variable::Row(var),
                    holds: self.solver.given_origin(winner),
                    yields: equality.origin,
                    seen_by,
                });
            }
        }
        notes.dedup();
        self.notes.extend(notes);
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

/// Whether an inequality that has `var` in its operand would compare other axes if the marker of `var`
/// stood after `lead` axes.
fn sees(ground: &Grounding, constraint: &Constraint, var: RowVar, lead: usize) -> bool {
    let Relation::RowIneq(result, operand) = &constraint.relation else { return false };
    let inner = ground.row_var(var);
    let moved =
        Flanks::new(inner.flat()[..lead].iter().copied(), inner.flat()[lead..].iter().copied());
    let host = operand.flanks.map(|entry| ground.dim(*entry));
    let rank = ground.row(result).rank();
    host.splice(&inner).expand(rank) != host.splice(&moved).expand(rank)
}
