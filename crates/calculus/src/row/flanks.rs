//! Two flanks and the marker between them, whatever the entries are.
//!
//! The entries are stored flat with the marker as a position, because most readers want the flat
//! sequence; the rejected alternative, one vector a flank, costs a second allocation and a copy at
//! every flattening.

use core::fmt;

use smallvec::SmallVec;

/// A sequence of entries, short ones without a heap allocation.
pub type Flank<T> = SmallVec<[T; 4]>;

/// A leading flank, a marker and a trailing flank: `l·◊·r`.
///
/// `==` compares both flanks, so it sees the marker: `[3]◊[4] != [3,4]◊`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flanks<T> {
    /// `l · r`.
    flat: Flank<T>,
    /// The length of `l`. Invariant: at most `flat.len()`.
    marker: usize,
}

impl<T> Flanks<T> {
    /// The empty row `◊`.
    pub fn empty() -> Flanks<T> {
        Flanks { flat: Flank::new(), marker: 0 }
    }

    /// The row `lead·◊·trail`.
    pub fn new(lead: impl IntoIterator<Item = T>, trail: impl IntoIterator<Item = T>) -> Flanks<T> {
        let mut flat: Flank<T> = lead.into_iter().collect();
        let marker = flat.len();
        flat.extend(trail);
        Flanks { flat, marker }
    }

    /// The row with these entries whose leading flank has `lead` of them, or all when there are
    /// fewer.
    pub fn flat_with(entries: impl Into<Flank<T>>, lead: usize) -> Flanks<T> {
        let flat = entries.into();
        let marker = lead.min(flat.len());
        Flanks { flat, marker }
    }

    /// The leading flank.
    pub fn lead(&self) -> &[T] {
        &self.flat[..self.marker]
    }

    /// The trailing flank.
    pub fn trail(&self) -> &[T] {
        &self.flat[self.marker..]
    }

    /// The flat sequence `l · r`: what is left when the marker is forgotten.
    pub fn flat(&self) -> &[T] {
        &self.flat
    }

    /// The number of entries in both flanks.
    pub fn rank(&self) -> usize {
        self.flat.len()
    }

    /// The entry at position `i` of the expansion to rank `n`, or `None` where the expansion
    /// inserts. Positions from `n` on, and ranks below `self.rank()`, have no entry either.
    ///
    /// Every alignment of two rows in this crate is this one: leading entries from the front,
    /// trailing entries from the back, what is inserted in between.
    pub fn expanded_at(&self, n: usize, i: usize) -> Option<&T> {
        let inserted = n.checked_sub(self.rank())?;
        if i < self.marker {
            self.flat.get(i)
        } else {
            self.flat[self.marker..].get(i.checked_sub(self.marker + inserted)?)
        }
    }

    /// The row with `f` applied to every entry.
    pub fn map<U>(&self, f: impl FnMut(&T) -> U) -> Flanks<U> {
        Flanks { flat: self.flat.iter().map(f).collect(), marker: self.marker }
    }

    /// The row that has `inner` at this row's marker: `l·inner·r`, with the marker of `inner`.
    #[must_use]
    pub fn splice(&self, inner: &Flanks<T>) -> Flanks<T>
    where
        T: Clone,
    {
        let entries = self.lead().iter().chain(inner.flat()).chain(self.trail());
        Flanks { flat: entries.cloned().collect(), marker: self.marker + inner.marker }
    }
}

impl<T: Copy> Clone for Flanks<T> {
    /// One copy of memory; the derived one would go entry by entry.
    fn clone(&self) -> Flanks<T> {
        Flanks { flat: Flank::from_slice(&self.flat), marker: self.marker }
    }
}

impl<T: fmt::Debug> fmt::Debug for Flanks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}◊{:?}", self.lead(), self.trail())
    }
}
