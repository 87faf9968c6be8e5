//! How much work a solver may do. Running out is an error of its own, never a hang.

use core::fmt;

/// Bounds on the work of one solver over its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
#[non_exhaustive]
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

impl Budget {
    /// The budget of a solver of which nothing else is said: far beyond what a program of ten
    /// million operations needs.
    pub const DEFAULT: Budget = Budget { steps: 1 << 40, minted: 1 << 30, rank: u16::MAX };

    /// The same budget, but for the number of rules that may be applied.
    #[must_use]
    pub const fn with_steps(self, steps: u64) -> Budget {
        Budget { steps, ..self }
    }

    /// The same budget, but for the number of variables that rules may mint.
    #[must_use]
    pub const fn with_minted(self, minted: u32) -> Budget {
        Budget { minted, ..self }
    }

    /// The same budget, but for the number of axes that a row term may have.
    #[must_use]
    pub const fn with_rank(self, rank: u16) -> Budget {
        Budget { rank, ..self }
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::DEFAULT
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
