//! Constraints of the calculus, taken into the tables.

use smallvec::SmallVec;

use lozenge_calculus::{
    constraint::{Border, Equation, RelationRef, SizeRelation, Term},
    term::{DimTerm, RowTerm, RowVar},
};

use crate::{
    budget::Exhausted,
    config::Config,
    tables::{
        cause::Cause,
        ids::{DimNode, Link, PackedOption, RelationId, RelationRowId, RowNode, RowSlot, index},
        list::{Dims, Rows, Tables},
        node::{DimRef, DimState, GivenKind, RowGiven, RowRef, RowState, Segment, Sign, Slot},
        place::Place,
        sizes::{Form, Kind, SizePart, SizeRel, Span, Watch},
    },
};

impl Config {
    /// A constraint in the solver's own terms.
    #[inline]
    pub(crate) fn take(
        &mut self,
        relation: RelationRef<'_>,
        cause: Cause,
    ) -> Result<GivenKind, Exhausted> {
        let mut dim = |relation, left: DimTerm, right: DimTerm| GivenKind::Dim {
            relation,
            left: self.dim_ref(left),
            right: self.dim_ref(right),
        };
        Ok(match relation {
            RelationRef::DimEq(left, right) => dim(Sign::Eq, left, right),
            RelationRef::DimIneq(result, operand) => dim(Sign::Ineq, result, operand),
            RelationRef::RowEq(left, right) => self.row_given(Sign::Eq, left, right)?,
            RelationRef::RowIneq(result, operand) => self.row_given(Sign::Ineq, result, operand)?,
            RelationRef::Size(relation) => self.take_size(relation, cause)?,
        })
    }

    #[inline]
    pub(crate) fn row_given(
        &mut self,
        relation: Sign,
        left: &RowTerm,
        right: &RowTerm,
    ) -> Result<GivenKind, Exhausted> {
        if left.flanks.rank().max(right.flanks.rank()) > usize::from(self.options.budget.rank) {
            return Err(Exhausted::Rank);
        }
        // The operand first: what is older comes before what refines it, and adjacencies fit.
        let right = self.row_ref(right);
        let left = self.row_ref(left);
        let (next_of_left, next_of_right) = (Link::UNLINKED, Link::UNLINKED);
        Ok(GivenKind::Row(RowGiven { relation, left, right, next_of_left, next_of_right }))
    }

    pub(crate) fn dim_ref(&mut self, term: DimTerm) -> DimRef {
        match term {
            DimTerm::Dim(dim) if self.sizes.has_taken() => self.taken_dim(dim),
            DimTerm::Dim(dim) => self.tables.dims.met.intern(dim),
            DimTerm::Var(var) => {
                let known = self.tables.dims.vars.get(var);
                DimRef::node(known.unwrap_or_else(|| {
                    let node = self.tables.dims.states.push(DimState::new(true));
                    self.tables.dims.vars.insert(var, node);
                    node
                }))
            }
        }
    }

    /// A dimension term that is an axis of a row, in the solver's own terms.
    #[inline]
    pub(crate) fn axis_ref(&mut self, term: DimTerm) -> DimRef {
        let axis = self.dim_ref(term);
        if let Some(node) = self.tables.dims.find(axis).as_node() {
            self.tables.is_axis(node);
        }
        axis
    }

    /// A row term of a rank within the budget, in the solver's own terms.
    #[inline]
    pub(crate) fn row_ref(&mut self, term: &RowTerm) -> RowRef {
        let at = self.tables.rows.axes.end();
        let slot = term.var.map(|var| self.tables.rows.slot(var)).into();
        if term.flanks.rank() == 0 {
            return RowRef { flanks: Segment { at, lead: 0, trail: 0 }, slot };
        }
        let (lead, trail) = (term.flanks.lead(), term.flanks.trail());
        for entry in lead {
            let entry = self.axis_ref(*entry);
            self.tables.rows.axes.push(entry);
        }
        for entry in trail.iter().rev() {
            let entry = self.axis_ref(*entry);
            self.tables.rows.axes.push(entry);
        }
        #[allow(clippy::cast_possible_truncation)] // the budget is 16 bits wide
        let flanks = Segment { at, lead: lead.len() as u16, trail: trail.len() as u16 };
        RowRef { flanks, slot }
    }

    /// A relation in the solver's own terms. `cause` is the given constraint that it will be.
    pub(crate) fn take_size(
        &mut self,
        relation: &SizeRelation,
        cause: Cause,
    ) -> Result<GivenKind, Exhausted> {
        Ok(match relation.equation() {
            Equation::Sum { terms, constant, slack, last: _ } => {
                let form = match relation {
                    SizeRelation::Strided { .. } => Form::Strided,
                    SizeRelation::Window { dilation, border, .. } => match *border {
                        Border::Padded { .. } => Form::Padded { dilation: *dilation },
                        Border::Margins { left, right, fill } => Form::Window { left, right, fill },
                    },
                    // Of these a concatenation alone is a sum; a new relation is asked about here.
                    SizeRelation::Concat { .. }
                    | SizeRelation::Merged { .. }
                    | SizeRelation::Total { .. }
                    | SizeRelation::Exact { .. }
                    | SizeRelation::AtLeast { .. }
                    | SizeRelation::Stretch { .. } => Form::Concat,
                };
                self.relation(Kind::Linear { constant, slack, form }, &terms, [], cause)?
            }
            Equation::Product { left, right, terms, rows, over } => {
                let kind = match relation {
                    SizeRelation::Merged { .. } => {
                        Kind::Product { left, right, of_elements: false }
                    }
                    // Of these numbers of elements alone are products.
                    SizeRelation::Total { .. }
                    | SizeRelation::Strided { .. }
                    | SizeRelation::Window { .. }
                    | SizeRelation::Concat { .. }
                    | SizeRelation::Exact { .. }
                    | SizeRelation::AtLeast { .. }
                    | SizeRelation::Stretch { .. } => {
                        Kind::Total { left, right, over: index(over.len()) }
                    }
                };
                self.relation(kind, &terms, rows.iter().chain(over), cause)?
            }
            Equation::Axes { rows, axes } => {
                let axis = |dim: &DimTerm| Term { dim: *dim, coefficient: 1, discardable: false };
                let axes: SmallVec<[Term; 4]> = axes.iter().map(axis).collect();
                self.relation(Kind::Exact, &axes, rows, cause)?
            }
            Equation::AtLeast { dim, least } => {
                GivenKind::AtLeast { dim: self.dim_ref(dim), least }
            }
            Equation::Stretched { result, operands } => self.relation(
                Kind::StretchedRows,
                &[],
                [result].into_iter().chain(operands),
                cause,
            )?,
        })
    }

    pub(crate) fn relation<'a>(
        &mut self,
        kind: Kind,
        parts: &[Term],
        rows: impl IntoIterator<Item = &'a RowTerm>,
        cause: Cause,
    ) -> Result<GivenKind, Exhausted> {
        let mut taken: SmallVec<[SizePart; 4]> = SmallVec::new();
        for Term { dim, coefficient, discardable } in parts.iter().copied() {
            let dim = self.dim_ref(dim);
            taken.push(SizePart { dim, coefficient, discardable });
        }
        let mut row_refs: SmallVec<[RowRef; 3]> = SmallVec::new();
        for row in rows {
            if row.flanks.rank() > usize::from(self.options.budget.rank) {
                return Err(Exhausted::Rank);
            }
            row_refs.push(self.row_ref(row));
        }
        let at = self.tables.relations.rows.end();
        for row in &row_refs {
            self.tables.relations.rows.push(*row);
        }
        let rows = Span::between(at, self.tables.relations.rows.end());
        Ok(GivenKind::Size(self.tables.add_relation(kind, &taken, rows, cause)))
    }
}

impl Tables {
    /// Takes it that an unbound dimension variable is an axis of a row: so it has elements.
    pub(crate) fn is_axis(&mut self, node: DimNode) {
        let DimState::Unbound { bounds, bare: true } = *self.dims.states.at(node) else {
            return;
        };
        self.dims.states.set(node, DimState::Unbound { bounds, bare: false });
        let mut watch = bounds.get().and_then(|bounds| self.dims.bounds.at(bounds).watches.get());
        while let Some(at) = watch {
            let Watch { relation, next } = self.dims.watches.get(at);
            self.enqueue_size(relation);
            watch = next.get();
        }
    }

    /// Adds a relation, which watches its parts.
    pub(crate) fn add_relation(
        &mut self,
        kind: Kind,
        parts: &[SizePart],
        rows: Span<RelationRowId>,
        cause: Cause,
    ) -> RelationId {
        let at = self.relations.parts.end();
        for part in parts {
            self.relations.parts.push(*part);
        }
        let span = Span::between(at, self.relations.parts.end());
        let relation = self.relations.all.push(SizeRel {
            kind,
            parts: span,
            rows,
            cause,
            queued: false,
            done: false,
            partner: PackedOption::NONE,
        });
        // Of rows that are stretched, the relation watches one that is open.
        if rows.len > 0 && kind != Kind::StretchedRows {
            self.relations.over_rows.push(relation);
            let is_count = matches!(kind, Kind::Total { left: 1, over: 0, .. });
            if is_count && rows.len == 1 && parts.is_empty() {
                self.relations.counts.push(relation);
            }
        }
        for part in parts {
            if let Some(node) = self.dims.find(part.dim).as_node() {
                let bounds = self.dims.bounds_index(node);
                let next = self.dims.bounds.get(bounds).watches;
                let watch = self.dims.watches.push(Watch { relation, next });
                self.dims.bounds.update(bounds, |bounds| {
                    bounds.watches = PackedOption::some(watch);
                    bounds.degree += 1;
                });
            }
        }
        relation
    }
}

impl Rows {
    #[inline]
    pub(crate) fn slot(&mut self, var: RowVar) -> RowSlot {
        match self.vars.get(var) {
            Some(slot) => slot,
            None => self.new_slot(var),
        }
    }

    pub(crate) fn new_slot(&mut self, var: RowVar) -> RowSlot {
        let node = self.new_row();
        let slot = self.slots.push(Slot {
            var,
            node,
            rank: 0,
            raised_by: PackedOption::NONE,
            limited_by: PackedOption::NONE,
            dependents: PackedOption::NONE,
        });
        self.vars.insert(var, slot);
        slot
    }

    pub(crate) fn new_row(&mut self) -> RowNode {
        let (as_left, as_right) = (PackedOption::NONE, PackedOption::NONE);
        let order = Place::of(self.states.end());
        self.states.push(RowState::Open { as_left, as_right, order, class: 1 })
    }
}

impl Dims {
    pub(crate) fn new_dim(&mut self) -> DimNode {
        self.states.push(DimState::new(false))
    }
}
