//! Handles, and which session they are of.
//!
//! A session has a brand of its own, by which its handles are known: the address of something that nobody
//! else has. A clone gets another, and remembers its past: it takes handles from before the fork, and
//! neither takes what the other made since.

use std::{fmt, sync::Arc};

use lozenge_core::term::Variable;

/// A tensor of a session. Small, and copied freely; of use in the session that made it, in its clones
/// made since, and in what they close to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tensor {
    brand: usize,
    number: u32,
}

/// A size by a name: of an axis, or of all axes of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Captured {
    brand: usize,
    pub(crate) var: Variable,
    /// The step that it is of, and which name of its specification it has.
    pub(crate) number: u32,
    pub(crate) name: u32,
}

/// Whose handles a session takes.
#[derive(Debug, Default)]
pub(crate) struct Brand {
    own: Arc<()>,
    /// Whose numbers end where.
    past: Vec<(Arc<()>, u32)>,
}

/// Whose handles something takes that was made of a session.
#[derive(Debug)]
pub(crate) struct View {
    brand: Brand,
    count: u32,
}

impl Brand {
    /// The brand of a clone that is made when there are so many numbers.
    pub(crate) fn fork(&self, count: u32) -> Brand {
        let mut past = self.past.clone();
        past.push((Arc::clone(&self.own), count));
        Brand { own: Arc::new(()), past }
    }

    /// The brand of something that is made of the session and has so many of its numbers.
    pub(crate) fn view(&self, count: u32) -> View {
        View { brand: Brand { own: Arc::clone(&self.own), past: self.past.clone() }, count }
    }

    pub(crate) fn tensor(&self, number: u32) -> Tensor {
        Tensor { brand: self.address(number), number }
    }

    /// The number of a tensor, if it is one of these.
    pub(crate) fn number(&self, tensor: Tensor) -> Option<u32> {
        let Tensor { brand, number } = tensor;
        self.takes(brand, number).then_some(number)
    }

    pub(crate) fn captured(&self, var: Variable, number: u32, name: u32) -> Captured {
        Captured { brand: self.address(number), var, number, name }
    }

    pub(crate) fn knows(&self, size: Captured) -> bool {
        self.takes(size.brand, size.number)
    }

    fn address(&self, number: u32) -> usize {
        let past = self.past.iter().find(|(_, end)| number < *end).map(|(brand, _)| brand);
        Arc::as_ptr(past.unwrap_or(&self.own)) as usize
    }

    fn takes(&self, brand: usize, number: u32) -> bool {
        brand == self.address(number)
    }
}

impl View {
    pub(crate) fn number(&self, tensor: Tensor) -> Option<u32> {
        self.brand.number(tensor).filter(|number| *number < self.count)
    }

    pub(crate) fn knows(&self, size: Captured) -> bool {
        self.brand.knows(size) && size.number < self.count
    }
}

/// Without the brand, which is another each time.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({})", self.number)
    }
}

impl fmt::Debug for Captured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Captured({:?})", self.var)
    }
}
