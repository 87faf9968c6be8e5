//! What a model costs: parameters, the memory of its values, and its work, as closed forms over the
//! open sizes.
//!
//! - A parameter is an element of an initializer or a constant that is not an integer of 32 bits or
//!   more.
//! - A value lives from the node that gives it to the last that reads it, in the file's order, and
//!   has memory of its own; inputs live from the start, outputs to the end.
//! - Work is two for each multiply-add of a contraction, and one for each element that is computed
//!   or read in a reduction. Moving elements is free.

use std::collections::BTreeMap;

use super::{
    super::{
        id::{GraphId, NodeId, TensorId},
        inferred::{Inferred, Source},
        num::{Num, Nums},
        template::Template,
        text::plain,
    },
    bound::Bound,
};
use crate::element::Element;

/// What a model costs.
#[derive(Debug, Clone)]
pub struct Cost {
    /// How many parameters it has.
    pub parameters: u64,
    /// How many bytes the file's tensors take.
    pub stored_bytes: u64,
    /// The bytes of values where they are the most.
    pub peak: Num,
    /// The node that runs then.
    pub peak_at: Option<NodeId>,
    /// The work of all nodes that could be counted.
    pub work: Num,
    /// The nodes with the most work, and how much it is.
    pub nodes: Vec<NodeCost>,
    /// The operators whose work is not known, and how many nodes they have.
    pub uncounted: Vec<(String, usize)>,
    /// The values whose memory is not known.
    pub unsized_values: usize,
}

/// The work of a node.
#[derive(Debug, Clone)]
pub struct NodeCost {
    /// The node.
    pub node: NodeId,
    /// Its work.
    pub work: Num,
    /// The bytes of what it gives.
    pub bytes: Option<Num>,
}

/// Operators that move elements, or make them from nothing.
const MOVES: &[&str] = &[
    "Cast",
    "CastLike",
    "Compress",
    "Concat",
    "ConcatFromSequence",
    "Constant",
    "ConstantOfShape",
    "DepthToSpace",
    "Dropout",
    "Expand",
    "EyeLike",
    "Flatten",
    "Gather",
    "GatherElements",
    "GatherND",
    "Identity",
    "If",
    "Loop",
    "NonZero",
    "OneHot",
    "OptionalGetElement",
    "Pad",
    "Range",
    "Reshape",
    "ReverseSequence",
    "Scan",
    "ScatterElements",
    "ScatterND",
    "SequenceAt",
    "SequenceConstruct",
    "SequenceEmpty",
    "SequenceInsert",
    "Shape",
    "Size",
    "Slice",
    "SpaceToDepth",
    "Split",
    "SplitToSequence",
    "Squeeze",
    "Tile",
    "Transpose",
    "Trilu",
    "Unsqueeze",
    "Where",
];

/// The size at which forms over open sizes are compared: many numbers divide it.
const LARGE: i64 = 5040;

/// What a model costs.
pub fn cost(inferred: &mut Inferred<'_, '_>) -> Cost {
    let (parameters, stored_bytes, uncountable) = stored(inferred);
    let (peak, peak_at, open) = memory(inferred);
    let unsized_values = open + uncountable;
    let mut nodes = vec![];
    let mut uncounted: BTreeMap<String, usize> = BTreeMap::new();
    let mut work = Num::Int(0);
    let ids: Vec<NodeId> = inferred.nodes().map(|(id, _)| id).collect();
    for id in ids {
        let of = inferred.node(id).graph;
        if inferred.graph(of).is_dead {
            continue;
        }
        match work_of(inferred, id) {
            Some(Num::Int(0)) => {}
            Some(own) => {
                work = inferred.nums_mut().add(work, own);
                let output = inferred.node(id).outputs.first().copied().flatten();
                let bytes = output.and_then(|output| bytes_of(inferred, output));
                nodes.push(NodeCost { node: id, work: own, bytes });
            }
            None => {
                let op = plain(&inferred.node(id).node.op.to_lossy());
                *uncounted.entry(op).or_default() += 1;
            }
        }
    }
    let nums = inferred.nums();
    nodes.sort_by_key(|cost| {
        std::cmp::Reverse((at_large(nums, cost.work), std::cmp::Reverse(cost.node)))
    });
    let uncounted = uncounted.into_iter().collect();
    Cost { parameters, stored_bytes, peak, peak_at, work, nodes, uncounted, unsized_values }
}

/// What a number is where all sizes are large; 0 where that cannot be said, so that what can be
/// said comes first.
fn at_large(nums: &Nums, num: Num) -> i64 {
    nums.value(num, &|_| Some(LARGE)).unwrap_or(0)
}

/// How many parameters the file has and how many bytes they take; and how many of its tensors have
/// more elements than can be counted.
fn stored(inferred: &Inferred<'_, '_>) -> (u64, u64, usize) {
    let (mut parameters, mut bytes, mut uncountable) = (0_u64, 0_u64, 0);
    for (_, record) in inferred.tensors() {
        let is_stored = match record.source {
            Source::Initializer => true,
            Source::Node(node, _) => inferred.node(node).node.op == "Constant",
            Source::Input(_) => false,
        };
        if !is_stored {
            continue;
        }
        let Some(count) = record.known.count() else {
            uncountable += 1;
            continue;
        };
        let count = count as u64;
        let is_index = matches!(
            record.known.element,
            Element::Int64
                | Element::Int32
                | Element::Uint64
                | Element::Uint32
                | Element::Bool
                | Element::String
        );
        if !is_index {
            parameters = parameters.saturating_add(count);
        }
        // The elements of some types have no size of their own: texts.
        if record.known.element.bits().is_some() {
            bytes = bytes.saturating_add(record.known.element.bytes(count).unwrap_or(u64::MAX));
        }
    }
    (parameters, bytes, uncountable)
}

/// The bytes of a value.
fn bytes_of(inferred: &mut Inferred<'_, '_>, id: TensorId) -> Option<Num> {
    let known = &inferred.tensor(id).known;
    let bits = i64::from(known.element.bits()?);
    let sizes = known.shape.clone()?;
    let nums = inferred.nums_mut();
    let count = nums.product(sizes);
    let bits = nums.mul(count, Num::Int(bits));
    Some(nums.ceil(bits, 8))
}

/// The most bytes that values of the model's own graph take together, and when.
fn memory(inferred: &mut Inferred<'_, '_>) -> (Num, Option<NodeId>, usize) {
    let own: Vec<NodeId> = inferred
        .nodes()
        .filter(|(_, record)| record.graph == GraphId(0))
        .map(|(id, _)| id)
        .collect();
    // What graphs in a node read is read by the node.
    let mut last_use: BTreeMap<TensorId, usize> = BTreeMap::new();
    let outermost = |mut graph: GraphId| {
        let mut node = None;
        while let Some(of) = inferred.graph(graph).of {
            node = Some(of);
            graph = inferred.node(of).graph;
        }
        node
    };
    for (id, record) in inferred.nodes() {
        let runs = outermost(record.graph).unwrap_or(id);
        let place = own.partition_point(|other| *other < runs);
        for input in record.inputs.iter().flatten() {
            let last = last_use.entry(*input).or_default();
            *last = (*last).max(place);
        }
    }
    for output in inferred.outputs().iter().flatten() {
        last_use.insert(*output, own.len());
    }
    let mut ends: BTreeMap<usize, Vec<TensorId>> = BTreeMap::new();
    let mut live = Num::Int(0);
    let mut open = 0;
    for input in inferred.inputs().to_vec() {
        let Some(bytes) = bytes_of(inferred, input) else {
            open += 1;
            continue;
        };
        live = inferred.nums_mut().add(live, bytes);
        ends.entry(last_use.get(&input).copied().unwrap_or(0)).or_default().push(input);
    }
    let (mut peak, mut peak_at, mut most) = (live, None, at_large(inferred.nums(), live));
    for (place, id) in own.iter().enumerate() {
        let is_constant = inferred.node(*id).node.op == "Constant";
        let outputs: Vec<TensorId> = inferred.node(*id).outputs.iter().copied().flatten().collect();
        for output in outputs.into_iter().filter(|_| !is_constant) {
            let Some(bytes) = bytes_of(inferred, output) else {
                open += 1;
                continue;
            };
            live = inferred.nums_mut().add(live, bytes);
            ends.entry(last_use.get(&output).copied().unwrap_or(place)).or_default().push(output);
        }
        let now = at_large(inferred.nums(), live);
        if now > most {
            (peak, peak_at, most) = (live, Some(*id), now);
        }
        for ended in ends.remove(&place).unwrap_or_default() {
            if let Some(bytes) = bytes_of(inferred, ended) {
                live = inferred.nums_mut().sub(live, bytes);
            }
        }
    }
    (peak, peak_at, open)
}

/// The work of a node; none where it is not known.
fn work_of(inferred: &mut Inferred<'_, '_>, id: NodeId) -> Option<Num> {
    let record = inferred.node(id);
    let op = record.node.op.to_lossy();
    if MOVES.contains(&op.as_ref()) {
        return Some(Num::Int(0));
    }
    let template: Template = inferred.template(id)?;
    let bound = Bound::of(inferred, id, &template)?;
    let nums = inferred.nums_mut();
    let axes = nums.product(bound.axes.iter().map(|(_, num)| *num));
    let rests = nums.product(bound.rests.iter().flat_map(|(_, sizes)| sizes.iter().copied()));
    let points = nums.mul(axes, rests);
    let is_reduced = bound.axes.iter().any(|(label, _)| !bound.written.contains(label));
    let each = if is_reduced && template.operands.len() > 1 { 2 } else { 1 };
    Some(nums.mul(points, Num::Int(each)))
}
