//! What closing can choose for what is stretched.

use lozenge_calculus::dim::Dim;

use crate::{
    reading::{
        frontier::{AxisState, AxisTerm},
        open_sizes::{OpenSize, OpenSizes, SizeStage},
    },
    tables::{
        ids::RowNode,
        node::RowRef,
        sizes::{Kind, SizeRel},
    },
};

impl OpenSizes<'_> {
    /// The choice for a relation of stretching: a leaf about which nothing else is known is not
    /// stretched, and every other operand only as far as it has to be.
    pub(crate) fn open_stretch(
        self,
        relation: SizeRel,
        stage: SizeStage,
        may_choose: &dyn Fn(OpenSize) -> bool,
    ) -> Option<OpenSize> {
        let mut operands =
            self.tables.relations.parts(relation.parts).map(|part| AxisTerm(part.dim));
        if let Some(result) = operands.next() {
            let open = |axis: &AxisTerm| {
                !matches!(self.tables.dims.axis_state(*axis), AxisState::Bound(_))
            };
            let to = match self.tables.dims.axis_state(result) {
                AxisState::Bound(dim) | AxisState::Capped(dim) => Some(dim),
                AxisState::Open => None,
            };
            let is_last = stage == SizeStage::Rest && !self.holds_at_top(relation);
            // Where nothing else is known of the result, it is what is known of the operands.
            let known = || {
                let known =
                    operands.clone().filter_map(|axis| match self.tables.dims.axis_state(axis) {
                        AxisState::Bound(dim) => Some(dim),
                        AxisState::Capped(_) | AxisState::Open => None,
                    });
                Dim::stretched(known)
            };
            let to = if to.is_none() && is_last { known() } else { to }?;
            let choice = |axis| OpenSize::Stretched { axis: self.tables.dims.root(axis), to };
            let mut open = operands.filter(open).map(choice);
            return open.find(|open| stage >= SizeStage::Stretched && may_choose(*open));
        }
        if !matches!(stage, SizeStage::Rows | SizeStage::Stretched) {
            return None;
        }
        let rows = relation.rows.range().map(|at| self.tables.relations.rows.get(at));
        let choice = |row: RowRef| {
            let (tail, var) =
                (self.tables.rows.tail(row)?, self.tables.rows.slots.at(row.slot.get()?).var);
            let known = self.tables.rows.view(row);
            let known = known.lead.len() + known.trail.len();
            let rank = self.stretched_rank(tail);
            let more = rank.map(|rank| rank.saturating_sub(known));
            // Before nothing is said of a row, something may be said of others.
            let is_last = stage == SizeStage::Stretched;
            let as_leaf = more.map(|more| OpenSize::StretchedRow { var, more });
            let as_other = (more.is_some() || is_last).then_some(OpenSize::Row { var, most: 0 });
            as_leaf.into_iter().chain(as_other).find(|open| may_choose(*open))
        };
        rows.skip(1).find_map(choice)
    }

    /// How many axes what an open row is stretched to has, as far as it is known: the least of all
    /// relations that it is an operand of.
    fn stretched_rank(self, tail: RowNode) -> Option<usize> {
        let open = self
            .tables
            .relations
            .all
            .iter()
            .filter(|rel| rel.kind == Kind::StretchedRows && !rel.done);
        let ranks = open.filter_map(|rel| {
            let rows = rel.rows.range().map(|at| self.tables.relations.rows.get(at));
            let mut operands = rows.clone().skip(1);
            let is_in = operands.any(|row| self.tables.rows.tail(row) == Some(tail));
            let closed =
                rows.map(|row| self.tables.rows.view(row)).filter(|view| view.var.is_none());
            let most = closed.map(|view| view.lead.len() + view.trail.len()).max();
            most.filter(|_| is_in)
        });
        ranks.min()
    }
}
