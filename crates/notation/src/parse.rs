//! Parsing: from a text to a tree and diagnostics, both always.
//!
//! A pure function, linear in the text. It never stops at a mistake: what could not be read is left
//! out of the tree, and reading goes on at the next entry. What is said about a mistake is said in
//! [`mistake`](crate::mistake).

mod affine;
mod entry;
mod foreign;
mod names;
mod parser;
mod read;
mod slot;

pub(crate) use affine::form as affine_form;
pub use parser::Dialect;
pub(crate) use parser::{MAX_DIAGNOSTICS, Parser, is_read, put_in_order, too_long};
pub use read::Parsed;
pub(crate) use read::reject;
pub(crate) use slot::{Entries, slot};

use crate::{
    check,
    mend::keep_mending,
    scan::Scan,
    tree::{Spec, Style},
};
use lozenge_diagnostic::{Applicability, Code, Diagnostic, Report};

use self::read::read;

/// Reads a specification in Lozenge's notation.
///
/// ```
/// use lozenge_diagnostic::Code;
/// use lozenge_notation::parse;
/// let parsed = parse("b|h->o; b|i->h => b|i->o");
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.spec.operands().len(), 2);
/// assert_eq!(parse("o+k; k => o").diagnostics[0].code, Code::MissingMarker);
/// ```
pub fn parse(text: &str) -> Parsed {
    parse_as(text, Dialect::Lozenge)
}

/// Reads a specification in the notation that `dialect` says. Spans are those of `text`; where
/// NumPy's result is implicit, those of the text that says it, [`Spec::text`]. Printing the tree
/// gives Lozenge's notation whatever it was read from.
///
/// ```
/// use lozenge_notation::{Dialect, parse_as};
/// let parsed = parse_as("b (h 2) w -> b h w 1", Dialect::Numpy);
/// assert_eq!(parsed.spec.to_string(), "b (h 2) w => b h w (1)");
/// ```
pub fn parse_as(text: &str, dialect: Dialect) -> Parsed {
    let mut parsed = attempt(text, dialect);
    if parsed.diagnostics.is_empty() {
        return parsed;
    }
    let before = parsed.diagnostics.clone();
    keep_mending(&mut parsed.diagnostics, text, |edited| {
        let after = attempt(edited, dialect);
        // What makes words of letters, or letters of words, mends nothing; but how a text without
        // `=>` is meant to be read is not known yet.
        let flips =
            is_in_letters(&parsed.spec) != is_in_letters(&after.spec) && text.contains("=>");
        let has_words = |spec: &Spec| !is_in_letters(spec) && spec.has_words();
        if flips && (has_words(&parsed.spec) || has_words(&after.spec)) {
            return before.clone();
        }
        after.diagnostics
    });
    if dialect == Dialect::Numpy {
        // What can only be guessed is guessed in our notation.
        let is_ours = |said: &&mut Diagnostic| said.code != Code::NumpyResult;
        for said in parsed.diagnostics.iter_mut().filter(is_ours) {
            said.helps.retain(|help| {
                help.edits.is_empty() || help.applicability == Applicability::Certain
            });
        }
    }
    parsed
}

fn is_in_letters(spec: &Spec) -> bool {
    spec.style == Style::Letters
}

/// Reads a specification; the helps of its diagnostics have not been tried.
pub(crate) fn attempt(text: &str, dialect: Dialect) -> Parsed {
    if let Some(too_long) = too_long(text) {
        let (spec, _) = read("", Dialect::Lozenge, Scan::default());
        return Parsed { spec, diagnostics: vec![too_long] };
    }
    let scan = Scan::of(text);
    if dialect == Dialect::Lozenge && !scan.fat_arrow() {
        return foreign::without_result(text, scan);
    }
    if dialect == Dialect::Numpy {
        if let Some(parsed) = foreign::with_implicit_result(text, scan) {
            return parsed;
        }
    }
    let (spec, mut diagnostics) = read(text, dialect, scan);
    if dialect == Dialect::Numpy && is_in_letters(&spec) {
        check::result_of_numpy(&spec, &mut diagnostics);
        put_in_order(&mut diagnostics);
    }
    Parsed { spec, diagnostics }
}

/// Reads a specification in Lozenge's notation. It keeps its [warnings](Spec::warnings).
impl std::str::FromStr for Spec {
    type Err = Report;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok()
    }
}
