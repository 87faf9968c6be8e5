//! How a step is taken in: its constraints go to the solver as one batch, or everything stays as it
//! was.

use std::sync::Arc;

use lozenge_calculus::term::{RowVar, Variable};

use super::{
    Inference, Site,
    program::{Mark, RowRef, Step},
};
use crate::{
    Operation, Report, Scheme,
    explain::{self, words},
    operation::Misfit,
    session::step::StepId,
};

impl Inference {
    /// Takes an operation in, whose operands the program has got since a mark, or leaves everything
    /// as it was then. Gives the number of its result.
    pub(super) fn add(
        &mut self,
        mark: &Mark,
        operation: Arc<dyn Operation>,
        scheme: Result<Arc<Scheme>, Misfit>,
        captured: &[Variable],
        site: Site,
    ) -> Result<StepId, Report> {
        let mut numbers = [StepId::default(); 4];
        let long: Vec<StepId>;
        let pushed = &self.program.operands[mark.operands as usize..];
        let operands: &[StepId] = if let Some(numbers) = numbers.get_mut(..pushed.len()) {
            numbers.copy_from_slice(pushed);
            numbers
        } else {
            long = pushed.to_vec();
            &long
        };
        self.batch.clear();
        let first = mark.first();
        let mut step = Step {
            operation,
            scheme: None,
            site,
            operands: mark.operands,
            first,
            rows: [RowRef::NONE; 3],
            has_result: false,
        };
        let scheme = match scheme {
            Ok(scheme) => scheme,
            Err(misfit) => {
                let site = step.site.clone();
                self.program.steps.push(step);
                let explain = |inference: &Inference| explain::misapplied(inference, misfit, &site);
                return Err(self.refuse(mark, explain));
            }
        };
        let scheme = Scheme::with_own_names(scheme, &self.program.name_table);
        step.rows = self.program.instantiate(&scheme, operands, captured, &mut self.batch);
        if scheme.is_declared() || !self.program.declared.is_empty() {
            self.take_declared(&scheme, mark);
        }
        step.has_result = scheme.has_result();
        step.scheme = (!operands.is_empty()).then_some(scheme);
        self.keep_flanks(first.row);
        self.program.steps.push(step);
        let ranged =
            !self.program.ranged_since(mark).is_empty() || self.program.is_emptied_since(mark);
        let redefined = matches!(self.program.defined_since(mark), Some((_, true)));
        // What a range or a definition changes is taken back with the step that says it.
        let may_fail = !self.batch.is_empty() || !self.program.declared.is_empty();
        let changes = ranged && may_fail || redefined;
        let before = changes.then(|| Box::new(self.clone()));
        let taken = self.take(mark, ranged);
        if let (Err(_), Some(before)) = (&taken, before) {
            self.restore(*before, mark);
        }
        self.batch.clear();
        taken.map(|()| self.program.last_step())
    }

    /// Takes the step under way in, or leaves everything but the ranges that it says as it was.
    #[inline]
    fn take(&mut self, mark: &Mark, ranged: bool) -> Result<(), Report> {
        if ranged {
            self.take_ranges(mark)?;
        }
        if !self.program.declared.is_empty() && self.take_definition(mark)? {
            return Ok(());
        }
        let Some(said) = self.refused_for_names() else { return self.take_batch(mark) };
        let (before, known) = (self.clone(), self.program.specialised.len());
        self.take_batch(mark)?;
        if self.program.specialised.len() > known {
            return Ok(()); // that was looked at with the new numbers
        }
        self.restore(before, mark);
        Err(*said)
    }

    /// Takes the constraints of the step under way in, or leaves everything as it was.
    fn take_batch(&mut self, mark: &Mark) -> Result<(), Report> {
        // Where nothing was chosen yet, taking the same constraints again gives the same solver.
        let snapshot = (!self.solver.is_order_free()).then(|| self.solver.snapshot());
        let shifts = self.solver.shifts();
        let taken = if self.batch.is_empty() { Ok(()) } else { self.solver.extend(&self.batch) };
        match taken {
            Ok(()) if self.may_defer(shifts) => self.settle(mark, snapshot),
            Ok(()) => {
                self.keep(snapshot);
                Ok(())
            }
            Err(rejection) => {
                self.keep(snapshot); // it is as it was
                self.reconsider(mark, &rejection)
            }
        }
    }

    /// Goes back to before the step under way.
    #[cold]
    fn restore(&mut self, before: Inference, mark: &Mark) {
        self.solver = before.solver;
        self.program = before.program;
        self.aside = before.aside;
        self.patience = before.patience;
        self.solver.forget_flanks(RowVar::new(mark.first().row));
        self.program.roll_back(mark);
    }

    /// The refusal of the last step; the session is as it was before.
    #[cold]
    pub(super) fn refuse(
        &mut self,
        mark: &Mark,
        explain: impl FnOnce(&Inference) -> Report,
    ) -> Report {
        let said = if self.is_trial { words::unread() } else { explain(self) };
        self.solver.forget_flanks(RowVar::new(mark.first().row));
        self.program.roll_back(mark);
        self.batch.clear();
        said
    }

    /// A fork from before a step that the solver has not taken.
    pub(crate) fn before(&self, step: StepId) -> Inference {
        let mut fork = self.clone();
        fork.program.cut(step);
        fork.is_trial = true;
        fork
    }
}
