//! Tables with an undo log.
//!
//! All state of a configuration is in tables of plain values. While a snapshot is open, a table
//! remembers what every write replaced, and rolling back writes it again. Without one it costs
//! nothing.

use alloc::vec::Vec;

/// From how many values on a table is long.
const LONG: usize = 4096;

/// A growing sequence of values whose writes can be undone.
#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    items: Vec<T>,
    log: Vec<(u32, T)>,
    /// How many values the last snapshot saw. Only writes to these need to be remembered: what
    /// came later goes when it is rolled back.
    seen: u32,
}

/// How long a table and its log were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Mark {
    len: u32,
    log: u32,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { items: Vec::new(), log: Vec::new(), seen: 0 }
    }
}

impl<T: Copy> Table<T> {
    #[inline]
    pub(super) fn len(&self) -> u32 {
        index(self.items.len())
    }

    #[inline]
    pub(super) fn get(&self, at: u32) -> T {
        self.items[at as usize]
    }

    #[inline]
    pub(super) fn at(&self, at: u32) -> &T {
        &self.items[at as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.items.iter().copied()
    }

    /// Adds a value and returns its index.
    ///
    /// A long one grows by a quarter, where a vector would double: what a million operations leave unused
    /// would be half of what they use.
    #[inline]
    pub(super) fn push(&mut self, item: T) -> u32 {
        if self.items.len() == self.items.capacity() {
            self.enlarge();
        }
        let at = self.len();
        self.items.push(item);
        at
    }

    #[cold]
    fn enlarge(&mut self) {
        let len = self.items.len();
        self.items.reserve_exact(if len < LONG { len + 16 } else { len / 4 });
    }

    #[inline]
    pub(super) fn set(&mut self, at: u32, item: T) {
        self.update(at, |place| *place = item);
    }

    #[inline]
    pub(super) fn update(&mut self, at: u32, change: impl FnOnce(&mut T)) {
        let place = &mut self.items[at as usize];
        if at < self.seen {
            self.log.push((at, *place));
        }
        change(place);
    }

    /// Begins to record, and says from where.
    pub(super) fn mark(&mut self) -> Mark {
        self.seen = self.len();
        Mark { len: self.seen, log: index(self.log.len()) }
    }

    /// Undoes what was done since `mark`.
    pub(super) fn roll_back(&mut self, mark: Mark) {
        for (at, item) in self.log.drain(mark.log as usize..).rev() {
            self.items[at as usize] = item;
        }
        self.items.truncate(mark.len as usize);
    }

    /// Stops recording and forgets what was recorded.
    pub(super) fn settle(&mut self) {
        self.seen = 0;
        self.log.clear();
    }

    /// The bytes that the values take on the heap.
    pub(super) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.log.capacity() * size_of::<(u32, T)>()
    }
}

impl<T: PartialEq> PartialEq for Table<T> {
    /// Whether the values are the same, whatever the log holds.
    fn eq(&self, other: &Table<T>) -> bool {
        self.items == other.items
    }
}

/// A length as an index. Indices are 32 bits wide throughout; taking a batch checks that there is
/// room.
pub(super) fn index(len: usize) -> u32 {
    debug_assert!(u32::try_from(len).is_ok());
    #[allow(clippy::cast_possible_truncation)]
    {
        len as u32
    }
}
