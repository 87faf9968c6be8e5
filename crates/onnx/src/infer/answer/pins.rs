//! What fixes an axis of an input: the numbers of the file to change so that it may be anything.
//!
//! The axis is freed and the model inferred again. Where a number of the file is then required to be the old size, or
//! does not fit, the elements of constants that the requirement rests on are taken for unknown, one after another, until
//! the axis is free: what is proposed has been tried.

use super::values::Values;
use super::{
    super::{
        id::{NodeId, TensorId},
        inferred::{Inferred, Source, Taken},
        num::Num,
        options::Options,
        passes::infer,
        require::Place,
        text::shape_text,
    },
    chain::chain,
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
    /// What fixes the axis all the same, and no constant was found for.
    pub others: Vec<String>,
    /// What is still required of the axis.
    pub left: Vec<String>,
    /// Whether it was tried that the axis is free with these changes.
    pub is_free: bool,
    /// The outputs as they are then.
    pub outputs: Vec<String>,
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
    /// What to put there.
    pub change: String,
}

/// Why there is no answer.
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
        Dim::Param(name) if !name.is_empty() => (name.to_string(), name.to_string()),
        Dim::Value(n) => (format!("{input}_{axis}"), n.to_string()),
        _ => (format!("{input}_{axis}"), "any".to_owned()),
    };
    let mut options = options.clone();
    let before = infer(model, &options).conflicts().len();
    options.free.push((input.to_owned(), axis));
    let mut found = Pins {
        what: format!("axis {axis} of the input `{input}`"),
        declared,
        name,
        ..Pins::default()
    };
    for _ in 0..MOST_ROUNDS {
        let mut inferred = infer(model, &options);
        let fixed = fixing(&mut inferred, &found.name, before);
        if fixed.is_empty() {
            break;
        }
        let new = opened(&inferred, &fixed, &mut found, model, &options, before);
        if new.is_empty() {
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
            break;
        }
        options.open.extend(new);
    }
    let mut inferred = infer(model, &options);
    found.is_free = fixing(&mut inferred, &found.name, before).is_empty();
    let of_name = |names: &[String]| names.contains(&found.name);
    let left = conditions(&mut inferred);
    let left =
        left.into_iter().filter(|condition| of_name(&condition.names) && !condition.is_at_run);
    found.left = left.map(|condition| condition.text).collect();
    let nums = inferred.nums();
    for output in inferred.outputs().iter().flatten() {
        let known = &inferred.tensor(*output).known;
        let name = nums.find(&found.name);
        let depends = known
            .shape
            .iter()
            .flatten()
            .any(|size| nums.names_of(*size).into_iter().any(|id| Some(id) == name));
        let shape = shape_text(nums, known.shape.as_ref());
        let remark = if depends { "" } else { ", which does not depend on it" };
        found.outputs.push(format!("`{}` {shape}{remark}", tensor_plain(&inferred, *output)));
    }
    Ok(found)
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

/// Elements of constants that fix the axis, with one taken for unknown that helps.
fn opened(
    inferred: &Inferred<'_, '_>,
    fixed: &[Fixed],
    found: &mut Pins,
    model: &Model<'_>,
    options: &Options<'_>,
    before: usize,
) -> Vec<(String, usize)> {
    let mut new = vec![];
    for (node, places, _) in fixed {
        let mut candidates: Vec<(TensorId, usize)> = vec![];
        let mut prober = Prober::new(inferred);
        for place in places {
            let Some(tensor) = tensor_at(inferred, *node, *place) else { continue };
            let facts: Vec<Fact> = match place {
                Place::Axis(_, axis) | Place::Result(axis) => vec![Fact::Axis(tensor, *axis)],
                Place::Element(_, element) => vec![Fact::Element(tensor, *element)],
                Place::Input(_) => {
                    let count =
                        inferred.tensor(tensor).known.value.as_ref().map_or(0, |value| value.len());
                    (0..count).map(|element| Fact::Element(tensor, element)).collect()
                }
                Place::Node | Place::Attribute(_) => vec![],
            };
            for fact in facts {
                for link in chain(&mut prober, fact) {
                    note(inferred, link.fact, *node, found, &mut candidates);
                }
            }
        }
        let count = weight(fixed);
        let best = candidates.into_iter().take(MOST_TRIED).find(|(tensor, element)| {
            let mut tried = options.clone();
            tried.open.push((inferred.tensor(*tensor).name.to_string(), *element));
            let mut again = infer(model, &tried);
            let left = fixing(&mut again, &found.name, before);
            weight(&left) < count || left.is_empty() || left.iter().all(|(other, ..)| other != node)
        });
        let Some((tensor, element)) = best else { continue };
        let name = inferred.tensor(tensor).name.to_string();
        if options.open.contains(&(name.clone(), element)) || new.contains(&(name.clone(), element))
        {
            continue;
        }
        found.pins.push(pin(inferred, tensor, element));
        new.push((name, element));
        // What else is fixed may be free now.
        break;
    }
    new
}

/// How many elements of one node are tried.
const MOST_TRIED: usize = 16;

fn weight(fixed: &[Fixed]) -> usize {
    fixed.len()
}

/// A constant's element as a candidate, and a stored weight's axis as what nobody can open.
fn note(
    inferred: &Inferred<'_, '_>,
    fact: Fact,
    node: NodeId,
    found: &mut Pins,
    candidates: &mut Vec<(TensorId, usize)>,
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
            if is_size && !candidates.contains(&(tensor, element)) {
                candidates.push((tensor, element));
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

fn pin(inferred: &Inferred<'_, '_>, tensor: TensorId, element: usize) -> Pin {
    let record = inferred.tensor(tensor);
    let all: Vec<i64> = record
        .known
        .value
        .iter()
        .flat_map(|value| value.iter())
        .map(|elem| elem.int().unwrap_or(0))
        .collect();
    let value = all.get(element).copied().unwrap_or(0);
    let reader = inferred.nodes().find(|(_, node)| node.inputs.contains(&Some(tensor)));
    let (node, is_reshape) = reader.map_or_else(
        || (String::new(), false),
        |(id, node)| {
            let op = node.node.op.to_lossy();
            (format!("{} ({op})", node_called(inferred, id)), op == "Reshape")
        },
    );
    let has_rest = all.contains(&-1);
    let change = match (is_reshape, has_rest) {
        (true, false) => "-1, whatever fits".to_owned(),
        (true, true) => {
            "0 where the axis stays in its place, else the axis' size by `Shape` and `Gather`"
                .to_owned()
        }
        _ => "the axis' size, by `Shape` and `Gather`".to_owned(),
    };
    Pin {
        constant: tensor_called(inferred, tensor),
        tensor: tensor_plain(inferred, tensor),
        element,
        value,
        node,
        change,
    }
}
