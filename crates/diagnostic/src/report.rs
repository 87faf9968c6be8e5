//! What an error is made of: diagnostics with their sources.

use std::{error::Error, fmt};

#[cfg(not(feature = "full"))]
use super::concise;
#[cfg(feature = "full")]
use super::full::{Look, full};
use super::{Diagnostic, Sources};

/// Why something was refused: diagnostics, at least one of them an error, with their sources. Its
/// `Display` is the full text, without colour, 80 columns wide; so is its `Debug`, which is what a
/// program shows that returns it from `main` or unwraps it.
#[derive(Clone, PartialEq, Eq)]
pub struct Report {
    /// The sources that the places of the diagnostics are in.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Help,
        code::Code,
        concise::concise,
        diagnostic::Edit,
        source::{Sources, Span},
    };

    #[test]
    fn a_place_that_cannot_be_counted_is_at_the_end() {
        let said = Diagnostic::new(Code::SizeMismatch, "two sizes").label(Span::new(1, 2), "one");
        let moved = said.moved(|source| (source, u32::MAX));
        let place = moved.place().unwrap();
        assert_eq!((place.span.start, place.span.end), (u32::MAX, u32::MAX));
        let sources = Sources::new().with("text", "a\nbc");
        let position = sources.get(place.source).unwrap().position(place.span.start);
        assert_eq!((position.line, position.column), (2, 3));
        assert_eq!(place.span.of("a\nbc"), "");
        let edited = moved.help(Help::certain("x", [Edit::replace(place, "x")]));
        assert_eq!(edited.helps[0].apply("a\nbc"), "a\nbc");
        let line = concise(&edited, &sources);
        assert_eq!(line, "text:2:3: error[size-mismatch]: two sizes");
        let report = Report { sources, diagnostics: vec![edited] };
        assert!(report.to_string().contains("two sizes"));
    }
}
