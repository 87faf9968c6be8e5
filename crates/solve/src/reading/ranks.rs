//! Least ranks as they stand: which given constraints raised them, and what limits them.

use alloc::{collections::BTreeMap, vec::Vec};

use crate::tables::{
    ids::{GivenId, PackedOption, RowSlot},
    list::Tables,
    node::RowRef,
};

impl Tables {
    /// The greatest rank that a closed row allows a slot.
    pub(crate) fn limit_of(&self, slot: RowSlot) -> Option<i64> {
        let related = self.givens.row_given_of(self.rows.slots.at(slot).limited_by.get()?);
        let is_closed = |row: RowRef| row.slot.is_none();
        let (open, closed) = if is_closed(related.left) {
            (related.right, related.left)
        } else {
            (related.left, related.right)
        };
        Some(i64::from(closed.flanks.rank()) - i64::from(open.flanks.rank()))
    }

    /// The given constraints that raised `slot` past `limited_by`, back to a closed row; or those
    /// of a cycle that is met on the way. A rise that is not yet propagated all around can leave
    /// one, and it is as good a conflict.
    pub(crate) fn chain(&self, slot: RowSlot, limited_by: GivenId) -> Vec<GivenId> {
        self.raising_after(alloc::vec![limited_by], slot)
    }

    /// The given constraints that raised `slot` to the rank it has.
    pub(crate) fn raising(&self, slot: RowSlot) -> Vec<GivenId> {
        self.raising_after(Vec::new(), slot)
    }

    pub(crate) fn raising_after(&self, mut chain: Vec<GivenId>, slot: RowSlot) -> Vec<GivenId> {
        let mut places = BTreeMap::new();
        let mut rising = Some(slot);
        while let Some(at) = rising {
            if let Some(place) = places.insert(at, chain.len()) {
                return chain.split_off(place);
            }
            let Some(given) = self.rows.slots.at(at).raised_by.get() else { break };
            chain.push(given);
            let related = self.givens.row_given_of(given);
            let is_left = related.left.slot == PackedOption::some(at);
            rising = if is_left { related.right.slot } else { related.left.slot }.get();
        }
        chain
    }
}
