//! Operations around others: a tensor of the same shape, one that is replaced, one that is told
//! in another way.

use std::sync::Arc;

use lozenge::{Misfit, Operation, Scheme, SchemeKey, Spec};

/// A tensor of the shape of another, as a gradient is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Like;

impl Operation for Like {
    fn name(&self) -> &'static str {
        "like"
    }

    fn scheme_key(&self) -> Option<SchemeKey> {
        Some(SchemeKey::new("like"))
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        Scheme::new(operands).expect_operands(1)?;
        Ok(Scheme::like().into())
    }
}

/// An operation whose result replaces its last operand, and so has the rows of it.
#[derive(Clone, Debug)]
pub(crate) struct Replacing {
    pub(crate) operation: Arc<dyn Operation>,
    /// The statement with numbers in the places of tensors: `{1} =- 0.1 * {0}`.
    pub(crate) template: String,
}

impl Operation for Replacing {
    fn name(&self) -> &str {
        self.operation.name()
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let last = operands.saturating_sub(1);
        let mut scheme = Scheme::clone(&*self.operation.scheme(last)?);
        scheme.replace();
        Ok(scheme.into())
    }

    fn template(&self) -> Option<String> {
        Some(self.template.clone())
    }

    fn spec(&self) -> Option<&Spec> {
        self.operation.spec()
    }

    fn sizes(&self) -> Vec<(&str, u64)> {
        self.operation.sizes()
    }
}

/// An operation that is told with its operands in the places of numbers: `[{0}]`.
#[derive(Clone, Debug)]
pub(crate) struct Told<O> {
    pub(crate) operation: O,
    pub(crate) template: &'static str,
}

impl<O: Operation> Operation for Told<O> {
    fn name(&self) -> &str {
        self.operation.name()
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        self.operation.scheme(operands)
    }

    fn template(&self) -> Option<String> {
        Some(self.template.to_owned())
    }

    fn spec(&self) -> Option<&Spec> {
        self.operation.spec()
    }

    fn sizes(&self) -> Vec<(&str, u64)> {
        self.operation.sizes()
    }
}
