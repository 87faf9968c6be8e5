//! A size as one word: a number, a name, or the number of a form in a table.

use core::fmt;

/// The size of an axis: a positive integer, a name, or what a [table](super::Sizes) computes from
/// names.
///
/// `==` is identity. Two computed sizes are equal iff they have the same normal form, and one that
/// is a number is that number; what an equation between different ones says,
/// [`Sizes::decide`](super::Sizes::decide) knows.
///
/// ```
/// use lozenge_calculus::size::{Size, SizeError, SizeKind};
/// assert_eq!(Size::int(3)?.kind(), SizeKind::Int(3));
/// assert_eq!(Size::int(0), Ok(Size::EMPTY));
/// # Ok::<(), SizeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u64);

/// The kinds of [`Size`], for those who print it or compute with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum SizeKind {
    /// A literal number of elements: at least 1, but for a part that is [left out](Size::ZERO).
    Int(u64),
    /// A name.
    Symbol(SizeSymbol),
    /// A size of a [table](super::Sizes), by its number; and what is written as [0](Size::EMPTY),
    /// which is in every table.
    Computed(u32),
}

/// The identity of a named size such as `batch`. Its name is kept elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SizeSymbol(u32);

/// Why a number is not a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SizeError {
    /// The number is above [`Size::MAX`].
    TooLarge,
}

/// A number that is not a size came up in computing one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

/// Set in the word of a symbol, clear in the word of an integer.
const SYMBOL_TAG: u64 = 1 << 63;

/// Set as well in the word of a computed size.
const COMPUTED_TAG: u64 = 1 << 62;

impl Size {
    /// The largest integer that is a size.
    pub const MAX: u64 = SYMBOL_TAG - 1;

    /// No elements: only a part of a concatenation that may be left out has this size. Nobody can
    /// write it.
    pub const ZERO: Size = Size(0);

    /// No elements, of an axis that was written so, as a cache is at the first step. Rules compute
    /// with it as with a name whose only value is 0: an unknown number has an element, and what is
    /// divided by a number is divided by no 0.
    pub const EMPTY: Size = Size::computed(u32::MAX);

    /// The literal size `n`.
    ///
    /// # Errors
    /// When `n` is above [`Size::MAX`].
    pub const fn int(n: u64) -> Result<Size, SizeError> {
        match n {
            0 => Ok(Size::EMPTY),
            1..SYMBOL_TAG => Ok(Size(n)),
            SYMBOL_TAG.. => Err(SizeError::TooLarge),
        }
    }

    /// The size that `symbol` names.
    pub const fn symbol(symbol: SizeSymbol) -> Size {
        Size(SYMBOL_TAG | symbol.0 as u64)
    }

    /// The size of a table with this number.
    pub(super) const fn computed(number: u32) -> Size {
        Size(SYMBOL_TAG | COMPUTED_TAG | number as u64)
    }

    /// One element.
    pub const ONE: Size = Size(1);

    /// How many elements that is; `None` for a size that stays symbolic.
    pub const fn count(self) -> Option<u64> {
        match self.kind() {
            SizeKind::Int(n) => Some(n),
            SizeKind::Symbol(_) | SizeKind::Computed(_) => None,
        }
    }

    /// The kind of this size.
    pub const fn kind(self) -> SizeKind {
        // The low word is an index, put there by `symbol` or `computed`.
        #[allow(clippy::cast_possible_truncation)]
        let index = self.0 as u32;
        if self.0 & SYMBOL_TAG == 0 {
            SizeKind::Int(self.0)
        } else if self.0 & COMPUTED_TAG == 0 {
            SizeKind::Symbol(SizeSymbol(index))
        } else {
            SizeKind::Computed(index)
        }
    }
}

impl fmt::Debug for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

impl SizeSymbol {
    /// The symbol with this index.
    pub const fn new(index: u32) -> SizeSymbol {
        SizeSymbol(index)
    }

    /// The index it was made from.
    pub const fn index(self) -> u32 {
        self.0
    }
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SizeError::TooLarge => write!(f, "a size is at most {}", Size::MAX),
        }
    }
}

impl core::error::Error for SizeError {}
