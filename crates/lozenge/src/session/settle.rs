//! The decision whether a step is taken: by the solver, or by a search where that depends on a
//! choice.

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation},
    term::RowTerm,
};
use lozenge_solve::{Extent, Snapshot, SolveError as Refusal, Solver};

use super::{
    Inference,
    canonical::{self, Fit, Refused},
    program::Mark,
    state::Patience,
};
use crate::{Report, explain};

impl Inference {
    /// Says what flanks the rows of the step under way keep, whose variables begin here: a result
    /// is broadcast where one of its operands is, so on each side it has at least what the shortest
    /// of these has. An operand without axes, as a weight's batch row is, says nothing about where
    /// that is.
    ///
    /// DIVERGENCE(acceptance): the design refuses a step only if there is no one-shot solution.
    /// That order lets a result be broadcast anywhere, so that `w * x + b` would fit for an output
    /// of 10 and a bias of 12: the product would be taken for `[10]◊`, although nothing says so,
    /// and the sum would be `10,12`. Here a marker stands only where something that is declared, or
    /// not known yet, can have put it.
    pub(super) fn keep_flanks(&mut self, first_row: u32) {
        // Of a longer flank this much is kept.
        let long = |len: usize| u16::try_from(len).unwrap_or(u16::MAX);
        for constraint in &self.batch {
            let Relation::RowIneq(RowTerm { flanks, var: Some(var) }, operand) =
                &constraint.relation
            else {
                continue;
            };
            if var.index() < first_row || flanks.rank() > 0 {
                continue;
            }
            if operand.var.is_none() && operand.flanks.rank() == 0 {
                continue;
            }
            let inner = operand.var.map_or(Extent::NONE, |var| self.solver.kept_flanks(var));
            let lead = long(operand.flanks.lead().len()).saturating_add(inner.lead);
            let trail = long(operand.flanks.trail().len()).saturating_add(inner.trail);
            self.solver.keep_flanks(*var, Extent { lead, trail });
        }
    }

    /// Takes the last step after all, if it is refused for where markers were placed and there is a
    /// placement with which everything fits, or if that was not found out.
    #[cold]
    pub(super) fn reconsider(&mut self, mark: &Mark, refusal: &Refusal) -> Result<(), Report> {
        // A conflict that depends on the place of no marker is one in every order.
        let (chosen, competes) = match refusal {
            Refusal::Conflict(conflict) => (conflict.is_chosen(), conflict.competes),
            Refusal::Exhausted(_) => (false, false),
        };
        // Where no marker competed with another they stand at the same places in every order.
        // Others may fit, which is found out in a small program; a large one is refused as it is in
        // every order.
        if let (Refusal::Conflict(conflict), true, false) = (refusal, chosen, competes) {
            if self.take_with_sizes(conflict) {
                return Ok(());
            }
        }
        if chosen && !self.is_trial && (competes || self.is_small()) {
            match self.solve(&self.canonical()) {
                Ok(solver) => {
                    self.take_over(solver);
                    return Ok(());
                }
                Err(Refused::Unknown) => {
                    self.patience.grow();
                    self.aside.append(&mut self.batch);
                    return Ok(());
                }
                Err(Refused::Unsatisfiable(origins)) => {
                    if self.take_members_with_numbers(mark, &origins)? {
                        return Ok(());
                    }
                    let explain = |inference: &Inference| inference.unsatisfied(&origins);
                    return Err(self.refuse(mark, explain));
                }
            }
        }
        match refusal {
            Refusal::Conflict(conflict) if !chosen => {
                if self.take_with_numbers(mark, conflict)? {
                    return Ok(());
                }
            }
            Refusal::Conflict(_) | Refusal::Exhausted(_) => {}
        }
        let explain = |inference: &Inference| match inference.in_canonical_order() {
            Some((before, other)) => explain::refused(&before, &inference.batch, &other, &[]),
            None => explain::refused(inference, &inference.batch, refusal, &[]),
        };
        Err(self.refuse(mark, explain))
    }

    /// The refusal of the last step, which the solver has not taken, and with which nothing
    /// satisfies the constraints of these origins.
    fn unsatisfied(&self, origins: &[OriginId]) -> Report {
        let is_to_blame = |asked: &Constraint| origins.contains(&asked.origin);
        if !self.batch.iter().any(is_to_blame) {
            // It came to light with this step, which has nothing to do with it.
            return explain::unsatisfiable(self, &[], origins);
        }
        match self.in_canonical_order() {
            Some((before, refusal)) => explain::refused(&before, &self.batch, &refusal, origins),
            None => explain::unsatisfiable(self, &self.batch, origins),
        }
    }

    /// The session before the last step as its canonical order has it, and why it refuses that
    /// step: what is said of it then does not depend on the order in which lines were written.
    /// `None` where nothing was chosen, or where that order does not refuse the step at once.
    fn in_canonical_order(&self) -> Option<(Inference, Refusal)> {
        if self.solver.is_order_free() || !self.is_small() {
            return None;
        }
        let mut before = self.clone();
        before.solver = before.solve(&before.canonical()).ok()?;
        before.aside.clear();
        let refusal = before.solver.extend(&self.batch).err()?;
        Some((before, refusal))
    }

    /// The session that knows nothing of its program but what these constraints say; `None` where
    /// they disagree.
    pub(crate) fn knowing(&self, constraints: Vec<Constraint>) -> Option<Inference> {
        let mut solver = self.solver.blank();
        solver.extend_ordered(&self.program.in_order(constraints)).ok()?;
        Some(self.with_solver(solver))
    }

    /// Goes on with a solver that has taken everything.
    pub(super) fn take_over(&mut self, solver: Solver) {
        self.solver = solver;
        self.aside.clear();
        self.patience = Patience::default();
    }

    /// Keeps what the solver has taken since a snapshot.
    pub(super) fn keep(&mut self, snapshot: Option<Snapshot>) {
        if let Some(snapshot) = snapshot {
            self.solver.commit(snapshot);
        }
    }

    /// Whether something may wait after the step under way that nothing satisfies, so that this is
    /// to be found out. In a large program it is only where something began to wait: the rest shows
    /// when it is closed.
    pub(super) fn may_defer(&self, shifts: u32) -> bool {
        let is_other = self.solver.shifts() != shifts;
        // What waits in a large program is not counted after each step.
        let is_open = || !self.aside.is_empty() || !self.solver.deferred().is_none();
        !self.is_trial && (is_other || self.is_small() && !self.batch.is_empty() && is_open())
    }

    /// Refuses the last step, which the solver has taken, if something waits that nothing can
    /// satisfy. Where that is not found out the step is taken: a later one may settle it, and if
    /// none does, closing says so.
    ///
    /// DIVERGENCE(acceptance): the design also refuses a step when deciding runs out. How far a
    /// search comes depends on what was built before, so that the same steps in another order would
    /// be accepted.
    #[cold]
    pub(super) fn settle(&mut self, mark: &Mark, before: Option<Snapshot>) -> Result<(), Report> {
        let fit = if self.aside.is_empty() { canonical::fit(&mut self.solver) } else { Fit::No };
        if fit == Fit::Yes {
            self.patience = Patience::default();
            self.keep(before);
            return Ok(());
        }
        if !self.patience.is_over() {
            self.keep(before);
            return Ok(());
        }
        let taken = std::mem::take(&mut self.batch);
        let solved = self.solve(&self.canonical());
        self.batch = taken;
        match solved {
            // It fits as it is.
            Ok(_) if fit == Fit::IfNamesDo => {
                self.keep(before);
                Ok(())
            }
            Ok(solver) => {
                self.take_over(solver);
                Ok(())
            }
            Err(Refused::Unknown) => {
                self.patience.grow();
                self.keep(before);
                Ok(())
            }
            Err(Refused::Unsatisfiable(origins)) => {
                if let Some(before) = before {
                    self.solver.roll_back(before);
                } else {
                    let first = mark.first().origin;
                    let given = self.solver.given().filter(|given| given.origin.index() < first);
                    let given: Vec<Constraint> = given.collect();
                    let mut solver = self.solver.blank();
                    let taken = solver.extend_ordered(&given);
                    debug_assert!(taken.is_ok(), "what was taken is refused");
                    self.solver = solver;
                }
                if self.take_members_with_numbers(mark, &origins)? {
                    return Ok(());
                }
                Err(self.refuse(mark, |inference| inference.unsatisfied(&origins)))
            }
        }
    }
}
