//! Operations: what each asks of the shapes of its operands and its result.
//!
//! An operation is a value with a name that gives a [`Scheme`] for a number of operands. Those of this crate are one
//! small file a family; a framework adds its own by implementing [`Operation`].
//!
//! | file | operations | what they ask |
//! |---|---|---|
//! | `scheme` | | what any of them asks and does, as a value |
//! | `scalar` | | how elements that are read become one, and how it is accumulated |
//! | `terminal` | numbers, data, parameters, constants | their declared rows; a number of elements; exact axes |
//! | `pointwise` | arithmetic of one operand or more | result ⊑ operand, kind by kind |
//! | `compose` | composition, with and without a sum | the input of the first ⊑ the output of the second |
//! | `transpose` | input and output exchanged | result ⊑ operand |
//! | `einsum` | all that a specification says | rows of operands ≈ their templates |
//! | `template` | the rows of a specification | relations between sizes |
//! | `reshape` | the same elements in another shape, also in other widths | equal numbers of elements |
//! | `statement` | what is said of tensors and sizes that exist | equalities, sizes, scales |

mod compose;
mod einsum;
mod pointwise;
mod reshape;
mod scalar;
mod scheme;
mod statement;
mod template;
mod terminal;
mod transpose;

use std::{fmt, sync::Arc};

pub use compose::{Compose, ComposeAccumulate};
pub use einsum::Einsum;
pub use pointwise::Pointwise;
pub use reshape::{BitCast, Reshape};
pub use scalar::{Accumulation, Binary, Constant, Expression, Ternary, Unary};
pub(crate) use scheme::{Instance, SchemeLeaf, Schemes};
pub use scheme::{Scheme, SchemeKey};
pub(crate) use statement::{
    NameSize, NewSize, SameInputOutput, SameShape, SameSize, ScaleSize, SetSize,
};
pub use terminal::Terminal;
pub use transpose::Transpose;

use crate::{Kind, Rejection, Role, Spec};

/// Something that relates the shapes of its operands and its result.
///
/// ```
/// use std::sync::Arc;
///
/// use lozenge::{Kind, Operation, Rejection, Scheme, Session};
///
/// /// The gram matrix of a row: what comes out goes in as well.
/// #[derive(Debug)]
/// struct Gram;
///
/// impl Operation for Gram {
///     fn name(&self) -> &str {
///         "gram"
///     }
///
///     fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Rejection> {
///         let mut scheme = Scheme::new(operands);
///         scheme.expect_operands(1)?;
///         let [batch, input, output] = Kind::ALL;
///         scheme.broadcast_rows(0, [(batch, batch), (input, output), (output, output)]);
///         Ok(scheme.into())
///     }
/// }
///
/// let mut session = Session::new();
/// let x = session.data("x", "32|->10")?;
/// let gram = session.apply(Gram, &[x])?;
/// assert_eq!(session.close()?.shape(gram)?.to_string(), "32|10->10");
/// # Ok::<(), Rejection>(())
/// ```
pub trait Operation: fmt::Debug + Send + Sync {
    /// What people call it. A sign such as `+` is written between its operands.
    fn name(&self) -> &str;

    /// What it asks and does, with so many operands. It is asked once for every use, or once for all uses of a
    /// [key](Operation::scheme_key).
    ///
    /// # Errors
    /// When it cannot be applied to so many operands, or to anything at all. Shapes that do not fit are not
    /// found here: they are what the session finds.
    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Rejection>;

    /// What its scheme depends on, but for the number of operands, if a session may keep it: operations with the same
    /// key have the same schemes.
    fn scheme_key(&self) -> Option<SchemeKey> {
        None
    }

    /// The specification that says what it does, where there is one.
    fn spec(&self) -> Option<&Spec> {
        None
    }

    /// The names of its specification whose sizes are given with it.
    fn sizes(&self) -> Vec<(&str, u64)> {
        vec![]
    }

    /// What is written behind its operands in a message: `to 2,3`.
    fn detail(&self) -> Option<String> {
        let sizes = self.sizes();
        let sizes: Vec<String> =
            sizes.iter().map(|(name, size)| format!("{name}={size}")).collect();
        (!sizes.is_empty()).then(|| format!("{{{}}}", sizes.join(" ")))
    }

    /// What closing takes its result for, if no operation makes it: data or a parameter.
    fn role(&self) -> Option<Role> {
        None
    }

    /// How it is written in a message, when not as its name and its operands: a declaration, a statement.
    fn declaration(&self) -> Option<Declaration> {
        None
    }
}

/// How a declaration is written: `data x: 2,3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// What stands before the text: `data x: `.
    pub head: String,
    /// The text that places refer to: `2,3`.
    pub text: String,
}

/// What part of an operation asks for something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum About {
    /// The row of an operand, by its number from 0.
    Row {
        /// Which operand.
        operand: u16,
        /// Which row.
        kind: Kind,
    },
    /// A row of an operand, and the row of another that it may be broadcast to.
    Between {
        /// The operand that is lower, and which of its rows.
        low: (u16, Kind),
        /// The operand that may be broadcast, and which of its rows.
        high: (u16, Kind),
    },
    /// An axis of a specification's operand or result, where something is computed.
    Axis {
        /// Which operand; the result comes after the last.
        slot: u16,
        /// Which row.
        kind: Kind,
        /// Which of its axes, as they are written.
        axis: u16,
    },
    /// The size of a name of a specification.
    Name(u32),
    /// All of it.
    Whole,
}
