//! Composition: what the second gives, the first takes. Matrix multiplication without a specification.

use super::{About, Asks, Operation, broadcast};
use crate::{Kind, Rejection};

/// `w * x`: `A_I ⊑ B_O`; `C_B ⊑ A_B`, `C_B ⊑ B_B`; `C_I ⊑ B_I`; `C_O ⊑ A_O`.
#[derive(Clone, Copy, Debug)]
pub struct Compose;

/// `w * x + b` in one operation: as [`Compose`], and `C_k ⊑ D_k`.
#[derive(Clone, Copy, Debug)]
pub struct ComposeAccumulate;

impl Operation for Compose {
    fn name(&self) -> &'static str {
        "*"
    }

    fn constrain(&self, asks: &mut Asks<'_>) -> Result<(), Rejection> {
        asks.expect_operands(2)?;
        compose(asks);
        Ok(())
    }
}

impl Operation for ComposeAccumulate {
    fn name(&self) -> &'static str {
        "compose_accumulate"
    }

    fn constrain(&self, asks: &mut Asks<'_>) -> Result<(), Rejection> {
        asks.expect_operands(3)?;
        compose(asks);
        broadcast(asks, 2, Kind::ALL.map(|kind| (kind, kind)));
        Ok(())
    }

    fn broadcasts(&self, operand: usize) -> bool {
        operand == 2
    }

    fn initial(&self) -> Option<usize> {
        Some(2)
    }
}

fn compose(asks: &mut Asks<'_>) {
    let [batch, input, output] = Kind::ALL;
    let (takes, gives) = (asks.operand(0, input), asks.operand(1, output));
    asks.refines(About::Between { low: (0, input), high: (1, output) }, takes, gives);
    broadcast(asks, 0, [(batch, batch), (output, output)]);
    broadcast(asks, 1, [(batch, batch), (input, input)]);
}
