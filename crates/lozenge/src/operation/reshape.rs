//! The same elements in another shape, or the same bits in elements of another width.

use std::sync::Arc;

use lozenge_calculus::constraint::{Count, SizeRelation};

use super::{Misfit, Operation, Scheme, SchemePart, terminal::declare};
use crate::{Role, shape::IN_MEMORY};

/// As many elements in another shape.
#[derive(Clone, Debug)]
pub struct Reshape {
    shape: Option<Box<str>>,
}

impl Reshape {
    /// In any shape: what the result is used for says which.
    #[allow(clippy::new_without_default)] // there is nothing default about it
    pub fn new() -> Reshape {
        Reshape { shape: None }
    }

    /// In this shape, where `_` and `...` stand for what follows.
    pub fn to(shape: impl Into<Box<str>>) -> Reshape {
        Reshape { shape: Some(shape.into()) }
    }
}

/// The same bits, read as elements of another width: `to` bits instead of `from`.
#[derive(Clone, Copy, Debug)]
pub struct BitCast {
    from: u64,
    to: u64,
}

impl BitCast {
    /// From elements of `from` bits to elements of `to` bits. A width is at least 1.
    pub fn new(from: u64, to: u64) -> BitCast {
        BitCast { from: from.max(1), to: to.max(1) }
    }
}

impl Operation for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.expect_operands(1)?;
        if let Some(shape) = &self.shape {
            declare(&mut scheme, &shape.parse()?, Role::Interior, "reshaped")?;
        }
        recount(&mut scheme, 1, 1);
        scheme.copy_in_memory();
        Ok(scheme.into())
    }

    fn detail(&self) -> Option<String> {
        self.shape.as_ref().map(|shape| format!("to {shape}"))
    }
}

impl Operation for BitCast {
    fn name(&self) -> &'static str {
        "bit_cast"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.expect_operands(1)?;
        recount(&mut scheme, self.from, self.to);
        Ok(scheme.into())
    }

    fn detail(&self) -> Option<String> {
        Some(format!("from {} to {} bits", self.from, self.to))
    }
}

/// The result has `coefficient/denominator` times as many elements as the operand.
pub(super) fn recount(scheme: &mut Scheme, coefficient: u64, denominator: u64) {
    let operand = IN_MEMORY.map(|kind| scheme.operand(0, kind)).to_vec();
    let rows = IN_MEMORY.map(|kind| scheme.result(kind)).to_vec();
    let count = Count::Rows { coefficient, rows: operand, denominator };
    scheme.relate(SchemePart::Whole, SizeRelation::Total { rows, divided_by: Vec::new(), count });
}
