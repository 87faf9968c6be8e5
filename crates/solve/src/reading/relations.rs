//! Relations between sizes as they stand, and what they say about the order of constraints.

use lozenge_calculus::constraint::{Border, Fill, OriginId};

use crate::tables::{
    ids::{Id, PartId, index},
    list::{Relations, Tables},
    sizes::{Form, SizePart, SizeRel, Span},
};

impl Relations {
    /// The parts of a relation.
    pub(crate) fn parts(&self, span: Span<PartId>) -> impl Iterator<Item = SizePart> + Clone + '_ {
        span.range().map(|at| self.parts.get(at))
    }

    /// The number of open relations.
    pub(crate) fn open_relations(&self) -> u32 {
        let open = self.all.iter().filter(|relation| !relation.done).count();
        index(open)
    }

    /// The kernel of a window that counts for at least this.
    pub(crate) fn least_kernel(&self, rel: SizeRel, form: Form) -> Option<(SizePart, i64)> {
        let Form::Window { left, right, fill: fill @ Fill::Begun } = form else { return None };
        let [over, kernel] = [1, 2].map(|place| self.parts.get(rel.parts.at.plus(place)));
        let border = Border::Margins { left, right, fill };
        Some((kernel, border.least_kernel(over.coefficient, kernel.coefficient)?))
    }
}

impl Tables {
    /// Whether a relation is open, or a variable has a least size above 1.
    pub(crate) fn has_open_sizes(&self) -> bool {
        self.relations.open_relations() > 0 || self.dims.unbound_leasts().next().is_some()
    }

    /// Whether markers stand at the same places in every order: each was placed where the one row
    /// has it that gives the row its axes, none met another one in a different place, and no
    /// relation between sizes is among the constraints.
    pub(crate) fn places_no_other(&self) -> bool {
        self.counts.competed == 0 && self.is_unmoved()
    }

    /// Whether nothing was shifted or supposed, and no relation between sizes is among the
    /// constraints.
    pub(crate) fn is_unmoved(&self) -> bool {
        // What is supposed comes first.
        let first = self.givens.all.iter().next();
        let is_supposed = first.is_some_and(|given| given.origin == OriginId::NOBODY);
        self.counts.shifted == 0 && !is_supposed && self.relations.all.is_empty()
    }
}
