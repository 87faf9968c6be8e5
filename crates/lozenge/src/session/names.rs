//! What becomes of the values of names: ranges that are said of them, and numbers that they have to be.
//!
//! Names are rigid in the calculus: no rule binds one. Where a step is refused for nothing but that a name would have to
//! be a number, that number takes its place everywhere, and the program is solved again; so it does not matter when that was
//! noticed. A range is known to the solver from the beginning. One that comes later, and changes what was found, has the
//! program solved again as well.
//!
//! Different names are different sizes, also where both became numbers (`apart`).

use std::collections::BTreeSet;

use lozenge_core::{
    constraint::{Constraint, OriginId, Part, Relation, SizeRelation},
    decide::{Decision, Effort, decide_with},
    dim::Dim,
    size::{SizeKind, SizeSymbol},
    solve::{Conflict, Rejection as Refusal, Solver},
    term::{DimTerm, DimVar},
};

use super::{
    Session,
    canonical::{RUNS, Refused},
    program::{Mark, Specialised, dims},
};
use crate::{
    Rejection,
    explain::{self, Clash, Refuted, Unfit},
};

/// How many numbers are tried for names.
const MOST_PAIRS: usize = 16;

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
        let is_emptied = self.program.is_emptied_since(mark);
        let mut changes = is_emptied && self.solver.allow_empty();
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
                let all: Vec<Constraint> = self.constraints().collect();
                let forced = self.forced(&solver, &all, &conflict);
                let written = self.written_of(&all);
                let Some(numbers) = self.with_numbers(all, written, forced)? else {
                    return Err(Unfit::Refuted(Refuted::new(self, &solver, &conflict)));
                };
                self.specialise(numbers);
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
    ) -> Result<bool, Rejection> {
        if self.take_with_number_in_place(conflict) {
            return Ok(true);
        }
        let forced = |session: &Session, all: &[Constraint]| {
            let found = session.forced(&session.solver, all, conflict);
            let refuted = session.solver.refuted_by_ranges(conflict);
            let refuted = refuted.map(|_| Refuted::new(session, &session.solver, conflict));
            (found, refuted)
        };
        self.take_numbers(mark, forced)
    }

    /// The same in a large program where nothing else changes, so that it is not solved again.
    fn take_with_number_in_place(&mut self, conflict: &Conflict) -> bool {
        if self.is_trial || self.is_small() || !self.aside.is_empty() {
            return false;
        }
        let Some((name, value)) = self.solver.forced(conflict) else { return false };
        let found = Specialised { name, value, origins: conflict.origins.clone() };
        if self.may_be(&found).is_err() || !self.solver.specialise(name, value) {
            return false;
        }
        let mut batch = self.batch.clone();
        found.put_into(&mut batch);
        let snapshot = self.solver.snapshot();
        if self.solver.extend(&batch).is_err() || !self.solver.is_order_free() {
            self.solver.roll_back(snapshot);
            self.solver.take_back_number(name);
            return false;
        }
        self.solver.commit(snapshot);
        let named = |asked: &Constraint| self.program.written.of(asked.clone());
        let written = self.batch.iter().map(named).collect();
        self.program.specialise(vec![found], &batch, written);
        true
    }

    /// The same, where nothing satisfies what comes from these origins.
    #[cold]
    pub(super) fn take_members_with_numbers(
        &mut self,
        mark: &Mark,
        origins: &[OriginId],
    ) -> Result<bool, Rejection> {
        let forced = |session: &Session, all: &[Constraint]| {
            let (members, clash) = explain::least_conflict(session, all.iter().cloned(), origins);
            let refuted = clash.as_ref().and_then(|Clash { conflict, solver }| {
                solver.refuted_by_ranges(conflict)?;
                Some(Refuted::new(session, solver, conflict))
            });
            (session.forced_in(&members, clash), refuted)
        };
        self.take_numbers(mark, forced)
    }

    /// The same, where these say what number a name has to be, and what else the ranges of names refute.
    fn take_numbers(
        &mut self,
        mark: &Mark,
        forced: impl FnOnce(&Session, &[Constraint]) -> (Mend, Option<Refuted>),
    ) -> Result<bool, Rejection> {
        if self.is_trial || !self.program.has_open_names() {
            return Ok(false);
        }
        let all: Vec<Constraint> = self.constraints().chain(self.batch.iter().cloned()).collect();
        let (found, refuted) = forced(self, &all);
        // A later step may say which, and if none does, closing says so.
        if matches!(found, Mend::Several) && refuted.is_none() {
            self.patience.grow();
            self.aside.append(&mut self.batch);
            return Ok(true);
        }
        let written = self.written_of(&all);
        let unfit = match self.with_numbers(all, written, found) {
            Ok(Some(numbers)) => {
                self.specialise(numbers);
                return Ok(true);
            }
            Ok(None) => match refuted {
                Some(refuted) => Unfit::Refuted(refuted),
                None => return Ok(false),
            },
            Err(unfit) => unfit,
        };
        Err(self.refuse(mark, |session| explain::unfit(session, &unfit)))
    }

    /// The session with numbers in the place of names, where nothing satisfies what comes from these origins, and that shows
    /// only when it is closed; `None` if that does not help.
    #[cold]
    pub(super) fn with_numbers_for(
        &self,
        origins: &[OriginId],
    ) -> Result<Option<Session>, Rejection> {
        let all: Vec<Constraint> = self.constraints().collect();
        let found = match self.forced_by(&all, origins) {
            Mend::Several if self.is_small() => self.forced_with_others(&all, origins),
            found => found,
        };
        let written = self.written_of(&all);
        match self.with_numbers(all, written, found) {
            Ok(numbers) => Ok(numbers.map(|numbers| {
                let mut numbered = self.clone();
                numbered.specialise(numbers);
                numbered
            })),
            Err(unfit) => Err(explain::unfit(self, &unfit)),
        }
    }

    /// Goes on with numbers in the place of names, where nothing satisfies what comes from these origins, and no name is a
    /// number yet. Gives whether that helps.
    pub(super) fn with_numbers_of(
        &mut self,
        all: Vec<Constraint>,
        origins: &[OriginId],
    ) -> Result<bool, Unfit> {
        let found = self.forced_by(&all, origins);
        let written = all.clone();
        let numbers = self.with_numbers(all, written, found)?;
        let helps = numbers.is_some();
        if let Some(numbers) = numbers {
            self.specialise(numbers);
        }
        Ok(helps)
    }

    /// The constraints of the program, and those of the step under way if they are among these, with the names that became
    /// numbers.
    fn written_of(&self, all: &[Constraint]) -> Vec<Constraint> {
        self.written().take(all.len()).collect()
    }

    /// The solver of constraints that conflict, with numbers for the names that have to be some, of which this is one; `None`
    /// if that does not help. These are the constraints as they were written.
    fn with_numbers(
        &self,
        mut all: Vec<Constraint>,
        written: Vec<Constraint>,
        mut next: Mend,
    ) -> Result<Option<Numbers>, Unfit> {
        let mut forced: Vec<Specialised> = vec![];
        let before = all.clone();
        let (solver, aside) = loop {
            let Mend::Number(found) = next else { return Ok(None) };
            debug_assert!(forced.iter().all(|known| known.name != found.name), "it stays a name");
            self.may_be(&found)?;
            found.put_into(&mut all);
            forced.push(found);
            let mut solver = self.solver.blank();
            next = match solver.extend_ordered(&all) {
                Ok(()) if solver.is_order_free() && solver.deferred().is_none() => {
                    break (solver, vec![]);
                }
                Err(Refusal::Conflict(conflict)) if !conflict.is_chosen() => {
                    self.expect_new(&conflict.origins, &before, &all)?;
                    self.forced(&solver, &all, &conflict)
                }
                // Whether all of it fits with other choices is found out as it is without names.
                Ok(()) | Err(Refusal::Conflict(_)) => {
                    let mut numbered = self.with_solver(self.solver.blank());
                    numbered.program.specialise(forced.clone(), &[], vec![]);
                    match numbered.solve(&numbered.ordered(all.iter().cloned())) {
                        Ok(solver) => break (solver, vec![]),
                        Err(Refused::Unsatisfiable(origins)) => {
                            self.expect_new(&origins, &before, &all)?;
                            self.forced_by(&all, &origins)
                        }
                        Err(Refused::Unknown) => match self.without_aside(&numbered, &all) {
                            Some(found) => break found,
                            None => Mend::Nothing,
                        },
                    }
                }
                Err(Refusal::Exhausted(_)) => Mend::Nothing,
            };
        };
        // A large program is asked when it is closed.
        let opened = if self.is_small() {
            self.keep_apart(&written, &forced).map_err(Unfit::Equated)?
        } else {
            BTreeSet::new()
        };
        Ok(Some(Numbers { solver, aside, forced, all, written, opened }))
    }

    /// Fails unless something that comes from these origins is of the step under way, or has a number since.
    fn expect_new(
        &self,
        origins: &[OriginId],
        before: &[Constraint],
        all: &[Constraint],
    ) -> Result<(), Unfit> {
        let is_of_it = |asked: &Constraint| origins.contains(&asked.origin);
        let changes = before.iter().zip(all).any(|(one, other)| is_of_it(one) && one != other);
        let is_new = changes || self.batch.iter().any(is_of_it);
        is_new.then_some(()).ok_or_else(|| Unfit::Elsewhere(origins.to_vec()))
    }

    /// The solver of these constraints, which another session asks, without those of the step under way and without what
    /// was set aside before; and these, to be set aside.
    fn without_aside(
        &self,
        numbered: &Session,
        all: &[Constraint],
    ) -> Option<(Solver, Vec<Constraint>)> {
        let held = self.aside.iter().chain(&self.batch);
        let held: BTreeSet<OriginId> = held.map(|constraint| constraint.origin).collect();
        let (mut aside, taken): (Vec<Constraint>, Vec<Constraint>) =
            all.iter().cloned().partition(|constraint| held.contains(&constraint.origin));
        match numbered.solve(&numbered.ordered(taken.iter().cloned())) {
            Ok(solver) => return Some((solver, aside)),
            Err(Refused::Unsatisfiable(_)) => return None,
            Err(Refused::Unknown) => {}
        }
        // With the number something else is not found out either.
        let mut solver = self.solver.blank();
        let step = |asked: &Constraint| self.program.origin(asked.origin).0;
        for asked in taken.chunk_by(|one, other| step(one) == step(other)) {
            match solver.extend_ordered(asked) {
                Ok(()) => {}
                Err(Refusal::Conflict(conflict)) if conflict.is_chosen() => {
                    aside.extend_from_slice(asked);
                }
                Err(_) => return None,
            }
        }
        Some((solver, aside))
    }

    /// The number that a name has to be, if that mends a conflict of these constraints, or of a few of those it comes from.
    fn forced(&self, conflicting: &Solver, all: &[Constraint], conflict: &Conflict) -> Mend {
        let of_it = |asked: &&Constraint| conflict.origins.contains(&asked.origin);
        let members: Vec<Constraint> = all.iter().filter(of_it).cloned().collect();
        match self.forced_at_once(conflicting, conflict, &members) {
            Some(found) => Mend::Number(found),
            None => self.forced_by(all, &conflict.origins),
        }
    }

    /// The same, where the conflict itself says it. One element that an axis has because two sizes meet in it, of which the
    /// name is one, does not say what the name is.
    fn forced_at_once(
        &self,
        conflicting: &Solver,
        conflict: &Conflict,
        members: &[Constraint],
    ) -> Option<Specialised> {
        let (name, value) = conflicting.forced(conflict)?;
        if value == 1 && self.is_refuted_with(members, name, value) {
            return None;
        }
        Some(Specialised { name, value, origins: conflict.origins.clone() })
    }

    /// The same, where nothing satisfies what comes from these origins. What many ask together, as that an axis is
    /// broadcast which two names meet in, may hide what few of them do.
    fn forced_by(&self, all: &[Constraint], origins: &[OriginId]) -> Mend {
        if !self.program.has_open_names() {
            return Mend::Nothing;
        }
        let (members, clash) = explain::least_conflict(self, all.iter().cloned(), origins);
        self.forced_in(&members, clash)
    }

    /// The same, where the few let a name be one of several numbers, and others say which.
    fn forced_with_others(&self, all: &[Constraint], origins: &[OriginId]) -> Mend {
        let mut found = self.only_number(all);
        let step = |origin: OriginId| self.program.origin(origin).0;
        let few: BTreeSet<u32> = origins.iter().map(|origin| step(*origin)).collect();
        let mut kept = all.to_vec();
        for other in (0..self.program.len()).filter(|other| !few.contains(other)) {
            if !matches!(found, Mend::Number(_)) {
                break;
            }
            let fewer = kept.iter().filter(|asked| step(asked.origin) != other);
            let fewer: Vec<Constraint> = fewer.cloned().collect();
            if fewer.len() == kept.len() {
                continue;
            }
            if let with_fewer @ Mend::Number(_) = self.only_number(&fewer) {
                (found, kept) = (with_fewer, fewer);
            }
        }
        found
    }

    /// The same, where these are the few.
    fn forced_in(&self, members: &[Constraint], clash: Option<Clash>) -> Mend {
        let direct = clash.and_then(|Clash { conflict, solver }| {
            self.forced_at_once(&solver, &conflict, members)
        });
        direct.map_or_else(|| self.only_number(members), Mend::Number)
    }

    /// The one number that some name has to be, if that is all that mends constraints which nothing satisfies, wherever markers
    /// stand.
    fn only_number(&self, members: &[Constraint]) -> Mend {
        let asked = [members, &self.several(members)].concat();
        let found: Vec<(SizeSymbol, Mend<u64>)> =
            if members.iter().any(|member| computes(&member.relation)) {
                let values = names_in(members).into_iter();
                let values = values.map(|name| (name, self.only_value(&asked, name)));
                values.filter(|(_, mend)| !matches!(mend, Mend::Nothing)).collect()
            } else {
                let found = self.fitting(&asked).into_iter();
                found.map(|(name, value)| (name, Mend::Number(value))).collect()
            };
        match found[..] {
            [] => Mend::Nothing,
            [(name, Mend::Number(value))] => {
                let origins = members.iter().map(|member| member.origin).collect();
                Mend::Number(Specialised { name, value, origins })
            }
            [..] => Mend::Several,
        }
    }

    /// The numbers among these constraints that mend them in the place of names. Where nothing is computed, a size that is
    /// none of them meets what a name meets, so it mends nothing either.
    fn fitting(&self, asked: &[Constraint]) -> Vec<(SizeSymbol, u64)> {
        let (names, numbers) = (names_in(asked), numbers_in(asked));
        if names.len() * numbers.len() > MOST_PAIRS {
            return vec![];
        }
        let pairs = names.iter().flat_map(|name| numbers.iter().map(|number| (*name, *number)));
        pairs.filter(|(name, number)| !self.is_refuted_with(asked, *name, *number)).collect()
    }

    /// The one number that a name has to be so that these constraints have a solution: with a variable in its place they
    /// have one, and with any other number they have none.
    fn only_value(&self, asked: &[Constraint], name: SizeSymbol) -> Mend<u64> {
        let free = DimTerm::Var(DimVar::new(self.program.variables.dims));
        let in_place = |term: DimTerm| if name_of(term) == Some(name) { free } else { term };
        let asked_of = |constraint: &Constraint| Constraint {
            relation: constraint.relation.map_dims(in_place),
            ..*constraint
        };
        let freed: Vec<Constraint> = self.in_order(asked.to_vec()).iter().map(asked_of).collect();
        let least = |dim: DimTerm, least: u64| Relation::Size(SizeRelation::AtLeast { dim, least });
        let solve = |more: Vec<Relation>| {
            let more = more.into_iter().map(|relation| relation.with_origin(OriginId::NOBODY));
            let asked: Vec<Constraint> = freed.iter().cloned().chain(more).collect();
            decide_with(&self.solver, &asked, &mut Effort::of(RUNS))
        };
        let solution = match solve(vec![least(free, 2)]) {
            Decision::Satisfiable(solution) => solution,
            // One element that stretches to nothing else.
            Decision::Unsatisfiable(_) => {
                let is_one = self.is_satisfied_with(asked, name, 1);
                return if is_one { Mend::Number(1) } else { Mend::Nothing };
            }
            Decision::Beyond => return Mend::Nothing,
        };
        let found = solution.grounding.dim(free);
        let Some(value) = found.size().count() else { return Mend::Nothing };
        let rest = DimTerm::Var(DimVar::new(self.program.variables.dims + 1));
        let parts =
            vec![Part { dim: free, discardable: false }, Part { dim: rest, discardable: false }];
        let less = Relation::Size(SizeRelation::Concat { whole: found.into(), parts });
        let others = [vec![least(free, value + 1)], vec![least(free, 2), least(rest, 1), less]];
        if self.is_refuted_with(asked, name, value) {
            return Mend::Nothing;
        }
        let is_only =
            others.into_iter().all(|other| matches!(solve(other), Decision::Unsatisfiable(_)));
        if is_only { Mend::Number(value) } else { Mend::Several }
    }

    /// Whether nothing satisfies these constraints with a number in the place of a name either.
    pub(super) fn is_refuted_with(
        &self,
        members: &[Constraint],
        name: SizeSymbol,
        value: u64,
    ) -> bool {
        matches!(self.decide_with(members, name, value), Decision::Unsatisfiable(_))
    }

    /// Whether something satisfies these constraints with a number in the place of a name.
    fn is_satisfied_with(&self, members: &[Constraint], name: SizeSymbol, value: u64) -> bool {
        matches!(self.decide_with(members, name, value), Decision::Satisfiable(_))
    }

    fn decide_with(&self, members: &[Constraint], name: SizeSymbol, value: u64) -> Decision {
        let mut members = self.in_order(members.to_vec());
        Specialised { name, value, origins: vec![] }.put_into(&mut members);
        decide_with(&self.solver, &members, &mut Effort::of(RUNS))
    }

    /// What says of the sizes which constraints compute from names that they are no single element, which any other size
    /// would fit: that is chosen, not forced. What computes them are equations.
    pub(super) fn several(&self, members: &[Constraint]) -> Vec<Constraint> {
        let is_equation = |member: &&Constraint| match member.relation {
            Relation::DimEq(..) | Relation::RowEq(..) | Relation::Size(_) => true,
            Relation::DimIneq(..) | Relation::RowIneq(..) => false,
        };
        let equations: Vec<Constraint> = members.iter().filter(is_equation).cloned().collect();
        let mut known = self.solver.blank();
        if known.extend_ordered(&equations).is_err() {
            return vec![];
        }
        let mut several = vec![];
        for Constraint { relation, origin } in &equations {
            let computed = if computes(relation) { dims(relation) } else { vec![] };
            for dim in computed.into_iter().filter(|dim| dim.var().is_some()) {
                if is_computed(known.resolved_dim(dim)) {
                    let relation = Relation::Size(SizeRelation::AtLeast { dim, least: 2 });
                    several.push(relation.with_origin(*origin));
                }
            }
        }
        several
    }

    /// All constraints and then those of the step under way, with the names that became numbers.
    pub(super) fn written(&self) -> impl Iterator<Item = Constraint> + '_ {
        let others = self.aside.iter().chain(&self.batch).cloned();
        let all = self.solver.given_as_written().chain(others);
        all.map(|asked| self.program.written.of(asked))
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

    fn specialise(&mut self, numbers: Numbers) {
        let Numbers { solver, aside, forced, all, written, opened } = numbers;
        self.take_over(solver);
        if !aside.is_empty() {
            self.patience.grow();
            self.aside = aside;
        }
        self.program.specialise(forced, &all, written);
        self.program.opened = opened;
    }
}

/// What mends constraints that nothing satisfies.
enum Mend<T = Specialised> {
    Nothing,
    /// That a name is a number.
    Number(T),
    /// That a name is one of several numbers, or perhaps of several.
    Several,
}

/// The solver of a program in which names became numbers.
struct Numbers {
    solver: Solver,
    /// What it has not taken, since whether that fits was not found out.
    aside: Vec<Constraint>,
    forced: Vec<Specialised>,
    /// What it has taken, and what that was with names.
    all: Vec<Constraint>,
    written: Vec<Constraint>,
    /// The constraints that make names numbers.
    opened: BTreeSet<OriginId>,
}

/// The names of sizes in constraints.
fn names_in(constraints: &[Constraint]) -> BTreeSet<SizeSymbol> {
    let dims = constraints.iter().flat_map(|constraint| dims(&constraint.relation));
    dims.filter_map(name_of).collect()
}

/// The numbers in constraints that are sizes of axes.
fn numbers_in(constraints: &[Constraint]) -> BTreeSet<u64> {
    let dims = constraints.iter().flat_map(|constraint| dims(&constraint.relation));
    dims.filter_map(number_of).collect()
}

/// The number that is the size of a dimension, which is no unit.
pub(super) fn number_of(term: DimTerm) -> Option<u64> {
    match term.ground()? {
        Dim::Atom { size, .. } => size.count(),
        Dim::Unit => None,
    }
}

/// The name that is the size of a dimension.
fn name_of(term: DimTerm) -> Option<SizeSymbol> {
    match term.ground()?.size().kind() {
        SizeKind::Symbol(name) => Some(name),
        SizeKind::Int(_) | SizeKind::Computed(_) => None,
    }
}

/// Whether a dimension is of a size that is computed from names.
fn is_computed(term: DimTerm) -> bool {
    match term.ground() {
        Some(Dim::Atom { size, .. }) => matches!(size.kind(), SizeKind::Computed(_)),
        Some(Dim::Unit) | None => false,
    }
}

pub(super) fn computes(relation: &Relation) -> bool {
    matches!(relation, Relation::Size(_))
}
