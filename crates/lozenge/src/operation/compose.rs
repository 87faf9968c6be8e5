//! Composition: what the second gives, the first takes. Matrix multiplication without a
//! specification.

use std::sync::Arc;

use super::{Misfit, Operation, Scheme, SchemeKey, SchemePart, scheme::KeyForm};
use crate::Kind;

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

    fn scheme_key(&self) -> Option<SchemeKey> {
        Some(SchemeKey(KeyForm::Compose))
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        Scheme::new(operands).expect_operands(2)?;
        Ok(compose(operands).into())
    }
}

impl Operation for ComposeAccumulate {
    fn name(&self) -> &'static str {
        "compose_accumulate"
    }

    fn scheme_key(&self) -> Option<SchemeKey> {
        Some(SchemeKey(KeyForm::ComposeAccumulate))
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        Scheme::new(operands).expect_operands(3)?;
        let mut scheme = compose(operands);
        scheme.broadcast(2);
        scheme.begin_with(2)?;
        Ok(scheme.into())
    }
}

fn compose(operands: usize) -> Scheme {
    let mut scheme = Scheme::new(operands);
    let [batch, input, output] = Kind::ALL;
    let (takes, gives) = (scheme.operand(0, input), scheme.operand(1, output));
    scheme.refines(SchemePart::Between { low: (0, input), high: (1, output) }, takes, gives);
    scheme.broadcast_rows(0, [(batch, batch), (output, output)]);
    scheme.broadcast_rows(1, [(batch, batch), (input, input)]);
    scheme
}
