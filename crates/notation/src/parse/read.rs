//! Reading a specification once, as it stands.

use super::{
    entry::SpecEntries,
    parser::{Dialect, Parser, put_in_order},
    slot::slot,
};
use crate::{
    check, mistake,
    scan::Scan,
    token::{Lexer, Reading, Token},
    tree::{Slot, Spec, Style},
};
use lozenge_diagnostic::{Diagnostic, Report, Sources, Span};

/// A tree and what is to be said about it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree of what could be read. Where there are errors, what could not be read is not in it.
    pub spec: Spec,
    /// Errors and warnings, in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The specification, where nothing is an error. It keeps its [warnings](Spec::warnings).
    ///
    /// # Errors
    /// All diagnostics, where one is an error.
    pub fn ok(self) -> Result<Spec, Report> {
        let Parsed { mut spec, diagnostics } = self;
        if diagnostics.is_empty() {
            return Ok(spec);
        }
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Report { sources: spec.sources(), diagnostics });
        }
        spec.warnings = diagnostics;
        Ok(spec)
    }
}

/// The rejection that these diagnostics of one text are, if one of them is an error.
pub(crate) fn reject(diagnostics: Vec<Diagnostic>, name: &str, text: &str) -> Option<Report> {
    let rejected = diagnostics.iter().any(Diagnostic::is_error);
    rejected.then(|| Report { sources: Sources::new().with(name, text), diagnostics })
}

/// Reads a text whose scan is known; the slots of the tree are at least one operand and a result.
pub(super) fn read(text: &str, dialect: Dialect, scan: Scan) -> (Spec, Vec<Diagnostic>) {
    let (reading, style) = match dialect {
        Dialect::Lozenge if scan.comma() => (Reading::Words, Style::Commas),
        Dialect::Lozenge | Dialect::Numpy if scan.blank() => (Reading::Words, Style::Blanks),
        Dialect::Lozenge if scan.operator() => (Reading::Words, Style::Commas),
        Dialect::Numpy if scan.wordy() => (Reading::Words, Style::Blanks),
        Dialect::Lozenge | Dialect::Numpy => (Reading::Letters, Style::Letters),
    };
    let mut p = Parser::new(text, reading, dialect);
    if dialect == Dialect::Numpy {
        if let Some(ours) = only_ours(text, reading) {
            p.report(|text| mistake::not_numpy(text, ours));
        }
    }
    let mut entries = SpecEntries::new(text.len());
    let slots = slots(&mut p, &mut entries);
    let SpecEntries { axes, parts, affines } = entries;
    let names = p.names.table;
    let (text, is_numpy) = (text.into(), dialect == Dialect::Numpy);
    let warnings = vec![];
    let spec = Spec { text, style, is_numpy, slots, axes, parts, affines, names, warnings };
    let mut diagnostics = p.diagnostics;
    check::names(&spec, scan, &mut diagnostics);
    put_in_order(&mut diagnostics);
    (spec, diagnostics)
}

/// The operands and the result.
fn slots(p: &mut Parser<'_>, entries: &mut SpecEntries) -> Vec<Slot> {
    let mut slots = Vec::with_capacity(4);
    loop {
        slots.push(slot(p, entries));
        match p.token {
            Token::Comma | Token::Semicolon => p.advance(),
            _ => break,
        }
    }
    let arrow = p.span;
    let is_arrow = matches!(p.token, Token::FatArrow | Token::Arrow);
    if is_arrow {
        p.advance();
        slots.push(slot(p, entries));
    } else {
        slots.push(Slot { span: p.span.before(), rows: Default::default() });
        if p.dialect == Dialect::Numpy {
            p.report(|text| mistake::missing_result(text, None));
        }
    }
    if p.token != Token::End {
        let more = p.span;
        p.report(|text| mistake::second_result(text, is_arrow.then_some(arrow), more));
        // What comes now has its own mistakes; its axes belong to nothing.
        while p.token != Token::End {
            p.advance();
            slot(p, entries);
        }
    }
    slots
}

/// The tokens that other notations do not have.
const ONLY_OURS: [Token; 14] = [
    Token::FatArrow,
    Token::Pipe,
    Token::Semicolon,
    Token::Plus,
    Token::Star,
    Token::Caret,
    Token::Less,
    Token::Tilde,
    Token::Greater,
    Token::Margins,
    Token::Equals,
    Token::Ampersand,
    Token::At,
    Token::RowName,
];

/// The first token that only our notation has.
pub(super) fn only_ours(text: &str, reading: Reading) -> Option<Span> {
    let mut tokens = Lexer::new(text, reading).tokens();
    tokens.find(|(token, _)| ONLY_OURS.contains(token)).map(|(_, span)| span)
}
