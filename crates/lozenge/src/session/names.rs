//! Values of names: the ranges that they are given, and the numbers that they have to be.
//!
//! Names are rigid in the calculus: no rule binds one. Where a step is refused for nothing but that
//! a name would have to be a number, that number takes its place everywhere, and the program is
//! solved again; so it does not matter when that was noticed. A range is known to the solver from
//! the beginning. One that comes later, and changes what was found, has the program solved again as
//! well.
//!
//! Different names are different sizes, also where both became numbers (`apart`).

use std::collections::BTreeSet;

use lozenge_calculus::{
    constraint::{Constraint, OriginId},
    size::{Size, SizeSymbol, Sizes},
};
use lozenge_solve::{Conflict, SolveError as Refusal, Solver};

use super::{
    Inference,
    canonical::Refused,
    mend::Mend,
    program::{Mark, Specialised},
};
use crate::{
    Report,
    explain::{self, Clash, Refuted, Unfit},
};

impl Inference {
    /// Takes in what the step under way says of the values of names.
    #[cold]
    pub(super) fn take_ranges(&mut self, mark: &Mark) -> Result<(), Report> {
        let Err(unfit) = self.set_ranges(mark) else { return Ok(()) };
        let said = self.refuse(mark, |inference| explain::unfit(inference, &unfit));
        // As it was before: whatever was found then still holds.
        let names: Vec<SizeSymbol> = self.program.name_table.names().collect();
        for name in names {
            self.solver.set_range(name, self.program.range_of(name).values);
        }
        self.solver.narrow_taken();
        Err(said)
    }

    fn set_ranges(&mut self, mark: &Mark) -> Result<(), Unfit> {
        let names: Vec<SizeSymbol> =
            self.program.ranged_since(mark).iter().map(|ranged| ranged.name).collect();
        let is_emptied = self.program.is_emptied_since(mark);
        let mut changes = is_emptied && self.solver.allow_empty();
        let mut widens = false;
        for name in names {
            let range = self.program.range_of(name);
            if range.values.is_empty() {
                return Err(Unfit::Empty(name));
            }
            if let Some(known) = self.program.specialised.iter().find(|known| known.name == name) {
                self.may_be(known)?;
                widens |= self.solver.sizes().range(Sizes::name(name)).low > range.values.low;
            }
            changes |= self.solver.set_range(name, range.values);
            if range.at_run_time {
                changes |= self.solver.set_at_run_time(name);
            }
            let value = self.solver.equations().taken_number(name);
            if let Some(value) = value.filter(|value| !range.values.has((*value).into())) {
                let origins = self.solver.equations().taken_origins(Size::symbol(name));
                return Err(Unfit::Outside(Specialised { name, value, origins }));
            }
        }
        changes |= self.solver.narrow_taken();
        let mut names = self.program.name_table.names();
        let range = |name: SizeSymbol| self.solver.sizes().range(Sizes::name(name));
        if let Some(name) = names.find(|name| range(*name).is_empty()) {
            return Err(Unfit::Empty(name));
        }
        if !changes && !widens {
            return Ok(());
        }
        let given: Vec<Constraint> = self.solver.given().collect();
        if widens {
            return self.number_again(&given);
        }
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

    /// Finds out anew which names are numbers: one has more values than it had when it became one.
    fn number_again(&mut self, given: &[Constraint]) -> Result<(), Unfit> {
        let all = self.written_of(given);
        let mut named = self.clone();
        named.program = named.program.as_written();
        match named.solved_again(&all) {
            Ok(solver) => named.take_over(solver),
            Err(Refused::Unsatisfiable(origins)) if named.with_numbers_of(all, &origins)? => {}
            // What was found before holds, if not all that could be known.
            Err(Refused::Unsatisfiable(_) | Refused::Unknown) => return Ok(()),
        }
        *self = named;
        Ok(())
    }

    /// Takes the step under way after all, if nothing stands against it but that names would have
    /// to be numbers. Gives whether it was.
    #[cold]
    pub(super) fn take_with_numbers(
        &mut self,
        mark: &Mark,
        conflict: &Conflict,
    ) -> Result<bool, Report> {
        if self.take_with_number_in_place(conflict) {
            return Ok(true);
        }
        let forced = |inference: &Inference, all: &[Constraint]| {
            let found = inference.forced(&inference.solver, all, conflict);
            let refuted = inference.solver.equations().refuted_by_ranges(conflict);
            let refuted = refuted.map(|_| Refuted::new(inference, &inference.solver, conflict));
            (found, refuted)
        };
        self.take_numbers(mark, forced)
    }

    /// Takes the step under way after all, if nothing stands against it but that a size known at
    /// run time would have to be another one where markers stand as they do in every order. Gives
    /// whether it was.
    #[cold]
    pub(super) fn take_with_sizes(&mut self, conflict: &Conflict) -> bool {
        if self.is_trial || !self.program.has_open_names() {
            return false;
        }
        let Some(solver) = self.solver.equations().equated_at_run_time(conflict) else {
            return false;
        };
        let all: Vec<Constraint> = self.constraints().chain(self.batch.iter().cloned()).collect();
        let written = self.written_of(&all);
        match self.with_numbers(all, written, Mend::Equal(Box::new(solver))) {
            Ok(Some(numbers)) => {
                self.specialise(numbers);
                true
            }
            Ok(None) | Err(_) => false,
        }
    }

    /// Takes the step under way after all in a large program, with a number for one name where
    /// nothing else changes, so that the program is not solved again.
    fn take_with_number_in_place(&mut self, conflict: &Conflict) -> bool {
        if self.is_trial || self.is_small() || !self.aside.is_empty() {
            return false;
        }
        let Some((name, value)) = self.solver.equations().forced(conflict) else {
            return self.take_with_size_in_place(conflict);
        };
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

    /// Takes the step under way after all in a large program, with a name that is known at run time
    /// taken for another size.
    fn take_with_size_in_place(&mut self, conflict: &Conflict) -> bool {
        let Some(name) = self.solver.equate_in_place(conflict) else { return false };
        let snapshot = self.solver.snapshot();
        if self.solver.extend(&self.batch).is_err() || !self.solver.is_order_free() {
            self.solver.roll_back(snapshot);
            self.solver.take_back_size(name);
            return false;
        }
        self.solver.commit(snapshot);
        true
    }

    /// Takes the step under way after all with numbers for names, where nothing satisfies the
    /// constraints of these origins. Gives whether it was taken.
    #[cold]
    pub(super) fn take_members_with_numbers(
        &mut self,
        mark: &Mark,
        origins: &[OriginId],
    ) -> Result<bool, Report> {
        let forced = |inference: &Inference, all: &[Constraint]| {
            let (members, clash) = explain::least_conflict(inference, all.iter().cloned(), origins);
            let refuted = clash.as_ref().and_then(|Clash { conflict, solver }| {
                solver.equations().refuted_by_ranges(conflict)?;
                Some(Refuted::new(inference, solver, conflict))
            });
            (inference.forced_in(&members, clash.as_ref()), refuted)
        };
        self.take_numbers(mark, forced)
    }

    /// Takes the step under way after all with the numbers that this mend gives to names. Beside
    /// the mend stands what the ranges of names refute.
    fn take_numbers(
        &mut self,
        mark: &Mark,
        forced: impl FnOnce(&Inference, &[Constraint]) -> (Mend, Option<Refuted>),
    ) -> Result<bool, Report> {
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
        Err(self.refuse(mark, |inference| explain::unfit(inference, &unfit)))
    }

    /// The session with numbers in the place of names, where nothing satisfies what comes from
    /// these origins, and that shows only when it is closed; `None` if that does not help.
    #[cold]
    pub(super) fn with_numbers_for(
        &self,
        origins: &[OriginId],
    ) -> Result<Option<Inference>, Report> {
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

    /// Goes on with numbers in the place of names, where nothing satisfies what comes from these
    /// origins, and no name is a number yet. Gives whether that helps.
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

    /// The constraints of the program, and those of the step under way if they are among these,
    /// with the names that became numbers.
    fn written_of(&self, all: &[Constraint]) -> Vec<Constraint> {
        self.written().take(all.len()).collect()
    }

    /// The solver of constraints that conflict, with numbers for the names that have to be some,
    /// and with sizes that are taken for others, of which this is the first; `None` if that does
    /// not help. These are the constraints as they were written.
    fn with_numbers(
        &self,
        mut all: Vec<Constraint>,
        written: Vec<Constraint>,
        mut next: Mend,
    ) -> Result<Option<Numbers>, Unfit> {
        let mut forced: Vec<Specialised> = vec![];
        let before = all.clone();
        // The program where sizes are taken for others.
        let mut equated: Option<Inference> = None;
        let (solver, aside) = loop {
            match next {
                Mend::Number(found) => {
                    let is_new = forced.iter().all(|known| known.name != found.name);
                    debug_assert!(is_new, "it stays a name");
                    let inference = equated.as_ref().unwrap_or(self);
                    inference.may_be(&found)?;
                    found.put_into(&mut all);
                    if let Some(solver) =
                        inference.solver.equations().numbered(found.name, found.value)
                    {
                        let inference = equated.insert(self.with_solver(solver));
                        inference.batch.clone_from(&self.batch);
                    }
                    forced.push(found);
                }
                Mend::Equal(solver) => {
                    let inference = equated.insert(self.with_solver(*solver));
                    inference.batch.clone_from(&self.batch);
                }
                Mend::Nothing | Mend::Several => {
                    let said = equated.and_then(|equated| self.contradicted(equated, &all));
                    return said.map_or(Ok(None), |said| Err(Unfit::Told(Box::new(said))));
                }
            }
            let inference = equated.as_ref().unwrap_or(self);
            let expect_new = |origins: &[OriginId]| {
                let is_new = equated.is_some() || self.is_new(origins, &before, &all);
                is_new.then_some(()).ok_or_else(|| Unfit::Elsewhere(origins.to_vec()))
            };
            let mut solver = inference.solver.blank();
            solver.collect_equations();
            let taken = solver.extend_ordered(&all);
            let found = solver.collected_equations();
            if !found.is_empty() {
                let equated = solver.equations().equated_by(&found);
                next = equated.map_or(Mend::Nothing, |solver| Mend::Equal(Box::new(solver)));
                continue;
            }
            next = match taken {
                Ok(()) if solver.is_order_free() && solver.deferred().is_none() => {
                    break (solver, vec![]);
                }
                Err(Refusal::Conflict(conflict)) if !conflict.is_chosen() => {
                    expect_new(&conflict.origins)?;
                    inference.forced(&solver, &all, &conflict)
                }
                // Whether all of it fits with other choices is found out as it is without names.
                Ok(()) | Err(Refusal::Conflict(_)) => {
                    let mut numbered = inference.with_solver(inference.solver.blank());
                    numbered.program.specialise(forced.clone(), &[], vec![]);
                    match numbered.solve(&numbered.program.ordered(all.iter().cloned())) {
                        Ok(solver) => break (solver, vec![]),
                        Err(Refused::Unsatisfiable(origins)) => {
                            expect_new(&origins)?;
                            inference.forced_by(&all, &origins)
                        }
                        Err(Refused::Unknown) => match inference.without_aside(&numbered, &all) {
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
            let inference = equated.as_ref().unwrap_or(self);
            inference.keep_apart(&written, &forced).map_err(Unfit::Told)?
        } else {
            BTreeSet::new()
        };
        Ok(Some(Numbers { solver, aside, forced, all, written, opened }))
    }

    /// The refusal of the step under way if it does not fit where sizes are taken for others, as in
    /// this inference.
    fn contradicted(&self, mut equated: Inference, all: &[Constraint]) -> Option<Report> {
        let is_of_step =
            |asked: &Constraint| self.batch.iter().any(|own| own.origin == asked.origin);
        let (batch, before): (Vec<Constraint>, Vec<Constraint>) =
            all.iter().cloned().partition(is_of_step);
        equated.solver = equated.solver.blank();
        let last = equated.solver.equations().last_equated()?;
        if let Err(refusal) = equated.solver.extend_ordered(&before) {
            let Refusal::Conflict(conflict) = refusal else { return None };
            let origins = batch.iter().map(|asked| asked.origin).chain(conflict.origins);
            return Some(explain::beyond(&equated, &last, &origins.collect::<Vec<_>>()));
        }
        let refusal = equated.solver.extend(&batch).err()?;
        Some(explain::taken_already(
            &equated,
            &last,
            explain::refused(&equated, &batch, &refusal, &[]),
        ))
    }

    /// Whether something that comes from these origins is of the step under way, or has a number
    /// since.
    fn is_new(&self, origins: &[OriginId], before: &[Constraint], all: &[Constraint]) -> bool {
        let is_of_it = |asked: &Constraint| origins.contains(&asked.origin);
        let changes = before.iter().zip(all).any(|(one, other)| is_of_it(one) && one != other);
        changes || self.batch.iter().any(is_of_it)
    }

    /// The solver of these constraints, which another session asks, without those of the step under
    /// way and without what was set aside before; and these, to be set aside.
    fn without_aside(
        &self,
        numbered: &Inference,
        all: &[Constraint],
    ) -> Option<(Solver, Vec<Constraint>)> {
        let held = self.aside.iter().chain(&self.batch);
        let held: BTreeSet<OriginId> = held.map(|constraint| constraint.origin).collect();
        let (mut aside, taken): (Vec<Constraint>, Vec<Constraint>) =
            all.iter().cloned().partition(|constraint| held.contains(&constraint.origin));
        match numbered.solve(&numbered.program.ordered(taken.iter().cloned())) {
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

    /// All constraints and then those of the step under way, with the names that became numbers.
    pub(super) fn written(&self) -> impl Iterator<Item = Constraint> + '_ {
        let others = self.aside.iter().chain(&self.batch).cloned();
        let all = self.solver.given_as_written().chain(others);
        all.map(|asked| self.program.written.of(asked))
    }

    /// Whether a name may be a number.
    fn may_be(&self, found: &Specialised) -> Result<(), Unfit> {
        let range = self.program.range_of(found.name);
        let known = self.solver.sizes().range(Sizes::name(found.name));
        if !range.values.meet(known).has(found.value.into()) {
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
