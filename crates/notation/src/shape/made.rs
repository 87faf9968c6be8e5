//! Shapes that are made of values, not read.

use super::value::{Dim, DimForm, Shape, Size};
use crate::{
    token::place,
    tree::{Ellipsis, Kind, Name, NameId, Row, Slot, Use},
};
use lozenge_diagnostic::Span;

/// An axis of a shape that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeDim<'a> {
    /// Nothing is known of it.
    Unknown,
    /// `1_`.
    Unit,
    /// A number of elements, and what they stand for.
    Number(u64, Option<&'a str>),
    /// A name for how many there are, and what they stand for.
    Named(&'a str, Option<&'a str>),
}

/// A row of a shape that is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeRow<'a> {
    /// The axes that are known.
    pub dims: Vec<MadeDim<'a>>,
    /// How many of them stand before an ellipsis, if there is one.
    pub ellipsis: Option<usize>,
}

impl Shape {
    /// The shape with these rows, batch, input and output, and its text.
    ///
    /// ```
    /// use lozenge_notation::{MadeDim, MadeRow, Shape};
    /// let batch = MadeRow { dims: vec![MadeDim::Named("batch", None)], ellipsis: None };
    /// let output = MadeRow { dims: vec![MadeDim::Number(3, Some("rgb"))], ellipsis: Some(0) };
    /// let shape = Shape::made(&[batch, MadeRow::default(), output]);
    /// assert_eq!(shape.text(), "batch|...,3_rgb");
    /// ```
    pub fn made(rows: &[MadeRow<'_>; 3]) -> Shape {
        let mut writer = Writer { text: String::new(), dims: vec![], names: vec![] };
        let rows = Kind::ALL.map(|kind| {
            let made = writer.row(&rows[kind as usize]);
            if !made.is_empty() {
                writer.text.push_str(kind.sign());
            }
            made
        });
        let Writer { text, dims, names } = writer;
        let slot = Slot { span: Span::new(0, length(&text)), rows };
        Shape { text: text.into(), slot, dims, nodes: vec![], names }
    }
}

/// A text, and what was written of it.
struct Writer {
    text: String,
    dims: Vec<Dim>,
    names: Vec<Name>,
}

impl Writer {
    fn row(&mut self, row: &MadeRow<'_>) -> Row {
        let (at, start) = (length(&self.text), place(self.dims.len()));
        let mut ellipsis = None;
        for place in 0..=row.dims.len() {
            if row.ellipsis == Some(place) {
                self.separate(at);
                let span = self.write("...");
                ellipsis = Some(Ellipsis { span, name: None, before: self::place(place) });
            }
            if let Some(dim) = row.dims.get(place) {
                self.separate(at);
                self.dim(dim);
            }
        }
        let span = Span::new(at, length(&self.text));
        Row { span, ellipsis, start, end: place(self.dims.len()) }
    }

    fn dim(&mut self, dim: &MadeDim<'_>) {
        let at = length(&self.text);
        let form = match *dim {
            MadeDim::Unknown => {
                self.write("_");
                DimForm::Unknown
            }
            MadeDim::Unit => {
                self.write("1_");
                DimForm::Unit
            }
            MadeDim::Number(size, basis) => {
                self.write(&size.to_string());
                DimForm::Known(Size::Number(size), self.basis("_", basis))
            }
            MadeDim::Named(name, basis) => {
                let span = self.write(name);
                let id = self.name(span);
                DimForm::Known(Size::Named(id), self.basis(":", basis))
            }
        };
        self.dims.push(Dim { span: Span::new(at, length(&self.text)), form, range: None });
    }

    fn basis(&mut self, sign: &str, basis: Option<&str>) -> Option<Span> {
        let basis = basis?;
        self.write(sign);
        Some(self.write(basis))
    }

    /// The number of a name that was written here.
    fn name(&mut self, span: Span) -> NameId {
        let written = span.of(&self.text);
        let known = self.names.iter().position(|name| name.span.of(&self.text) == written);
        let place = known.unwrap_or(self.names.len());
        match self.names.get_mut(place) {
            Some(name) => name.count += 1,
            None => self.names.push(Name { span, count: 1, uses: Use::Axis.bit() }),
        }
        NameId(self::place(place))
    }

    /// A comma, if something was written of the row that began here.
    fn separate(&mut self, at: u32) {
        if length(&self.text) > at {
            self.write(",");
        }
    }

    fn write(&mut self, text: &str) -> Span {
        let at = length(&self.text);
        self.text.push_str(text);
        Span::new(at, length(&self.text))
    }
}

fn length(text: &str) -> u32 {
    place(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is made is what is read of its text, spans and all.
    #[test]
    fn what_is_made_is_read_the_same() {
        let dims = [
            MadeDim::Unknown,
            MadeDim::Unit,
            MadeDim::Number(12, None),
            MadeDim::Number(3, Some("rgb")),
            MadeDim::Named("seq_len", None),
            MadeDim::Named("c", Some("rgb")),
            MadeDim::Named("seq_len", None),
        ];
        for numbers in 0..500 {
            let row = |seed: usize| {
                let dims: Vec<MadeDim<'_>> =
                    (0..seed % 4).map(|place| dims[(seed / 4 + place * 3) % 7]).collect();
                let ellipsis = (seed % 3 == 0).then_some(seed / 3 % (dims.len() + 1));
                MadeRow { dims, ellipsis }
            };
            let rows = [row(numbers), row(numbers * 7 + 1), row(numbers * 13 + 2)];
            let made = Shape::made(&rows);
            let read: Shape = made.text().parse().unwrap();
            let spans = |shape: &Shape| {
                let rows = Kind::ALL.map(|kind| {
                    let row = shape.row(kind);
                    (row.rank(), row.ellipsis.map(|it| (it.span, it.before)))
                });
                format!("{rows:?} {:?}", shape.dims)
            };
            assert_eq!(spans(&made), spans(&read), "{}", made.text());
        }
    }
}
