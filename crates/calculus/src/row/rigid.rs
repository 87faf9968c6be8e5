//! Rigid rows: flat sequences without a marker, and the order on both sorts together.
//!
//! A rigid row cannot be broadcast: its expansion is defined at its own rank only. Its use here is
//! to say what the one-shot order is: `x ⊑¹ y` iff `flat(x)• ⊑ y`.

use crate::dim::Dim;

use super::{Flank, Row, order::flat_refines};

/// A rigid row `F•`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rigid(Flank<Dim>);

/// A row of either sort.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TwoSorted {
    /// A row that can still be broadcast at its marker.
    Marked(Row),
    /// A row that cannot.
    Rigid(Rigid),
}

impl Rigid {
    /// The rigid row of these dimensions.
    pub fn new(dims: impl IntoIterator<Item = Dim>) -> Rigid {
        Rigid(dims.into_iter().collect())
    }

    /// The dimensions of the row.
    pub fn dims(&self) -> &[Dim] {
        &self.0
    }
}

impl Row {
    /// The rigid row `flat(self)•`, one step below `self`: what is lost is the broadcast credit.
    pub fn rigid(&self) -> Rigid {
        Rigid(self.flat().into())
    }
}

impl TwoSorted {
    /// The two-sorted order, `self ⊑ above`.
    pub fn refines(&self, above: &TwoSorted) -> bool {
        match (self, above) {
            (TwoSorted::Marked(below), TwoSorted::Marked(above)) => below.refines(above),
            (TwoSorted::Rigid(below), TwoSorted::Rigid(above)) => {
                below.dims().len() == above.dims().len()
                    && below.dims().iter().zip(above.dims()).all(|(b, a)| b.refines(*a))
            }
            (TwoSorted::Rigid(below), TwoSorted::Marked(above)) => {
                flat_refines(below.dims(), above)
            }
            // Nothing that can still be broadcast sits below a rigid row: admitting even equal
            // ranks would break transitivity (test `clause_d_is_forced`).
            (TwoSorted::Marked(_), TwoSorted::Rigid(_)) => false,
        }
    }
}
