//! Names that become numbers without solving again.
//!
//! Rules look at atoms in one way only: whether two of them are the same. So what was derived with
//! a name holds with a number in its place, step by step, unless something followed from the name
//! being another size than that number: an axis that both are below is broadcast. Sizes that are
//! computed from the name are others then, too. Wherever that may be so the program is to be solved
//! again.

use lozenge_calculus::{
    dim::Dim,
    size::{Size, SizeKind, SizeSymbol},
};

use crate::{config::Config, solver::Solver, tables::node::DimRef, why::conflict::Conflict};

impl Solver {
    /// Makes a name a number wherever it stands. Gives whether it did: if not, the constraints are
    /// to be solved again with the number.
    pub fn specialise(&mut self, name: SizeSymbol, value: u64) -> bool {
        let Ok(number) = Size::int(value) else { return false };
        if value < 2 || !self.may_become(name, number) {
            return false;
        }
        self.config.tables.dims.met.put_number(Size::symbol(name), number);
        true
    }

    /// Takes a name that is known at run time for another size where a conflict says so, wherever
    /// it stands. Gives that name; if there is none the constraints are to be solved again.
    pub fn equate_in_place(&mut self, conflict: &Conflict) -> Option<SizeSymbol> {
        let (one, other) = conflict.clash.filter(|_| !conflict.is_chosen())?;
        let late = |dim: Dim| match dim.size().kind() {
            SizeKind::Symbol(name) => {
                Some(name).filter(|name| self.config.sizes.is_at_run_time(*name))
            }
            _ => None,
        };
        // The last of them, as where all is solved again.
        let name = late(one).max(late(other))?;
        let size = if one.size() == Size::symbol(name) { other.size() } else { one.size() };
        let is_simple = match size.kind() {
            SizeKind::Int(number) => number > 1,
            SizeKind::Symbol(_) => true,
            _ => false,
        };
        if !is_simple || !self.may_become(name, size) || !self.config.equate(conflict) {
            return None;
        }
        self.config.tables.dims.met.put_taken(Size::symbol(name), size);
        Some(name)
    }

    /// Whether nothing changes but what stands there where a name becomes another size.
    fn may_become(&self, name: SizeSymbol, number: Size) -> bool {
        if self.snapshots > 0 || self.config.is_computed_with(name) {
            return false;
        }
        let name = Size::symbol(name);
        let are_parted = |[one, other]: &[DimRef; 2]| match (
            self.config.tables.dims.met(*one),
            self.config.tables.dims.met(*other),
        ) {
            (
                Some(Dim::Atom { size, basis }),
                Some(Dim::Atom { size: another, basis: other_basis }),
            ) => {
                let sizes = [size, another];
                basis == other_basis && (sizes == [name, number] || sizes == [number, name])
            }
            _ => false,
        };
        !self.config.parted.iter().any(are_parted)
    }

    /// Makes a number the name again that it was. Nothing was taken since.
    pub fn take_back_number(&mut self, name: SizeSymbol) {
        self.config.tables.dims.met.put_name(Size::symbol(name));
    }

    /// Takes a name for itself again that was [taken](Solver::equate_in_place) for another size.
    /// Nothing was taken since.
    pub fn take_back_size(&mut self, name: SizeSymbol) {
        self.config.tables.dims.met.put_name(Size::symbol(name));
        self.config.sizes.take_back(name);
        self.config.equated.pop();
    }
}

impl Config {
    /// Whether relations between sizes are over a name.
    fn is_computed_with(&self, name: SizeSymbol) -> bool {
        let mut required =
            self.tables.requirements.iter().map(|(required, _)| self.sizes.names_of(required));
        let is_name = |term: DimRef| {
            self.tables
                .dims
                .met(self.tables.dims.resolve(term))
                .is_some_and(|dim| dim.size() == Size::symbol(name))
        };
        self.sizes.takes_with(name)
            || self.sizes.computes_with(name)
            || required.any(|names| names.contains(&name))
            || self.tables.relations.all.iter().any(|relation| relation.rows.len > 0)
            || self.tables.relations.parts.iter().any(|part| is_name(part.dim))
    }
}
