//! Constraints that a batch has twice.

use lozenge_calculus::constraint::{ConstraintRef, RelationRef};

/// The most constraints of one origin that are looked through for a repetition: nobody asks for
/// more at one place, but for those who do not say where they ask.
const OF_ONE_ORIGIN: usize = 32;

/// Whether a batch in program order has the same constraint, from the same origin, shortly before
/// this place.
pub(crate) fn is_repeated(batch: &[ConstraintRef<'_>], place: usize) -> bool {
    let asked = &batch[place];
    let before = batch[..place].iter().rev().take(OF_ONE_ORIGIN);
    let mut before = before.take_while(|other| other.origin == asked.origin);
    before.any(|other| may_equal(&other.relation, &asked.relation) && other == asked)
}

/// Whether two relations are not seen at once to differ.
fn may_equal(one: &RelationRef<'_>, other: &RelationRef<'_>) -> bool {
    match (one, other) {
        (RelationRef::RowEq(a, b), RelationRef::RowEq(c, d))
        | (RelationRef::RowIneq(a, b), RelationRef::RowIneq(c, d)) => {
            (a.var, b.var) == (c.var, d.var)
        }
        (_, _) => true,
    }
}
