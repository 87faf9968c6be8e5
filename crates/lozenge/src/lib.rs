//! The shapes of tensor programs, inferred as they are built.
//!
//! Should you use this crate? If you write a tensor framework, a compiler or a tool that sees
//! tensor programs, and do not want to maintain symbolic sizes, einsum planning and shape messages
//! of your own: yes. You say what operations there are; it finds every axis of every tensor, also
//! of the weights that nobody annotated, and says which lines disagree where it cannot. It does not
//! compute with elements; what an operation does with them is an [`Assignment`], a value that
//! `lozenge-lower` makes a loop nest of, prints and executes.
//!
//! A [`Session`] is a program under construction. Every operation is taken in at once, and refused
//! at once if it does not fit; what is refused leaves no trace. Reading a shape commits nothing.
//!
//! ```
//! use lozenge::Session;
//!
//! let mut session = Session::new();
//! let x = session.data("x", "batch|->784")?; // a size by a name stays symbolic
//! let labels = session.data("labels", "batch|->10")?;
//! let hidden = session.parameter_of("hidden", "...->128")?;
//! let output = session.parameter("output"); // nobody says what shape it has
//! let bias = session.parameter("bias");
//!
//! let product = session.compose(hidden, x)?; // what x gives, hidden takes
//! let active = session.pointwise("relu", &[product])?;
//! let product = session.compose(output, active)?;
//! let guess = session.pointwise("+", &[product, bias])?;
//! let error = session.pointwise("-", &[guess, labels])?;
//!
//! let shapes = session.close()?;
//! assert_eq!(shapes.shape(hidden)?.to_string(), "784->128");
//! assert_eq!(shapes.shape(output)?.to_string(), "128->10");
//! assert_eq!(shapes.shape(bias)?.to_string(), "10");
//! assert_eq!(shapes.shape(error)?.to_string(), "batch|10");
//!
//! // A specification says what is read from each operand and where the result is written.
//! let gram = session.einsum("...|i; ...|j => ...|i->j", &[guess, guess])?;
//! assert_eq!(session.close()?.shape(gram)?.to_string(), "batch|10->10");
//! # Ok::<(), lozenge::Report>(())
//! ```
//!
//! | you want | look at |
//! |---|---|
//! | what shapes and broadcasting are | [`Shape`], and `docs/calculus.md` |
//! | the notation of shapes and specifications | `docs/notation.md` |
//! | operations, and your own | [`Operation`] and its implementors |
//! | sizes by their names | [`Session::capture`], [`Session::set`], [`Session::equal`], [`Session::scale`] |
//! | messages about your own source text | [`Site`], [`Session::at`] |
//! | what nothing determines of one einsum | [`query`] |
//! | dimensions one by one: unified, inferred | [`dims`] |
//! | why an axis has its size | [`Session::why`] |
//! | a warning no more | [`Session::allow`] |
//! | a fork | [`Session::clone`] |
//! | a bound on work | [`Session::with_budget`] |
//!
//! A shape is three rows, `batch | input -> output`. A size is a claim and never stretches, not
//! even 1; only `1_` does, which is what a number has. Sessions are values: `Clone`, `Send` and
//! `Sync`; two in one process never meet.

mod assignment;
mod close;
pub mod dims;
mod explain;
mod number;
mod operation;
pub mod query;
mod session;
mod shape;
mod text;

pub use assignment::{Assignment, Product};
pub use close::{Closed, Valued};
pub use explain::AxisPlace;
/// What there is to say about a program, and its renderers.
pub use lozenge_diagnostic as diagnostic;
pub use lozenge_diagnostic::Report;
pub use lozenge_notation::{Kind, Spec};
pub use lozenge_solve::{
    Budget,
    close::{Policy, Role},
};
pub use operation::{
    Accumulation, Binary, BitCast, Compose, ComposeAccumulate, Constant, Declaration, Einsum,
    Expression, Misfit, Operation, Pointwise, Reshape, Scheme, SchemeKey, SchemePart, Terminal,
    Ternary, Transpose, Unary,
};
pub(crate) use session::Inference;
pub use session::{At, Session, Site, SizeVar, Tensor};
pub use shape::{Axis, Computed, PartialRow, PartialShape, Shape, Size};

/// Loop nests: product spaces and index maps, and what can be asked of them.
///
/// Whoever lowers an assignment has to know every form of an [`Index`](project::Index), every
/// [`Term`](project::Term) and every [`Write`](project::Write), so that these lists are exhaustive.
pub mod project {
    pub use lozenge_calculus::size::Size as Extent;
    pub use lozenge_project::{
        Affine, AxisMap, Budget, Concat, Coverage, Decision, Digit, Index, LoopId, Margin, Offset,
        Point, Record, Slot, Statement, SymbolId, Term, Write, decide,
    };
}

/// The terms that an [`Operation`] relates: those of the calculus, whose grammar is exhaustive.
pub mod term {
    pub use lozenge_calculus::{
        constraint::{Border, Constraint, Count, Fill, Part, Relation, SizeRelation},
        dim::{Basis, Dim},
        size::Size,
        term::{DimTerm, DimVar, Grounding, RowTerm, RowVar, Variable},
    };
}

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
