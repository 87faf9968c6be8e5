//! The search over extents.
//!
//! A node of the search has chosen the rank, or the flanks, of some row variables; choices are
//! asked before the constraints, so that those see them. What the solver then says is one of
//!
//! * a conflict that depends on no marker but those chosen: the node is refuted, by the constraints
//!   and the choices in it. A choice that is not in it is backed out of without trying its others;
//! * a conflict that depends on a marker that a rule has placed: that variable is chosen next, its
//!   rank and, once that is chosen and still is not enough, its flanks;
//! * success with constraints that wait: a variable of the first of them is chosen next; with
//!   relations between sizes that are open, a row of one of them, those with finitely many cases
//!   first;
//! * success: γ↑ is a solution.
//!
//! Ranks are tried from the least one on. The ranks that a variable can have are an interval, so
//! the first that conflicts with ranks alone ends the enumeration. So does a [rotation](rotation),
//! where only the rank modulo something matters. Any other enumeration ends at twice the sum of the
//! lengths of all flanks, and then it is not known whether a higher rank would do. Low ranks are
//! tried for all variables first. A search that leads nowhere is made again with relations between
//! sizes before rows that wait, and at last with the last constraint first.
//!
//! DIVERGENCE(decide): the design takes that sum for a bound on the ranks of solutions. It is none:
//! `⟨a⟩ ≈ ⟨b⟩[1_,3,4]` with `⟨a⟩ ⊑ [3]⟨b⟩` needs rank 5, and an equality can reuse a word, so that
//! ranks double with each.

use alloc::{boxed::Box, collections::BTreeSet, vec::Vec};

use crate::{
    Conflict, Extent, Rule, SolveError, Solver,
    close::{Closed, Policy, Roles, close_within},
    search::{Node, Outcome, Tree, search as backtrack},
    tables::ids::{GivenId, Id},
};
use lozenge_calculus::{
    constraint::{Constraint, Relation},
    judge::Judge,
    size::Sizes,
    term::{Grounding, RowVar},
};

use super::{
    decision::{Refutation, Solution, Supposition},
    effort::Effort,
    rotation::flanks,
    suppose::suppose,
};

/// How far above its least rank a variable is tried, round by round.
const SLACKS: [u32; 3] = [1, 3, u32::MAX];

/// Whether the constraints, in program order, have a one-shot solution. If not, some that have
/// none.
pub(super) fn search(
    blank: &Solver,
    constraints: &[&Constraint],
    effort: &mut Effort,
) -> Outcome<Solution, Vec<usize>> {
    match rounds(blank, constraints, effort, false).0 {
        Outcome::Solution(solution) => Outcome::Solution(solution),
        Outcome::Refuted(core) => Outcome::Refuted(core.constraints.into_iter().collect()),
        Outcome::Beyond => Outcome::Beyond,
    }
}

/// How it follows that the constraints, in program order, have no one-shot solution.
pub(super) fn refute(constraints: &[&Constraint], effort: &mut Effort) -> Option<Refutation> {
    match rounds(&Solver::new(), constraints, effort, true).0 {
        Outcome::Refuted(core) => core.proof,
        Outcome::Solution(_) | Outcome::Beyond => None,
    }
}

/// Searches; where that leads nowhere, what has finitely many cases first, since a row whose rank
/// nothing bounds hides what sizes contradict; and at last with the last constraint first, since
/// whether such a row is chosen early depends on the order. With a solution come the choices that
/// lead to it.
pub(super) fn rounds(
    blank: &Solver,
    constraints: &[&Constraint],
    effort: &mut Effort,
    recording: bool,
) -> (Outcome<Solution, Core>, Vec<(RowVar, Supposition)>) {
    let last_first: Vec<&Constraint> = constraints.iter().rev().copied().collect();
    let (half, eighth) = (effort.runs / 2, effort.runs / 8);
    for (first, later) in [(First::Rows, half), (First::Sizes, eighth), (First::Last, 0)] {
        let ordered = if first == First::Last { last_first.as_slice() } else { constraints };
        let later = later.min(effort.runs);
        effort.runs -= later;
        let mut search = Search::new(blank, ordered, effort, recording, first);
        let outcome = search.slacks();
        let found = search.found;
        effort.runs += later;
        match outcome {
            Outcome::Beyond => {}
            Outcome::Refuted(mut core) if first == First::Last => {
                let from_last = |place: &usize| constraints.len() - 1 - place;
                core.constraints = core.constraints.iter().map(from_last).collect();
                return (Outcome::Refuted(core), found);
            }
            outcome => return (outcome, found),
        }
    }
    (Outcome::Beyond, Vec::new())
}

/// The greatest rank that is tried above the least one: twice the sum of the lengths of all flanks,
/// enough for every rotation.
fn limit(constraints: &[&Constraint]) -> u32 {
    let known = |constraint: &&Constraint| flanks(&constraint.relation);
    u32::try_from(2 * constraints.iter().map(known).sum::<usize>()).unwrap_or(u32::MAX)
}

pub(super) struct Search<'a> {
    pub(super) constraints: &'a [&'a Constraint],
    pub(super) effort: &'a mut Effort,
    /// Whether refutations are written down.
    pub(super) recording: bool,
    /// Empty between two runs.
    pub(super) solver: Solver,
    pub(super) choices: Vec<(RowVar, Supposition)>,
    /// The choices with which a solution was found.
    pub(super) found: Vec<(RowVar, Supposition)>,
    pub(super) limit: u32,
    pub(super) slack: u32,
    first: First,
}

/// Of what something is supposed first, where there is a choice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// Of rows that wait.
    Rows,
    /// Of rows that relations between sizes are about.
    Sizes,
    /// Of rows that wait, with the last constraint first.
    Last,
}

/// Why a node is refuted: constraints, and the places of choices.
#[derive(Default)]
pub(super) struct Core {
    pub(super) constraints: BTreeSet<usize>,
    pub(super) choices: BTreeSet<usize>,
    /// Whether this is a conflict of ranks alone.
    pub(super) ranks: bool,
    /// Whether ranks were left untried on the way.
    pub(super) cut: Cut,
    /// How it follows, if that is written down.
    pub(super) proof: Option<Refutation>,
}

/// Whether ranks were left untried, and why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Cut {
    #[default]
    No,
    /// No higher rank is known to be enough.
    Limit,
    /// They come in a later round.
    Slack,
}

impl Core {
    /// `choices` is how many choices came before the constraints.
    pub(super) fn extend(&mut self, givens: &[GivenId], choices: usize) {
        for given in givens {
            let given = given.place();
            match given.checked_sub(choices) {
                None => self.choices.insert(given),
                Some(constraint) => self.constraints.insert(constraint),
            };
        }
    }

    /// Adds the refutation of a case, and returns how it follows.
    pub(super) fn unite(&mut self, case: Core) -> Option<Refutation> {
        self.constraints.extend(case.constraints);
        self.choices.extend(case.choices);
        self.cut = self.cut.max(case.cut);
        case.proof
    }
}

/// What the solver says at a node.
enum Said {
    Solution(Solution),
    Conflict(Box<Conflict>, Option<Box<Refutation>>),
    /// This variable is to be chosen.
    Choose(Unknown),
    /// Of this variable the number of elements is to be chosen.
    Count(Uncounted),
    /// Of the variable of this choice, whose rank is chosen, the flanks are to be chosen.
    Place(usize),
    Beyond,
}

/// A variable whose rank is not chosen.
pub(super) struct Unknown {
    pub(super) var: RowVar,
    pub(super) least: u32,
    /// Why its rank is not less.
    pub(super) reasons: Vec<GivenId>,
    /// How far what is known reaches from either end of the rows that it stands in.
    pub(super) reach: Extent,
    /// The greatest rank that it can have, if one is known, and why it is not more.
    pub(super) most: Option<(u32, GivenId)>,
}

/// A variable whose number of elements is not chosen.
pub(super) struct Uncounted {
    pub(super) var: RowVar,
    /// All that it can have.
    pub(super) counts: Vec<u64>,
    /// Why it has one of these.
    pub(super) reasons: Vec<GivenId>,
}

/// Whether a choice is about the axes of a variable.
fn is_of_axes(choice: Supposition) -> bool {
    !matches!(choice, Supposition::Elements(_))
}

impl<'a> Search<'a> {
    fn new(
        blank: &Solver,
        constraints: &'a [&'a Constraint],
        effort: &'a mut Effort,
        recording: bool,
        first: First,
    ) -> Search<'a> {
        Search {
            constraints,
            effort,
            recording,
            solver: blank.blank(),
            choices: Vec::new(),
            found: Vec::new(),
            limit: limit(constraints),
            slack: 0,
            first,
        }
    }

    /// Searches low ranks first.
    fn slacks(&mut self) -> Outcome<Solution, Core> {
        for slack in SLACKS {
            self.slack = slack;
            // The first node is paid for as a case is.
            let outcome = if self.pay() { backtrack(self) } else { Ok(Outcome::Beyond) };
            match outcome {
                Ok(Outcome::Refuted(core)) if core.cut == Cut::Slack => {}
                Ok(Outcome::Refuted(core)) if core.cut == Cut::Limit => return Outcome::Beyond,
                Ok(outcome) => return outcome,
                Err(_) => return Outcome::Beyond,
            }
        }
        Outcome::Beyond
    }

    /// Why the constraints have no solution, if that shows at once in another order: what is closed
    /// first, or the last first. A conflict that depends on a marker is often met before one that
    /// does not.
    fn refute_in_other_orders(&mut self) -> Option<Core> {
        // Once, before anything is supposed; and a refutation is of the order that was asked.
        if self.recording || !self.choices.is_empty() || self.slack != SLACKS[0] {
            return None;
        }
        let open_rows = |place: &usize| match &self.constraints[*place].relation {
            Relation::RowEq(left, right) | Relation::RowIneq(left, right) => {
                u8::from(left.var.is_some()) + u8::from(right.var.is_some())
            }
            Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => 0,
        };
        let mut closed_first: Vec<usize> = (0..self.constraints.len()).collect();
        closed_first.sort_by_key(open_rows); // stable
        let last_first: Vec<usize> = (0..self.constraints.len()).rev().collect();
        for order in [closed_first, last_first] {
            if !self.effort.pay(order.len()) {
                return None;
            }
            let snapshot = self.solver.snapshot();
            let taken = self.solver.take_all(order.iter().map(|place| self.constraints[*place]));
            self.solver.roll_back(snapshot);
            if let Err(SolveError::Conflict(conflict)) = taken {
                if conflict.placed.is_empty() {
                    let place = |given: &GivenId| order[given.place()];
                    let constraints = conflict.givens.iter().map(place).collect();
                    return Some(Core { constraints, ..Core::default() });
                }
            }
        }
        None
    }

    /// What the solver says with the choices made, and what is chosen next.
    pub(super) fn node(&mut self) -> Node<Self> {
        match self.ask() {
            Said::Solution(solution) => {
                self.found.clone_from(&self.choices);
                Node::Leaf(Outcome::Solution(solution))
            }
            Said::Choose(unknown) => match self.refute_in_other_orders() {
                Some(core) => Node::Leaf(Outcome::Refuted(core)),
                None => self.choose_rank(unknown),
            },
            Said::Count(uncounted) => self.choose_elements(uncounted),
            Said::Place(place) => self.choose_flanks(place),
            Said::Conflict(conflict, proof) => {
                let mut core = Core::default();
                core.extend(&conflict.givens, self.choices.len());
                core.ranks = conflict.rule == Rule::Ranks;
                core.proof = proof.map(|proof| *proof);
                let is_placed = |(var, choice): &(RowVar, Supposition)| {
                    is_of_axes(*choice) && conflict.placed.contains(var)
                };
                match self.choices.iter().position(is_placed) {
                    Some(place) => self.choose_flanks(place),
                    None => Node::Leaf(Outcome::Refuted(core)),
                }
            }
            Said::Beyond => Node::Leaf(Outcome::Beyond),
        }
    }

    /// Asks the solver, which is paid for.
    fn ask(&mut self) -> Said {
        let snapshot = self.solver.snapshot();
        let said = self.run();
        self.solver.roll_back(snapshot);
        said
    }

    fn run(&mut self) -> Said {
        let solver = &mut self.solver;
        let mut run = || -> Result<(), SolveError> {
            suppose(solver, &self.choices)?;
            solver.take_all(self.constraints.iter().copied())
        };
        let chosen = |var: &RowVar| {
            self.choices.iter().any(|(other, choice)| other == var && is_of_axes(*choice))
        };
        let unknown = |solver: &Solver, var| Unknown {
            var,
            least: solver.config.tables.rows.least_rank(var),
            reasons: solver.config.tables.frontier().least_rank_reasons(var),
            reach: solver.config.tables.frontier().reach_of(var),
            most: solver.config.tables.frontier().most_rank(var),
        };
        match run() {
            Err(SolveError::Exhausted(_)) => Said::Beyond,
            Err(SolveError::Conflict(mut conflict)) => {
                let equal = ignore_markers_at_equal_ranks(solver, &mut conflict);
                // A variable whose rank is chosen is cheaper to choose the flanks of.
                if conflict.placed.iter().any(chosen) {
                    return Said::Conflict(conflict, None);
                }
                if let Some(var) = conflict.placed.first() {
                    return Said::Choose(unknown(solver, *var));
                }
                let supposed = GivenId::at(self.choices.len());
                let prove = || {
                    let derivation = solver.conflict_derivation(&conflict, supposed);
                    let constraints = equal.iter().filter(|given| **given >= supposed).copied();
                    let equal_ranks = solver.config.tables.givens.origins(constraints);
                    Box::new(Refutation::Direct { derivation, equal_ranks })
                };
                let proof = self.recording.then(prove);
                Said::Conflict(conflict, proof)
            }
            Ok(()) => {
                let greatest = solver.solved().greatest();
                let deferred = solver
                    .config
                    .tables
                    .deferred_givens()
                    .find_map(|given| solver.config.tables.frontier().open_var(given));
                let solution = |grounding: Grounding, sizes: &Sizes| {
                    Said::Solution(Solution { grounding, sizes: sizes.clone() })
                };
                if deferred.is_none() && !solver.config.tables.has_open_sizes() {
                    return solution(greatest, solver.sizes());
                }
                // Often nothing needs to be added to satisfy what waits.
                let holds = |sizes: &Sizes, solution: &Grounding| {
                    let asked = self.constraints.iter().copied();
                    Judge::OneShot.satisfies_all_with(sizes, solution, asked)
                };
                if holds(solver.sizes(), &greatest) {
                    return solution(greatest, solver.sizes());
                }
                // And what closing adds satisfies many that have nothing to do with each other, of
                // which a search would choose all at once.
                if self.choices.is_empty() || deferred.is_none() {
                    let (form, roles) = (solver.solved(), Roles::default());
                    let tries = &mut self.effort.tries;
                    let closed = close_within(&form, &roles, Policy::Upward, tries).ok();
                    let is_solution = |closed: &Closed| holds(closed.sizes(), closed.grounding());
                    if let Some(closed) = closed.filter(is_solution) {
                        return solution(closed.grounding().clone(), closed.sizes());
                    }
                    self.effort.pay_for_closing();
                }
                // Of relations between sizes, numbers of elements have finitely many parts, and
                // exact axes are of finitely many rows. Others may be left undecided.
                let rows_first = deferred.filter(|_| self.first != First::Sizes);
                if let Some(var) =
                    rows_first.or_else(|| solver.config.tables.frontier().exact_var())
                {
                    return Said::Choose(unknown(solver, var));
                }
                if let Some((var, counts, reasons)) = solver.config.countable() {
                    return Said::Count(Uncounted { var, counts, reasons });
                }
                if let Some(var) = solver.config.tables.frontier().bounded_var() {
                    return Said::Choose(unknown(solver, var));
                }
                let has_rank = |(_, choice): &(RowVar, Supposition)| {
                    matches!(choice, Supposition::Rank(1..)) && self.first == First::Sizes
                };
                if let Some(place) = self.choices.iter().position(has_rank) {
                    return Said::Place(place);
                }
                match deferred.or_else(|| solver.config.tables.frontier().counted_var()) {
                    Some(var) => Said::Choose(unknown(solver, var)),
                    None => Said::Beyond,
                }
            }
        }
    }
}

/// Where both sides of an inequality have the same rank, whatever the solution, the marker of its
/// operand does not matter. Returns why they have.
fn ignore_markers_at_equal_ranks(solver: &mut Solver, conflict: &mut Conflict) -> Vec<GivenId> {
    if conflict.placed.is_empty() {
        return Vec::new();
    }
    let mut because = Vec::new();
    conflict.placed_in.retain(|(_, given)| match solver.equal_ranks(*given) {
        None => true,
        Some(givens) => {
            because.extend(givens);
            false
        }
    });
    conflict.placed.retain(|var| conflict.placed_in.iter().any(|(other, _)| other == var));
    conflict.givens.extend(&because);
    conflict.givens.sort_unstable();
    conflict.givens.dedup();
    because
}
