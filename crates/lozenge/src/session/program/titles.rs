//! The names that tensors were given.

use std::mem::size_of;

use crate::{number::index, session::step::StepId};

/// Names, one after another in one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Titles {
    text: String,
    /// The tensors that have one, in order of their numbers.
    named: Vec<(StepId, Word)>,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Word {
    start: u32,
    end: u32,
}

impl Titles {
    /// Gives a tensor a name, instead of the one that it has.
    pub(super) fn set(&mut self, tensor: StepId, name: &str) {
        let start = index(self.text.len());
        self.text.push_str(name);
        let word = Word { start, end: index(self.text.len()) };
        match self.named.binary_search_by_key(&tensor, |(named, _)| *named) {
            Ok(place) => self.named[place].1 = word,
            Err(place) => self.named.insert(place, (tensor, word)),
        }
    }

    /// The name of a tensor.
    pub(super) fn of(&self, tensor: StepId) -> Option<&str> {
        let place = self.named.binary_search_by_key(&tensor, |(named, _)| *named).ok()?;
        let Word { start, end } = self.named[place].1;
        self.text.get(start as usize..end as usize)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.named.capacity() * size_of::<(StepId, Word)>() + self.text.capacity()
    }
}
