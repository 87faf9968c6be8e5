//! Entries of a specification: axes in all their forms.

use super::{
    affine,
    parser::{Dialect, Parser},
    slot::Entries,
};
use crate::{
    mistake,
    token::{Token, place},
    tree::{Affine, Axis, Form, Label, Part, PartForm, Parts, Use},
};
use lozenge_diagnostic::Span;

/// The axes of a specification, and what they have parts in.
pub(crate) struct SpecEntries {
    pub(crate) axes: Vec<Axis>,
    pub(crate) parts: Vec<Part>,
    pub(crate) affines: Vec<Affine>,
}

impl SpecEntries {
    /// Room for the axes of a text of this length.
    pub(crate) fn new(length: usize) -> Self {
        let axes = Vec::with_capacity(length.min(24));
        Self { axes, parts: vec![], affines: vec![] }
    }

    fn push(&mut self, span: Span, form: Form) {
        self.axes.push(Axis { span, form });
    }

    /// The parts from `start` on.
    fn parts_from(&self, start: u32) -> Parts {
        Parts { start, end: place(self.parts.len()) }
    }
}

impl Entries for SpecEntries {
    fn len(&self) -> u32 {
        place(self.axes.len())
    }

    fn entry(&mut self, p: &mut Parser<'_>) {
        let span = p.span;
        match p.token {
            Token::Name => {
                p.advance();
                if p.at_operator() {
                    return self.terms(p, Token::Name, span);
                }
                let name = p.names.intern(span, Use::Axis);
                self.push(span, Form::Axis(Label::Named(name)));
            }
            token @ (Token::Number | Token::Underscore) => {
                p.advance();
                self.terms(p, token, span);
            }
            Token::Open => self.merged(p),
            Token::At => {
                let name = Span::new(span.start + 1, span.end);
                let index = p.names.intern(name, Use::Index);
                p.advance();
                if p.at_operator() {
                    return nested(p, span);
                }
                self.push(span, Form::Runtime(index));
            }
            Token::Close => {
                p.advance();
                p.report(|text| mistake::stray_parenthesis(text, span));
            }
            Token::Bad(bad) => {
                p.bad(bad);
                // What hangs on it by an operator goes with it.
                if p.at_operator() {
                    p.skip_entry();
                }
            }
            // Operators: the rest are ends of rows, commas and ellipses, which rows take.
            _ => {
                p.advance();
                p.report(|text| mistake::nothing_before(text, span));
                if !matches!(p.token, Token::Name | Token::Number) {
                    p.skip_entry();
                }
            }
        }
    }
}

impl SpecEntries {
    /// An entry that begins with a name, a number or `_`, which has been read.
    fn terms(&mut self, p: &mut Parser<'_>, token: Token, span: Span) {
        match p.token {
            Token::Caret => self.concat(p, token, span),
            Token::Ampersand => ampersand(p, span),
            _ if matches!(p.token, Token::Plus | Token::Star) || p.at_border() => {
                if let Some((span, form)) = affine::axis(p, token, span, &mut self.affines) {
                    self.push(span, form);
                }
            }
            _ => {
                let form = match token {
                    Token::Number if p.dialect == Dialect::Numpy => {
                        let start = place(self.parts.len());
                        self.size(p, span);
                        let parts = self.parts_from(start);
                        if parts.start == parts.end {
                            return;
                        }
                        Form::Merged(parts)
                    }
                    Token::Number => Form::Fixed(p.number(span)),
                    _ => Form::Axis(p.label(token, span)),
                };
                self.push(span, form);
            }
        }
    }

    /// Reads a concatenation such as `a^b^3` whose first part has been read.
    fn concat(&mut self, p: &mut Parser<'_>, token: Token, span: Span) {
        let start = place(self.parts.len());
        let mistakes = p.mistakes;
        self.part(p, token, span);
        let mut end = span;
        while p.token == Token::Caret {
            let caret = p.span;
            p.advance();
            end = p.span;
            match p.token {
                token @ (Token::Name | Token::Number | Token::Underscore) => {
                    p.advance();
                    self.part(p, token, end);
                }
                Token::Open | Token::At | Token::Ellipsis | Token::RowName => {
                    return nested(p, span);
                }
                Token::Bad(bad) => p.bad(bad),
                _ => {
                    end = caret;
                    p.report(|text| mistake::nothing_after(text, caret));
                }
            }
        }
        if p.at_operator() {
            return nested(p, span);
        }
        let whole = span.to(end);
        let sizes = |part: &Part| matches!(part.form, PartForm::Size(_));
        if p.mistakes == mistakes && self.parts[start as usize..].iter().all(sizes) {
            p.report(|text| mistake::unnamed_concat(text, whole, end));
        }
        // With a part that could not be read it is not known which it is.
        if p.mistakes == mistakes {
            self.push(whole, Form::Concat(self.parts_from(start)));
        }
    }

    fn part(&mut self, p: &mut Parser<'_>, token: Token, span: Span) {
        match token {
            Token::Number => self.size(p, span),
            Token::Underscore => p.report(|text| mistake::fresh_in_concat(text, span)),
            _ => {
                let form = PartForm::Axis(p.label(token, span));
                self.parts.push(Part { span, form });
            }
        }
    }

    fn size(&mut self, p: &mut Parser<'_>, span: Span) {
        match p.number(span) {
            0 => p.report(|text| mistake::zero_part(text, span)),
            size => self.parts.push(Part { span, form: PartForm::Size(size) }),
        }
    }

    /// `(h w)`.
    fn merged(&mut self, p: &mut Parser<'_>) {
        let open = p.span;
        let start = place(self.parts.len());
        p.advance();
        let mut depth = 1u32;
        let mut is_empty = true;
        let mut end = open;
        while depth > 0 {
            let span = p.span;
            match p.token {
                Token::Close => {
                    depth -= 1;
                    p.advance();
                }
                Token::Open => {
                    depth += 1;
                    p.report(|text| mistake::nested_group(text, open, span));
                    p.advance();
                }
                Token::Comma if p.dialect == Dialect::Lozenge => p.advance(),
                Token::Number => {
                    p.advance();
                    self.size(p, span);
                }
                token @ (Token::Name | Token::Underscore) => {
                    p.advance();
                    let form = PartForm::Axis(p.label(token, span));
                    self.parts.push(Part { span, form });
                }
                Token::Bad(bad) => {
                    is_empty = false;
                    p.bad(bad);
                }
                _ if p.at_row_end() => {
                    p.report(|text| mistake::unclosed_parenthesis(text, open, end));
                    break;
                }
                _ => {
                    is_empty = false;
                    p.advance();
                    p.report(|text| mistake::in_group(text, open, span));
                }
            }
            end = p.last;
        }
        if p.at_operator() {
            return nested(p, open.to(end));
        }
        let whole = open.to(end);
        let parts = self.parts_from(start);
        let form = match self.parts[start as usize..] {
            [] if p.dialect == Dialect::Numpy && is_empty && depth == 0 => {
                self.parts.push(Part { span: whole, form: PartForm::Size(1) });
                Form::Merged(self.parts_from(start))
            }
            [] => {
                if is_empty && depth == 0 {
                    p.report(|text| mistake::empty_group(text, whole));
                }
                return;
            }
            [Part { form: PartForm::Axis(label), .. }] => Form::Axis(label),
            _ => Form::Merged(parts),
        };
        self.push(whole, form);
    }
}

/// Reads `x&y`, which others write for a merged axis, after its `x`.
#[cold]
fn ampersand(p: &mut Parser<'_>, begin: Span) {
    let mut names = vec![begin];
    while p.token == Token::Ampersand {
        p.advance();
        if matches!(p.token, Token::Name | Token::Number | Token::Underscore) {
            names.push(p.span);
            p.advance();
        }
    }
    let whole = begin.to(p.last);
    p.report(|text| mistake::ampersand(text, whole, &names));
    if p.at_operator() {
        p.skip_entry();
    }
}

/// Reports that an entry stands in or against another, and goes past it.
#[cold]
fn nested(p: &mut Parser<'_>, begin: Span) {
    p.skip_entry();
    let whole = begin.to(p.last);
    p.report(|text| mistake::nested_entry(text, whole));
}
