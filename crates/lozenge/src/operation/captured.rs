//! Declared shapes some of whose axes are captured sizes: of a terminal, or of the same elements in
//! another shape.

use std::sync::Arc;

use lozenge_calculus::term::Variable;

use super::{
    Declaration, Misfit, Operation, Scheme, SchemePart, reshape::recount, terminal::declare,
};
use crate::{Kind, Role, number::in_message};

/// A tensor whose output axes are as they are written, and those at `_` the captured sizes.
#[derive(Debug)]
pub(crate) struct OfCaptured {
    pub(crate) name: Box<str>,
    pub(crate) shape: Box<str>,
    /// The axes that are captured sizes, and which of these.
    pub(crate) captured: Vec<(usize, Variable)>,
    /// Whether it has the elements of an operand, instead of being made by nothing.
    pub(crate) is_reshape: bool,
}

impl Operation for OfCaptured {
    fn name(&self) -> &str {
        if self.is_reshape { "reshape" } else { &self.name }
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.expect_operands(usize::from(self.is_reshape))?;
        let role = if self.is_reshape { Role::Interior } else { Role::Leaf };
        declare(&mut scheme, &self.shape.parse()?, role, &self.name)?;
        let slot = in_message(operands);
        let row = scheme.result(Kind::Output);
        for (number, (axis, size)) in (0..).zip(&self.captured) {
            let (Some(term), Variable::Dim(size)) =
                (row.flanks.flat().get(*axis), Scheme::captured(number, *size))
            else {
                continue;
            };
            let about = SchemePart::Axis { slot, kind: Kind::Output, axis: in_message(*axis) };
            scheme.same_axis(about, *term, size);
        }
        if self.is_reshape {
            recount(&mut scheme, 1, 1);
            scheme.copy_in_memory();
        }
        Ok(scheme.into())
    }

    fn role(&self) -> Option<Role> {
        (!self.is_reshape).then_some(Role::Leaf)
    }

    fn detail(&self) -> Option<String> {
        Some(format!("to {}", self.shape))
    }

    fn declaration(&self) -> Option<Declaration> {
        let declared =
            || Declaration { head: format!("data {}: ", self.name), text: self.shape.to_string() };
        (!self.is_reshape).then(declared)
    }
}
