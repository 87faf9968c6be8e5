//! Printing.

use alloc::string::{String, ToString};
use core::fmt::{self, Display, Formatter, Write};

use crate::{
    constraint::{Constraint, OriginId, Relation},
    dim::{Basis, Dim},
    row::{Flanks, Row},
    size::{Requirement, Size, SizeKind, SizeSymbol},
    term::{DimTerm, DimVar, Grounding, RowTerm, RowVar, Substitution, Variable},
};

use super::{Names, names::Table};

/// Items with a text form that can be printed.
pub trait Print {
    /// Writes it, with the names that `names` knows.
    ///
    /// # Errors
    /// Those of the formatter.
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result;
}

impl Names {
    /// A value that prints `item` with these names.
    pub fn show<'a, T: Print>(&'a self, item: &'a T) -> Shown<'a, T> {
        Shown { item, names: self }
    }
}

/// Without a table of names, everything goes by its index.
macro_rules! display_anonymously {
    ($($ty:ty),*) => {$(
        impl Display for $ty {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                self.print(&Names::new(), f)
            }
        }
    )*};
}
display_anonymously!(Dim, Row, DimTerm, RowTerm, Relation, Constraint, Substitution, Grounding);

/// An item and the names to print it with.
pub struct Shown<'a, T> {
    pub(super) item: &'a T,
    pub(super) names: &'a Names,
}

impl<T: Print> Display for Shown<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.item.print(self.names, f)
    }
}

impl Print for Dim {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Dim::Unit => f.write_str("1_"),
            Dim::Atom { size, basis } => {
                match size.kind() {
                    SizeKind::Int(n) => write!(f, "{n}")?,
                    SizeKind::Symbol(symbol) => {
                        named(&names.symbols, symbol.index(), "#", is_word, f)?;
                    }
                    SizeKind::Computed(_) if size == Size::EMPTY => f.write_str("0")?,
                    SizeKind::Computed(_) => {
                        let form = names.sizes.form(size);
                        write!(f, "({})", names.sizes.written(&form, &called(names)))?;
                    }
                }
                if basis == Basis::DEFAULT {
                    return Ok(());
                }
                f.write_char('_')?;
                named(&names.bases, basis.index(), "?", is_name, f)
            }
        }
    }
}

/// The text of a name in a computed size.
fn called(names: &Names) -> impl Fn(SizeSymbol) -> String + '_ {
    |name| {
        let known = names.symbols.name(name.index());
        known.map_or_else(|| alloc::format!("#{}", name.index()), str::to_string)
    }
}

impl Print for Requirement {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&names.sizes.written_requirement(self, &called(names)))
    }
}

impl Print for DimVar {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('?')?;
        variable(&names.dim_vars, self.index(), DimVar::MINTED, f)
    }
}

impl Print for RowVar {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('⟨')?;
        variable(&names.row_vars, self.index(), RowVar::MINTED, f)?;
        f.write_char('⟩')
    }
}

impl Print for Variable {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Dim(var) => var.print(names, f),
            Variable::Row(var) => var.print(names, f),
        }
    }
}

impl Print for DimTerm {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DimTerm::Var(var) => var.print(names, f),
            DimTerm::Dim(dim) => dim.print(names, f),
        }
    }
}

impl Print for Row {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        flanks(self, None, names, f)
    }
}

impl Print for RowTerm {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        flanks(&self.flanks, self.var, names, f)
    }
}

impl Print for Relation {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Relation::DimEq(left, right) => infix(left, "=", right, names, f),
            Relation::DimIneq(result, operand) => infix(result, "⊑", operand, names, f),
            Relation::RowEq(left, right) => infix(left, "≈", right, names, f),
            Relation::RowIneq(result, operand) => infix(result, "⊑", operand, names, f),
            Relation::Size(relation) => relation.print(names, f),
        }
    }
}

impl Print for Constraint {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        self.relation.print(names, f)?;
        if self.origin == OriginId::default() {
            return Ok(());
        }
        write!(f, " @{}", self.origin.index())
    }
}

impl Print for Substitution {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        let mut list = List::begin(f)?;
        for (var, term) in self.dims() {
            list.entry(&var, "↦", &term, names)?;
        }
        for (var, term) in self.rows() {
            list.entry(&var, "↦", term, names)?;
        }
        list.end()
    }
}

impl Print for Grounding {
    fn print(&self, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
        let mut list = List::begin(f)?;
        for (var, dim) in self.dims() {
            list.entry(&var, "=", &dim, names)?;
        }
        for (var, row) in self.rows() {
            list.entry(&var, "=", row, names)?;
        }
        list.end()
    }
}

fn flanks<T: Print>(
    row: &Flanks<T>,
    var: Option<RowVar>,
    names: &Names,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    flank(row.lead(), names, f)?;
    match var {
        None => f.write_char('◊')?,
        Some(var) => var.print(names, f)?,
    }
    flank(row.trail(), names, f)
}

fn flank<T: Print>(entries: &[T], names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
    if entries.is_empty() {
        return Ok(());
    }
    for (i, entry) in entries.iter().enumerate() {
        f.write_char(if i == 0 { '[' } else { ',' })?;
        entry.print(names, f)?;
    }
    f.write_char(']')
}

fn infix<L: Print, R: Print>(
    left: &L,
    sign: &str,
    right: &R,
    names: &Names,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    left.print(names, f)?;
    write!(f, " {sign} ")?;
    right.print(names, f)
}

/// Writes the name of a variable, or its index; one that a solver minted counts from `'0`.
fn variable(table: &Table, index: u32, minted: u32, f: &mut Formatter<'_>) -> fmt::Result {
    match index.checked_sub(minted) {
        Some(minted) => write!(f, "'{minted}"),
        None => named(table, index, "", is_name, f),
    }
}

/// Writes the name of `index`, in quotes unless it is `plain`, or `sigil` and the index of what
/// nobody named.
fn named(
    table: &Table,
    index: u32,
    sigil: &str,
    plain: fn(&str) -> bool,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    match table.name(index) {
        None => write!(f, "{sigil}{index}"),
        Some(name) if plain(name) => f.write_str(name),
        Some(name) => {
            f.write_char('"')?;
            for c in name.chars() {
                match c {
                    '"' => f.write_str("\\\"")?,
                    '\\' => f.write_str("\\\\")?,
                    '\n' => f.write_str("\\n")?,
                    c => f.write_char(c)?,
                }
            }
            f.write_char('"')
        }
    }
}

/// Whether a name needs no quotes where an underscore is part of it.
fn is_name(name: &str) -> bool {
    name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a name needs no quotes where an underscore ends it.
fn is_word(name: &str) -> bool {
    is_name(name) && !name.contains('_')
}

/// `{a, b, c}`.
struct List<'a, 'f> {
    f: &'a mut Formatter<'f>,
    first: bool,
}

impl<'a, 'f> List<'a, 'f> {
    fn begin(f: &'a mut Formatter<'f>) -> Result<Self, fmt::Error> {
        f.write_char('{')?;
        Ok(List { f, first: true })
    }

    fn entry<L: Print, R: Print>(
        &mut self,
        left: &L,
        sign: &str,
        right: &R,
        names: &Names,
    ) -> fmt::Result {
        if !core::mem::replace(&mut self.first, false) {
            self.f.write_str(", ")?;
        }
        infix(left, sign, right, names, self.f)
    }

    fn end(self) -> fmt::Result {
        self.f.write_char('}')
    }
}
