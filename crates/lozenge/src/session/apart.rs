//! Different names are different sizes, also where both became numbers.
//!
//! An equation between two names is refused whether it comes before or behind the lines that make
//! one of them a number. So the constraints are kept as they were written, with all names: every
//! set of them that nothing satisfies has to make one name one number. The numbers in such a set
//! are left open, and something has to satisfy what is left.

use std::{cell::Cell, collections::BTreeSet, ops::Range};

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation},
    size::SizeSymbol,
    term::{DimTerm, DimVar},
};
use lozenge_solve::{
    Conflict, SolveError as Refusal, Solver,
    decide::{Decision, Effort, decide_with},
};

use super::{
    Inference,
    canonical::RUNS,
    mend::{computes, names_in, number_of},
    program::{Specialised, Step, dims},
};
use crate::{
    Report,
    explain::{self, Clash},
};

/// How often a large program is solved to find the sets that make names numbers.
const MOST_TIMES: usize = 8;

impl Inference {
    /// Why the step under way is refused if it makes no other name a number: because it equates
    /// different names, one of which became a number before. A large program is asked when it is
    /// closed.
    #[inline]
    pub(super) fn refused_for_names(&mut self) -> Option<Box<Report>> {
        let is_asked = self.is_small() && !self.batch.is_empty();
        if self.program.specialised.is_empty() || !is_asked {
            return None;
        }
        match self.names_apart() {
            Ok(opened) => {
                self.program.opened = opened;
                None
            }
            Err(said) => Some(said),
        }
    }

    /// Refuses the program if it equates different names. Gives the constraints that make names
    /// numbers.
    #[cold]
    pub(super) fn names_apart(&self) -> Result<BTreeSet<OriginId>, Box<Report>> {
        let written: Vec<Constraint> = self.written().collect();
        self.keep_apart(&written, &[])
    }

    /// Refuses constraints some of which, as they were written, nothing satisfies for another
    /// reason than that a name is a number, where these become numbers as well. Gives the
    /// constraints that make names numbers.
    pub(super) fn keep_apart(
        &self,
        written: &[Constraint],
        forced: &[Specialised],
    ) -> Result<BTreeSet<OriginId>, Box<Report>> {
        let numbers = self.program.specialised.iter().chain(forced);
        let numbers: BTreeSet<_> = numbers.map(|found| (found.name, found.value)).collect();
        if numbers.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut open = Opened::new(self, written, numbers);
        let first = self.batch.first().map_or(u32::MAX, |first| first.origin.index());
        let most = if self.is_small() { usize::MAX } else { MOST_TIMES };
        let mut as_written = None;
        let mut blank = self.solver.blank_as_written();
        for _ in 0..most {
            let mut solver = blank.clone();
            solver.collect_equations();
            let taken = open.take(&mut solver, !self.is_small());
            // What a size known at run time is, is no part in this.
            let found = solver.collected_equations();
            if let Some(solver) = solver.equations().equated_by(&found) {
                blank = solver;
                continue;
            }
            if taken.is_ok() && solver.deferred().is_none() {
                break;
            }
            let asked = open.asked(0..written.len());
            let named: &mut Inference = as_written.get_or_insert_with(|| self.as_written());
            named.program.variables.dims = open.next.get();
            let (origins, clash) = match taken {
                Err(Refusal::Conflict(conflict)) if !conflict.is_chosen() => {
                    (conflict.origins.clone(), Some(Clash { conflict, solver }))
                }
                Ok(()) | Err(Refusal::Conflict(_)) if self.is_small() => {
                    let Some(origins) = named.refuted(&asked) else { break };
                    let all = asked.iter().cloned();
                    let (members, clash) = explain::least_conflict(named, all, &origins);
                    (members.iter().map(|member| member.origin).collect(), clash)
                }
                Ok(()) | Err(_) => break,
            };
            // What has nothing to do with names is told as it is without them.
            let members = written.iter().filter(|asked| origins.contains(&asked.origin));
            let names = names_in(members);
            if open.numbers.iter().all(|(name, _)| !names.contains(name)) {
                break;
            }
            if named.is_mended(&open, &asked, &origins, clash.as_ref()) {
                if open.open(&asked, &origins) {
                    continue;
                }
                break;
            }
            let part = named.part_with(&asked, &origins);
            let (batch, before): (Vec<Constraint>, Vec<Constraint>) =
                asked.into_iter().partition(|asked| asked.origin.index() >= first);
            // What was asked before was taken then.
            if !batch.is_empty() && origins.iter().all(|origin| origin.index() < first) {
                break;
            }
            // What they disagree in shows without those that have no part in it, some of which may
            // make names numbers.
            let before = part.map_or(before, |part| {
                part.into_iter().filter(|asked| asked.origin.index() < first).collect()
            });
            if let Ok(solver) = named.solve(&named.program.ordered(before.into_iter())) {
                named.solver = solver;
            }
            return Err(Box::new(explain::unsatisfiable(named, &batch, &origins)));
        }
        Ok(open.origins)
    }

    /// The inference of the program as it was written, with the names that became numbers, before
    /// anything is solved.
    fn as_written(&self) -> Inference {
        let mut named = self.with_solver(self.solver.blank());
        named.program = self.program.as_written();
        named.aside.clear();
        named
    }

    /// Where constraints come from that nothing satisfies. How far the search for them comes
    /// depends on the order, so two are tried.
    fn refuted(&self, asked: &[Constraint]) -> Option<Vec<OriginId>> {
        let mut ordered = self.program.in_order(asked.to_vec());
        for _ in 0..2 {
            match decide_with(&self.solver, &ordered, &mut Effort::of(RUNS)) {
                Decision::Unsatisfiable(set) => {
                    return Some(set.members.iter().map(|place| ordered[*place].origin).collect());
                }
                Decision::Satisfiable(_) => return None,
                Decision::Beyond => ordered.reverse(),
            }
        }
        None
    }

    /// Whether the number of one name mends constraints that nothing satisfies.
    fn is_mended(
        &self,
        open: &Opened<'_>,
        asked: &[Constraint],
        origins: &[OriginId],
        clash: Option<&Clash>,
    ) -> bool {
        if let Some(Clash { conflict, solver }) = clash {
            // One element says nothing where two sizes meet.
            if let Some(forced) =
                solver.equations().forced(conflict).filter(|(_, value)| *value != 1)
            {
                return open.numbers.contains(&forced);
            }
            if solver.equations().equates_names(conflict) {
                return false;
            }
        }
        let members = asked.iter().filter(|asked| origins.contains(&asked.origin));
        let mut members: Vec<Constraint> = members.cloned().collect();
        members.extend(self.several(&members));
        let mut numbers = open.numbers.iter();
        numbers.any(|(name, value)| !self.is_refuted_with(&members, *name, *value))
    }
}

/// Constraints as they were written, some with open numbers: they have sizes that nothing is known
/// of in the place of numbers, or, where they compute sizes, are left out.
struct Opened<'a> {
    all: Vec<&'a Constraint>,
    /// Those of a step are taken together.
    steps: Vec<Range<usize>>,
    /// Where the open ones come from.
    origins: BTreeSet<OriginId>,
    numbers: BTreeSet<(SizeSymbol, u64)>,
    next: Cell<u32>,
}

impl<'a> Opened<'a> {
    fn new(
        inference: &Inference,
        all: &'a [Constraint],
        numbers: BTreeSet<(SizeSymbol, u64)>,
    ) -> Opened<'a> {
        let program = &inference.program;
        let mut all: Vec<&Constraint> = all.iter().collect();
        all.sort_by_key(|constraint| constraint.origin);
        let mut steps: Vec<Range<usize>> = vec![];
        let mut after = program.steps.iter().peekable();
        for (place, constraint) in all.iter().enumerate() {
            let begins = |step: &&Step| step.first.origin <= constraint.origin.index();
            let mut is_next = false;
            while after.next_if(begins).is_some() {
                is_next = true;
            }
            match steps.last_mut().filter(|_| !is_next) {
                Some(places) => places.end = place + 1,
                None => steps.push(place..place + 1),
            }
        }
        let next = Cell::new(program.variables.dims);
        Opened { all, steps, origins: program.opened.clone(), numbers, next }
    }

    fn asked(&self, places: Range<usize>) -> Vec<Constraint> {
        let ask = |constraint: &&Constraint| {
            let relation = match &constraint.relation {
                written if !self.origins.contains(&constraint.origin) => written.clone(),
                Relation::Size(_) => return None,
                written => written.map_dims(|term| self.without_number(term)),
            };
            Some(Constraint { relation, origin: constraint.origin })
        };
        self.all[places].iter().filter_map(ask).collect()
    }

    /// A dimension, with a new variable in the place of a number.
    fn without_number(&self, term: DimTerm) -> DimTerm {
        if number_of(term).is_none() {
            return term;
        }
        DimTerm::Var(DimVar::new(self.next.replace(self.next.get() + 1)))
    }

    /// Takes all constraints, step after step. What makes a name a number within a step is opened
    /// on the way; if a step does so together with others, it is left out where there is no time to
    /// take them all again.
    fn take(&mut self, solver: &mut Solver, at_once: bool) -> Result<(), Refusal> {
        for step in self.steps.clone() {
            let written = &self.all[step.clone()];
            let is_open = written.iter().any(|asked| self.origins.contains(&asked.origin));
            if !is_open && solver.extend_ordered(written.iter().copied()).is_ok() {
                continue;
            }
            loop {
                let asked = self.asked(step.clone());
                match solver.extend_ordered(&asked) {
                    Ok(()) => break,
                    Err(Refusal::Conflict(conflict)) if self.is_number(solver, &conflict) => {
                        if self.open_equal(&asked, &conflict.origins) {
                            continue;
                        }
                        if at_once {
                            break;
                        }
                        return Err(Refusal::Conflict(conflict));
                    }
                    Err(refusal) => return Err(refusal),
                }
            }
        }
        Ok(())
    }

    /// Whether a conflict is that a name is the number which it became.
    fn is_number(&self, solver: &Solver, conflict: &Conflict) -> bool {
        solver.equations().forced(conflict).is_some_and(|forced| self.numbers.contains(&forced))
    }

    /// Opens constraints with numbers. Gives whether one was not open before.
    fn open(&mut self, asked: &[Constraint], origins: &[OriginId]) -> bool {
        // A number that sizes are computed with is not what a name is equal to, if there is
        // another.
        self.open_equal(asked, origins) || self.open_some(asked, origins, computes)
    }

    fn open_equal(&mut self, asked: &[Constraint], origins: &[OriginId]) -> bool {
        self.open_some(asked, origins, |relation| !computes(relation) && has_number(relation))
    }

    fn open_some(
        &mut self,
        asked: &[Constraint],
        origins: &[OriginId],
        is_one: impl Fn(&Relation) -> bool,
    ) -> bool {
        let before = self.origins.len();
        let members = asked.iter().filter(|asked| origins.contains(&asked.origin));
        let members = members.filter(|asked| is_one(&asked.relation));
        self.origins.extend(members.map(|asked| asked.origin));
        self.origins.len() > before
    }
}

fn has_number(relation: &Relation) -> bool {
    dims(relation).into_iter().any(|dim| number_of(dim).is_some())
}
