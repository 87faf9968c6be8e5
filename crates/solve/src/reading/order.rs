//! Cycles of adjacencies, found as they close.
//!
//! Every unbound variable has a place in an order in which the lower side of an adjacency is
//! greater. A new adjacency that fits the order closes no cycle, and in a program whose results
//! come after their operands nearly all do. Where only few variables are above the new adjacency,
//! as with a parameter that is used late, they are searched for a cycle and moved before all
//! others. What is left is searched within the part of the order that the adjacency spans, and that
//! part is put in order again (Pearce and Kelly); its cost is that of the part.

use alloc::{collections::BTreeSet, vec::Vec};

use smallvec::{SmallVec, smallvec};

use crate::tables::{ids::Id, place::Place};

/// Variables and the adjacencies between them.
pub(crate) trait Graph {
    /// A variable.
    type Node: Id;
    /// An adjacency.
    type Edge: Copy;

    /// The place of a variable.
    fn order(&self, node: Self::Node) -> Place;
    /// Whether it is known that nothing is above this variable.
    fn is_top(&self, node: Self::Node) -> bool;
    /// A place before all others.
    fn first_place(&self) -> Place;
    /// Calls `visit` with the variables directly above this one, and the adjacency.
    fn above(&self, node: Self::Node, visit: &mut dyn FnMut(Self::Node, Self::Edge));
    /// Calls `visit` with the variables directly below this one, and the adjacency.
    fn below(&self, node: Self::Node, visit: &mut dyn FnMut(Self::Node, Self::Edge));
}

/// The most variables above a new adjacency that are searched one after another, and that a search
/// looks through without an index.
const FEW: usize = 32;

/// What a new adjacency does to the order.
#[derive(Debug)]
pub(crate) enum Insertion<N, E> {
    /// It closes a cycle with these adjacencies.
    Cycle(Vec<E>),
    /// It fits when these variables are moved to these places.
    Moves(Vec<(N, Place)>),
}

/// Whether `low ⊑ high` closes a cycle.
#[inline]
pub(crate) fn closes_cycle<G: Graph>(graph: &G, low: G::Node, high: G::Node) -> bool {
    !fits(graph, low, high)
        && !graph.is_top(high)
        && matches!(insert(graph, low, high), Insertion::Cycle(_))
}

/// Whether `low ⊑ high` fits the order as it is.
#[inline]
pub(crate) fn fits<G: Graph>(graph: &G, low: G::Node, high: G::Node) -> bool {
    graph.order(low) > graph.order(high)
}

/// What adding `low ⊑ high` does when it does not fit.
#[inline(never)]
pub(crate) fn insert<G: Graph>(
    graph: &G,
    low: G::Node,
    high: G::Node,
) -> Insertion<G::Node, G::Edge> {
    let above = |node, visit: &mut dyn FnMut(G::Node, G::Edge)| graph.above(node, visit);
    let by_order = |reached: Reached<G::Node, G::Edge>| {
        let mut nodes: Vec<G::Node> = reached.nodes.iter().map(|r| r.node).collect();
        nodes.sort_by_key(|node| graph.order(*node));
        nodes
    };

    let mut over = Reached::new(high);
    if over.run(above, |_| true, FEW) {
        if let Some(path) = over.path(low) {
            return Insertion::Cycle(path);
        }
        let last = graph.first_place();
        return Insertion::Moves(by_order(over).into_iter().rev().zip(last.downwards()).collect());
    }

    let (from, to) = (graph.order(low), graph.order(high));
    let mut over = Reached::new(high);
    over.run(above, |node| graph.order(node) >= from, usize::MAX);
    if let Some(path) = over.path(low) {
        return Insertion::Cycle(path);
    }
    let mut under = Reached::new(low);
    let below = |node, visit: &mut dyn FnMut(G::Node, G::Edge)| graph.below(node, visit);
    under.run(below, |node| graph.order(node) <= to, usize::MAX);

    // What is above the new adjacency goes before what is below it, each in its old order.
    let nodes: Vec<G::Node> = by_order(over).into_iter().chain(by_order(under)).collect();
    let mut places: Vec<Place> = nodes.iter().map(|node| graph.order(*node)).collect();
    places.sort_unstable();
    Insertion::Moves(nodes.into_iter().zip(places).collect())
}

/// How many of these moves take a place before all others; the rest exchange places.
pub(crate) fn taken_first<G: Graph>(graph: &G, moves: &[(G::Node, Place)]) -> u32 {
    let first = graph.first_place();
    moves.iter().fold(0, |count, (_, place)| count + u32::from(*place <= first))
}

/// The variables found from one of them, each with where it was found from.
struct Reached<N, E> {
    nodes: SmallVec<[Found<N, E>; 8]>,
}

struct Found<N, E> {
    node: N,
    /// The index in the list of the one it was found from, and the adjacency between.
    from: Option<(usize, E)>,
}

impl<N: Id, E: Copy> Reached<N, E> {
    fn new(node: N) -> Reached<N, E> {
        Reached { nodes: smallvec![Found { node, from: None }] }
    }

    /// Finds what can be reached within bounds; gives up, and returns false, past `most`.
    fn run(
        &mut self,
        neighbours: impl Fn(N, &mut dyn FnMut(N, E)),
        within: impl Fn(N) -> bool,
        most: usize,
    ) -> bool {
        // A few are looked through; more are in a tree.
        let mut seen: BTreeSet<N> = BTreeSet::new();
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
    fn path(&self, node: N) -> Option<Vec<E>> {
        let mut at = self.nodes.iter().position(|found| found.node == node)?;
        let mut path = Vec::new();
        while let Some((from, edge)) = self.nodes[at].from {
            path.push(edge);
            at = from;
        }
        Some(path)
    }
}
