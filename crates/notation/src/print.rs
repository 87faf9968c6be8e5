//! Printing: a tree in the one normal spelling of its author's style.
//!
//! What is printed parses to the same tree, and what is parsed from it prints the same.

use std::{
    cell::Cell,
    fmt::{self, Display, Formatter, Write},
};

use crate::tree::{
    Affine, Axis, Border, Coefficient, Form, Kind, Label, NameId, Part, PartForm, Row, Slot, Spec,
    Style,
};

impl Display for Spec {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let printer = Printer::new(self);
        for (i, operand) in self.operands().iter().enumerate() {
            if i > 0 {
                f.write_str(if operand.is_empty() { ";" } else { "; " })?;
            }
            printer.slot(operand, f)?;
        }
        let first = self.operands().len() == 1 && self.operands()[0].is_empty();
        f.write_str(if first { "=>" } else { " =>" })?;
        if self.result().is_empty() {
            return Ok(());
        }
        f.write_str(" ")?;
        printer.slot(self.result(), f)
    }
}

impl Slot {
    fn is_empty(&self) -> bool {
        self.rows.iter().all(Row::is_empty)
    }
}

struct Printer<'a> {
    spec: &'a Spec,
    style: Style,
    /// Whether a comma still has to follow a row, because nothing else says that names are words:
    /// it follows the first that has anything in it.
    comma_due: Cell<bool>,
}

impl<'a> Printer<'a> {
    fn new(spec: &'a Spec) -> Self {
        let bare = spec.style != Style::Letters && !has_separator(spec);
        let style = if bare { Style::Commas } else { spec.style };
        Self { spec, style, comma_due: Cell::new(bare) }
    }

    fn slot(&self, slot: &Slot, f: &mut Formatter<'_>) -> fmt::Result {
        let blank = if self.style == Style::Letters { "" } else { " " };
        let is_empty = |kind| slot.row(kind).is_empty();
        write_kinds(f, blank, is_empty, |kind, f| self.row(slot.row(kind), f))
    }

    fn row(&self, row: &Row, f: &mut Formatter<'_>) -> fmt::Result {
        let separator = match self.style {
            Style::Letters => "",
            Style::Blanks => " ",
            Style::Commas => ", ",
        };
        let name = |id| self.spec.name(id);
        write_row(f, row, self.spec.axes(row), separator, name, |axis, f| self.axis(axis, f))?;
        if !row.is_empty() && self.comma_due.take() {
            f.write_char(',')?;
        }
        Ok(())
    }

    fn axis(&self, axis: &Axis, f: &mut Formatter<'_>) -> fmt::Result {
        match axis.form {
            Form::Axis(label) => self.label(label, f),
            Form::Fixed(index) => write!(f, "{index}"),
            Form::Runtime(index) => write!(f, "@{}", self.spec.name(index)),
            Form::Affine(id) => self.affine(self.spec.affine(id), f),
            Form::Concat(parts) => self.parts(self.spec.parts(parts), '^', f),
            Form::Merged(parts) => {
                f.write_char('(')?;
                self.parts(self.spec.parts(parts), ' ', f)?;
                f.write_char(')')
            }
        }
    }

    fn affine(&self, affine: &Affine, f: &mut Formatter<'_>) -> fmt::Result {
        self.coefficient(affine.stride, f)?;
        self.label(affine.over, f)?;
        if let Some(window) = affine.window {
            f.write_str(window.border.marker())?;
            match window.margins {
                [0, 0] => {}
                [left, right] if left == right => write!(f, "[{left}]")?,
                [left, right] => {
                    let between = if self.spec.style == Style::Commas { ',' } else { ' ' };
                    write!(f, "[{left}{between}{right}]")?;
                }
            }
        } else if affine.loose {
            f.write_str(Border::Whole.marker())?;
        }
        if affine.offset > 0 {
            write!(f, "+{}", affine.offset)?;
        }
        if let Some(window) = affine.window {
            f.write_char('+')?;
            self.coefficient(window.dilation, f)?;
            self.label(window.kernel, f)?;
        }
        Ok(())
    }

    fn coefficient(&self, coefficient: Coefficient, f: &mut Formatter<'_>) -> fmt::Result {
        match coefficient {
            Coefficient::ONE => Ok(()),
            Coefficient::Number(number) => write!(f, "{number}*"),
            Coefficient::Named(name) => write!(f, "{}*", self.spec.name(name)),
        }
    }

    fn parts(&self, parts: &[Part], between: char, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                f.write_char(between)?;
            }
            match part.form {
                PartForm::Axis(label) => self.label(label, f)?,
                PartForm::Size(size) => write!(f, "{size}")?,
            }
        }
        Ok(())
    }

    fn label(&self, label: Label, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(label.name().map_or("_", |name: NameId| self.spec.name(name)))
    }
}

/// Writes the three rows of a shape with the signs between them, `batch|input->output`. A row
/// without entries is left out with its sign.
///
/// ```
/// use lozenge_notation::{Kind, write_rows};
/// let mut text = String::new();
/// write_rows(&mut text, |kind| kind == Kind::Input, |kind, text| text.write_str(&kind.name()[..1]))?;
/// assert_eq!(text, "b|o");
/// # use std::fmt::Write;
/// # Ok::<(), std::fmt::Error>(())
/// ```
///
/// # Errors
/// Those of the writer.
pub fn write_rows<W: Write>(
    f: &mut W,
    is_empty: impl Fn(Kind) -> bool,
    write: impl Fn(Kind, &mut W) -> fmt::Result,
) -> fmt::Result {
    write_kinds(f, "", is_empty, write)
}

/// Writes three rows, with a blank on each side of a sign: after it only where more follows.
fn write_kinds<W: Write>(
    f: &mut W,
    blank: &str,
    is_empty: impl Fn(Kind) -> bool,
    write: impl Fn(Kind, &mut W) -> fmt::Result,
) -> fmt::Result {
    let mut before = "";
    for kind in Kind::ALL.into_iter().filter(|kind| !is_empty(*kind)) {
        f.write_str(before)?;
        write(kind, f)?;
        if kind != Kind::Output {
            f.write_str(blank)?;
            f.write_str(kind.sign())?;
            before = blank;
        }
    }
    Ok(())
}

/// Writes a row of a specification or a shape: its entries, and its ellipsis among them.
pub(crate) fn write_row<'a, T>(
    f: &mut Formatter<'_>,
    row: &Row,
    (before, after): (&[T], &[T]),
    separator: &str,
    name: impl Fn(NameId) -> &'a str,
    entry: impl Fn(&T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let mut first = true;
    let mut separate = |f: &mut Formatter<'_>| {
        f.write_str(if std::mem::take(&mut first) { "" } else { separator })
    };
    for it in before {
        separate(f)?;
        entry(it, f)?;
    }
    if let Some(ellipsis) = row.ellipsis {
        separate(f)?;
        match ellipsis.name {
            None => f.write_str("...")?,
            Some(id) => write!(f, "..{}..", name(id))?,
        }
    }
    for it in after {
        separate(f)?;
        entry(it, f)?;
    }
    Ok(())
}

/// Whether something that is printed says that names are words: a separator or an operator.
fn has_separator(spec: &Spec) -> bool {
    let rows = || spec.slots.iter().flat_map(|slot| &slot.rows);
    let operator =
        |axis: &Axis| matches!(axis.form, Form::Affine(_) | Form::Concat(_) | Form::Merged(_));
    rows().any(|row| {
        let (before, after) = spec.axes(row);
        let entries = before.len() + after.len() + usize::from(row.ellipsis.is_some());
        entries > 1 || before.iter().chain(after).any(operator)
    })
}

impl Spec {
    /// Whether `other` is the same specification, however it is written: the same rows of the same
    /// axes, with the same names.
    pub fn same(&self, other: &Spec) -> bool {
        let plain = |spec: &Spec| Spec { style: Style::Commas, ..spec.clone() }.to_string();
        plain(self) == plain(other)
    }
}
