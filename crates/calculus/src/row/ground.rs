//! Ground rows: flanks of dimensions, and their expansion.

use crate::dim::Dim;

use super::{Flank, Flanks};

/// A ground row.
pub type Row = Flanks<Dim>;

impl Row {
    /// The expansion to rank `n`: claim-free units are inserted at the marker. `None` when `n` is
    /// below the row's rank, where the expansion is not defined.
    pub fn expand(&self, n: usize) -> Option<Flank<Dim>> {
        n.checked_sub(self.rank())?;
        Some((0..n).map(|i| self.expanded_dim(n, i)).collect())
    }

    /// The dimension at a position of the expansion to rank `n`: an entry of the row, or the
    /// claim-free unit that the expansion inserts.
    pub(super) fn expanded_dim(&self, n: usize, i: usize) -> Dim {
        match self.expanded_at(n, i) {
            Some(dim) => *dim,
            None => Dim::Unit,
        }
    }
}
