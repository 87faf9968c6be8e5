//! The text form of relations between sizes.

use alloc::vec::Vec;
use core::fmt::{self, Formatter, Write};

use crate::{
    constraint::{Border, Count, Fill, Part, Relation, SizeRelation},
    term::{DimTerm, RowTerm},
};

use super::{
    Names, Parse, Print,
    error::{Expected, TextError, TextErrorKind},
    parse::Parser,
};

type Result<T> = core::result::Result<T, TextError>;

impl Print for SizeRelation {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            SizeRelation::Strided { whole, stride, over, loose } => {
                whole.print(names, f)?;
                write!(f, " = {stride}*")?;
                over.print(names, f)?;
                f.write_str(if *loose { "~" } else { "" })
            }
            SizeRelation::Window { whole, stride, over, dilation, kernel, border } => {
                whole.print(names, f)?;
                write!(f, " = {stride}*")?;
                over.print(names, f)?;
                border.print(names, f)?;
                write!(f, "+{dilation}*")?;
                kernel.print(names, f)
            }
            SizeRelation::Concat { whole, parts } => {
                whole.print(names, f)?;
                f.write_str(" = ^")?;
                list(parts, f, |part, f| {
                    part.dim.print(names, f)?;
                    if part.discardable { f.write_char('!') } else { Ok(()) }
                })
            }
            SizeRelation::Merged { whole, parts } => {
                whole.print(names, f)?;
                f.write_str(" = *")?;
                list(parts, f, |part, f| part.print(names, f))
            }
            SizeRelation::Total { rows: of, divided_by, count } => {
                rows(of, names, f)?;
                for dim in divided_by {
                    f.write_char('*')?;
                    dim.print(names, f)?;
                }
                match count {
                    Count::Number(n) => write!(f, " = {n}"),
                    Count::Strided { coefficient, dim, denominator } => {
                        write!(f, " = {coefficient}*")?;
                        dim.print(names, f)?;
                        if *denominator == 1 { Ok(()) } else { write!(f, "/{denominator}") }
                    }
                    Count::Rows { coefficient, rows: others, denominator } => {
                        write!(f, " = {coefficient}*")?;
                        rows(others, names, f)?;
                        if *denominator == 1 { Ok(()) } else { write!(f, "/{denominator}") }
                    }
                }
            }
            SizeRelation::Exact { rows: of, axes } => {
                rows(of, names, f)?;
                f.write_str(" ≈ ")?;
                list(axes, f, |axis, f| axis.print(names, f))
            }
            SizeRelation::AtLeast { dim, least } => {
                dim.print(names, f)?;
                write!(f, " ≥ {least}")
            }
            SizeRelation::Stretch { result, operands } => {
                result.print(names, f)?;
                f.write_str(" ⊑ᴺ ")?;
                rows(operands, names, f)
            }
        }
    }
}

impl Print for Border {
    fn print(&self, _names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        let (left, right, fill) = match *self {
            Border::Padded { loose } => return f.write_str(if loose { "=~" } else { "=" }),
            Border::Margins { left, right, fill } => (left, right, fill),
        };
        f.write_char(match fill {
            Fill::Exact => '<',
            Fill::Whole => '~',
            Fill::Begun => '>',
        })?;
        if (left, right) == (0, 0) { Ok(()) } else { write!(f, "[{left},{right}]") }
    }
}

/// `[a,b,c]`.
fn list<T>(
    items: &[T],
    f: &mut Formatter<'_>,
    mut print: impl FnMut(&T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_char('[')?;
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_char(',')?;
        }
        print(item, f)?;
    }
    f.write_char(']')
}

/// `|R, S|`.
fn rows(rows: &[RowTerm], names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char('|')?;
    for (i, row) in rows.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        row.print(names, f)?;
    }
    f.write_char('|')
}

impl Parser<'_> {
    /// Rows between bars.
    fn rows(&mut self) -> Result<Vec<RowTerm>> {
        let mut rows = Vec::new();
        self.eat("|");
        self.space();
        if self.eat("|") {
            return Ok(rows);
        }
        loop {
            rows.push(RowTerm::parse(self)?);
            self.space();
            if self.eat("|") {
                return Ok(rows);
            }
            if !self.eat(",") {
                return Err(self.expected(Expected::CommaOrBar));
            }
        }
    }

    /// The operands that are stretched to a row, after the sign, if that is what stands here.
    pub(super) fn stretched(&mut self, result: &RowTerm) -> Result<Option<Relation>> {
        let is_said = self.eat("ᴺ");
        self.space();
        if self.peek() != Some('|') {
            return if is_said { Err(self.expected(Expected::CommaOrBar)) } else { Ok(None) };
        }
        let operands = self.rows()?;
        if operands.is_empty() {
            return Err(self.expected(Expected::Marker));
        }
        let result = result.clone();
        Ok(Some(Relation::Size(SizeRelation::Stretch { result, operands })))
    }

    /// A relation that begins with rows between bars.
    pub(super) fn rows_relation(&mut self) -> Result<Relation> {
        let rows = self.rows()?;
        let mut divided_by = Vec::new();
        self.space();
        while self.eat("*") {
            divided_by.push(DimTerm::parse(self)?);
            self.space();
        }
        if divided_by.is_empty() && (self.eat("≈") || self.eat("~")) {
            self.space();
            if self.peek() != Some('[') {
                return Err(self.expected(Expected::Flank));
            }
            let axes = self.flank()?.into_iter().collect();
            return Ok(Relation::Size(SizeRelation::Exact { rows, axes }));
        }
        if !self.eat("=") {
            return Err(self.expected(Expected::EqOrFlatEq));
        }
        self.space();
        let coefficient = self.int()?;
        self.space();
        let count = if self.eat("*") {
            self.space();
            if self.peek() == Some('|') {
                let rows = self.rows()?;
                self.space();
                let denominator = if self.eat("/") { self.divisor()? } else { 1 };
                Count::Rows { coefficient, rows, denominator }
            } else {
                let dim = DimTerm::parse(self)?;
                self.space();
                let denominator = if self.eat("/") { self.divisor()? } else { 1 };
                Count::Strided { coefficient, dim, denominator }
            }
        } else {
            Count::Number(coefficient)
        };
        Ok(Relation::Size(SizeRelation::Total { rows, divided_by, count }))
    }

    /// Parses the relation by which a dimension is computed, after `whole =`; `None` where another
    /// form stands here.
    pub(super) fn derived(&mut self, whole: DimTerm) -> Result<Option<Relation>> {
        self.space();
        if self.eat("^") {
            let parts = self.list(|p| {
                let dim = DimTerm::parse(p)?;
                Ok(Part { dim, discardable: p.eat("!") })
            })?;
            return Ok(Some(Relation::Size(SizeRelation::Concat { whole, parts })));
        }
        if self.eat("*") {
            let parts = self.list(DimTerm::parse)?;
            return Ok(Some(Relation::Size(SizeRelation::Merged { whole, parts })));
        }
        let Some(stride) = self.coefficient()? else { return Ok(None) };
        let over = DimTerm::parse(self)?;
        let window = self.window(whole, stride, over)?;
        let relation = match window {
            Some(window) => window,
            None => SizeRelation::Strided { whole, stride, over, loose: self.eat("~") },
        };
        Ok(Some(Relation::Size(relation)))
    }

    /// The window over `over`, if a sign of one stands here.
    pub(super) fn window(
        &mut self,
        whole: DimTerm,
        stride: u32,
        over: DimTerm,
    ) -> Result<Option<SizeRelation>> {
        self.space();
        let before = self.place();
        let Some(border) = self.border()? else { return Ok(None) };
        self.space();
        if !self.eat("+") {
            self.go_back(before);
            return Ok(None);
        }
        let dilation = self.coefficient()?.unwrap_or(1);
        let kernel = DimTerm::parse(self)?;
        Ok(Some(SizeRelation::Window { whole, stride, over, dilation, kernel, border }))
    }

    /// `<`, `~[1,1]` or `=~`, if that is what stands here.
    fn border(&mut self) -> Result<Option<Border>> {
        if self.eat("=") {
            return Ok(Some(Border::Padded { loose: self.eat("~") }));
        }
        let fills = [("<", Fill::Exact), ("~", Fill::Whole), (">", Fill::Begun)];
        let Some((_, fill)) = fills.into_iter().find(|(sign, _)| self.eat(sign)) else {
            return Ok(None);
        };
        let (mut left, mut right) = (0, 0);
        if self.peek() == Some('[') {
            let start = self.place();
            match self.list(Parser::margin)?[..] {
                [one, other] => (left, right) = (one, other),
                _ => return Err(self.error(TextErrorKind::Factor, start)),
            }
        }
        Ok(Some(Border::Margins { left, right, fill }))
    }

    /// A number of elements that are added, or left out where it is negative.
    fn margin(&mut self) -> Result<i32> {
        self.space();
        let start = self.place();
        let sign = if self.eat("-") { -1 } else { 1 };
        let number = self.int().ok().and_then(|n| i32::try_from(n).ok());
        number.map(|n| sign * n).ok_or_else(|| self.error(TextErrorKind::Factor, start))
    }

    fn divisor(&mut self) -> Result<u64> {
        let start = self.place();
        match self.int()? {
            0 => Err(self.error(TextErrorKind::Factor, start)),
            n => Ok(n),
        }
    }

    /// `dim ≥ n`, after the sign.
    pub(super) fn at_least(&mut self, dim: DimTerm) -> Result<Relation> {
        self.space();
        Ok(Relation::Size(SizeRelation::AtLeast { dim, least: self.int()? }))
    }

    /// `3*`, if that is what stands here.
    fn coefficient(&mut self) -> Result<Option<u32>> {
        self.space();
        if !self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Ok(None);
        }
        let before = self.place();
        let is_coefficient = self.int().is_ok() && {
            self.space();
            self.eat("*")
        };
        self.go_back(before);
        if !is_coefficient {
            return Ok(None);
        }
        let factor = self.int().ok().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
        let Some(factor) = factor else {
            return Err(self.error(TextErrorKind::Factor, before));
        };
        self.space();
        self.eat("*");
        Ok(Some(factor))
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.space();
        if !self.eat("[") {
            return Err(self.expected(Expected::Flank));
        }
        let mut items = Vec::new();
        self.space();
        if self.eat("]") {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            self.space();
            if self.eat("]") {
                return Ok(items);
            }
            if !self.eat(",") {
                return Err(self.expected(Expected::CommaOrBracket));
            }
        }
    }
}
