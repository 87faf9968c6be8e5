//! Compositions that are being drawn: leaves, shapes, and what operations need.

use super::model::{
    Axis, Composition, Node, Op, Range, Rows, Spec, beside_number, elements, output,
};
use crate::{Generator, numeric::Combine};

/// The most elements of a tensor, and of all leaves together: each is moved on its own.
const MOST_ELEMENTS: usize = 64;
const MOST_LEAF_ELEMENTS: usize = 90;

/// The most axes of a tensor.
const MOST_AXES: usize = 6;

/// A composition that is being drawn.
pub(super) struct Drawing<'r> {
    pub(super) rng: &'r mut Generator,
    pub(super) made: Composition,
}

impl<'r> Drawing<'r> {
    pub(super) fn new(rng: &'r mut Generator) -> Drawing<'r> {
        Drawing { rng, made: Composition::default() }
    }

    pub(super) fn shape(&self, of: usize) -> Rows {
        self.made.nodes[of].shape.clone()
    }

    pub(super) fn push(&mut self, op: Op, of: &[usize], shape: Rows) -> usize {
        self.made.nodes.push(Node { op, of: of.to_vec(), shape });
        self.made.nodes.len() - 1
    }

    /// A leaf of a shape, whose gradient is wanted.
    pub(super) fn leaf(&mut self, shape: Rows) -> usize {
        self.leaf_in(shape, Range::Any)
    }

    pub(super) fn leaf_in(&mut self, shape: Rows, range: Range) -> usize {
        let wanted = !matches!(range, Range::Index(_));
        self.push(Op::Leaf { values: vec![], wanted, range }, &[], shape)
    }

    /// A number.
    pub(super) fn number(&mut self, number: f64) -> usize {
        self.push(Op::Number { number }, &[], [vec![], vec![], vec![Axis::UNIT]])
    }

    /// Whether a tensor may have its marker behind its first axes, as what is stacked has: what has
    /// more axes is inserted in the middle then, and not aligned from the end.
    pub(super) fn keeps_first(&self, of: usize) -> bool {
        let node = &self.made.nodes[of];
        matches!(node.op, Op::Concat | Op::Stack) || node.of.iter().any(|of| self.keeps_first(*of))
    }

    pub(super) fn size(&mut self) -> u64 {
        self.rng.u64(1..=4)
    }

    pub(super) fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    /// A random shape: mostly of output axes alone.
    pub(super) fn any_shape(&mut self) -> Rows {
        let mut shape = Rows::default();
        for row in [2, 2, 2, 0, 1] {
            let is_likely = if row == 2 { 60 } else { 25 };
            if self.chance(is_likely) {
                let size = self.size();
                shape[row].push(Axis::of(size));
            }
        }
        if shape.iter().all(Vec::is_empty) {
            shape = output(&[self.rng.u64(2..=4)]);
        }
        shape
    }

    /// A tensor of exactly this shape: one that is there, or a new leaf.
    pub(super) fn same(&mut self, shape: &Rows, tensor: usize) -> usize {
        let has_shape = |place: &usize| {
            let node = &self.made.nodes[*place];
            let is_index = matches!(node.op, Op::Leaf { range: Range::Index(_), .. });
            node.shape == *shape && !is_index
        };
        let there: Vec<usize> = (0..self.made.nodes.len()).filter(has_shape).collect();
        match self.rng.u8(..10) {
            0..2 => tensor,
            2..6 if !there.is_empty() => there[self.rng.usize(..there.len())],
            _ => self.leaf(shape.clone()),
        }
    }

    /// The tensor, or what is made of it, with elements that are above 0.
    pub(super) fn positive(&mut self, tensor: usize) -> usize {
        let is_alone = self.made.nodes.len() == tensor + 1;
        if let (true, Op::Leaf { range: range @ Range::Any, .. }) =
            (is_alone, &mut self.made.nodes[tensor].op)
        {
            *range = Range::Positive;
            return tensor;
        }
        let shape = self.shape(tensor);
        let square = self.push(Op::Binary { name: "mul" }, &[tensor, tensor], shape.clone());
        let half = self.number(0.5);
        self.push(Op::Binary { name: "add" }, &[square, half], beside_number(shape))
    }

    /// A specification.
    pub(super) fn spec(
        &mut self,
        (spec, numbers): (String, &[(&str, u64)]),
        (combine, accumulate): (Combine, &'static str),
        of: &[usize],
        shape: Rows,
    ) -> usize {
        let numbers = numbers.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect();
        let spec = Spec { text: spec, numbers, indices: vec![], combine, accumulate };
        self.push(Op::Spec(spec), of, shape)
    }

    /// Whether all tensors are small, and the last one is what is differentiated.
    pub(super) fn is_small(&self, result: usize) -> bool {
        // The last one is what is differentiated.
        let is_last = result + 1 == self.made.nodes.len();
        let nodes = &self.made.nodes;
        let leaves: usize = nodes
            .iter()
            .filter(|node| matches!(node.op, Op::Leaf { wanted: true, .. }))
            .map(|node| elements(&node.shape))
            .sum();
        let fits = |node: &Node| {
            let count = elements(&node.shape);
            let axes: usize = node.shape.iter().map(Vec::len).sum();
            count > 0 && count <= MOST_ELEMENTS && axes <= MOST_AXES
        };
        is_last && leaves <= MOST_LEAF_ELEMENTS && nodes.iter().all(fits) && self.has_own_indices()
    }

    /// Whether no two specifications have an index by the same name.
    fn has_own_indices(&self) -> bool {
        let mut seen: Vec<&str> = vec![];
        for node in &self.made.nodes {
            let Op::Spec(spec) = &node.op else { continue };
            for (name, _) in &spec.indices {
                if seen.contains(&name.as_str()) {
                    return false;
                }
                seen.push(name);
            }
        }
        true
    }
}
