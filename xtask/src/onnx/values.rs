//! What inference says, at values of the names of inputs: whether requirements hold, and sizes are
//! those of a run.

use std::collections::{BTreeMap, HashMap};

use lozenge_onnx::{
    Dim, Model,
    infer::{
        Conflict, Inferred, NodeId, NodeRecord, Num, Nums, Origin, Relation, Requirement, Source,
    },
};

use super::corpus::Run;

/// The names of sizes as the runs have them: `_` for what is not a letter, a digit or `_`.
pub(crate) fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

/// The sizes of a run by the names that inference gives them: those of axes that the file calls `?`
/// are by what it calls them.
pub(crate) fn symbols(run: &Run, model: &Model<'_>) -> BTreeMap<String, i64> {
    let mut all: BTreeMap<String, i64> =
        run.symbols.iter().map(|(name, size)| (name.clone(), *size)).collect();
    for info in &model.graph.inputs {
        let dims = info.ty.as_tensor().and_then(|ty| ty.shape.as_ref());
        for (axis, dim) in dims.into_iter().flatten().enumerate() {
            let Dim::Param(called) = dim else { continue };
            let own = plain(&format!("{}_{axis}", info.name));
            if let Some(size) = all.get(&plain(&called.to_string())).copied() {
                all.entry(own).or_insert(size);
            }
        }
    }
    all
}

/// A requirement that values of names do not fulfil.
pub(crate) struct Unmet {
    pub(crate) node: NodeId,
    pub(crate) text: String,
}

/// What inference requires, or takes a name for, and these values of names do not fulfil; by node.
pub(crate) fn unmet(
    inferred: &Inferred<'_, '_>,
    value: &impl Fn(&str) -> Option<i64>,
) -> Vec<Unmet> {
    let nums = inferred.nums();
    let required = inferred.requirements().iter().filter(|required| required.is_certain);
    let failing = required.filter(|required| holds(nums, required.relation, value) == Some(false));
    let of = |required: &Requirement| Unmet {
        node: required.node,
        text: requirement_text(inferred, required),
    };
    let mut found: Vec<Unmet> = failing.map(of).collect();
    for taken in inferred.taken().iter().filter(|taken| taken.by.is_certain) {
        let Some(name) = nums.name(taken.name) else { continue };
        let sides = value(&name.text).zip(nums.value(taken.num, value));
        if sides.is_some_and(|(a, b)| a != b) {
            let why = requirement_text(inferred, &taken.by);
            let text = format!("{} = {}: {why}", name.text, nums.text(taken.num));
            found.push(Unmet { node: taken.by.node, text });
        }
    }
    found.sort_by_key(|unmet| unmet.node);
    found
}

/// Whether a relation holds for these values of names; none where that is not known.
fn holds(nums: &Nums, relation: Relation, name: &impl Fn(&str) -> Option<i64>) -> Option<bool> {
    let value = |num: Num| nums.value(num, name);
    Some(match relation {
        Relation::Equal(a, b) => value(a)? == value(b)?,
        Relation::Stretch(a, b) => {
            let (a, b) = (value(a)?, value(b)?);
            a == b || a == 1 || b == 1
        }
        Relation::Fit(a, b) => {
            let a = value(a)?;
            a == 1 || a == value(b)?
        }
        Relation::AtLeast(a, least) => value(a)? >= least,
        Relation::Divides(a, b) => value(b)?.checked_rem(value(a)?) == Some(0),
    })
}

/// A relation as the table of failures shows it.
pub(crate) fn relation_text(nums: &Nums, relation: Relation) -> String {
    let text = |num: Num| nums.text(num);
    match relation {
        Relation::Equal(a, b) => format!("{} = {}", text(a), text(b)),
        Relation::Stretch(a, b) => format!("{} ~ {}", text(a), text(b)),
        Relation::Fit(a, b) => format!("{} fits {}", text(a), text(b)),
        Relation::AtLeast(a, least) => format!("{} ≥ {least}", text(a)),
        Relation::Divides(a, b) => format!("{} divides {}", text(a), text(b)),
    }
}

pub(crate) fn requirement_text(inferred: &Inferred<'_, '_>, required: &Requirement) -> String {
    let relation = relation_text(inferred.nums(), required.relation);
    let record = inferred.node(required.node);
    format!("{relation} at {} {}", record.node.op, node_name(record))
}

/// What inference says cannot run, of nodes that run in every run.
pub(crate) fn conflicts(inferred: &Inferred<'_, '_>) -> Vec<String> {
    let certain = inferred.conflicts().iter().filter(|conflict| conflict.is_certain);
    certain.map(|conflict| conflict_text(inferred, conflict)).collect()
}

fn conflict_text(inferred: &Inferred<'_, '_>, conflict: &Conflict) -> String {
    let record = inferred.node(conflict.node);
    let relation = conflict.relation.map(|relation| relation_text(inferred.nums(), relation));
    let mistake = conflict.mistake.as_ref().map(|mistake| format!("{mistake:?}"));
    let said = relation.or(mistake).unwrap_or_default();
    format!("{said} {:?} at {} {}", conflict.places, record.node.op, node_name(record))
}

/// The tensors of a run whose sizes inference says otherwise. Notes of each tensor whether all runs
/// agree so far.
pub(super) fn contradictions(
    inferred: &Inferred<'_, '_>,
    run: &Run,
    value: &impl Fn(&str) -> Option<i64>,
    agree: &mut HashMap<String, bool>,
) -> Vec<String> {
    let nums = inferred.nums();
    let mut found = vec![];
    // In order, so that what is printed first is the same each time.
    for (name, truth) in run.shapes.iter().collect::<BTreeMap<_, _>>() {
        let (Some(truth), Some(id)) = (truth, inferred.find(name)) else { continue };
        let tensor = inferred.tensor(id);
        let Some(sizes) = &tensor.known.shape else { continue };
        let evaluated: Vec<Option<i64>> =
            sizes.iter().map(|size| nums.value(*size, value)).collect();
        // A size in names of inputs has a value at every run; one without is as wrong as another
        // value.
        let is_wrong = |((known, size), truth): ((&Option<i64>, &Num), &i64)| match known {
            Some(known) => known != truth,
            None => is_of_inputs(nums, *size),
        };
        let mut pairs = evaluated.iter().zip(sizes).zip(truth);
        if sizes.len() != truth.len() || pairs.any(is_wrong) {
            let sizes: Vec<String> = sizes.iter().map(|size| nums.text(*size)).collect();
            let by = match tensor.source {
                Source::Node(node, _) => inferred.node(node).node.op.to_string(),
                Source::Input(_) | Source::Initializer => "no node".to_owned(),
            };
            found.push(format!("{by} {name}: [{}] is {truth:?}", sizes.join(", ")));
            agree.insert(name.clone(), false);
        } else {
            let is_known = evaluated.iter().all(Option::is_some);
            let all = agree.entry(name.clone()).or_insert(true);
            *all &= is_known;
        }
    }
    found
}

/// Whether a size is a number, or a form over the names of inputs.
pub(super) fn is_of_inputs(nums: &Nums, size: Num) -> bool {
    nums.names_of(size)
        .into_iter()
        .all(|id| nums.name(id).is_some_and(|name| name.origin == Origin::Input))
}

/// A node as people find it: its name, or that of what it gives.
pub(crate) fn node_name(record: &NodeRecord<'_, '_>) -> String {
    let node = record.node;
    let name = if node.name.is_empty() {
        node.outputs.first().copied().unwrap_or_default()
    } else {
        node.name
    };
    name.to_string()
}
