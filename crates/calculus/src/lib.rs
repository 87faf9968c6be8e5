//! The calculus of Lozenge.
//!
//! Should you use this crate? If you write a tensor framework or compiler and want its shapes
//! inferred, you want the crate `lozenge`. This one is what it stands on: the algebra of sizes,
//! dimensions and rows, the terms and constraints over it, and the judge that says what satisfies
//! them. What solves constraints is `lozenge-solve`, what makes loops of them `lozenge-project`.
//!
//! The modules come in the order of the calculus (`docs/calculus.md`), and each knows only those
//! before it:
//!
//! | module | holds |
//! |---|---|
//! | [`size`] | how many elements an axis has |
//! | [`dim`] | dimensions: atoms, bases, the claim-free unit; the broadcast order |
//! | [`row`] | rows: two flanks around a marker; expansion, orders, joins |
//! | [`term`] | variables, terms, substitutions |
//! | [`constraint`] | constraints between dimensions, rows and sizes, with their origins |
//! | [`judge`] | what it means to satisfy a constraint |
//! | [`text`] | one text form for all of it, printed and parsed |
//!
//! Two modules stand apart, for whoever needs them: [`union_find`], partitions into classes, and
//! [`number`], conversions between kinds of integers.
//!
//! # An example
//!
//! An operand of shape `[3]◊[4]` broadcasts at its marker, so it serves a result `[3, 2, 4]`:
//!
//! ```
//! use lozenge_calculus::{constraint::Constraint, judge::Judge, term::Grounding, text::Names};
//!
//! let mut names = Names::new();
//! let good = names.parse::<Constraint>("◊[3,2,4] <= [3]◊[4]")?;
//! let bad = names.parse::<Constraint>("◊[3,2,4] <= ◊[3,4]")?;
//!
//! let ground = Grounding::top();
//! assert!(Judge::OneShot.satisfies(&ground, &good));
//! assert!(!Judge::OneShot.satisfies(&ground, &bad));
//! # Ok::<(), lozenge_calculus::text::TextError>(())
//! ```

#![no_std]

extern crate alloc;

pub mod constraint;
pub mod dim;
pub mod judge;
pub mod number;
pub mod row;
pub mod size;
pub mod term;
pub mod text;
pub mod union_find;

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
