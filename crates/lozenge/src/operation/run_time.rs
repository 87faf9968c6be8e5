//! Sizes that are known when a program runs, and not before.

use std::{ops::RangeBounds, sync::Arc};

use lozenge_calculus::{
    constraint::{Count, Part, SizeRelation},
    dim::{Basis, Dim},
    size::Size,
    term::DimTerm,
};

use super::{SchemePart, range::NameRange, scheme::Scheme};
use crate::shape::{FRESH, IN_MEMORY, NameTable};

impl Scheme {
    /// The size of an axis that is known when the program runs, and not before: that of a result of
    /// which nobody knows how many elements it has until it is computed. It is a new size wherever
    /// the operation is applied, called like this or, where that name is taken, with a number after
    /// it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use lozenge::{Kind, Misfit, Operation, Scheme, Session, term::RowTerm};
    ///
    /// /// Where the elements of a tensor are not zero.
    /// #[derive(Clone, Debug)]
    /// struct Nonzero;
    ///
    /// impl Operation for Nonzero {
    ///     fn name(&self) -> &'static str {
    ///         "nonzero"
    ///     }
    ///
    ///     fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
    ///         let mut scheme = Scheme::new(operands);
    ///         scheme.expect_operands(1)?;
    ///         let found = scheme.size_at_run_time("found", 0..);
    ///         scheme.at_most_elements(found, 0);
    ///         for kind in [Kind::Batch, Kind::Input] {
    ///             scheme.declare(kind, RowTerm::closed([], []));
    ///         }
    ///         scheme.declare(Kind::Output, RowTerm::closed([], [found]));
    ///         Ok(Arc::new(scheme))
    ///     }
    /// }
    ///
    /// let mut session = Session::new();
    /// let x = session.data("x", "batch,seq")?;
    /// let found = session.apply(Nonzero, &[x])?;
    /// let again = session.apply(Nonzero, &[x])?;
    /// let closed = session.close()?;
    /// assert_eq!(closed.shape(found)?.to_string(), "found");
    /// assert_eq!(closed.shape(again)?.to_string(), "found_2");
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    pub fn size_at_run_time(&mut self, called: &str, range: impl RangeBounds<u64>) -> DimTerm {
        let name = format!("{FRESH}{called}");
        let values = NameRange::new(&range, false);
        self.range(&name, NameRange { at_run_time: true, ..values });
        Dim::atom(Size::symbol(self.name_table().symbol(&name)), Basis::DEFAULT).into()
    }

    /// Asks that a size is at most the number of elements of an operand.
    pub fn at_most_elements(&mut self, size: impl Into<DimTerm>, operand: usize) {
        let [all, rest] = [self.fresh_axis(), self.fresh_axis()];
        let rows = IN_MEMORY.map(|kind| self.operand(operand, kind)).to_vec();
        let count = Count::Strided { coefficient: 1, dim: all.into(), denominator: 1 };
        self.relate(SchemePart::Whole, SizeRelation::Total { rows, divided_by: Vec::new(), count });
        let part = |dim: DimTerm, discardable| Part { dim, discardable };
        let parts = vec![part(size.into(), false), part(rest.into(), true)];
        self.relate(SchemePart::Whole, SizeRelation::Concat { whole: all.into(), parts });
    }

    /// The scheme with names of their own for the sizes that are new in every session, where these
    /// are taken.
    pub(crate) fn with_own_names(scheme: Arc<Scheme>, taken: &NameTable) -> Arc<Scheme> {
        if !scheme.known_names().has_fresh() {
            return scheme;
        }
        let mut own = Scheme::clone(&scheme);
        own.name_table().name_fresh(taken);
        own.into()
    }
}
