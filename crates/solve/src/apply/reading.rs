//! A relation between sizes as it is read: its unknowns, and what is known of the rest.

use smallvec::SmallVec;

use lozenge_calculus::{
    dim::{Basis, merged_basis},
    size::Size,
};

use crate::tables::node::DimRef;

/// An unknown of a relation.
#[derive(Clone, Copy)]
pub(super) struct Root {
    pub(super) dim: DimRef,
    /// One of the parts that it is the root of.
    pub(super) via: DimRef,
    /// The sum of the coefficients, or how often it is a factor.
    pub(super) weight: i128,
    pub(super) least: u64,
    /// Whether that least size comes from a bound of the variable.
    pub(super) bounded: bool,
    pub(super) whole: bool,
    /// Whether it has no elements where what it is computed from has none.
    pub(super) may_be_empty: bool,
}

impl Root {
    /// This unknown, which has no elements where what it is computed from has none.
    pub(super) fn or_empty(self) -> Root {
        Root { may_be_empty: true, ..self }
    }
}

pub(super) type Roots = SmallVec<[Root; 4]>;

/// The parts of a relation, unknown ones merged.
pub(super) struct Reading {
    pub(super) roots: Roots,
    /// The sizes that are known and no numbers, each with its coefficient.
    pub(super) open: SmallVec<[(Size, i64); 2]>,
    /// The bases of the known parts, merged, and that of the whole, if those are known to claim
    /// one.
    pub(super) parts: Option<Basis>,
    pub(super) claims: bool,
    pub(super) whole: Option<Basis>,
    /// Whether the size of a part is known and what else it is is not.
    pub(super) unnamed: bool,
    /// Whether it says nothing of bases.
    pub(super) says_nothing: bool,
    /// The bases that are most likely meant of such parts, merged, and of the whole if it is such a
    /// one.
    pub(super) likely_parts: Option<Basis>,
    pub(super) likely_whole: Option<Basis>,
}

impl Reading {
    /// The basis that an unknown of the relation has in every solution, if it is not the unit and
    /// all other parts are as they are known.
    pub(super) fn forced_basis(&self, root: Root) -> Option<Basis> {
        if self.unnamed || self.roots.len() > 1 {
            // Of a default whole all parts are default.
            return self.whole.filter(|whole| !root.whole && *whole == Basis::DEFAULT);
        }
        let others = self.parts?;
        if root.whole {
            return self.claims.then_some(others);
        }
        // Another part that has the whole's basis leaves this one a choice.
        self.whole.filter(|whole| *whole == Basis::DEFAULT || others != *whole)
    }

    /// Whether the whole has another basis than its parts, which are all known.
    pub(super) fn has_another_basis(&self) -> bool {
        matches!((self.whole, self.parts), (Some(whole), Some(parts)) if self.claims && whole != parts)
    }

    /// The reading of the same parts by an equation that says nothing of bases.
    pub(super) fn of_nothing(self) -> Reading {
        let (whole, parts, likely_parts, likely_whole) = (None, None, None, None);
        Reading {
            whole,
            parts,
            likely_parts,
            likely_whole,
            claims: false,
            unnamed: true,
            says_nothing: true,
            ..self
        }
    }

    /// The basis that is most likely meant.
    pub(super) fn likely_basis(&self, of_whole: bool) -> Basis {
        let parts = || merged_basis([self.parts?, self.likely_parts?]).or(self.parts);
        let named = if of_whole { parts() } else { self.whole.or(self.likely_whole) };
        named.or(self.parts).unwrap_or(Basis::DEFAULT)
    }
}
