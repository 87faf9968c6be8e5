//! The queue: constraints that are to be asked, first in, first out.

use alloc::vec::Vec;

use crate::tables::{node::Pending, table::Undo};

/// A queue that is empty often, and then starts over at the front of its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    items: Vec<Pending>,
    next: usize,
    /// The constraints that are asked when nothing else is left.
    last: Vec<Pending>,
}

impl Queue {
    #[inline]
    pub(crate) fn push(&mut self, pending: Pending) {
        if self.items.capacity() == 0 {
            self.items.reserve(32);
        }
        self.items.push(pending);
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Pending> {
        let Some(pending) = self.items.get(self.next) else {
            self.items.clear();
            self.next = 0;
            return None;
        };
        self.next += 1;
        Some(*pending)
    }

    pub(crate) fn push_last(&mut self, pending: Pending) {
        self.last.push(pending);
    }

    /// One of those that are asked last.
    #[inline]
    pub(crate) fn pop_last(&mut self) -> Option<Pending> {
        self.last.pop()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.next == self.items.len() && self.last.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Pending> + '_ {
        self.items[self.next..].iter().chain(&self.last).copied()
    }
}

impl Undo for Queue {
    /// Empty, unless it was taken between two steps.
    type Mark = Queue;

    fn mark(&mut self) -> Queue {
        self.clone()
    }

    fn roll_back(&mut self, before: Queue) {
        *self = before;
    }

    fn bytes(&self) -> usize {
        (self.items.capacity() + self.last.capacity()) * size_of::<Pending>()
    }
}

impl PartialEq for Queue {
    /// Whether both queues hold the same constraints.
    fn eq(&self, other: &Queue) -> bool {
        self.iter().eq(other.iter())
    }
}
