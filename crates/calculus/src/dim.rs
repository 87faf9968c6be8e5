//! Dimensions: what one axis can be, and the broadcast order on them.
//!
//! ```text
//!            1_∅              the claim-free unit, the top: stretches to anything
//!     ┌───┬───┼────┬─ ⋯
//!     1   2   3  3_rgb        atoms: a size and a basis, pairwise incomparable
//!     └───┴───┼────┴─ ⋯
//!             ⊥               no dimension (`None` where a meet is computed)
//! ```
//!
//! Lower means more committed. An atom of size 1 is an ordinary atom: somebody said that the axis
//! has one element, so it never stretches. Only the claim-free unit does.

use crate::size::{Size, SizeError};

/// What the elements of an axis stand for, such as `rgb`. Axes of different bases never mix, even
/// at equal sizes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Basis(u32);

/// A dimension: an element of the document's `D`.
///
/// `==` is identity. `Ord` is an arbitrary total order for sorted collections; the broadcast order
/// is [`Dim::refines`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dim {
    /// The claim-free unit `1_∅`, the greatest dimension.
    Unit,
    /// An atom `n_b`.
    Atom {
        /// The number of elements.
        size: Size,
        /// The basis: what the elements stand for.
        basis: Basis,
    },
}

impl Basis {
    /// The basis of an axis about which nothing was said.
    pub const DEFAULT: Basis = Basis(0);

    /// The basis with this index; 0 is [`Basis::DEFAULT`].
    pub const fn new(index: u32) -> Basis {
        Basis(index)
    }

    /// The index it was made from.
    pub const fn index(self) -> u32 {
        self.0
    }
}

impl Dim {
    /// The atom of size `n` in the default basis.
    ///
    /// # Errors
    /// When `n` is not a size.
    pub const fn int(n: u64) -> Result<Dim, SizeError> {
        match Size::int(n) {
            Ok(size) => Ok(Dim::atom(size, Basis::DEFAULT)),
            Err(error) => Err(error),
        }
    }

    /// The atom `size_basis`.
    pub const fn atom(size: Size, basis: Basis) -> Dim {
        Dim::Atom { size, basis }
    }

    /// How many elements an axis of this dimension has: the claim-free unit has one.
    pub const fn size(self) -> Size {
        match self {
            Dim::Unit => Size::ONE,
            Dim::Atom { size, .. } => size,
        }
    }

    /// Whether this is an atom, that is, anything but the claim-free unit.
    pub const fn is_atom(self) -> bool {
        matches!(self, Dim::Atom { .. })
    }

    /// The broadcast order, `self ⊑ above`: `above` is the claim-free unit, or both are the same.
    pub fn refines(self, above: Dim) -> bool {
        above == Dim::Unit || self == above
    }

    /// The greatest dimension below both, or `None` for the document's ⊥.
    pub fn meet(self, other: Dim) -> Option<Dim> {
        if self.refines(other) {
            Some(self)
        } else if other.refines(self) {
            Some(other)
        } else {
            None
        }
    }

    /// The dimension that these are stretched to by NumPy's rule, where an explicit 1 stretches as
    /// well. Those with another number of elements than one have to be equal, and the result is
    /// that dimension; where all have one element, the result is an atom if one of them is.
    ///
    /// A named size is taken for another number than 1.
    pub fn stretched(operands: impl IntoIterator<Item = Dim>) -> Option<Dim> {
        operands.into_iter().try_fold(Dim::Unit, |all, operand| {
            match (all.size() == Size::ONE, operand.size() == Size::ONE) {
                (true, false) => Some(operand),
                (false, true) => Some(all),
                (false, false) => (all == operand).then_some(all),
                (true, true) => match (all, operand) {
                    (Dim::Unit, one) | (one, Dim::Unit) => Some(one),
                    (Dim::Atom { basis: first, .. }, Dim::Atom { basis: second, .. }) => {
                        Some(Dim::atom(Size::ONE, merged_basis([first, second])?))
                    }
                },
            }
        })
    }

    /// The least dimension above both: of two different atoms, the claim-free unit.
    #[must_use]
    pub fn join(self, other: Dim) -> Dim {
        if self == other { self } else { Dim::Unit }
    }
}

/// The basis that axes of these bases have together: a named one wins over the default one. `None`
/// when two different ones are named.
pub fn merged_basis(bases: impl IntoIterator<Item = Basis>) -> Option<Basis> {
    bases.into_iter().try_fold(Basis::DEFAULT, |merged, basis| match (merged, basis) {
        (Basis::DEFAULT, other) | (other, Basis::DEFAULT) => Some(other),
        (merged, other) => (merged == other).then_some(merged),
    })
}
