//! Diagnostics as values: what is wrong, where, why, and what to write instead.
//!
//! A [`Diagnostic`] has a [`Code`], a headline that stands alone, labels on both sides of what
//! disagrees, notes and helps. A [`Help`] may carry edits that a program can apply. Whoever finds a
//! mistake makes the value; whoever has a terminal, an editor or a log renders it: [`full`] for
//! people, [`concise`] for one line each, [`json`] for programs.
//!
//! ```
//! use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Sources, Span, concise};
//!
//! let sources = Sources::new().with("spec", "o+k; k => o");
//! let diagnostic = Diagnostic::new(Code::MissingMarker, "the window `o+k` has no marker")
//!     .label(Span::new(0, 3), "neither `<` nor `=`")
//!     .help(Help::choice("whole windows only", [Edit::insert(1, "<")]));
//! assert_eq!(
//!     concise(&diagnostic, &sources),
//!     "spec:1:1: error[missing-marker]: the window `o+k` has no marker"
//! );
//! assert_eq!(diagnostic.helps[0].apply("o+k; k => o"), "o<+k; k => o");
//! ```
//!
//! **Invariants.** The first label is the primary one. A headline, a label, a note and a help have no
//! line break. Edits of one help do not overlap and are in order; a help edits one source.

mod claim;
mod code;
mod concise;
mod diagnostic;
#[cfg(feature = "full")]
mod full;
#[cfg(feature = "json")]
mod json;
mod report;
mod source;

pub use claim::{Claim, Together};
pub use code::{Code, Severity};
pub use concise::concise;
pub use diagnostic::{Applicability, Diagnostic, Edit, Help, Label, MAX_EDITS, Told};
#[cfg(feature = "full")]
pub use full::{Look, full};
#[cfg(feature = "schema")]
pub use json::schema;
#[cfg(feature = "json")]
pub use json::{SCHEMA, json};
pub use report::Report;
pub use source::{Place, Position, Source, SourceId, Sources, Span};
<<<<<<< HEAD

use std::{error::Error, fmt, sync::Arc};

/// One thing to say about sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of thing.
    pub code: Code,
    /// All of it in one line that can stand alone.
    pub headline: String,
    /// The places, with what is to be said about each; the first is the place it is about.
    pub labels: Vec<Label>,
    /// Why.
    pub notes: Vec<String>,
    /// What to change.
    pub helps: Vec<Help>,
}

impl Diagnostic {
    /// A diagnostic with a headline and nothing else yet.
    pub fn new(code: Code, headline: impl Into<String>) -> Self {
        let headline = headline.into();
        Self { code, headline, labels: vec![], notes: vec![], helps: vec![] }
    }

    /// Adds a label; the first one is primary.
    #[must_use]
    pub fn label(mut self, place: impl Into<Place>, text: impl Into<String>) -> Self {
        self.labels.push(Label { place: place.into(), text: text.into(), told: None });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a help.
    #[must_use]
    pub fn help(mut self, help: Help) -> Self {
        self.helps.push(help);
        self
    }

    /// How grave it is.
    pub const fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Whether it is an error, rather than a warning or a note.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }

    /// The place it is about.
    pub fn place(&self) -> Option<Place> {
        self.labels.first().map(|label| label.place)
    }

    /// The same about sources that are parts of others, for whoever parsed a part: `place` says for each
    /// source which one it is a part of, and at which byte it begins there.
    #[must_use]
    pub fn moved(mut self, place: impl Fn(SourceId) -> (SourceId, u32)) -> Self {
        let labels = self.labels.iter_mut().map(|label| &mut label.place);
        let edits = self.helps.iter_mut().flat_map(|help| &mut help.edits);
        for at in labels.chain(edits.map(|edit| &mut edit.place)) {
            let (source, offset) = place(at.source);
            at.source = source;
            at.span.start = at.span.start.saturating_add(offset);
            at.span.end = at.span.end.saturating_add(offset);
        }
        self
    }
}

/// What is to be said about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub place: Place,
    /// A few words about it.
    pub text: String,
    /// What they are about, where the place does not say that itself.
    pub told: Option<Told>,
}

/// What stands at a place, told in the notation, and which part of that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// One line.
    pub text: Arc<str>,
    /// The part.
    pub span: Span,
}

/// A help has at most so many edits. One that would have more has none: nobody reads so many, and a text
/// that needs them is not one that a person typed.
pub const MAX_EDITS: usize = 64;

/// A way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// What to do, in words.
    pub text: String,
    /// The same for a program; empty where no program could.
    pub edits: Vec<Edit>,
    /// How sure it is that the edits are what was meant.
    pub applicability: Applicability,
    /// What the edits do to a specification that could be read before them.
    pub claim: Option<Claim>,
}

impl Help {
    /// Advice without edits.
    pub fn advice(text: impl Into<String>) -> Self {
        Self::new(text, [], Applicability::Example)
    }

    /// Edits that give what was meant.
    pub fn certain(text: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        Self::new(text, edits, Applicability::Certain)
    }

    /// Edits that give one of several things that may have been meant.
    pub fn choice(text: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        Self::new(text, edits, Applicability::Choice)
    }

    /// Edits that show the form, with a number or name in it that somebody has to replace.
    pub fn example(text: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        Self::new(text, edits, Applicability::Example)
    }

    /// Edits of a specification whose words come from what they do to it.
    pub fn unsaid(applicability: Applicability, edits: impl IntoIterator<Item = Edit>) -> Self {
        Self::new("", edits, applicability)
    }

    fn new(
        text: impl Into<String>,
        edits: impl IntoIterator<Item = Edit>,
        applicability: Applicability,
    ) -> Self {
        let mut edits: Vec<_> = edits.into_iter().take(MAX_EDITS + 1).collect();
        if edits.len() > MAX_EDITS {
            edits.clear();
        }
        edits.sort_by_key(|edit| edit.place);
        let in_order = |pair: &[Edit]| {
            let [a, b] = [pair[0].place, pair[1].place];
            a.source == b.source && a.span.end <= b.span.start
        };
        debug_assert!(edits.windows(2).all(in_order), "edits overlap");
        Self { text: text.into(), edits, applicability, claim: None }
    }

    /// What `text`, the source that the edits are about, becomes by them. An edit that lies outside
    /// of it changes nothing.
    pub fn apply(&self, text: &str) -> String {
        let mut edited = text.to_owned();
        for edit in self.edits.iter().rev() {
            let range = edit.place.span.range();
            if edited.get(range.clone()).is_some() {
                edited.replace_range(range, &edit.replacement);
            }
        }
        edited
    }
}

/// How sure it is that a help's edits are what was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Applicability {
    /// They are: a program may apply them unasked.
    Certain,
    /// One of several meanings: somebody has to choose.
    Choice,
    /// The form is right; a number or a name in it stands for what only the author knows.
    Example,
}

/// Text to put in place of other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub place: Place,
    /// What stands there afterwards.
    pub replacement: String,
}

impl Edit {
    /// Replaces what is at `place`.
    pub fn replace(place: impl Into<Place>, replacement: impl Into<String>) -> Self {
        Self { place: place.into(), replacement: replacement.into() }
    }

    /// Inserts at a byte of the first source.
    pub fn insert(at: u32, text: impl Into<String>) -> Self {
        Self::replace(Span::empty(at), text)
    }

    /// Removes what is at `place`.
    pub fn remove(place: impl Into<Place>) -> Self {
        Self::replace(place, "")
    }
}

/// Why something was refused: diagnostics, at least one of them an error, with their sources. Its
/// `Display` is the full text, without colour, 80 columns wide; so is its `Debug`, which is what a program
/// shows that returns it from `main` or unwraps it.
#[derive(Clone, PartialEq, Eq)]
pub struct Report {
    /// What the diagnostics are about.
    pub sources: Sources,
    /// Errors, and what else there was to say.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            #[cfg(feature = "full")]
            f.write_str(&full(diagnostic, &self.sources, Look::PLAIN))?;
            #[cfg(not(feature = "full"))]
            f.write_str(&concise(diagnostic, &self.sources))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl Error for Report {}

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
=======
>>>>>>> main
