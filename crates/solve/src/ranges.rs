//! What is said of named sizes from outside: their ranges, and whether an axis may be empty.

use lozenge_calculus::size::{Decision, Interval, Requirement, SizeSymbol, Sizes};

use crate::{equated::Equations, solver::Solver, why::conflict::Conflict};

impl Solver {
    /// The table of the sizes that are not numbers.
    pub fn sizes(&self) -> &Sizes {
        &self.config.sizes
    }

    /// Says that an axis is written as 0. Gives whether that may change something that was found
    /// before.
    pub fn allow_empty(&mut self) -> bool {
        let may_be_empty = self.config.sizes.may_be_empty();
        self.config.sizes.allow_empty();
        !may_be_empty
    }

    /// Says which values a name has. Gives whether that may change something that was found before:
    /// then the program has to be solved again.
    pub fn set_range(&mut self, name: SizeSymbol, range: Interval) -> bool {
        if self.config.sizes.range(Sizes::name(name)) == range {
            return false;
        }
        let may_be_empty = self.config.sizes.may_be_empty();
        self.config.sizes.set_range(name, range);
        if self.config.sizes.may_be_empty() != may_be_empty {
            return true;
        }
        let required = self.config.tables.requirements.iter();
        let mut required = required.map(|(requirement, _)| self.config.sizes.names_of(requirement));
        required.any(|names| names.contains(&name)) || self.config.sizes.computes_with(name)
    }

    /// Says of names that others are taken for what is said of those. Gives whether that says more
    /// than was known.
    pub fn narrow_taken(&mut self) -> bool {
        self.config.sizes.narrow_all()
    }
}

impl Equations<'_> {
    /// What the ranges of names refute of a conflict, if it would hold for values outside of them.
    pub fn refuted_by_ranges(self, conflict: &Conflict) -> Option<Requirement> {
        let required = conflict.required.as_ref().filter(|_| !conflict.is_chosen())?;
        if self.config.sizes.clone().decide_requirement(required) != Decision::Never {
            return None;
        }
        match self.config.sizes.without_ranges().decide_requirement(required) {
            Decision::Requires(required) => Some(required),
            Decision::Always | Decision::Is(..) => Some(required.clone()),
            Decision::Never | Decision::Several => None,
        }
    }

    /// Whether one of the requirements after the first `than` does not follow from one of those.
    pub(crate) fn requires_more(self, than: usize) -> bool {
        let (before, since) = self
            .config
            .tables
            .requirements
            .split_at(than.min(self.config.tables.requirements.len()));
        let follows = |required: &Requirement| {
            before.iter().any(|(known, _)| self.config.sizes.follows(required, known))
        };
        since.iter().any(|(required, _)| !follows(required))
    }

    /// How many requirements there are, also such that follow from others.
    pub(crate) fn requirement_count(self) -> usize {
        self.config.tables.requirements.len()
    }
}
