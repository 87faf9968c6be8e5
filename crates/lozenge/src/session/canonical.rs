//! The canonical order of a program: one that depends on nothing but what the program asks.
//!
//! Most of what a solver finds follows from the constraints and from nothing else. Where it has to
//! choose, the place of a marker, a size that relations leave open, which leaf commits first, it
//! chooses in the order in which it is given constraints and leaves. So a program in which
//! something was chosen is solved and closed in an order of its own, which is the same however the
//! program was built and spelt.
//!
//! The key of a constraint is, first, how far its operation is from the terminals; then whether it
//! says where a row is broadcast, as a specification with `...` does; and then its **colour**: a
//! number made of its form, of the colours of the variables in it and of where they stand. The
//! colour of a variable is made of the constraints that it stands in, of the other rows of its
//! tensor, and of the steps around that. Names of operations, tensors and labels do not enter at
//! all; a named size or basis is a variable like others, so it enters as equal or different. What
//! is around a constraint is known after one pass up, from the terminals to the results, and one
//! pass down; passes are repeated while they tell more apart, a bounded number of times.
//!
//! Constraints of the same colour are most often the same thing twice. Then nothing depends on
//! which comes first, up to exchanging them, and they take the order in which they were built; one
//! of them is then told from the others, and so is what belongs to it, so that the choices fit each
//! other. In a large program only the first few are. Parts of a program that share nothing are
//! coloured each by itself: what is chosen in one depends on it alone.
//!
//! DIVERGENCE(canonical order): the design orders steps, and the operands of pointwise steps within
//! them. A step is nothing but what it asks, so ordering constraints orders both, and also the
//! operands of a product that a specification writes in another order.

mod colour;
mod parts;
mod pieces;

use std::collections::BTreeSet;

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation, Vars},
    term::Variable,
};
use lozenge_solve::{
    SolveError, Solver,
    close::{CloseError, Dispute, Note, Policy, Problem, Roles, close, settles},
    decide::{Effort, Resolution, resolve},
};

use super::{
    Inference,
    program::{Leaf, Program},
};
use crate::{Role, session::step::StepId};
use colour::{Colours, Wanted};
use parts::{Asked, sorted};

/// A program in canonical order.
pub(super) struct Canonical {
    constraints: Vec<Constraint>,
    /// Which part of the program each of them belongs to.
    parts: Vec<usize>,
    /// The leaves, by their places in the program.
    leaves: Vec<usize>,
}

impl Canonical {
    /// The same program with these parts of it in the opposite order, which places markers
    /// otherwise: where this one does not fit.
    pub(super) fn reversed(&self, parts: &BTreeSet<usize>) -> Canonical {
        let mut constraints = self.constraints.clone();
        for part in parts {
            let places: Vec<usize> = self.places_of(*part).collect();
            for (to, from) in places.iter().zip(places.iter().rev()) {
                constraints[*to] = self.constraints[*from].clone();
            }
        }
        Canonical { constraints, parts: self.parts.clone(), leaves: self.leaves.clone() }
    }

    /// The parts of a program in which nothing is wrong but where markers stand.
    pub(super) fn misplaced(&self, unclosed: &CloseError) -> BTreeSet<usize> {
        let (mut misplaced, mut others) = (BTreeSet::new(), BTreeSet::new());
        for problem in &unclosed.problems {
            let parts = match problem {
                Problem::Refused(_) | Problem::Unsettled(_) | Problem::Misplaced { .. } => {
                    &mut misplaced
                }
                _ => &mut others,
            };
            parts.extend(self.part_of(problem));
        }
        &misplaced - &others
    }

    /// Whether something is wrong with one of these parts of the program.
    pub(super) fn is_wrong(&self, parts: &BTreeSet<usize>, unclosed: &CloseError) -> bool {
        unclosed.problems.iter().any(|problem| match self.part_of(problem) {
            Some(part) => parts.contains(&part),
            // What was chosen last may be to blame.
            None => !matches!(problem, Problem::Unused(_)),
        })
    }

    /// The problems outside of these parts of the program, if there are any.
    pub(super) fn without(
        &self,
        unclosed: &CloseError,
        parts: &BTreeSet<usize>,
    ) -> Option<CloseError> {
        let remains =
            |problem: &Problem| !self.part_of(problem).is_some_and(|part| parts.contains(&part));
        let mut unclosed = unclosed.clone();
        unclosed.problems.retain(remains);
        (!unclosed.problems.is_empty()).then_some(unclosed)
    }

    /// The part of the program that has a problem.
    fn part_of(&self, problem: &Problem) -> Option<usize> {
        let is_asked = |origin: OriginId| move |asked: &Constraint| asked.origin == origin;
        let place = match problem {
            Problem::Refused(Dispute { asked, against, .. }) => {
                let origin = asked.iter().chain(against).min()?;
                self.constraints.iter().position(is_asked(*origin))
            }
            Problem::Unsettled(origin)
            | Problem::Deferred(origin)
            | Problem::Misplaced { yields: origin, .. } => {
                self.constraints.iter().position(is_asked(*origin))
            }
            Problem::Hole { var, .. } | Problem::NoRank(var) => {
                self.constraints.iter().position(|asked| {
                    let mut vars = Vars::default();
                    asked.relation.collect_vars(&mut vars);
                    match var {
                        Variable::Dim(var) => vars.dims.contains(var),
                        Variable::Row(var) => vars.rows.contains(var),
                    }
                })
            }
            Problem::Unused(_) | Problem::Exhausted(_) => None,
        };
        place.map(|place| self.parts[place])
    }

    fn places_of(&self, part: usize) -> impl DoubleEndedIterator<Item = usize> {
        let parts = self.parts.iter().enumerate();
        parts.filter(move |(_, of)| **of == part).map(|(place, _)| place)
    }

    fn origins(&self, places: impl Iterator<Item = usize>) -> Vec<OriginId> {
        places.map(|place| self.constraints[place].origin).collect()
    }
}

/// From how many constraints on a program is large.
pub(super) const LARGE: u32 = 1_000;

/// How often the solver is asked to place markers otherwise, or what number a name is, and how many
/// constraints it may take for the first.
pub(super) const RUNS: u32 = 400;
const MOST_TAKEN: u64 = 400_000;

impl Program {
    /// Some constraints of the program, in an order that depends on nothing but them.
    pub(crate) fn in_order(&self, constraints: Vec<Constraint>) -> Vec<Constraint> {
        self.ordered(constraints.into_iter()).constraints
    }

    pub(super) fn ordered(&self, all: impl Iterator<Item = Constraint>) -> Canonical {
        let colours = self.coloured(all, Wanted::Constraints);
        let leaves = self.leaves_by(&colours);
        let (constraints, parts) = colours.ordered();
        Canonical { constraints, parts, leaves }
    }

    fn coloured(&self, all: impl Iterator<Item = Constraint>, wanted: Wanted) -> Colours {
        let heights = self.heights();
        let asked = |constraint: Constraint| {
            let step = self.origin(constraint.origin).0.place();
            Asked { step, height: heights[step], constraint }
        };
        Colours::new(self, all.map(asked).collect(), wanted)
    }

    fn leaves_by(&self, colours: &Colours) -> Vec<usize> {
        let leaves = &self.leaves;
        sorted((0..leaves.len()).collect(), |place: &usize| {
            let Leaf { var, role, .. } = leaves[*place];
            (role == Role::Parameter, colours.of_variable(var))
        })
    }

    /// How far every step is from the terminals. What is only said comes last: it may be of
    /// anything.
    pub(crate) fn heights(&self) -> Vec<u32> {
        let mut heights: Vec<u32> = Vec::with_capacity(self.steps.len());
        for step in self.step_ids() {
            let of_operand = |operand: &StepId| heights[operand.place()].saturating_add(1);
            // A terminal has no operands, and is where counting begins.
            let height = self.operands_of(step).iter().map(of_operand).fold(0, u32::max);
            let is_said = !self.steps[step.place()].has_result;
            heights.push(if is_said { u32::MAX - 1 } else { height });
        }
        heights
    }

    /// The roles of the program's leaves, in canonical order.
    pub(super) fn roles_by(&self, canonical: &Canonical) -> Roles {
        self.roles_in(canonical.leaves.iter().copied())
    }
}

impl Inference {
    pub(super) fn is_small(&self) -> bool {
        self.solver.given_count() <= LARGE
    }

    /// The program, and the batch under way, in canonical order.
    pub(super) fn canonical(&self) -> Canonical {
        self.program.ordered(self.constraints().chain(self.batch.iter().cloned()))
    }

    /// All that has to do with what comes from these origins, in canonical order; `None` in a large
    /// program.
    pub(crate) fn part_with(
        &self,
        batch: &[Constraint],
        origins: &[OriginId],
    ) -> Option<Vec<Constraint>> {
        if !self.is_small() {
            return None;
        }
        let Canonical { constraints, parts, .. } =
            self.program.ordered(self.constraints().chain(batch.iter().cloned()));
        let placed = || constraints.iter().zip(&parts);
        let own = placed().filter(|(asked, _)| origins.contains(&asked.origin));
        let own: BTreeSet<usize> = own.map(|(_, part)| *part).collect();
        let with_them = placed().filter(|(_, part)| own.contains(part));
        Some(with_them.map(|(asked, _)| asked.clone()).collect())
    }

    /// The session that knows what the step under way has to do with, if no marker has to be placed
    /// for that: so it is in every order. Of a large program it is what was found.
    pub(crate) fn forced_before(&self, batch: &[Constraint]) -> Option<Inference> {
        if !self.is_small() {
            return self.solver.is_order_free().then(|| self.clone());
        }
        let of_step: Vec<OriginId> = batch.iter().map(|asked| asked.origin).collect();
        let mut before = self.part_with(batch, &of_step)?;
        before.retain(|asked| !of_step.contains(&asked.origin));
        let solved = |asked: &[Constraint]| {
            let mut solver = self.solver.blank();
            solver.extend_ordered(asked).ok()?;
            solver.is_order_free().then(|| self.with_solver(solver))
        };
        let is_order = |asked: &Constraint| {
            matches!(asked.relation, Relation::RowIneq(..) | Relation::DimIneq(..))
        };
        solved(&before).or_else(|| {
            before.sort_by_key(is_order); // stable
            solved(&before)
        })
    }

    /// The roles of the leaves of a program whose constraints may be taken in any order. Leaves
    /// commit one after another, so their order matters all the same as soon as there are two.
    pub(super) fn roles(&self) -> Roles {
        if self.program.leaves.len() < 2 {
            return self.program.roles();
        }
        let colours = self.program.coloured(self.constraints(), Wanted::Variables);
        self.program.roles_in(self.program.leaves_by(&colours).into_iter())
    }

    /// The solver of a program in canonical order. Where the placement of markers that this order
    /// gives does not fit and another one does, that is taken.
    pub(super) fn solve(&self, canonical: &Canonical) -> Result<Solver, Refused> {
        let mut solver = self.solver.blank();
        match solver.extend_ordered(&canonical.constraints) {
            Ok(()) if fit(&mut solver) != Fit::No => Ok(solver),
            Err(SolveError::Conflict(conflict)) if conflict.placed.is_empty() => {
                Err(Refused::Unsatisfiable(conflict.origins))
            }
            // What waits may fit with markers in other places; or nothing does.
            Ok(()) | Err(SolveError::Conflict(_)) => self.resolve(canonical),
            Err(SolveError::Exhausted(_)) => Err(Refused::Unknown),
        }
    }

    /// The solver of a program in canonical order, with whatever placement of markers fits.
    pub(super) fn resolve(&self, canonical: &Canonical) -> Result<Solver, Refused> {
        let mut effort = Effort { most_taken: MOST_TAKEN, ..Effort::of(RUNS) };
        match resolve(&self.solver, &canonical.constraints, &mut effort) {
            Resolution::Solved(solver) => Ok(*solver),
            Resolution::Unsatisfiable(set) => {
                Err(Refused::Unsatisfiable(canonical.origins(set.members.into_iter())))
            }
            Resolution::Beyond => Err(Refused::Unknown),
        }
    }
}

/// Whether there is a solution of what a solver has taken that shows without a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    Yes,
    /// There is one if relations hold that are over named sizes.
    IfNamesDo,
    /// None was found.
    No,
}

/// Looks for a solution of what a solver has taken. Of a large program only rows are looked at that
/// wait.
pub(super) fn fit(solver: &mut Solver) -> Fit {
    if solver.given_count() > LARGE {
        return if settles(solver) == Ok(false) { Fit::No } else { Fit::Yes };
    }
    if solver.deferred().is_none() {
        return Fit::Yes;
    }
    let is_open = |note: &Note| matches!(note, Note::Undecided(_));
    match close(&solver.solved(), &Roles::default(), Policy::Upward) {
        Ok(closed) if closed.notes().iter().any(is_open) => Fit::IfNamesDo,
        Ok(_) => Fit::Yes,
        Err(_) => Fit::No,
    }
}

/// Why a program has no solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    /// Nothing satisfies it, because of what comes from there.
    Unsatisfiable(Vec<OriginId>),
    /// Whether anything does was not found out.
    Unknown,
}
