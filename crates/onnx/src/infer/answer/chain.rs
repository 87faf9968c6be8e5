//! The chain from a size back to the inputs and the stored weights that force it.

use std::collections::{HashSet, VecDeque};

use super::{
    super::{
        id::{GraphId, NodeId, TensorId},
        inferred::{Inferred, Source, TensorRecord},
        num::{Num, Origin},
        text::{counted, listed, shape_text},
    },
    name::{node_called, tensor_called, tensor_plain},
    probe::{Fact, Prober},
};

/// One node of a chain: which facts force one.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) fact: Fact,
    /// The node that gives the value; none where the model or a graph is given it, or the file has
    /// it.
    pub(super) node: Option<NodeId>,
    pub(super) from: Vec<Fact>,
}

/// The most nodes of a chain.
const MOST_LINKS: usize = 2000;

impl Link {
    /// Whether the size comes from one fact that is the same size.
    pub(super) fn is_passed_on(&self, inferred: &Inferred<'_, '_>) -> bool {
        let own = self.fact.num(inferred);
        let mut others = self.from.iter().filter(|fact| !is_one(inferred, **fact, own));
        others.next().is_some_and(|one| one.num(inferred) == own) && others.next().is_none()
    }
}

/// The chain of a fact: that fact first, and what forces it behind it, breadth first.
pub(super) fn chain(prober: &mut Prober<'_, '_, '_>, fact: Fact) -> Vec<Link> {
    let mut links = vec![];
    let mut seen = HashSet::from([fact]);
    let mut waiting = VecDeque::from([fact]);
    while let Some(fact) = waiting.pop_front().filter(|_| links.len() < MOST_LINKS) {
        let inferred = prober.inferred;
        let (node, from) = match inferred.tensor(fact.tensor()).source {
            Source::Initializer => (None, vec![]),
            Source::Input(number) => (None, given(inferred, fact, number)),
            Source::Node(node, output) => {
                let from = prober.forced_by(fact);
                (Some(node), from.unwrap_or_else(|| inside(inferred, fact, node, output)))
            }
        };
        let from = shortest(inferred, fact, from);
        for next in &from {
            if !is_one(inferred, *next, fact.num(inferred)) && seen.insert(*next) {
                waiting.push_back(*next);
            }
        }
        links.push(Link { fact, node, from });
    }
    links
}

/// Where all that forces a size is that size too, as of operands that meet, the first: it is near
/// the inputs.
fn shortest(inferred: &Inferred<'_, '_>, fact: Fact, from: Vec<Fact>) -> Vec<Fact> {
    let own = fact.num(inferred);
    let mut others = from.iter().filter(|one| !is_one(inferred, **one, own));
    let first = others.next().copied();
    match first {
        Some(first) if first.num(inferred) == own && others.all(|one| one.num(inferred) == own) => {
            let ones = from.iter().copied().filter(|one| is_one(inferred, *one, own));
            std::iter::once(first).chain(ones).collect()
        }
        _ => from,
    }
}

/// Whether a fact is a 1 that stretches to a size: that explains nothing but itself.
fn is_one(inferred: &Inferred<'_, '_>, fact: Fact, to: Option<Num>) -> bool {
    fact.num(inferred) == Some(Num::ONE) && to != Some(Num::ONE) && matches!(fact, Fact::Axis(..))
}

/// What the node of an inner graph is given for an input of the graph.
fn given(inferred: &Inferred<'_, '_>, fact: Fact, number: usize) -> Vec<Fact> {
    let record = inferred.tensor(fact.tensor());
    let Some(of) = inferred.graph(record.graph).of.filter(|_| record.graph != GraphId(0)) else {
        return vec![];
    };
    let outer = inferred.node(of).inputs.get(number).copied().flatten();
    outer.and_then(|outer| same_in(inferred, fact, outer)).into_iter().collect()
}

/// What a graph in a node gives for an output of the node.
fn inside(inferred: &Inferred<'_, '_>, fact: Fact, node: NodeId, output: usize) -> Vec<Fact> {
    let names: Vec<_> = inferred
        .node(node)
        .node
        .graphs()
        .flat_map(|graph| {
            // A loop gives its condition first.
            [output, output + 1]
                .into_iter()
                .filter_map(|place| Some(graph.outputs.get(place)?.name))
        })
        .collect();
    let is_it = |(_, record): &(TensorId, &TensorRecord<'_>)| {
        let graph = inferred.graph(record.graph);
        graph.of == Some(node) && !graph.is_dead && names.contains(&record.name)
    };
    let found = inferred.tensors().filter(is_it);
    found.filter_map(|(id, _)| same_in(inferred, fact, id)).take(1).collect()
}

/// The fact about another value that equals this fact: the axis or element in the same place.
fn same_in(inferred: &Inferred<'_, '_>, fact: Fact, other: TensorId) -> Option<Fact> {
    let same = match fact {
        Fact::Axis(_, axis) => Fact::Axis(other, axis),
        Fact::Element(_, element) => Fact::Element(other, element),
    };
    (same.num(inferred).is_some() && same.num(inferred) == fact.num(inferred)).then_some(same)
}

/// A fact in words: ``axis 1 of `x` ``.
pub(super) fn fact_called(inferred: &Inferred<'_, '_>, fact: Fact) -> String {
    let name = tensor_plain(inferred, fact.tensor());
    match fact {
        Fact::Axis(_, axis) => format!("axis {axis} of `{name}`"),
        Fact::Element(_, element) => format!("element {element} of `{name}`"),
    }
}

/// Where a chain ends, in words.
pub(super) fn end_called(inferred: &Inferred<'_, '_>, fact: Fact) -> String {
    let record = inferred.tensor(fact.tensor());
    let tensor = tensor_called(inferred, fact.tensor());
    let nums = inferred.nums();
    if let (Source::Node(node, _), Some(num)) = (record.source, fact.num(inferred)) {
        let is_own = |id| nums.name(id).is_some_and(|name| name.origin == Origin::Node(node));
        if nums.names_of(num).into_iter().any(is_own) {
            return format!("what {} finds when the model runs", node_called(inferred, node));
        }
    }
    match fact {
        Fact::Axis(_, axis) => {
            let shape = shape_text(nums, record.known.shape.as_ref());
            format!("axis {axis} of {tensor} {shape}")
        }
        Fact::Element(_, element) => {
            format!("element {element} of {tensor} ({})", fact.text(inferred))
        }
    }
}

/// A chain in one sentence: where it begins, and which nodes change the size on the way.
pub(super) fn told(inferred: &Inferred<'_, '_>, links: &[Link]) -> String {
    let mut ends: Vec<String> = vec![];
    // What somebody can choose first.
    let is_input =
        |link: &&Link| matches!(inferred.tensor(link.fact.tensor()).source, Source::Input(_));
    let all = links.iter().filter(|link| link.from.is_empty());
    let (inputs, others): (Vec<&Link>, Vec<&Link>) = all.partition(is_input);
    for link in inputs.into_iter().chain(others) {
        let end = end_called(inferred, link.fact);
        if !ends.contains(&end) {
            ends.push(end);
        }
    }
    let more = ends.len().saturating_sub(3);
    ends.truncate(3);
    if more > 0 {
        ends.push(counted(more, "other place"));
    }
    // From the first node that makes the size to the last.
    let mut changing: Vec<String> = vec![];
    let mut passing = 0;
    for link in links.iter().rev() {
        let Some(node) = link.node.filter(|_| !link.from.is_empty()) else { continue };
        if link.is_passed_on(inferred) {
            passing += 1;
            continue;
        }
        let name = node_called(inferred, node);
        if !changing.contains(&name) {
            changing.push(name);
        }
    }
    if changing.len() > 5 {
        let left = changing.len() - 4;
        changing.splice(2..changing.len() - 2, [format!("{left} more")]);
    }
    let mut through = changing;
    if passing > 0 {
        let others = if through.is_empty() { "" } else { "other " };
        let verb = if passing == 1 { "leaves it as it is" } else { "leave it as it is" };
        through.push(format!("{} that {verb}", counted(passing, &format!("{others}node"))));
    }
    let from = listed(&ends);
    if through.is_empty() { from } else { format!("{from}, through {}", listed(&through)) }
}
