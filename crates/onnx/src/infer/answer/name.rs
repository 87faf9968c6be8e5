//! What nodes, values and places are called in messages.

use super::super::{
    id::{GraphId, NodeId, TensorId},
    inferred::{Inferred, Source},
    require::Place,
    text::plain,
};

/// A node by its name: `Conv.3`; by its operator and place where it has none: `Conv number 12`.
pub fn node_called(inferred: &Inferred<'_, '_>, id: NodeId) -> String {
    let record = inferred.node(id);
    let own = if record.node.name.is_empty() {
        let op = plain(&record.node.op.to_lossy());
        format!("`{op}` number {}", record.place)
    } else {
        format!("`{}`", plain(&record.node.name.to_lossy()))
    };
    match inferred.graph(record.graph).of {
        Some(of) if record.graph != GraphId(0) => {
            let graph = plain(&inferred.graph(record.graph).name.to_lossy());
            let graph = if graph.is_empty() { "a graph".to_owned() } else { format!("`{graph}`") };
            // Only the innermost graph: a path of all says no more to whoever searches the file.
            let of = plain(&inferred.node(of).node.name.to_lossy());
            if of.is_empty() {
                format!("{own} in {graph}")
            } else {
                format!("{own} in {graph} of `{of}`")
            }
        }
        _ => own,
    }
}

/// The name of a node without quotes, for paths: `Conv.3`, `Conv#12`.
pub(super) fn node_plain(inferred: &Inferred<'_, '_>, id: NodeId) -> String {
    let record = inferred.node(id);
    if record.node.name.is_empty() {
        format!("{}#{}", plain(&record.node.op.to_lossy()), record.place)
    } else {
        plain(&record.node.name.to_lossy())
    }
}

/// The name of a value.
pub fn tensor_plain(inferred: &Inferred<'_, '_>, id: TensorId) -> String {
    plain(&inferred.tensor(id).name.to_lossy())
}

/// A value with what gives it: ``the input `x` ``, ``the initializer `w` ``, `` `y` (the output of
/// `Conv.3`)``.
pub fn tensor_called(inferred: &Inferred<'_, '_>, id: TensorId) -> String {
    let record = inferred.tensor(id);
    let name = tensor_plain(inferred, id);
    match record.source {
        Source::Input(_) if record.graph == GraphId(0) => format!("the input `{name}`"),
        Source::Input(_) => format!("`{name}`, which its graph is given,"),
        Source::Initializer => format!("the initializer `{name}`"),
        Source::Node(node, _) if inferred.node(node).node.op == "Constant" => {
            format!("the constant `{name}`")
        }
        Source::Node(node, _) => {
            format!("`{name}` (the output of {})", node_called(inferred, node))
        }
    }
}

/// The value that a place of a node is in.
pub(super) fn tensor_at(
    inferred: &Inferred<'_, '_>,
    node: NodeId,
    place: Place,
) -> Option<TensorId> {
    let record = inferred.node(node);
    match place {
        Place::Input(input) | Place::Axis(input, _) | Place::Element(input, _) => {
            record.inputs.get(input).copied().flatten()
        }
        Place::Result(_) => record.outputs.first().copied().flatten(),
        Place::Node | Place::Attribute(_) => None,
    }
}

/// A place: ``axis 1 of `x` (the output of `Conv.3`)``.
pub(super) fn place_called(inferred: &Inferred<'_, '_>, node: NodeId, place: Place) -> String {
    let tensor = tensor_at(inferred, node, place).map(|id| tensor_called(inferred, id));
    match (place, tensor) {
        (Place::Axis(_, axis) | Place::Result(axis), Some(tensor)) => {
            format!("axis {axis} of {tensor}")
        }
        (Place::Element(_, element), Some(tensor)) => format!("element {element} of {tensor}"),
        (Place::Input(_), Some(tensor)) => tensor,
        (Place::Attribute(name), _) => {
            format!("attribute `{name}` of {}", node_called(inferred, node))
        }
        _ => node_called(inferred, node),
    }
}

/// The axis that `name.2` is: the longest name of a value that is followed by a number.
pub fn find_axis(inferred: &Inferred<'_, '_>, text: &str) -> Option<(TensorId, usize)> {
    let (name, axis) = text.rsplit_once('.')?;
    let axis = axis.parse().ok()?;
    Some((inferred.find(name)?, axis))
}
