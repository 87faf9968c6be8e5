//! How much work a solver may do. Running out is an error of its own, never a hang.

use core::fmt;

/// Bounds on the work of one solver over its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// How many rules may be applied.
    pub steps: u64,
    /// How many variables rules may mint.
    pub minted: u32,
    /// How many axes a given row term may have, and a binding; at most 65,535.
    pub rank: u16,
}

/// What ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// [`Budget::steps`].
    Steps,
    /// [`Budget::minted`].
    Minted,
    /// [`Budget::rank`].
    Rank,
    /// The solver's indices, which are 32 bits wide.
    Indices,
    /// The numbers that are sizes: a computed one is not.
    Sizes,
}

impl Default for Budget {
    /// Far beyond what a program of ten million operations needs.
    fn default() -> Budget {
        Budget { steps: 1 << 40, minted: 1 << 30, rank: u16::MAX }
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exhausted::Steps => "the budget of solver steps is used up",
            Exhausted::Minted => "the budget of new variables is used up",
            Exhausted::Rank => "a row has more axes than the budget allows",
            Exhausted::Sizes => "a size that was computed is too large to be one",
            Exhausted::Indices => "the program is larger than 32-bit indices allow",
        })
    }
}

impl core::error::Error for Exhausted {}
