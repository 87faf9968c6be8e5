//! What a scheme is instantiated over, and the variables by which it stands for that.

use lozenge_calculus::{
    dim::Dim,
    term::{DimTerm, DimVar, RowTerm, Variable},
};

use crate::Kind;

/// From where on variables stand for sizes that were captured, and row variables for the rows of
/// operands.
pub(super) const CAPTURED: u32 = 1 << 29;
pub(super) const SLOTS: u32 = 1 << 30;

/// What a scheme is instantiated over.
pub(crate) trait Instance {
    /// A row of an operand.
    fn slot(&self, operand: usize, kind: Kind) -> RowTerm;

    /// The row of the result of this kind, if it is of one, that the scheme does not declare; a
    /// variable of its own, where this has none.
    fn result(&self, kind: impl FnOnce() -> Option<Kind>) -> Option<RowTerm>;

    /// A size that was captured, if there is one.
    fn captured(&self, number: usize) -> Option<Variable>;

    /// The first variables of its own.
    fn first(&self) -> (u32, u32);

    /// A dimension of the scheme, by its own names for sizes and bases.
    fn ground(&self, dim: Dim) -> DimTerm;
}

/// A dimension of a scheme.
pub(super) fn dim_over(term: DimTerm, over: &impl Instance) -> DimTerm {
    match term {
        DimTerm::Dim(dim) => over.ground(dim),
        DimTerm::Var(var) => match var.index().checked_sub(CAPTURED) {
            None => DimVar::new(over.first().0 + var.index()).into(),
            Some(number) => match over.captured(number as usize) {
                Some(Variable::Dim(var)) => var.into(),
                Some(Variable::Row(_)) | None => DimTerm::UNIT,
            },
        },
    }
}

/// The flanks of a row around another.
pub(super) fn around(row: &RowTerm, over: &impl Instance, inner: &RowTerm) -> RowTerm {
    let flanks = row.flanks.map(|dim| dim_over(*dim, over));
    let flanks = if inner.flanks.rank() == 0 { flanks } else { flanks.splice(&inner.flanks) };
    RowTerm { flanks, var: inner.var }
}
