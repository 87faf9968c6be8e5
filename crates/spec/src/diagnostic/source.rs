//! Where something was written: sources, spans in them, lines and columns.

use std::ops::Range;

/// A range of bytes of one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Where it begins.
    pub start: u32,
    /// Where it ends: the first byte behind it.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` to before `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The empty span at `at`.
    pub const fn empty(at: u32) -> Self {
        Self::new(at, at)
    }

    /// The span from the beginning of this one to the end of `other`.
    #[must_use]
    pub const fn to(self, other: Span) -> Self {
        Self::new(self.start, other.end)
    }

    /// The empty span at its beginning.
    #[must_use]
    pub const fn before(self) -> Self {
        Self::empty(self.start)
    }

    /// The empty span at its end.
    #[must_use]
    pub const fn after(self) -> Self {
        Self::empty(self.end)
    }

    /// Whether it covers no byte.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// As a range of indices.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The part of `text` it covers; empty where it is not a part of it.
    pub fn of(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}

/// Which of several sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

impl SourceId {
    /// The first source: the text itself, where there is one text only.
    pub const FIRST: Self = Self(0);
}

/// A span of one of several sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// In which source.
    pub source: SourceId,
    /// Where in it.
    pub span: Span,
}

impl From<Span> for Place {
    /// In the first source, of which a parser of one text speaks.
    fn from(span: Span) -> Self {
        Self { source: SourceId::FIRST, span }
    }
}

/// A text with a name: a file, an argument of a command, a string of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What people call it.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Where it stands, if it is not a text of its own but tells in the notation what a program does at
    /// a place: the line and column there. Then every place in it is that place.
    pub stands_at: Option<Position>,
}

impl Source {
    /// Line and column of a byte, both from 1. A column is a Unicode scalar value. What lies behind
    /// the end is at the end.
    pub fn position(&self, byte: u32) -> Position {
        if let Some(place) = self.stands_at {
            return place;
        }
        let mut at = Position { line: 1, column: 1 };
        for (start, c) in self.text.char_indices() {
            if start >= byte as usize {
                break;
            }
            at = match c {
                '\n' => Position { line: at.line + 1, column: 1 },
                _ => Position { column: at.column + 1, ..at },
            };
        }
        at
    }
}

/// A line and a column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in Unicode scalar values.
    pub column: usize,
}

/// The sources that places refer to, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// No sources.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// These sources and one more.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.push(Source { name: name.into(), text: text.into(), stands_at: None });
        self
    }

    /// Adds a source, and says which it is.
    pub fn push(&mut self, source: Source) -> SourceId {
        self.0.push(source);
        SourceId(u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX))
    }

    /// The source with this id, to be changed.
    pub fn get_mut(&mut self, id: SourceId) -> Option<&mut Source> {
        self.0.get_mut(id.0 as usize)
    }

    /// The source with this id, where there is one.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.0.get(id.0 as usize)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Source> {
        self.0.iter()
    }
}
