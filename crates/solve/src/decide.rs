//! Is there a solution at all? Exact for the one-shot order.
//!
//! The solver sits between the two judges: what it rejects may still have a one-shot solution,
//! where only the place of a marker stands in the way, and what it defers may have none. [`decide`]
//! closes the gap. It asks the solver first; most answers are then exact, because a conflict that
//! depends on the place of no marker is one for every solution. Where it is not, `search` chooses
//! how many axes a row variable has on each side, in increasing rank, and asks again.
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
mod decision;
mod effort;
mod place;
mod print;
mod rotation;
mod search;
mod suppose;
use alloc::{boxed::Box, collections::BTreeSet, vec::Vec};

use crate::{
    Conflict, Solver,
    repeated::is_repeated,
    search::Outcome,
    tables::ids::{GivenId, Id},
};
use lozenge_calculus::constraint::{Constraint, ConstraintRef, OriginId};

pub use decision::{
    ConflictingSet, Decision, Refutation, Resolution, Solution, Supposition, Verdict,
};
pub use effort::Effort;

use place::{Placed, place};
use search::{refute, search};

/// Whether the constraints have a one-shot solution; if not, a minimal set of them that has none.
pub fn decide(constraints: &[Constraint], effort: &mut Effort) -> Decision {
    decide_in(&in_program_order(constraints), &Solver::new(), constraints, effort)
}

/// [`decide`], with the flanks that a solver keeps and its table of sizes; and in the order in
/// which the constraints come, whatever their origins: how far a search comes may depend on it.
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

/// Solves constraints in this order with whatever placement of markers lets all of them stand, with
/// the options of a solver and the flanks that it keeps. A set that has none is not made minimal.
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

/// What a conflict of a batch with a solver, or with itself, means: whether nothing satisfies what
/// was given, or something does and the solver chose otherwise. What is blamed is decided first;
/// only if that has a solution, everything is.
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

/// How it follows that a conflicting set, as [`decide`] found it, has no solution. `None` only when
/// the effort runs out.
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

/// Whether some of the constraints, given by their places in program order, have a solution; if
/// not, some of them that have none.
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
    // The last members are left out first, so that of two explanations the earlier one in the
    // program stays.
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
