//! The joins of what is below row variables.

use crate::tables::ids::GivenId;

/// What is below a row variable: its own caps, and those of the variables below it.
///
/// DIVERGENCE(closing): the design takes from below closed caps only. Then `[1;2] + {w} * [3;4;5]`
/// would not say what comes out of `w`: the sum is an open cap of the product, and the product is
/// below `w`. So open caps from below serve too, like a variable's own, where no closed one exists.
#[derive(Clone, Copy, Default)]
pub(super) struct Joins {
    pub(super) closed: Option<Join>,
    pub(super) open: Option<Join>,
}

/// The flanks of the join of some rows: on each side as long as the shortest of them.
#[derive(Clone, Copy)]
pub(super) struct Join {
    pub(super) lead: Shortest,
    pub(super) trail: Shortest,
}

/// The length of the shortest flank, and the given constraint it comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shortest {
    pub(super) len: usize,
    pub(super) given: GivenId,
}

impl Join {
    pub(super) fn of(given: GivenId, lead: usize, trail: usize) -> Join {
        let flank = |len| Shortest { len, given };
        Join { lead: flank(lead), trail: flank(trail) }
    }

    fn join(self, other: Join) -> Join {
        Join { lead: self.lead.min(other.lead), trail: self.trail.min(other.trail) }
    }
}

/// The join of what is there of two.
pub(super) fn join(first: Option<Join>, second: Option<Join>) -> Option<Join> {
    match (first, second) {
        (Some(first), Some(second)) => Some(first.join(second)),
        (only, None) | (None, only) => only,
    }
}
