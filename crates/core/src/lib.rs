//! The calculus of Lozenge.
//!
//! Should you use this crate? If you write a tensor framework or compiler and want its shapes
//! inferred, you will want the crate `lozenge`, once it exists. This one is what it stands on: the
//! algebra of dimensions and rows, the terms and constraints over it, the judge that says what
//! satisfies them, the solver that finds it, and the closing that makes one answer of it. It has no opinion on source text, files or tensors.
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
//! | [`constraint`] | the four atomic constraints, with their origins |
//! | [`judge`] | what it means to satisfy a constraint |
//! | [`solve`] | configurations, rules, ranks, solved forms |
//! | [`decide`] | whether there is a solution at all |
//! | [`close`] | a value for every variable that solving left free |
//! | [`explain`] | why a variable has its value |
//! | [`project`] | the loop nest of one operation |
//! | [`text`] | one text form for all of it, printed and parsed |
//!
//! # An example
//!
//! An operand of shape `[3]◊[4]` broadcasts at its marker, so it serves a result `[3, 2, 4]`:
//!
//! ```
//! use lozenge_core::{constraint::Constraint, judge::Judge, term::Grounding, text::Names};
//!
//! let mut names = Names::new();
//! let good = names.parse::<Constraint>("◊[3,2,4] <= [3]◊[4]")?;
//! let bad = names.parse::<Constraint>("◊[3,2,4] <= ◊[3,4]")?;
//!
//! let ground = Grounding::top();
//! assert!(Judge::OneShot.satisfies(&ground, &good));
//! assert!(!Judge::OneShot.satisfies(&ground, &bad));
//! # Ok::<(), lozenge_core::text::TextError>(())
//! ```

#![no_std]

extern crate alloc;

pub mod close;
pub mod constraint;
pub mod decide;
pub mod dim;
pub mod explain;
pub mod judge;
pub mod project;
pub mod row;
pub mod size;
pub mod solve;
pub mod term;
pub mod text;
