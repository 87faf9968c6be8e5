//! Conflicts that are equations between sizes: kept where they are collected, and sizes taken for
//! others.

use lozenge_calculus::{
    dim::Dim,
    size::{Decision, Requirement, Size, Sizes},
};

use crate::{
    config::Config,
    tables::node::DimRef,
    why::conflict::{Conflict, SolveError, Stop},
};

/// The most equations that are collected in one run.
const MOST_COLLECTED: usize = 1 << 12;

impl Config {
    /// Keeps the equation that a conflict is, where equations are collected; else it stays a
    /// conflict.
    pub(crate) fn keep_equation(&mut self, failed: Stop) -> Result<(), Stop> {
        if self.collected.is_none() {
            return Err(failed);
        }
        let conflict = match SolveError::from(failed) {
            SolveError::Conflict(conflict) => conflict,
            SolveError::Exhausted(exhausted) => return Err(exhausted.into()),
        };
        let is_solved = self.equation_of(&conflict).is_some_and(|(mut sizes, asked)| {
            let decision = sizes.decide_requirement(&asked);
            match decision {
                Decision::Requires(required) => sizes.is_solvable(&required),
                Decision::Always => sizes.is_solvable(&asked),
                Decision::Never | Decision::Is(..) | Decision::Several => false,
            }
        });
        match &mut self.collected {
            Some(collected) if is_solved && collected.len() < MOST_COLLECTED => {
                collected.push(*conflict);
                Ok(())
            }
            _ => Err((*conflict).into()),
        }
    }

    /// Takes a size for another one as a conflict says. Gives whether that is new.
    pub(crate) fn equate(&mut self, conflict: &Conflict) -> bool {
        if self.equated.len() >= self.sizes.most_equated() {
            return false;
        }
        let Some((mut sizes, asked)) = self.equation(conflict) else { return false };
        let asked = sizes.as_taken(&asked);
        let required = match sizes.decide_requirement(&asked) {
            Decision::Requires(required) => required,
            // A name of one value is that number, and not the same size.
            Decision::Always => asked.clone(),
            Decision::Never | Decision::Is(..) | Decision::Several => return false,
        };
        let is_new = match (conflict.clash, &conflict.required) {
            (Some((Dim::Atom { size: one, .. }, Dim::Atom { size: other, .. })), None) => {
                one != Size::EMPTY && other != Size::EMPTY && sizes.equate(one, other, &required)
            }
            (_, Some(_)) => sizes.solve_at_run_time(&required) || sizes.equate_number(&asked),
            _ => false,
        };
        if is_new {
            self.sizes = sizes;
            self.equated.push((required, conflict.origins.clone()));
        }
        is_new
    }

    /// A dimension, where sizes are taken for others.
    #[cold]
    pub(crate) fn taken_dim(&mut self, dim: Dim) -> DimRef {
        let Dim::Atom { size, basis } = dim else { return self.tables.dims.met.intern(dim) };
        let other = self.sizes.taken_for(size);
        if other == size {
            self.tables.dims.met.intern(dim)
        } else {
            self.tables.dims.met.intern_for(dim, Dim::atom(other, basis))
        }
    }

    /// The equation between sizes that a conflict is, with the table it is in, if the conflict
    /// depends on nothing that was chosen.
    pub(crate) fn equation_of(&self, conflict: &Conflict) -> Option<(Sizes, Requirement)> {
        if conflict.is_chosen() { None } else { self.equation(conflict) }
    }

    /// The equation between sizes that a conflict is, whatever the conflict depends on, with the
    /// table it is in.
    pub(crate) fn equation(&self, conflict: &Conflict) -> Option<(Sizes, Requirement)> {
        let mut sizes = self.sizes.clone();
        let required = match (&conflict.required, conflict.clash) {
            (Some(required), _) => required.clone(),
            (None, Some((Dim::Atom { size: a, basis }, Dim::Atom { size: b, basis: other })))
                if basis == other =>
            {
                let (a, b) = (sizes.form(a), sizes.form(b));
                Requirement::Zero(sizes.difference(&a, &b))
            }
            // One element, whatever it counts.
            (
                None,
                Some((Dim::Unit, Dim::Atom { size, .. }) | (Dim::Atom { size, .. }, Dim::Unit)),
            ) => {
                let (form, one) = (sizes.form(size), sizes.form(Size::ONE));
                Requirement::Zero(sizes.difference(&form, &one))
            }
            (None, _) => return None,
        };
        Some((sizes, required))
    }
}
