//! Slots and their rows: kinds, separators and ellipses, the same for specifications and shapes.

use super::parser::{Dialect, Parser};
use crate::{
    mistake,
    token::{Bad, Token},
    tree::{Ellipsis, Kind, Row, Slot, Use},
};
use lozenge_diagnostic::Span;

/// A table that takes the entries of rows.
pub(crate) trait Entries {
    /// How many there are.
    fn len(&self) -> u32;

    /// Reads one entry; whatever is there, at least a token is taken.
    fn entry(&mut self, p: &mut Parser<'_>);
}

/// `[ row "|" ] [ row "->" ] row`, up to what ends it.
pub(crate) fn slot(p: &mut Parser<'_>, entries: &mut impl Entries) -> Slot {
    let begin = p.span;
    let mut rows: [Row; 3] = Default::default();
    let mut last: Option<Kind> = None;
    let mut wrong = None;
    // Each sign with the row before it. Past three there is nothing to say that was not said.
    let mut seen = [(Span::default(), Span::default()); 3];
    let mut signs = 0;
    loop {
        let row = row(p, entries);
        let kind = match p.token {
            Token::Pipe => Kind::Batch,
            Token::Arrow if p.dialect == Dialect::Lozenge => Kind::Input,
            _ => {
                if let Some(wrong) = wrong {
                    // Two signs in order come before it at most.
                    let seen = &seen[..=wrong];
                    let output = (signs == seen.len()).then_some(row.span);
                    p.report(|text| mistake::kinds_out_of_order(text, seen, output));
                }
                rows[Kind::Output as usize] = row;
                let end = if p.last.end < begin.start { begin.before() } else { p.last };
                return Slot { span: begin.before().to(end), rows };
            }
        };
        if let Some(place) = seen.get_mut(signs) {
            *place = (row.span, p.span);
        }
        if last >= Some(kind) && wrong.is_none() {
            wrong = Some(signs);
        }
        signs += 1;
        last = last.max(Some(kind));
        rows[kind as usize] = row;
        p.advance();
    }
}

/// Entries and at most one ellipsis, with commas or blanks between them.
fn row(p: &mut Parser<'_>, entries: &mut impl Entries) -> Row {
    let start = entries.len();
    let begin = p.span;
    let mut ellipsis: Option<Ellipsis> = None;
    let mut dots = vec![];
    let mut after_entry = false;
    let mut end = begin.before();
    while !p.at_row_end() {
        match p.token {
            Token::Comma => {
                if !after_entry {
                    let comma = p.span;
                    p.report(|text| mistake::empty_entry(text, comma));
                }
                p.advance();
                after_entry = false;
                continue;
            }
            Token::Ellipsis | Token::RowName => {
                let found = self::ellipsis(p, entries.len() - start);
                match ellipsis {
                    None => ellipsis = Some(found),
                    Some(first) => {
                        p.report(|text| mistake::two_ellipses(text, first.span, found.span));
                    }
                }
            }
            Token::Bad(Bad::Dots) => dots.push(lone_dots(p)),
            Token::Bad(Bad::SpacedRow) => {
                let span = p.span;
                p.advance();
                p.report(|text| mistake::spaced_ellipsis(text, span));
            }
            _ => entries.entry(p),
        }
        end = p.last;
        after_entry = true;
    }
    for (i, (span, name)) in dots.into_iter().enumerate() {
        let other = i > 0 || ellipsis.is_some();
        p.report(|text| mistake::lone_dots(text, span, name, other));
    }
    Row { span: begin.before().to(end), ellipsis, start, end: entries.len() }
}

/// Goes past dots that are not an ellipsis, and the name that touches them.
#[cold]
fn lone_dots(p: &mut Parser<'_>) -> (Span, Option<Span>) {
    let dots = p.span;
    p.advance();
    let name = (p.token == Token::Name && p.is_joined()).then_some(p.span);
    if name.is_some() {
        p.advance();
    }
    (dots, name)
}

fn ellipsis(p: &mut Parser<'_>, before: u32) -> Ellipsis {
    let span = p.span;
    let name = (p.token == Token::RowName).then(|| {
        let name = Span::new(span.start + 2, span.end - 2);
        p.names.intern(name, Use::Row)
    });
    p.advance();
    Ellipsis { span, name, before }
}
