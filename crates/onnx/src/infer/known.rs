//! What is known of a tensor: its element type, its sizes and, of small ones, its elements.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{num::Num, value::Value};
use crate::element::Element;

/// The sizes of a tensor's axes.
pub type Sizes = SmallVec<[Num; 4]>;

/// What is known of a value of a graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// The type of the elements; of a sequence or an optional value, of what is in it.
    pub element: Element,
    /// The size of each axis; none where not even their number is known, and of what is not a
    /// tensor.
    pub shape: Option<Sizes>,
    /// The elements, where the tensor is small and some are known.
    pub value: Option<Value>,
    /// What it is, if not a tensor.
    pub container: Option<Container>,
}

/// A value that is not a tensor.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Container {
    /// A sequence: what each element is, as far as all are alike, and how many there are.
    Sequence(Arc<Known>, Option<Num>),
    /// A value that may be absent.
    Optional(Arc<Known>),
    /// A map, or what only some engine knows.
    Opaque,
}

impl Known {
    /// A tensor of these sizes.
    pub fn tensor(element: Element, shape: impl IntoIterator<Item = Num>) -> Known {
        Known { element, shape: Some(shape.into_iter().collect()), ..Known::default() }
    }

    /// A tensor with a known type of elements and unknown axes.
    pub fn of_element(element: Element) -> Known {
        Known { element, ..Known::default() }
    }

    /// The number of axes.
    pub fn rank(&self) -> Option<usize> {
        self.shape.as_ref().map(SmallVec::len)
    }

    /// The number of elements, if all sizes are known.
    pub fn count(&self) -> Option<usize> {
        let sizes = self.shape.as_ref()?.iter();
        sizes
            .map(|size| usize::try_from(size.as_int()?).ok())
            .try_fold(1_usize, |all, one| all.checked_mul(one?))
    }
}
