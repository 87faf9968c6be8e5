//! Flanks that row variables keep, whatever a solver does: said by whoever knows what the rows are of.

use lozenge_calculus::term::RowVar;

use super::{Extent, Solver};

impl Solver {
    /// The solver that knows nothing yet, with the options of this one, with the flanks that it was told to
    /// keep, and with the sizes that are taken for others.
    #[must_use]
    pub fn blank(&self) -> Solver {
        let kept_flanks = self.kept_flanks.clone();
        let (sizes, equated) = (self.sizes.clone(), self.equated.clone());
        Solver { options: self.options, kept_flanks, sizes, equated, ..Solver::default() }
    }

    /// The same solver where sizes known at run time are nothing yet.
    #[must_use]
    pub fn blank_as_written(&self) -> Solver {
        let mut solver = self.blank();
        let late = solver.sizes.take_back_all();
        solver.equated.retain(|(required, _)| {
            !solver.sizes.names_of(required).iter().any(|name| late.contains(name))
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
        let index = var.index() as usize;
        if self.kept_flanks.len() <= index {
            self.kept_flanks.resize(index + 1, None);
        }
        let kept = self.kept_flanks[index].get_or_insert(flanks);
        kept.lead = kept.lead.min(flanks.lead);
        kept.trail = kept.trail.min(flanks.trail);
    }

    /// The flanks that a row variable keeps.
    pub fn kept_flanks(&self, var: RowVar) -> Extent {
        let kept = self.kept_flanks.get(var.index() as usize).copied().flatten();
        kept.unwrap_or(Extent::NONE)
    }

    /// Forgets what was said of the row variables from this index on.
    pub fn forget_flanks(&mut self, from: u32) {
        self.kept_flanks.truncate(from as usize);
    }
}
