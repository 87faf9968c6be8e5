//! Why constraints were rejected, as a value. Words are made of it elsewhere.

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

use lozenge_calculus::{
    constraint::OriginId,
    dim::Dim,
    size::Requirement,
    term::RowVar,
    text::{Names, Print},
};

use crate::{
    budget::Exhausted,
    tables::{cause::Cause, ids::GivenId, node::DimRef, rule::Rule},
};

/// Why a batch of constraints was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolveError {
    /// The constraints conflict.
    Conflict(Box<Conflict>),
    /// The budget ran out.
    Exhausted(Exhausted),
}

/// Constraints that cannot hold together, or that a policy step has made so.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Conflict {
    /// The rule that failed.
    pub rule: Rule,
    /// Whether there is a policy step in its derivation, which chose where a marker stands: if not,
    /// there is no marked solution. A conflict of ranks never needs one.
    pub policy: bool,
    /// Whether it depends on something that nobody asked, but that was supposed or committed to.
    pub supposed: bool,
    /// The row variables on whose marker it depends, after a rule has narrowed where that stands.
    /// If there are none and nothing was supposed there is no solution at all, under either judge,
    /// whatever was chosen.
    pub placed: Vec<RowVar>,
    /// Whether these markers might stand elsewhere in another order: not so if each stands where
    /// the one row has it that gives it its axes.
    pub competes: bool,
    /// The two dimensions that clash, if it is dimensions that do.
    pub clash: Option<(Dim, Dim)>,
    /// The requirement on named sizes without which an equation between sizes fails, if it is one
    /// that does.
    pub required: Option<Requirement>,
    /// The origins of the constraints that the failure follows from, in program order, each once.
    pub origins: Vec<OriginId>,
    /// The given constraints themselves, by index.
    pub(crate) givens: Vec<GivenId>,
    /// The variables of `placed`, each with a given inequality that sees its marker.
    pub(crate) placed_in: Vec<(RowVar, GivenId)>,
    /// What failed; `None` for ranks.
    pub(crate) failed: Option<Failed>,
}

impl Conflict {
    /// Whether the conflict may depend on something that was chosen, supposed or committed to. If
    /// not, the constraints have no solution at all.
    pub fn is_chosen(&self) -> bool {
        self.supposed || !self.placed.is_empty()
    }
}

/// The kind of a trial: how much is found out about a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Trial {
    #[default]
    No,
    /// A trial whose refusal is not explained.
    Quiet,
    /// A trial whose refusal is explained by given constraints, without the markers that it depends
    /// on.
    Explained,
}

/// A rejection on its way out, small enough to be returned by every step.
pub(crate) struct Stop(Box<SolveError>);

impl From<Conflict> for Stop {
    fn from(conflict: Conflict) -> Stop {
        Stop(Box::new(conflict.into()))
    }
}

impl From<Exhausted> for Stop {
    fn from(exhausted: Exhausted) -> Stop {
        Stop(Box::new(exhausted.into()))
    }
}

impl Stop {
    /// Whether it is a conflict that depends on nothing that was chosen.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(&*self.0, SolveError::Conflict(conflict) if !conflict.is_chosen())
    }

    /// This rejection, with what would have to hold of named sizes.
    pub(crate) fn requiring(mut self, requirement: Requirement) -> Stop {
        if let SolveError::Conflict(conflict) = &mut *self.0 {
            conflict.required = Some(requirement);
        }
        self
    }
}

impl From<Stop> for SolveError {
    fn from(stop: Stop) -> SolveError {
        *stop.0
    }
}

impl From<Conflict> for SolveError {
    fn from(conflict: Conflict) -> SolveError {
        SolveError::Conflict(Box::new(conflict))
    }
}

impl From<Exhausted> for SolveError {
    fn from(exhausted: Exhausted) -> SolveError {
        SolveError::Exhausted(exhausted)
    }
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(&Names::new(), f)
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(&Names::new(), f)
    }
}

impl Print for SolveError {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Conflict(conflict) => conflict.print(names, f),
            SolveError::Exhausted(exhausted) => write!(f, "{exhausted}"),
        }
    }
}

impl Print for Conflict {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Rule::Ranks => f.write_str("no numbers of axes fit")?,
            rule => write!(f, "{rule} fails")?,
        }
        if let Some((left, right)) = self.clash {
            f.write_str(": ")?;
            left.print(names, f)?;
            f.write_str(" against ")?;
            right.print(names, f)?;
        }
        f.write_str(", because of")?;
        for origin in &self.origins {
            write!(f, " @{}", origin.index())?;
        }
        if self.policy {
            f.write_str(", after a policy step")?;
        }
        Ok(())
    }
}

impl core::error::Error for SolveError {}

impl core::error::Error for Conflict {}

/// The constraint that failed, as the solver sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failed {
    pub(crate) cause: Cause,
    pub(crate) terms: [DimRef; 2],
}
