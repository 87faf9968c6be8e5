//! Closing a program: as it was built, or, where something was chosen, in its canonical order.

use std::collections::BTreeSet;

use lozenge_calculus::constraint::OriginId;
use lozenge_diagnostic::{Diagnostic, Sources};
use lozenge_solve::{
    Solver,
    close::{CloseError, Closed as Values, Policy, Roles, close},
};

use super::{
    Inference,
    canonical::{Canonical, Refused},
};
use crate::{Report, explain};

/// The outcome of closing a program.
pub(super) enum Closing {
    Values(Box<Valuation>),
    /// The program with numbers in the place of names, which has to be closed instead.
    Numbered(Box<Inference>),
}

/// A value for every variable of a program.
pub(super) struct Valuation {
    pub(super) values: Values,
    /// The solver that was closed, if it was not that of the program as it was built.
    pub(super) solver: Option<Box<Solver>>,
    /// The warnings and notes.
    pub(super) said: (Sources, Vec<Diagnostic>),
}

impl Inference {
    /// Closes the program by a policy.
    pub(super) fn close_by(&self, policy: Policy) -> Result<Closing, Report> {
        if !self.program.specialised.is_empty() && !self.is_small() {
            self.names_apart().map_err(|said| *said)?;
        }
        let is_free = self.solver.is_order_free() && self.aside.is_empty();
        let (solver, mut values) = match (!is_free).then(|| self.canonical()) {
            Some(order) => {
                let (roles, solved) = (self.program.roles_by(&order), self.solve(&order));
                if let Err(Refused::Unsatisfiable(origins)) = &solved {
                    if let Some(numbered) = self.with_numbers_for(origins)? {
                        return Ok(Closing::Numbered(Box::new(numbered)));
                    }
                }
                let (solver, values) = self.close_in(&order, solved, &roles, policy)?;
                (Some(solver), values)
            }
            None => (None, self.close_with(&self.solver, &self.roles(), policy)?),
        };
        values.assume(self.facts());
        let closed = solver.as_deref().unwrap_or(&self.solver);
        if let Some(rejection) = explain::symbolic(self, closed, &values) {
            return Err(rejection);
        }
        if let Some(rejection) = explain::pinned(self, &values) {
            return Err(rejection);
        }
        let said = explain::notes(self, closed, &values);
        Ok(Closing::Values(Box::new(Valuation { values, solver, said })))
    }

    fn close_with(&self, solver: &Solver, roles: &Roles, policy: Policy) -> Result<Values, Report> {
        close(&solver.solved(), roles, policy)
            .map_err(|unclosed| explain::unclosed(self, solver, roles, policy, &unclosed))
    }

    /// Closes the program in canonical order, which was solved, with the solver that was closed.
    ///
    /// Markers stand where that order puts them, or, where something does not fit then, elsewhere.
    /// DIVERGENCE(placement): the design closes with any place with which there is a one-shot
    /// solution. A step is taken on these terms, since a later one may ask for the place; but a
    /// program in which nothing asks for it is not closed, or `x + [4] + [5]`, with `x` unknown,
    /// would be `[4,5]`.
    fn close_in(
        &self,
        order: &Canonical,
        solved: Result<Solver, Refused>,
        roles: &Roles,
        policy: Policy,
    ) -> Result<(Box<Solver>, Values), Report> {
        // Where deciding runs out in this order it does in every spelling; as it was built, the
        // program might close, but to shapes that depend on that.
        let solver = solved.map_err(|refused| match refused {
            Refused::Unsatisfiable(origins) => explain::unsatisfiable(self, &[], &origins),
            Refused::Unknown => {
                let aside = self.aside.iter().map(|constraint| constraint.origin);
                let deferred: Vec<OriginId> =
                    self.solver.deferred_origins().into_iter().chain(aside).collect();
                explain::undecided(self, &deferred)
            }
        })?;
        let first = match close(&solver.solved(), roles, policy) {
            Ok(values) => return Ok((Box::new(solver), values)),
            Err(unclosed) => unclosed,
        };
        // Another placement may fit, in each part of the program in which this one does not: one
        // after another, or, in a large program, in all of them at once.
        let at_once = if self.is_small() { 1 } else { usize::MAX };
        let (mut reversed, mut tried): (BTreeSet<usize>, BTreeSet<usize>) = Default::default();
        let mut last: Option<(Solver, CloseError)> = None;
        loop {
            let misplaced = order.misplaced(last.as_ref().map_or(&first, |(_, last)| last));
            let parts: BTreeSet<usize> = (&misplaced - &tried).into_iter().take(at_once).collect();
            if parts.is_empty() {
                break;
            }
            tried.extend(&parts);
            let with = &reversed | &parts;
            let Ok(solver) = self.solve(&order.reversed(&with)) else { continue };
            let closed = close(&solver.solved(), roles, policy);
            match closed {
                Ok(values) => return Ok((Box::new(solver), values)),
                Err(unclosed) if !order.is_wrong(&parts, &unclosed) => {
                    (reversed, last) = (with, Some((solver, unclosed)));
                }
                Err(_) => {}
            }
        }
        // What is wrong with other parts may show only where nothing is wrong with these.
        let (solver, unclosed) = match (order.without(&first, &reversed), last) {
            (None, Some(last)) => last,
            (remains, _) => (solver, remains.unwrap_or(first)),
        };
        Err(explain::unclosed(self, &solver, roles, policy, &unclosed))
    }
}
