//! The row order, the one-shot order, flat equivalence and joins.
//!
//! Left is the result, the lower side, in every signature.

use crate::dim::Dim;

use super::{Flank, Flanks, Row};

impl Row {
    /// The row order, `self ⊑ above`: the flanks of `above` fit into those of `self`, and `self`
    /// refines the expansion of `above` position by position.
    pub fn refines(&self, above: &Row) -> bool {
        above.lead().len() <= self.lead().len()
            && above.trail().len() <= self.trail().len()
            && self.refines_once(above)
    }

    /// The one-shot order, `self ⊑¹ above`: `self` is taken flat, `above` is expanded at its marker
    /// to the same rank, and the two are compared position by position. This is what the loops of
    /// one operation with result `self` and operand `above` do.
    pub fn refines_once(&self, above: &Row) -> bool {
        flat_refines(self.flat(), above)
    }

    /// Whether it is what rows are stretched to, `self ⊑ᴺ |operands|`: it has as many axes as the
    /// longest of them, each of which is what theirs at its place are stretched to, and its marker
    /// as late as one of the longest.
    pub fn is_stretched_from(&self, operands: &[Row]) -> bool {
        let rank = self.rank();
        let longest = operands.iter().filter(|operand| operand.rank() == rank);
        let at = |place: usize| operands.iter().filter_map(move |row| row.expanded_at(rank, place));
        let mut axes = self.flat().iter().enumerate();
        operands.iter().all(|operand| operand.rank() <= rank)
            && longest.map(|row| row.lead().len()).max() == Some(self.lead().len())
            && axes.all(|(place, axis)| Dim::stretched(at(place).copied()) == Some(*axis))
    }

    /// Flat equivalence, `self ≈ other`: the same sequence, wherever the markers stand.
    pub fn flat_eq(&self, other: &Row) -> bool {
        self.flat() == other.flat()
    }

    /// The least row above both in the row order: each flank as long as the shorter one, joined
    /// from the outer edge.
    #[must_use]
    pub fn join(&self, other: &Row) -> Row {
        let lead = self.lead().iter().zip(other.lead()).map(|(a, b)| a.join(*b));
        let mut trail: Flank<Dim> = self
            .trail()
            .iter()
            .rev()
            .zip(other.trail().iter().rev())
            .map(|(a, b)| a.join(*b))
            .collect();
        trail.reverse();
        Flanks::new(lead, trail)
    }
}

/// Whether the flat sequence `result` refines the expansion of `operand` to its length.
pub(super) fn flat_refines(result: &[Dim], operand: &Row) -> bool {
    let n = result.len();
    operand.rank() <= n
        && result.iter().enumerate().all(|(i, dim)| dim.refines(operand.expanded_dim(n, i)))
}
