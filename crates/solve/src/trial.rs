//! Trials: constraints that are tried and taken back, whose refusal few read.

use alloc::vec::Vec;

use crate::{
    solver::Solver,
    tables::{
        ids::GivenId,
        node::{GivenKind, RowGiven},
    },
    why::conflict::{SolveError, Trial},
};

impl Solver {
    /// Tries something. Why it is refused, if it is, is not found out.
    pub(crate) fn try_out<T>(&mut self, tried: impl FnOnce(&mut Solver) -> T) -> T {
        self.in_trial(Trial::Quiet, tried)
    }

    /// Tries something. If it is refused, the given constraints because of which it is are found
    /// out, and no more.
    pub(crate) fn try_out_explained<T>(&mut self, tried: impl FnOnce(&mut Solver) -> T) -> T {
        self.in_trial(Trial::Explained, tried)
    }

    pub(crate) fn in_trial<T>(&mut self, trial: Trial, tried: impl FnOnce(&mut Solver) -> T) -> T {
        let before = core::mem::replace(&mut self.config.trial, trial);
        let outcome = tried(self);
        self.config.trial = before;
        outcome
    }

    /// Why both rows of a given inequality must have the same rank, if they must: the constraints
    /// from which that follows. Then nothing is inserted, and markers do not matter.
    pub(crate) fn equal_ranks(&mut self, given: GivenId) -> Option<Vec<GivenId>> {
        // Rows that are stretched are in no system of ranks.
        let GivenKind::Row(RowGiven { left, right, .. }) =
            self.config.tables.givens.all.at(given).kind
        else {
            return None;
        };
        let snapshot = self.snapshot();
        let more = self.config.exceeds(given, left, right, 1);
        self.roll_back(snapshot);
        match more.map_err(SolveError::from) {
            Err(SolveError::Conflict(conflict)) => Some(conflict.givens),
            Err(SolveError::Exhausted(_)) | Ok(()) => None,
        }
    }
}
