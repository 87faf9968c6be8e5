//! The order of nodes: each after those that give what it and its graphs use.

use std::collections::HashMap;

use crate::{graph::Node, text::Text};

/// The names that a node uses, and the nodes of its graphs.
pub(super) fn used<'n, 'a>(node: &'n Node<'a>, all: &mut Vec<&'n Text<'a>>) {
    all.extend(&node.inputs);
    for graph in node.graphs() {
        graph.nodes.iter().for_each(|inner| used(inner, all));
        all.extend(graph.outputs.iter().map(|output| &output.name));
    }
}

/// The places of the nodes that give values, by the values' names.
pub(super) fn outputs_of<'a>(nodes: &[Node<'a>]) -> HashMap<Text<'a>, usize> {
    let all = nodes.iter().enumerate();
    all.flat_map(|(place, node)| node.outputs.iter().map(move |name| (*name, place))).collect()
}

/// The nodes from a place on in an order in which each comes after those that give what it and its
/// graphs use. Of nodes that use each other the first in the file comes first.
pub(super) fn order(nodes: &[Node<'_>], from: usize) -> Vec<usize> {
    let given = outputs_of(nodes);
    let mut is_seen = vec![false; nodes.len()];
    let mut found = vec![];
    // A stack of its own, since a chain may be as long as the file.
    let mut stack: Vec<(usize, bool)> =
        (from..nodes.len()).rev().map(|place| (place, false)).collect();
    while let Some((place, is_done)) = stack.pop() {
        if is_done {
            found.push(place);
            continue;
        }
        if std::mem::replace(&mut is_seen[place], true) {
            continue;
        }
        stack.push((place, true));
        let mut names = vec![];
        used(&nodes[place], &mut names);
        let before = names.into_iter().rev().filter_map(|name| given.get(name).copied());
        stack.extend(
            before
                .filter(|before| *before >= from && !is_seen[*before])
                .map(|before| (before, false)),
        );
    }
    found
}
