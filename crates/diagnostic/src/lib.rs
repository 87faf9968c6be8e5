//! Diagnostics as values: what is wrong, where, why, and what to write instead.
//!
//! A [`Diagnostic`] has a [`Code`], a headline that stands alone, labels on both sides of what
//! disagrees, notes and helps. A [`Help`] may carry edits that a program can apply. Whoever finds a
//! mistake makes the value; whoever has a terminal, an editor or a log renders it: [`full`] for
//! people, [`concise`] for one line each, [`json`] for programs.
//!
//! ```
//! use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Sources, Span, concise};
//!
//! let sources = Sources::new().with("spec", "o+k; k => o");
//! let diagnostic = Diagnostic::new(Code::MissingMarker, "the window `o+k` has no marker")
//!     .label(Span::new(0, 3), "neither `<` nor `=`")
//!     .help(Help::choice("whole windows only", [Edit::insert(1, "<")]));
//! assert_eq!(
//!     concise(&diagnostic, &sources),
//!     "spec:1:1: error[missing-marker]: the window `o+k` has no marker"
//! );
//! assert_eq!(diagnostic.helps[0].apply("o+k; k => o"), "o<+k; k => o");
//! ```
//!
//! **Invariants.** The first label is the primary one. A headline, a label, a note and a help have
//! no line break. Edits of one help do not overlap and are in order; a help edits one source.

mod claim;
mod code;
mod concise;
mod diagnostic;
#[cfg(feature = "full")]
mod full;
#[cfg(feature = "json")]
mod json;
mod report;
mod source;

pub use claim::{Claim, Together};
pub use code::{Code, Severity};
pub use concise::concise;
pub use diagnostic::{Applicability, Diagnostic, Edit, Help, Label, MAX_EDITS, Told};
#[cfg(feature = "full")]
pub use full::{Look, full};
#[cfg(feature = "schema")]
pub use json::schema;
#[cfg(feature = "json")]
pub use json::{SCHEMA, json};
pub use report::Report;
pub use source::{Place, Position, Source, SourceId, Sources, Span};

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
