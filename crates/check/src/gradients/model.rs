//! A composition: tensors that are given, operations on them, and the weights of the elements of
//! the last, whose weighted sum is differentiated.

use std::fmt;

use serde::Serialize;

use crate::numeric::Combine;

/// A size; a unit is `1_`, which stretches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Axis {
    pub(super) size: u64,
    pub(super) is_unit: bool,
}

/// A shape: batch, input, output.
pub(super) type Rows = [Vec<Axis>; 3];

/// The rows in the order of memory: batch, output, input.
pub(super) const IN_MEMORY: [usize; 3] = [0, 2, 1];

impl Axis {
    pub(super) fn of(size: u64) -> Axis {
        Axis { size, is_unit: false }
    }

    pub(super) const UNIT: Axis = Axis { size: 1, is_unit: true };
}

/// A tensor of output axes of these sizes.
pub(super) fn output(sizes: &[u64]) -> Rows {
    [vec![], vec![], sizes.iter().map(|size| Axis::of(*size)).collect()]
}

/// The shape of what meets a number, which has one output axis that stretches.
pub(super) fn beside_number(mut shape: Rows) -> Rows {
    if shape[2].is_empty() {
        shape[2].push(Axis::UNIT);
    }
    shape
}

/// The number of elements of a shape.
pub(super) fn elements(shape: &Rows) -> usize {
    shape.iter().flatten().map(|axis| usize::try_from(axis.size).unwrap_or(usize::MAX)).product()
}

/// The sizes of a shape in the order of memory.
pub(super) fn in_memory(shape: &Rows) -> Vec<u64> {
    IN_MEMORY.iter().flat_map(|row| shape[*row].iter().map(|axis| axis.size)).collect()
}

/// A shape as it is written.
pub(super) fn text(shape: &Rows) -> String {
    let size = |axis: &Axis| if axis.is_unit { "1_".to_owned() } else { axis.size.to_string() };
    let row = |row: &Vec<Axis>| row.iter().map(size).collect::<Vec<_>>().join(",");
    let [batch, input, output] = shape.each_ref().map(row);
    let arrow = if input.is_empty() { "" } else { "->" };
    let bar = if batch.is_empty() { "" } else { "|" };
    format!("{batch}{bar}{input}{arrow}{output}")
}

/// What a leaf may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Range {
    Any,
    /// At least a half.
    Positive,
    /// Whole numbers below this, and one beyond at either end.
    Index(u64),
}

/// How a tensor of a composition is made. Python reads the same, by these names.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Op {
    /// It is given; gradients are wanted by it unless it holds indices.
    Leaf {
        values: Vec<f64>,
        wanted: bool,
        #[serde(skip)]
        range: Range,
    },
    Number {
        number: f64,
    },
    Unary {
        name: &'static str,
    },
    Binary {
        name: &'static str,
    },
    Ternary {
        name: &'static str,
    },
    Compose,
    Transpose,
    Spec(Spec),
    /// To its shape, which is said, or follows from a sum with a tensor of that shape.
    Reshape {
        is_said: bool,
    },
    Concat,
    Stack,
    Interleave,
    /// The rows of the first that the second names.
    Gather,
    Mean {
        spec: String,
    },
    /// Times or divided by the number of elements, or its root.
    Count {
        is_root: bool,
    },
    /// The sum over an axis, divided by its size.
    Size {
        spec: String,
        axis: String,
    },
    Stop,
    Convert,
    /// The first changed by the others, in a statement.
    Update(Update),
}

/// A specification, with how elements are combined and accumulated.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Spec {
    #[serde(rename = "spec")]
    pub(super) text: String,
    pub(super) numbers: Vec<(String, u64)>,
    pub(super) indices: Vec<(String, u64)>,
    pub(super) combine: Combine,
    pub(super) accumulate: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Update {
    /// `add`, `subtract` or `set`.
    pub(super) by: &'static str,
    /// What stands between the tensors that are read: `times`, `compose`, `transpose`, or a
    /// specification.
    pub(super) logic: &'static str,
    pub(super) spec: String,
    #[serde(skip)]
    pub(super) is_forward: bool,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Node {
    #[serde(flatten)]
    pub(super) op: Op,
    pub(super) of: Vec<usize>,
    #[serde(serialize_with = "sizes")]
    pub(super) shape: Rows,
}

fn sizes<S: serde::Serializer>(shape: &Rows, to: S) -> Result<S::Ok, S::Error> {
    let sizes = shape.each_ref().map(|row| row.iter().map(|axis| axis.size).collect::<Vec<_>>());
    sizes.serialize(to)
}

/// Tensors, each made of those before it; the weighted sum of the last is differentiated by every
/// leaf that is wanted.
#[derive(Clone, Default, Debug, Serialize)]
pub struct Composition {
    pub(super) nodes: Vec<Node>,
    pub(super) weights: Vec<f64>,
    /// The operations that were drawn, by name.
    pub names: Vec<&'static str>,
}

impl Composition {
    /// The places of the leaves that gradients are wanted by.
    pub(super) fn wanted(&self) -> Vec<usize> {
        let is_wanted = |node: &Node| matches!(node.op, Op::Leaf { wanted: true, .. });
        (0..self.nodes.len()).filter(|place| is_wanted(&self.nodes[*place])).collect()
    }

    /// The shape of the last tensor.
    pub(super) fn result(&self) -> Rows {
        self.nodes.last().map(|node| node.shape.clone()).unwrap_or_default()
    }
}

/// A line for every tensor.
impl fmt::Display for Composition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, Node { op, of, shape }) in self.nodes.iter().enumerate() {
            write!(f, "x{place}: {} = ", text(shape))?;
            match op {
                Op::Leaf { values, .. } => write!(f, "{values:?}")?,
                op => write!(f, "{op:?} of {of:?}")?,
            }
            f.write_str("\n    ")?;
        }
        write!(f, "weights = {:?}", self.weights)
    }
}
