//! Tensors whose elements are known, or some of them: what `Shape` gives, and what is computed from
//! it.

use std::sync::Arc;

use super::num::Num;

/// The most elements of a tensor whose elements are followed.
pub const MOST_ELEMENTS: usize = 1024;

/// An element of a tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Elem {
    /// Only running the model tells.
    Unknown,
    /// A whole number: of integers and booleans, which are 0 and 1.
    Whole(Num),
    /// A number with a fraction that is known: of floats.
    Real(f64),
    /// A float that is computed from sizes: a whole number, or an exact quotient of one.
    Ratio(Num),
}

/// The elements of a tensor, in row-major order.
pub type Value = Arc<[Elem]>;

impl Elem {
    /// The whole number that it is, if it is known to be one.
    pub fn whole(self) -> Option<Num> {
        if let Elem::Whole(num) = self { Some(num) } else { None }
    }

    /// The number that it is, if that is known.
    pub fn int(self) -> Option<i64> {
        self.whole().and_then(Num::as_int)
    }

    /// Whether it is true, if that is known.
    pub fn truth(self) -> Option<bool> {
        self.int().map(|n| n != 0)
    }

    /// The float that it is, if it is known.
    #[expect(clippy::cast_precision_loss, reason = "as converting to a float does")]
    pub fn real(self) -> Option<f64> {
        match self {
            Elem::Real(x) => Some(x),
            Elem::Whole(Num::Int(n)) | Elem::Ratio(Num::Int(n)) => Some(n as f64),
            Elem::Unknown | Elem::Whole(Num::Form(_)) | Elem::Ratio(Num::Form(_)) => None,
        }
    }

    /// A truth as an element.
    pub fn of_truth(truth: bool) -> Elem {
        Elem::Whole(Num::Int(truth.into()))
    }
}

impl From<Num> for Elem {
    fn from(num: Num) -> Elem {
        Elem::Whole(num)
    }
}

impl From<i64> for Elem {
    fn from(n: i64) -> Elem {
        Elem::Whole(Num::Int(n))
    }
}
