//! How many elements an axis has.
//!
//! Invariant: every arithmetic operation on sizes lives in this module, and no other module may
//! assume that a size is a literal beyond comparing two sizes for equality. A size is one machine
//! word, so that a million operations' worth of them stay small: a number, a name, or the number of
//! a form in a [table](Sizes).

mod bounds;
mod equal;
mod equation;
mod factored;
mod grid;
mod interval;
mod known;
mod linear;
mod many;
mod polynomial;
mod print;
mod product;
mod quotient;
mod requirement;
mod residue;
mod roots;
mod shifted;
mod table;
mod together;
mod word;

pub use interval::Interval;
pub use known::{
    Side, Sides, divides, divisors, elements, fills, lacking, margin, missing, plus, remainder,
    stride,
};
pub use linear::{Implied, Unknown, solve_linear};
pub use polynomial::{Indeterminate, Polynomial};
pub use product::{Factor, solve_product};
pub use requirement::{Decision, Requirement};
pub use table::Sizes;
pub use together::CommonValues;
pub use word::{Overflow, Size, SizeError, SizeKind, SizeSymbol};
