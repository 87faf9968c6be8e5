//! Parsing, by recursive descent straight from the characters; there is no token to look ahead to
//! that one character does not show.

use alloc::{string::String, vec::Vec};

use crate::{
    constraint::{Constraint, OriginId, Relation},
    dim::{Basis, Dim},
    row::{Flank, Flanks, Row},
    size::{Size, SizeError, SizeSymbol},
    term::{DimTerm, DimVar, RowTerm, RowVar},
};

use super::{
    Names,
    error::{Expected, TextError, TextErrorKind},
    names::Table,
};

type Result<T> = core::result::Result<T, TextError>;

/// Items with a text form that can be parsed.
pub trait Parse: Sized {
    /// Reads one from the parser's position.
    ///
    /// # Errors
    /// When the text there is not one.
    fn parse(parser: &mut Parser<'_>) -> Result<Self>;
}

impl Names {
    /// The item that `text` says, learning the names it does not know. A failed parse may leave
    /// names behind; they stand for nothing.
    ///
    /// # Errors
    /// When the text is not exactly one item.
    pub fn parse<T: Parse>(&mut self, text: &str) -> Result<T> {
        Parser::new(text, self).whole()
    }

    /// The constraints that `text` says, one a line or separated by `;`.
    ///
    /// # Errors
    /// When one of them is not a constraint.
    pub fn parse_store(&mut self, text: &str) -> Result<Vec<Constraint>> {
        Parser::new(text, self).store()
    }
}

/// A text that is being parsed: the position in it, and the names that it has had.
pub struct Parser<'a> {
    text: &'a str,
    at: usize,
    names: &'a mut Names,
}

enum Side {
    Dim(DimTerm),
    Row(RowTerm),
}

enum Sign {
    AtLeast,
    Eq,
    FlatEq,
    Refines,
}

impl Parse for DimTerm {
    fn parse(p: &mut Parser<'_>) -> Result<DimTerm> {
        p.space();
        if p.eat("?") {
            return Ok(DimTerm::Var(p.dim_var()?));
        }
        let start = p.at;
        let size = match p.peek() {
            Some(c) if c.is_ascii_digit() => {
                let n = p.int()?;
                let is_unit = n == 1 && p.peek() == Some('_') && !p.basis_at(p.at + 1);
                if is_unit {
                    p.at += 1;
                    return Ok(DimTerm::UNIT);
                }
                Size::int(n).map_err(|error| p.error(TextErrorKind::Size(error), start))?
            }
            Some('#') => {
                p.at += 1;
                Size::symbol(SizeSymbol::new(p.index(|names| &mut names.symbols)?))
            }
            Some(c) if c.is_alphabetic() || c == '"' => {
                let start = p.at;
                let word = p.name_text(char::is_alphanumeric)?;
                let symbol = p.names.symbol(&word);
                Size::symbol(symbol.ok_or_else(|| p.error(TextErrorKind::TooManyNames, start))?)
            }
            _ => return Err(p.expected(Expected::Dim)),
        };
        Ok(DimTerm::Dim(Dim::atom(size, p.basis(start)?)))
    }
}

impl Parse for RowTerm {
    fn parse(p: &mut Parser<'_>) -> Result<RowTerm> {
        p.space();
        let lead = if p.peek() == Some('[') { p.flank()? } else { Flank::new() };
        p.space();
        let _ = p.eat("·") || p.eat(".");
        p.space();
        let var = p.marker()?;
        p.space();
        let dot = p.eat("·") || p.eat(".");
        p.space();
        let trail = match p.peek() {
            Some('[') => p.flank()?,
            _ if dot => return Err(p.expected(Expected::Flank)),
            _ => Flank::new(),
        };
        Ok(RowTerm { flanks: Flanks::new(lead, trail), var })
    }
}

impl Parse for Dim {
    fn parse(p: &mut Parser<'_>) -> Result<Dim> {
        p.space();
        let start = p.at;
        DimTerm::parse(p)?.ground().ok_or_else(|| p.error(TextErrorKind::NotGround, start))
    }
}

impl Parse for Row {
    fn parse(p: &mut Parser<'_>) -> Result<Row> {
        p.space();
        let start = p.at;
        RowTerm::parse(p)?.ground().ok_or_else(|| p.error(TextErrorKind::NotGround, start))
    }
}

impl Parse for Relation {
    fn parse(p: &mut Parser<'_>) -> Result<Relation> {
        p.space();
        let start = p.at;
        if p.peek() == Some('|') {
            return p.rows_relation();
        }
        let left = p.side()?;
        p.space();
        let sign_at = p.at;
        let sign = p.sign()?;
        let sign_end = p.at;
        match (&left, &sign) {
            (Side::Dim(dim), Sign::AtLeast) => return p.at_least(*dim),
            (Side::Dim(whole), Sign::Eq) => {
                if let Some(relation) = p.derived(*whole)? {
                    return Ok(relation);
                }
            }
            (Side::Row(result), Sign::Refines) => {
                if let Some(relation) = p.stretched(result)? {
                    return Ok(relation);
                }
            }
            (_, _) => {}
        }
        let right = p.side()?;
        if let (Side::Dim(whole), Sign::Eq, Side::Dim(over)) = (&left, &sign, &right) {
            if let Some(relation) = p.window(*whole, 1, *over)? {
                return Ok(Relation::Size(relation));
            }
        }
        let wrong_sign = |kind| TextError { kind, span: sign_at..sign_end };
        match (left, sign, right) {
            (Side::Dim(l), Sign::Eq, Side::Dim(r)) => Ok(Relation::DimEq(l, r)),
            (Side::Dim(l), Sign::Refines, Side::Dim(r)) => Ok(Relation::DimIneq(l, r)),
            (Side::Row(l), Sign::FlatEq, Side::Row(r)) => Ok(Relation::RowEq(l, r)),
            (Side::Row(l), Sign::Refines, Side::Row(r)) => Ok(Relation::RowIneq(l, r)),
            (Side::Dim(_), Sign::FlatEq, Side::Dim(_)) => {
                Err(wrong_sign(TextErrorKind::DimsNeedEq))
            }
            (Side::Row(_), Sign::Eq, Side::Row(_)) => {
                Err(wrong_sign(TextErrorKind::RowsNeedFlatEq))
            }
            (Side::Dim(_), _, Side::Row(_))
            | (Side::Row(_), _, Side::Dim(_))
            | (_, Sign::AtLeast, _) => Err(p.error(TextErrorKind::MixedSorts, start)),
        }
    }
}

impl Parse for Constraint {
    fn parse(p: &mut Parser<'_>) -> Result<Constraint> {
        let relation = Relation::parse(p)?;
        p.space();
        let origin = if p.eat("@") { p.small_int()? } else { OriginId::default().index() };
        Ok(relation.with_origin(OriginId::new(origin)))
    }
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, names: &'a mut Names) -> Parser<'a> {
        Parser { text, at: 0, names }
    }

    pub(super) fn whole<T: Parse>(mut self) -> Result<T> {
        let item = T::parse(&mut self)?;
        self.space();
        while self.eat("\n") {
            self.space();
        }
        if self.at < self.text.len() { Err(self.expected(Expected::End)) } else { Ok(item) }
    }

    pub(super) fn store(mut self) -> Result<Vec<Constraint>> {
        let mut store = Vec::new();
        loop {
            self.space();
            match self.peek() {
                None => return Ok(store),
                Some('\n' | ';') => self.at += 1,
                Some(_) => {
                    store.push(Constraint::parse(&mut self)?);
                    self.space();
                    if !matches!(self.peek(), None | Some('\n' | ';')) {
                        return Err(self.expected(Expected::EndOfConstraint));
                    }
                }
            }
        }
    }

    fn side(&mut self) -> Result<Side> {
        self.space();
        match self.peek() {
            Some('[' | '◊' | '◇' | '<' | '⟨') => Ok(Side::Row(RowTerm::parse(self)?)),
            _ => Ok(Side::Dim(DimTerm::parse(self)?)),
        }
    }

    fn sign(&mut self) -> Result<Sign> {
        if self.eat("⊑") || self.eat("<=") {
            Ok(Sign::Refines)
        } else if self.eat("≈") || self.eat("~") {
            Ok(Sign::FlatEq)
        } else if self.eat("≥") || self.eat(">=") {
            Ok(Sign::AtLeast)
        } else if self.eat("=") {
            Ok(Sign::Eq)
        } else {
            Err(self.expected(Expected::Sign))
        }
    }

    /// A flank, at its opening bracket.
    pub(super) fn flank(&mut self) -> Result<Flank<DimTerm>> {
        self.at += 1;
        let mut flank = Flank::new();
        self.space();
        if self.eat("]") {
            return Ok(flank);
        }
        loop {
            flank.push(DimTerm::parse(self)?);
            self.space();
            if self.eat("]") {
                return Ok(flank);
            }
            if !self.eat(",") {
                return Err(self.expected(Expected::CommaOrBracket));
            }
        }
    }

    fn marker(&mut self) -> Result<Option<RowVar>> {
        if self.eat("◊") || self.eat("◇") || self.eat("<>") {
            return Ok(None);
        }
        let close = match self.peek() {
            Some('<') if !self.text[self.at..].starts_with("<=") => ">",
            Some('⟨') => "⟩",
            _ => return Err(self.expected(Expected::Marker)),
        };
        let _ = self.eat("<") || self.eat("⟨");
        self.space();
        let var = self.variable(|names| &mut names.row_vars, RowVar::MINTED)?;
        self.space();
        if self.eat(close) {
            Ok(Some(RowVar::new(var)))
        } else {
            Err(self.expected(Expected::Angle))
        }
    }

    fn dim_var(&mut self) -> Result<DimVar> {
        Ok(DimVar::new(self.variable(|names| &mut names.dim_vars, DimVar::MINTED)?))
    }

    /// The basis of the atom that begins at `start`, the default one when none is written.
    fn basis(&mut self, start: usize) -> Result<Basis> {
        if self.peek() != Some('_') {
            return Ok(Basis::DEFAULT);
        }
        if !self.basis_at(self.at + 1) {
            self.at += 1;
            return Err(self.error(TextErrorKind::BareUnderscore, start));
        }
        self.at += 1;
        if self.eat("?") {
            return Ok(Basis::new(self.index(|names| &mut names.bases)?));
        }
        let name_at = self.at;
        let name = self.name_text(|c| c.is_alphanumeric() || c == '_')?;
        self.names.basis(&name).ok_or_else(|| self.error(TextErrorKind::TooManyNames, name_at))
    }

    fn basis_at(&self, at: usize) -> bool {
        self.text[at..].starts_with(|c: char| c.is_alphabetic() || c == '"' || c == '?')
    }

    /// A variable by its name, by its index, or as one that a solver minted.
    fn variable(&mut self, table: fn(&mut Names) -> &mut Table, minted: u32) -> Result<u32> {
        match self.peek() {
            Some(c) if c.is_ascii_digit() => self.index(table),
            Some(c) if c.is_alphabetic() || c == '"' => self.name(table),
            Some('\'') => {
                self.at += 1;
                let start = self.at;
                let index = self.small_int()?.checked_add(minted);
                index.ok_or_else(|| self.error(TextErrorKind::IndexTooLarge, start))
            }
            _ => Err(self.expected(Expected::NameOrIndex)),
        }
    }

    fn index(&mut self, table: fn(&mut Names) -> &mut Table) -> Result<u32> {
        let index = self.small_int()?;
        Ok(table(self.names).mention(index))
    }

    fn name(&mut self, table: fn(&mut Names) -> &mut Table) -> Result<u32> {
        let start = self.at;
        let name = self.name_text(|c| c.is_alphanumeric() || c == '_')?;
        table(self.names).index(&name).ok_or_else(|| self.error(TextErrorKind::TooManyNames, start))
    }

    /// A name, at its first letter or quote.
    fn name_text(&mut self, plain: fn(char) -> bool) -> Result<String> {
        let start = self.at;
        if !self.eat("\"") {
            let rest = &self.text[start..];
            let len = rest.find(|c: char| !plain(c)).unwrap_or(rest.len());
            self.at += len;
            return Ok(rest[..len].into());
        }
        let mut name = String::new();
        loop {
            let escape_at = self.at;
            let c = match self.next() {
                None => return Err(self.error(TextErrorKind::UnclosedQuote, start)),
                Some('"') if name.is_empty() => {
                    return Err(self.error(TextErrorKind::EmptyName, start));
                }
                Some('"') => return Ok(name),
                Some('\\') => match self.next() {
                    Some('n') => '\n',
                    Some(c @ ('"' | '\\')) => c,
                    _ => return Err(self.error(TextErrorKind::UnknownEscape, escape_at)),
                },
                Some(c) => c,
            };
            name.push(c);
        }
    }

    pub(super) fn small_int(&mut self) -> Result<u32> {
        let start = self.at;
        if !self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Err(self.expected(Expected::Index));
        }
        let too_large = TextErrorKind::IndexTooLarge;
        let n = self.int().map_err(|error| TextError { kind: too_large, ..error })?;
        u32::try_from(n).map_err(|_| self.error(too_large, start))
    }

    /// How far it is read, to come back to.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    pub(super) fn go_back(&mut self, place: usize) {
        self.at = place;
    }

    /// A run of digits, at its first.
    pub(super) fn int(&mut self) -> Result<u64> {
        let start = self.at;
        if !self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Err(self.expected(Expected::Number));
        }
        let rest = &self.text[start..];
        self.at += rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = &self.text[start..self.at];
        digits.parse().map_err(|_| self.error(TextErrorKind::Size(SizeError::TooLarge), start))
    }

    /// Skips blanks and comments, never the end of a line.
    pub(super) fn space(&mut self) {
        let rest = &self.text[self.at..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        self.at += blank;
        let rest = &self.text[self.at..];
        if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let there = self.text[self.at..].starts_with(token);
        if there {
            self.at += token.len();
        }
        there
    }

    /// An error about the text from `start` to here.
    pub(super) fn error(&self, kind: TextErrorKind, start: usize) -> TextError {
        TextError { kind, span: start..self.at }
    }

    /// An error about the next character.
    pub(super) fn expected(&self, what: Expected) -> TextError {
        let len = self.peek().map_or(0, char::len_utf8);
        TextError { kind: TextErrorKind::Expected(what), span: self.at..self.at + len }
    }
}
