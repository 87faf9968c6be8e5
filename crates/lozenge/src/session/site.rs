//! Where a step is asked for.

use std::{ops::Range, panic::Location, sync::Arc};

use lozenge_diagnostic::{
    Diagnostic, Help, Label, Place, Position, Report, Source, SourceId, Sources, Span, Told,
};

use crate::number::index;

/// Where an operation was asked for, which messages point at.
///
/// Whoever has a text of their own says which part of it asks; then messages show its lines, and
/// labels and edits are spans of it. What is said about parts of an operation is pointed at where
/// these are known, and told beside the line where they are not.
///
/// ```
/// use lozenge::{Session, Site, diagnostic::Source};
///
/// let model = Source::new("model", "a = ones 2,3\nb = ones 4\nc = a plus b");
/// let mut session = Session::new();
/// let a = session.at(Site::of(&model, 0..12).saying(9..12)).data("a", "2,3")?;
/// let b = session.at(Site::of(&model, 13..23).saying(22..23)).data("b", "4")?;
/// let site = Site::of(&model, 24..36).with_operands([28..29, 35..36]);
/// let refused = session.at(site).pointwise("+", &[a, b]).unwrap_err().to_string();
/// assert!(refused.contains("\n3 | c = a plus b\n"), "{refused}");
/// # Ok::<(), lozenge::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct Site(Form);

#[derive(Clone, Debug)]
enum Form {
    /// In the Rust program that calls.
    Caller(&'static Location<'static>),
    /// At a line of a text that is not at hand.
    Line(Arc<(Arc<str>, Position)>),
    /// A part of a text.
    Text(Arc<Part>),
}

#[derive(Clone, Debug)]
struct Part {
    source: Source,
    span: Span,
    operands: Vec<Span>,
    says: Option<Span>,
    sizes: Option<Span>,
}

impl Site {
    /// The place that calls this, or calls what calls this and tracks its caller.
    #[track_caller]
    pub fn caller() -> Site {
        Site(Form::Caller(Location::caller()))
    }

    /// A line and column, both from 1, of a file or another text by its name, where the text is not
    /// at hand.
    pub fn line(name: &str, line: usize, column: usize) -> Site {
        Site(Form::Line(Arc::new((name.into(), Position { line, column }))))
    }

    /// These bytes of a text. What is not a part of it stands for all of it.
    pub fn of(source: &Source, bytes: Range<usize>) -> Site {
        let text = text_of(source);
        let span = within(text, bytes).unwrap_or_else(|| whole(text));
        let source = source.clone();
        Site(Form::Text(Arc::new(Part { source, span, operands: vec![], says: None, sizes: None })))
    }

    /// A text that is the specification or the shape and nothing else, such as an argument of a
    /// command.
    pub fn whole(source: &Source) -> Site {
        let text = 0..text_of(source).len();
        Site::of(source, text.clone()).saying(text)
    }

    /// This site with the place of each operand.
    #[must_use]
    pub fn with_operands(self, operands: impl IntoIterator<Item = Range<usize>>) -> Site {
        self.with(|part| {
            let text = text_of(&part.source);
            let spans = operands.into_iter().map(|bytes| within(text, bytes).unwrap_or(part.span));
            part.operands = spans.collect();
        })
    }

    /// This site with the place where the specification or the declared shape is written, letter
    /// for letter; for a declaration without a shape, the place of its name, if a shape may follow
    /// it after a colon. Edits are made there.
    #[must_use]
    pub fn saying(self, bytes: Range<usize>) -> Site {
        self.with(|part| part.says = within(text_of(&part.source), bytes))
    }

    /// This site with the place where names of the specification get sizes.
    #[must_use]
    pub fn with_sizes(self, bytes: Range<usize>) -> Site {
        self.with(|part| part.sizes = within(text_of(&part.source), bytes))
    }

    fn with(self, add: impl FnOnce(&mut Part)) -> Site {
        match self.0 {
            Form::Text(mut part) => {
                add(Arc::make_mut(&mut part));
                Site(Form::Text(part))
            }
            other => Site(other),
        }
    }

    /// What was said of texts that were given here, or at places that this one asked, with this
    /// place.
    #[must_use]
    pub fn blame(&self, rejection: Report) -> Report {
        let Report { mut sources, mut diagnostics } = rejection;
        let mut own = OwnPlaces::new();
        if sources.get(SourceId::FIRST).is_none() {
            // There is nothing to point at but the place itself.
            let place = own.whole(self);
            for said in &mut diagnostics {
                said.labels.push(Label { place, text: String::new(), told: None });
            }
            return own.rejection(diagnostics);
        }
        for label in diagnostics.iter_mut().flat_map(|said| &mut said.labels) {
            if let Some(told) = label.told.take() {
                let source = sources.push(Source::new("", told.text));
                label.place = Place { source, span: told.span };
            }
        }
        let line = |source: &Source| {
            let text: Arc<str> = text_of(source).into();
            Line { says: whole(&text), operands: vec![], sizes: None, text }
        };
        let lines: Vec<Line> = sources.iter().map(line).collect();
        for said in &mut diagnostics {
            own.point(said, |source| Some((self, lines.get(source.0 as usize)?)));
        }
        own.rejection(diagnostics)
    }

    /// Whether it is a text by itself.
    pub(crate) fn is_text(&self) -> bool {
        matches!(&self.0, Form::Text(part) if part.says == Some(part.span)
            && part.span == whole(text_of(&part.source)))
    }
}

/// The text of a source. A source whose text is not at hand is pointed at as a whole, as an empty
/// one is.
fn text_of(source: &Source) -> &str {
    source.text().unwrap_or("")
}

/// The bytes as a span, if they are a part of the text.
fn within(text: &str, bytes: Range<usize>) -> Option<Span> {
    text.get(bytes.clone())?;
    Some(Span::new(u32::try_from(bytes.start).ok()?, u32::try_from(bytes.end).ok()?))
}

fn whole(text: &str) -> Span {
    Span::new(0, index(text.len()))
}

/// A step told in the notation, and its parts there.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: Arc<str>,
    /// Where the specification or the declared shape is.
    pub(crate) says: Span,
    pub(crate) operands: Vec<Span>,
    /// Where sizes are given to names of the specification.
    pub(crate) sizes: Option<Span>,
}

/// Places of the caller's texts, for what was said of steps as they are told.
#[derive(Debug)]
pub(crate) struct OwnPlaces {
    pub(crate) sources: Sources,
}

impl OwnPlaces {
    pub(crate) fn new() -> OwnPlaces {
        OwnPlaces { sources: Sources::new() }
    }

    fn rejection(self, diagnostics: Vec<Diagnostic>) -> Report {
        Report { sources: self.sources, diagnostics }
    }

    fn source(&mut self, source: Source) -> SourceId {
        let known = self.sources.iter().position(|known| known.is(&source));
        match known {
            Some(known) => SourceId(index(known)),
            None => self.sources.push(source),
        }
    }

    /// All of a site.
    fn whole(&mut self, site: &Site) -> Place {
        let (source, span) = match &site.0 {
            Form::Caller(at) => {
                let position = Position { line: at.line() as usize, column: at.column() as usize };
                (Source::unseen(at.file(), position), Span::empty(0))
            }
            Form::Line(at) => (Source::unseen(Arc::clone(&at.0), at.1), Span::empty(0)),
            Form::Text(part) => (part.source.clone(), part.span),
        };
        Place { source: self.source(source), span }
    }

    /// Where a part of a told line stands; with what is told, if it stands nowhere by itself.
    fn place(&mut self, site: &Site, line: &Line, span: Span) -> (Place, Option<Told>) {
        let own = match &site.0 {
            Form::Text(part) => part.of(line, span),
            Form::Caller(_) | Form::Line(_) => None,
        };
        let place = self.whole(site);
        match own {
            Some(span) => (Place { span, ..place }, None),
            None if line.text.is_empty() => (place, None),
            None => (place, Some(Told { text: Arc::clone(&line.text), span })),
        }
    }

    /// Points with labels and edits at what the caller wrote. Edits of what nobody wrote become
    /// words.
    pub(crate) fn point<'a>(
        &mut self,
        said: &mut Diagnostic,
        told: impl Fn(SourceId) -> Option<(&'a Site, &'a Line)>,
    ) {
        for label in &mut said.labels {
            if let Some((site, line)) = told(label.place.source) {
                (label.place, label.told) = self.place(site, line, label.place.span);
            }
        }
        for help in &mut said.helps {
            let Some(source) = help.edits.first().map(|edit| edit.place.source) else { continue };
            let Some((site, line)) = told(source) else { continue };
            let places = help.edits.iter().map(|edit| self.place(site, line, edit.place.span));
            let places: Vec<(Place, Option<Told>)> = places.collect();
            if places.iter().all(|(_, told)| told.is_none()) {
                for (edit, (place, _)) in help.edits.iter_mut().zip(places) {
                    edit.place = place;
                }
            } else {
                *help = in_words(help, &line.text);
            }
        }
    }
}

/// A help whose edits nobody can make, with what they would give.
fn in_words(help: &Help, told: &str) -> Help {
    Help::advice(format!("{}: `{}`", help.text, help.apply(told)))
}

impl Part {
    /// Where a part of a told line is written.
    fn of(&self, line: &Line, span: Span) -> Option<Span> {
        let text = self.source.text()?;
        let says = self.says.filter(|says| says.of(text) == line.says.of(&line.text));
        if let Some(says) =
            says.filter(|_| span.start >= line.says.start && span.end <= line.says.end)
        {
            let moved = |at: u32| at - line.says.start + says.start;
            return Some(Span::new(moved(span.start), moved(span.end)));
        }
        if span == whole(&line.text) {
            return Some(self.span);
        }
        if Some(span) == line.sizes {
            return self.sizes;
        }
        let operand = line.operands.iter().position(|operand| *operand == span)?;
        self.operands.get(operand).copied()
    }
}
