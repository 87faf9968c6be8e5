//! Runs of a solver, one step at a time.
//!
//! A solver that someone holds is at rest: a [`Run`] owns the solver that it steps, and gives it
//! back when nothing is left to ask.

use alloc::vec::Vec;

use lozenge_calculus::{
    constraint::{Constraint, ConstraintRef},
    term::{DimTerm, DimVar, RowTerm, RowVar},
};

use crate::{
    rules::step::Taken,
    solved::form::SolvedForm,
    solver::{Batch, Solver, put_in_program_order},
    why::conflict::SolveError,
};

/// A run of a solver, taken one step at a time. Everybody who need not see the steps wants
/// [`Solver::extend`].
#[derive(Clone, Debug)]
pub struct Run {
    solver: Solver,
}

/// A configuration between two steps, read: bindings, which stay as they are, and what is asked.
pub struct Standing<'a> {
    form: SolvedForm<'a>,
}

impl Run {
    /// Begins the run of a solver with a batch of constraints: decides their ranks and applies no
    /// rule.
    ///
    /// # Errors
    /// When there are no ranks that satisfy the constraints, or the budget runs out.
    pub fn begin<'a>(
        solver: Solver,
        constraints: impl IntoIterator<Item: Into<ConstraintRef<'a>>>,
    ) -> Result<Run, SolveError> {
        let mut run = Run { solver };
        let mut batch: Batch<'a> = constraints.into_iter().map(Into::into).collect();
        put_in_program_order(&mut batch);
        run.solver.offer_all(&batch)?;
        Ok(run)
    }

    /// Applies one rule; `None` when nothing is left to ask.
    ///
    /// # Errors
    /// When the rule fails or the budget runs out. The run is over then.
    pub fn step(&mut self) -> Result<Option<Taken>, SolveError> {
        self.solver.step().map_err(SolveError::from)
    }

    /// The configuration as it stands.
    pub fn standing(&self) -> Standing<'_> {
        Standing { form: self.solver.standing() }
    }

    /// The number of policy steps that were taken for the constraints that stand.
    pub fn policy_steps(&self) -> u32 {
        self.solver.policy_steps()
    }

    /// The number of times that a rule met two rows each with one longer flank.
    pub fn shifts(&self) -> u32 {
        self.solver.shifts()
    }

    /// The solver, if nothing is left to ask.
    pub fn finish(self) -> Option<Solver> {
        self.solver.is_at_rest().then_some(self.solver)
    }
}

impl Standing<'_> {
    /// The term that a dimension variable is bound to; itself when it is not, or nobody mentioned
    /// it.
    pub fn dim(&self, var: DimVar) -> DimTerm {
        self.form.dim(var)
    }

    /// The term that a row variable is bound to; itself when it is not, or nobody mentioned it.
    pub fn row(&self, var: RowVar) -> RowTerm {
        self.form.row(var)
    }

    /// The constraints that the configuration denotes, over unbound variables: those in the queue
    /// as well as those that are kept. With the bindings this is what the formal notes call the
    /// constraint set of a configuration. At rest they are the residual constraints.
    pub fn asked(&self) -> Vec<Constraint> {
        self.form.asked()
    }
}
