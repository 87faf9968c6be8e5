//! What does not fit in a model, and what stops inference.

use std::collections::{BTreeMap, HashMap, HashSet};

use lozenge_diagnostic::{Code, Diagnostic, Help};

use super::{
    super::{
        id::{GraphId, NodeId, TensorId},
        inferred::Inferred,
        num::{Num, Origin},
        require::{Conflict, Place, Relation, Stop},
        text::{counted, plain, shape_text},
    },
    chain::{chain, told},
    declared::{self, Differing, differing},
    mend,
    name::{node_called, place_called, tensor_at, tensor_called},
    probe::{Fact, Prober},
    report::ModelReport,
};
use crate::{graph::AttributeValue, text::Text};

/// A model in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Nodes, those inside of others included.
    pub nodes: usize,
    /// Values that are tensors, or may be.
    pub tensors: usize,
    /// Those whose sizes are all known in numbers and names of the inputs.
    pub known: usize,
    /// Those with a size that only running the model tells.
    pub at_run: usize,
    /// Those whose number of axes is not known.
    pub open: usize,
}

/// How much of a model is known.
pub fn summary(inferred: &Inferred<'_, '_>) -> Summary {
    let nums = inferred.nums();
    let is_of_node = |size: &Num| {
        nums.names_of(*size)
            .into_iter()
            .any(|id| nums.name(id).is_some_and(|name| name.origin != Origin::Input))
    };
    let mut summary = Summary { nodes: inferred.nodes().count(), ..Summary::default() };
    for (_, record) in inferred.tensors().filter(|(_, record)| record.known.container.is_none()) {
        summary.tensors += 1;
        match &record.known.shape {
            None => summary.open += 1,
            Some(sizes) if sizes.iter().any(is_of_node) => summary.at_run += 1,
            Some(_) => summary.known += 1,
        }
    }
    summary
}

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tell {
    /// At most this many places that do not fit, and none that comes after one of them.
    First(usize),
    /// All places.
    All,
}

/// What does not fit, and all that stops inference.
pub fn check(inferred: &mut Inferred<'_, '_>, tell: Tell) -> ModelReport {
    let mut report = ModelReport::default();
    let conflicts = inferred.conflicts().to_vec();
    // What does not fit in a node once does so again behind it: the first is said.
    let mut nodes: HashSet<NodeId> = HashSet::new();
    let of_nodes: Vec<&Conflict> =
        conflicts.iter().filter(|conflict| nodes.insert(conflict.node)).collect();
    let told: Vec<&Conflict> = match tell {
        Tell::All => of_nodes,
        Tell::First(most) => {
            let after = after(inferred, &nodes);
            let first = of_nodes.into_iter().filter(|conflict| !after.contains(&conflict.node));
            first.take(most).collect()
        }
    };
    report.left_out = nodes.len() - told.len();
    // What a node gives and the file says otherwise may be why another node, behind it, does not
    // fit.
    let first = nodes.iter().min();
    let most = if let Tell::First(most) = tell { most } else { usize::MAX };
    let (before, behind): (Vec<Differing>, Vec<Differing>) = differing(inferred)
        .into_iter()
        // Where the node does not fit itself, that says more.
        .filter(|found| !nodes.contains(&found.node))
        .take(most)
        .partition(|found| first.is_some_and(|first| found.node <= *first));
    of_graph(inferred, &mut report);
    for found in &before {
        declared::say(inferred, found, &mut report);
    }
    for conflict in told {
        say(inferred, conflict, &mut report);
    }
    for found in &behind {
        declared::say(inferred, found, &mut report);
    }
    stops(inferred, &mut report);
    report
}

/// What is wrong with the graph itself: an output that nothing gives, and a value that two nodes
/// give.
fn of_graph(inferred: &Inferred<'_, '_>, report: &mut ModelReport) {
    let outputs = inferred.model_graph.outputs.iter().zip(inferred.outputs());
    for (info, _) in outputs.filter(|(_, output)| output.is_none()) {
        let name = plain(&info.name.to_lossy());
        let headline = format!("the model's output `{name}` is given by nothing in it");
        report.say_of_all(Diagnostic::new(Code::UndefinedValue, headline));
    }
    let mut givers: HashMap<Text<'_>, NodeId> = HashMap::new();
    for (id, record) in inferred.nodes().filter(|(_, record)| record.graph == GraphId(0)) {
        for name in record.node.outputs.iter().filter(|name| !name.is_empty()) {
            let Some(first) = givers.insert(*name, id) else { continue };
            let headline = format!(
                "two nodes give `{}`: {} and {}",
                plain(&name.to_lossy()),
                node_called(inferred, first),
                node_called(inferred, id)
            );
            let said = Diagnostic::new(Code::NameClash, headline);
            report.say(inferred, id, said, [(Place::Node, "gives it again".to_owned())]);
        }
    }
}

/// The nodes that come after others of these, by what they read.
fn after(inferred: &Inferred<'_, '_>, nodes: &HashSet<NodeId>) -> HashSet<NodeId> {
    let mut reached: HashSet<TensorId> = HashSet::new();
    let mut after = HashSet::new();
    for (id, record) in inferred.nodes() {
        let is_after = record.inputs.iter().flatten().any(|input| reached.contains(input));
        if is_after && nodes.contains(&id) {
            after.insert(id);
        }
        if is_after || nodes.contains(&id) {
            reached.extend(record.outputs.iter().flatten());
        }
    }
    after
}

fn text(inferred: &Inferred<'_, '_>, num: Num) -> String {
    inferred.nums().text(num)
}

fn say(inferred: &Inferred<'_, '_>, conflict: &Conflict, report: &mut ModelReport) {
    let node = conflict.node;
    let name = node_called(inferred, node);
    let op = &plain(&inferred.node(node).node.op.to_lossy());
    let [at, by] = conflict.places.map(|place| place_called(inferred, node, place));
    let (code, headline, labels) = match (&conflict.relation, &conflict.mistake) {
        (Some(Relation::Equal(a, b)), _)
            if op == "Reshape" && conflict.places[0] == Place::Input(0) =>
        {
            let headline = format!(
                "{at} has {} elements, and {name} gives it sizes for {}",
                text(inferred, *a),
                text(inferred, *b)
            );
            let labels = [format!("{} elements", text(inferred, *a)), text(inferred, *b)];
            (Code::ElementsMismatch, headline, labels)
        }
        (Some(Relation::Equal(a, b) | Relation::Stretch(a, b) | Relation::Fit(a, b)), _) => {
            let (a, b) = (text(inferred, *a), text(inferred, *b));
            let headline = if conflict.places[1] == Place::Node {
                format!("{at} is {a}, and {name} ({op}) takes {b} there")
            } else {
                format!("{at} is {a}, {by} is {b}, and {name} ({op}) needs one size")
            };
            (Code::SizeMismatch, headline, [a, b])
        }
        (Some(Relation::AtLeast(num, least)), _) => {
            let missing = num.as_int().map(|num| least.saturating_sub(num));
            let missing = missing.map_or_else(String::new, |n| format!(" by {n}"));
            let size = conflict.places.iter().find_map(|place| {
                let Place::Axis(_, axis) = *place else { return None };
                Fact::Axis(tensor_at(inferred, node, *place)?, axis).num(inferred)
            });
            let size = size.map_or_else(String::new, |size| format!("{}, ", text(inferred, size)));
            let headline = format!("{at} is {size}too short{missing} for {name} ({op})");
            (Code::AxisTooShort, headline, [format!("too short{missing}"), String::new()])
        }
        (Some(Relation::Divides(divisor, of)), _) => {
            let (divisor, of) = (text(inferred, *divisor), text(inferred, *of));
            let at = if conflict.places[0] == Place::Node { by } else { at };
            let code = if op == "Reshape" { Code::ElementsMismatch } else { Code::MergeMismatch };
            let headline = if matches!(conflict.places[1], Place::Input(_)) {
                format!("{at} has {of} elements, and {name} divides them by {divisor}")
            } else {
                format!("{at} is {of}, which {name} ({op}) divides by {divisor}")
            };
            (code, headline, [format!("no multiple of {divisor}"), of])
        }
        (None, Some(stop)) => {
            let (code, headline) = mistake(inferred, node, stop);
            (code, headline, [String::new(), String::new()])
        }
        (None, None) => return,
    };
    let code = if conflict.is_certain { code } else { Code::BranchMismatch };
    let headline = if conflict.is_certain {
        headline
    } else {
        format!("where the graph of {name} runs, {headline}")
    };
    let mut said = Diagnostic::new(code, headline);
    for place in conflict.places {
        said = origin(inferred, node, place, said);
    }
    for help in mend::helps(inferred, conflict) {
        said = said.help(Help::advice(help));
    }
    let places = match conflict.mistake {
        Some(Stop::Missing(input) | Stop::Axes { input, .. } | Stop::Elements(input)) => {
            [Place::Input(input), Place::Node]
        }
        _ => conflict.places,
    };
    report.say(inferred, node, said, places.into_iter().zip(labels));
}

/// Where the size of a place comes from, as a note.
fn origin(inferred: &Inferred<'_, '_>, node: NodeId, place: Place, said: Diagnostic) -> Diagnostic {
    let Some(tensor) = tensor_at(inferred, node, place) else { return said };
    let fact = match place {
        Place::Axis(_, axis) => Fact::Axis(tensor, axis),
        Place::Element(_, element) => Fact::Element(tensor, element),
        _ => return said,
    };
    let Some(size) = fact.num(inferred) else { return said };
    let links = chain(&mut Prober::new(inferred), fact);
    // Of an input or a stored weight itself the headline has said it.
    if links.len() < 2 {
        return said;
    }
    said.note(format!("{} comes from {}", text(inferred, size), told(inferred, &links)))
}

/// What is wrong with a node itself.
fn mistake(inferred: &Inferred<'_, '_>, node: NodeId, stop: &Stop) -> (Code, String) {
    let name = node_called(inferred, node);
    let record = inferred.node(node);
    let op = plain(&record.node.op.to_lossy());
    let tensor = |input: usize| {
        let tensor = record.inputs.get(input).copied().flatten();
        tensor.map_or_else(|| format!("input {input}"), |id| tensor_called(inferred, id))
    };
    match stop {
        Stop::Missing(input) => {
            (Code::MissingInput, format!("{name} ({op}) has no input {input}, which it needs"))
        }
        Stop::Axes { input, least, found } => {
            let id = record.inputs.get(*input).copied().flatten();
            let shape = id.map(|id| inferred.tensor(id).known.shape.as_ref());
            let shape = shape.map_or_else(String::new, |shape| {
                format!(" {}", shape_text(inferred.nums(), shape))
            });
            let axes = counted(*found, "axis").replace("axiss", "axes");
            let headline =
                format!("{}{shape} has {axes}, and {name} ({op}) reads {least}", tensor(*input));
            (Code::RankMismatch, headline)
        }
        Stop::NoAxis { axis, rank } => {
            let headline = format!("{name} ({op}) names axis {axis} of a tensor that has {rank}");
            (Code::NoSuchAxis, headline)
        }
        Stop::Attribute(attribute) => {
            let value = record.node.attribute(attribute).and_then(|value| match value {
                AttributeValue::Int(n) => Some(format!(" = {n}")),
                AttributeValue::Ints(list) => {
                    let all: Vec<String> = list.clone().take(9).map(|n| n.to_string()).collect();
                    Some(format!(" = [{}]", all.join(",")))
                }
                AttributeValue::String(text) => Some(format!(" = {}", plain(&text.to_lossy()))),
                _ => None,
            });
            let value = value.unwrap_or_default();
            (
                Code::BadAttribute,
                format!("{name} ({op}) cannot run with its attribute `{attribute}`{value}"),
            )
        }
        Stop::Elements(input) => (
            Code::BadAttribute,
            format!("{name} ({op}) cannot run with the elements of {}", tensor(*input)),
        ),
        Stop::Undefined(value) => (
            Code::UndefinedValue,
            format!("{name} ({op}) reads `{}`, which nothing before it gives", plain(value)),
        ),
        other => (Code::OpenShape, format!("{name} ({op}): {}", reason(inferred, node, other))),
    }
}

/// Why nothing more is known of what a node gives.
pub(super) fn reason(inferred: &Inferred<'_, '_>, node: NodeId, stop: &Stop) -> String {
    let record = inferred.node(node);
    let tensor = |input: usize| {
        let tensor = record.inputs.get(input).copied().flatten();
        tensor.map_or_else(|| format!("input {input}"), |id| tensor_called(inferred, id))
    };
    match stop {
        Stop::Operator => "there is no rule for its operator".to_owned(),
        Stop::Rank(input) => format!("how many axes {} has is not known", tensor(*input)),
        Stop::Value(input) => {
            format!("the elements of {} decide, and only a run tells them", tensor(*input))
        }
        Stop::Data => "its data decide how many axes there are".to_owned(),
        Stop::Branches => "its branches give different numbers of axes".to_owned(),
        Stop::Loop => "a value changes its number of axes from turn to turn".to_owned(),
        Stop::Container => "an input is not a tensor".to_owned(),
        Stop::Unbound(name) => {
            format!("its rule needs `{}`, which the node does not have", plain(name))
        }
        Stop::Depth => "graphs are nested too deep, or loops do not settle".to_owned(),
        other => mistake(inferred, node, other).1,
    }
}

/// The nodes after which shapes are open, each with how many values that leaves open.
fn stops(inferred: &Inferred<'_, '_>, report: &mut ModelReport) {
    // The node that a value is open because of.
    let mut cause: HashMap<TensorId, NodeId> = HashMap::new();
    let mut roots: BTreeMap<NodeId, (Stop, usize)> = BTreeMap::new();
    for (id, record) in inferred.nodes() {
        let before = record.inputs.iter().flatten().find_map(|input| cause.get(input)).copied();
        for output in record.outputs.iter().flatten() {
            let Some(stop) = &inferred.tensor(*output).stop else { continue };
            let root = before.unwrap_or(id);
            cause.insert(*output, root);
            roots.entry(root).or_insert_with(|| (stop.clone(), 0)).1 += 1;
        }
    }
    // Operators without a rule are one thing to say each, however many nodes they have.
    let mut unknown: BTreeMap<String, (NodeId, usize, usize)> = BTreeMap::new();
    for (root, (stop, open)) in roots {
        if stop.is_mistake() {
            continue; // said as a conflict
        }
        let record = inferred.node(root);
        let op = plain(&record.node.op.to_lossy());
        if stop == Stop::Operator {
            let domain = plain(&record.node.domain.to_lossy());
            let full =
                if domain.is_empty() { format!("`{op}`") } else { format!("`{op}` of `{domain}`") };
            let known = unknown.entry(full).or_insert((root, 0, 0));
            known.1 += 1;
            known.2 += open;
            continue;
        }
        let headline = format!(
            "what {} ({op}) gives is not known, as {}: {} open",
            node_called(inferred, root),
            reason(inferred, root, &stop),
            stay(open)
        );
        report.say(
            inferred,
            root,
            Diagnostic::new(Code::OpenShape, headline),
            [(Place::Node, String::new())],
        );
    }
    for (op, (first, nodes, open)) in unknown {
        let others =
            if nodes == 1 { String::new() } else { format!(", the first of {nodes} such nodes") };
        let headline = format!(
            "there is no rule for the operator {op} of {}{others}: {} open",
            node_called(inferred, first),
            stay(open)
        );
        let said = Diagnostic::new(Code::UnknownOperator, headline)
            .help(Help::advice(example(inferred, first)));
        report.say(inferred, first, said, [(Place::Node, "no rule".to_owned())]);
    }
}

/// How the user may say what an operator does.
fn example(inferred: &Inferred<'_, '_>, node: NodeId) -> String {
    let record = inferred.node(node);
    let [domain, op] = [record.node.domain, record.node.op].map(|name| plain(&name.to_lossy()));
    let name = if domain.is_empty() { op } else { format!("{domain}::{op}") };
    let operands = vec!["..x.."; record.inputs.len()];
    format!(
        "say what it does, for instance `{name}: {} => ..x..`, in a file of rules, and name that with `--rules`",
        operands.join("; ")
    )
}

fn stay(open: usize) -> String {
    if open == 1 { "1 value stays".to_owned() } else { format!("{open} values stay") }
}
