//! Parsing: from a text to a tree and diagnostics, both always.
//!
//! A pure function, linear in the text. It never stops at a mistake: what could not be read is left
//! out of the tree, and reading goes on at the next entry. What is said about a mistake is said in
//! [`mistake`](crate::mistake).

mod affine;
mod entry;
mod foreign;
mod names;
mod slot;

pub(crate) use affine::{OffsetSpans, form as affine_form};
pub(crate) use entry::SpecEntries;
pub(crate) use names::Names;
pub(crate) use slot::{Entries, slot};

use crate::{
    MAX_LEN,
    mend::keep_mending,
    mistake,
    scan::Scan,
    token::{Bad, Lexer, Reading, Token, is_word, number},
    tree::{Slot, Spec, Style},
};
use lozenge_diagnostic::{Applicability, Code, Diagnostic, Report, Sources, Span};

/// Whose notation a text is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Ours.
    #[default]
    Lozenge,
    /// That of NumPy's `einsum`, and of einops: commas between operands, `->` before the result, no
    /// kinds. A number outside of parentheses is an axis of that size there, `(3)` here; so is `()`, of
    /// size 1.
    Numpy,
}

/// A tree and what is to be said about it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What could be read. Where there are errors, what could not be read is not in it.
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

/// Reads a specification in the notation that `dialect` says. Spans are those of `text`; where NumPy's
/// result is implicit, those of the text that says it, [`Spec::text`]. Printing the tree gives Lozenge's
/// notation whatever it was read from.
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
        // What makes words of letters, or letters of words, mends nothing; but how a text without `=>` is
        // meant to be read is not known yet.
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

/// The same, with helps that have not been tried.
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
        crate::check::result_of_numpy(&spec, &mut diagnostics);
        put_in_order(&mut diagnostics);
    }
    Parsed { spec, diagnostics }
}

/// The refusal of a text that is longer than is read.
pub(crate) fn too_long(text: &str) -> Option<Diagnostic> {
    (text.len() > MAX_LEN).then(|| mistake::too_long(text))
}

/// Reads a text whose scan is known; the slots of the tree are at least one operand and a result.
fn read(text: &str, dialect: Dialect, scan: Scan) -> (Spec, Vec<Diagnostic>) {
    let (reading, style) = match dialect {
        Dialect::Lozenge if scan.comma() => (Reading::Words, Style::Commas),
        Dialect::Lozenge | Dialect::Numpy if scan.blank() => (Reading::Words, Style::Blanks),
        Dialect::Lozenge if scan.operator() => (Reading::Words, Style::Commas),
        Dialect::Numpy if scan.wordy() => (Reading::Words, Style::Blanks),
        Dialect::Lozenge | Dialect::Numpy => (Reading::Letters, Style::Letters),
    };
    let mut p = Parser::new(text, reading, dialect);
    if dialect == Dialect::Numpy {
        if let Some(ours) = foreign::only_ours(text, reading) {
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
    crate::check::names(&spec, scan, &mut diagnostics);
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

/// Whether nothing is an error.
pub(crate) fn is_read(diagnostics: &[Diagnostic]) -> bool {
    !diagnostics.iter().any(Diagnostic::is_error)
}

/// Puts diagnostics in the order of their places, and leaves out what is more than enough.
pub(crate) fn put_in_order(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(Diagnostic::place);
    diagnostics.truncate(MAX_DIAGNOSTICS);
}

/// So many diagnostics are given for one text at most.
pub(crate) const MAX_DIAGNOSTICS: usize = 20;

/// A position in a text, the names met so far, and the mistakes.
pub(crate) struct Parser<'t> {
    pub(crate) text: &'t str,
    pub(crate) dialect: Dialect,
    pub(crate) reading: Reading,
    lexer: Lexer<'t>,
    /// The token here, and where it is.
    pub(crate) token: Token,
    pub(crate) span: Span,
    /// Where the token before it is.
    pub(crate) last: Span,
    pub(crate) names: Names<'t>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How many mistakes there were, also those beyond what is said.
    pub(crate) mistakes: usize,
    /// Which kinds of characters that stand for others have been spoken of.
    spoken: u32,
    /// The last character that the notation does not have.
    unexpected: &'t str,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, reading: Reading, dialect: Dialect) -> Self {
        let mut lexer = Lexer::new(text, reading);
        let (token, span) = lexer.next();
        Self {
            text,
            dialect,
            reading,
            lexer,
            token,
            span,
            last: Span::default(),
            names: Names::new(text),
            diagnostics: vec![],
            mistakes: 0,
            spoken: 0,
            unexpected: "",
        }
    }

    pub(crate) fn advance(&mut self) {
        self.last = self.span;
        (self.token, self.span) = self.lexer.next();
    }

    /// The number that is written at `span`, a token that is one.
    pub(crate) fn number(&self, span: Span) -> u64 {
        number(&self.text.as_bytes()[span.range()]).unwrap_or(0)
    }

    /// Whether this token ends a row, and where operands are separated by commas, an operand.
    pub(crate) fn at_row_end(&self) -> bool {
        match self.token {
            Token::Pipe | Token::Arrow | Token::Semicolon | Token::FatArrow | Token::End => true,
            Token::Comma => self.dialect == Dialect::Numpy,
            _ => false,
        }
    }

    /// Whether the token here touches the one before it.
    pub(crate) fn is_joined(&self) -> bool {
        self.last.end == self.span.start
    }

    /// Adds a mistake, unless there are enough.
    #[cold]
    pub(crate) fn report(&mut self, mistake: impl FnOnce(&str) -> Diagnostic) {
        self.mistakes += 1;
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(mistake(self.text));
        }
    }

    /// Reports the token here, which is none, and goes past it.
    #[cold]
    pub(crate) fn bad(&mut self, bad: Bad) {
        let span = self.span;
        let reading = self.reading;
        self.advance();
        match bad {
            Bad::Character => {
                let written = span.of(self.text);
                if std::mem::replace(&mut self.unexpected, written) == written {
                    return;
                }
                let kind = mistake::stand_in(self.text, span).map_or(0, |kind| 1u32 << kind);
                let is_it = |said: &Diagnostic| {
                    let at = said.place().map(|place| place.span.of(self.text));
                    said.code == Code::UnexpectedCharacter && at == Some(written)
                };
                // Once for each character, and for each kind of them.
                if self.spoken & kind == 0 && !self.diagnostics.iter().any(is_it) {
                    self.report(|text| mistake::unexpected_character(text, span, reading));
                }
                self.spoken |= kind;
            }
            Bad::Number => self.report(|text| mistake::number_too_large(text, span)),
            Bad::Joined => self.report(|text| mistake::joined_number(text, span, reading)),
            Bad::Underscore => self.report(|text| mistake::underscore_name(text, span)),
            Bad::At => self.report(|text| mistake::at_without_name(text, span)),
            Bad::Basis => self.report(|text| mistake::missing_basis(text, span)),
            Bad::StrayBasis => self.report(|text| mistake::stray_basis(text, span)),
            Bad::SpacedRow => self.report(|text| mistake::spaced_ellipsis(text, span)),
            Bad::Dots => self.report(|text| mistake::dots_inside(text, span)),
            Bad::Minus => {
                let number = self.token == Token::Number && self.is_joined();
                let whole = if number { span.to(self.span) } else { span };
                if number {
                    self.advance();
                }
                let before = &self.text[..span.start as usize];
                let behind = before.ends_with(is_word);
                self.report(|text| mistake::negative_number(text, whole, reading, behind));
            }
        }
    }

    /// Whether a marker of a border is here, or what belongs behind one.
    pub(crate) fn at_border(&self) -> bool {
        use Token::{Equals, Greater, Less, Margins, Tilde};
        matches!(self.token, Less | Tilde | Greater | Equals | Margins)
    }

    /// Whether an operator of axes is here.
    pub(crate) fn at_operator(&self) -> bool {
        use Token::{Ampersand, Caret, Minus, Plus, Slash, Star};
        matches!(self.token, Plus | Minus | Star | Slash | Caret | Ampersand) || self.at_border()
    }

    /// Goes on behind the rest of an entry that could not be read: what operators or parentheses tie
    /// to it, and what touches it.
    #[cold]
    pub(crate) fn skip_entry(&mut self) {
        let before = self.text.as_bytes().get((self.last.end as usize).wrapping_sub(1));
        let mut tied = before.is_some_and(|byte| b"+*^&<~>=".contains(byte));
        let mut depth = 0u32;
        while !self.at_row_end() {
            let goes_on = tied || self.at_operator() || self.is_joined();
            if depth == 0 && (self.token == Token::Comma || !goes_on) {
                break;
            }
            match self.token {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            tied = self.at_operator();
            self.advance();
        }
    }
}
