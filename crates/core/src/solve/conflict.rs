//! Why constraints were rejected, as a value. Words are made of it elsewhere.

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

use crate::{
    constraint::OriginId,
    dim::Dim,
    term::RowVar,
    text::{Names, Print},
};

use super::{Exhausted, Rule, derivation::Failed};

/// Why a batch of constraints was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// The constraints conflict.
    Conflict(Box<Conflict>),
    /// The budget ran out.
    Exhausted(Exhausted),
}

/// Constraints that cannot hold together, or that a policy step has made so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The rule that failed.
    pub rule: Rule,
    /// Whether there is a policy step in its derivation, which chose where a marker stands: if not,
    /// there is no marked solution. A conflict of ranks never needs one.
    pub policy: bool,
    /// Whether it depends on something that nobody asked, but that was supposed or committed to.
    pub supposed: bool,
    /// The row variables on whose marker it depends, after a rule has narrowed where that stands.
    /// If there are none and nothing was supposed there is no solution at all, under either judge, whatever
    /// was chosen.
    pub placed: Vec<RowVar>,
    /// The two dimensions that clash, if it is dimensions that do.
    pub clash: Option<(Dim, Dim)>,
    /// Where the constraints come from that the failure follows from, in program order, each once.
    pub origins: Vec<OriginId>,
    /// The given constraints themselves, by index.
    pub(crate) givens: Vec<u32>,
    /// The same variables, each with a given inequality that sees its marker.
    pub(crate) placed_in: Vec<(RowVar, u32)>,
    /// What failed; `None` for ranks.
    pub(crate) failed: Option<Failed>,
}

/// A rejection on its way out, small enough to be returned by every step.
pub(super) struct Stop(Box<Rejection>);

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

impl From<Stop> for Rejection {
    fn from(stop: Stop) -> Rejection {
        *stop.0
    }
}

impl From<Conflict> for Rejection {
    fn from(conflict: Conflict) -> Rejection {
        Rejection::Conflict(Box::new(conflict))
    }
}

impl From<Exhausted> for Rejection {
    fn from(exhausted: Exhausted) -> Rejection {
        Rejection::Exhausted(exhausted)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(&Names::new(), f)
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(&Names::new(), f)
    }
}

impl Print for Rejection {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Conflict(conflict) => conflict.print(names, f),
            Rejection::Exhausted(exhausted) => write!(f, "{exhausted}"),
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

impl core::error::Error for Rejection {}
impl core::error::Error for Conflict {}
