//! The search over extents.
//!
//! A node of the search has chosen the rank, or the flanks, of some row variables; choices are asked
//! before the constraints, so that those see them. What the solver then says is one of
//!
//! * a conflict that depends on no marker but those chosen: the node is refuted, by the constraints
//!   and the choices in it. A choice that is not in it is backed out of without trying its others;
//! * a conflict that depends on a marker that a rule has placed: that variable is chosen next, its
//!   rank and, once that is chosen and still is not enough, its flanks;
//! * success with constraints that wait: a variable of the first of them is chosen next;
//! * success: γ↑ is a solution.
//!
//! Ranks are tried from the least one on. The ranks that a variable can have are an interval, so the
//! first that conflicts with ranks alone ends the enumeration. So does a [rotation](rotation), where
//! only the rank modulo something matters. Any other enumeration ends at twice the sum of the lengths of all
//! flanks, and then it is not known whether a higher rank would do. Low ranks are tried for all variables
//! first.
//!
//! DIVERGENCE(decide): the design takes that sum for a bound on the ranks of solutions. It is none: `⟨a⟩ ≈
//! ⟨b⟩[1_,3,4]` with `⟨a⟩ ⊑ [3]⟨b⟩` needs rank 5, and an equality can reuse a word, so that ranks double
//! with each.

use alloc::{boxed::Box, collections::BTreeSet, vec::Vec};
use core::ops::RangeInclusive;

use crate::{
    close::{Policy, Roles, close},
    constraint::{Constraint, Relation},
    judge::Judge,
    solve::{Conflict, Extent, Rejection, Rule, Solver},
    term::{Grounding, RowVar},
};

use super::{
    Effort, Refutation, Supposition,
    place::suppose,
    rotation::{flanks, rotation},
};

/// What is known of some constraints.
pub(super) enum Outcome<Core> {
    Solution(Grounding),
    /// There is no solution, because of these.
    Refuted(Core),
    /// The effort ran out.
    Beyond,
}

/// How far above its least rank a variable is tried, round by round.
const SLACKS: [u32; 3] = [1, 3, u32::MAX];

/// How many variables are supposed something of at once: each takes some of the stack.
const MOST_CHOICES: usize = 64;

/// Whether the constraints, in program order, have a one-shot solution. If not, some that have none.
pub(super) fn search(
    blank: &Solver,
    constraints: &[&Constraint],
    effort: &mut Effort,
) -> Outcome<Vec<usize>> {
    match Search::new(blank, constraints, effort, false).rounds() {
        Outcome::Solution(solution) => Outcome::Solution(solution),
        Outcome::Refuted(core) => Outcome::Refuted(core.constraints.into_iter().collect()),
        Outcome::Beyond => Outcome::Beyond,
    }
}

/// How it follows that the constraints, in program order, have no one-shot solution.
pub(super) fn refute(constraints: &[&Constraint], effort: &mut Effort) -> Option<Refutation> {
    match Search::new(&Solver::new(), constraints, effort, true).rounds() {
        Outcome::Refuted(core) => core.proof,
        Outcome::Solution(_) | Outcome::Beyond => None,
    }
}

/// The greatest rank that is tried above the least one: twice the sum of the lengths of all flanks, enough
/// for every rotation.
fn limit(constraints: &[&Constraint]) -> u32 {
    let known = |constraint: &&Constraint| flanks(&constraint.relation);
    u32::try_from(2 * constraints.iter().map(known).sum::<usize>()).unwrap_or(u32::MAX)
}

pub(super) struct Search<'a> {
    constraints: &'a [&'a Constraint],
    effort: &'a mut Effort,
    /// Whether refutations are written down.
    recording: bool,
    /// Empty between two runs.
    solver: Solver,
    choices: Vec<(RowVar, Supposition)>,
    /// The choices with which a solution was found.
    pub(super) found: Vec<(RowVar, Supposition)>,
    limit: u32,
    slack: u32,
}

/// Why a node is refuted: constraints, and the places of choices.
#[derive(Default)]
pub(super) struct Core {
    pub(super) constraints: BTreeSet<usize>,
    choices: BTreeSet<usize>,
    /// Whether this is a conflict of ranks alone.
    ranks: bool,
    /// Whether ranks were left untried on the way.
    cut: Cut,
    /// How it follows, if that is written down.
    proof: Option<Refutation>,
}

/// Whether ranks were left untried, and why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Cut {
    #[default]
    No,
    /// No higher rank is known to be enough.
    Limit,
    /// They come in a later round.
    Slack,
}

impl Core {
    /// `choices` is how many choices came before the constraints.
    fn extend(&mut self, givens: &[u32], choices: usize) {
        for given in givens {
            let given = *given as usize;
            match given.checked_sub(choices) {
                None => self.choices.insert(given),
                Some(constraint) => self.constraints.insert(constraint),
            };
        }
    }

    /// Adds the refutation of a case, and returns how it follows.
    fn unite(&mut self, case: Core) -> Option<Refutation> {
        self.constraints.extend(case.constraints);
        self.choices.extend(case.choices);
        self.cut = self.cut.max(case.cut);
        case.proof
    }
}

/// What the solver says at a node.
enum Said {
    Solution(Grounding),
    Conflict(Box<Conflict>, Option<Box<Refutation>>),
    /// This variable is to be chosen.
    Choose(Unknown),
    /// Of this variable the number of elements is to be chosen.
    Count(Uncounted),
    Beyond,
}

/// A variable whose rank is not chosen.
struct Unknown {
    var: RowVar,
    least: u32,
    /// Why its rank is not less.
    reasons: Vec<u32>,
    /// How far what is known reaches from either end of the rows that it stands in.
    reach: Extent,
    /// The greatest rank that it can have, if one is known, and why it is not more.
    most: Option<(u32, u32)>,
}

/// A variable whose number of elements is not chosen.
struct Uncounted {
    var: RowVar,
    /// All that it can have.
    counts: Vec<u64>,
    /// Why it has one of these.
    reasons: Vec<u32>,
}

/// Whether a choice is about the axes of a variable.
fn is_of_axes(choice: Supposition) -> bool {
    !matches!(choice, Supposition::Elements(_))
}

impl<'a> Search<'a> {
    pub(super) fn new(
        blank: &Solver,
        constraints: &'a [&'a Constraint],
        effort: &'a mut Effort,
        recording: bool,
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
        }
    }

    /// Searches low ranks first.
    pub(super) fn rounds(&mut self) -> Outcome<Core> {
        for slack in SLACKS {
            self.slack = slack;
            match self.node() {
                Outcome::Refuted(core) if core.cut == Cut::Slack => {}
                Outcome::Refuted(core) if core.cut == Cut::Limit => return Outcome::Beyond,
                outcome => return outcome,
            }
        }
        Outcome::Beyond
    }

    /// Why the constraints have no solution, if that shows at once in another order: what is closed first, or the
    /// last first. A conflict that depends on a marker is often met before one that does not.
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
            if let Err(Rejection::Conflict(conflict)) = taken {
                if conflict.placed.is_empty() {
                    let place = |given: &u32| order[*given as usize];
                    let constraints = conflict.givens.iter().map(place).collect();
                    return Some(Core { constraints, ..Core::default() });
                }
            }
        }
        None
    }

    /// Whether there is a solution with the choices made.
    fn node(&mut self) -> Outcome<Core> {
        match self.ask() {
            Said::Solution(solution) => {
                self.found.clone_from(&self.choices);
                Outcome::Solution(solution)
            }
            Said::Choose(unknown) => match self.refute_in_other_orders() {
                Some(core) => Outcome::Refuted(core),
                None => self.choose_rank(unknown),
            },
            Said::Count(uncounted) => self.choose_elements(uncounted),
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
                    None => Outcome::Refuted(core),
                }
            }
            Said::Beyond => Outcome::Beyond,
        }
    }

    /// Asks the solver.
    fn ask(&mut self) -> Said {
        if !self.effort.pay(self.constraints.len()) {
            return Said::Beyond;
        }
        let snapshot = self.solver.snapshot();
        let said = self.run();
        self.solver.roll_back(snapshot);
        said
    }

    fn run(&mut self) -> Said {
        let solver = &mut self.solver;
        let mut run = || -> Result<(), Rejection> {
            suppose(solver, &self.choices)?;
            solver.take_all(self.constraints.iter().copied())
        };
        let chosen = |var: &RowVar| {
            self.choices.iter().any(|(other, choice)| other == var && is_of_axes(*choice))
        };
        let unknown = |solver: &Solver, var| Unknown {
            var,
            least: solver.least_rank(var),
            reasons: solver.least_rank_reasons(var),
            reach: solver.reach_of(var),
            most: solver.most_rank(var),
        };
        match run() {
            Err(Rejection::Exhausted(_)) => Said::Beyond,
            Err(Rejection::Conflict(mut conflict)) => {
                let equal = ignore_markers_at_equal_ranks(solver, &mut conflict);
                // A variable whose rank is chosen is cheaper to choose the flanks of.
                if conflict.placed.iter().any(chosen) {
                    return Said::Conflict(conflict, None);
                }
                if let Some(var) = conflict.placed.first() {
                    return Said::Choose(unknown(solver, *var));
                }
                let supposed = u32::try_from(self.choices.len()).unwrap_or(u32::MAX);
                let prove = || {
                    let derivation = solver.conflict_derivation(&conflict, supposed);
                    let constraints = equal.iter().filter(|given| **given >= supposed).copied();
                    let equal_ranks = solver.origins(constraints);
                    Box::new(Refutation::Direct { derivation, equal_ranks })
                };
                let proof = self.recording.then(prove);
                Said::Conflict(conflict, proof)
            }
            Ok(()) => {
                let greatest = solver.solved().greatest();
                let waiting = solver.deferred_givens().find_map(|given| solver.open_var(given));
                if waiting.is_none() && !solver.has_open_sizes() {
                    return Said::Solution(greatest);
                }
                // Often nothing needs to be added to satisfy what waits.
                let holds = |solution: &Grounding| {
                    Judge::OneShot.satisfies_all(solution, self.constraints.iter().copied())
                };
                if holds(&greatest) {
                    return Said::Solution(greatest);
                }
                // And what closing adds satisfies many that have nothing to do with each other, of which
                // a search would choose all at once.
                if self.choices.is_empty() || waiting.is_none() {
                    let closed = close(&solver.solved(), &Roles::default(), Policy::Upward).ok();
                    if let Some(closed) = closed.filter(|closed| holds(closed.grounding())) {
                        return Said::Solution(closed.grounding().clone());
                    }
                    self.effort.pay_for_closing();
                }
                // Of relations between sizes, numbers of elements have finitely many parts, and exact axes are
                // of finitely many rows. Others may be left undecided.
                let Some(var) = waiting.or_else(|| solver.exact_var()) else {
                    if let Some((var, counts, reasons)) = solver.countable() {
                        return Said::Count(Uncounted { var, counts, reasons });
                    }
                    return match solver.counted_var() {
                        Some(var) => Said::Choose(unknown(solver, var)),
                        None => Said::Beyond,
                    };
                };
                Said::Choose(unknown(solver, var))
            }
        }
    }

    /// Chooses the rank of a variable: whether there is a solution with any of them.
    fn choose_rank(&mut self, unknown: Unknown) -> Outcome<Core> {
        let Unknown { var, least, reasons, reach, most: limit } = unknown;
        let place = self.choices.len();
        if place >= MOST_CHOICES {
            return Outcome::Beyond;
        }
        let mut refuted = Core::default();
        let mut least_because = Core::default();
        least_because.extend(&reasons, place);
        let because = least_because.constraints.iter();
        let at_least = because.map(|place| self.constraints[*place].origin).collect();
        let mut most = self.limit.saturating_add(least);
        let mut most_because = Core::default();
        if let Some((limit, given)) = limit {
            most = limit;
            most_because.extend(&[given], place);
        }
        // As many ranks one by one as there are with which what is known from either end can meet.
        let apart = u32::from(reach.lead) + u32::from(reach.trail);
        let tried = least.saturating_add(self.slack).max(apart.saturating_sub(1)).min(most);
        let (mut no_higher, mut repeats) = (false, false);
        let mut is_beyond = false;
        let mut cases = Vec::new();
        for rank in least..=tried {
            let Ok(rank) = u16::try_from(rank) else { return Outcome::Beyond };
            let supposition = Supposition::Rank(rank);
            self.choices.push((var, supposition));
            let outcome = self.node();
            self.choices.pop();
            match outcome {
                Outcome::Refuted(core) if !core.choices.contains(&place) => {
                    return Outcome::Refuted(core);
                }
                Outcome::Refuted(core) => {
                    no_higher = core.ranks;
                    cases.extend(refuted.unite(core).map(|proof| (supposition, proof)));
                }
                Outcome::Solution(_) => return outcome,
                Outcome::Beyond if self.effort.is_spent() => return outcome,
                // Another rank may do.
                Outcome::Beyond => is_beyond = true,
            }
            repeats =
                !no_higher && !is_beyond && self.is_rotation(&refuted, place, least..=rank.into());
            if no_higher || repeats {
                break;
            }
        }
        if !(no_higher || repeats) && tried + 1 >= apart && apart > 0 {
            // All higher ranks at once: what is at either end is then apart from what is at the other.
            let supposition = Supposition::AtLeast(reach);
            self.choices.push((var, supposition));
            let outcome = self.node();
            self.choices.pop();
            match outcome {
                Outcome::Refuted(core) => {
                    no_higher = core.cut == Cut::No;
                    if !core.choices.contains(&place) {
                        return Outcome::Refuted(core);
                    }
                    cases.extend(refuted.unite(core).map(|proof| (supposition, proof)));
                }
                Outcome::Solution(_) => return outcome,
                // The ranks one by one may tell.
                Outcome::Beyond => {}
            }
        }
        if is_beyond {
            return Outcome::Beyond;
        }
        refuted.choices.remove(&place);
        if limit.is_some_and(|(limit, _)| tried >= limit) {
            no_higher = true;
            refuted.unite(most_because);
        }
        if !(no_higher || repeats) {
            refuted.cut = refuted.cut.max(if tried < most { Cut::Slack } else { Cut::Limit });
        }
        refuted.unite(least_because);
        refuted.proof =
            self.recording.then_some(Refutation::Cases { var, at_least, cases, repeats });
        Outcome::Refuted(refuted)
    }

    /// Chooses how many elements a variable has: whether there is a solution with any of these numbers.
    fn choose_elements(&mut self, uncounted: Uncounted) -> Outcome<Core> {
        let Uncounted { var, counts, reasons } = uncounted;
        let place = self.choices.len();
        if place >= MOST_CHOICES {
            return Outcome::Beyond;
        }
        self.choices.push((var, Supposition::Elements(0)));
        let outcome = self.choose_among(place, counts.into_iter().map(Supposition::Elements));
        self.choices.pop();
        let Outcome::Refuted(mut refuted) = outcome else { return outcome };
        // One that is refuted without it stays as it is.
        if refuted.choices.remove(&place) {
            let mut because = Core::default();
            because.extend(&reasons, place);
            refuted.unite(because);
        }
        Outcome::Refuted(refuted)
    }

    /// Whether there is a solution with any of these in place of a choice.
    fn choose_among(
        &mut self,
        place: usize,
        suppositions: impl Iterator<Item = Supposition>,
    ) -> Outcome<Core> {
        let (var, choice) = self.choices[place];
        let mut refuted = Core::default();
        let mut is_beyond = false;
        let mut cases = Vec::new();
        for supposition in suppositions {
            self.choices[place] = (var, supposition);
            let outcome = self.node();
            self.choices[place] = (var, choice);
            match outcome {
                Outcome::Refuted(core) if !core.choices.contains(&place) => {
                    return Outcome::Refuted(core);
                }
                Outcome::Refuted(core) => {
                    cases.extend(refuted.unite(core).map(|proof| (supposition, proof)));
                }
                Outcome::Solution(_) => return outcome,
                Outcome::Beyond if self.effort.is_spent() => return outcome,
                // Another may do.
                Outcome::Beyond => is_beyond = true,
            }
        }
        if is_beyond {
            return Outcome::Beyond;
        }
        let (at_least, repeats) = (Vec::new(), false);
        refuted.proof =
            self.recording.then_some(Refutation::Cases { var, at_least, cases, repeats });
        Outcome::Refuted(refuted)
    }

    /// Whether the conflicts of all ranks that were tried are those of a rotation, and they are enough.
    /// `place` is that of the rank.
    fn is_rotation(&self, refuted: &Core, place: usize, ranks: RangeInclusive<u32>) -> bool {
        let alone = refuted.choices.iter().all(|choice| *choice == place);
        let rows = refuted.constraints.iter().map(|place| &self.constraints[*place].relation);
        let enough = rotation(rows).and_then(|enough| u32::try_from(enough).ok());
        alone && enough.is_some_and(|enough| ranks.end() - ranks.start() + 1 >= enough)
    }

    /// Chooses the flanks of a variable whose rank is chosen: whether there is a solution with any
    /// of them.
    fn choose_flanks(&mut self, place: usize) -> Outcome<Core> {
        let (var, choice) = self.choices[place];
        let Supposition::Rank(rank) = choice else {
            // Of a variable with chosen flanks no rule places the marker; of one with many axes it is not
            // known where it can stand.
            debug_assert!(matches!(choice, Supposition::AtLeast(_)));
            return Outcome::Beyond;
        };
        // Flanks that it keeps it has in every solution that counts.
        let kept = self.solver.kept_flanks(var);
        let flanks = |lead| Supposition::Flanks(Extent { lead, trail: rank - lead });
        self.choose_among(place, (kept.lead..=rank.saturating_sub(kept.trail)).map(flanks))
    }
}

/// Where both sides of an inequality have the same rank, whatever the solution, the marker of its operand
/// does not matter. Returns why they have.
fn ignore_markers_at_equal_ranks(solver: &mut Solver, conflict: &mut Conflict) -> Vec<u32> {
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
