//! Nodes that have graphs: branches, loops and scans.

use std::{collections::HashMap, sync::Arc};

use super::{
    call::Outputs,
    id::{NodeId, TensorId},
    inferred::Source,
    known::{Container, Known, Sizes},
    num::{Num, Origin, Truth},
    require::{Conflict, Place, Relation, Requirement, Stop},
    run::{Run, Scope, Within},
    value::{Elem, Value},
};
use crate::{
    element::Element,
    graph::{AttributeValue, Graph, Node},
};

/// How often a loop's body is gone through until what it carries no longer changes.
const MOST_TURNS: usize = 8;

/// The most turns of a loop that are gone through one by one.
const MOST_UNROLLED: i64 = 40;

type Given = (Outputs, Option<Stop>);

/// What a loop's body is given in a turn: by the turn's number, whether it goes on, and what is
/// carried.
type TurnOf<'t> = dyn Fn(Option<i64>, Option<bool>, &[Known]) -> Vec<Known> + 't;

impl<'m, 'a> Run<'m, 'a, '_> {
    /// Infers a node that has graphs; none where its operator is not one of these.
    pub(crate) fn control(
        &mut self,
        node: &'m Node<'a>,
        id: NodeId,
        version: i64,
        inputs: &[Option<TensorId>],
        scope: &Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) -> Option<Given> {
        let inner = Within { depth: within.depth + 1, ..within };
        if within.depth >= super::run::DEEPEST {
            return Some((Outputs::new(), Some(Stop::Depth)));
        }
        Some(match node.op.to_str()? {
            "If" => self.branches(node, id, inputs, scope, inner),
            "Loop" => self.repeated(node, id, inputs, scope, inner),
            "Scan" if version >= 9 => self.scanned(node, id, inputs, scope, inner),
            _ => return None,
        })
    }

    fn known(&self, id: TensorId) -> &Known {
        &self.tensors[id.0 as usize].known
    }

    fn known_input(&self, inputs: &[Option<TensorId>], number: usize) -> Option<&Known> {
        inputs.get(number).copied().flatten().map(|id| self.known(id))
    }

    /// Requires one element of an input: of a condition, or of how many turns there are.
    fn single(
        &mut self,
        node: NodeId,
        inputs: &[Option<TensorId>],
        number: usize,
        within: Within<'_, 'a>,
    ) {
        let shape = self.known_input(inputs, number).and_then(|known| known.shape.clone());
        for (axis, size) in shape.into_iter().flatten().enumerate() {
            let truth = self.nums.equals(size, Num::ONE);
            let required = Requirement {
                relation: Relation::Equal(size, Num::ONE),
                node,
                places: [Place::Axis(number, axis), Place::Node],
                is_certain: within.is_certain,
            };
            self.effects.note(required, truth);
        }
    }

    /// Goes through a graph with these inputs. Gives its outputs.
    fn inside(
        &mut self,
        graph: &'m Graph<'a>,
        id: NodeId,
        inputs: Vec<Known>,
        scope: &Scope<'_, 'a>,
        within: Within<'_, 'a>,
        is_dead: bool,
    ) -> Vec<Option<Known>> {
        let graph_id = self.graph(graph.name, id);
        self.graphs[graph_id.0 as usize].is_dead = is_dead;
        let mut own = Scope { names: HashMap::new(), outer: Some(scope) };
        for (number, (info, known)) in graph.inputs.iter().zip(inputs).enumerate() {
            let input = self.record(info.name, graph_id, Source::Input(number), known, None);
            own.names.insert(info.name, input);
        }
        let outputs = self.body(graph, &mut own, Within { graph: graph_id, ..within });
        outputs.into_iter().map(|id| id.map(|id| self.known(id).clone())).collect()
    }

    fn branches(
        &mut self,
        node: &'m Node<'a>,
        id: NodeId,
        inputs: &[Option<TensorId>],
        scope: &Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) -> Given {
        let graph = |name: &str| match node.attribute(name) {
            Some(AttributeValue::Graph(graph)) => Some(&**graph),
            _ => None,
        };
        let (Some(then), Some(otherwise)) = (graph("then_branch"), graph("else_branch")) else {
            return (Outputs::new(), Some(Stop::Attribute("then_branch")));
        };
        let condition =
            self.known_input(inputs, 0).and_then(|known| match known.value.as_deref()? {
                [elem] => elem.truth(),
                _ => None,
            });
        let outer = within;
        self.single(id, inputs, 0, within);
        let branch = |run: &mut Self, graph: &'m Graph<'a>, when: bool| {
            let is_dead = condition == Some(!when);
            let within =
                Within { is_certain: outer.is_certain && condition == Some(when), ..outer };
            let mark = run.mark();
            let found = run.inside(graph, id, vec![], scope, within, is_dead);
            if is_dead {
                run.forget_effects(mark);
            }
            found
        };
        let before = self.effects.conflicts.len();
        let first = self.graphs.len();
        let one = branch(self, then, true);
        let between = self.effects.conflicts.len();
        let second = self.graphs.len();
        let other = branch(self, otherwise, false);
        // What a branch cannot run because of: a node of its own, or one with graphs of which none
        // can. Others may not be run.
        let stopping = |conflicts: &[Conflict], graph: usize, run: &Self| -> Vec<NodeId> {
            let nodes = conflicts.iter().map(|conflict| conflict.node);
            let stops = |node: &NodeId| {
                run.nodes[node.0 as usize].graph.0 as usize == graph || run.failing.contains(node)
            };
            nodes.filter(stops).collect()
        };
        let conflicts = &self.effects.conflicts;
        let one_stops = stopping(&conflicts[before..between], first, self);
        let other_stops = stopping(&conflicts[between..], second, self);
        let (one_fails, other_fails) = (!one_stops.is_empty(), !other_stops.is_empty());
        if condition.is_none() && one_fails && other_fails {
            self.failing.extend(one_stops.into_iter().chain(other_stops));
            for conflict in &mut self.effects.conflicts[before..] {
                conflict.is_certain |= outer.is_certain && self.failing.contains(&conflict.node);
            }
        }
        let outputs = match condition {
            Some(true) => one.into_iter().collect(),
            Some(false) => other.into_iter().collect(),
            // Where the model runs, it is the one that can.
            None if one_fails && !other_fails => other.into_iter().collect(),
            None if other_fails && !one_fails => one.into_iter().collect(),
            None if one == other => one.into_iter().collect(),
            // Exporters ask whether a size is 1 to take its axis away: of one that the inputs say,
            // it is not.
            None => match self.assumed(inputs.first().copied().flatten(), id, within) {
                Some(true) => one.into_iter().collect(),
                Some(false) => other.into_iter().collect(),
                None => self.both(id, &one, &other),
            },
        };
        (outputs, Some(Stop::Branches))
    }

    /// What is known of outputs that either of two branches gives.
    fn both(&mut self, id: NodeId, one: &[Option<Known>], other: &[Option<Known>]) -> Outputs {
        let pairs = one.iter().zip(other).enumerate();
        pairs
            .map(|(place, (one, other))| {
                Some(self.joined(id, place, one.as_ref()?, other.as_ref()?))
            })
            .collect()
    }

    /// Whether a condition holds that says of a size of the inputs that it is 1, or is not.
    fn assumed(
        &mut self,
        condition: Option<TensorId>,
        id: NodeId,
        within: Within<'_, 'a>,
    ) -> Option<bool> {
        const FARTHEST: usize = 16;
        let (mut at, mut is_turned) = (condition?, false);
        for _ in 0..FARTHEST {
            let Source::Node(node, _) = self.tensors[at.0 as usize].source else { return None };
            let record = self.nodes.get(node.0 as usize)?;
            match record.node.op.to_str()? {
                "Not" => is_turned = !is_turned,
                "Cast" | "Identity" | "Squeeze" | "Unsqueeze" | "Reshape" => {}
                "Equal" => {
                    let side = |input: usize| {
                        let known = self.known(record.inputs.get(input).copied().flatten()?);
                        match known.value.as_deref()? {
                            [elem] => elem.whole(),
                            _ => None,
                        }
                    };
                    let (a, b) = (side(0)?, side(1)?);
                    let is_asked = [(a, b), (b, a)]
                        .into_iter()
                        .any(|(size, number)| number == Num::ONE && self.nums.is_open_ended(size));
                    if !is_asked {
                        return None;
                    }
                    let equal = Requirement {
                        relation: Relation::Equal(a, b),
                        node: id,
                        places: [Place::Input(0), Place::Node],
                        is_certain: within.is_certain,
                    };
                    // Where that they are different makes a node fail, they have to be equal.
                    let are_equal = self.turned.contains(&id);
                    let list = if are_equal {
                        &mut self.effects.requirements
                    } else {
                        &mut self.effects.assumptions
                    };
                    list.push(equal);
                    return Some(are_equal != is_turned);
                }
                _ => return None,
            }
            at = record.inputs.first().copied().flatten()?;
        }
        None
    }

    /// What is known of a value that is one of two.
    pub(crate) fn joined(
        &mut self,
        node: NodeId,
        output: usize,
        one: &Known,
        other: &Known,
    ) -> Known {
        if one == other {
            return one.clone();
        }
        let element = if one.element == Element::Undefined { other.element } else { one.element };
        let container = match (&one.container, &other.container) {
            (Some(Container::Sequence(a, m)), Some(Container::Sequence(b, n))) => {
                let of = Arc::new(self.joined(node, output, a, b));
                Some(Container::Sequence(of, (*m).filter(|_| m == n)))
            }
            (Some(Container::Optional(a)), Some(Container::Optional(b))) => {
                let of = Arc::new(self.joined(node, output, a, b));
                Some(Container::Optional(of))
            }
            (None, None) => None,
            _ => Some(Container::Opaque),
        };
        let shape = match (&one.shape, &other.shape) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                let sizes = a.iter().zip(b).enumerate();
                Some(
                    sizes
                        .map(|(axis, (a, b))| self.joined_size(node, output, axis, *a, *b))
                        .collect::<Sizes>(),
                )
            }
            _ => None,
        };
        let value = match (&one.value, &other.value) {
            (Some(a), Some(b)) if a.len() == b.len() && one.shape == other.shape => {
                let join = |(a, b): (&Elem, &Elem)| if a == b { *a } else { Elem::Unknown };
                Some(a.iter().zip(b.iter()).map(join).collect::<Value>())
            }
            _ => None,
        };
        Known { element, shape, value, container }
    }

    fn joined_size(&mut self, node: NodeId, output: usize, axis: usize, a: Num, b: Num) -> Num {
        if a == b || self.nums.equals(a, b) == Truth::Always {
            return a;
        }
        let own = self.own_size(node, output, axis);
        // What was joined before stays what it was.
        if a == own || b == own { own } else { self.nums.named_by_node(own, a, b) }
    }

    /// The name of a size that a node with graphs decides when it runs.
    fn own_size(&mut self, node: NodeId, output: usize, axis: usize) -> Num {
        let op = self.nodes[node.0 as usize].node.op.to_string();
        let text = format!("{op}_{}_{output}_{axis}", node.0);
        self.nums.named(&text, Origin::Node(node), 0)
    }

    fn repeated(
        &mut self,
        node: &'m Node<'a>,
        id: NodeId,
        inputs: &[Option<TensorId>],
        scope: &Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) -> Given {
        let Some(AttributeValue::Graph(body)) = node.attribute("body") else {
            return (Outputs::new(), Some(Stop::Attribute("body")));
        };
        let element = |known: Option<&Known>| {
            known.and_then(|known| known.value.as_deref()?.first().copied())
        };
        self.single(id, inputs, 0, within);
        self.single(id, inputs, 1, within);
        let most = element(self.known_input(inputs, 0)).and_then(Elem::whole);
        let has_most = self.known_input(inputs, 0).is_some();
        let has_condition = self.known_input(inputs, 1).is_some();
        let begins = if has_condition {
            element(self.known_input(inputs, 1)).and_then(Elem::truth)
        } else {
            Some(true)
        };
        let carried: Vec<Known> = (2..inputs.len())
            .map(|number| self.known_input(inputs, number).cloned().unwrap_or_default())
            .collect();
        let count = carried.len();
        let turn_of = |turn: Option<i64>, condition: Option<bool>, carried: &[Known]| {
            let scalar = |element, elem: Option<Elem>| {
                let value = elem.map(|elem| std::iter::once(elem).collect::<Value>());
                Known { value, ..Known::tensor(element, []) }
            };
            let mut all = vec![
                scalar(Element::Int64, turn.map(Into::into)),
                scalar(Element::Bool, condition.map(Elem::of_truth)),
            ];
            all.extend(carried.iter().cloned());
            all
        };
        let mark = self.mark();
        // Turn by turn, where it is known how many there are.
        if let (Some(turns @ 0..=MOST_UNROLLED), Some(true)) = (most.and_then(Num::as_int), begins)
        {
            if let Some(found) = self.unrolled(body, id, turns, &carried, &turn_of, scope, within) {
                return (found, Some(Stop::Loop));
            }
            self.back_to(mark);
        }
        let mut carried = carried;
        let mut last = vec![];
        let mut is_settled = false;
        for _ in 0..MOST_TURNS {
            self.back_to(mark);
            let inner = Within { is_certain: false, ..within };
            last = self.inside(body, id, turn_of(None, Some(true), &carried), scope, inner, false);
            let next: Vec<Known> = carried
                .iter()
                .enumerate()
                .map(|(place, before)| match last.get(1 + place).cloned().flatten() {
                    Some(after) => self.joined(id, place, before, &after),
                    None => Known::of_element(before.element),
                })
                .collect();
            is_settled = next == carried;
            carried = next;
            if is_settled {
                break;
            }
        }
        if !is_settled {
            return (Outputs::new(), Some(Stop::Loop));
        }
        let goes_on = last
            .first()
            .cloned()
            .flatten()
            .and_then(|known| element(Some(&known)))
            .and_then(Elem::truth);
        let is_counted = has_most && begins == Some(true) && goes_on == Some(true);
        let turns = match most {
            Some(most) if is_counted => self.nums.greatest(most, Num::Int(0)),
            _ => self.own_size(id, count, 0),
        };
        let scans: Vec<Option<Known>> = last.into_iter().skip(1 + count).collect();
        let scans = scans.into_iter().map(|known| known.map(|known| stacked(known, turns, 0)));
        (carried.into_iter().map(Some).chain(scans).collect(), Some(Stop::Loop))
    }

    #[expect(clippy::too_many_arguments, reason = "all that a body stands in")]
    fn unrolled(
        &mut self,
        body: &'m Graph<'a>,
        id: NodeId,
        turns: i64,
        carried: &[Known],
        turn_of: &TurnOf<'_>,
        scope: &Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) -> Option<Outputs> {
        let (mut carried, mut scans): (Vec<Known>, Vec<Option<Known>>) = (carried.to_vec(), vec![]);
        let mut done = 0;
        for turn in 0..turns {
            let mark = self.mark();
            let last = self.inside(
                body,
                id,
                turn_of(Some(turn), Some(true), &carried),
                scope,
                within,
                false,
            );
            let goes_on = match last.first()?.as_ref()?.value.as_deref() {
                Some([elem]) => elem.truth()?,
                _ => return None,
            };
            let next: Option<Vec<Known>> =
                last.iter().skip(1).take(carried.len()).cloned().collect();
            let own: Vec<Option<Known>> = last.into_iter().skip(1 + carried.len()).collect();
            let shape = |all: &[Option<Known>]| -> Vec<Option<Sizes>> {
                all.iter()
                    .map(|known| known.as_ref().and_then(|known| known.shape.clone()))
                    .collect()
            };
            if turn > 0 && shape(&own) != shape(&scans) {
                return None;
            }
            (carried, scans) = (next?, own);
            done = turn + 1;
            if !goes_on {
                break;
            }
            if done < turns {
                self.back_to(mark);
            }
        }
        if done == 0 {
            // The body never runs; what it would give is asked of it all the same.
            let mark = self.mark();
            let last =
                self.inside(body, id, turn_of(None, Some(true), &carried), scope, within, true);
            self.forget_effects(mark);
            scans = last.into_iter().skip(1 + carried.len()).collect();
        }
        let scans =
            scans.into_iter().map(|known| known.map(|known| stacked(known, Num::Int(done), 0)));
        Some(carried.into_iter().map(Some).chain(scans).collect())
    }

    fn scanned(
        &mut self,
        node: &'m Node<'a>,
        id: NodeId,
        inputs: &[Option<TensorId>],
        scope: &Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) -> Given {
        let Some(AttributeValue::Graph(body)) = node.attribute("body") else {
            return (Outputs::new(), Some(Stop::Attribute("body")));
        };
        let scans = match node.attribute("num_scan_inputs") {
            Some(AttributeValue::Int(n)) => {
                usize::try_from(*n).ok().filter(|scans| *scans <= inputs.len())
            }
            _ => None,
        };
        let Some(scans) = scans else {
            return (Outputs::new(), Some(Stop::Attribute("num_scan_inputs")));
        };
        let states = inputs.len() - scans;
        let results = body.outputs.len().saturating_sub(states);
        let read_at = scan_axes(node, "scan_input_axes", scans);
        let (read_at, written_at) = match (read_at, scan_axes(node, "scan_output_axes", results)) {
            (Ok(read_at), Ok(written_at)) => (read_at, written_at),
            (Err(stop), _) | (_, Err(stop)) => return (Outputs::new(), Some(stop)),
        };
        let mut length = None;
        let mut slices = vec![];
        for (number, axis) in (states..inputs.len()).zip(read_at) {
            let known = self.known_input(inputs, number).cloned().unwrap_or_default();
            let Some(mut sizes) = known.shape.clone() else {
                return (Outputs::new(), Some(Stop::Rank(number)));
            };
            let Some(axis) = place_of(axis, sizes.len()) else {
                return (Outputs::new(), Some(Stop::Attribute("scan_input_axes")));
            };
            length = length.or(Some(sizes.remove(axis)));
            slices.push(Known::tensor(known.element, sizes));
        }
        let Some(length) = length else {
            return (Outputs::new(), Some(Stop::Attribute("num_scan_inputs")));
        };
        let mut carried: Vec<Known> = (0..states)
            .map(|number| self.known_input(inputs, number).cloned().unwrap_or_default())
            .collect();
        let mark = self.mark();
        let mut last = vec![];
        for turn in 0..=MOST_TURNS {
            if turn == MOST_TURNS {
                return (Outputs::new(), Some(Stop::Loop));
            }
            self.back_to(mark);
            let all = carried.iter().chain(&slices).cloned().collect();
            last = self.inside(body, id, all, scope, within, false);
            let next: Vec<Known> = carried
                .iter()
                .enumerate()
                .map(|(place, before)| match last.get(place).cloned().flatten() {
                    Some(after) => self.joined(id, place, before, &after),
                    None => Known::of_element(before.element),
                })
                .collect();
            let is_settled = next == carried;
            carried = next;
            if is_settled {
                break;
            }
        }
        let written: Vec<Option<Known>> = last.into_iter().skip(states).collect();
        let written = written
            .into_iter()
            .zip(written_at)
            .map(|(known, axis)| known.map(|known| stacked(known, length, axis)));
        (carried.into_iter().map(Some).chain(written).collect(), Some(Stop::Loop))
    }
}

/// What all turns give together: an axis of as many as there are turns, at this place.
fn stacked(known: Known, turns: Num, axis: i64) -> Known {
    let shape = known.shape.and_then(|mut sizes| {
        sizes.insert(place_of(axis, sizes.len() + 1)?, turns);
        Some(sizes)
    });
    Known { element: known.element, shape, ..Known::default() }
}

/// An axis that may count from the end.
fn place_of(axis: i64, rank: usize) -> Option<usize> {
    let length = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis + length } else { axis };
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

/// The axes along which a scan reads or writes, one for each of its tensors; the first where the
/// node does not say.
fn scan_axes(node: &Node<'_>, name: &'static str, count: usize) -> Result<Vec<i64>, Stop> {
    const FIRST: i64 = 0;
    match node.attribute(name) {
        None | Some(AttributeValue::None) => Ok(vec![FIRST; count]),
        Some(AttributeValue::Ints(list)) => match list.clone().count() {
            0 => Ok(vec![FIRST; count]),
            found if found == count => Ok(list.clone().collect()),
            _ => Err(Stop::Attribute(name)),
        },
        Some(_) => Err(Stop::Attribute(name)),
    }
}
