//! Pointwise operations: `C_k ⊑ X_k` for every operand and kind.

use std::{borrow::Cow, sync::Arc};

use super::{Misfit, Operation, Scheme, SchemeKey, scalar::Expression, scheme::KeyForm};
use crate::text::in_one_line;

/// Arithmetic on each element: `+`, `relu`, `where`; operands are broadcast.
#[derive(Clone, Debug)]
pub struct Pointwise {
    name: Cow<'static, str>,
    /// What it computes, where the name does not say it.
    value: Option<Expression>,
    /// Whether an explicit 1 stretches as well.
    is_numpy: bool,
}

impl Pointwise {
    /// The operation of this name. It computes the primitive of that name or sign where there is
    /// one.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Pointwise {
        Pointwise { name: in_one_line(name), value: None, is_numpy: false }
    }

    /// The same operation with NumPy's broadcasting, where an explicit 1 stretches as well.
    ///
    /// The result has as many axes as the operand that has the most, and 1 where all operands have
    /// 1. A named size is taken for another number than 1.
    ///
    /// ```
    /// use lozenge::{Pointwise, Session};
    ///
    /// let mut session = Session::new();
    /// let x = session.data("x", "batch,1,3")?;
    /// let y = session.data("y", "8,1")?;
    /// let sum = session.apply(Pointwise::new("+").numpy(), &[x, y])?;
    /// assert_eq!(session.close()?.shape(sum)?.to_string(), "batch,8,3");
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    #[must_use]
    pub fn numpy(self) -> Pointwise {
        Pointwise { is_numpy: true, ..self }
    }

    /// The operation of this name that computes an expression of its operands.
    ///
    /// ```
    /// use lozenge::{Expression, Pointwise, Session, Unary};
    ///
    /// let x = Expression::read(0);
    /// let sigmoid = (Expression::from(1.0) + (-x).unary(Unary::Exp)).unary(Unary::Reciprocal);
    /// let mut session = Session::new();
    /// let x = session.data("x", "3")?;
    /// let y = session.apply(Pointwise::computing("sigmoid", sigmoid), &[x])?;
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    pub fn computing(name: impl Into<Cow<'static, str>>, value: Expression) -> Pointwise {
        Pointwise { name: in_one_line(name), value: Some(value), is_numpy: false }
    }
}

impl Operation for Pointwise {
    fn name(&self) -> &str {
        &self.name
    }

    fn scheme_key(&self) -> Option<SchemeKey> {
        match &self.value {
            None => Some(SchemeKey(KeyForm::Pointwise(self.name.clone(), self.is_numpy))),
            Some(_) => None,
        }
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let value = self.value.clone();
        let value = value.unwrap_or_else(|| Expression::named(&self.name, operands));
        let scheme = if self.is_numpy { Scheme::pointwise_numpy } else { Scheme::pointwise };
        scheme(operands, value).map(Arc::new)
    }
}
