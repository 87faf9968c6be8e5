//! Is there a solution at all? Exact for the one-shot order.
//!
//! The solver sits between the two judges: what it rejects may still have a one-shot solution, where
//! only the place of a marker stands in the way, and what it defers may have none. [`decide`] closes
//! the gap. It asks the solver first; most answers are then exact, because a conflict that depends
//! on the place of no marker is one for every solution. Where it is not, `search` chooses how many
//! axes a row variable has on each side, in increasing rank, and asks again.
//!
//! ```
//! use lozenge_solve::{decide::{Decision, Effort, decide}, Solver};
//! use lozenge_calculus::text::Names;
//!
//! let mut names = Names::new();
//! // The solver puts the marker of r where the first line has it; the second needs it elsewhere.
//! let store = names.parse_store("⟨r⟩ ≈ ◊[3,5]; [3]◊[9,5] ⊑ ⟨r⟩")?;
//! assert!(Solver::new().extend(&store).is_err());
//! let Decision::Satisfiable(solution) = decide(&store, &mut Effort::default()) else { panic!() };
//! assert_eq!(names.show(&solution.grounding).to_string(), "{⟨r⟩ = [3]◊[5]}");
//! # Ok::<(), lozenge_calculus::text::TextError>(())
//! ```

mod choose;
mod place;
mod print;
mod rotation;
mod search;

use alloc::{boxed::Box, collections::BTreeSet, vec::Vec};

use crate::{
    Conflict, Derivation, Extent, Solver,
    repeated::is_repeated,
    tables::ids::{GivenId, Id},
};
use lozenge_calculus::{
    constraint::{Constraint, ConstraintRef, OriginId},
    size::Sizes,
    term::{Grounding, RowVar},
};

use place::{Placed, place};
use search::{Outcome, refute, search};

/// Whether constraints have a one-shot solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// They have; here is one.
    Satisfiable(Box<Solution>),
    /// They have none.
    Unsatisfiable(ConflictingSet),
    /// It was not found out within the effort; or it is not known how: no bound on ranks holds, or sizes
    /// are left undecided.
    Beyond,
}

/// A solution, and what the sizes in it are that are no numbers: for some values of their names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The values of variables.
    pub grounding: Grounding,
    /// The table of their sizes.
    pub sizes: Sizes,
}

/// What a conflict means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing satisfies what was given.
    Unsatisfiable {
        /// Some of it that nothing satisfies.
        members: Vec<Constraint>,
        /// Whether without any one of them the others have a solution.
        minimal: bool,
    },
    /// This does; the solver placed a marker otherwise.
    Policy(Grounding),
    /// It was not found out.
    Unknown,
}

/// Constraints without a common solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConflictingSet {
    /// Which of the constraints, by their places in what was asked, in increasing order.
    pub members: Vec<usize>,
    /// Whether without any one of them the others have a solution. Not so only when the effort ran
    /// out, or where that is undecided.
    pub minimal: bool,
}

/// How it follows that constraints have no one-shot solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refutation {
    /// A conflict that depends on the place of no marker.
    Direct {
        /// How it follows.
        derivation: Derivation,
        /// Where the constraints come from because of which rows have the same rank in it, so that nothing
        /// is inserted and their markers do not matter.
        equal_ranks: Vec<OriginId>,
    },
    /// Whatever is supposed of a row variable, there is a conflict.
    Cases {
        /// The variable.
        var: RowVar,
        /// Where the constraints come from because of which it has no smaller rank than those
        /// supposed.
        at_least: Vec<OriginId>,
        /// Its ranks from the least one on, until no higher one can help or all higher ones are taken
        /// together; or its flanks, all that the rank supposed before allows; or its numbers of elements, all
        /// that divide what it is a part of.
        cases: Vec<(Supposition, Refutation)>,
        /// Whether no higher rank helps because what is longer only repeats these.
        repeats: bool,
    },
}

/// What is supposed of a row variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Supposition {
    /// How many axes it has.
    Rank(u16),
    /// How many it has on each side of its marker.
    Flanks(Extent),
    /// How many it has at least: so many from the front, and as many others from the back.
    AtLeast(Extent),
    /// How many it has at least on each side of its marker.
    Around(Extent),
    /// How many elements it has.
    Elements(u64),
}

/// What closing costs that finds nothing, in runs of the solver.
const CLOSING: u32 = 10;

/// How many choices of sizes are tried for each run.
const TRIES_PER_RUN: u32 = 10;

/// How much may be spent on a decision, and how much was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How often the solver may still be asked.
    pub runs: u32,
    /// How many constraints it may take, in all runs together, before it is asked no more.
    pub most_taken: u64,
    /// How many choices of sizes may still be tried together where the search closes.
    pub tries: u32,
    /// How often it was asked.
    pub spent: u32,
    /// How many constraints it took.
    pub taken: u64,
}

impl Default for Effort {
    /// Enough for all but a few of a million random stores.
    fn default() -> Effort {
        Effort::of(4_000)
    }
}

impl Effort {
    /// Room for this many runs of the solver.
    pub fn of(runs: u32) -> Effort {
        let tries = runs.saturating_mul(TRIES_PER_RUN);
        Effort { runs, most_taken: 10_000_000, tries, spent: 0, taken: 0 }
    }

    /// Pays for a run, if there is enough left.
    fn pay(&mut self, constraints: usize) -> bool {
        if self.is_spent() {
            return false;
        }
        self.runs -= 1;
        self.spent += 1;
        self.taken += constraints as u64;
        true
    }

    /// Pays for closing that found nothing, which asks the solver many times.
    fn pay_for_closing(&mut self) {
        self.runs = self.runs.saturating_sub(CLOSING);
    }

    fn is_spent(&self) -> bool {
        self.runs == 0 || self.taken >= self.most_taken
    }
}

/// Whether the constraints have a one-shot solution; if not, a minimal set of them that has none.
pub fn decide(constraints: &[Constraint], effort: &mut Effort) -> Decision {
    decide_in(&in_program_order(constraints), &Solver::new(), constraints, effort)
}

/// The same with the flanks that a solver keeps, and its table of sizes; and in the order in which the constraints come,
/// whatever their origins: how far a search comes may depend on it.
pub fn decide_with(blank: &Solver, constraints: &[Constraint], effort: &mut Effort) -> Decision {
    let all: Vec<usize> = (0..constraints.len()).collect();
    decide_in(&all, blank, constraints, effort)
}

fn decide_in(
    order: &[usize],
    blank: &Solver,
    constraints: &[Constraint],
    effort: &mut Effort,
) -> Decision {
    match satisfiable(blank, constraints, order, effort) {
        Outcome::Solution(solution) => Decision::Satisfiable(Box::new(solution)),
        Outcome::Refuted(members) => {
            Decision::Unsatisfiable(minimal(blank, constraints, members, effort))
        }
        Outcome::Beyond => Decision::Beyond,
    }
}

/// What becomes of constraints that the solver refuses because of where it places markers.
#[derive(Debug)]
pub enum Resolution {
    /// With these suppositions about row variables it takes them.
    Solved(Box<Solver>),
    /// They have no one-shot solution.
    Unsatisfiable(ConflictingSet),
    /// It was not found out.
    Beyond,
}

/// Solves constraints in this order with whatever placement of markers lets all of them stand, with the options
/// of a solver and the flanks that it keeps. A set that has none is not made minimal.
///
/// ```
/// use lozenge_solve::{decide::{Effort, Resolution, resolve}, Solver};
/// use lozenge_calculus::text::Names;
///
/// let mut names = Names::new();
/// let store = names.parse_store("⟨r⟩ ≈ ◊[3,5]; [3]◊[9,5] ⊑ ⟨r⟩")?;
/// assert!(Solver::new().extend(&store).is_err());
/// let resolved = resolve(&Solver::new(), &store, &mut Effort::default());
/// let Resolution::Solved(solver) = resolved else { panic!() };
/// let r = solver.solved().row(names.row_var("r").unwrap());
/// assert_eq!(r.to_string(), "[3]◊[5]");
/// # Ok::<(), lozenge_calculus::text::TextError>(())
/// ```
pub fn resolve(like: &Solver, constraints: &[Constraint], effort: &mut Effort) -> Resolution {
    let asked: Vec<&Constraint> = constraints.iter().collect();
    match place(like, &asked, effort) {
        Placed::Solver(solver) => Resolution::Solved(solver),
        Placed::Refuted(members) => {
            let minimal = members.len() == 1;
            Resolution::Unsatisfiable(ConflictingSet { members, minimal })
        }
        Placed::Beyond => Resolution::Beyond,
    }
}

/// What a conflict of a batch with a solver, or with itself, means: whether nothing satisfies what was given,
/// or something does and the solver chose otherwise. What is blamed is decided first; only if that has a
/// solution, everything is.
pub fn verdict(
    solver: &Solver,
    batch: &[Constraint],
    conflict: &Conflict,
    effort: &mut Effort,
) -> Verdict {
    let form = solver.solved();
    // As the solver asked them, so that the conflict's places are theirs.
    let mut batch: Vec<&Constraint> = batch.iter().collect();
    batch.sort_by_key(|constraint| constraint.origin); // stable
    let asked_for: Vec<ConstraintRef<'_>> = batch.iter().copied().map(Into::into).collect();
    let once = |place: &usize| !is_repeated(&asked_for, *place);
    let batch: Vec<&Constraint> = (0..batch.len()).filter(once).map(|place| batch[place]).collect();
    let before = solver.config.tables.givens.next_given();
    let asked = |given: GivenId| match given.place().checked_sub(before.place()) {
        None => Some(form.given(given)),
        Some(place) => batch.get(place).copied().cloned(),
    };
    let by_somebody = |constraint: &Constraint| constraint.origin != OriginId::NOBODY;
    let blamed = conflict.givens.iter().copied().filter_map(asked);
    let blamed: Vec<Constraint> = blamed.filter(by_somebody).collect();
    match decide_with(solver, &blamed, effort) {
        Decision::Unsatisfiable(set) => Verdict::unsatisfiable(&blamed, &set),
        Decision::Satisfiable(_) | Decision::Beyond => {
            let all: Vec<Constraint> =
                (0..).map(GivenId::new).map_while(asked).filter(by_somebody).collect();
            match decide_with(solver, &all, effort) {
                Decision::Unsatisfiable(set) => Verdict::unsatisfiable(&all, &set),
                Decision::Satisfiable(solution) => Verdict::Policy(solution.grounding),
                Decision::Beyond => Verdict::Unknown,
            }
        }
    }
}

impl Verdict {
    fn unsatisfiable(constraints: &[Constraint], set: &ConflictingSet) -> Verdict {
        let members = set.members.iter().map(|place| constraints[*place].clone()).collect();
        Verdict::Unsatisfiable { members, minimal: set.minimal }
    }
}

/// How it follows that a conflicting set, as [`decide`] found it, has no solution. `None` only when the
/// effort runs out.
pub fn refutation(
    constraints: &[Constraint],
    set: &ConflictingSet,
    effort: &mut Effort,
) -> Option<Refutation> {
    let mut members: Vec<&Constraint> =
        set.members.iter().filter_map(|place| constraints.get(*place)).collect();
    members.sort_by_key(|constraint| constraint.origin); // stable
    refute(&members, effort)
}

/// The places of the constraints in program order.
fn in_program_order(constraints: &[Constraint]) -> Vec<usize> {
    let mut all: Vec<usize> = (0..constraints.len()).collect();
    all.sort_by_key(|place| constraints[*place].origin); // stable
    all
}

/// Whether some of the constraints, given by their places in program order, have a solution; if not,
/// some of them that have none.
fn satisfiable(
    blank: &Solver,
    constraints: &[Constraint],
    members: &[usize],
    effort: &mut Effort,
) -> Outcome<Solution, Vec<usize>> {
    let asked: Vec<&Constraint> = members.iter().map(|place| &constraints[*place]).collect();
    match search(blank, &asked, effort) {
        Outcome::Solution(solution) => Outcome::Solution(solution),
        Outcome::Refuted(core) => Outcome::Refuted(core.iter().map(|i| members[*i]).collect()),
        Outcome::Beyond => Outcome::Beyond,
    }
}

/// A minimal subset without a solution of `members`, which has none: every member is left out in
/// turn, and stays out where the others still have none.
fn minimal(
    blank: &Solver,
    constraints: &[Constraint],
    mut members: Vec<usize>,
    effort: &mut Effort,
) -> ConflictingSet {
    // What was left out, and was needed, or of which it is not known.
    let mut tried: BTreeSet<usize> = BTreeSet::new();
    let mut unknown: BTreeSet<usize> = BTreeSet::new();
    // The last members are left out first, so that of two explanations the earlier one in the program
    // stays.
    while members.len() > 1 {
        let Some(place) = members.iter().rposition(|member| !tried.contains(member)) else { break };
        let mut others = members.clone();
        let candidate = others.remove(place);
        match satisfiable(blank, constraints, &others, effort) {
            Outcome::Refuted(fewer) => members = fewer,
            Outcome::Solution(_) => {
                tried.insert(candidate);
            }
            Outcome::Beyond if effort.is_spent() => {
                unknown.extend(&members);
                break;
            }
            Outcome::Beyond => {
                tried.insert(candidate);
                unknown.insert(candidate);
            }
        }
    }
    let minimal = members.len() == 1 || !members.iter().any(|member| unknown.contains(member));
    members.sort_unstable();
    ConflictingSet { members, minimal }
}
