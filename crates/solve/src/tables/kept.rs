//! Flanks that row variables keep, whatever a solver does: said by whoever knows what the rows are of.

use alloc::vec::Vec;

use lozenge_calculus::term::RowVar;

use crate::{Extent, Solver, config::Config};

/// The flanks that row variables of the program have whatever else holds, by the indices of the variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptFlanks(Vec<Option<Extent>>);

impl KeptFlanks {
    /// Keeps these flanks of a row variable, or the lesser ones where it keeps others.
    fn keep(&mut self, var: RowVar, flanks: Extent) {
        let index = var.index() as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, None);
        }
        let kept = self.0[index].get_or_insert(flanks);
        kept.lead = kept.lead.min(flanks.lead);
        kept.trail = kept.trail.min(flanks.trail);
    }

    /// Forgets the flanks of a row variable, and of all that come after it.
    fn forget(&mut self, from: RowVar) {
        self.0.truncate(from.index() as usize);
    }

    /// The flanks that a row variable keeps.
    pub(crate) fn of(&self, var: RowVar) -> Extent {
        self.0.get(var.index() as usize).copied().flatten().unwrap_or(Extent::NONE)
    }
}

impl Config {
    /// The solver that knows nothing yet, with the options, the kept flanks and the equated sizes of this configuration.
    pub(crate) fn blank(&self) -> Solver {
        let (sizes, equated) = (self.sizes.clone(), self.equated.clone());
        let (options, kept) = (self.options, self.kept.clone());
        let config = Config { options, sizes, equated, kept, ..Config::default() };
        Solver { config, ..Solver::default() }
    }
}

impl Solver {
    /// The solver that knows nothing yet, with the options of this one, with the flanks that it was told to
    /// keep, and with the sizes that are taken for others.
    #[must_use]
    pub fn blank(&self) -> Solver {
        self.config.blank()
    }

    /// The same solver where sizes known at run time are nothing yet.
    #[must_use]
    pub fn blank_as_written(&self) -> Solver {
        let mut solver = self.blank();
        let late = solver.config.sizes.take_back_all();
        solver.config.equated.retain(|(required, _)| {
            !solver.config.sizes.names_of(required).iter().any(|name| late.contains(name))
        });
        solver
    }

    /// Says that a row variable has at least these flanks in every solution that counts, so that a growth of
    /// it up to there places no marker: a conflict that rests on it is exact.
    ///
    /// Under the one-shot order alone a result may be broadcast anywhere, whatever its operands are. Whoever
    /// knows that it is broadcast only where one of them is says so here, once for each of them: the least
    /// holds. What was said of a variable whose index is used again is [forgotten](Solver::forget_flanks).
    pub fn keep_flanks(&mut self, var: RowVar, flanks: Extent) {
        self.config.kept.keep(var, flanks);
    }

    /// The flanks that a row variable keeps.
    pub fn kept_flanks(&self, var: RowVar) -> Extent {
        self.config.kept.of(var)
    }

    /// Forgets what was said of a row variable and of all that have a greater index.
    pub fn forget_flanks(&mut self, from: RowVar) {
        self.config.kept.forget(from);
    }
}
