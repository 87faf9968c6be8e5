//! The notation of Lozenge: specifications and shapes as text.
//!
//! Use this crate to read, check, print or explain specifications such as `b|h->o; b|i->h =>
//! b|i->o` and shapes such as `2|3->4,3_rgb` without inferring anything, or to speak of mistakes in
//! your own texts with the same values and renderers. What a specification means for shapes and
//! loops is not here: that is `lozenge`'s, on top of `lozenge-calculus`.
//!
//! ```
//! use lozenge_notation::{Form, Kind, Spec};
//!
//! let spec: Spec = "... | 2*o<+k, c; k, c -> d => ... | o, d".parse()?;
//! let image = &spec.operands()[0];
//! let (_, output) = spec.axes(image.row(Kind::Output));
//! assert_eq!(output.len(), 2); // the axis that the window slides along, and c
//! assert!(matches!(output[0].form, Form::Affine(_)));
//! assert!(image.row(Kind::Batch).ellipsis.is_some()); // any batch axes
//! # Ok::<(), lozenge_diagnostic::Report>(())
//! ```
//!
//! A mistake is a value, and its text is one to read:
//!
//! ```
//! let rejection = "o+k; k => o".parse::<lozenge_notation::Spec>().unwrap_err();
//! assert_eq!(
//!     rejection.to_string(),
//!     "\
//! error[missing-marker]: the window `o+k` has no border marker
//!  --> spec:1:1
//!   |
//! 1 | o+k; k => o
//!   | ^ - slides along it
//!   | |
//!   | `<` or `=` belongs behind this
//!   |
//! help: whole windows only: the result is shorter
//!   |
//! 1 | o<+k; k => o
//!   |  +
//! help: padded: a window at every step
//!   |
//! 1 | o=+k; k => o
//!   |  +"
//! );
//! ```
//!
//! Parsing is a pure function, linear in the text, and never panics; a text of more than
//! [`MAX_LEN`] bytes is refused. The grammar, the rules and examples are in `docs/notation.md`.

mod bind;
mod check;
mod effect;
mod fit;
pub mod fresh;
mod mend;
mod mistake;
mod parse;
mod print;
mod scan;
mod shape;
mod sums;
mod token;
mod tree;

pub use fit::Known;
pub use parse::{Dialect, Parsed, parse, parse_as};
pub use print::write_rows;
pub use shape::{
    Computed, ComputedId, Dim, DimForm, MadeDim, MadeRow, ParsedShape, Range, Shape, Size,
    parse_shape,
};
pub use token::MAX_LEN;
pub use tree::{
    Affine, AffineId, Axis, Border, Coefficient, Ellipsis, Form, Kind, Label, NameId, Part,
    PartForm, Parts, Row, Slot, Spec, Style, Use, Window,
};

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
