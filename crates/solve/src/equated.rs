//! Sizes that are taken for others: what conflicts say that names have to be, and what that
//! requires.
//!
//! Rules look at sizes in one way only, whether two of them are the same. So where two sizes have
//! to be equal that are not the same, one is taken for the other in the table of sizes, and the
//! program is solved again.

use alloc::{collections::BTreeSet, vec::Vec};

use lozenge_calculus::{
    constraint::{OriginId, Relation},
    dim::Dim,
    size::{Decision, Requirement, Size, SizeKind, SizeSymbol, Sizes},
    term::DimTerm,
};

use crate::{
    config::Config,
    solver::Solver,
    tables::{cause::Cause, node::DimRef},
    why::conflict::Conflict,
};

/// The equations between sizes that conflicts are and that sizes are taken for others by, read.
#[derive(Clone, Copy)]
pub struct Equations<'a> {
    pub(crate) config: &'a Config,
}

impl Config {
    pub(crate) fn equations(&self) -> Equations<'_> {
        Equations { config: self }
    }
}

impl Solver {
    /// The equations between sizes: those that conflicts are, and those that are required.
    pub fn equations(&self) -> Equations<'_> {
        self.config.equations()
    }

    /// Goes on from here after a conflict that is nothing but an equation which a size known at run
    /// time is solved for. So many such are found in one run; where there are some, that run is
    /// good for nothing else.
    pub fn collect_equations(&mut self) {
        self.config.collected = self.config.sizes.has_run_time().then(Vec::new);
    }

    /// The equations that were collected; no more are.
    pub fn collected_equations(&mut self) -> Vec<Conflict> {
        self.config.collected.take().unwrap_or_default()
    }

    /// Requires of the sizes that are taken for others only what comes from such origins.
    pub fn keep_equated(&mut self, is_kept: impl Fn(&[OriginId]) -> bool) {
        self.config.equated.retain(|(_, origins)| is_kept(origins));
    }

    /// Says that a name is known at run time: what is asked of it is required. Gives whether that
    /// is new.
    pub fn set_at_run_time(&mut self, name: SizeSymbol) -> bool {
        self.config.sizes.set_at_run_time(name)
    }
}

impl Equations<'_> {
    /// A solver that knows nothing but that two sizes are taken for the same, where a conflict is
    /// nothing but that they would have to be, and they are under a requirement.
    pub fn equated(self, conflict: &Conflict) -> Option<Solver> {
        if conflict.is_chosen() { None } else { self.equated_anyway(conflict) }
    }

    /// The solver of [`Equations::equated`], also where the conflict depends on what was chosen,
    /// and other choices are known to fail.
    pub fn equated_anyway(self, conflict: &Conflict) -> Option<Solver> {
        let mut solver = self.config.blank();
        solver.config.equate(conflict).then_some(solver)
    }

    /// The solver of [`Equations::equated_anyway`], where it takes a size known at run time for
    /// another.
    pub fn equated_at_run_time(self, conflict: &Conflict) -> Option<Solver> {
        let solver = self.equated_anyway(conflict)?;
        let required = solver.config.equations().last_equated()?;
        let names = solver.config.sizes.names_of(&required);
        names.into_iter().any(|name| self.config.sizes.is_at_run_time(name)).then_some(solver)
    }

    /// The solver of [`Equations::equated_anyway`] by several conflicts.
    pub fn equated_by(self, conflicts: &[Conflict]) -> Option<Solver> {
        let mut solver = self.config.blank();
        let new = conflicts.iter().filter(|found| solver.config.equate(found)).count();
        (new > 0).then_some(solver)
    }

    /// A solver that knows nothing but what this one takes sizes for, with a number in the place of
    /// a name; `None` where no size is taken for another.
    pub fn numbered(self, name: SizeSymbol, value: u64) -> Option<Solver> {
        let number = Size::int(value).ok().filter(|_| self.config.sizes.takes_with(name))?;
        let mut solver = self.config.blank();
        solver.config.sizes.put(name, number);
        Some(solver)
    }

    /// A solver that knows nothing but what this one takes sizes for, and that a name is taken for
    /// a size, because of these; `None` where its values are none of that size.
    pub fn taking(self, name: SizeSymbol, size: Size, origins: Vec<OriginId>) -> Option<Solver> {
        let mut solver = self.config.blank();
        let sizes = &mut solver.config.sizes;
        let (one, other) = (sizes.form(Size::symbol(name)), sizes.form(size));
        let asked = Requirement::Zero(sizes.difference(&one, &other));
        let required = match sizes.decide_requirement(&asked) {
            Decision::Requires(required) => required,
            Decision::Always => asked,
            Decision::Never | Decision::Is(..) | Decision::Several => return None,
        };
        if !sizes.equate(Size::symbol(name), size, &required) {
            return None;
        }
        solver.config.equated.push((required, origins));
        Some(solver)
    }
}

impl Equations<'_> {
    /// The number that a name has to be, if a conflict is one wherever markers stand and that is
    /// all that would mend it. Its range may not have that number.
    pub fn forced(self, conflict: &Conflict) -> Option<(SizeSymbol, u64)> {
        let (mut sizes, required) = self.config.equation_of(conflict)?;
        let is_empty = |dim: Dim| dim.size() == Size::EMPTY;
        let is_written = conflict.clash.is_some_and(|(a, b)| is_empty(a) || is_empty(b));
        let decision = match sizes.decide_requirement(&required) {
            // What holds for no value in range may hold for one outside.
            Decision::Never => sizes.without_ranges().decide_requirement(&required),
            decision => decision,
        };
        match decision {
            // What has one value is that number.
            Decision::Always => self.named_number(conflict),
            // No axis that is declared is empty for all values of its names, unless it is written
            // so.
            Decision::Is(name, value) if value > 0 || is_written => {
                Some((Sizes::symbol(name)?, value))
            }
            _ => None,
        }
    }

    /// The number that one of two sizes that clash has to be by its range, if it is a name that is
    /// not known at run time.
    fn named_number(self, conflict: &Conflict) -> Option<(SizeSymbol, u64)> {
        let (one, other) = conflict.clash?;
        [one, other].into_iter().find_map(|dim| {
            let SizeKind::Symbol(name) = dim.size().kind() else { return None };
            let value = self.config.sizes.range(Sizes::name(name)).as_point()?;
            let value =
                u64::try_from(value).ok().filter(|_| !self.config.sizes.is_at_run_time(name))?;
            Some((name, value))
        })
    }

    /// The few values of a name that satisfy an equation which is required of it.
    pub fn few_values(self, name: SizeSymbol) -> Option<Vec<u64>> {
        let mut required = self.config.tables.requirements.iter().map(|(required, _)| required);
        required.find_map(|required| {
            let roots = self.config.sizes.roots(required)?;
            let roots = roots.into_iter().filter_map(|root| u64::try_from(root).ok());
            (self.config.sizes.names_of(required) == [name]).then(|| roots.collect())
        })
    }

    /// The number that a size known at run time is taken for.
    pub fn taken_number(self, name: SizeSymbol) -> Option<u64> {
        self.config.sizes.taken_for(Size::symbol(name)).count()
    }

    /// Where it comes from that a size known at run time is taken for another.
    pub fn taken_origins(self, size: Size) -> Vec<OriginId> {
        let SizeKind::Symbol(name) = size.kind() else { return Vec::new() };
        let is_of_it =
            |required: &Requirement| self.config.sizes.names_of(required).contains(&name);
        let found = self.config.equated.iter().find(|(required, _)| is_of_it(required));
        found.map(|(_, origins)| origins.clone()).unwrap_or_default()
    }

    /// What is required by the last of the sizes that are taken for others.
    pub fn last_equated(self) -> Option<Requirement> {
        self.config.equated.last().map(|(required, _)| required.clone())
    }

    /// Where it comes from that sizes are taken for others.
    pub fn equated_origins(self) -> BTreeSet<OriginId> {
        self.config.equated.iter().flat_map(|(_, origins)| origins.iter().copied()).collect()
    }

    /// Whether a conflict is one wherever markers stand, because different names would have to be
    /// equal.
    pub fn equates_names(self, conflict: &Conflict) -> bool {
        self.config.equation_of(conflict).is_some_and(|(sizes, required)| {
            sizes.without_ranges().decide_requirement(&required) == Decision::Several
        })
    }

    /// What has to hold of names, each with where the constraints come from that ask for it; what
    /// follows from another is not among them.
    pub fn requirements(self) -> Vec<(Requirement, Vec<OriginId>)> {
        let found = self
            .config
            .tables
            .requirements
            .iter()
            .map(|(required, cause)| (required, Some(*cause)));
        // What sizes that are known at run time are taken for.
        let is_late = |required: &Requirement| {
            let mut names = self.config.sizes.names_of(required).into_iter();
            names.any(|name| self.config.sizes.is_at_run_time(name))
        };
        let is_found =
            |asked: &Requirement| self.config.tables.requirements.iter().any(|(r, _)| r == asked);
        let taken = self.config.equated.iter().map(|(required, _)| required);
        let taken = taken.filter(|required| is_late(required) && !is_found(required));
        let all: Vec<(&Requirement, Option<Cause>)> =
            found.chain(taken.map(|required| (required, None))).collect();
        let asked: Vec<&Requirement> = all.iter().map(|(required, _)| *required).collect();
        let kept = self.config.sizes.least_of(&asked);
        let origins = |(requirement, cause): (&Requirement, Option<Cause>)| {
            let equated = self.config.equated.iter().find(|(required, _)| required == requirement);
            let origins = match (equated, cause) {
                (Some((_, origins)), _) => origins.clone(),
                (None, Some(cause)) => self
                    .config
                    .tables
                    .givens
                    .origins(self.config.reasoner().reasons(cause, [DimRef::UNIT; 2]).givens),
                (None, None) => Vec::new(),
            };
            (requirement.clone(), origins)
        };
        kept.into_iter().map(|place| origins(all[place])).collect()
    }
}

impl Config {
    /// A relation with what its sizes are taken for.
    pub(crate) fn taken(&self, relation: &Relation) -> Relation {
        relation.map_dims(|term| match term {
            DimTerm::Dim(Dim::Atom { size, basis }) => {
                Dim::atom(self.sizes.taken_for(size), basis).into()
            }
            term => term,
        })
    }
}
