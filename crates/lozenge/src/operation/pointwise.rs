//! Pointwise operations: `C_k ⊑ X_k` for every operand and kind.

use std::borrow::Cow;

use super::{Asks, Operation, broadcast};
use crate::{Kind, Rejection, session::program::in_one_line};

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

    fn constrain(&self, asks: &mut Asks<'_>) -> Result<(), Rejection> {
        if asks.operand_count() == 0 {
            return asks.expect_operands(1);
        }
        for number in 0..asks.operand_count() {
            broadcast(asks, number, Kind::ALL.map(|kind| (kind, kind)));
        }
        Ok(())
    }

    fn broadcasts(&self, _: usize) -> bool {
        true
    }

    fn formula(&self, operands: &[String]) -> String {
        let is_sign = !self.name.contains(|c: char| c.is_alphanumeric());
        match operands {
            [first, second] if is_sign => format!("{first} {} {second}", self.name),
            operands => format!("{}({})", self.name, operands.join(", ")),
        }
    }
}
