//! Shapes: three rows of axes, as far as they are known.
//!
//! A [`Shape`] is known whole; it comes from [closing](crate::Session::close). A [`PartialShape`]
//! is what is known while a program is built: an axis may have no size yet, and a row may have more
//! axes than are known. Both are printed in the notation of `docs/notation.md` and read by it.

use std::{
    collections::BTreeMap,
    fmt::{self, Display, Formatter},
    sync::Arc,
};

use lozenge_calculus::{
    dim::{Basis, Dim},
    row::Row,
    size::{Polynomial, Requirement, Size as Count, SizeKind, SizeSymbol, Sizes, elements},
    term::{DimTerm, Grounding, RowTerm, RowVar},
};

use lozenge_notation::{MadeDim, MadeRow, fresh::or_numbered, write_rows};

use crate::{Kind, number::index};

/// The order of rows in memory.
pub(crate) const IN_MEMORY: [Kind; 3] = [Kind::Batch, Kind::Output, Kind::Input];

/// The order in which rows are made. Of those whose elements are counted together, the one that is
/// made last keeps the axes that nothing places: the output while it is open, else the batch, else
/// the input.
pub(crate) const BY_EAGERNESS: [Kind; 3] = [Kind::Input, Kind::Batch, Kind::Output];

/// One axis.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Axis {
    /// `1_`: one element that claims nothing, and alone stretches.
    Unit,
    /// A size, and what its elements stand for.
    Sized {
        /// How many elements.
        size: Size,
        /// What they stand for, where somebody said.
        basis: Option<Arc<str>>,
    },
}

/// The number of elements of an axis.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Size {
    /// A number of elements.
    Number(u64),
    /// The size of this name, equal only to itself.
    Named(Arc<str>),
    /// A size that is computed from names: `2*batch`.
    Computed(Computed),
}

/// A size that is computed from names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Computed {
    text: Arc<str>,
    size: Count,
}

impl Computed {
    pub(crate) fn size(&self) -> Count {
        self.size
    }

    /// As it is written.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }
}

/// A shape that is known: three rows of axes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Shape {
    rows: [ShapeRow; 3],
}

/// A row of a shape. Where it is an operand, it is widened at its marker.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct ShapeRow {
    axes: Vec<Axis>,
    marker: usize,
}

/// A shape as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartialShape {
    rows: [PartialRow; 3],
}

/// A row as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartialRow {
    axes: Vec<Option<Axis>>,
    marker: usize,
    open: bool,
}

impl Axis {
    /// How many elements it has; `None` for a size that stays symbolic.
    pub fn count(&self) -> Option<u64> {
        match self {
            Axis::Unit => Some(1),
            Axis::Sized { size: Size::Number(count), .. } => Some(*count),
            Axis::Sized { size: Size::Named(_) | Size::Computed(_), .. } => None,
        }
    }
}

impl Shape {
    pub(crate) fn new(rows: [ShapeRow; 3]) -> Shape {
        Shape { rows }
    }

    /// The axes of this kind, in order.
    pub fn row(&self, kind: Kind) -> &[Axis] {
        &self.rows[kind as usize].axes
    }

    /// How many of the axes of this kind stand before the marker, where broadcasting inserts more.
    pub fn marker(&self, kind: Kind) -> usize {
        self.rows[kind as usize].marker
    }

    /// How many axes it has.
    pub fn rank(&self) -> usize {
        self.rows.iter().map(|row| row.axes.len()).sum()
    }

    /// The sizes of this kind as numbers; `None` where one stays symbolic.
    pub fn sizes(&self, kind: Kind) -> Option<Vec<u64>> {
        self.row(kind).iter().map(Axis::count).collect()
    }

    /// The same with numbers for sizes that are none.
    pub(crate) fn with_numbers(&self, number: impl Fn(&Size) -> Option<u64>) -> Shape {
        let mut shape = self.clone();
        for axis in shape.rows.iter_mut().flat_map(|row| &mut row.axes) {
            if let Axis::Sized { size, .. } = axis {
                if let Some(number) = number(size) {
                    *size = Size::Number(number);
                }
            }
        }
        shape
    }

    /// How many elements it has; `None` where a size stays symbolic, or the number is too large.
    pub fn elements(&self) -> Option<u64> {
        elements(Kind::ALL.into_iter().flat_map(|kind| self.row(kind)).map(Axis::count))
    }
}

impl PartialShape {
    /// The row of this kind, as far as it is known.
    pub fn row(&self, kind: Kind) -> &PartialRow {
        &self.rows[kind as usize]
    }

    /// How many elements it has; `None` where that is not known, or too large.
    pub fn elements(&self) -> Option<u64> {
        if !self.is_known() {
            return None;
        }
        elements(self.rows.iter().flat_map(|row| row.axes.iter().flatten()).map(Axis::count))
    }

    /// As it is written in the notation.
    pub(crate) fn written(&self) -> lozenge_notation::Shape {
        lozenge_notation::Shape::made(&self.rows.each_ref().map(|row| {
            let dims = row.axes.iter().map(|axis| made(axis.as_ref())).collect();
            MadeRow { dims, ellipsis: row.open.then_some(row.marker) }
        }))
    }

    /// Whether everything is known.
    pub fn is_known(&self) -> bool {
        self.rows.iter().all(|row| !row.open && row.axes.iter().all(Option::is_some))
    }
}

/// An axis in the notation; `_` where its size is not known.
fn made(axis: Option<&Axis>) -> MadeDim<'_> {
    match axis {
        None => MadeDim::Unknown,
        Some(Axis::Unit) => MadeDim::Unit,
        Some(Axis::Sized { size: Size::Number(number), basis }) => {
            MadeDim::Number(*number, basis.as_deref())
        }
        Some(Axis::Sized { size: Size::Named(name), basis }) => {
            MadeDim::Named(name, basis.as_deref())
        }
        // The same form is the same size, as the same name is.
        Some(Axis::Sized { size: Size::Computed(computed), basis }) => {
            MadeDim::Named(&computed.text, basis.as_deref())
        }
    }
}

impl PartialRow {
    /// The known axes, in order; `None` where only that there is an axis is known.
    pub fn axes(&self) -> &[Option<Axis>] {
        &self.axes
    }

    /// How many of them stand before the marker.
    pub fn marker(&self) -> usize {
        self.marker
    }

    /// Whether there may be more axes, at the marker.
    pub fn is_open(&self) -> bool {
        self.open
    }
}

/// What a name begins with that is a new one in every session.
pub(crate) const FRESH: char = '*';

/// The names of bases and symbolic sizes, by their numbers in the solver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameTable {
    /// Without that of the default basis, which has none.
    bases: Vec<Arc<str>>,
    symbols: Vec<Arc<str>>,
    /// The sizes by names that became numbers.
    numbers: BTreeMap<SizeSymbol, u64>,
}

impl NameTable {
    pub(crate) fn basis(&mut self, name: &str) -> Basis {
        Basis::new(place(&mut self.bases, name) + Basis::DEFAULT.index() + 1)
    }

    pub(crate) fn symbol(&mut self, name: &str) -> SizeSymbol {
        SizeSymbol::new(place(&mut self.symbols, name))
    }

    /// Whether a name is to be a new one in every session.
    pub(crate) fn has_fresh(&self) -> bool {
        self.symbols.iter().any(|name| name.starts_with(FRESH))
    }

    /// Gives such names their texts, where these are taken.
    pub(crate) fn name_fresh(&mut self, taken: &NameTable) {
        for place in 0..self.symbols.len() {
            let Some(called) = self.symbols[place].strip_prefix(FRESH) else { continue };
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let word: String = called.chars().map(|c| if is_word(c) { c } else { '_' }).collect();
            let is_free = |name: &str| {
                let is_it = |known: &Arc<str>| **known == *name;
                !taken.symbols.iter().any(is_it) && !self.symbols.iter().any(is_it)
            };
            let free = or_numbered(&word, &format!("{word}_"), 2, is_free);
            self.symbols[place] = free.into();
        }
    }

    /// The name of a size, if there is one.
    pub(crate) fn find_symbol(&self, name: &str) -> Option<SizeSymbol> {
        let place = self.symbols.iter().position(|known| **known == *name)?;
        u32::try_from(place).ok().map(SizeSymbol::new)
    }

    /// Makes a name a number.
    pub(crate) fn specialise(&mut self, name: SizeSymbol, value: u64) {
        self.numbers.insert(name, value);
    }

    /// Makes all numbers names again.
    pub(crate) fn forget_numbers(&mut self) {
        self.numbers.clear();
    }

    /// The number that a name became.
    pub(crate) fn number(&self, name: SizeSymbol) -> Option<u64> {
        self.numbers.get(&name).copied()
    }

    /// The names that became numbers.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (&str, u64)> + '_ {
        self.numbers.iter().map(|(name, number)| (self.display_name(*name), *number))
    }

    /// All names of sizes.
    pub(crate) fn names(&self) -> impl Iterator<Item = SizeSymbol> + use<> {
        (0..index(self.symbols.len())).map(SizeSymbol::new)
    }

    /// The text of a name.
    pub(crate) fn display_name(&self, name: SizeSymbol) -> &str {
        self.symbols.get(name.index() as usize).map_or("", |name| name)
    }

    /// With what sizes are that are no numbers.
    pub(crate) fn with<'a>(&'a self, sizes: &'a Sizes) -> Naming<'a> {
        Naming { name_table: self, sizes }
    }

    /// Adds the names that others have.
    pub(crate) fn include(&mut self, others: &NameTable) {
        for name in &others.bases {
            place(&mut self.bases, name);
        }
        for name in &others.symbols {
            place(&mut self.symbols, name);
        }
    }

    /// A dimension that others name, whose names are among these.
    pub(crate) fn adopted(&self, dim: Dim, others: &NameTable) -> Dim {
        let Dim::Atom { size, basis } = dim else { return dim };
        let size = match size.kind() {
            // No scheme computes.
            SizeKind::Symbol(symbol) => Count::symbol(self.adopted_symbol(symbol, others)),
            _ => size,
        };
        let first = Basis::DEFAULT.index() + 1;
        let place = basis.index().checked_sub(first);
        let basis = match place.and_then(|place| others.bases.get(place as usize)) {
            Some(name) => Basis::new(first + known_place(&self.bases, name)),
            None => basis,
        };
        Dim::atom(size, basis)
    }

    /// A dimension, with a number if it is by a name that became one.
    pub(crate) fn with_number(&self, dim: Dim) -> Dim {
        let Dim::Atom { size, basis } = dim else { return dim };
        let SizeKind::Symbol(symbol) = size.kind() else { return dim };
        let number = self.number(symbol).and_then(|number| Count::int(number).ok());
        Dim::atom(number.unwrap_or(size), basis)
    }

    /// The name that others have a symbol for.
    pub(crate) fn adopted_symbol(&self, symbol: SizeSymbol, others: &NameTable) -> SizeSymbol {
        let name = others.symbols.get(symbol.index() as usize);
        name.map_or(symbol, |name| SizeSymbol::new(known_place(&self.symbols, name)))
    }

    pub(crate) fn lens(&self) -> [usize; 2] {
        [self.bases.len(), self.symbols.len()]
    }

    pub(crate) fn truncate(&mut self, [bases, symbols]: [usize; 2]) {
        self.bases.truncate(bases);
        self.symbols.truncate(symbols);
    }
}

/// What dimensions are called.
#[derive(Clone, Copy)]
pub(crate) struct Naming<'a> {
    name_table: &'a NameTable,
    sizes: &'a Sizes,
}

impl Naming<'_> {
    fn display_name(&self, name: SizeSymbol) -> Arc<str> {
        self.name_table.display_name(name).into()
    }

    /// A size with its name.
    pub(crate) fn named(&self, size: Count) -> Size {
        let size = self.sizes.taken_for(size);
        match size.kind() {
            _ if size == Count::EMPTY => Size::Number(0),
            SizeKind::Int(count) => Size::Number(count),
            SizeKind::Symbol(symbol) => Size::Named(self.display_name(symbol)),
            _ => {
                let text = self.written(&self.sizes.form(size));
                Size::Computed(Computed { text, size })
            }
        }
    }

    /// A form as it is written.
    pub(crate) fn written(&self, form: &Polynomial) -> Arc<str> {
        let called = |name: SizeSymbol| self.display_name(name).to_string();
        self.sizes.written(form, &called).into()
    }

    /// The names that a size is, or is computed from.
    pub(crate) fn names_in(&self, size: Count) -> Vec<Arc<str>> {
        if let SizeKind::Int(_) = size.kind() {
            return vec![];
        }
        let names = self.sizes.names(&self.sizes.form(size)).into_iter();
        names.filter_map(Sizes::symbol).map(|name| self.display_name(name)).collect()
    }

    /// A requirement, as it is written.
    pub(crate) fn requirement(&self, requirement: &Requirement) -> String {
        let called = |name: SizeSymbol| self.display_name(name).to_string();
        self.sizes.written_requirement(requirement, &called)
    }

    /// A dimension with its names.
    pub(crate) fn axis(&self, dim: Dim) -> Axis {
        let Dim::Atom { size, basis } = dim else { return Axis::Unit };
        let size = self.named(size);
        let place = basis.index().checked_sub(Basis::DEFAULT.index() + 1);
        let basis = place.and_then(|place| self.name_table.bases.get(place as usize)).cloned();
        Axis::Sized { size, basis }
    }

    /// A row as it is closed.
    pub(crate) fn row(&self, ground: &Grounding, row: RowView<'_>) -> ShapeRow {
        match row {
            RowView::NoAxes => ShapeRow::default(),
            RowView::Var(var) => self.closed(&ground.row_var(var)),
            RowView::Term(RowTerm { flanks, var: None }) => {
                let axes = flanks.flat().iter().map(|term| self.axis(ground.dim(*term))).collect();
                ShapeRow { axes, marker: flanks.lead().len() }
            }
            RowView::Term(term) => self.closed(&ground.row(term)),
        }
    }

    fn closed(&self, row: &Row) -> ShapeRow {
        let axes = row.flat().iter().map(|dim| self.axis(*dim)).collect();
        ShapeRow { axes, marker: row.lead().len() }
    }

    pub(crate) fn partial(&self, rows: &[RowTerm; 3]) -> PartialShape {
        let entry = |term: &DimTerm| term.ground().map(|dim| self.axis(dim));
        let row = |row: &RowTerm| PartialRow {
            axes: row.flanks.flat().iter().map(entry).collect(),
            marker: row.flanks.lead().len(),
            open: row.var.is_some(),
        };
        PartialShape { rows: [row(&rows[0]), row(&rows[1]), row(&rows[2])] }
    }
}

/// Where a name is in a table that has it.
fn known_place(names: &[Arc<str>], name: &Arc<str>) -> u32 {
    let place = names.iter().position(|known| known == name);
    debug_assert!(place.is_some(), "a name was not taken over");
    index(place.unwrap_or(names.len())) // a name of no text rather than that of another
}

/// Where a name is in a table; it is added if it is new.
fn place(names: &mut Vec<Arc<str>>, name: &str) -> u32 {
    let place = names.iter().position(|known| **known == *name).unwrap_or_else(|| {
        names.push(name.into());
        names.len() - 1
    });
    index(place)
}

impl Display for Axis {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Axis::Unit => f.write_str("1_"),
            Axis::Sized { size, basis: None } => size.fmt(f),
            Axis::Sized { size, basis: Some(basis) } => {
                let sign = match size {
                    Size::Number(_) => '_',
                    Size::Named(_) | Size::Computed(_) => ':',
                };
                write!(f, "{size}{sign}{basis}")
            }
        }
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Size::Number(count) => count.fmt(f),
            Size::Named(name) => f.write_str(name),
            Size::Computed(computed) => f.write_str(&computed.text),
        }
    }
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_rows(
            f,
            |kind| self.row(kind).is_empty(),
            |kind, f| write_entries(f, self.row(kind).iter()),
        )
    }
}

impl Display for PartialShape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_empty = |kind| self.row(kind).axes.is_empty() && !self.row(kind).open;
        write_rows(f, is_empty, |kind, f| self.row(kind).fmt(f))
    }
}

impl Display for PartialRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let entry = |axis: &Option<Axis>| match axis {
            Some(axis) => axis.to_string(),
            None => "_".to_owned(),
        };
        let (before, after) = self.axes.split_at(self.marker);
        let dots = self.open.then(|| "...".to_owned());
        write_entries(f, before.iter().map(entry).chain(dots).chain(after.iter().map(entry)))
    }
}

/// A row as it is kept.
#[derive(Clone, Copy)]
pub(crate) enum RowView<'a> {
    NoAxes,
    Var(RowVar),
    Term(&'a RowTerm),
}

impl Shape {
    /// Three written rows, batch, input and output, in the notation of shapes: `b|i->o`.
    pub fn of_written(rows: [String; 3]) -> String {
        struct Written([String; 3]);
        impl Display for Written {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                let row = |kind: Kind| &self.0[kind as usize];
                write_rows(f, |kind| row(kind).is_empty(), |kind, f| f.write_str(row(kind)))
            }
        }
        Written(rows).to_string()
    }
}

fn write_entries(
    f: &mut Formatter<'_>,
    entries: impl Iterator<Item = impl Display>,
) -> fmt::Result {
    for (i, entry) in entries.enumerate() {
        if i > 0 {
            f.write_str(",")?;
        }
        entry.fmt(f)?;
    }
    Ok(())
}
