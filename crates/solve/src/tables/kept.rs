//! Flanks that row variables keep, whatever a solver does: said by whoever knows what the rows are
//! of.

use alloc::vec::Vec;

use lozenge_calculus::term::RowVar;

/// The flanks that row variables of the program have whatever else holds, by the indices of the
/// variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptFlanks(Vec<Option<Extent>>);

/// The numbers of axes that a row has on each side of its marker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Extent {
    /// The length of the leading flank.
    pub lead: u16,
    /// The length of the trailing flank.
    pub trail: u16,
}

impl KeptFlanks {
    /// Keeps these flanks of a row variable, or the lesser ones where it keeps others.
    pub(crate) fn keep(&mut self, var: RowVar, flanks: Extent) {
        let index = var.index() as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, None);
        }
        let kept = self.0[index].get_or_insert(flanks);
        kept.lead = kept.lead.min(flanks.lead);
        kept.trail = kept.trail.min(flanks.trail);
    }

    /// Forgets the flanks of a row variable, and of all that come after it.
    pub(crate) fn forget(&mut self, from: RowVar) {
        self.0.truncate(from.index() as usize);
    }

    /// The flanks that a row variable keeps.
    pub(crate) fn of(&self, var: RowVar) -> Extent {
        self.0.get(var.index() as usize).copied().flatten().unwrap_or(Extent::NONE)
    }
}

impl Extent {
    /// No axes.
    pub const NONE: Extent = Extent { lead: 0, trail: 0 };
}
