//! The graph of a model with few boxes: nodes whose names begin alike are one.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{
    id::{GraphId, NodeId, TensorId},
    inferred::{Inferred, Source},
    text::{known_text, plain},
};

/// Nodes that are one box.
#[derive(Debug, Clone)]
pub struct Group {
    /// What their names begin with.
    pub name: String,
    /// How many there are.
    pub nodes: usize,
    /// Their operators, the most frequent first, each with how many there are.
    pub ops: Vec<(String, usize)>,
    /// Where it stands from the inputs down.
    pub layer: usize,
}

/// A graph of groups. Inputs and outputs are groups too.
#[derive(Debug, Clone, Default)]
pub struct Grouped {
    /// The groups, in the order of their first nodes.
    pub groups: Vec<Group>,
    /// From one to another, with the shape of the first value that goes there, and how many there
    /// are.
    pub edges: Vec<(usize, usize, String, usize)>,
}

/// The graph of the model's own nodes, gathered into about `most` groups.
pub fn groups(inferred: &Inferred<'_, '_>, most: usize) -> Grouped {
    let own: Vec<(NodeId, Vec<String>)> = inferred
        .nodes()
        .filter(|(_, record)| record.graph == GraphId(0) && record.node.op != "Constant")
        .map(|(id, record)| (id, path(&record.node.name.to_lossy())))
        .collect();
    let prefix = prefixes(&own, most);
    let mut grouped = Grouped::default();
    let mut of_node: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut of_name: BTreeMap<String, usize> = BTreeMap::new();
    for input in inferred.inputs() {
        let record = inferred.tensor(*input);
        let name = format!(
            "{} {}",
            plain(&record.name.to_lossy()),
            known_text(inferred.nums(), &record.known)
        );
        grouped.groups.push(Group { name, nodes: 0, ops: vec![], layer: 0 });
    }
    let mut counts: BTreeMap<usize, BTreeMap<String, usize>> = BTreeMap::new();
    for ((id, _), name) in own.iter().zip(&prefix) {
        let group = *of_name.entry(name.clone()).or_insert_with(|| {
            grouped.groups.push(Group { name: name.clone(), nodes: 0, ops: vec![], layer: 0 });
            grouped.groups.len() - 1
        });
        of_node.insert(*id, group);
        grouped.groups[group].nodes += 1;
        let op = plain(&inferred.node(*id).node.op.to_lossy());
        *counts.entry(group).or_default().entry(op).or_default() += 1;
    }
    for (group, ops) in counts {
        let mut ops: Vec<(String, usize)> = ops.into_iter().collect();
        ops.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        grouped.groups[group].ops = ops;
    }
    let inputs = inferred.inputs();
    let giver = |id: TensorId| match inferred.tensor(id).source {
        Source::Node(node, _) => of_node.get(&node).copied(),
        Source::Input(_) => inputs.iter().position(|input| *input == id),
        Source::Initializer => None,
    };
    let shape = |id| known_text(inferred.nums(), &inferred.tensor(id).known);
    let mut edges: BTreeMap<(usize, usize), (String, usize)> = BTreeMap::new();
    for (id, _) in &own {
        let Some(to) = of_node.get(id) else { continue };
        for input in inferred.node(*id).inputs.iter().flatten() {
            if let Some(from) = giver(*input).filter(|from| from != to) {
                edges.entry((from, *to)).or_insert_with(|| (shape(*input), 0)).1 += 1;
            }
        }
    }
    for output in inferred.outputs().iter().flatten() {
        let name =
            format!("{} {}", plain(&inferred.tensor(*output).name.to_lossy()), shape(*output));
        grouped.groups.push(Group { name, nodes: 0, ops: vec![], layer: 0 });
        if let Some(from) = giver(*output) {
            edges.insert((from, grouped.groups.len() - 1), (shape(*output), 1));
        }
    }
    // From the first node of each down: what goes back up is left out of the order.
    for (from, to) in edges.keys() {
        if from < to {
            let below = grouped.groups[*from].layer + 1;
            let layer = &mut grouped.groups[*to].layer;
            *layer = (*layer).max(below);
        }
    }
    grouped.edges =
        edges.into_iter().map(|((from, to), (shape, count))| (from, to, shape, count)).collect();
    grouped
}

/// What stands for nodes whose names have no parts.
const OTHERS: &str = "(others)";

/// The parts of a name: `/model.1/conv/Conv` is `model.1`, `conv`, `Conv`.
fn path(name: &str) -> Vec<String> {
    let name = plain(name);
    let by_slash: Vec<String> =
        name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    if by_slash.len() > 1 || !name.contains("::") && !name.contains('.') {
        return by_slash;
    }
    name.split("::").flat_map(|part| part.split('.')).map(str::to_owned).collect()
}

/// What stands for each node: the beginning of its name, or its place among the nodes where names
/// have no parts.
fn prefixes(own: &[(NodeId, Vec<String>)], most: usize) -> Vec<String> {
    let deepest = own.iter().map(|(_, path)| path.len()).max().unwrap_or(0);
    let with = |depth: usize| -> Vec<String> {
        // The last part is the node's own.
        own.iter()
            .map(|(_, path)| path[..depth.min(path.len().saturating_sub(1))].join("/"))
            .collect()
    };
    let count = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len();
    let mut best = with(0);
    for depth in 1..=deepest {
        let names = with(depth);
        if count(&names) > most {
            break;
        }
        best = names;
    }
    // Nodes of one group that others stand between are groups of their own, so that arrows lead
    // down.
    let mut runs: Vec<String> = vec![];
    let mut number: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, name) in best.iter().enumerate() {
        if place > 0 && best[place - 1] != *name {
            *number.entry(name).or_default() += 1;
        }
        let run = number.get(name.as_str()).copied().unwrap_or(0);
        let name = if name.is_empty() { OTHERS } else { name };
        runs.push(if run == 0 { name.to_owned() } else { format!("{name} ({})", run + 1) });
    }
    let names = if count(&runs) <= most { runs } else { best };
    if count(&names) > 3 || own.len() <= 3 {
        return names
            .into_iter()
            .map(|name| if name.is_empty() { OTHERS.to_owned() } else { name })
            .collect();
    }
    // Names say nothing: groups of nodes in order, each with equally many.
    let each = own.len().div_ceil(most.max(1)).max(1);
    own.chunks(each)
        .flat_map(|chunk| {
            let label = |path: &[String]| path.join(".");
            let first = chunk.first().map(|(_, path)| label(path)).unwrap_or_default();
            let last = chunk.last().map(|(_, path)| label(path)).unwrap_or_default();
            let name = if first == last { first } else { format!("{first} … {last}") };
            let place = chunk.first().map_or(0, |(id, _)| id.0);
            let name = if name.trim_matches([' ', '…']).is_empty() {
                format!("from {place}")
            } else {
                name
            };
            std::iter::repeat_n(name, chunk.len())
        })
        .collect()
}
