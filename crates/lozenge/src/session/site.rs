//! Where a step is asked for.

use std::{panic::Location, sync::Arc};

use lozenge_spec::diagnostic::{Label, Place, Position, Rejection, Source, SourceId, Span};

/// Where an operation was asked for, which messages name.
#[derive(Clone, Debug)]
pub struct Site(Form);

#[derive(Clone, Debug)]
enum Form {
    /// In the Rust program that calls.
    Caller(&'static Location<'static>),
    /// In a text of this name: at this line, or, where there is none, all of it.
    Text(Arc<(Box<str>, Option<Position>)>),
}

impl Site {
    /// The place that calls this, or calls what calls this and tracks its caller.
    #[track_caller]
    pub fn caller() -> Site {
        Site(Form::Caller(Location::caller()))
    }

    /// A line and column, both from 1, of a file or another text by its name.
    pub fn line(name: &str, line: usize, column: usize) -> Site {
        Site(Form::Text(Arc::new((name.into(), Some(Position { line, column })))))
    }

    /// A text that is the specification or the shape and nothing else, such as an argument of a command, by
    /// its name.
    pub fn text(name: &str) -> Site {
        Site(Form::Text(Arc::new((name.into(), None))))
    }

    /// What was said of a text that was given here, with this place.
    #[must_use]
    pub fn blame(&self, mut rejection: Rejection) -> Rejection {
        let (name, stands_at) = self.place();
        // A text has a name already.
        if let Some(source) = rejection.sources.get_mut(SourceId::FIRST) {
            (source.name, source.stands_at) = (name, stands_at);
            return rejection;
        }
        // There is nothing to point at but the place itself.
        let text = "(here)".to_owned();
        let source = rejection.sources.push(Source { name, text, stands_at });
        let place = Place { source, span: Span::new(0, 6) };
        for said in &mut rejection.diagnostics {
            said.labels.push(Label { place, text: String::new() });
        }
        rejection
    }

    /// Whether it is a text by itself.
    pub(crate) fn is_text(&self) -> bool {
        matches!(&self.0, Form::Text(text) if text.1.is_none())
    }

    /// The name of the source, and where what is said about it stands in that.
    pub(crate) fn place(&self) -> (String, Option<Position>) {
        match &self.0 {
            Form::Text(text) => (text.0.to_string(), text.1),
            Form::Caller(place) => {
                let (line, column) = (place.line() as usize, place.column() as usize);
                (place.file().to_owned(), Some(Position { line, column }))
            }
        }
    }

    /// A source for a text that tells what is done here.
    pub(crate) fn source(&self, text: String) -> Source {
        let (name, stands_at) = self.place();
        Source { name, text, stands_at }
    }
}
