//! What fixes an axis of an input: the numbers of the file to change so that it may be anything.
//!
//! The axis is freed and the model inferred again. Where a number of the file is then required to
//! be the old size, or does not fit, the elements of constants that the requirement rests on are
//! exchanged for the size of the axis, one after another, until the axis is free: what is proposed
//! has been tried.

use super::values::Values;
use super::{
    super::{
        declared::is_name,
        id::{NodeId, TensorId},
        inferred::{Inferred, Source, Taken},
        num::Num,
        options::{Edit, Edited, Options},
        passes::infer,
        require::Place,
        text::{plain, shape_text},
    },
    chain::chain,
    check::summary,
    name::{node_called, place_called, tensor_at, tensor_called, tensor_plain},
    probe::{Fact, Prober},
    requires::conditions,
};
use crate::{model::Model, types::Dim};

/// What fixes an axis.
#[derive(Debug, Clone, Default)]
pub struct Pins {
    /// The axis: ``axis 0 of the input `x` ``.
    pub what: String,
    /// The size that the file says.
    pub declared: String,
    /// The name of the freed axis.
    pub name: String,
    /// The elements of constants to change.
    pub pins: Vec<Pin>,
    /// The stored weights that have the old size, with the node that reads them.
    pub weights: Vec<String>,
    /// What fixes the axis although no constant was found for it.
    pub others: Vec<String>,
    /// Axes of other inputs that the file gives the same number, and that it meets: with them free
    /// it may be free too.
    pub inputs: Vec<String>,
    /// What is still required of the axis.
    pub left: Vec<String>,
    /// Whether it was tried that the axis is free with these changes.
    pub is_free: bool,
    /// The outputs as they are then.
    pub outputs: Vec<String>,
    /// Whether the axis is in outputs, and in none of them an axis by itself.
    pub is_folded: bool,
}

/// An element of a constant that fixes an axis.
#[derive(Debug, Clone)]
pub struct Pin {
    /// The constant.
    pub constant: String,
    /// The constant's name in the file.
    pub tensor: String,
    /// Which element.
    pub element: usize,
    /// What it is.
    pub value: i64,
    /// The node that reads it.
    pub node: String,
    /// The first output of that node.
    pub first: String,
    /// The first outputs of all nodes that shall read the other number: of that one, and of others
    /// that read sizes there.
    pub readers: Vec<String>,
    /// How many other nodes read the constant: they need it as it is.
    pub others: usize,
    /// What to put there.
    pub change: Edit,
}

/// Why the pins of an axis cannot be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinsError {
    /// The model has no input of this name.
    NoInput,
    /// The input does not have that axis.
    NoAxis,
}

/// How often a number is taken for unknown and the model inferred again.
const MOST_ROUNDS: usize = 256;

/// What fixes an axis of an input.
///
/// # Errors
///
/// There is no such axis.
pub fn pins(
    model: &Model<'_>,
    options: &Options<'_>,
    input: &str,
    axis: usize,
) -> Result<Pins, PinsError> {
    let declared =
        model.graph.inputs.iter().find(|info| info.name == *input).ok_or(PinsError::NoInput)?;
    let dims = declared.ty.as_tensor().and_then(|ty| ty.shape.as_ref());
    let dim = dims.and_then(|dims| dims.get(axis)).ok_or(PinsError::NoAxis)?;
    let (name, declared) = match dim {
        Dim::Param(name) if is_name(name) => (name.to_string(), name.to_string()),
        Dim::Value(n) => (format!("{input}_{axis}"), n.to_string()),
        _ => (format!("{input}_{axis}"), "any".to_owned()),
    };
    let mut options = options.clone();
    let as_declared = infer(model, &options);
    let before = Before::of(&as_declared);
    let size = as_declared
        .find(input)
        .and_then(|id| as_declared.tensor(id).known.shape.as_ref()?.get(axis)?.as_int());
    if name != declared {
        options.free.push((input.to_owned(), axis));
    }
    let mut found = Pins {
        what: format!("axis {axis} of the input `{input}`"),
        declared,
        name,
        ..Pins::default()
    };
    let mut trials = Trials { model, before, size, vain: vec![] };
    for _ in 0..MOST_ROUNDS {
        let mut inferred = infer(model, &options);
        let fixed = fixing(&mut inferred, &found.name, before.conflicts);
        if fixed.is_empty() {
            break;
        }
        let Some(edit) = trials.next(&inferred, &fixed, &mut found, &options) else {
            for (node, places, _) in &fixed {
                let at = places.map(|place| place_called(&inferred, *node, place));
                let node = node_called(&inferred, *node);
                let text = if at[0] == node || at[1] == node {
                    format!("{node}, at {}", if at[0] == node { &at[1] } else { &at[0] })
                } else {
                    format!("{node}, where {} meets {}", at[0], at[1])
                };
                if !found.others.contains(&text) {
                    found.others.push(text);
                }
            }
            found.inputs = declared_inputs(&inferred, &fixed, input);
            break;
        };
        options.edits.push(edit);
    }
    let mut inferred = infer(model, &options);
    found.is_free = fixing(&mut inferred, &found.name, before.conflicts).is_empty();
    if found.is_free {
        // Weights of that size are stretched.
        found.weights.clear();
    }
    let of_name = |names: &[String]| names.contains(&found.name);
    let left = conditions(&mut inferred);
    let left =
        left.into_iter().filter(|condition| of_name(&condition.names) && !condition.is_at_run);
    found.left = left.map(|condition| condition.text).collect();
    let nums = inferred.nums();
    let (mut is_own_anywhere, mut is_anywhere) = (false, false);
    for output in inferred.outputs().iter().flatten() {
        let known = &inferred.tensor(*output).known;
        let name = nums.find(&found.name);
        let of_name = |size: &&Num| nums.names_of(**size).into_iter().any(|id| Some(id) == name);
        let sizes = || known.shape.iter().flatten();
        let folded = sizes().position(|size| of_name(&size));
        let is_own = sizes().any(|size| nums.text(*size) == found.name);
        let shape = shape_text(nums, known.shape.as_ref());
        let remark = match folded {
            None => ", which does not depend on it".to_owned(),
            Some(_) if is_own => String::new(),
            Some(axis) => format!(", which has it folded into axis {axis}"),
        };
        is_own_anywhere |= is_own;
        is_anywhere |= folded.is_some();
        found.outputs.push(format!("`{}` {shape}{remark}", tensor_plain(&inferred, *output)));
    }
    found.is_folded = is_anywhere && !is_own_anywhere;
    Ok(found)
}

impl Pins {
    /// Adds a number to change, or further nodes that shall read the changed one.
    fn add(&mut self, pin: Pin) {
        let is_same = |own: &&mut Pin| {
            (&own.tensor, own.element, own.change) == (&pin.tensor, pin.element, pin.change)
        };
        match self.pins.iter_mut().find(is_same) {
            Some(own) => {
                own.others = own.others.saturating_sub(pin.readers.len());
                own.readers.extend(pin.readers);
            }
            None => self.pins.push(pin),
        }
    }
}

type Fixed = (NodeId, [Place; 2], Option<Taken>);

/// Where an axis is made one of few numbers, or does not fit.
fn fixing(inferred: &mut Inferred<'_, '_>, name: &str, before: usize) -> Vec<Fixed> {
    let mut all: Vec<Fixed> = vec![];
    let id = inferred.nums().find(name);
    for taken in inferred.taken() {
        if Some(taken.name) == id && taken.num.as_int().is_some() {
            all.push((taken.by.node, taken.by.places, Some(*taken)));
        }
    }
    if inferred.conflicts().len() > before {
        all.extend(
            inferred.conflicts().iter().map(|conflict| (conflict.node, conflict.places, None)),
        );
    }
    if !all.is_empty() {
        return all;
    }
    let is_few = |values: &Option<Values>| matches!(values, Some(Values::Listed(_) | Values::None));
    for condition in conditions(inferred) {
        if condition.names == [name] && is_few(&condition.values) {
            all.extend(
                condition
                    .needs
                    .iter()
                    .map(|need| (need.requirement.node, need.requirement.places, None)),
            );
        }
    }
    all
}

/// What a model was before anything was freed.
#[derive(Clone, Copy)]
struct Before {
    conflicts: usize,
    /// How many values were not known in full.
    vague: usize,
}

impl Before {
    fn of(inferred: &Inferred<'_, '_>) -> Before {
        let summary = summary(inferred);
        Before { conflicts: inferred.conflicts().len(), vague: summary.tensors - summary.known }
    }
}

/// How many elements are tried in vain.
const MOST_TRIED: usize = 24;

/// Elements of constants in whose place the size of the axis is tried.
struct Trials<'m, 'a> {
    model: &'m Model<'a>,
    before: Before,
    /// The number that the axis was.
    size: Option<i64>,
    vain: Vec<Edited>,
}

impl Trials<'_, '_> {
    /// An element of a constant that fixes the axis, with what was put there with success.
    fn next(
        &mut self,
        inferred: &Inferred<'_, '_>,
        fixed: &[Fixed],
        found: &mut Pins,
        options: &Options<'_>,
    ) -> Option<Edited> {
        for (node, places, _) in fixed {
            for pin in self.candidates(inferred, *node, *places, found) {
                let Pin { element, change: edit, .. } = pin;
                let (tensor, readers) = (pin.tensor.clone(), pin.readers.clone());
                let edited = Edited { readers, tensor, element, edit, size: found.name.clone() };
                if options.edits.contains(&edited) || self.vain.contains(&edited) {
                    continue;
                }
                if self.vain.len() >= MOST_TRIED {
                    return None;
                }
                let mut options = options.clone();
                options.edits.push(edited.clone());
                let mut again = infer(self.model, &options);
                let left = fixing(&mut again, &found.name, self.before.conflicts);
                // What makes a value vague hides what does not fit, and mends nothing.
                let is_vague = Before::of(&again).vague > self.before.vague;
                let is_less =
                    left.len() < fixed.len() || left.iter().all(|(other, ..)| other != node);
                if is_less && !is_vague {
                    found.add(pin);
                    return Some(edited);
                }
                self.vain.push(edited);
            }
        }
        None
    }

    /// Elements of constants that the sizes at a node come from: the size that the axis was before
    /// multiples of it.
    fn candidates(
        &self,
        inferred: &Inferred<'_, '_>,
        node: NodeId,
        places: [Place; 2],
        found: &mut Pins,
    ) -> Vec<Pin> {
        let mut elements: Vec<(TensorId, usize, NodeId)> = vec![];
        let mut prober = Prober::new(inferred);
        for place in places {
            let Some(tensor) = tensor_at(inferred, node, place) else { continue };
            let facts: Vec<Fact> = match place {
                Place::Axis(_, axis) | Place::Result(axis) => vec![Fact::Axis(tensor, axis)],
                Place::Element(_, element) => vec![Fact::Element(tensor, element)],
                Place::Input(_) => {
                    let count =
                        inferred.tensor(tensor).known.value.as_ref().map_or(0, |value| value.len());
                    (0..count).map(|element| Fact::Element(tensor, element)).collect()
                }
                Place::Node | Place::Attribute(_) => vec![],
            };
            for fact in facts {
                note(inferred, fact, node, found, &mut elements);
                for link in chain(&mut prober, fact) {
                    for from in &link.from {
                        note(inferred, *from, link.node.unwrap_or(node), found, &mut elements);
                    }
                }
            }
        }
        let of = |(tensor, element, reader)| pin(inferred, tensor, element, reader, self.size);
        let is_multiple =
            |pin: &Pin| self.size.is_none_or(|size| size > 0 && pin.value % size == 0);
        let pins: Vec<Pin> = elements.into_iter().filter_map(of).filter(is_multiple).collect();
        let (mut pins, multiples): (Vec<Pin>, Vec<Pin>) =
            pins.into_iter().partition(|pin| Some(pin.value) == self.size);
        pins.extend(multiples);
        // Where all nodes that read sizes there cannot have the other number, the one that was
        // found may.
        let alone = pins.iter().filter(|pin| pin.readers.len() > 1).map(|pin| Pin {
            readers: vec![pin.first.clone()],
            others: pin.others + pin.readers.len() - 1,
            ..pin.clone()
        });
        let alone: Vec<Pin> = alone.collect();
        pins.into_iter().chain(alone).collect()
    }
}

/// A constant's element as a candidate, and a stored weight's axis as what nobody can open.
fn note(
    inferred: &Inferred<'_, '_>,
    fact: Fact,
    node: NodeId,
    found: &mut Pins,
    candidates: &mut Vec<(TensorId, usize, NodeId)>,
) {
    let record = inferred.tensor(fact.tensor());
    let is_stored = match record.source {
        Source::Initializer => true,
        Source::Node(node, _) => inferred.node(node).node.op == "Constant",
        Source::Input(_) => false,
    };
    if !is_stored {
        return;
    }
    match fact {
        Fact::Element(tensor, element) => {
            let is_size = fact.num(inferred).and_then(Num::as_int).is_some_and(|n| n > 0);
            let candidate = (tensor, element, node);
            if is_size && reads_sizes(inferred, node, tensor) && !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        Fact::Axis(tensor, axis) => {
            let is_old = fact.num(inferred).map(|num| inferred.nums().text(num))
                == Some(found.declared.clone())
                || inferred.taken().iter().any(|taken| Some(taken.num) == fact.num(inferred));
            let shape = shape_text(inferred.nums(), record.known.shape.as_ref());
            let text = format!(
                "{} {shape} has this size along axis {axis}, which {} reads",
                tensor_called(inferred, tensor),
                node_called(inferred, node)
            );
            if is_old && !found.weights.contains(&text) {
                found.weights.push(text);
            }
        }
    }
}

/// The axes of other inputs, with numbers of the file, that sizes come from which fix an axis:
/// `tokens.0`.
fn declared_inputs(inferred: &Inferred<'_, '_>, fixed: &[Fixed], input: &str) -> Vec<String> {
    let mut prober = Prober::new(inferred);
    let mut all = vec![];
    for (node, places, _) in fixed {
        for place in places {
            let Place::Axis(_, axis) = *place else { continue };
            let Some(tensor) = tensor_at(inferred, *node, *place) else { continue };
            for link in chain(&mut prober, Fact::Axis(tensor, axis)) {
                let Fact::Axis(end, axis) = link.fact else { continue };
                let record = inferred.tensor(end);
                let is_other = record.name != *input
                    && inferred.inputs().contains(&end)
                    && link.fact.num(inferred).and_then(Num::as_int).is_some();
                let text = format!("{}.{axis}", tensor_plain(inferred, end));
                if is_other && !all.contains(&text) {
                    all.push(text);
                }
            }
        }
    }
    all
}

/// Whether what a node reads there are sizes, or may become some: not axes, indices or steps.
fn reads_sizes(inferred: &Inferred<'_, '_>, node: NodeId, tensor: TensorId) -> bool {
    const SIZES: &[(&str, &[usize])] = &[
        ("ConstantOfShape", &[0]),
        ("Expand", &[1]),
        ("Pad", &[1]),
        ("Range", &[0, 1]),
        ("Reshape", &[0, 1]),
        ("Resize", &[3]),
        ("Slice", &[0, 2]),
        ("Split", &[1]),
        ("Tile", &[1]),
        ("Add", &[0, 1]),
        ("Cast", &[0]),
        ("Div", &[0, 1]),
        ("Gather", &[0]),
        ("Identity", &[0]),
        ("Mul", &[0, 1]),
        ("ScatterND", &[0, 2]),
        ("Squeeze", &[0]),
        ("Sub", &[0, 1]),
        ("Transpose", &[0]),
        ("Unsqueeze", &[0]),
        ("Where", &[1, 2]),
    ];
    let record = inferred.node(node);
    if record.node.op == "Concat" {
        return true;
    }
    let inputs = SIZES.iter().find(|(op, _)| record.node.op == *op).map(|(_, inputs)| *inputs);
    let mut reads = record.inputs.iter().zip(0..).filter(|(input, _)| **input == Some(tensor));
    inputs.is_some_and(|inputs| reads.all(|(_, place)| inputs.contains(&place)))
}

fn pin(
    inferred: &Inferred<'_, '_>,
    tensor: TensorId,
    element: usize,
    reader: NodeId,
    size: Option<i64>,
) -> Option<Pin> {
    let all = inferred.tensor(tensor).known.value.as_ref()?;
    let value = all.get(element)?.int()?;
    let node = inferred.node(reader);
    let op = plain(&node.node.op.to_lossy());
    let is_reshape = op == "Reshape" && node.inputs.get(1) == Some(&Some(tensor));
    // A number is the size of the axis, or a multiple of it.
    let times = size.filter(|size| *size > 0).map_or(1, |size| value / size);
    let change = match (is_reshape, all.iter().any(|elem| elem.int() == Some(-1))) {
        (true, false) => Edit::Rest,
        (true, true) if times == 1 => Edit::Keep,
        _ => Edit::Size(times),
    };
    let reading = inferred.nodes().filter(|(_, node)| node.inputs.contains(&Some(tensor)));
    let (readers, others): (Vec<NodeId>, Vec<NodeId>) =
        reading.map(|(id, _)| id).partition(|id| reads_sizes(inferred, *id, tensor));
    let first_output =
        |id: &NodeId| inferred.node(*id).node.outputs.first().map(ToString::to_string);
    Some(Pin {
        constant: tensor_called(inferred, tensor),
        tensor: tensor_plain(inferred, tensor),
        element,
        value,
        node: format!("{} ({op})", node_called(inferred, reader)),
        first: first_output(&reader).unwrap_or_default(),
        readers: readers.iter().filter_map(first_output).collect(),
        others: others.len(),
        change,
    })
}
