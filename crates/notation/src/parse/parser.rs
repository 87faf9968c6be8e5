//! A position in a text: the token there, the names met so far, and the mistakes.

use super::names::Names;
use crate::{
    mistake,
    token::{Bad, Lexer, MAX_LEN, Reading, Token, is_word, number},
    tree::{Label, Use},
};
use lozenge_diagnostic::{Code, Diagnostic, Span};

/// The notation that a text is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// Ours.
    #[default]
    Lozenge,
    /// That of NumPy's `einsum`, and of einops: commas between operands, `->` before the result, no
    /// kinds. A number outside of parentheses is an axis of that size there, `(3)` here; so is
    /// `()`, of size 1.
    Numpy,
}

/// The refusal of a text that is longer than is read.
pub(crate) fn too_long(text: &str) -> Option<Diagnostic> {
    (text.len() > MAX_LEN).then(|| mistake::too_long(text))
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

/// The most diagnostics that are given for one text.
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
        number(&self.text.as_bytes()[span.range()]).expect("a number that does not fit is no token")
    }

    /// The label that a name or `_` stands for.
    pub(super) fn label(&mut self, token: Token, span: Span) -> Label {
        match token {
            Token::Underscore => Label::Fresh,
            _ => Label::Named(self.names.intern(span, Use::Axis)),
        }
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

    /// Whether a marker of a border is here, or what belongs after one.
    pub(crate) fn at_border(&self) -> bool {
        use Token::{Equals, Greater, Less, Margins, Tilde};
        matches!(self.token, Less | Tilde | Greater | Equals | Margins)
    }

    /// Whether an operator of axes is here.
    pub(crate) fn at_operator(&self) -> bool {
        use Token::{Ampersand, Caret, Minus, Plus, Slash, Star};
        matches!(self.token, Plus | Minus | Star | Slash | Caret | Ampersand) || self.at_border()
    }

    /// Goes past the rest of an entry that could not be read: what operators or parentheses tie
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
