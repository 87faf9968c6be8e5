//! A diagnostic: a headline, labels on places, notes, and helps with edits.

use std::sync::Arc;

use super::{
    claim::Claim,
    code::{Code, Severity},
    source::{Place, SourceId, Span},
};

/// A diagnostic: one mistake, warning or note about sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of mistake, warning or note.
    pub code: Code,
    /// The headline: one line that can stand alone.
    pub headline: String,
    /// The places, with what is to be said about each; the first is the place it is about.
    pub labels: Vec<Label>,
    /// The notes: why.
    pub notes: Vec<String>,
    /// The helps: what to change.
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

    /// The severity of its code.
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

    /// The diagnostic with its places counted in larger sources, for whoever parsed a part of one: `place` says for
    /// each source which one it is a part of, and at which byte it begins there. What would lie past the bytes that
    /// 32 bits can count lies at the end.
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

/// A label: what is to be said about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub place: Place,
    /// A few words about it.
    pub text: String,
    /// The notation that the label is about, where the place does not show it itself.
    pub told: Option<Told>,
}

/// A line of notation that tells what stands at a place, and the part of it that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The line of notation.
    pub text: Arc<str>,
    /// The part of the line that is meant.
    pub span: Span,
}

/// The most edits of a help. A help that would have more has none: nobody reads that many, and a text
/// that needs them is not one that a person typed.
pub const MAX_EDITS: usize = 64;

/// A help: a way to mend what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// The advice, in words.
    pub text: String,
    /// The edits that do it, for a program to apply; empty where no program could.
    pub edits: Vec<Edit>,
    /// How sure it is that the edits are what was meant.
    pub applicability: Applicability,
    /// The change that the edits make to a specification that could be read before them.
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

    /// The text that `text`, the source of the edits, becomes by them. An edit that lies outside
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

/// An edit: text to put in place of other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The place of the text that is replaced.
    pub place: Place,
    /// The text that stands there afterwards.
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
