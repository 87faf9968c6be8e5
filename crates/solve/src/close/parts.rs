//! The parts of a program that is closed.

use alloc::vec::Vec;

use crate::{
    Cause, Solver,
    independent::independent_parts,
    tables::ids::{GivenId, Id, before},
};
/// Which part each given constraint belongs to.
pub(super) struct Parts {
    of_givens: Vec<usize>,
    is_one: bool,
}

impl Parts {
    /// The parts of the given constraints before `end`.
    pub(super) fn new(solver: &Solver, end: GivenId) -> Parts {
        let form = solver.solved();
        let of_givens = independent_parts(before(end).map(|given| form.given(given)));
        let is_one = of_givens.iter().all(|part| *part == 0);
        Parts { of_givens, is_one }
    }

    /// The part in which something is asked.
    pub(super) fn of(&self, solver: &Solver, cause: Cause) -> Option<usize> {
        if self.is_one {
            return Some(0);
        }
        let given = solver.config.reasoner().least_given(cause)?;
        self.of_givens.get(given.place()).copied()
    }
}
