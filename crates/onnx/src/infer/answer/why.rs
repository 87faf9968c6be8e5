//! Why a size is what it is, node by node.

use lozenge_diagnostic::{Code, Diagnostic};

use super::{
    super::{
        id::{NodeId, TensorId},
        inferred::Inferred,
        text::{counted, listed, plain},
    },
    chain::{Link, chain, end_called, fact_called},
    name::{node_called, tensor_called},
    probe::{Fact, Prober},
};

/// A size, and the steps that lead to it.
#[derive(Debug, Clone)]
pub struct Why {
    /// What is explained: ``axis 2 of `y` (the output of `Conv.3`)``.
    pub what: String,
    /// The size.
    pub size: String,
    /// From the size back to where it comes from.
    pub steps: Vec<Step>,
}

/// A step: a node that makes a size of others, or where a size comes from.
#[derive(Debug, Clone)]
pub struct Step {
    /// The axis or element.
    pub what: String,
    /// Its size or value.
    pub size: String,
    /// The node that makes it.
    pub node: Option<String>,
    /// The node's operator.
    pub op: Option<String>,
    /// What the node does, as a specification, where it can be said so.
    pub spec: Option<String>,
    /// What it is made of, with sizes.
    pub from: Vec<String>,
    /// How many nodes before this one leave the size as it is.
    pub passed_on: usize,
}

/// Why an axis has its size; none where it has none.
pub fn why(inferred: &mut Inferred<'_, '_>, tensor: TensorId, axis: usize) -> Option<Why> {
    let fact = Fact::Axis(tensor, axis);
    let size = fact.num(inferred)?;
    let mut links = chain(&mut Prober::new(inferred), fact);
    in_order(&mut links);
    let mut steps: Vec<Step> = vec![];
    let mut passed_on = 0;
    for (place, link) in links.iter().enumerate() {
        if place > 0 && link.is_passed_on(inferred) {
            passed_on += 1;
            continue;
        }
        let spec = link.node.and_then(|node| {
            let template = inferred.template(node)?;
            Some(template.text(inferred.nums()))
        });
        let mut step = step(inferred, link, spec);
        step.passed_on = std::mem::take(&mut passed_on);
        steps.push(step);
    }
    let what = format!("axis {axis} of {}", tensor_called(inferred, tensor));
    Some(Why { what, size: inferred.nums().text(size), steps })
}

/// Depth first: each fact is followed by what forces it.
fn in_order(links: &mut Vec<Link>) {
    let mut left = std::mem::take(links);
    let mut waiting: Vec<Fact> = left.first().map(|link| link.fact).into_iter().collect();
    while let Some(fact) = waiting.pop() {
        let Some(place) = left.iter().position(|link| link.fact == fact) else { continue };
        let link = left.remove(place);
        waiting.extend(
            link.from.iter().rev().filter(|fact| left.iter().any(|link| link.fact == **fact)),
        );
        links.push(link);
    }
}

fn step(inferred: &Inferred<'_, '_>, link: &Link, spec: Option<String>) -> Step {
    let from = link
        .from
        .iter()
        .map(|fact| format!("{}, {}", fact_called(inferred, *fact), fact.text(inferred)));
    let op = |node: NodeId| plain(&inferred.node(node).node.op.to_lossy());
    let is_end = link.from.is_empty();
    Step {
        what: if is_end {
            end_called(inferred, link.fact)
        } else {
            fact_called(inferred, link.fact)
        },
        size: link.fact.text(inferred),
        node: link.node.filter(|_| !is_end).map(|node| node_called(inferred, node)),
        op: link.node.map(op),
        spec,
        from: from.collect(),
        passed_on: 0,
    }
}

impl Step {
    /// The step as a sentence.
    pub fn text(&self) -> String {
        let Step { what, size, node, op, spec, from, passed_on } = self;
        let kept = match passed_on {
            0 => String::new(),
            1 => "unchanged by 1 node before: ".to_owned(),
            n => format!("unchanged by {} before: ", counted(*n, "node")),
        };
        let Some(node) = node else { return format!("{kept}{size} is {what}") };
        let does = match (spec, op) {
            (Some(spec), Some(op)) => format!(" ({op}, `{spec}`)"),
            (None, Some(op)) if !node.contains(op.as_str()) => format!(" ({op})"),
            _ => String::new(),
        };
        format!("{kept}{what} is {size}: {node}{does} makes it from {}", listed(from))
    }
}

impl Why {
    /// The explanation as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        let said = Diagnostic::new(Code::SizeFollows, format!("{} is {}", self.what, self.size));
        self.steps.iter().fold(said, |said, step| said.note(step.text()))
    }
}
