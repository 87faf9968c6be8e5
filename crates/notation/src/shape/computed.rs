//! Sizes that are computed from numbers and names: `2*batch`, `past+seq`, `(n+m)/2`.
//!
//! `*` and `/` bind closer than `+` and `-`, and what stands to the left comes first. A quotient is
//! exact: `seq/8` says that 8 divides `seq`.

use super::value::{Computed, ComputedId, Node};
use crate::{
    mistake,
    parse::Parser,
    token::{Token, place},
    tree::Use,
};
use lozenge_diagnostic::Span;

/// The deepest nesting of parts that is read.
const DEEPEST: usize = 32;

/// Whether a size goes on with this.
pub(super) fn goes_on(token: Token) -> bool {
    matches!(token, Token::Plus | Token::Minus | Token::Star | Token::Slash)
}

/// Reads what is computed, from its first part on if that was read. `None` where it is reported.
pub(super) fn computed(
    p: &mut Parser<'_>,
    nodes: &mut Vec<Node>,
    first: Option<(Computed, Span)>,
) -> Option<ComputedId> {
    let mut reader = Reader { p, nodes, open: 0 };
    let first = first.map(|(computed, span)| reader.node(computed, span));
    let read = reader.sum(first, None);
    let depth = reader.open;
    if read.is_none() {
        skip(p, depth);
    }
    read
}

/// Goes past the rest of a size that could not be read, which stands in `depth` parentheses.
#[cold]
fn skip(p: &mut Parser<'_>, mut depth: usize) {
    while depth > 0 && !p.at_row_end() {
        match p.token {
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            _ => {}
        }
        p.advance();
    }
    p.skip_entry();
}

struct Reader<'a, 't> {
    p: &'a mut Parser<'t>,
    nodes: &'a mut Vec<Node>,
    /// How many parentheses are open.
    open: usize,
}

impl Reader<'_, '_> {
    fn node(&mut self, computed: Computed, span: Span) -> ComputedId {
        let id = ComputedId(place(self.nodes.len()));
        let depth = |part: &ComputedId| self.nodes[part.0 as usize].depth;
        let within = match &computed {
            Computed::Number(_) | Computed::Named(_) => None,
            Computed::Sum(terms) => terms.iter().map(|(_, term)| depth(term)).max(),
            Computed::Product(factors) => factors.iter().map(depth).max(),
            Computed::Quotient(of, by) => by.iter().chain([of]).map(depth).max(),
        };
        self.nodes.push(Node { computed, span, depth: within.map_or(0, |depth| depth + 1) });
        id
    }

    fn span(&self, id: ComputedId) -> Span {
        self.nodes[id.0 as usize].span
    }

    /// Reads terms; the first may have been read. What stands after an operator is told with it.
    fn sum(&mut self, first: Option<ComputedId>, after: Option<Span>) -> Option<ComputedId> {
        let mut terms = vec![(false, self.product(first, after)?)];
        while matches!(self.p.token, Token::Plus | Token::Minus) {
            let (operator, minus) = (self.p.span, self.p.token == Token::Minus);
            self.p.advance();
            terms.push((minus, self.product(None, Some(operator))?));
        }
        match terms[..] {
            [(_, only)] => Some(only),
            [(_, first), .., (_, last)] => {
                let span = self.span(first).to(self.span(last));
                Some(self.node(Computed::Sum(terms), span))
            }
            [] => None,
        }
    }

    fn product(&mut self, first: Option<ComputedId>, after: Option<Span>) -> Option<ComputedId> {
        let first = match first {
            Some(first) => first,
            None => self.factor(after)?,
        };
        let mut factors = vec![first];
        loop {
            let operator = self.p.span;
            match self.p.token {
                Token::Star => {
                    self.p.advance();
                    factors.push(self.factor(Some(operator))?);
                }
                Token::Slash => {
                    self.p.advance();
                    let mut by = vec![self.factor(Some(operator))?];
                    while self.p.token == Token::Slash {
                        let operator = self.p.span;
                        self.p.advance();
                        by.push(self.factor(Some(operator))?);
                    }
                    let of = self.product_of(factors);
                    let span = self.span(of).to(self.p.last);
                    let quotient = self.node(Computed::Quotient(of, by), span);
                    if self.nodes[quotient.0 as usize].depth > DEEPEST {
                        self.p.report(|text| mistake::too_deep(text, span));
                        return None;
                    }
                    factors = vec![quotient];
                }
                _ => return Some(self.product_of(factors)),
            }
        }
    }

    fn product_of(&mut self, factors: Vec<ComputedId>) -> ComputedId {
        match factors[..] {
            [first, .., last] => {
                let span = self.span(first).to(self.span(last));
                self.node(Computed::Product(factors), span)
            }
            _ => factors[0],
        }
    }

    fn factor(&mut self, after: Option<Span>) -> Option<ComputedId> {
        let span = self.p.span;
        let written = span.of(self.p.text);
        let (computed, has_basis) = match self.p.token {
            Token::Number => (Computed::Number(self.p.number(span)), written.contains('_')),
            Token::Name => {
                let name = self.p.names.intern(span, Use::Axis);
                (Computed::Named(name), written.contains(':'))
            }
            Token::Open => return self.group(),
            Token::Bad(bad) => {
                self.p.bad(bad);
                return None;
            }
            _ => {
                self.p.report(|text| match after {
                    Some(operator) => mistake::missing_part(text, operator, span),
                    None => mistake::spec_for_shape(text, span),
                });
                return None;
            }
        };
        self.p.advance();
        let has_range = self.p.token == Token::Range;
        if has_basis || has_range {
            let whole = if has_range { span.to(self.p.span) } else { span };
            self.p.report(|text| mistake::claim_in_computed(text, whole));
            return None;
        }
        if computed == Computed::Number(0) {
            self.p.report(|text| mistake::zero_part(text, span));
            return None;
        }
        Some(self.node(computed, span))
    }

    fn group(&mut self) -> Option<ComputedId> {
        let open = self.p.span;
        self.open += 1;
        self.p.advance();
        if self.open > DEEPEST {
            self.p.report(|text| mistake::too_deep(text, open));
            return None;
        }
        let inner = self.sum(None, None)?;
        if self.p.token != Token::Close {
            self.p.report(|text| mistake::group_in_shape(text, open));
            return None;
        }
        let close = self.p.span;
        self.p.advance();
        self.open -= 1;
        self.nodes[inner.0 as usize].span = open.to(close);
        Some(inner)
    }
}
