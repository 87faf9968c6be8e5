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
    Exhausted, Rule, Solver,
    config::Config,
    tables::{
        ids::{GivenId, RowSlot},
        node::DimRef,
    },
    why::{
        derivation::Failed,
        trace::{Cause, Reasons},
    },
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
    /// Whether these markers might stand elsewhere in another order: not so if each stands where the one row has it that
    /// gives it its axes.
    pub competes: bool,
    /// The two dimensions that clash, if it is dimensions that do.
    pub clash: Option<(Dim, Dim)>,
    /// What would have to hold of named sizes, if it is an equation between sizes that fails.
    pub required: Option<Requirement>,
    /// Where the constraints come from that the failure follows from, in program order, each once.
    pub origins: Vec<OriginId>,
    /// The given constraints themselves, by index.
    pub(crate) givens: Vec<GivenId>,
    /// The same variables, each with a given inequality that sees its marker.
    pub(crate) placed_in: Vec<(RowVar, GivenId)>,
    /// What failed; `None` for ranks.
    pub(crate) failed: Option<Failed>,
}

impl Conflict {
    /// Whether it may depend on something that was chosen, supposed or committed to. If not, there is no solution at all.
    pub fn is_chosen(&self) -> bool {
        self.supposed || !self.placed.is_empty()
    }
}

/// Whether something is tried, of which nobody but closing reads why it is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Trial {
    #[default]
    No,
    /// Why it is refused is not found out.
    Quiet,
    /// It is, but not on which markers that depends.
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

    /// The same, where this would have to hold of named sizes.
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

impl Solver {
    /// Tries something. Why it is refused, if it is, is not found out.
    pub(crate) fn try_out<T>(&mut self, tried: impl FnOnce(&mut Solver) -> T) -> T {
        self.in_trial(Trial::Quiet, tried)
    }

    /// Tries something. If it is refused, the given constraints because of which it is are found out, and no more.
    pub(crate) fn try_out_explained<T>(&mut self, tried: impl FnOnce(&mut Solver) -> T) -> T {
        self.in_trial(Trial::Explained, tried)
    }

    fn in_trial<T>(&mut self, trial: Trial, tried: impl FnOnce(&mut Solver) -> T) -> T {
        let before = core::mem::replace(&mut self.config.trial, trial);
        let outcome = tried(self);
        self.config.trial = before;
        outcome
    }
}

impl Config {
    /// The conflict of a rule that fails on `terms`, which `cause` relates.
    pub(crate) fn fails(
        &self,
        rule: Rule,
        clash: Option<(DimRef, DimRef)>,
        cause: Cause,
        terms: [DimRef; 2],
    ) -> Stop {
        self.fails_but_for(rule, clash, cause, terms, &[])
    }

    /// The same, where some given inequalities take part in such a way that the markers that they see do not matter.
    pub(crate) fn fails_but_for(
        &self,
        rule: Rule,
        clash: Option<(DimRef, DimRef)>,
        cause: Cause,
        terms: [DimRef; 2],
        unseeing: &[GivenId],
    ) -> Stop {
        let clash = clash.and_then(|(left, right)| {
            Some((self.tables.dims.met(left)?, self.tables.dims.met(right)?))
        });
        if self.trial == Trial::Quiet {
            return self.conflict(rule, None, Reasons::default(), None);
        }
        let mut reasons = self.reasoner().reasons(cause, terms);
        if self.trial == Trial::Explained {
            return self.conflict(rule, None, reasons, None);
        }
        reasons.placed.retain(|(_, given)| !unseeing.contains(given));
        if !reasons.placed.is_empty() {
            let markers = self.reasoner().markers(cause, terms);
            reasons.placed.retain(|placed| markers.contains(placed));
        }
        self.conflict(rule, clash, reasons, Some(Failed { cause, terms }))
    }

    /// The conflict that follows from these reasons.
    pub(crate) fn conflict(
        &self,
        rule: Rule,
        clash: Option<(Dim, Dim)>,
        reasons: Reasons,
        failed: Option<Failed>,
    ) -> Stop {
        let seen = |(slot, given): (RowSlot, GivenId)| (self.tables.rows.slots.at(slot).var, given);
        let placed_in: Vec<(RowVar, GivenId)> = reasons.placed.into_iter().map(seen).collect();
        let mut placed: Vec<RowVar> = placed_in.iter().map(|(var, _)| *var).collect();
        placed.dedup();
        let givens: Vec<GivenId> = reasons.givens.into_iter().collect();
        let origins = self.tables.givens.origins(givens.iter().copied());
        let policy = reasons.policy;
        let supposed =
            givens.iter().any(|given| self.tables.givens.all.at(*given).origin == OriginId::NOBODY);
        let competes = !self.tables.places_no_other();
        Conflict {
            rule,
            policy,
            supposed,
            placed,
            competes,
            clash,
            required: None,
            origins,
            givens,
            placed_in,
            failed,
        }
        .into()
    }
}
