//! Variables for dimensions and for rows.

/// A dimension variable, the document's α.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DimVar(u32);

/// A row variable, the document's ρ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RowVar(u32);

impl DimVar {
    /// Indices from here on are for variables that a solver mints.
    pub const MINTED: u32 = 1 << 31;

    /// The variable with this index.
    pub const fn new(index: u32) -> DimVar {
        DimVar(index)
    }

    /// The index it was made from.
    pub const fn index(self) -> u32 {
        self.0
    }
}

impl RowVar {
    /// Indices from here on are for variables that a solver mints.
    pub const MINTED: u32 = 1 << 31;

    /// The variable with this index.
    pub const fn new(index: u32) -> RowVar {
        RowVar(index)
    }

    /// The index it was made from.
    pub const fn index(self) -> u32 {
        self.0
    }
}
