//! A shape, as it is written: rows of sizes, with the text that they stand in.

use std::fmt::{self, Display, Formatter};

use crate::{
    print::{write_row, write_rows},
    token::place,
    tree::{Kind, Name, NameId, Row, Slot, Use, row_places},
};
use lozenge_diagnostic::Span;

/// A shape, as it is written.
#[derive(Clone, Debug)]
pub struct Shape {
    pub(super) text: Box<str>,
    pub(super) slot: Slot,
    pub(super) dims: Vec<Dim>,
    /// The parts of computed sizes.
    pub(super) nodes: Vec<Node>,
    pub(super) names: Vec<Name>,
}

impl Shape {
    /// The shape with axes of a row in other places: the axis at each of these places is the one
    /// that was at the place beside it. The axes stay where they are written.
    #[must_use]
    pub fn exchanged(&self, kind: Kind, places: &[(usize, usize)]) -> Shape {
        let mut exchanged = self.clone();
        let first = self.slot.row(kind).start as usize;
        for (place, from) in places {
            let dims = (exchanged.dims.get_mut(first + place), self.dims.get(first + from));
            if let (Some(place), Some(from)) = dims {
                *place = *from;
            }
        }
        exchanged
    }
}

/// An axis of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Dim {
    /// Where it is written.
    pub span: Span,
    /// The form: what is known about its size.
    pub form: DimForm,
    /// The range of its name, where one is written.
    pub range: Option<Range>,
}

/// The values of a size by a name, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least value; 1, where nothing is written.
    pub low: u64,
    /// The greatest value, if there is one.
    pub high: Option<u64>,
    /// Whether `any` stands before the name: it has to stay free.
    pub any: bool,
    /// Whether `*` stands before the name: its value is known when the program runs, and
    /// requirements of it are checked then.
    pub at_run_time: bool,
}

impl Range {
    /// From 1 on.
    pub(super) const ANY: Range = Range { low: 1, high: None, any: false, at_run_time: false };
}

/// The form of an axis in a shape: what is known about its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimForm {
    /// Its size, and where its basis is written, if one is.
    Known(Size, Option<Span>),
    /// What its size is computed from.
    Computed(ComputedId),
    /// `1_`, the claim-free unit.
    Unit,
    /// `_`: nothing.
    Unknown,
    /// `*`: that its size is known when the program runs.
    AtRunTime,
    /// `?`: that it is what it meets, and `1_` where it meets nothing or different sizes.
    Met,
}

/// A size in a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A number, at least 1.
    Number(u64),
    /// A name, equal only to itself.
    Named(NameId),
}

/// A computed size, by its number in its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputedId(pub(super) u32);

/// A size that is computed, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Computed {
    /// A number, at least 1.
    Number(u64),
    /// A name.
    Named(NameId),
    /// Terms, and whether each is subtracted; the first is not.
    Sum(Vec<(bool, ComputedId)>),
    /// Factors.
    Product(Vec<ComputedId>),
    /// An exact quotient, by one after another.
    Quotient(ComputedId, Vec<ComputedId>),
}

/// A part of a computed size, and where it is written.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) computed: Computed,
    pub(super) span: Span,
    /// How many parts are in each other in it.
    pub(super) depth: usize,
}

impl Shape {
    /// The text that it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it is written.
    pub const fn span(&self) -> Span {
        self.slot.span
    }

    /// The names of its sizes and row variables, in the order in which they are written first.
    pub fn names(&self) -> impl ExactSizeIterator<Item = NameId> + use<> {
        (0..place(self.names.len())).map(NameId)
    }

    /// The basis of an axis, where one is written.
    pub fn basis(&self, dim: &Dim) -> Option<&str> {
        match dim.form {
            DimForm::Known(_, basis) => basis.map(|basis| basis.of(&self.text)),
            DimForm::Computed(_)
            | DimForm::Unit
            | DimForm::Unknown
            | DimForm::AtRunTime
            | DimForm::Met => None,
        }
    }

    /// The row of this kind. A kind that is not written is closed and empty.
    pub const fn row(&self, kind: Kind) -> &Row {
        self.slot.row(kind)
    }

    /// The axes of a row: before its ellipsis, and after it. All axes of a closed row are after.
    pub fn dims(&self, row: &Row) -> (&[Dim], &[Dim]) {
        row.split(&self.dims)
    }

    /// The text of a name, of a size or of a row variable.
    pub fn name(&self, id: NameId) -> &str {
        self.names[id.index()].span.of(&self.text)
    }

    pub(super) fn places(&self, id: NameId) -> Vec<(Use, Span)> {
        let sizes = self.dims.iter().filter_map(|dim| match dim.form {
            DimForm::Known(Size::Named(name), basis) if name == id => {
                // Without the basis.
                let end = basis.map_or(dim.span.end, |basis| basis.start - 1);
                Some((Use::Axis, Span::new(dim.span.start, end)))
            }
            _ => None,
        });
        let parts = self.nodes.iter().filter(|node| node.computed == Computed::Named(id));
        let sizes = sizes.chain(parts.map(|node| (Use::Axis, node.span)));
        let slots = std::slice::from_ref(&self.slot);
        let rows = row_places(slots, id).map(|(_, span)| (Use::Row, span));
        let mut places: Vec<_> = sizes.chain(rows).collect();
        places.sort_unstable_by_key(|(_, span)| *span);
        places
    }

    fn write_row(&self, row: &Row, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |id| self.name(id);
        write_row(f, row, self.dims(row), ",", name, |dim, f| self.write_dim(dim, f))
    }

    /// Writes an axis as it is written in a shape.
    pub(crate) fn write_dim(&self, dim: &Dim, f: &mut impl fmt::Write) -> fmt::Result {
        if dim.range.is_some_and(|range| range.any) {
            f.write_str("any ")?;
        }
        if dim.range.is_some_and(|range| range.at_run_time) {
            f.write_char('*')?;
        }
        self.write_form(dim, f)?;
        match dim.range {
            Some(Range { low: 1, high: None, .. }) | None => Ok(()),
            Some(Range { low, high: None, .. }) => write!(f, ":{low}.."),
            Some(Range { low, high: Some(high), .. }) => write!(f, ":{low}..{high}"),
        }
    }

    fn write_form(&self, dim: &Dim, f: &mut impl fmt::Write) -> fmt::Result {
        match dim.form {
            DimForm::Known(size, basis) => {
                let sign = match size {
                    Size::Number(number) => {
                        write!(f, "{number}")?;
                        '_'
                    }
                    Size::Named(name) => {
                        f.write_str(self.name(name))?;
                        ':'
                    }
                };
                basis.map_or(Ok(()), |basis| write!(f, "{sign}{}", basis.of(&self.text)))
            }
            DimForm::Computed(id) => self.write_computed(id, f),
            DimForm::Unit => f.write_str("1_"),
            DimForm::Unknown => f.write_char('_'),
            DimForm::AtRunTime => f.write_char('*'),
            DimForm::Met => f.write_char('?'),
        }
    }
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_empty = |kind| self.row(kind).is_empty();
        write_rows(f, is_empty, |kind, f| self.write_row(self.row(kind), f))
    }
}

impl Shape {
    /// A computed size, or a part of one.
    pub fn computed(&self, id: ComputedId) -> &Computed {
        &self.nodes[id.0 as usize].computed
    }

    fn write_computed(&self, id: ComputedId, f: &mut impl fmt::Write) -> fmt::Result {
        match self.computed(id) {
            Computed::Number(number) => write!(f, "{number}"),
            Computed::Named(name) => f.write_str(self.name(*name)),
            Computed::Sum(terms) => {
                for (place, (minus, term)) in terms.iter().enumerate() {
                    f.write_str(match (minus, place) {
                        (true, _) => "-",
                        (false, 0) => "",
                        (false, _) => "+",
                    })?;
                    let is_sum = matches!(self.computed(*term), Computed::Sum(_));
                    self.write_part(*term, is_sum, f)?;
                }
                Ok(())
            }
            Computed::Product(factors) => {
                for (place, factor) in factors.iter().enumerate() {
                    f.write_str(if place > 0 { "*" } else { "" })?;
                    let in_parentheses = match self.computed(*factor) {
                        Computed::Number(_) | Computed::Named(_) => false,
                        Computed::Sum(_) | Computed::Product(_) => true,
                        Computed::Quotient(..) => place > 0,
                    };
                    self.write_part(*factor, in_parentheses, f)?;
                }
                Ok(())
            }
            Computed::Quotient(of, by) => {
                let is_sum = matches!(self.computed(*of), Computed::Sum(_));
                // A quotient behind another would be read as one.
                let is_quotient = matches!(self.computed(*of), Computed::Quotient(..));
                self.write_part(*of, is_sum || is_quotient, f)?;
                for by in by {
                    f.write_char('/')?;
                    let by_one =
                        matches!(self.computed(*by), Computed::Number(_) | Computed::Named(_));
                    self.write_part(*by, !by_one, f)?;
                }
                Ok(())
            }
        }
    }

    fn write_part(
        &self,
        id: ComputedId,
        in_parentheses: bool,
        f: &mut impl fmt::Write,
    ) -> fmt::Result {
        if !in_parentheses {
            return self.write_computed(id, f);
        }
        f.write_char('(')?;
        self.write_computed(id, f)?;
        f.write_char(')')
    }
}
