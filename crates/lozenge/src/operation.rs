//! Operations: what each asks of the shapes of its operands and its result.
//!
//! An operation is a value with a name that gives a [`Scheme`] for a number of operands. Those of
//! this crate are one small file a family; a framework adds its own by implementing [`Operation`].
//!
//! | file | operations | what they ask |
//! |---|---|---|
//! | `interface` | | what any of them is: a trait |
//! | `part` | | the parts of one, which messages point at |
//! | `misfit` | | why one cannot be applied at all, as a value |
//! | `scheme`, `instance` | | what any of them asks and does, as a value; what that is said of |
//! | `scalar` | | how elements that are read become one, and how it is accumulated |
//! | `terminal` | numbers, data, parameters, constants | their declared rows; a number of elements; exact axes |
//! | `captured` | | a declared shape in which axes are captured sizes |
//! | `pointwise` | arithmetic of one operand or more | result ⊑ operand, kind by kind |
//! | `compose` | composition, with and without a sum | the input of the first ⊑ the output of the second |
//! | `transpose` | input and output exchanged | result ⊑ operand |
//! | `einsum` | all that a specification says | rows of operands ≈ their templates |
//! | `template` | the rows of a specification | relations between sizes |
//! | `reshape` | the same elements in another shape, also in other widths | equal numbers of elements |
//! | `range` | | the values of named sizes |
//! | `statement` | what is said of tensors and sizes | equalities, sizes, scales, ranges of names |

mod captured;
mod compose;
mod declared;
mod einsum;
mod instance;
mod interface;
mod misfit;
mod part;
mod pointwise;
mod range;
mod reshape;
mod run_time;
mod scalar;
mod scheme;
mod statement;
mod template;
mod terminal;
mod transpose;
mod variables;

pub(crate) use captured::OfCaptured;
pub use compose::{Compose, ComposeAccumulate};
pub(crate) use declared::Declare;
pub use einsum::Einsum;
pub(crate) use instance::Instance;
pub use interface::{Declaration, Operation};
pub use misfit::Misfit;
pub use part::SchemePart;
pub use pointwise::Pointwise;
pub(crate) use range::NameRange;
pub use reshape::{BitCast, Reshape};
pub use scalar::{Accumulation, Binary, Constant, Expression, Ternary, Unary};
pub use scheme::{Scheme, SchemeKey};
pub(crate) use scheme::{SchemeLeaf, Schemes};
pub(crate) use statement::{
    NameSize, NewSize, RangeName, SameInputOutput, SameShape, SameSize, ScaleSize, SetSize, is_name,
};
pub use terminal::Terminal;
pub(crate) use terminal::written;
pub use transpose::Transpose;
pub(crate) use variables::Variables;
