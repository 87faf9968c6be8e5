//! Why a program cannot be closed, as values.

use alloc::{collections::BTreeSet, vec::Vec};
use core::fmt;

use crate::{
    AxisState, AxisTerm, Exhausted,
    tables::ids::{GivenId, Id},
};
use lozenge_calculus::{
    constraint::OriginId,
    term::Variable,
    text::{Names, Print},
};

use super::{Closing, Dispute, Policy, Role};

/// All reasons why a program cannot be closed, in program order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CloseError {
    /// The reasons.
    pub problems: Vec<Problem>,
}

/// A reason why a program cannot be closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// No constraint mentions this.
    Unused(Variable),
    /// Nothing says how many axes this row has, or of any that it has one.
    NoRank(Variable),
    /// Nothing says how large this axis is.
    Hole {
        /// The row, or the dimension variable itself.
        var: Variable,
        /// Which axis of the row, from the front.
        axis: Option<usize>,
    },
    /// What the uses of a parameter ask for cannot be.
    Refused(Dispute),
    /// This constraint waits, and nothing tried satisfies it. [`decide`](crate::decide) knows
    /// whether anything can.
    Unsettled(OriginId),
    /// This constraint waits, and what would satisfy it is a choice.
    Waits(OriginId),
    /// Everything fits only if a row is broadcast where nothing says so.
    Misplaced {
        /// The row.
        var: Variable,
        /// What says that it is broadcast elsewhere.
        yields: OriginId,
        /// What does not fit then.
        seen_by: OriginId,
    },
    /// The budget of the solver ran out.
    Exhausted(Exhausted),
}

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
            let waiting = self
                .solver
                .config
                .tables
                .deferred_givens()
                .map(|given| self.solver.config.tables.givens.given_origin(given));
            self.problems.extend(waiting.map(Problem::Waits));
            let undecided = self.solver.config.reasoner().undecided_sizes();
            let sizes = undecided.into_iter().chain(self.solver.config.reasoner().unsettled_size());
            self.problems.extend(sizes.map(Problem::Waits));
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

impl From<Problem> for CloseError {
    fn from(problem: Problem) -> CloseError {
        CloseError { problems: alloc::vec![problem] }
    }
}

impl From<Exhausted> for CloseError {
    fn from(exhausted: Exhausted) -> CloseError {
        CloseError::from(Problem::Exhausted(exhausted))
    }
}

impl Print for Problem {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unused(var) => {
                var.print(names, f)?;
                f.write_str(" is not used, so nothing determines it")
            }
            Problem::NoRank(var) => {
                f.write_str("nothing says how many axes ")?;
                var.print(names, f)?;
                f.write_str(" has")
            }
            Problem::Hole { var, axis } => {
                f.write_str("nothing says how large ")?;
                if let Some(axis) = axis {
                    write!(f, "axis {axis} of ")?;
                }
                var.print(names, f)?;
                f.write_str(" is")
            }
            Problem::Refused(dispute) => dispute.print(names, f),
            Problem::Unsettled(origin) => {
                write!(f, "@{} waits, and nothing tried satisfies it", origin.index())
            }
            Problem::Waits(origin) => {
                write!(f, "@{} waits, and what would satisfy it is a choice", origin.index())
            }
            Problem::Misplaced { var, yields, seen_by } => {
                write!(f, "@{} fits only if ", seen_by.index())?;
                var.print(names, f)?;
                write!(f, " is broadcast elsewhere than @{} says", yields.index())
            }
            Problem::Exhausted(exhausted) => write!(f, "{exhausted}"),
        }
    }
}

impl Print for CloseError {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            problem.print(names, f)?;
        }
        Ok(())
    }
}

impl fmt::Display for CloseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(&Names::new(), f)
    }
}

impl core::error::Error for CloseError {}
