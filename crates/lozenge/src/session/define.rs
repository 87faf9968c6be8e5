//! Declared names: those that are computed from others, and relations that are taken for granted.
//!
//! A name that is computed is no size of its own: what it is computed as takes its place wherever
//! it stands. Where it stood before, the program is solved again, with the names that it was
//! written with.

use std::collections::BTreeSet;

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation},
    size::{Requirement, SizeSymbol},
    term::{DimTerm, DimVar},
};
use lozenge_solve::{SolveError as Refusal, Solver};

use super::{
    Inference,
    canonical::Refused,
    program::{Defined, Mark, dims, within},
};
use crate::{
    Report, Scheme,
    explain::{self, Unfit},
    session::step::StepId,
};

impl Inference {
    /// Takes in what the scheme of the step under way declares, and what was declared before of the
    /// names that it says something of.
    #[cold]
    pub(super) fn take_declared(&mut self, scheme: &Scheme, mark: &Mark) {
        let program = &mut self.program;
        let mut asked = vec![];
        let mut ranges = program.ranged_since(mark).to_vec();
        if scheme.is_declared() {
            program.declared.grant(&self.batch);
        }
        if let Some((name, size)) = scheme.defined(mark.first().dim) {
            let name = program.name_table.adopted_symbol(name, scheme.known_names());
            if let Some(known) = program.declared.definition(name) {
                asked.push(Relation::DimEq(known.into(), size.into()));
            } else {
                program.declared.define(Defined { name, size, step: program.next_step() });
                ranges.extend(program.ranges.iter().filter(|ranged| ranged.name == name));
            }
        }
        for ranged in ranges {
            if let Some(size) = program.declared.definition(ranged.name) {
                let rest = DimVar::new(program.variables.dims);
                program.variables.dims += 1;
                asked.extend(within(size, ranged.range, rest));
            }
        }
        let asked: Vec<Constraint> =
            asked.into_iter().map(|asked| program.add_constraint(asked)).collect();
        program.declared.grant(&asked);
        self.batch.extend(asked);
    }

    /// Takes in the names that the step under way makes computed sizes. Gives whether the rest of
    /// the step was taken with that.
    #[cold]
    pub(super) fn take_definition(&mut self, mark: &Mark) -> Result<bool, Report> {
        if let Some(name) = self.circular(mark) {
            let unfit = Unfit::Circular(name);
            return Err(self.refuse(mark, |inference| explain::unfit(inference, &unfit)));
        }
        let mut names = self.program.declared.definitions().iter().map(|defined| defined.name);
        if let Some(name) = names.find(|name| self.program.range_of(*name).any) {
            return Err(
                self.refuse(mark, |inference| explain::unfit(inference, &Unfit::Tied(name)))
            );
        }
        if let Some((_, true)) = self.program.defined_since(mark) {
            self.define_again(mark)?;
            return Ok(true);
        }
        if let Some(name) = self.program.based(Some(mark), &self.batch) {
            return Err(
                self.refuse(mark, |inference| explain::unfit(inference, &Unfit::Based(name)))
            );
        }
        Ok(false)
    }

    /// The solver of these constraints alone.
    pub(super) fn solved_again(&self, all: &[Constraint]) -> Result<Solver, Refused> {
        let mut solver = self.solver.blank();
        match solver.extend_ordered(all) {
            Ok(()) => Ok(solver),
            Err(Refusal::Conflict(conflict)) if !conflict.is_chosen() => {
                Err(Refused::Unsatisfiable(conflict.origins))
            }
            Err(_) => self.solve(&self.program.ordered(all.iter().cloned())),
        }
    }

    /// Solves the program again, in which a name stands that is computed.
    fn define_again(&mut self, mark: &Mark) -> Result<(), Report> {
        let all = self.written().map(|asked| self.program.declared.put_into(asked));
        let all: Vec<Constraint> = all.collect();
        if !self.program.specialised.is_empty() {
            self.program = self.program.as_written();
        }
        self.program.define_in_rows();
        if let Some(name) = self.program.based(None, &all) {
            return Err(
                self.refuse(mark, |inference| explain::unfit(inference, &Unfit::Based(name)))
            );
        }
        let first = mark.first().origin;
        self.batch = all.iter().filter(|asked| asked.origin.index() >= first).cloned().collect();
        let origins = match self.solved_again(&all) {
            Ok(solver) => {
                self.take_over(solver);
                return Ok(());
            }
            Err(Refused::Unsatisfiable(origins)) => origins,
            Err(Refused::Unknown) => {
                let origins: Vec<OriginId> = self.batch.iter().map(|asked| asked.origin).collect();
                let said = |inference: &Inference| explain::undecided(inference, &origins);
                return Err(self.refuse(mark, said));
            }
        };
        match self.with_numbers_of(all.clone(), &origins) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(unfit) => {
                return Err(self.refuse(mark, |inference| explain::unfit(inference, &unfit)));
            }
        }
        let before: Vec<Constraint> =
            all.into_iter().filter(|asked| asked.origin.index() < first).collect();
        Err(self.refuse(mark, |inference| match inference.knowing(before) {
            Some(before) => {
                let batch = inference.batch.clone();
                explain::unsatisfiable(&before, &batch, &origins)
            }
            None => explain::unsatisfiable(inference, &inference.batch, &origins),
        }))
    }

    /// The name that the step under way would compute from itself.
    fn circular(&self, mark: &Mark) -> Option<SizeSymbol> {
        let (name, _) = self.program.defined_since(mark)?;
        let declared = self.declared(self.written());
        let uses = |of: StepId| {
            let is_own = |asked: &&Constraint| self.program.origin(asked.origin).0 == of;
            let dims = declared.iter().filter(is_own).flat_map(|asked| dims(&asked.relation));
            let dims: Vec<DimTerm> = dims.collect();
            let definitions = self.program.declared.definitions().iter();
            definitions.filter(move |used| used.step != of && dims.contains(&used.size.into()))
        };
        let (mut seen, mut todo) = (BTreeSet::new(), vec![self.program.last_step()]);
        while let Some(step) = todo.pop() {
            for used in uses(step) {
                if used.name == name {
                    return Some(name);
                }
                if seen.insert(used.step) {
                    todo.push(used.step);
                }
            }
        }
        None
    }

    /// The declared requirements of named sizes.
    pub(super) fn facts(&self) -> Vec<Requirement> {
        if self.program.declared.is_empty() {
            return vec![];
        }
        let mut granted = self.solver.blank();
        let is_granted = |origin: &OriginId| self.program.declared.is_granted(*origin);
        granted.keep_equated(|origins| origins.iter().all(is_granted));
        // What is said of forms that are equal, and not the same, may be refused alone: then it is
        // asked for.
        if granted.extend_ordered(&self.declared(self.constraints())).is_err() {
            return vec![];
        }
        granted.equations().requirements().into_iter().map(|(fact, _)| fact).collect()
    }

    /// Those of these constraints that are declared.
    fn declared(&self, all: impl Iterator<Item = Constraint>) -> Vec<Constraint> {
        let declared = all.filter(|asked| self.program.declared.is_granted(asked.origin));
        declared.map(|asked| self.program.declared.put_into(asked)).collect()
    }
}
