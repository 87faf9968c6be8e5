//! Commitments: what closing and deciding choose, taken like given constraints.
//!
//! A commitment is a given constraint of its own, so that ranks, rules and the trace see it as they
//! see every other, and rolling back a snapshot takes it back.

use alloc::vec::Vec;

use lozenge_calculus::{
    constraint::{ConstraintRef, Count, OriginId, SizeRelation},
    dim::Dim,
    term::RowVar,
};

use crate::{
    budget::Exhausted,
    reading::frontier::AxisTerm,
    solver::{Batch, Solver},
    tables::{
        cause::Cause,
        ids::{Link, PackedOption, RelationId, RowSlot},
        kept::Extent,
        node::{DimRef, Given, GivenKind, Progress, RowGiven, RowRef, Segment, Sign},
    },
    why::conflict::{SolveError, Stop},
};

/// The commitments that can be made with a solver.
pub(crate) struct Choose<'a> {
    solver: &'a mut Solver,
}

impl Solver {
    /// Makes a commitment.
    pub(crate) fn choose(&mut self) -> Choose<'_> {
        Choose { solver: self }
    }

    /// Takes constraints in this order, without rolling back when that fails.
    pub(crate) fn take_all<'a>(
        &mut self,
        constraints: impl IntoIterator<Item: Into<ConstraintRef<'a>>>,
    ) -> Result<(), SolveError> {
        let batch: Batch<'a> = constraints.into_iter().map(Into::into).collect();
        Ok(self.offer_all(&batch).and_then(|()| self.run())?)
    }
}

impl Choose<'_> {
    /// Chooses the rank of a row variable, and nothing about its marker but that it keeps its
    /// flanks. The solver is not rolled back when that fails.
    pub(crate) fn rank(&mut self, var: RowVar, rank: u16) -> Result<(), SolveError> {
        let lead = self.solver.kept_flanks(var).lead.min(rank);
        Ok(self.axes(Sign::Eq, var, Extent { lead, trail: rank - lead })?)
    }

    /// Chooses that a row variable has at least the axes of an extent, counted from the front and
    /// from the back, and nothing about its marker. The solver is not rolled back when that fails.
    pub(crate) fn least(&mut self, var: RowVar, extent: Extent) -> Result<(), SolveError> {
        Ok(self.outer(Sign::Eq, var, extent)?)
    }

    /// Chooses that a row variable has at least the axes of an extent on each side of its marker.
    /// The solver is not rolled back when that fails.
    pub(crate) fn around(&mut self, var: RowVar, extent: Extent) -> Result<(), SolveError> {
        Ok(self.outer(Sign::Is, var, extent)?)
    }

    fn outer(&mut self, sign: Sign, var: RowVar, extent: Extent) -> Result<(), Stop> {
        let between = self.solver.config.tables.rows.states.end().minted();
        let slot = self.solver.config.tables.rows.slot(between);
        self.flanks(sign, var, extent, PackedOption::some(slot))
    }

    /// Chooses the number of elements of a row variable. The solver is not rolled back when that
    /// fails.
    pub(crate) fn elements(&mut self, var: RowVar, count: u64) -> Result<(), SolveError> {
        let relation = SizeRelation::Total {
            rows: alloc::vec![var.into()],
            divided_by: Vec::new(),
            count: Count::Number(count),
        };
        let cause = Cause::given(self.solver.config.tables.givens.all.end());
        let kind = self.solver.config.take_size(&relation, cause).map_err(SolveError::Exhausted)?;
        Ok(self.take(kind)?)
    }

    /// Chooses the flanks of a row variable, and so its marker. The solver is not rolled back when
    /// that fails.
    pub(crate) fn extent(&mut self, var: RowVar, extent: Extent) -> Result<(), SolveError> {
        Ok(self.axes(Sign::Is, var, extent)?)
    }

    /// Chooses a dimension. The solver is not rolled back when that fails.
    pub(crate) fn dim(&mut self, term: AxisTerm, dim: Dim) -> Result<(), SolveError> {
        let right = self.solver.config.tables.dims.met.intern(dim);
        Ok(self.take(GivenKind::Dim { relation: Sign::Is, left: term.0, right })?)
    }

    /// Chooses the rest that is left over of the whole of a loose relation. The solver is not
    /// rolled back when that fails.
    pub(crate) fn rest(&mut self, relation: RelationId, rest: u64) -> Result<(), SolveError> {
        let Some((left, dim)) = self.solver.config.filled(relation, rest) else {
            return Err(SolveError::Exhausted(Exhausted::Sizes));
        };
        let right = self.solver.config.tables.dims.met.intern(dim);
        Ok(self.take(GivenKind::Dim { relation: Sign::Is, left, right })?)
    }

    fn axes(&mut self, sign: Sign, var: RowVar, extent: Extent) -> Result<(), Stop> {
        self.flanks(sign, var, extent, PackedOption::NONE)
    }

    /// Relates a row variable with new axes, and with the variable of a slot between them if there
    /// is one.
    fn flanks(
        &mut self,
        sign: Sign,
        var: RowVar,
        extent: Extent,
        between: PackedOption<RowSlot>,
    ) -> Result<(), Stop> {
        let Extent { lead, trail } = extent;
        let Some(rank) =
            lead.checked_add(trail).filter(|n| *n <= self.solver.config.options.budget.rank)
        else {
            return Err(Stop::from(Exhausted::Rank));
        };
        let slot = PackedOption::some(self.solver.config.tables.rows.slot(var));
        let at = self.solver.config.tables.rows.axes.end();
        for _ in 0..rank {
            let axis = DimRef::node(self.solver.config.tables.dims.new_dim());
            self.solver.config.tables.rows.axes.push(axis);
        }
        let left = RowRef { flanks: Segment { at, lead: 0, trail: 0 }, slot };
        let right = RowRef { flanks: Segment { at, lead, trail }, slot: between };
        let (next_of_left, next_of_right) = (Link::UNLINKED, Link::UNLINKED);
        self.take(GivenKind::Row(RowGiven {
            relation: sign,
            left,
            right,
            next_of_left,
            next_of_right,
        }))
    }

    fn take(&mut self, kind: GivenKind) -> Result<(), Stop> {
        let given =
            self.solver.config.tables.givens.all.push(Given { kind, origin: OriginId::NOBODY });
        self.solver.config.tables.givens.progress.push(Progress::NEW);
        if self.solver.config.options.ranks {
            self.solver.config.decide_ranks(given)?;
        }
        self.solver.run()
    }
}
