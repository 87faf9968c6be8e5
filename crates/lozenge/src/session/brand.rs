//! Handles, and which session they are of.
//!
//! A session has a brand of its own, by which its handles are known: a number that no other session
//! of the process has or had. A clone gets another, and remembers its past: it takes handles from
//! before the fork, and neither takes what the other made since.
//!
//! **Invariant.** No session takes a handle of another, not even one that was dropped. A brand is
//! compared with brands and nothing else: it is not printed, and nothing is ordered by it.

use crate::session::step::StepId;
use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use lozenge_calculus::term::Variable;

/// The brand of the next session.
///
/// DIVERGENCE(no global state): the invariant is there so that two sessions of a process never
/// affect each other, and that a program gives the same bytes wherever it is run. This counter
/// serves the first and keeps the second: brands are only compared for equality, so which numbers a
/// session gets shows nowhere; and in 64 bits they do not run out. Rejected: the address of
/// something that the session owns, which a later session gets again once the first is dropped; to
/// keep that alive in every handle, which then could not be copied; to leak it; random numbers,
/// which need a source of them and may meet.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A number that is given once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Id(u64);

/// A tensor of a session. Small, and copied freely; of use in the session that made it, in its
/// clones made since, and in what they close to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tensor {
    brand: Id,
    number: StepId,
}

/// A size by a name: of an axis, or of all axes of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SizeVar {
    brand: Id,
    pub(crate) var: Variable,
    /// The step that it is of, and which name of its specification it has.
    pub(crate) number: StepId,
    pub(crate) name: u32,
}

/// Whose handles a session takes.
#[derive(Debug)]
pub(crate) struct Brand {
    own: Id,
    /// The sessions that this one was cloned from, each with the number at which its handles end
    /// here.
    past: Vec<(Id, StepId)>,
}

/// Whose handles something takes that was made of a session: those of the numbers below `end`.
#[derive(Debug)]
pub(crate) struct View {
    brand: Brand,
    end: StepId,
}

/// Why a handle is not taken by what was made of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unknown {
    /// It is of another session.
    Foreign,
    /// It is of this session, which made it later.
    Newer,
}

impl Id {
    fn new() -> Id {
        // Nothing else is read or written with it.
        Id(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Default for Brand {
    fn default() -> Brand {
        Brand { own: Id::new(), past: Vec::new() }
    }
}

impl Brand {
    /// The brand of a clone, which takes the handles of the numbers below `end`.
    pub(crate) fn fork(&self, end: StepId) -> Brand {
        let mut past = self.past.clone();
        past.push((self.own, end));
        Brand { own: Id::new(), past }
    }

    /// The brand of something that is made of the session, and has its steps of the numbers below
    /// `end`.
    pub(crate) fn view(&self, end: StepId) -> View {
        View { brand: Brand { own: self.own, past: self.past.clone() }, end }
    }

    pub(crate) fn tensor(&self, number: StepId) -> Tensor {
        Tensor { brand: self.of(number), number }
    }

    /// The number of a tensor, if it is one of these.
    pub(crate) fn number(&self, tensor: Tensor) -> Option<StepId> {
        let Tensor { brand, number } = tensor;
        self.takes(brand, number).then_some(number)
    }

    pub(crate) fn captured(&self, var: Variable, number: StepId, name: u32) -> SizeVar {
        SizeVar { brand: self.of(number), var, number, name }
    }

    pub(crate) fn knows(&self, size: SizeVar) -> bool {
        self.takes(size.brand, size.number)
    }

    /// The session that made the step of this number.
    fn of(&self, number: StepId) -> Id {
        let past = self.past.iter().find(|(_, end)| number < *end);
        past.map_or(self.own, |(brand, _)| *brand)
    }

    fn takes(&self, brand: Id, number: StepId) -> bool {
        brand == self.of(number)
    }
}

impl View {
    pub(crate) fn number(&self, tensor: Tensor) -> Result<StepId, Unknown> {
        match self.brand.number(tensor) {
            Some(number) if number < self.end => Ok(number),
            Some(_) => Err(Unknown::Newer),
            None => Err(Unknown::Foreign),
        }
    }

    pub(crate) fn knows(&self, size: SizeVar) -> bool {
        self.brand.knows(size) && size.number < self.end
    }

    /// Whether a session has all steps that this has: then it has the last.
    pub(crate) fn is_within(&self, brand: &Brand) -> bool {
        self.end.before().is_none_or(|last| self.brand.of(last) == brand.of(last))
    }
}

/// Without the number, which is another each time.
impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Id")
    }
}

/// Without the brand, which is another each time.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({})", self.number)
    }
}

impl fmt::Debug for SizeVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SizeVar({:?})", self.var)
    }
}
