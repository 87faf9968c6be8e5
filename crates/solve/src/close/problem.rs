//! Why a program cannot be closed, as values.

use alloc::vec::Vec;
use core::fmt;

use crate::Exhausted;
use lozenge_calculus::{
    constraint::OriginId,
    term::Variable,
    text::{Names, Print},
};

use super::choice::Dispute;

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
    Deferred(OriginId),
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
            Problem::Deferred(origin) => {
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
