//! Row variables as they stand.

use core::cmp::Reverse;

use lozenge_calculus::term::RowVar;

use crate::tables::{ids::RowNode, list::Rows, node::RowState};

impl Rows {
    /// Of two row variables that become one, whether the first is to be bound to the second: that
    /// of which fewer variables are bound, so that paths stay short; among equals the newer one.
    pub(crate) fn is_lesser(&self, first: RowNode, second: RowNode) -> bool {
        let weight = |node: RowNode| match *self.states.at(node) {
            RowState::Open { class, .. } => (class, Reverse(node)),
            RowState::Bound { .. } => (0, Reverse(node)),
        };
        weight(first) < weight(second)
    }

    /// The node of a row variable that the program mentioned or a rule minted.
    pub(crate) fn row_node(&self, var: RowVar) -> Option<RowNode> {
        let minted = || RowNode::minted_as(var).filter(|node| self.states.has(*node));
        match self.vars.get(var) {
            Some(slot) => Some(self.slots.at(slot).node),
            None => minted(),
        }
    }
}
