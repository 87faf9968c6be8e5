//! Why a program cannot be closed, as values.

use alloc::{collections::BTreeSet, vec::Vec};
use core::fmt;

use crate::{
    constraint::OriginId,
    solve::{AxisState, Exhausted},
    term::Variable,
    text::{Names, Print},
};

use super::{Closing, Dispute, Policy, Role};

/// All reasons why a program cannot be closed, in program order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unclosed {
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
    /// The budget of the solver ran out.
    Exhausted(Exhausted),
}

impl Closing<'_> {
    /// Tells what is wrong, if anything is.
    pub(super) fn problems(&mut self, policy: Policy) -> Result<(), Unclosed> {
        if policy != Policy::Upward {
            let refused = |problem: &Problem| match problem {
                Problem::Refused(dispute) => Some(dispute.commitment.var),
                _ => None,
            };
            let refused: BTreeSet<Variable> = self.problems.iter().filter_map(refused).collect();
            for (var, role) in self.roles.leaves() {
                if *role == Role::Parameter || policy == Policy::Refuse {
                    self.holes(*var, &refused);
                }
            }
        }
        if policy == Policy::Refuse {
            let waiting =
                self.solver.deferred_givens().map(|given| self.solver.given_origin(given));
            self.problems.extend(waiting.map(Problem::Unsettled));
            self.problems.extend(self.solver.unsettled_size().map(Problem::Unsettled));
        }
        if self.problems.is_empty() {
            return Ok(());
        }
        Err(Unclosed { problems: core::mem::take(&mut self.problems) })
    }

    /// Adds what nothing determines.
    fn holes(&mut self, var: Variable, refused: &BTreeSet<Variable>) {
        if refused.contains(&var) {
            return; // that says more
        }
        let open = |axis| !matches!(self.solver.axis_state(axis), AxisState::Bound(_));
        match var {
            Variable::Dim(dim) => match self.solver.axis(dim) {
                None => self.problems.push(Problem::Unused(var)),
                Some(axis) if open(axis) => self.problems.push(Problem::Hole { var, axis: None }),
                Some(_) => {}
            },
            Variable::Row(row) => {
                let Some(known) = self.solver.known(row) else {
                    self.problems.push(Problem::Unused(var));
                    return;
                };
                let axes = known.axes().enumerate().filter(|(_, axis)| open(*axis));
                let holes = axes.map(|(i, _)| Problem::Hole { var, axis: Some(i) });
                // Where some axes are known there are no more; where none is, nobody spoke of it.
                let unknown = known.tail.is_some() && known.axes().next().is_none();
                let no_rank = unknown.then_some(Problem::NoRank(var));
                self.problems.extend(no_rank.into_iter().chain(holes));
            }
        }
    }
}

impl From<Problem> for Unclosed {
    fn from(problem: Problem) -> Unclosed {
        Unclosed { problems: alloc::vec![problem] }
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
            Problem::Exhausted(exhausted) => write!(f, "{exhausted}"),
        }
    }
}

impl Print for Unclosed {
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

impl fmt::Display for Unclosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(&Names::new(), f)
    }
}

impl core::error::Error for Unclosed {}
