//! Row terms as they stand: the bindings of their variable spliced in.
//!
//! Every step of a row constraint begins here, so all of this is inlined into it.

#![allow(clippy::inline_always)]

use alloc::vec::Vec;

use crate::tables::{
    ids::RowNode,
    list::Rows,
    node::{DimRef, RowRef, RowState, Segment},
};

/// A row term with its bindings spliced in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct View {
    /// The leading flank, from the front.
    pub(crate) lead: Vec<DimRef>,
    /// The trailing flank, from the back.
    pub(crate) trail: Vec<DimRef>,
    /// The unbound variable between them; `None` when the row is closed.
    pub(crate) var: Option<RowNode>,
}

/// One side of a row constraint: its variable and how many axes are known on each side of it. Of a
/// closed row, only the sum matters to the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Side {
    pub(crate) var: Option<RowNode>,
    pub(crate) lead: usize,
    pub(crate) trail: usize,
}

impl View {
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.lead.clear();
        self.trail.clear();
        self.var = None;
    }

    /// What is left to compare after this many positions from the front and the back.
    pub(crate) fn side(&self, front: usize, back: usize) -> Side {
        if self.var.is_some() {
            let (lead, trail) = (self.lead.len() - front, self.trail.len() - back);
            return Side { var: self.var, lead, trail };
        }
        let rank = (self.lead.len() + self.trail.len()).saturating_sub(front + back);
        let lead = self.lead.len().saturating_sub(front).min(rank);
        Side { var: None, lead, trail: rank - lead }
    }

    /// The entry at this position from the front. Of a closed row, also beyond its marker.
    pub(crate) fn front(&self, i: usize) -> DimRef {
        match i.checked_sub(self.lead.len()) {
            None => self.lead[i],
            Some(beyond) => self.trail[self.trail.len() - 1 - beyond],
        }
    }

    /// The entry at this position from the back. Of a closed row, also beyond its marker.
    pub(crate) fn back(&self, i: usize) -> DimRef {
        match i.checked_sub(self.trail.len()) {
            None => self.trail[i],
            Some(beyond) => self.lead[self.lead.len() - 1 - beyond],
        }
    }
}

impl Rows {
    /// The row term as it stands.
    pub(crate) fn view(&self, row: RowRef) -> View {
        let mut view = View::default();
        self.view_into(row, &mut view);
        view
    }

    /// The row term as it stands, written over `view`.
    #[inline(always)]
    pub(crate) fn view_into(&self, row: RowRef, view: &mut View) {
        view.clear();
        self.extend_view(row.flanks, view);
        if let Some(slot) = row.slot.get() {
            self.view_node(self.slots.at(slot).node, view);
        }
    }

    /// Splices in what a variable is bound to.
    #[inline(always)]
    pub(crate) fn view_node(&self, node: RowNode, view: &mut View) {
        let mut next = Some(node);
        while let Some(at) = next {
            match *self.states.at(at) {
                RowState::Open { .. } => {
                    view.var = Some(at);
                    return;
                }
                RowState::Bound { flanks, tail, .. } => {
                    self.extend_view(flanks, view);
                    next = tail.get();
                }
            }
        }
    }

    /// The variable of a row term that is nothing but an unbound variable.
    #[inline(always)]
    pub(crate) fn bare(&self, row: RowRef) -> Option<RowNode> {
        if row.flanks.rank() > 0 {
            return None;
        }
        let node = self.slots.at(row.slot.get()?).node;
        matches!(self.states.at(node), RowState::Open { .. }).then_some(node)
    }

    /// The unbound variable of a row term, without its flanks.
    pub(crate) fn tail(&self, row: RowRef) -> Option<RowNode> {
        let mut at = self.slots.at(row.slot.get()?).node;
        loop {
            match *self.states.at(at) {
                RowState::Open { .. } => return Some(at),
                RowState::Bound { tail, .. } => at = tail.get()?,
            }
        }
    }

    #[inline(always)]
    fn extend_view(&self, flanks: Segment, view: &mut View) {
        // Flanks have an axis or two: pushing beats copying.
        for at in flanks.leading() {
            view.lead.push(self.axes.get(at));
        }
        for at in flanks.trailing() {
            view.trail.push(self.axes.get(at));
        }
    }
}

impl Side {
    pub(crate) fn rank(self) -> usize {
        self.lead + self.trail
    }
}
