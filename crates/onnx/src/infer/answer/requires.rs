//! What a model needs of the sizes of its inputs.
//!
//! Requirements over one name are evaluated together on its values, so that many of them become one
//! short sentence; each that narrows it is kept with its node. Names that are taken for something
//! else, since they have to be equal to it, are conditions too.

use std::collections::{BTreeMap, HashSet};

use lozenge_diagnostic::{Code, Diagnostic};

use super::{
    super::{
        id::NodeId,
        inferred::Inferred,
        num::{NameId, Num, Nums, Origin},
        require::{Place, Relation, Requirement},
        text::plain,
    },
    chain::{chain, told},
    name::{node_called, place_called, tensor_at},
    probe::{Fact, Prober},
    report::ModelReport,
    values::{TRIED, Values, holds, values_of},
};

/// A condition on the inputs of a model.
#[derive(Debug, Clone)]
pub struct Condition {
    /// What has to hold: `` `height` must be a multiple of 32``.
    pub text: String,
    /// The names that it is about.
    pub names: Vec<String>,
    /// The values of the one name, where it is about one.
    pub values: Option<Values>,
    /// Whether it holds of every run: not only where a branch is taken.
    pub is_certain: bool,
    /// Whether it is about sizes that only running the model tells.
    pub is_at_run: bool,
    /// The nodes that need it, in order, each with what it adds.
    pub needs: Vec<Need>,
}

/// A node that needs a condition, or a part of it.
#[derive(Debug, Clone)]
pub struct Need {
    /// What it needs.
    pub requirement: Requirement,
    /// What holds with it and those before.
    pub adds: Option<String>,
    /// Whether what later nodes need includes it.
    pub is_implied: bool,
}

/// What is assumed of sizes that stay open, since how many axes there are or which branch runs
/// depends on it: each with the node. What the conditions exclude anyway is left out.
pub fn assumptions(inferred: &mut Inferred<'_, '_>) -> Vec<String> {
    let known = conditions(inferred);
    let nums = inferred.nums();
    let mut all: Vec<(String, NodeId)> = vec![];
    for assumed in inferred.assumptions() {
        let Relation::Equal(a, b) = assumed.relation else { continue };
        let may_be = match names_of(nums, assumed.relation)[..] {
            [name] => {
                let low = nums.range(name).0.unwrap_or(0);
                let name = nums.name(name).map(|name| name.text.as_str()).unwrap_or_default();
                let of_name = |condition: &&Condition| {
                    condition.is_certain && condition.names.len() == 1 && condition.names[0] == name
                };
                let values = || known.iter().filter(of_name).filter_map(|of| of.values.as_ref());
                (low..TRIED).any(|value| {
                    holds(nums, assumed.relation, name, value) == Some(true)
                        && values().all(|values| values.has(value))
                })
            }
            _ => true,
        };
        let text = format!("`{}` is not {}", nums.text(a), nums.text(b));
        if may_be && all.iter().all(|(own, _)| *own != text) {
            all.push((text, assumed.node));
        }
    }
    let said = |(text, node)| format!("{text}  (assumed for {})", node_called(inferred, node));
    all.into_iter().map(said).collect()
}

/// All conditions: those on one name first, then those between names, then those on what only a run
/// tells.
pub fn conditions(inferred: &mut Inferred<'_, '_>) -> Vec<Condition> {
    let mut found = taken(inferred);
    let requirements = inferred.requirements().to_vec();
    let mut of_name: BTreeMap<(bool, NameId), Vec<Requirement>> = BTreeMap::new();
    let mut others: Vec<(Requirement, Vec<NameId>)> = vec![];
    let mut seen: HashSet<(Relation, bool)> = HashSet::new();
    for requirement in requirements {
        let relation = reduced(inferred.nums_mut(), requirement.relation);
        if !seen.insert((relation, requirement.is_certain)) {
            continue;
        }
        let requirement = Requirement { relation, ..requirement };
        let names = names_of(inferred.nums(), relation);
        match names[..] {
            [one] if values_of(inferred.nums(), &[relation], one).is_some() => {
                of_name.entry((!requirement.is_certain, one)).or_default().push(requirement);
            }
            _ => others.push((requirement, names)),
        }
    }
    for ((is_uncertain, name), all) in of_name {
        found.extend(of_one_name(inferred.nums(), name, &all, !is_uncertain));
    }
    for (requirement, names) in others {
        let nums = inferred.nums_mut();
        let text = relation_text(nums, requirement.relation);
        found.push(Condition {
            text,
            is_at_run: is_at_run(nums, &names),
            names: names.iter().filter_map(|id| Some(nums.name(*id)?.text.clone())).collect(),
            values: None,
            is_certain: requirement.is_certain,
            needs: vec![Need { requirement, adds: None, is_implied: false }],
        });
    }
    found.sort_by_key(|condition| (condition.is_at_run, !condition.is_certain));
    found
}

fn is_at_run(nums: &Nums, names: &[NameId]) -> bool {
    names.iter().any(|id| nums.name(*id).is_some_and(|name| name.origin != Origin::Input))
}

/// A relation without factors that are never 0, so that what is really about one name says so.
fn reduced(nums: &mut Nums, relation: Relation) -> Relation {
    if names_of(nums, relation).len() < 2 {
        return relation;
    }
    let short = match relation {
        Relation::Equal(a, b) => Some(Relation::Equal(nums.equation(a, b), Num::Int(0))),
        Relation::Divides(by, of) => nums.quotient(of, by).and_then(|quotient| {
            let whole = |nums: &mut Nums, n: i64| {
                let product = nums.mul(quotient, Num::Int(n));
                nums.is_quotient_exact(product, Num::ONE, product).then_some(product)
            };
            (2..MOST_DIVISOR).find_map(|n| Some(Relation::Divides(n.into(), whole(nums, n)?)))
        }),
        _ => None,
    };
    // About no name at all it would be a riddle: `1 = 0`.
    short.filter(|short| names_of(nums, *short).len() == 1).unwrap_or(relation)
}

/// The largest number that is looked for below a quotient.
const MOST_DIVISOR: i64 = 1024;

fn names_of(nums: &Nums, relation: Relation) -> Vec<NameId> {
    let of = match relation {
        Relation::Equal(a, b)
        | Relation::Stretch(a, b)
        | Relation::Fit(a, b)
        | Relation::Divides(a, b) => [nums.names_of(a), nums.names_of(b)].concat(),
        Relation::AtLeast(num, _) => nums.names_of(num),
    };
    let mut names = of;
    names.sort_unstable();
    names.dedup();
    names
}

/// Names that have to be something else.
fn taken(inferred: &Inferred<'_, '_>) -> Vec<Condition> {
    let nums = inferred.nums();
    let all = inferred.taken().iter().filter_map(|taken| {
        let name = nums.name(taken.name)?;
        let value = taken.num.as_int();
        let is = match value {
            Some(n) => format!("must be {n}"),
            None => format!("must equal `{}`", nums.text(taken.num)),
        };
        let names = [vec![taken.name], nums.names_of(taken.num)].concat();
        Some(Condition {
            text: format!("`{}` {is}", plain(&name.text)),
            is_at_run: is_at_run(nums, &names),
            names: names.iter().filter_map(|id| Some(nums.name(*id)?.text.clone())).collect(),
            values: value.map(|n| Values::Listed(vec![n])),
            is_certain: true,
            needs: vec![Need { requirement: taken.by, adds: None, is_implied: false }],
        })
    });
    all.collect()
}

/// Values at which requirements are told apart: many small ones, and some around powers of two.
fn tried(low: i64) -> Vec<i64> {
    let near = low..low + TRIED;
    let far = (12..41).flat_map(|power| (-1..=1).map(move |off| (1_i64 << power) + off));
    near.clone().chain(far.filter(|value| !near.contains(value))).collect()
}

fn of_one_name(
    nums: &Nums,
    id: NameId,
    all: &[Requirement],
    is_certain: bool,
) -> Option<Condition> {
    let name = nums.name(id)?;
    let tried = tried(nums.range(id).0.unwrap_or(1));
    let truth = |relation: Relation| -> Vec<bool> {
        let holds = |value: &i64| holds(nums, relation, &name.text, *value).unwrap_or(false);
        tried.iter().map(holds).collect()
    };
    let mut left = vec![true; tried.len()];
    let mut kept: Vec<(Requirement, Vec<bool>)> = vec![];
    for requirement in all {
        let own = truth(requirement.relation);
        let mut narrows = false;
        for (left, own) in left.iter_mut().zip(&own) {
            narrows |= *left && !own;
            *left &= own;
        }
        if narrows {
            kept.push((*requirement, own));
        }
    }
    let relations: Vec<Relation> =
        kept.iter().map(|(requirement, _)| requirement.relation).collect();
    let values = values_of(nums, &relations, id)?;
    if values == Values::All {
        return None;
    }
    let needs = kept.iter().enumerate().map(|(place, (requirement, _))| {
        let others = kept.iter().enumerate().filter(|(other, _)| *other != place);
        let mut without = vec![true; tried.len()];
        for (_, (_, own)) in others {
            without.iter_mut().zip(own).for_each(|(all, own)| *all &= own);
        }
        let adds = values_of(nums, &relations[..=place], id);
        Need {
            requirement: *requirement,
            adds: adds.filter(|_| kept.len() > 1).map(|values| values.text()),
            is_implied: without == left,
        }
    });
    Some(Condition {
        text: format!("`{}` {}", plain(&name.text), values.text()),
        names: vec![name.text.clone()],
        needs: needs.collect(),
        values: Some(values),
        is_certain,
        is_at_run: name.origin != Origin::Input,
    })
}

/// A relation in words.
fn relation_text(nums: &mut Nums, relation: Relation) -> String {
    match relation {
        Relation::Equal(a, b) => {
            let (one, other) = (nums.text(a), nums.text(b));
            let text = nums.equation_text(a, b);
            // The equation with what is common left out, where that is shorter.
            let whole = format!("{one} = {other}");
            // What never holds stays as it was: `1 = 0` would be a riddle.
            let form = nums.equation(a, b);
            let is_never = nums.names_of(form).is_empty();
            let text = if text.len() < whole.len() && !is_never { text } else { whole };
            format!("`{text}`")
        }
        Relation::Stretch(a, b) => {
            format!("`{}` and `{}` must be equal, or one of them 1", nums.text(a), nums.text(b))
        }
        Relation::Fit(size, to) => {
            format!("`{}` must be 1 or `{}`", nums.text(size), nums.text(to))
        }
        Relation::AtLeast(num, least) => at_least(nums, num, least),
        Relation::Divides(by, of) => format!("`{}` must divide `{}`", nums.text(by), nums.text(of)),
    }
}

/// That a size is at least a number, with what is subtracted from it on the other side: `n >= 7`.
fn at_least(nums: &mut Nums, num: Num, least: i64) -> String {
    let text = nums.text(num);
    let subtracted = text.rsplit_once('-').and_then(|(_, number)| number.parse::<i64>().ok());
    match subtracted.and_then(|n| Some((n, least.checked_add(n)?))) {
        Some((n, least)) => {
            let num = nums.add(num, Num::Int(n));
            format!("`{} >= {least}`", nums.text(num))
        }
        None => format!("`{text} >= {least}`"),
    }
}

/// A condition as a diagnostic in a report.
pub(super) fn say(
    inferred: &mut Inferred<'_, '_>,
    condition: &Condition,
    report: &mut ModelReport,
) {
    let certain =
        if condition.is_certain { "" } else { ", where a branch runs that may not be taken" };
    let mut said = Diagnostic::new(Code::SizeRequired, format!("{}{certain}", condition.text));
    let is_main = |need: &&Need| !need.is_implied;
    let Some(main) = condition.needs.iter().find(is_main).or(condition.needs.first()) else {
        report.say_of_all(said);
        return;
    };
    let main = main.clone();
    said = said.note(need_text(inferred, &main));
    for note in origins(inferred, &main) {
        said = said.note(note);
    }
    let others: Vec<Need> = condition
        .needs
        .iter()
        .filter(|need| need.requirement != main.requirement)
        .take(MOST_OTHERS)
        .cloned()
        .collect();
    for need in &others {
        let node = node_called(inferred, need.requirement.node);
        let op = plain(&inferred.node(need.requirement.node).node.op.to_lossy());
        let adds =
            need.adds.as_ref().map_or_else(String::new, |adds| format!(": up to there it {adds}"));
        let verb = if need.is_implied { "needs a part of this" } else { "needs more" };
        said = said.note(format!("{node} ({op}) {verb}{adds}"));
    }
    let left = condition.needs.len() - 1 - others.len();
    if left > 0 {
        said = said.note(format!("{left} other nodes need parts of this"));
    }
    let requirement = main.requirement;
    let sizes = sides(inferred, &requirement);
    report.say(inferred, requirement.node, said, requirement.places.into_iter().zip(sizes));
}

/// How many nodes beside the main one are named.
const MOST_OTHERS: usize = 6;

/// What the two places of a requirement are.
fn sides(inferred: &Inferred<'_, '_>, requirement: &Requirement) -> [String; 2] {
    requirement.places.map(|place| {
        fact_at(inferred, requirement, place)
            .and_then(|fact| fact.num(inferred))
            .map_or_else(String::new, |num| inferred.nums().text(num))
    })
}

fn fact_at(inferred: &Inferred<'_, '_>, requirement: &Requirement, place: Place) -> Option<Fact> {
    let tensor = tensor_at(inferred, requirement.node, place)?;
    match place {
        Place::Axis(_, axis) | Place::Result(axis) => Some(Fact::Axis(tensor, axis)),
        Place::Element(_, element) => Some(Fact::Element(tensor, element)),
        Place::Node | Place::Input(_) | Place::Attribute(_) => None,
    }
}

fn need_text(inferred: &mut Inferred<'_, '_>, need: &Need) -> String {
    let requirement = need.requirement;
    let node = node_called(inferred, requirement.node);
    let op = plain(&inferred.node(requirement.node).node.op.to_lossy());
    let places: Vec<String> = requirement
        .places
        .iter()
        .filter(|place| **place != Place::Node)
        .map(|place| place_called(inferred, requirement.node, *place))
        .collect();
    let relation = relation_text(inferred.nums_mut(), requirement.relation);
    format!("{node} ({op}) needs it: {relation}, for {}", super::super::text::listed(&places))
}

/// Where the sizes of both places come from.
fn origins(inferred: &Inferred<'_, '_>, need: &Need) -> Vec<String> {
    let mut notes: Vec<String> = vec![];
    for place in need.requirement.places {
        let Some(fact) = fact_at(inferred, &need.requirement, place) else { continue };
        let links = chain(&mut Prober::new(inferred), fact);
        if links.len() < 2 {
            continue;
        }
        let Some(num) = fact.num(inferred) else { continue };
        let note = format!("`{}` comes from {}", inferred.nums().text(num), told(inferred, &links));
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// Conditions as a report, each with the node that needs it.
pub fn requires_report(inferred: &mut Inferred<'_, '_>, conditions: &[Condition]) -> ModelReport {
    let mut report = ModelReport::default();
    for condition in conditions {
        say(inferred, condition, &mut report);
    }
    report
}
