//! Where something was written: sources, spans in them, lines and columns.

use std::{ops::Range, sync::Arc};

/// A range of bytes of one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Where it begins.
    pub start: u32,
    /// Where it ends: the first byte after it.
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

    /// The span as a range of indices.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The part of `text` it covers; empty where it is not a part of it.
    pub fn of(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}

/// The number of a source among several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

impl SourceId {
    /// The first source: the text itself, where there is one text only.
    pub const FIRST: Self = Self(0);
}

/// A span of one of several sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The source.
    pub source: SourceId,
    /// The bytes of the source.
    pub span: Span,
}

impl From<Span> for Place {
    /// The place in the first source, which is the only one that a parser of one text has.
    fn from(span: Span) -> Self {
        Self { source: SourceId::FIRST, span }
    }
}

/// Something with a name that places are in: a file, an argument of a command, a string of a
/// program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name by which people know it.
    pub name: Arc<str>,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Text(Arc<str>),
    /// A text that was not given, only a line and column in it.
    Unseen(Position),
}

impl Source {
    /// A text by its name.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Source {
        Source { name: name.into(), content: Content::Text(text.into()) }
    }

    /// A place in a text that is not at hand: every place in this source is that one.
    pub fn unseen(name: impl Into<Arc<str>>, place: Position) -> Source {
        Source { name: name.into(), content: Content::Unseen(place) }
    }

    /// The text, where it was given.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Unseen(_) => None,
        }
    }

    /// Whether it is the same text, not only an equal one.
    pub fn is(&self, other: &Source) -> bool {
        match (&self.content, &other.content) {
            (Content::Text(one), Content::Text(two)) => {
                Arc::ptr_eq(one, two) && self.name == other.name
            }
            (one, two) => one == two && self.name == other.name,
        }
    }

    /// Line and column of a byte, both from 1. A column is a Unicode scalar value. What lies after
    /// the end is at the end.
    pub fn position(&self, byte: u32) -> Position {
        let text = match &self.content {
            Content::Text(text) => text,
            Content::Unseen(place) => return *place,
        };
        let mut at = Position { line: 1, column: 1 };
        for (start, c) in text.char_indices() {
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
    pub fn with(mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        self.push(Source::new(name, text));
        self
    }

    /// Adds a source, and says which it is.
    ///
    /// # Panics
    /// With the source that is one too many for 32 bits.
    pub fn push(&mut self, source: Source) -> SourceId {
        self.0.push(source);
        let id = u32::try_from(self.0.len() - 1);
        SourceId(id.expect("there are fewer than 2^32 sources"))
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
