//! From the constraints of an operation to equations between its axes.
//!
//! One rule a constraint, by the names of the calculus. `P1` to `P6` make the first stratum, what
//! is computed the second. Rows are aligned by [`Flanks::expanded_at`], as they are for shapes.

use alloc::{borrow::Cow, vec::Vec};

use lozenge_calculus::{
    constraint::{Border, Constraint, Count, Fill, Relation, SizeRelation},
    number::index,
    row::Flanks,
    size::{Size, margin, stride},
    term::{DimTerm, RowTerm},
};

use super::{
    Access, ClosedOperation, NoLoops,
    equation::{
        AxisId, Derivation, Derived, Equation, Equations, IndexTerm, Outside, Part, Start, Supplied,
    },
};

/// The equations of an operation.
///
/// # Errors
/// When rows do not align, a position is not on its axis, or what is computed cannot be.
pub(crate) fn elaborate(operation: &ClosedOperation<'_>) -> Result<Equations, NoLoops> {
    let asserted = Vec::with_capacity(2 * operation.sizes.len());
    let sizes = operation.sizes.to_vec();
    let made = Equations { sizes, asserted, ..Equations::default() };
    let mut elaboration = Elaboration { operation, made };
    for constraint in operation.constraints {
        elaboration.constraint(constraint)?;
    }
    elaboration.accesses()?;
    elaboration.p6();
    Ok(elaboration.made)
}

struct Elaboration<'a> {
    operation: &'a ClosedOperation<'a>,
    made: Equations,
}

impl Elaboration<'_> {
    fn constraint(&mut self, constraint: &Constraint) -> Result<(), NoLoops> {
        match &constraint.relation {
            Relation::DimEq(left, right) => {
                self.p1(*left, *right);
                Ok(())
            }
            Relation::DimIneq(result, operand) => {
                self.p2_p3(*result, *operand);
                Ok(())
            }
            Relation::RowEq(left, right) => self.p4(left, right),
            Relation::RowIneq(result, operand) => self.p5(result, operand),
            Relation::Size(relation) => self.relation(relation),
        }
    }

    /// ```text
    ///         d₁ = d₂
    /// ───────────────────── P1
    ///   Eq(⟦d₁⟧, ⟦d₂⟧)
    /// ```
    /// A dimension that is not an axis says nothing about indices.
    fn p1(&mut self, left: DimTerm, right: DimTerm) {
        if let (Some(left), Some(right)) = (id(left), id(right)) {
            self.equate(left, right);
        }
    }

    /// ```text
    ///   d_res ⊑ d_op   size(d_op) = 1             d_res ⊑ d_op   size(d_op) ≠ 1
    /// ─────────────────────────────────── P2     ─────────────────────────────── P3
    ///   Eq(⟦d_op⟧, Fix 0)   Iter ⟦d_res⟧             Eq(⟦d_res⟧, ⟦d_op⟧)
    /// ```
    /// Equality unites, broadcasting severs. That the result's side is visited is P5's addition;
    /// alone it follows from P6.
    fn p2_p3(&mut self, result: DimTerm, operand: DimTerm) {
        match (id(result), id(operand)) {
            (result, Some(operand)) if self.size(operand) == Size::ONE => {
                let zero = IndexTerm::Sol(Supplied::Fix(0));
                self.made.asserted.push(Equation::Eq(IndexTerm::Proj(operand), zero));
                if let Some(result) = result {
                    self.iterate(result);
                }
            }
            (Some(result), Some(operand)) => self.equate(result, operand),
            (Some(result), None) => self.iterate(result),
            (None, _) => {}
        }
    }

    /// ```text
    ///   R₁ ≈ R₂   same rank
    /// ─────────────────────── P4
    ///    P1 for every pair
    /// ```
    fn p4(&mut self, left: &RowTerm, right: &RowTerm) -> Result<(), NoLoops> {
        let (left, right) = (self.row(left)?, self.row(right)?);
        if left.rank() != right.rank() {
            return Err(NoLoops::Ranks);
        }
        for (left, right) in left.flat().iter().zip(right.flat()) {
            self.p1(*left, *right);
        }
        Ok(())
    }

    /// ```text
    ///   R_res ⊑ R_op   aligned from the outer edges
    /// ─────────────────────────────────────────────────────────── P5
    ///   P2 or P3 for every pair, Iter for what the operand lacks
    /// ```
    fn p5(&mut self, result: &RowTerm, operand: &RowTerm) -> Result<(), NoLoops> {
        let (result, operand) = (self.row(result)?, self.row(operand)?);
        let rank = result.rank();
        if operand.rank() > rank {
            return Err(NoLoops::Ranks);
        }
        for (place, axis) in result.flat().iter().enumerate() {
            match operand.expanded_at(rank, place) {
                Some(of_operand) => self.p2_p3(*axis, *of_operand),
                None => {
                    if let Some(axis) = id(*axis) {
                        self.iterate(axis);
                    }
                }
            }
        }
        Ok(())
    }

    /// ```text
    ///   p is an axis of an occurrence
    /// ───────────────────────────────── P6
    ///             Iter p
    /// ```
    /// DIVERGENCE(P6): the document has it for leaves and right-hand sides only; then an axis that
    /// only the result has, `i => i j`, would be written at 0 alone.
    fn p6(&mut self) {
        for axes in self.operation.occurrences {
            for axis in axes.clone() {
                self.iterate(AxisId(axis));
            }
        }
    }

    fn accesses(&mut self) -> Result<(), NoLoops> {
        for (term, access) in self.operation.accesses {
            let Some(id) = id(*term) else { continue };
            let at = match *access {
                Access::At(at) => at,
                Access::From(start) => {
                    self.made.starts.push((id, start));
                    continue;
                }
            };
            if let Supplied::Fix(position) = at {
                i64::try_from(position).map_err(|_| NoLoops::Overflow)?;
                if self.size(id).count().is_some_and(|size| position >= size) {
                    return Err(NoLoops::OutOfBounds(id));
                }
            }
            self.made.asserted.push(Equation::Eq(IndexTerm::Proj(id), IndexTerm::Sol(at)));
        }
        Ok(())
    }

    /// Derived axes: what is computed takes its index from what it is computed from, which is
    /// visited.
    fn relation(&mut self, relation: &SizeRelation) -> Result<(), NoLoops> {
        match relation {
            SizeRelation::Strided { whole, stride, over, loose } => {
                let stride = u64::from(*stride);
                let terms = [(stride, self.component(*over))].to_vec();
                let start = if *loose { Start::Anywhere } else { Start::Below(stride) };
                let outside = Outside::Never;
                self.affine(*whole, Derived::Affine { terms, offset: 0, outside, start });
            }
            SizeRelation::Window { whole, stride, over, dilation, kernel, border } => {
                let (over, kernel) = (self.component(*over), self.component(*kernel));
                let (offset, outside) = match *border {
                    Border::Padded { .. } => {
                        let left = margin(self.count(kernel)?, (*dilation).into());
                        let left = left.and_then(|left| i64::try_from(left).ok());
                        (-left.ok_or(NoLoops::Overflow)?, Outside::Perhaps(None))
                    }
                    Border::Margins { left, right, fill } => {
                        let missing = if fill == Fill::Begun { i64::from(*stride) - 1 } else { 0 };
                        let behind = i64::from(right) + missing;
                        let is_inside = left <= 0 && behind <= 0;
                        let beyond = Outside::Perhaps(Some(behind));
                        (-i64::from(left), if is_inside { Outside::Never } else { beyond })
                    }
                };
                let terms = [(u64::from(*stride), over), (u64::from(*dilation), kernel)].to_vec();
                let start = Start::Anywhere;
                self.affine(*whole, Derived::Affine { terms, offset, outside, start });
            }
            SizeRelation::Merged { whole, parts } => {
                let parts: Vec<AxisId> = parts.iter().map(|part| self.component(*part)).collect();
                let inner = parts.iter().skip(1);
                if inner.map(|part| self.size(*part)).any(|size| size.count().is_none()) {
                    self.affine(*whole, Derived::Merged(parts));
                    return Ok(());
                }
                let mut terms = Vec::with_capacity(parts.len());
                let mut own = 1_u64;
                for (place, part) in parts.iter().enumerate().rev() {
                    terms.push((own, *part));
                    if place > 0 {
                        own = stride(own, self.count(*part)?).ok_or(NoLoops::Overflow)?;
                    }
                }
                terms.reverse(); // the slowest first, as it is written
                let start = Start::First;
                let outside = Outside::Never;
                self.affine(*whole, Derived::Affine { terms, offset: 0, outside, start });
            }
            SizeRelation::Concat { whole, parts } => {
                let mut made = Vec::with_capacity(parts.len());
                for part in parts {
                    made.push(match part.dim {
                        DimTerm::Var(var) => {
                            self.iterate(AxisId(var.index()));
                            Part::Axis(AxisId(var.index()))
                        }
                        DimTerm::Dim(dim) => Part::Gap(dim.size()),
                    });
                }
                if let Some(whole) = id(*whole) {
                    let derived = Derived::Concat(made);
                    self.made.derivations.push(Derivation { whole, derived });
                }
            }
            SizeRelation::Total {
                rows,
                count: count @ (Count::Strided { .. } | Count::Rows { .. }),
                ..
            } => {
                let others: &[RowTerm] = match count {
                    Count::Rows { rows, .. } => rows,
                    Count::Strided { .. } | Count::Number(_) => &[],
                };
                for row in rows.iter().chain(others) {
                    let row = self.row(row)?;
                    if row.flat().iter().any(|axis| self.is_of_occurrence(*axis)) {
                        return Err(NoLoops::Recounted);
                    }
                }
            }
            // Each axis of an operand has one element, or is that of the result, as in the
            // broadcast order.
            SizeRelation::Stretch { result, operands } => {
                for operand in operands {
                    self.p5(result, operand)?;
                }
            }
            // Sizes only.
            SizeRelation::Total { count: Count::Number(_), .. }
            | SizeRelation::Exact { .. }
            | SizeRelation::AtLeast { .. } => {}
        }
        Ok(())
    }

    fn affine(&mut self, whole: DimTerm, derived: Derived) {
        match &derived {
            Derived::Affine { terms, .. } => terms.iter().for_each(|(_, id)| self.iterate(*id)),
            Derived::Merged(parts) => parts.iter().for_each(|id| self.iterate(*id)),
            Derived::Concat(_) => {}
        }
        if let Some(whole) = id(whole) {
            self.made.derivations.push(Derivation { whole, derived });
        }
    }

    /// The axis that a computed one is computed from; one without a name is its own.
    fn component(&mut self, term: DimTerm) -> AxisId {
        match term {
            DimTerm::Var(var) => AxisId(var.index()),
            DimTerm::Dim(dim) => {
                self.made.sizes.push(dim.size());
                AxisId(index(self.made.sizes.len() - 1))
            }
        }
    }

    fn equate(&mut self, left: AxisId, right: AxisId) {
        self.made.asserted.push(Equation::Eq(IndexTerm::Proj(left), IndexTerm::Proj(right)));
    }

    fn iterate(&mut self, id: AxisId) {
        self.made.asserted.push(Equation::Iter(IndexTerm::Proj(id)));
    }

    fn size(&self, id: AxisId) -> Size {
        self.made.sizes[id.0 as usize]
    }

    fn count(&self, id: AxisId) -> Result<u64, NoLoops> {
        self.size(id).count().ok_or(NoLoops::Symbolic(id))
    }

    fn is_of_occurrence(&self, term: DimTerm) -> bool {
        let is_in = |var: u32| self.operation.occurrences.iter().any(|axes| axes.contains(&var));
        term.var().is_some_and(|var| is_in(var.index()))
    }

    /// A row with its variable replaced by the axes that it stands for.
    fn row<'t>(&self, term: &'t RowTerm) -> Result<Cow<'t, Flanks<DimTerm>>, NoLoops> {
        let Some(var) = term.var else { return Ok(Cow::Borrowed(&term.flanks)) };
        let axes = self.operation.rows.get(var.index() as usize).ok_or(NoLoops::Ranks)?;
        let axes = axes.map(|axis| DimTerm::Var(*axis));
        Ok(Cow::Owned(if term.flanks.rank() == 0 { axes } else { term.flanks.splice(&axes) }))
    }
}

fn id(term: DimTerm) -> Option<AxisId> {
    term.var().map(|var| AxisId(var.index()))
}
