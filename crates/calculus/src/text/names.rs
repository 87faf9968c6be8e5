//! The names of variables, bases and symbolic sizes.

use alloc::{boxed::Box, collections::BTreeMap};

use crate::{
    dim::Basis,
    size::{SizeSymbol, Sizes},
    term::{DimVar, RowVar},
};

/// A table of names, one name space a sort.
///
/// Names are given indices in order of appearance. Looking up a name that the table does not know
/// adds it.
#[derive(Clone, Debug)]
pub struct Names {
    pub(super) dim_vars: Table,
    pub(super) row_vars: Table,
    pub(super) bases: Table,
    pub(super) symbols: Table,
    pub(super) sizes: Sizes,
}

/// The name of [`Basis::DEFAULT`], never printed.
const DEFAULT_BASIS: &str = "default";

impl Names {
    /// The table that knows no name.
    pub const fn new() -> Names {
        Names {
            dim_vars: Table::new(0, DimVar::MINTED),
            row_vars: Table::new(0, RowVar::MINTED),
            bases: Table::new(Basis::DEFAULT.index() + 1, u32::MAX),
            symbols: Table::new(0, u32::MAX),
            sizes: Sizes::new(),
        }
    }

    /// The dimension variable of this name, which is added if it is new; `None` when all indices
    /// are taken.
    pub fn dim_var(&mut self, name: &str) -> Option<DimVar> {
        self.dim_vars.index(name).map(DimVar::new)
    }

    /// The row variable of this name, which is added if it is new; `None` when all indices are
    /// taken.
    pub fn row_var(&mut self, name: &str) -> Option<RowVar> {
        self.row_vars.index(name).map(RowVar::new)
    }

    /// The basis of this name, which is added if it is new; `None` when all indices are taken.
    pub fn basis(&mut self, name: &str) -> Option<Basis> {
        if name == DEFAULT_BASIS {
            Some(Basis::DEFAULT)
        } else {
            self.bases.index(name).map(Basis::new)
        }
    }

    /// The symbolic size of this name, which is added if it is new; `None` when all indices are
    /// taken.
    pub fn symbol(&mut self, name: &str) -> Option<SizeSymbol> {
        self.symbols.index(name).map(SizeSymbol::new)
    }

    /// Takes over a table of sizes, so that computed sizes are printed as what they are.
    pub fn set_sizes(&mut self, sizes: &Sizes) {
        self.sizes = sizes.clone();
    }

    /// The dimension variable of this name, if there is one.
    pub fn find_dim_var(&self, name: &str) -> Option<DimVar> {
        self.dim_vars.by_name.get(name).copied().map(DimVar::new)
    }

    /// The row variable of this name, if there is one.
    pub fn find_row_var(&self, name: &str) -> Option<RowVar> {
        self.row_vars.by_name.get(name).copied().map(RowVar::new)
    }
}

impl Default for Names {
    fn default() -> Names {
        Names::new()
    }
}

/// The names of one sort.
#[derive(Clone, Debug)]
pub(super) struct Table {
    by_name: BTreeMap<Box<str>, u32>,
    by_index: BTreeMap<u32, Box<str>>,
    /// Above every index that was named or mentioned, so that a new name never takes the place of
    /// something that goes by its index. 64 bits, so that it can be above the last index too.
    next: u64,
    /// Below this are the indices that names are given.
    end: u32,
}

impl Table {
    const fn new(next: u32, end: u32) -> Table {
        Table { by_name: BTreeMap::new(), by_index: BTreeMap::new(), next: next as u64, end }
    }

    pub(super) fn name(&self, index: u32) -> Option<&str> {
        self.by_index.get(&index).map(|name| &**name)
    }

    pub(super) fn index(&mut self, name: &str) -> Option<u32> {
        if let Some(index) = self.by_name.get(name) {
            return Some(*index);
        }
        let index = u32::try_from(self.next).ok().filter(|index| *index < self.end)?;
        self.by_name.insert(name.into(), index);
        self.by_index.insert(index, name.into());
        self.next += 1;
        Some(index)
    }

    /// Notes that something goes by this index.
    pub(super) fn mention(&mut self, index: u32) -> u32 {
        if index < self.end {
            self.next = self.next.max(u64::from(index) + 1);
        }
        index
    }
}
