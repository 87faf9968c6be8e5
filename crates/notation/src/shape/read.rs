//! Reading a shape.

use std::str::FromStr;

use super::{
    computed::{computed, goes_on},
    value::{Computed, Dim, DimForm, Node, Range, Shape, Size},
};
use crate::{
    check,
    mend::keep_mending,
    mistake,
    parse::{Dialect, Entries, Parser, put_in_order, reject, slot, too_long},
    token::{self, Bad, LIMIT, Reading, Token, place},
    tree::Use,
};
use lozenge_diagnostic::{Diagnostic, Report, Span};

/// A shape and what is to be said about it.
#[derive(Clone, Debug)]
pub struct ParsedShape {
    /// The shape of what could be read. Where there are errors, what could not be read is not in
    /// it.
    pub shape: Shape,
    /// Errors, in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

impl ParsedShape {
    /// The shape, where nothing is an error.
    ///
    /// # Errors
    /// All diagnostics, where one is an error.
    pub fn ok(self) -> Result<Shape, Report> {
        reject(self.diagnostics, "shape", &self.shape.text).map_or(Ok(self.shape), Err)
    }
}

/// Reads a shape.
///
/// ```
/// use lozenge_notation::{Kind, parse_shape};
/// let shape = parse_shape("batch | seq_len -> 4, 3_rgb, c:rgb, 1_").ok()?;
/// assert_eq!(shape.to_string(), "batch|seq_len->4,3_rgb,c:rgb,1_");
/// assert_eq!(shape.row(Kind::Output).rank(), 4);
/// # Ok::<(), lozenge_diagnostic::Report>(())
/// ```
pub fn parse_shape(text: &str) -> ParsedShape {
    if let Some(too_long) = too_long(text) {
        return ParsedShape { shape: read("").0, diagnostics: vec![too_long] };
    }
    let (shape, mut diagnostics) = read(text);
    keep_mending(&mut diagnostics, text, |text| read(text).1);
    ParsedShape { shape, diagnostics }
}

impl FromStr for Shape {
    type Err = Report;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_shape(text).ok()
    }
}

fn read(text: &str) -> (Shape, Vec<Diagnostic>) {
    let mut p = Parser::new(text, Reading::Sizes, Dialect::Lozenge);
    let bracketed = brackets(&mut p);
    let mut entries = ShapeEntries { dims: vec![], nodes: vec![], bracketed };
    let first = slot(&mut p, &mut entries);
    if p.token != Token::End {
        // Once is enough: what comes now is not a shape at all.
        let more = p.span;
        p.report(|text| mistake::spec_for_shape(text, more));
    }
    let ShapeEntries { dims, nodes, .. } = entries;
    let shape = Shape { text: text.into(), slot: first, dims, nodes, names: p.names.table };
    let mut said = p.diagnostics;
    let slots = std::slice::from_ref(&shape.slot);
    check::clashes(text, &shape.names, slots, |id| shape.places(id), &mut said);
    put_in_order(&mut said);
    (shape, said)
}

/// Whether the shape is in brackets as a whole; then that is reported, once.
fn brackets(p: &mut Parser<'_>) -> bool {
    let open = p.span;
    let close = match open.of(p.text) {
        "[" => ']',
        "(" if !is_part(&p.text[open.start as usize..]) => ')',
        _ => return false,
    };
    let trimmed = p.text.trim_end();
    let at = token::span(trimmed.len().saturating_sub(1), trimmed.len());
    let close = (trimmed.ends_with(close) && at.start > open.start).then_some(at);
    p.report(|text| mistake::bracketed_shape(text, open, close));
    true
}

/// Whether the parenthesis that a text begins with is one of a size that goes on behind it:
/// `(n+m)/2`.
fn is_part(text: &str) -> bool {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' | '|' | '>' => return false,
            _ => {}
        }
        if depth == 0 {
            return !text[at + 1..].trim().is_empty();
        }
    }
    false
}

struct ShapeEntries {
    dims: Vec<Dim>,
    nodes: Vec<Node>,
    /// Whether brackets have been spoken of.
    bracketed: bool,
}

impl Entries for ShapeEntries {
    fn len(&self) -> u32 {
        place(self.dims.len())
    }

    fn entry(&mut self, p: &mut Parser<'_>) {
        let span = p.span;
        let written = span.of(p.text);
        let last = p.last;
        let is_sign = |text: &str| matches!(text, "*" | "?");
        let ends_size = last.of(p.text).ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_behind = is_sign(written) && (ends_size || last.of(p.text) == "?");
        if p.is_joined() && (is_behind || is_sign(last.of(p.text))) {
            p.report(|text| mistake::joined_sign(text, last, span));
            return p.skip_entry();
        }
        let form = match p.token {
            Token::Number => {
                let size = p.number(span);
                p.advance();
                let form = DimForm::Known(Size::Number(size), basis(span, written, b'_'));
                return self.sized(p, Dim { span, form, range: None });
            }
            Token::Name => {
                let dim = named_with_range(p, span);
                return self.sized(p, dim);
            }
            Token::Star => {
                p.advance();
                let is_named = p.token == Token::Name && p.span.start == span.end;
                let dim = if is_named {
                    let named = named_with_range(p, p.span);
                    let range = named.range.unwrap_or(Range::ANY);
                    if range.any {
                        p.report(|text| mistake::any_at_run_time(text, span, named.span));
                    }
                    let range = Some(Range { at_run_time: true, ..range });
                    Dim { range, ..named }
                } else {
                    Dim { span, form: DimForm::AtRunTime, range: None }
                };
                return self.sized(p, dim);
            }
            Token::Question => DimForm::Met,
            Token::Open if !self.bracketed => return self.computed(p, span, None),
            Token::Minus => return p.bad(Bad::Minus),
            Token::Slash => return p.bad(Bad::Character),
            Token::Unit => DimForm::Unit,
            Token::Underscore => DimForm::Unknown,
            Token::Open | Token::Close | Token::Bad(Bad::Character)
                if self.bracketed && matches!(written, "[" | "]" | "(" | ")") =>
            {
                return p.advance();
            }
            Token::Bad(bad) => return p.bad(bad),
            _ => {
                p.advance();
                p.report(|text| mistake::spec_for_shape(text, span));
                return p.skip_entry();
            }
        };
        p.advance();
        self.dims.push(Dim { span, form, range: None });
    }
}

impl ShapeEntries {
    /// Takes a number or a name, or what is computed with it.
    fn sized(&mut self, p: &mut Parser<'_>, dim: Dim) {
        let is_any = dim.span.of(p.text) == "any" && p.token == Token::Star;
        if is_any
            && !p.is_joined()
            && p.text[p.span.end as usize..].starts_with(char::is_alphabetic)
        {
            let star = p.span;
            p.advance();
            let name = p.span;
            p.report(|text| mistake::any_at_run_time(text, star, name));
            return p.skip_entry();
        }
        if goes_on(p.token) {
            if dim.range.is_some() || matches!(dim.form, DimForm::Known(_, Some(_))) {
                let whole = dim.span.to(p.last);
                p.report(|text| mistake::claim_in_computed(text, whole));
            }
            let first = match dim.form {
                DimForm::Known(Size::Number(number), _) => Computed::Number(number),
                DimForm::Known(Size::Named(name), _) => Computed::Named(name),
                DimForm::AtRunTime => {
                    let (first, operator) = (dim.span, p.span);
                    p.report(|text| match operator.of(text) {
                        "*" => mistake::joined_sign(text, first, operator),
                        _ => mistake::claim_in_computed(text, operator),
                    });
                    return p.skip_entry();
                }
                DimForm::Computed(_) | DimForm::Unit | DimForm::Unknown | DimForm::Met => return,
            };
            if first == Computed::Number(0) {
                let span = dim.span;
                p.report(|text| mistake::zero_part(text, span));
            }
            return self.computed(p, dim.span, Some((first, dim.span)));
        }
        self.dims.push(dim);
    }

    fn computed(&mut self, p: &mut Parser<'_>, begin: Span, first: Option<(Computed, Span)>) {
        let read = computed(p, &mut self.nodes, first);
        let form = read.map_or(DimForm::Unknown, DimForm::Computed);
        self.dims.push(Dim { span: begin.to(p.last), form, range: None });
    }
}

/// A size by a name, perhaps behind `any`, perhaps with a range.
fn named_with_range(p: &mut Parser<'_>, first: Span) -> Dim {
    let mut span = first;
    p.advance();
    // `any` alone is a name like others.
    let any = span.of(p.text) == "any" && p.token == Token::Name;
    if any {
        span = p.span;
        p.advance();
    }
    let form = named(p, span);
    let mut range = any.then_some(Range { any, ..Range::ANY });
    if p.token == Token::Range {
        let written = p.span;
        // `:`, a number, `..` and perhaps another.
        let text = written.of(p.text);
        let behind = text.rfind('.').map_or(text.len(), |dot| dot + 1);
        let [start, behind] = [0, behind].map(|at| written.start + place(at));
        let low = range_end(p, Span::new(start, behind));
        let high = (behind < written.end).then(|| range_end(p, Span::new(behind, written.end)));
        if high.is_some_and(|high| high < low) {
            p.report(|text| mistake::empty_range(text, written));
        }
        range = Some(Range { low, high, any, at_run_time: false });
        p.advance();
    }
    Dim { span, form, range }
}

/// An end of a range: the number in a part of the text, as sizes are.
fn range_end(p: &mut Parser<'_>, part: Span) -> u64 {
    let text = part.of(p.text);
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let start = part.end - place(digits.len());
    let digits = digits.trim_end_matches('.');
    let number = token::number(digits.as_bytes()).filter(|number| *number < LIMIT);
    number.unwrap_or_else(|| {
        let span = Span::new(start, start + place(digits.len()));
        p.report(|text| mistake::number_too_large(text, span));
        LIMIT - 1
    })
}

/// A size by a name, and its basis, which follows a colon.
fn named(p: &mut Parser<'_>, span: Span) -> DimForm {
    let basis = basis(span, span.of(p.text), b':');
    let end = basis.map_or(span.end, |basis| basis.start - 1);
    let name = p.names.intern(Span::new(span.start, end), Use::Axis);
    DimForm::Known(Size::Named(name), basis)
}

/// What follows a sign in a size, if it is there.
fn basis(span: Span, written: &str, sign: u8) -> Option<Span> {
    let at = written.bytes().position(|byte| byte == sign)?;
    Some(Span::new(span.start + place(at) + 1, span.end))
}
