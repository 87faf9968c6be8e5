//! What waits gets the least material with which it holds.
//!
//! A constraint waits because its known axes reach past each other: `[3]⟨ρ⟩ ≈ ⟨σ⟩[5]`. With all
//! variables at their tops it may hold already. If not, the rows of its variables are closed with
//! one axis more, then two, on either side of the marker, until it holds and everything else still
//! does. Those that share row variables are settled together, the others one after another. Bounded
//! by the axes that are known of what waits, and by a number of tries.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};
use core::ops::ControlFlow;

use crate::{
    AxisState, AxisTerm, Exhausted, Snapshot, SolveError, Solver, Tail,
    reading::frontier::Known,
    search::{Bound, Entered, Node, Outcome, Tree, search},
    tables::ids::GivenId,
};
use lozenge_calculus::{
    constraint::OriginId,
    term::{RowVar, Variable},
};

use super::{
    choice::{Asked, ClosingRule, Commitment, Note},
    closing::Closing,
    roles::Role,
};

/// The most extents that are tried for constraints that share variables before giving up.
const TRIES: u32 = 2_000;

/// The most of their variables that are chosen at once.
const MOST_CHOICES: usize = 64;

/// The axes and rows of leaves that are not known.
#[derive(Default)]
struct OpenLeaves {
    axes: BTreeSet<AxisTerm>,
    rows: BTreeMap<Tail, Role>,
}

/// The variables that were chosen, each because of a constraint that waited.
type Choices = Vec<(RowVar, GivenId)>;

/// Whether the row constraints that wait can be satisfied from where a solver is, as closing would:
/// with all variables at their tops, or with more axes. The solver is then as it was.
///
/// # Errors
/// When the budget of the solver runs out.
pub fn settles(solver: &mut Solver) -> Result<bool, Exhausted> {
    let snapshot = solver.snapshot();
    let settled = solver.try_out(|solver| settle_all(solver, &mut Choices::new()));
    solver.roll_back(snapshot);
    settled
}

impl Closing<'_> {
    /// Whether what waits can be satisfied from here.
    pub(super) fn can_settle(&mut self) -> Result<bool, Exhausted> {
        settles(self.fork())
    }

    /// Satisfies what waits, if it can be.
    pub(super) fn settle(&mut self) -> Result<bool, Exhausted> {
        let deferred: Vec<(GivenId, usize)> = self
            .solver
            .config
            .tables
            .deferred_givens()
            .map(|given| (given, self.solver.config.tables.frontier().reach(given)))
            .collect();
        let mut chosen = Choices::new();
        if !self.fork().try_out(|solver| settle_all(solver, &mut chosen))? {
            return Ok(false);
        }
        for (var, given) in chosen {
            let var = Variable::Row(var);
            self.commitments.push(Commitment { var, axis: None, rule: ClosingRule::Least });
            self.asked.push(Asked::Rows([given; 2]));
        }
        self.follow_changes();
        self.settled = true;
        let overlapping = |(given, reach): &&(GivenId, usize)| {
            self.solver.config.tables.frontier().top_rank(*given) < *reach
        };
        let overlaps = deferred.iter().filter(overlapping);
        let overlaps: Vec<OriginId> =
            overlaps.map(|w| self.solver.config.tables.givens.given_origin(w.0)).collect();
        self.notes.extend(overlaps.into_iter().map(Note::AxesOverlap));
        Ok(true)
    }
}

impl Closing<'_> {
    /// Gives the result of an inequality that waits the least material with which that holds, where
    /// the operand is a leaf whose row is still open: what is then below the leaf says what it is.
    /// Whether there was such a one.
    ///
    /// With all variables at their tops the inequality may hold already; but a leaf is no smaller
    /// than its uses allow, and its own top is the least of all.
    pub(super) fn settle_for_leaf(&mut self) -> Result<bool, Exhausted> {
        let is_ineq = |given: &GivenId| self.solver.config.tables.givens.is_row_ineq(*given);
        let deferred: Vec<GivenId> =
            self.solver.config.tables.deferred_givens().filter(is_ineq).collect();
        if deferred.is_empty() {
            return Ok(false);
        }
        let leaves = self.open_leaves();
        for given in deferred {
            let (result, operand) = self.solver.config.tables.frontier().deferred_rows(given);
            let Some((row, tail)) = result else { continue };
            // A row of a parameter of which nothing is known must be found.
            let is_free = leaves.rows.get(&tail) != Some(&Role::Parameter);
            let of_leaf = operand.tail.is_some_and(|tail| leaves.rows.contains_key(&tail))
                || operand
                    .axes()
                    .any(|axis| leaves.axes.contains(&self.solver.config.tables.dims.root(axis)));
            if is_free && of_leaf && self.give_least(row, given)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What is not known of leaves.
    fn open_leaves(&self) -> OpenLeaves {
        let mut open = OpenLeaves::default();
        for (var, role) in self.roles.leaves() {
            match *var {
                Variable::Dim(dim) => {
                    open.axes.extend(
                        self.solver
                            .config
                            .tables
                            .dims
                            .axis(dim)
                            .map(|axis| self.solver.config.tables.dims.root(axis)),
                    );
                }
                Variable::Row(row) => {
                    let Some(known) = self.solver.config.tables.rows.known(row) else { continue };
                    open.axes
                        .extend(known.axes().map(|axis| self.solver.config.tables.dims.root(axis)));
                    open.rows.extend(known.tail.map(|tail| (tail, *role)));
                }
            }
        }
        open.axes.retain(|axis| {
            !matches!(self.solver.config.tables.dims.axis_state(*axis), AxisState::Bound(_))
        });
        open
    }

    /// Closes a row with the least material with which everything can still hold.
    fn give_least(&mut self, row: RowVar, given: GivenId) -> Result<bool, Exhausted> {
        let var = Variable::Row(row);
        let Some(known) = self.solver.config.tables.rows.known(row) else { return Ok(false) };
        for more in 0..=self.solver.config.tables.frontier().reach(given) {
            for lead in 0..=more {
                let extent = known.extent_with(lead, more - lead)?;
                let commitment = Commitment { var, axis: None, rule: ClosingRule::Least };
                let asked = Asked::Rows([given; 2]);
                let choose = |solver: &mut Solver| solver.choose().extent(row, extent);
                if self.commit(commitment, asked, choose)?.is_ok() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Settles everything that waits, or leaves it half done.
fn settle_all(solver: &mut Solver, chosen: &mut Choices) -> Result<bool, Exhausted> {
    // What a choice makes wait anew comes in another round.
    loop {
        let deferred: Vec<GivenId> = solver
            .config
            .tables
            .deferred_givens()
            .filter(|given| solver.config.tables.frontier().is_unsettled(*given))
            .collect();
        if deferred.is_empty() {
            return Ok(true);
        }
        for given in deferred {
            if !solver.config.tables.frontier().is_unsettled(given) {
                continue;
            }
            let members = solver.config.tables.frontier().deferred_with(given);
            let limit =
                members.iter().map(|given| solver.config.tables.frontier().reach(*given)).sum();
            let depth = chosen.len() + MOST_CHOICES;
            let bound = Bound { tries: TRIES, depth };
            let mut extents =
                Extents { solver: &mut *solver, members: &members, limit, bound, chosen };
            if !matches!(search(&mut extents)?, Outcome::Solution(())) {
                return Ok(false);
            }
        }
    }
}

/// The extents with which some constraints may hold. Where none do, the solver is left as it was.
struct Extents<'a> {
    solver: &'a mut Solver,
    members: &'a BTreeSet<GivenId>,
    /// The most material that one variable gets.
    limit: usize,
    bound: Bound,
    chosen: &'a mut Choices,
}

/// A variable whose extent is chosen, because of a constraint that waits.
struct Open {
    var: RowVar,
    given: GivenId,
    known: Known,
    /// The material of the next case, before the marker and behind it.
    next: [usize; 2],
}

impl Tree for Extents<'_> {
    type Choice = Open;
    type Case = [usize; 2];
    type Mark = Snapshot;
    type Found = ();
    type Why = ();

    fn look(&mut self) -> Result<Node<Self>, Exhausted> {
        let tables = &self.solver.config.tables;
        let is_unsettled = |given: &GivenId| tables.frontier().is_unsettled(*given);
        let Some(given) = self.members.iter().copied().find(is_unsettled) else {
            return Ok(Node::Leaf(Outcome::Solution(())));
        };
        let open = tables.frontier().open_var(given);
        let known = open.and_then(|var| Some((var, tables.rows.known(var)?)));
        Ok(match known {
            Some((var, known)) if self.chosen.len() < self.bound.depth => {
                Node::Choose(Open { var, given, known, next: [0, 0] })
            }
            _ => Node::Leaf(Outcome::Refuted(())),
        })
    }

    /// The marker stands in front unless something else is needed, as it does for a literal.
    fn next(&mut self, open: &mut Open) -> Option<[usize; 2]> {
        let [lead, trail] = open.next;
        open.next = if trail == 0 { [0, lead + 1] } else { [lead + 1, trail - 1] };
        (lead + trail <= self.limit).then_some([lead, trail])
    }

    fn pay(&mut self) -> bool {
        self.bound.pay()
    }

    fn enter(
        &mut self,
        open: &Open,
        [lead, trail]: [usize; 2],
    ) -> Result<(Snapshot, Entered<Self>), Exhausted> {
        let extent = open.known.extent_with(lead, trail)?;
        let snapshot = self.solver.snapshot();
        self.chosen.push((open.var, open.given));
        match self.solver.choose().extent(open.var, extent) {
            Ok(()) => Ok((snapshot, Entered::Node)),
            Err(SolveError::Conflict(_)) => Ok((snapshot, Entered::Leaf(Outcome::Refuted(())))),
            Err(SolveError::Exhausted(exhausted)) => {
                self.leave(open, snapshot, false);
                Err(exhausted)
            }
        }
    }

    fn leave(&mut self, _: &Open, snapshot: Snapshot, is_solution: bool) {
        if is_solution {
            self.solver.commit(snapshot);
        } else {
            self.chosen.pop();
            self.solver.roll_back(snapshot);
        }
    }

    fn learn(
        &mut self,
        _: &mut Open,
        _: [usize; 2],
        outcome: Outcome<(), ()>,
    ) -> ControlFlow<Outcome<(), ()>> {
        match outcome {
            Outcome::Refuted(()) => ControlFlow::Continue(()),
            Outcome::Solution(()) | Outcome::Beyond => ControlFlow::Break(outcome),
        }
    }

    fn end(&mut self, _: Open) -> Outcome<(), ()> {
        Outcome::Refuted(())
    }
}
