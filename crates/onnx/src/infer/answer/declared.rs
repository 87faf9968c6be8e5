//! What a file says of the shapes of its values, where inference says otherwise.
//!
//! Exporters write down the shapes that they knew. Where a number among them is another than what
//! the graph computes, the file was changed since, or written wrongly: the first such node is where
//! to look.

use std::collections::HashMap;

use lozenge_diagnostic::{Code, Diagnostic, Help};

use super::{
    super::{
        id::{GraphId, NodeId, TensorId},
        inferred::{Inferred, Source},
        num::{Num, Truth},
        require::Place,
        text::{counted, plain, shape_text},
    },
    chain::{chain, told},
    name::tensor_called,
    probe::{Fact, Prober},
    report::ModelReport,
};
use crate::{
    text::Text,
    types::{Dim, TensorType, Type},
};

/// What of a shape is not what the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// How many axes there are.
    Rank,
    /// The size of this axis, the first of those that differ: the file says that number.
    Axis(usize, i64),
}

/// A value that the file declares otherwise than it was inferred.
#[derive(Debug, Clone)]
pub struct Differing {
    /// The value.
    pub tensor: TensorId,
    /// The node that gives it.
    pub node: NodeId,
    /// What is other.
    pub part: Part,
    /// The shape that the file says: `[n,4,?]`.
    pub declared: String,
    /// How many values that are computed from it differ as well.
    pub others: usize,
}

/// The values of the model's own graph that the file declares otherwise than they were inferred,
/// but for those that are computed from others of them.
pub fn differing(inferred: &mut Inferred<'_, '_>) -> Vec<Differing> {
    let graph = inferred.model_graph;
    let declared: HashMap<Text<'_>, &TensorType<'_>> = graph
        .value_info
        .iter()
        .chain(&graph.outputs)
        .filter_map(|info| match &info.ty {
            Type::Tensor(ty) => Some((info.name, ty)),
            _ => None,
        })
        .collect();
    // The place of what a value follows from.
    let mut cause: HashMap<TensorId, usize> = HashMap::new();
    let mut found: Vec<Differing> = vec![];
    let nodes: Vec<NodeId> = inferred
        .nodes()
        .filter(|(_, record)| record.graph == GraphId(0))
        .map(|(id, _)| id)
        .collect();
    for node in nodes {
        let record = inferred.node(node);
        let before = record.inputs.iter().flatten().find_map(|input| cause.get(input)).copied();
        for tensor in record.outputs.clone().into_iter().flatten() {
            if let Some(before) = before {
                cause.insert(tensor, before);
            }
            let Some(ty) = declared.get(&inferred.tensor(tensor).name) else { continue };
            let Some(part) = differs(inferred, tensor, ty) else { continue };
            if let Some(before) = before {
                found[before].others += 1;
            } else {
                cause.insert(tensor, found.len());
                let declared = text(ty);
                found.push(Differing { tensor, node, part, declared, others: 0 });
            }
        }
    }
    found
}

/// What is other than is declared, for all values of names.
fn differs(
    inferred: &mut Inferred<'_, '_>,
    tensor: TensorId,
    declared: &TensorType<'_>,
) -> Option<Part> {
    let dims = declared.shape.as_ref()?;
    let record = inferred.tensor(tensor);
    let sizes = record.known.shape.clone()?;
    // Some exporters write no shape as one without axes.
    let is_given = !dims.is_empty() && matches!(record.source, Source::Node(..));
    if !is_given {
        return None;
    }
    if sizes.len() != dims.len() {
        // How many axes there are may follow from what was assumed.
        return inferred.assumptions().is_empty().then_some(Part::Rank);
    }
    let nums = inferred.nums_mut();
    let other = |(axis, (size, dim)): (usize, (&Num, &Dim<'_>))| match dim {
        Dim::Value(n @ 1..) if nums.equals(*size, Num::Int(*n)) == Truth::Never => {
            Some(Part::Axis(axis, *n))
        }
        _ => None,
    };
    sizes.iter().zip(dims).enumerate().find_map(other)
}

fn text(declared: &TensorType<'_>) -> String {
    let dim = |dim: &Dim<'_>| match dim {
        Dim::Value(n) => n.to_string(),
        Dim::Param(name) => plain(&name.to_lossy()),
        Dim::Unknown => "?".to_owned(),
    };
    let all: Vec<String> = declared.shape.iter().flatten().map(dim).collect();
    format!("[{}]", all.join(","))
}

/// Says where the file says something else.
pub(super) fn say(inferred: &Inferred<'_, '_>, found: &Differing, report: &mut ModelReport) {
    let Differing { tensor, node, part, declared, others } = found;
    let called = tensor_called(inferred, *tensor);
    let shape = shape_text(inferred.nums(), inferred.tensor(*tensor).known.shape.as_ref());
    let (headline, label, links) = match *part {
        Part::Axis(axis, size) => {
            let fact = Fact::Axis(*tensor, axis);
            let own = fact.text(inferred);
            let headline = format!("axis {axis} of {called} is {own}, and the file says {size}");
            let links = chain(&mut Prober::new(inferred), fact);
            let note = format!("{own} comes from {}", told(inferred, &links));
            (headline, format!("{size} in the file"), (links.len() > 1).then_some(note))
        }
        Part::Rank => {
            let headline = format!("{called} is {shape}, and the file says {declared}");
            (headline, format!("{declared} in the file"), None)
        }
    };
    let mut said = Diagnostic::new(Code::DeclaredShape, headline);
    if let Some(note) = links {
        said = said.note(note);
    }
    if *others > 0 {
        let values = counted(*others, "value");
        let verb = if *others == 1 { "is" } else { "are" };
        said = said.note(format!("{values} computed from it {verb} not what the file says either"));
    }
    let said = said.help(Help::advice(
        "one of the two is from before a change: what the node reads, or what the file says of the value",
    ));
    let is_first = inferred.node(*node).outputs.first() == Some(&Some(*tensor));
    let place = match part {
        Part::Axis(axis, _) if is_first => Place::Result(*axis),
        _ => Place::Node,
    };
    report.say(inferred, *node, said, [(place, label)]);
}
