//! What becomes of the values of names: ranges that are said of them, and numbers that they have to be.
//!
//! Names are rigid in the calculus: no rule binds one. Where a step is refused for nothing but that a name would have to
//! be a number, that number takes its place everywhere, and the program is solved again; so it does not matter when that was
//! noticed. A range is known to the solver from the beginning. One that comes later, and changes what was found, has the
//! program solved again as well.

use std::{cell::RefCell, collections::BTreeSet};

use lozenge_core::{
    constraint::{Constraint, OriginId, Relation},
    decide::{Decision, Effort, decide_with},
    dim::Dim,
    size::{SizeKind, SizeSymbol},
    solve::{Conflict, Rejection as Refusal, Solver},
    term::{DimTerm, RowTerm},
};

use super::{
    Session,
    canonical::Refused,
    program::{Mark, Specialised, term_with_number, with_number},
};
use crate::{
    Rejection,
    explain::{self, Clash, Refuted, Unfit},
};

/// How many numbers are tried for names, and how often the solver is asked for each.
const MOST_PAIRS: usize = 16;
const EFFORT: u32 = 100;

impl Session {
    /// Takes in what the step under way says of the values of names.
    #[cold]
    pub(super) fn take_ranges(&mut self, mark: &Mark) -> Result<(), Rejection> {
        let Err(unfit) = self.set_ranges(mark) else { return Ok(()) };
        let said = self.refuse(mark, |session| explain::unfit(session, &unfit));
        // As it was before: whatever was found then still holds.
        let names: Vec<SizeSymbol> = self.program.words.names().collect();
        for name in names {
            self.solver.set_range(name, self.program.range_of(name).values);
        }
        Err(said)
    }

    fn set_ranges(&mut self, mark: &Mark) -> Result<(), Unfit> {
        let names: Vec<SizeSymbol> =
            self.program.ranged_since(mark).iter().map(|ranged| ranged.name).collect();
        let mut changes = false;
        for name in names {
            let range = self.program.range_of(name);
            if range.values.is_empty() {
                return Err(Unfit::Empty(name));
            }
            if let Some(known) = self.program.specialised.iter().find(|known| known.name == name) {
                self.may_be(known)?;
            }
            changes |= self.solver.set_range(name, range.values);
        }
        if !changes {
            return Ok(());
        }
        let given: Vec<Constraint> = self.solver.given().collect();
        let mut solver = self.solver.blank();
        match solver.extend_ordered(&given) {
            Ok(()) => self.solver = solver,
            Err(Refusal::Conflict(conflict)) => {
                let Some((solver, forced)) = self.with_numbers(&solver, given, &conflict)? else {
                    return Err(Unfit::Refuted(Refuted::new(self, &solver, &conflict)));
                };
                self.specialise(solver, forced);
            }
            // What was found before holds, if not all that could be known.
            Err(Refusal::Exhausted(_)) => {}
        }
        Ok(())
    }

    /// Takes the step under way after all, if nothing stands against it but that names would have to be numbers. Gives
    /// whether it was.
    #[cold]
    pub(super) fn take_with_numbers(
        &mut self,
        mark: &Mark,
        conflict: &Conflict,
        found_by: Option<&Solver>,
    ) -> Result<bool, Rejection> {
        if self.is_trial || self.program.words.names().next().is_none() {
            return Ok(false);
        }
        let all: Vec<Constraint> = self.constraints().chain(self.batch.iter().cloned()).collect();
        let solver = found_by.unwrap_or(&self.solver);
        let unfit = match self.with_numbers(solver, all, conflict) {
            Ok(None) if solver.refuted_by_ranges(conflict).is_some() => {
                Unfit::Refuted(Refuted::new(self, solver, conflict))
            }
            Ok(None) => return Ok(false),
            Ok(Some((solver, forced))) => {
                self.specialise(solver, forced);
                return Ok(true);
            }
            Err(unfit) => unfit,
        };
        Err(self.refuse(mark, |session| explain::unfit(session, &unfit)))
    }

    /// The same, where nothing satisfies what comes from these origins.
    #[cold]
    pub(super) fn take_members_with_numbers(
        &mut self,
        mark: &Mark,
        origins: &[OriginId],
    ) -> Result<bool, Rejection> {
        if self.program.words.names().next().is_none() {
            return Ok(false);
        }
        let all = self.constraints().chain(self.batch.iter().cloned());
        let (_, clash) = explain::least_conflict(self, all, origins);
        clash.map_or(Ok(false), |Clash { conflict, solver }| {
            self.take_with_numbers(mark, &conflict, Some(&solver))
        })
    }

    /// The solver of constraints that conflict, with numbers for the names that have to be some; `None` if that
    /// does not help.
    fn with_numbers(
        &self,
        conflicting: &Solver,
        mut all: Vec<Constraint>,
        conflict: &Conflict,
    ) -> Result<Option<(Solver, Vec<Specialised>)>, Unfit> {
        let mut forced: Vec<Specialised> = vec![];
        let mut next = self.forced(conflicting, &all, conflict);
        while let Some(found) = next {
            debug_assert!(forced.iter().all(|known| known.name != found.name), "it stays a name");
            self.may_be(&found)?;
            let (name, value) = (found.name, found.value);
            forced.push(found);
            substitute(&mut all, name, value);
            let mut solver = self.solver.blank();
            next = match solver.extend_ordered(&all) {
                Ok(()) if solver.is_order_free() && solver.deferred().is_none() => {
                    return Ok(Some((solver, forced)));
                }
                Err(Refusal::Conflict(conflict)) if !conflict.is_chosen() => {
                    self.forced(&solver, &all, &conflict)
                }
                // Whether all of it fits with other choices is found out as it is without names.
                Ok(()) | Err(Refusal::Conflict(_)) => {
                    match self.solve(&self.ordered(all.iter().cloned())) {
                        Ok(solver) => return Ok(Some((solver, forced))),
                        Err(Refused::Unsatisfiable(origins)) => self.forced_by(&all, &origins),
                        Err(Refused::Unknown) => None,
                    }
                }
                Err(Refusal::Exhausted(_)) => None,
            };
        }
        Ok(None)
    }

    /// The number that a name has to be, if that mends a conflict of these constraints, or of a few of those it comes from.
    fn forced(
        &self,
        conflicting: &Solver,
        all: &[Constraint],
        conflict: &Conflict,
    ) -> Option<Specialised> {
        let found = conflicting.forced(conflict);
        let found = found.map(|(name, value)| Specialised {
            name,
            value,
            origins: conflict.origins.clone(),
        });
        found.or_else(|| self.forced_by(all, &conflict.origins))
    }

    /// The same, where nothing satisfies what comes from these origins. What many ask together, as that an axis is
    /// broadcast which two names meet in, may hide what few of them do.
    fn forced_by(&self, all: &[Constraint], origins: &[OriginId]) -> Option<Specialised> {
        let mut names = self.program.words.names();
        if !names.any(|name| self.program.words.number(name).is_none()) {
            return None;
        }
        let (members, clash) = explain::least_conflict(self, all.iter().cloned(), origins);
        let direct = clash.and_then(|Clash { conflict, solver }| {
            let (name, value) = solver.forced(&conflict)?;
            Some(Specialised { name, value, origins: conflict.origins })
        });
        direct.or_else(|| self.only_number(&members))
    }

    /// The one number that some name has to be, if that is all that mends constraints which nothing satisfies, wherever markers
    /// stand. Where nothing is computed, a size that is no number of theirs meets what a name meets, so it mends nothing
    /// either.
    fn only_number(&self, members: &[Constraint]) -> Option<Specialised> {
        let (mut names, mut numbers) = (BTreeSet::new(), BTreeSet::new());
        for constraint in members {
            if matches!(constraint.relation, Relation::Size(_)) {
                return None;
            }
            for dim in ground_dims(&constraint.relation) {
                let Dim::Atom { size, .. } = dim else { continue };
                match size.kind() {
                    SizeKind::Symbol(name) => names.insert(name),
                    SizeKind::Int(number) => numbers.insert(number),
                    SizeKind::Computed(_) => false,
                };
            }
        }
        if names.len() * numbers.len() > MOST_PAIRS {
            return None;
        }
        let pairs = names.iter().flat_map(|name| numbers.iter().map(|number| (*name, *number)));
        let fits = |(name, number): &(SizeSymbol, u64)| {
            let mut members = members.to_vec();
            substitute(&mut members, *name, *number);
            let mut effort = Effort::of(EFFORT);
            matches!(
                decide_with(&self.solver, &members, &mut effort),
                Decision::Satisfiable(_) | Decision::Beyond
            )
        };
        let mut found = pairs.filter(fits);
        let (Some((name, value)), None) = (found.next(), found.next()) else { return None };
        let origins = members.iter().map(|member| member.origin).collect();
        Some(Specialised { name, value, origins })
    }

    /// Whether a name may be a number.
    fn may_be(&self, found: &Specialised) -> Result<(), Unfit> {
        let range = self.program.range_of(found.name);
        if !range.values.has(found.value.into()) {
            return Err(Unfit::Outside(found.clone()));
        }
        if range.any && range.values.as_point().is_none() {
            return Err(Unfit::Pinned(found.clone()));
        }
        Ok(())
    }

    fn specialise(&mut self, solver: Solver, forced: Vec<Specialised>) {
        self.take_over(solver);
        for found in forced {
            self.program.specialise(found);
        }
    }
}

/// Puts a number in the place of a name.
fn substitute(constraints: &mut [Constraint], name: SizeSymbol, value: u64) {
    for constraint in constraints {
        let dim = |term| term_with_number(term, name, value);
        constraint.relation = constraint.relation.map(dim, |row| with_number(row, name, value));
    }
}

/// The dimensions of a relation that are no variables.
fn ground_dims(relation: &Relation) -> Vec<Dim> {
    let dims = RefCell::new(vec![]);
    let dim = |term: DimTerm| {
        dims.borrow_mut().extend(term.ground());
        term
    };
    let row = |row: &RowTerm| {
        dims.borrow_mut().extend(row.flanks.flat().iter().filter_map(|term| term.ground()));
        row.clone()
    };
    let _ = relation.map(dim, row);
    dims.into_inner()
}
