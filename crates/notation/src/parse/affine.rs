//! Affine axes: `2*o+1`, `2*o<+1+3*k`, with the terms in any order.

use super::parser::Parser;
use crate::{
    mistake::{self, OffsetSpans},
    token::{Token, place},
    tree::{Affine, AffineId, Border, Coefficient, Form, Use, Window},
};
use lozenge_diagnostic::Span;

/// A term: `2*o<`, `k` or `1`.
struct Term {
    span: Span,
    coefficient: Option<(Token, Span)>,
    /// What is stepped along, or the offset.
    factor: (Token, Span),
    border: Option<(Border, Span)>,
    margins: Option<Margins>,
}

/// The margins of a window, before its axis and after it, and where they are written.
#[derive(Clone, Copy)]
struct Margins {
    numbers: [i32; 2],
    span: Span,
}

/// Reads an affine axis whose first token has been read. `None` when it cannot be read as one; then
/// that has been reported, and what belongs to it is behind.
pub(super) fn axis(
    p: &mut Parser<'_>,
    token: Token,
    span: Span,
    affines: &mut Vec<Affine>,
) -> Option<(Span, Form)> {
    let mut terms = vec![];
    let mut first = Some((token, span));
    loop {
        let Some(term) = term(p, first.take()) else {
            p.skip_entry();
            return None;
        };
        // Three are the most there can be; the rest are counted to be shown.
        terms.push(term);
        if p.token != Token::Plus {
            break;
        }
        p.advance();
    }
    if let Some((_, marker)) = terms.last()?.border {
        if p.is_joined() && (matches!(p.token, Token::Name | Token::Number) || p.at_border()) {
            return behind_marker(p, span, marker);
        }
    }
    if matches!(p.token, Token::Caret | Token::Ampersand) {
        p.skip_entry();
        let whole = span.to(p.last);
        p.report(|text| mistake::nested_entry(text, whole));
        return None;
    }
    let whole = span.to(terms.last()?.span);
    let affine = assemble(p, whole, &terms)?;
    Some((whole, form(affine, affines)))
}

/// Reports `o<k` or `b=32`: something other than `+` right after a marker.
#[cold]
fn behind_marker(p: &mut Parser<'_>, begin: Span, marker: Span) -> Option<(Span, Form)> {
    let (token, next) = (p.token, p.span);
    p.advance();
    p.skip_entry();
    let whole = begin.to(p.last);
    p.report(|text| match token {
        Token::Number => mistake::size_in_spec(text, marker.to(next)),
        Token::Name => mistake::missing_plus(text, whole, next),
        _ => mistake::two_markers(text, whole, marker, next),
    });
    None
}

/// The form of an axis that is written as affine: a plain one where it says no more.
pub(crate) fn form(affine: Affine, affines: &mut Vec<Affine>) -> Form {
    // Also where it is loose: steps of 1 leave nothing over.
    if affine.stride == Coefficient::ONE && affine.offset == 0 && affine.window.is_none() {
        return Form::Axis(affine.over);
    }
    affines.push(affine);
    Form::Affine(AffineId(place(affines.len() - 1)))
}

/// `[ coefficient "*" ] ( name | "_" ) [ border ]` or a number; its first token may have been read.
fn term(p: &mut Parser<'_>, first: Option<(Token, Span)>) -> Option<Term> {
    let begin = match first {
        Some(first) => first,
        None => factor(p)?,
    };
    let mut factors = vec![begin];
    while p.token == Token::Star {
        p.advance();
        factors.push(factor(p)?);
    }
    let end = factors.last()?.1;
    let (coefficient, factor) = match factors[..] {
        [factor] => (None, factor),
        [name @ (Token::Name, _), number @ (Token::Number, _)] => {
            p.report(|text| mistake::coefficient_order(text, name.1, number.1));
            (Some(number), name)
        }
        [coefficient, factor @ (Token::Name | Token::Underscore, _)] => (Some(coefficient), factor),
        _ => {
            let spans: Vec<_> = factors.iter().map(|factor| factor.1).collect();
            p.report(|text| mistake::too_many_factors(text, &spans));
            return None;
        }
    };
    let border = border(p);
    let end = border.map_or(end, |(_, span)| span);
    let margins = if p.token == Token::Margins { Some(margins(p, end, border)?) } else { None };
    let end = margins.map_or(end, |margins| margins.span);
    Some(Term { span: begin.1.to(end), coefficient, factor, border, margins })
}

/// `<`, `~`, `>`, `=` or `=~`.
fn border(p: &mut Parser<'_>) -> Option<(Border, Span)> {
    let border = match p.token {
        Token::Less => Border::Valid,
        Token::Tilde => Border::Whole,
        Token::Greater => Border::Begun,
        Token::Equals => Border::Padded,
        _ => return None,
    };
    let span = p.span;
    p.advance();
    if border == Border::Padded && p.token == Token::Tilde && p.is_joined() {
        let span = span.to(p.span);
        p.advance();
        return Some((Border::PaddedLoose, span));
    }
    Some((border, span))
}

/// Reads `[1]` or `[1,2]` after the marker of a window.
fn margins(p: &mut Parser<'_>, before: Span, border: Option<(Border, Span)>) -> Option<Margins> {
    let span = p.span;
    p.advance();
    let written = span.of(p.text).trim_matches(['[', ']']);
    let numbers = written.split([',', ' ']).filter(|number| !number.is_empty());
    let numbers: Option<Vec<i32>> = numbers.map(|number| number.parse().ok()).collect();
    let numbers = match numbers.as_deref() {
        Some([both]) => Some([*both; 2]),
        Some([left, right]) => Some([*left, *right]),
        Some(_) | None => None,
    };
    match (numbers, border) {
        (Some(numbers), Some((border, _))) if !border.is_padded() => {
            Some(Margins { numbers, span })
        }
        (Some(_), Some((_, marker))) => {
            p.report(|text| mistake::margins_of_padded(text, marker, span));
            None
        }
        (Some(_), None) => {
            p.report(|text| mistake::margins_without_marker(text, before, span));
            None
        }
        (None, _) => {
            p.report(|text| mistake::no_margins(text, span));
            None
        }
    }
}

/// A name, a number or `_`, after an operator.
fn factor(p: &mut Parser<'_>) -> Option<(Token, Span)> {
    let operator = p.last;
    match p.token {
        token @ (Token::Name | Token::Number | Token::Underscore) => {
            let span = p.span;
            p.advance();
            Some((token, span))
        }
        Token::Bad(bad) => {
            p.bad(bad);
            None
        }
        Token::Open | Token::At | Token::Ellipsis | Token::RowName => {
            let inner = p.span;
            p.skip_entry();
            let whole = inner.to(p.last);
            p.report(|text| mistake::nested_entry(text, whole));
            None
        }
        _ => {
            p.report(|text| mistake::nothing_after(text, operator));
            None
        }
    }
}

/// Puts the terms together: which is stepped along, which is inside the window, which is the
/// offset.
fn assemble(p: &mut Parser<'_>, whole: Span, terms: &[Term]) -> Option<Affine> {
    let is_number = |term: &&Term| matches!(term.factor.0, Token::Number);
    let (numbers, axes): (Vec<&Term>, Vec<&Term>) = terms.iter().partition(is_number);
    if numbers.len() > 1 || axes.len() > 2 {
        let axis = axes.get(2).map(|term| term.span);
        let more = numbers.get(1).map_or(whole, |term| term.span);
        p.report(|text| mistake::too_many_terms(text, whole, axis, more));
        return None;
    }
    if let Some((_, marker)) = numbers.iter().find_map(|term| term.border) {
        p.report(|text| mistake::marker_on_number(text, marker));
        return None;
    }
    let (over, kernel) = match axes[..] {
        [Term { margins: Some(Margins { span, .. }), .. }] => {
            p.report(|text| mistake::margins_without_window(text, whole, *span));
            return None;
        }
        [] => {
            p.report(|text| mistake::no_axis(text, whole));
            return None;
        }
        [over] => {
            if let Some((_, marker)) = over.border.filter(|(border, _)| *border != Border::Whole) {
                p.report(|text| mistake::marker_without_window(text, whole, marker));
            }
            (over, None)
        }
        [over, kernel] => match (over.border, kernel.border) {
            (Some((border, _)), None) => (over, Some((border, kernel))),
            (None, Some((border, _))) => (kernel, Some((border, over))),
            (Some((_, first)), Some((_, second))) => {
                p.report(|text| mistake::two_markers(text, whole, first, second));
                return None;
            }
            (None, None) => {
                let has_stride = over.coefficient.is_some();
                let [over, kernel] = [over.factor.1, kernel.factor.1];
                p.report(|text| mistake::missing_marker(text, whole, over, kernel, has_stride));
                return None;
            }
        },
        _ => return None,
    };
    let stride = coefficient(p, over);
    let mut offset = match numbers[..] {
        [Term { factor: (Token::Number, span), .. }] => Some((p.number(*span), *span)),
        _ => None,
    };
    if let (Coefficient::Number(stride), Some((past, span))) = (stride, offset) {
        if past >= stride {
            let windowed = kernel.is_some();
            let spans = OffsetSpans { whole, over: over.factor.1, offset: span, windowed };
            p.report(|text| mistake::offset_past_stride(text, spans, stride, past));
            offset = None;
        }
    }
    let over_label = p.label(over.factor.0, over.factor.1);
    let window = kernel.map(|(border, kernel)| Window {
        border,
        margins: over.margins.map_or([0; 2], |margins| margins.numbers),
        dilation: coefficient(p, kernel),
        dilation_span: coefficient_span(kernel),
        kernel: p.label(kernel.factor.0, kernel.factor.1),
        kernel_span: kernel.factor.1,
    });
    Some(Affine {
        stride,
        stride_span: coefficient_span(over),
        over: over_label,
        over_span: over.factor.1,
        offset: offset.map_or(0, |(offset, _)| offset),
        offset_span: offset.map(|(_, span)| span).unwrap_or_default(),
        loose: kernel.is_none() && over.border.is_some(),
        window,
    })
}

fn coefficient_span(term: &Term) -> Span {
    term.coefficient.map(|(_, span)| span).unwrap_or_default()
}

fn coefficient(p: &mut Parser<'_>, term: &Term) -> Coefficient {
    match term.coefficient {
        None => Coefficient::ONE,
        Some((Token::Number, span)) => match p.number(span) {
            0 => {
                p.report(|text| mistake::zero_coefficient(text, span));
                Coefficient::ONE
            }
            number => Coefficient::Number(number),
        },
        Some((Token::Underscore, span)) => {
            p.report(|text| mistake::fresh_coefficient(text, span));
            Coefficient::ONE
        }
        Some((_, span)) => Coefficient::Named(p.names.intern(span, Use::Coefficient)),
    }
}
