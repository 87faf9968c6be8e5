//! The table of names of a text: every name once.

use std::collections::BTreeMap;

use crate::{
    token::place,
    tree::{Name, NameId, Use},
};
use lozenge_diagnostic::Span;

/// The most names that are looked through one by one; more names have an index.
const FEW: usize = 24;

pub(crate) struct Names<'t> {
    text: &'t str,
    pub(crate) table: Vec<Name>,
    /// Where each name of one ASCII letter is, plus 1: most names are such.
    letters: [u8; 128],
    /// Where each other name is, when there are many.
    index: BTreeMap<&'t str, u32>,
}

impl<'t> Names<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, table: Vec::new(), letters: [0; 128], index: BTreeMap::new() }
    }

    /// The name that is written at `span`, now used in this way as well.
    pub(crate) fn intern(&mut self, span: Span, used: Use) -> NameId {
        let index = match self.text.as_bytes()[span.range()] {
            [letter @ 0..=127] => self.letter(span, letter),
            _ => self.word(span),
        };
        let name = &mut self.table[index as usize];
        name.uses |= used.bit();
        name.count += 1;
        NameId(index)
    }

    fn letter(&mut self, span: Span, letter: u8) -> u32 {
        let known = self.letters[usize::from(letter)];
        if known > 0 {
            return u32::from(known) - 1;
        }
        // A letter that comes after more names than a byte can count is found as a word is.
        let Ok(known) = u8::try_from(self.table.len() + 1) else { return self.word(span) };
        self.letters[usize::from(letter)] = known;
        self.add(span)
    }

    fn word(&mut self, span: Span) -> u32 {
        if self.table.len() <= FEW {
            let bytes = self.text.as_bytes();
            let written = &bytes[span.range()];
            let is_it = |name: &Name| bytes[name.span.range()] == *written;
            let known = self.table.iter().zip(0..).find(|(name, _)| is_it(name));
            return match known {
                Some((_, index)) => index,
                None => self.add(span),
            };
        }
        if self.index.is_empty() {
            let names = self.table.iter().map(|name| name.span.of(self.text));
            self.index = names.zip(0..).collect();
        }
        let written = span.of(self.text);
        if let Some(index) = self.index.get(written) {
            return *index;
        }
        let index = self.add(span);
        self.index.insert(written, index);
        index
    }

    fn add(&mut self, span: Span) -> u32 {
        let index = place(self.table.len());
        if index == 0 {
            self.table.reserve(8); // a shape of numbers has none
        }
        self.table.push(Name { span, count: 0, uses: 0 });
        index
    }
}
