//! Pointwise operations: `C_k ⊑ X_k` for every operand and kind.

use std::{borrow::Cow, sync::Arc};

use super::{Operation, Scheme, SchemeKey, scheme::KeyForm};
use crate::{Rejection, session::program::in_one_line};

/// Arithmetic on each element: `+`, `relu`, `where`; operands are broadcast.
#[derive(Clone, Debug)]
pub struct Pointwise {
    name: Cow<'static, str>,
}

impl Pointwise {
    /// The operation of this name.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Pointwise {
        Pointwise { name: in_one_line(name) }
    }
}

impl Operation for Pointwise {
    fn name(&self) -> &str {
        &self.name
    }

    fn scheme_key(&self) -> Option<SchemeKey> {
        Some(SchemeKey(KeyForm::Pointwise))
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Rejection> {
        let mut scheme = Scheme::new(operands);
        if operands == 0 {
            scheme.expect_operands(1)?;
        }
        for operand in 0..operands {
            scheme.broadcast(operand);
        }
        Ok(scheme.into())
    }

    fn formula(&self, operands: &[String]) -> String {
        let is_sign = !self.name.contains(|c: char| c.is_alphanumeric());
        match operands {
            [first, second] if is_sign => format!("{first} {} {second}", self.name),
            operands => format!("{}({})", self.name, operands.join(", ")),
        }
    }
}
