//! Given constraints as they stand: what was asked, where it comes from, whether it is deferred.

use alloc::vec::Vec;

use lozenge_calculus::constraint::OriginId;

use crate::tables::{
    ids::GivenId,
    list::{Givens, Tables},
    node::{GivenKind, RowGiven, Sign},
};

impl Givens {
    /// The origins of given constraints, in program order, each once. A constraint that nobody
    /// asked for has none.
    pub(crate) fn origins(&self, givens: impl IntoIterator<Item = GivenId>) -> Vec<OriginId> {
        let origin = |given| self.all.at(given).origin;
        let asked = |origin: &OriginId| *origin != OriginId::NOBODY;
        let mut origins: Vec<OriginId> = givens.into_iter().map(origin).filter(asked).collect();
        origins.sort_unstable();
        origins.dedup();
        origins
    }

    /// The row constraint that this given one is. Only row constraints are in the lists of rows.
    pub(crate) fn row_given_of(&self, given: GivenId) -> &RowGiven {
        match &self.all.at(given).kind {
            GivenKind::Row(related) => related,
            GivenKind::Dim { .. } | GivenKind::Size(_) | GivenKind::AtLeast { .. } => {
                unreachable!("no row constraint in a list of rows")
            }
        }
    }

    /// The given constraint that is taken next.
    pub(crate) fn next_given(&self) -> GivenId {
        self.all.end()
    }

    /// Where a given constraint comes from.
    pub(crate) fn given_origin(&self, given: GivenId) -> OriginId {
        self.all.at(given).origin
    }

    /// Whether a given constraint is an inequality between rows.
    pub(crate) fn is_row_ineq(&self, given: GivenId) -> bool {
        matches!(self.all.at(given).kind, GivenKind::Row(RowGiven { relation: Sign::Ineq, .. }))
    }
}

impl Tables {
    /// The deferred given constraints, in program order.
    pub(crate) fn deferred_givens(&self) -> impl Iterator<Item = GivenId> + '_ {
        let waits = self.counts.deferred_eq + self.counts.deferred_ineq > 0;
        let givens = Some(self.givens.all.ids()).filter(|_| waits);
        givens
            .into_iter()
            .flatten()
            .filter(|given| self.givens.progress.at(*given).status.is_deferred())
    }
}
