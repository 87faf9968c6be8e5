//! Everything that a specification says: permutations, reductions, contractions, windows, slices.
//!
//! The rows of the operands are equated with their templates, and the rows of the result are their
//! templates. Nothing is broadcast: one name is one axis.

use std::sync::Arc;

use lozenge_core::term::{DimVar, RowVar, Variable};
use lozenge_spec::{NameId, Use};

use super::{About, Asks, Operation, statement::set, template::Template};
use crate::{Kind, Rejection, Spec, session::Site};

/// An operation that a specification describes, of any number of operands.
#[derive(Clone, Debug)]
pub struct Einsum {
    spec: Arc<Spec>,
    /// Names whose sizes are given, with them.
    sizes: Vec<(NameId, u64)>,
}

impl Einsum {
    /// The operation of this specification.
    ///
    /// # Errors
    /// When the text is no specification, or has a coefficient by a name.
    #[track_caller]
    pub fn new(text: &str) -> Result<Einsum, Rejection> {
        Einsum::with(text, &[])
    }

    /// The operation of this specification, with numbers for some of its names: sizes of axes, numbers of
    /// elements of rows, ranges of indices, coefficients.
    ///
    /// # Errors
    /// When the text is no specification, has no such name, or has a coefficient without a number.
    #[track_caller]
    pub fn with(text: &str, numbers: &[(&str, u64)]) -> Result<Einsum, Rejection> {
        let site = Site::caller();
        let made = lozenge_spec::parse(text).ok().and_then(|spec| Einsum::of(spec, numbers));
        made.map_err(|rejection| site.blame(rejection))
    }

    /// The operation of a specification that was read before.
    ///
    /// # Errors
    /// When the specification has no such name, or has a coefficient without a number.
    pub fn of(spec: impl Into<Arc<Spec>>, numbers: &[(&str, u64)]) -> Result<Einsum, Rejection> {
        let mut spec: Arc<Spec> = spec.into();
        let mut sizes = vec![];
        for (name, number) in numbers {
            match spec.find(name).map(|id| (id, spec.name_use(id))) {
                Some((_, Use::Coefficient)) => {}
                Some((id, Use::Axis | Use::Row | Use::Index)) => sizes.push((id, *number)),
                None => sizes.push((spec.capture(name)?, *number)),
            }
        }
        if spec.names().any(|id| spec.name_use(id) == Use::Coefficient) {
            let number = |name: &str| numbers.iter().find(|(n, _)| *n == name).map(|(_, n)| *n);
            spec = Arc::new(spec.bind(number)?);
        }
        Ok(Einsum { spec, sizes })
    }

    /// The variable of a name, in an operation whose variables begin here.
    pub(crate) fn variable(spec: &Spec, id: NameId, dim: u32, row: u32) -> Variable {
        let index = u32::try_from(id.index()).unwrap_or(u32::MAX / 4);
        match spec.name_use(id) {
            Use::Row => Variable::Row(RowVar::new(row + index)),
            Use::Axis | Use::Index | Use::Coefficient => Variable::Dim(DimVar::new(dim + index)),
        }
    }
}

impl Operation for Einsum {
    fn name(&self) -> &'static str {
        "einsum"
    }

    fn constrain(&self, asks: &mut Asks<'_>) -> Result<(), Rejection> {
        let spec = &*self.spec;
        spec.expect_operands(asks.operand_count())?;
        let mut template = Template::new(spec, asks);
        for (id, size) in &self.sizes {
            let var = template.variable(*id);
            let about = About::Name(u32::try_from(id.index()).unwrap_or(u32::MAX));
            set(template.asks(), about, var, *size)?;
        }
        for (place, slot) in spec.operands().iter().enumerate() {
            let number = u16::try_from(place).unwrap_or(u16::MAX); // only for messages
            for kind in Kind::ALL {
                let actual = template.asks().operand(place, kind);
                let written = slot.row(kind);
                if written.is_empty() && actual.var.is_none() && actual.flanks.rank() == 0 {
                    continue; // none is none
                }
                let row = template.row(number, kind, written)?;
                let about = About::Row { operand: number, kind };
                template.asks().same_row(about, row, actual);
            }
        }
        let result = u16::try_from(spec.operands().len()).unwrap_or(u16::MAX);
        for kind in Kind::ALL {
            let row = template.row(result, kind, spec.result().row(kind))?;
            template.asks().declare(kind, row);
        }
        Ok(())
    }

    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn sizes(&self) -> Vec<(&str, u64)> {
        self.sizes.iter().map(|(id, size)| (self.spec.name(*id), *size)).collect()
    }
}
