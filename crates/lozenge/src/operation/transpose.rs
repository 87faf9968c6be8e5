//! Transposition: what goes in comes out.

use super::{Asks, Operation, broadcast};
use crate::{Kind, Rejection};

/// `C_B ⊑ A_B`, `C_I ⊑ A_O`, `C_O ⊑ A_I`.
#[derive(Clone, Copy, Debug)]
pub struct Transpose;

impl Operation for Transpose {
    fn name(&self) -> &'static str {
        "transpose"
    }

    fn constrain(&self, asks: &mut Asks<'_>) -> Result<(), Rejection> {
        asks.expect_operands(1)?;
        let [batch, input, output] = Kind::ALL;
        broadcast(asks, 0, [(batch, batch), (input, output), (output, input)]);
        Ok(())
    }
}
