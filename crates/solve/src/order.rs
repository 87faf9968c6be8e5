//! Cycles of adjacencies, found as they close.
//!
//! Every unbound variable has a place in an order in which the lower side of an adjacency is
//! greater. A new adjacency that fits the order closes no cycle, and in a program whose results
//! come after their operands nearly all do. Where only few variables are above the new adjacency,
//! as with a parameter that is used late, they are searched for a cycle and moved before all others.
//! What is left is searched within the part of the order that the adjacency spans, and that part is
//! put in order again (Pearce and Kelly); its cost is that of the part.

use alloc::{collections::BTreeSet, vec::Vec};

use smallvec::{SmallVec, smallvec};

/// Variables and the adjacencies between them.
pub(super) trait Graph {
    /// The place of a variable.
    fn order(&self, node: u32) -> u32;
    /// Whether it is known that nothing is above this variable.
    fn is_top(&self, node: u32) -> bool;
    /// A place before all others.
    fn first_place(&self) -> u32;
    /// Calls `visit` with the variables directly above this one, and the adjacency.
    fn above(&self, node: u32, visit: &mut dyn FnMut(u32, u32));
    /// Calls `visit` with the variables directly below this one, and the adjacency.
    fn below(&self, node: u32, visit: &mut dyn FnMut(u32, u32));
}

/// So many variables are few: above a new adjacency, and to look through for one of them.
const FEW: usize = 32;

/// What a new adjacency does to the order.
#[derive(Debug)]
pub(super) enum Insertion {
    /// It closes a cycle with these adjacencies.
    Cycle(Vec<u32>),
    /// It fits when these variables are moved to these places.
    Moves(Vec<(u32, u32)>),
}

/// Whether `low ⊑ high` closes a cycle.
#[inline]
pub(super) fn closes_cycle(graph: &impl Graph, low: u32, high: u32) -> bool {
    !fits(graph, low, high)
        && !graph.is_top(high)
        && matches!(insert(graph, low, high), Insertion::Cycle(_))
}

/// Whether `low ⊑ high` fits the order as it is.
#[inline]
pub(super) fn fits(graph: &impl Graph, low: u32, high: u32) -> bool {
    graph.order(low) > graph.order(high)
}

/// What adding `low ⊑ high` does when it does not fit.
#[inline(never)]
pub(super) fn insert(graph: &impl Graph, low: u32, high: u32) -> Insertion {
    let above = |node, visit: &mut dyn FnMut(u32, u32)| graph.above(node, visit);
    let by_order = |reached: Reached| {
        let mut nodes: Vec<u32> = reached.nodes.iter().map(|r| r.node).collect();
        nodes.sort_by_key(|node| graph.order(*node));
        nodes
    };

    let mut over = Reached::new(high);
    if over.run(above, |_| true, FEW) {
        if let Some(path) = over.path(low) {
            return Insertion::Cycle(path);
        }
        let last = graph.first_place();
        return Insertion::Moves(by_order(over).into_iter().rev().zip((0..=last).rev()).collect());
    }

    let (from, to) = (graph.order(low), graph.order(high));
    let mut over = Reached::new(high);
    over.run(above, |node| graph.order(node) >= from, usize::MAX);
    if let Some(path) = over.path(low) {
        return Insertion::Cycle(path);
    }
    let mut under = Reached::new(low);
    let below = |node, visit: &mut dyn FnMut(u32, u32)| graph.below(node, visit);
    under.run(below, |node| graph.order(node) <= to, usize::MAX);

    // What is above the new adjacency goes before what is below it, each in its old order.
    let nodes: Vec<u32> = by_order(over).into_iter().chain(by_order(under)).collect();
    let mut places: Vec<u32> = nodes.iter().map(|node| graph.order(*node)).collect();
    places.sort_unstable();
    Insertion::Moves(nodes.into_iter().zip(places).collect())
}

/// How many of these moves take a place before all others; the rest exchange places.
pub(super) fn taken_first(graph: &impl Graph, moves: &[(u32, u32)]) -> u32 {
    let first = graph.first_place();
    moves.iter().fold(0, |count, (_, place)| count + u32::from(*place <= first))
}

/// The variables found from one of them, each with where it was found from.
struct Reached {
    nodes: SmallVec<[Found; 8]>,
}

struct Found {
    node: u32,
    /// The index in the list of the one it was found from, and the adjacency between.
    from: Option<(usize, u32)>,
}

impl Reached {
    fn new(node: u32) -> Reached {
        Reached { nodes: smallvec![Found { node, from: None }] }
    }

    /// Finds what can be reached within bounds; gives up, and returns false, past `most`.
    fn run(
        &mut self,
        neighbours: impl Fn(u32, &mut dyn FnMut(u32, u32)),
        within: impl Fn(u32) -> bool,
        most: usize,
    ) -> bool {
        // A few are looked through; more are in a tree.
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut next = 0;
        while next < self.nodes.len() {
            let node = self.nodes[next].node;
            let nodes = &mut self.nodes;
            neighbours(node, &mut |found, edge| {
                let mut is_new = || {
                    if nodes.len() <= FEW {
                        return nodes.iter().all(|known| known.node != found);
                    }
                    if seen.is_empty() {
                        seen.extend(nodes.iter().map(|known| known.node));
                    }
                    seen.insert(found)
                };
                if within(found) && is_new() {
                    nodes.push(Found { node: found, from: Some((next, edge)) });
                }
            });
            next += 1;
            if self.nodes.len() > most {
                return false;
            }
        }
        true
    }

    /// The adjacencies from the first variable to this one, if it was found.
    fn path(&self, node: u32) -> Option<Vec<u32>> {
        let mut at = self.nodes.iter().position(|found| found.node == node)?;
        let mut path = Vec::new();
        while let Some((from, edge)) = self.nodes[at].from {
            path.push(edge);
            at = from;
        }
        Some(path)
    }
}
