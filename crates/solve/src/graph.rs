//! The graphs of adjacencies: what is directly above and below an unbound variable.

use super::{
    Solver,
    node::{NIL, RowAsk, RowState},
    order::Graph,
    step::Status,
};

/// Places in the order of variables start here, so that there is room before the first.
pub(super) const MIDDLE: u32 = 1 << 31;

impl Solver {
    pub(super) fn dim_graph(&self) -> DimGraph<'_> {
        DimGraph(self)
    }

    pub(super) fn row_graph(&self) -> RowGraph<'_> {
        RowGraph(self)
    }
}

/// The unbound dimension variables and the adjacencies between them.
pub(super) struct DimGraph<'a>(&'a Solver);

impl Graph for DimGraph<'_> {
    /// A variable without bounds is in no adjacency; it gets its place with its first.
    fn order(&self, node: u32) -> u32 {
        self.0.bounds_of(node).map_or(MIDDLE + node, |bounds| bounds.order)
    }

    fn is_top(&self, node: u32) -> bool {
        self.0.bounds_of(node).is_none_or(|bounds| bounds.above == NIL)
    }

    fn first_place(&self) -> u32 {
        MIDDLE - self.0.counts.moved - 1
    }

    fn above(&self, node: u32, visit: &mut dyn FnMut(u32, u32)) {
        let mut at = self.0.bounds_of(node).map_or(NIL, |bounds| bounds.above);
        while at != NIL {
            let adjacency = self.0.adjacencies.get(at);
            if let Some(high) = self.0.resolve(adjacency.high).as_node() {
                visit(high, at);
            }
            at = adjacency.next_above;
        }
    }

    fn below(&self, node: u32, visit: &mut dyn FnMut(u32, u32)) {
        let mut at = self.0.bounds_of(node).map_or(NIL, |bounds| bounds.below);
        while at != NIL {
            let adjacency = self.0.adjacencies.get(at);
            if let Some(low) = self.0.resolve(adjacency.low).as_node() {
                visit(low, at);
            }
            at = adjacency.next_below;
        }
    }
}

/// The unbound row variables and the adjacencies between them.
pub(super) struct RowGraph<'a>(&'a Solver);

impl RowGraph<'_> {
    fn adjacent(&self, given: u32) -> Option<&RowAsk> {
        let adjacent = self.0.progress.get(given).status == Status::Adjacent;
        adjacent.then(|| self.0.row_ask_of(given))
    }
}

impl Graph for RowGraph<'_> {
    fn order(&self, node: u32) -> u32 {
        match self.0.rows.get(node) {
            RowState::Open { order, .. } => order,
            RowState::Bound { .. } => MIDDLE + node,
        }
    }

    fn is_top(&self, node: u32) -> bool {
        matches!(self.0.rows.at(node), RowState::Open { as_left: NIL, .. })
    }

    fn first_place(&self) -> u32 {
        MIDDLE - self.0.counts.moved - 1
    }

    fn above(&self, node: u32, visit: &mut dyn FnMut(u32, u32)) {
        let RowState::Open { as_left, .. } = self.0.rows.get(node) else { return };
        let mut at = as_left;
        while at != NIL {
            if let Some(high) = self.adjacent(at).and_then(|ask| self.0.tail(ask.right)) {
                visit(high.0, at);
            }
            at = self.0.progress.get(at).next_left;
        }
    }

    fn below(&self, node: u32, visit: &mut dyn FnMut(u32, u32)) {
        let RowState::Open { as_right, .. } = self.0.rows.get(node) else { return };
        let mut at = as_right;
        while at != NIL {
            if let Some(low) = self.adjacent(at).and_then(|ask| self.0.tail(ask.left)) {
                visit(low.0, at);
            }
            at = self.0.progress.get(at).next_right;
        }
    }
}
