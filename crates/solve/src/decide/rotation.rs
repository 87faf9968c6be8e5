//! Rotations: constraints of which only the rank modulo something matters.
//!
//! `s⟨ρ⟩ ≈ ⟨ρ⟩t` equates position by position, each with the one `|s|` further on. So the positions
//! fall into chains, from `s` through the row to `t`, and there is a solution of rank n iff no
//! chain joins what cannot be joined. Which end of `s` meets which end of `t` depends on n modulo
//! `|s|`. The same holds of `s⟨ρ⟩ ⊑ ⟨ρ⟩t`, where chains are ordered; where it inserts axes, because
//! `s` is longer, a chain makes steps of `|s|` before the marker and of `|t|` behind it, and only n
//! modulo `|t|` and the place of the marker modulo `|s|` matter. So if all of a row of ranks are
//! refuted, as many as there are remainders and flanks, all higher ones are.
//!
//! The same holds of a *cycle* of constraints in which every variable is once on a left and once on
//! a right side, if nothing can be inserted on the way around: its chains make one step of their
//! sum. And of either with variables replaced that an equality says are other rows.

use alloc::vec::Vec;

use lozenge_calculus::{
    constraint::Relation,
    term::{RowTerm, RowVar, Substitution},
};

/// How many axes of a row constraint are known.
pub(super) fn flanks(relation: &Relation) -> usize {
    match relation {
        Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => 0,
        Relation::RowEq(l, r) | Relation::RowIneq(l, r) => l.flanks.rank() + r.flanks.rank(),
    }
}

/// How many ranks in a row must be refuted so that all higher ones are, if these constraints are a
/// rotation. Those without row variables do not matter to it.
pub(super) fn rotation<'a>(relations: impl Iterator<Item = &'a Relation>) -> Option<usize> {
    let of_rows = |relation: &&Relation| match relation {
        Relation::RowEq(l, r) | Relation::RowIneq(l, r) => l.var.is_some() || r.var.is_some(),
        Relation::DimEq(..) | Relation::DimIneq(..) => false,
        Relation::Size(_) => true, // and then it is none
    };
    let mut rows: Vec<Relation> = relations.filter(of_rows).cloned().collect();
    let known: usize = rows.iter().map(flanks).sum();
    let alone = rows.len() == 1;
    while let Some((place, var, row)) = rows.iter().enumerate().find_map(definition) {
        let sub = Substitution::bind_row(var, row).ok()?;
        rows.remove(place);
        rows = rows.iter().map(|relation| relation.substitute(&sub)).collect();
    }
    match (cycle(&rows)?, alone) {
        // A solution of a rank that is higher by the length of `s` is one of this rank with `s` put
        // in.
        (Slack::None, true) => Some(known / 2),
        (Slack::None, false) => Some(known),
        (Slack::Some, _) => Some(2 * known),
    }
}

/// Whether axes can be inserted on the way around a cycle.
enum Slack {
    None,
    Some,
}

/// An equality that says what a variable is, if this is one: its place, the variable, and the row.
fn definition((place, relation): (usize, &Relation)) -> Option<(usize, RowVar, RowTerm)> {
    let Relation::RowEq(left, right) = relation else { return None };
    let defines = |bare: &RowTerm, row: &RowTerm| match bare.var {
        Some(var) if bare.flanks.rank() == 0 && row.var != Some(var) => {
            Some((place, var, row.clone()))
        }
        Some(_) | None => None,
    };
    defines(left, right).or_else(|| defines(right, left))
}

/// The cycle that the constraints are, if they are one: each variable stands twice, all
/// inequalities go the same way around, and nothing can be inserted, unless it is one constraint of
/// a variable with itself.
fn cycle(rows: &[Relation]) -> Option<Slack> {
    let mut left: Vec<&Relation> = rows.iter().collect();
    let Some(Relation::RowEq(l, r) | Relation::RowIneq(l, r)) = left.pop() else { return None };
    let (Some(first), Some(mut at)) = (l.var, r.var) else { return None };
    let mut slack = known(l) - known(r);
    while at != first {
        let mut found = None;
        for (place, relation) in left.iter().enumerate() {
            let (Relation::RowEq(l, r) | Relation::RowIneq(l, r)) = relation else { return None };
            let backwards = matches!(relation, Relation::RowEq(..)) && r.var == Some(at);
            if l.var == Some(at) || backwards {
                let (from, to) = if l.var == Some(at) { (l, r) } else { (r, l) };
                if found.replace((place, from, to)).is_some() {
                    return None; // it stands more than twice
                }
            }
        }
        let Some((place, from, RowTerm { var: Some(next), flanks })) = found else { return None };
        slack += known(from) - i64::try_from(flanks.rank()).unwrap_or(i64::MAX / 4);
        at = *next;
        left.remove(place);
    }
    match (left.is_empty(), slack, rows.len()) {
        (true, 0, _) => Some(Slack::None),
        (true, _, 1) => Some(Slack::Some),
        (_, _, _) => None,
    }
}

fn known(row: &RowTerm) -> i64 {
    i64::try_from(row.flanks.rank()).unwrap_or(i64::MAX / 4)
}
