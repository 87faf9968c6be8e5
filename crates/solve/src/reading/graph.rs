//! The graphs of adjacencies: what is directly above and below an unbound variable.

use crate::{
    reading::order::Graph,
    tables::{
        ids::{AdjacencyId, DimNode, GivenId, RowNode},
        list::Tables,
        node::{RowGiven, RowState, Status},
        place::Place,
    },
};

impl Tables {
    pub(crate) fn dim_graph(&self) -> DimGraph<'_> {
        DimGraph(self)
    }

    pub(crate) fn row_graph(&self) -> RowGraph<'_> {
        RowGraph(self)
    }
}

/// The unbound dimension variables and the adjacencies between them.
pub(crate) struct DimGraph<'a>(&'a Tables);

impl Graph for DimGraph<'_> {
    type Node = DimNode;
    type Edge = AdjacencyId;

    /// A variable without bounds is in no adjacency; it gets its place with its first.
    fn order(&self, node: DimNode) -> Place {
        self.0.dims.bounds_of(node).map_or(Place::of(node), |bounds| bounds.order)
    }

    fn is_top(&self, node: DimNode) -> bool {
        self.0.dims.bounds_of(node).is_none_or(|bounds| bounds.above.is_none())
    }

    fn first_place(&self) -> Place {
        Place::first_after(self.0.counts.moved)
    }

    fn above(&self, node: DimNode, visit: &mut dyn FnMut(DimNode, AdjacencyId)) {
        let mut next = self.0.dims.bounds_of(node).and_then(|bounds| bounds.above.get());
        while let Some(at) = next {
            let adjacency = self.0.dims.adjacencies.get(at);
            if let Some(high) = self.0.dims.resolve(adjacency.high).as_node() {
                visit(high, at);
            }
            next = adjacency.next_above.next().get();
        }
    }

    fn below(&self, node: DimNode, visit: &mut dyn FnMut(DimNode, AdjacencyId)) {
        let mut next = self.0.dims.bounds_of(node).and_then(|bounds| bounds.below.get());
        while let Some(at) = next {
            let adjacency = self.0.dims.adjacencies.get(at);
            if let Some(low) = self.0.dims.resolve(adjacency.low).as_node() {
                visit(low, at);
            }
            next = adjacency.next_below.next().get();
        }
    }
}

/// The unbound row variables and the adjacencies between them.
pub(crate) struct RowGraph<'a>(&'a Tables);

impl RowGraph<'_> {
    fn adjacent(&self, given: GivenId) -> Option<&RowGiven> {
        let adjacent = self.0.givens.progress.get(given).status == Status::Adjacent;
        adjacent.then(|| self.0.givens.row_given_of(given))
    }
}

impl Graph for RowGraph<'_> {
    type Node = RowNode;
    type Edge = GivenId;

    fn order(&self, node: RowNode) -> Place {
        match self.0.rows.states.get(node) {
            RowState::Open { order, .. } => order,
            RowState::Bound { .. } => Place::of(node),
        }
    }

    fn is_top(&self, node: RowNode) -> bool {
        matches!(self.0.rows.states.at(node), RowState::Open { as_left, .. } if as_left.is_none())
    }

    fn first_place(&self) -> Place {
        Place::first_after(self.0.counts.moved)
    }

    fn above(&self, node: RowNode, visit: &mut dyn FnMut(RowNode, GivenId)) {
        let RowState::Open { as_left, .. } = self.0.rows.states.get(node) else { return };
        let mut next = as_left.get();
        while let Some(at) = next {
            if let Some(high) =
                self.adjacent(at).and_then(|related| self.0.rows.tail(related.right))
            {
                visit(high, at);
            }
            next = self.0.givens.progress.get(at).next_left.next().get();
        }
    }

    fn below(&self, node: RowNode, visit: &mut dyn FnMut(RowNode, GivenId)) {
        let RowState::Open { as_right, .. } = self.0.rows.states.get(node) else { return };
        let mut next = as_right.get();
        while let Some(at) = next {
            if let Some(low) = self.adjacent(at).and_then(|related| self.0.rows.tail(related.left))
            {
                visit(low, at);
            }
            next = self.0.givens.progress.get(at).next_right.next().get();
        }
    }
}
