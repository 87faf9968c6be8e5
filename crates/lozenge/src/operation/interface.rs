//! What an operation is: a trait.

use std::{fmt, sync::Arc};

use super::{
    misfit::Misfit,
    scheme::{Scheme, SchemeKey},
};
use crate::{Role, Spec};

/// Something that relates the shapes of its operands and its result.
///
/// ```
/// use std::sync::Arc;
///
/// use lozenge::{Kind, Misfit, Operation, Scheme, Session};
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
///     fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
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
/// # Ok::<(), lozenge::Report>(())
/// ```
pub trait Operation: fmt::Debug + Send + Sync {
    /// The name of the operation in messages. A sign such as `+` is written between its operands.
    fn name(&self) -> &str;

    /// The scheme of the operation with this number of operands: its constraints, accesses and
    /// scalar part. It is made once for every use, or once for all uses of a
    /// [key](Operation::scheme_key).
    ///
    /// # Errors
    /// When the operation does not take this number of operands, or cannot be applied at all.
    /// Shapes that do not fit are not found here: they are what the session finds.
    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit>;

    /// The key of the scheme beside the number of operands, if a session may keep it:
    /// operations with the same key have the same schemes.
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

    /// The text after the operands in a message: `to 2,3`.
    fn detail(&self) -> Option<String> {
        numbers_in_braces(self.sizes().into_iter())
    }

    /// How it is written in a message with `{0}`, `{1}` … in the places of its operands, when not
    /// as its name and its operands: `{1} =+ {0}`.
    fn template(&self) -> Option<String> {
        None
    }

    /// What closing takes its result for, if no operation makes it: data or a parameter.
    fn role(&self) -> Option<Role> {
        None
    }

    /// How it is written in a message, when not as its name and its operands: a declaration, a
    /// statement.
    fn declaration(&self) -> Option<Declaration> {
        None
    }
}

/// `{k=3 s=2}`; nothing where there are none.
pub(super) fn numbers_in_braces<'a>(
    numbers: impl Iterator<Item = (&'a str, u64)>,
) -> Option<String> {
    let numbers: Vec<String> = numbers.map(|(name, number)| format!("{name}={number}")).collect();
    (!numbers.is_empty()).then(|| format!("{{{}}}", numbers.join(" ")))
}

/// An operation that is shared, as a table of operations has it.
impl<O: Operation + ?Sized> Operation for Arc<O> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        (**self).scheme(operands)
    }

    fn scheme_key(&self) -> Option<SchemeKey> {
        (**self).scheme_key()
    }

    fn spec(&self) -> Option<&Spec> {
        (**self).spec()
    }

    fn sizes(&self) -> Vec<(&str, u64)> {
        (**self).sizes()
    }

    fn detail(&self) -> Option<String> {
        (**self).detail()
    }

    fn template(&self) -> Option<String> {
        (**self).template()
    }

    fn role(&self) -> Option<Role> {
        (**self).role()
    }

    fn declaration(&self) -> Option<Declaration> {
        (**self).declaration()
    }
}

/// How a declaration is written: `data x: 2,3`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declaration {
    /// What stands before the text: `data x: `.
    pub head: String,
    /// The text that places refer to: `2,3`.
    pub text: String,
}

impl Declaration {
    /// A declaration that begins with `head`, of which only `text` is pointed at.
    pub fn new(head: impl Into<String>, text: impl Into<String>) -> Declaration {
        Declaration { head: head.into(), text: text.into() }
    }
}
