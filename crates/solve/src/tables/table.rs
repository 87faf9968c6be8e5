//! Tables with an undo log.
//!
//! All state of a configuration is in tables of plain values. While a snapshot is open, a table
//! remembers what every write replaced, and rolling back writes it again. Without one it costs
//! nothing.

use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::tables::ids::{Id, before, index};

/// From how many values on a table is long.
const LONG: usize = 4096;

/// A growing sequence of values whose writes can be undone.
#[derive(Clone, Debug)]
pub(crate) struct Table<I, T> {
    items: Vec<T>,
    log: Vec<(u32, T)>,
    /// How many values the last snapshot saw. Only writes to these need to be remembered: what
    /// came later goes when it is rolled back.
    seen: u32,
    index: PhantomData<I>,
}

/// State of a configuration that is restored when a snapshot is rolled back.
pub(crate) trait Undo {
    /// What is remembered of the state.
    type Mark;

    /// Begins to record, and says from where.
    fn mark(&mut self) -> Self::Mark;

    /// Undoes what was done since `mark`.
    fn roll_back(&mut self, mark: Self::Mark);

    /// Stops recording and forgets what was recorded.
    fn settle(&mut self) {}

    /// The bytes that the state takes on the heap.
    fn bytes(&self) -> usize {
        0
    }

    /// How many 32-bit indices are in use.
    fn indices(&self) -> u32 {
        0
    }
}

impl<T> Undo for Vec<T> {
    type Mark = usize;

    #[inline]
    fn mark(&mut self) -> usize {
        self.len()
    }

    #[inline]
    fn roll_back(&mut self, len: usize) {
        self.truncate(len);
    }

    fn bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

/// How long a table and its log were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Mark {
    len: u32,
    log: u32,
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Table<I, T> {
        Table { items: Vec::new(), log: Vec::new(), seen: 0, index: PhantomData }
    }
}

impl<I: Id, T: Copy> Table<I, T> {
    /// How many values there are.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        index(self.items.len())
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The index of the value that is added next.
    #[inline]
    pub(crate) fn end(&self) -> I {
        I::new(self.len())
    }

    /// Whether there is a value with this index.
    #[inline]
    pub(crate) fn has(&self, at: I) -> bool {
        at.place() < self.items.len()
    }

    #[inline]
    pub(crate) fn get(&self, at: I) -> T {
        self.items[at.place()]
    }

    #[inline]
    pub(crate) fn at(&self, at: I) -> &T {
        &self.items[at.place()]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.items.iter().copied()
    }

    /// The indices of all values there are now.
    pub(crate) fn ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        before(self.end())
    }

    /// The values, each with its index.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (I, T)> + '_ {
        self.ids().zip(self.iter())
    }

    /// Adds a value and returns its index.
    ///
    /// A long one grows by a quarter, where a vector would double: what a million operations leave
    /// unused would be half of what they use.
    #[inline]
    pub(crate) fn push(&mut self, item: T) -> I {
        if self.items.len() == self.items.capacity() {
            self.enlarge();
        }
        let at = self.end();
        self.items.push(item);
        at
    }

    #[cold]
    fn enlarge(&mut self) {
        let len = self.items.len();
        self.items.reserve_exact(if len < LONG { len + 16 } else { len / 4 });
    }

    #[inline]
    pub(crate) fn set(&mut self, at: I, item: T) {
        self.update(at, |place| *place = item);
    }

    #[inline]
    pub(crate) fn update(&mut self, at: I, change: impl FnOnce(&mut T)) {
        let place = &mut self.items[at.place()];
        if at.index() < self.seen {
            self.log.push((at.index(), *place));
        }
        change(place);
    }
}

impl<I: Id, T: Copy> Undo for Table<I, T> {
    type Mark = Mark;

    #[inline]
    fn mark(&mut self) -> Mark {
        self.seen = self.len();
        Mark { len: self.seen, log: index(self.log.len()) }
    }

    #[inline]
    fn roll_back(&mut self, mark: Mark) {
        for (at, item) in self.log.drain(mark.log as usize..).rev() {
            self.items[at as usize] = item;
        }
        self.items.truncate(mark.len as usize);
    }

    #[inline]
    fn settle(&mut self) {
        self.seen = 0;
        self.log.clear();
    }

    fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.log.capacity() * size_of::<(u32, T)>()
    }

    #[inline]
    fn indices(&self) -> u32 {
        self.len()
    }
}

impl<I, T: PartialEq> PartialEq for Table<I, T> {
    /// Whether the values are the same, whatever the log holds.
    fn eq(&self, other: &Table<I, T>) -> bool {
        self.items == other.items
    }
}
