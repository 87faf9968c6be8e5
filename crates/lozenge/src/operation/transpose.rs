//! Transposition: what goes in comes out.

use std::sync::Arc;

use super::{Misfit, Operation, Scheme, SchemeKey, scheme::KeyForm};
use crate::Kind;

/// `C_B ⊑ A_B`, `C_I ⊑ A_O`, `C_O ⊑ A_I`.
#[derive(Clone, Copy, Debug)]
pub struct Transpose;

impl Operation for Transpose {
    fn name(&self) -> &'static str {
        "transpose"
    }

    fn scheme_key(&self) -> Option<SchemeKey> {
        Some(SchemeKey(KeyForm::Transpose))
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.expect_operands(1)?;
        let [batch, input, output] = Kind::ALL;
        scheme.broadcast_rows(0, [(batch, batch), (input, output), (output, input)]);
        Ok(scheme.into())
    }
}
