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
//! first that conflicts with ranks alone ends the search; else the sum of the lengths of all flanks
//! does. Low ranks are tried for all variables first.

use alloc::{boxed::Box, collections::BTreeSet, vec::Vec};

use crate::{
    constraint::{Constraint, Relation},
    judge::Judge,
    solve::{Conflict, Derivation, Extent, Rejection, Rule, Solver},
    term::{Grounding, RowVar},
};

use super::{Effort, Refutation, Supposition};

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

/// Whether the constraints, in program order, have a one-shot solution. If not, some that have none.
pub(super) fn search(constraints: &[&Constraint], effort: &mut Effort) -> Outcome<Vec<usize>> {
    match Search::new(constraints, effort, false).rounds() {
        Outcome::Solution(solution) => Outcome::Solution(solution),
        Outcome::Refuted(core) => Outcome::Refuted(core.constraints.into_iter().collect()),
        Outcome::Beyond => Outcome::Beyond,
    }
}

/// How it follows that the constraints, in program order, have no one-shot solution.
pub(super) fn refute(constraints: &[&Constraint], effort: &mut Effort) -> Option<Refutation> {
    match Search::new(constraints, effort, true).rounds() {
        Outcome::Refuted(core) => core.proof,
        Outcome::Solution(_) | Outcome::Beyond => None,
    }
}

/// The greatest rank that needs to be tried: the sum of the lengths of all flanks.
fn limit(constraints: &[&Constraint]) -> u32 {
    let known = |constraint: &&Constraint| match &constraint.relation {
        Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => 0,
        Relation::RowEq(l, r) | Relation::RowIneq(l, r) => l.flanks.rank() + r.flanks.rank(),
    };
    u32::try_from(constraints.iter().map(known).sum::<usize>()).unwrap_or(u32::MAX)
}

struct Search<'a> {
    constraints: &'a [&'a Constraint],
    effort: &'a mut Effort,
    /// Whether refutations are written down.
    recording: bool,
    /// Empty between two runs.
    solver: Solver,
    choices: Vec<(RowVar, Supposition)>,
    limit: u32,
    slack: u32,
    /// Whether a rank was not tried because of `slack`.
    cut_short: bool,
}

/// Why a node is refuted: constraints, and the places of choices.
#[derive(Default)]
struct Core {
    constraints: BTreeSet<usize>,
    choices: BTreeSet<usize>,
    /// Whether this is a conflict of ranks alone.
    ranks: bool,
    /// How it follows, if that is written down.
    proof: Option<Refutation>,
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
        case.proof
    }
}

/// What the solver says at a node.
enum Said {
    Solution(Grounding),
    Conflict(Box<Conflict>, Option<Box<Derivation>>),
    /// This variable is to be chosen.
    Choose(Unknown),
    Beyond,
}

/// A variable whose rank is not chosen.
struct Unknown {
    var: RowVar,
    least: u32,
    /// Why its rank is not less.
    reasons: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(
        constraints: &'a [&'a Constraint],
        effort: &'a mut Effort,
        recording: bool,
    ) -> Search<'a> {
        Search {
            constraints,
            effort,
            recording,
            solver: Solver::new(),
            choices: Vec::new(),
            limit: limit(constraints),
            slack: 0,
            cut_short: false,
        }
    }

    /// Searches low ranks first.
    fn rounds(&mut self) -> Outcome<Core> {
        for slack in SLACKS {
            self.slack = slack;
            self.cut_short = false;
            let outcome = self.node();
            if !(self.cut_short && matches!(outcome, Outcome::Refuted(_))) {
                return outcome;
            }
        }
        debug_assert!(false, "the last round is not cut short");
        Outcome::Beyond
    }

    /// Whether there is a solution with the choices made.
    fn node(&mut self) -> Outcome<Core> {
        match self.ask() {
            Said::Solution(solution) => Outcome::Solution(solution),
            Said::Choose(unknown) => self.choose_rank(unknown),
            Said::Conflict(conflict, derivation) => {
                let mut core = Core::default();
                core.extend(&conflict.givens, self.choices.len());
                core.ranks = conflict.rule == Rule::Ranks;
                core.proof = derivation.map(|derivation| Refutation::Direct(*derivation));
                match self.choices.iter().position(|(var, _)| conflict.placed.contains(var)) {
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
            for (var, choice) in &self.choices {
                match *choice {
                    Supposition::Rank(rank) => solver.choose_rank(*var, rank)?,
                    Supposition::Flanks(extent) => solver.choose_extent(*var, extent)?,
                }
            }
            solver.take_all(self.constraints.iter().copied())
        };
        let chosen = |var: &RowVar| self.choices.iter().any(|(other, _)| other == var);
        let unknown = |solver: &Solver, var| Unknown {
            var,
            least: solver.least_rank(var),
            reasons: solver.least_rank_reasons(var),
        };
        match run() {
            Err(Rejection::Exhausted(_)) => Said::Beyond,
            Err(Rejection::Conflict(conflict)) => {
                // A variable whose rank is chosen is cheaper to choose the flanks of.
                if conflict.placed.iter().any(chosen) {
                    return Said::Conflict(conflict, None);
                }
                if let Some(var) = conflict.placed.first() {
                    return Said::Choose(unknown(solver, *var));
                }
                if conflict.one_element {
                    return Said::Beyond;
                }
                let supposed = u32::try_from(self.choices.len()).unwrap_or(u32::MAX);
                let derive = || Box::new(solver.conflict_derivation(&conflict, supposed));
                let derivation = self.recording.then(derive);
                Said::Conflict(conflict, derivation)
            }
            Ok(()) => {
                let greatest = solver.solved().greatest();
                let Some(var) = solver.first_deferred().first().copied() else {
                    // Relations between sizes may be left undecided.
                    let settled = solver.unsettled_size().is_none();
                    return if settled { Said::Solution(greatest) } else { Said::Beyond };
                };
                // Often nothing needs to be added to satisfy what waits.
                let all = self.constraints.iter().copied();
                if Judge::OneShot.satisfies_all(&greatest, all) {
                    return Said::Solution(greatest);
                }
                Said::Choose(unknown(solver, var))
            }
        }
    }

    /// Chooses the rank of a variable: whether there is a solution with any of them.
    fn choose_rank(&mut self, unknown: Unknown) -> Outcome<Core> {
        let Unknown { var, least, reasons } = unknown;
        let place = self.choices.len();
        let mut refuted = Core::default();
        refuted.extend(&reasons, place);
        let at_least = refuted.constraints.iter().map(|i| self.constraints[*i].origin).collect();
        let most = self.limit.max(least);
        let tried = least.saturating_add(self.slack).min(most);
        let mut no_higher = false;
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
                Outcome::Solution(_) | Outcome::Beyond => return outcome,
            }
            if no_higher {
                break;
            }
        }
        self.cut_short |= !no_higher && tried < most;
        refuted.choices.remove(&place);
        refuted.proof = self.recording.then_some(Refutation::Cases { var, at_least, cases });
        Outcome::Refuted(refuted)
    }

    /// Chooses the flanks of a variable whose rank is chosen: whether there is a solution with any
    /// of them.
    fn choose_flanks(&mut self, place: usize) -> Outcome<Core> {
        let (var, choice) = self.choices[place];
        let Supposition::Rank(rank) = choice else {
            debug_assert!(false, "no rule places the marker of a variable with chosen flanks");
            return Outcome::Beyond;
        };
        let mut refuted = Core::default();
        let mut cases = Vec::new();
        for lead in 0..=rank {
            let supposition = Supposition::Flanks(Extent { lead, trail: rank - lead });
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
                Outcome::Solution(_) | Outcome::Beyond => return outcome,
            }
        }
        let at_least = Vec::new();
        refuted.proof = self.recording.then_some(Refutation::Cases { var, at_least, cases });
        Outcome::Refuted(refuted)
    }
}
