//! Places of variables in the order that adjacencies keep.

use crate::tables::ids::Id;

/// The place of a variable in an order in which the lower side of every adjacency is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place(u32);

/// The place of the first variable: there is as much room before it as after it.
const MIDDLE: u32 = 1 << 31;

impl Place {
    /// The place that a variable has at first.
    pub(crate) fn of(node: impl Id) -> Place {
        Place(MIDDLE + node.index())
    }

    /// The place before all others, when `moved` variables were moved before all others.
    pub(crate) fn first_after(moved: u32) -> Place {
        Place(MIDDLE - moved - 1)
    }

    /// This place and all places before it, the last first.
    pub(crate) fn downwards(self) -> impl Iterator<Item = Place> {
        (0..=self.0).rev().map(Place)
    }
}
