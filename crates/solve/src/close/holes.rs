//! What nothing determines, and what else is wrong with a program that was closed.

use alloc::{collections::BTreeSet, vec::Vec};

use crate::{
    AxisState, AxisTerm,
    tables::ids::{GivenId, Id},
};
use lozenge_calculus::term::Variable;

use super::{
    choice::Policy,
    closing::Closing,
    problem::{CloseError, Problem},
    roles::Role,
};

impl Closing<'_> {
    /// Tells what is wrong, if anything is.
    pub(super) fn problems(&mut self, policy: Policy) -> Result<(), CloseError> {
        if policy != Policy::Upward {
            let refused = |problem: &Problem| match problem {
                Problem::Refused(dispute) => Some(dispute.commitment.var),
                _ => None,
            };
            let guesses = self.commitments.iter().any(|commitment| commitment.rule.is_guess());
            let refused: BTreeSet<Variable> = self.problems.iter().filter_map(refused).collect();
            for (var, role) in self.roles.leaves() {
                let must_be_known = *role == Role::Parameter || policy == Policy::Refuse;
                // What was refused says more.
                if must_be_known && !refused.contains(var) {
                    let holes = self.holes(*var, guesses);
                    self.problems.extend(holes);
                }
            }
        }
        if !self.hidden.is_empty() && policy != Policy::Upward {
            let open = self.solver.config.tables.open_sizes().open_axes();
            let is_open =
                |axis: AxisTerm| open.contains(&self.solver.config.tables.dims.root(axis));
            let leaves = self.roles.leaves().iter().filter(|(_, role)| *role == Role::Leaf);
            let holes = leaves.flat_map(|(var, _)| self.holes(*var, false));
            let is_axis = |problem: &Problem| match problem {
                Problem::Hole { var, axis } => self.axis_of(*var, *axis).is_some_and(is_open),
                _ => false,
            };
            let holes: Vec<Problem> = holes.filter(is_axis).collect();
            // What is undecided is told as that.
            let is_told =
                !holes.is_empty() || !self.solver.config.reasoner().undecided_sizes().is_empty();
            let unsettled = self.hidden.iter().copied().map(Problem::Unsettled);
            let unsettled = unsettled.filter(|_| !is_told).collect();
            let more = [holes, unsettled].concat();
            self.problems.extend(more);
        }
        if policy == Policy::Refuse {
            let deferred = self
                .solver
                .config
                .tables
                .deferred_givens()
                .map(|given| self.solver.config.tables.givens.given_origin(given));
            self.problems.extend(deferred.map(Problem::Deferred));
            let undecided = self.solver.config.reasoner().undecided_sizes();
            let sizes = undecided.into_iter().chain(self.solver.config.reasoner().unsettled_size());
            self.problems.extend(sizes.map(Problem::Deferred));
        }
        if self.problems.is_empty() {
            return Ok(());
        }
        Err(CloseError { problems: core::mem::take(&mut self.problems) })
    }

    /// Whether an axis is what it is because of a size that was chosen for want of anything better.
    fn follows_a_guess(&self, axis: AxisTerm) -> bool {
        let guess = |given: GivenId| {
            let place = given.place().checked_sub(self.first.place());
            place.and_then(|place| self.commitments.get(place)).is_some_and(|c| c.rule.is_guess())
        };
        self.solver.config.reasoner().axis_reasons(axis).into_iter().any(guess)
    }

    /// The axis that a problem is about.
    fn axis_of(&self, var: Variable, place: Option<usize>) -> Option<AxisTerm> {
        match var {
            Variable::Dim(dim) => self.solver.config.tables.dims.axis(dim),
            Variable::Row(row) => self.solver.config.tables.rows.known(row)?.axes().nth(place?),
        }
    }

    /// What nothing determines of a variable.
    fn holes(&self, var: Variable, guesses: bool) -> Vec<Problem> {
        let open = |axis| {
            !matches!(self.solver.config.tables.dims.axis_state(axis), AxisState::Bound(_))
                || guesses && self.follows_a_guess(axis)
        };
        match var {
            Variable::Dim(dim) => match self.solver.config.tables.dims.axis(dim) {
                None => alloc::vec![Problem::Unused(var)],
                Some(axis) if open(axis) => alloc::vec![Problem::Hole { var, axis: None }],
                Some(_) => Vec::new(),
            },
            Variable::Row(row) => {
                let Some(known) = self.solver.config.tables.rows.known(row) else {
                    return alloc::vec![Problem::Unused(var)];
                };
                let axes = known.axes().enumerate().filter(|(_, axis)| open(*axis));
                let holes = axes.map(|(i, _)| Problem::Hole { var, axis: Some(i) });
                // Where some axes are known there are no more; where none is, nobody spoke of it.
                let unknown = known.tail.is_some() && known.axes().next().is_none();
                let no_rank = unknown.then_some(Problem::NoRank(var));
                no_rank.into_iter().chain(holes).collect()
            }
        }
    }
}
