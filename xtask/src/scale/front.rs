//! What builds programs: bare constraints, or a session.

use lozenge::{Session, Tensor};
use lozenge_calculus::{
    constraint::{ConstraintRef, OriginId, RelationRef},
    dim::Dim,
    term::{RowTerm, RowVar},
};
use lozenge_solve::Solver;

/// A program under construction.
pub(super) trait Front: Default {
    type Tensor: Clone;

    /// The number of operations.
    fn ops(&self) -> u32;
    /// A tensor of known shape.
    fn data(&mut self) -> anyhow::Result<Self::Tensor>;
    /// A tensor of known shape with one axis.
    fn bias(&mut self) -> anyhow::Result<Self::Tensor>;
    /// A tensor of which nothing is known.
    fn unknown(&mut self) -> Self::Tensor;
    /// No batch axes, the rest unknown.
    fn parameter(&mut self) -> Self::Tensor;
    fn pointwise(
        &mut self,
        name: &'static str,
        of: &[&Self::Tensor],
    ) -> anyhow::Result<Self::Tensor>;
    fn compose(
        &mut self,
        left: &Self::Tensor,
        right: &Self::Tensor,
    ) -> anyhow::Result<Self::Tensor>;
    /// The bytes it has on the heap.
    fn bytes(&self) -> usize;
}

/// A tensor's rows: batch, input, output.
pub(super) type Shape = [RowTerm; 3];

/// A program as bare constraints, each operation a batch of them.
#[derive(Default)]
pub(super) struct Program {
    pub(super) solver: Solver,
    pub(super) rows: u32,
    pub(super) ops: u32,
    /// The number of pairs of a result axis and an operand axis: the work of the floor.
    pub(super) axes: u64,
}

impl Program {
    pub(super) fn unknown_row(&mut self) -> RowTerm {
        self.rows += 1;
        RowVar::new(self.rows - 1).into()
    }

    pub(super) fn finish<'a>(
        &mut self,
        pairs: impl IntoIterator<Item = (&'a RowTerm, &'a RowTerm)>,
    ) -> anyhow::Result<()> {
        let origin = OriginId::new(self.ops);
        self.solver.extend(pairs.into_iter().map(|(result, operand)| ConstraintRef {
            relation: RelationRef::RowIneq(result, operand),
            origin,
        }))?;
        self.ops += 1;
        self.axes += 4; // two axes of the result, each with two operands
        Ok(())
    }
}

impl Front for Program {
    type Tensor = Shape;

    fn ops(&self) -> u32 {
        self.ops
    }

    fn data(&mut self) -> anyhow::Result<Shape> {
        Ok([closed(&[32]), closed(&[]), closed(&[64])])
    }

    fn bias(&mut self) -> anyhow::Result<Shape> {
        Ok([closed(&[]), closed(&[]), closed(&[64])])
    }

    fn unknown(&mut self) -> Shape {
        [self.unknown_row(), self.unknown_row(), self.unknown_row()]
    }

    fn parameter(&mut self) -> Shape {
        [closed(&[]), self.unknown_row(), self.unknown_row()]
    }

    fn pointwise(&mut self, _: &'static str, operands: &[&Shape]) -> anyhow::Result<Shape> {
        let result = self.unknown();
        self.finish(operands.iter().flat_map(|operand| result.iter().zip(*operand)))?;
        Ok(result)
    }

    fn compose(&mut self, left: &Shape, right: &Shape) -> anyhow::Result<Shape> {
        let result = self.unknown();
        self.finish([
            (&left[1], &right[2]),
            (&result[0], &left[0]),
            (&result[0], &right[0]),
            (&result[1], &right[1]),
            (&result[2], &left[2]),
        ])?;
        Ok(result)
    }

    fn bytes(&self) -> usize {
        self.solver.heap_bytes()
    }
}

pub(super) fn closed(sizes: &[u64]) -> RowTerm {
    let dims = sizes.iter().map(|size| Dim::int(*size).unwrap_or(Dim::Unit).into());
    RowTerm::closed([], dims)
}

/// A program in a session, with names, places and operations kept.
#[derive(Default)]
pub(super) struct InSession {
    pub(super) session: Session,
    pub(super) ops: u32,
}

impl Front for InSession {
    type Tensor = Tensor;

    fn ops(&self) -> u32 {
        self.ops
    }

    fn data(&mut self) -> anyhow::Result<Tensor> {
        Ok(self.session.data("x", "32|->64")?)
    }

    fn bias(&mut self) -> anyhow::Result<Tensor> {
        Ok(self.session.data("bias", "64")?)
    }

    fn unknown(&mut self) -> Tensor {
        self.session.constant("shared")
    }

    fn parameter(&mut self) -> Tensor {
        self.session.parameter("weight")
    }

    fn pointwise(&mut self, name: &'static str, operands: &[&Tensor]) -> anyhow::Result<Tensor> {
        self.ops += 1;
        Ok(match *operands {
            [one] => self.session.pointwise(name, &[*one])?,
            [one, two] => self.session.pointwise(name, &[*one, *two])?,
            _ => {
                let operands: Vec<Tensor> = operands.iter().map(|operand| **operand).collect();
                self.session.pointwise(name, &operands)?
            }
        })
    }

    fn compose(&mut self, left: &Tensor, right: &Tensor) -> anyhow::Result<Tensor> {
        self.ops += 1;
        Ok(self.session.compose(*left, *right)?)
    }

    fn bytes(&self) -> usize {
        self.session.heap_bytes()
    }
}
