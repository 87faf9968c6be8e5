//! Two axes of an operation's operands that do not fit, as values.

use lozenge_calculus::{dim::Dim, term::RowTerm};

use crate::{Kind, session::step::StepId};

/// A row of an operand, as it stands.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Which operand of the step, from 0, and which tensor that is.
    pub(super) operand: usize,
    pub(super) tensor: StepId,
    pub(super) kind: Kind,
    pub(super) row: RowTerm,
    /// Whether it is the same as the other side, rather than what takes it.
    pub(super) is_equal: bool,
    /// Whether one element is stretched to whatever the other side has.
    pub(super) stretches: bool,
}

/// Two axes of operands that are compared.
#[derive(Clone, Debug)]
pub(super) struct Clash {
    pub(super) sides: [(Side, usize, Dim); 2],
    /// Whether the first takes what the second gives, rather than both being broadcast.
    pub(super) composed: bool,
    /// Whether other axes of the step do not fit either.
    pub(super) others: bool,
}

impl Clash {
    /// Whether the sizes differ, not only what they count.
    pub(super) fn is_of_sizes(&self) -> bool {
        let [first, second] = [self.sides[0].2, self.sides[1].2];
        first.size() != second.size() || first.is_atom() != second.is_atom()
    }
}

impl Side {
    /// How many axes are known.
    pub(super) fn rank(&self) -> usize {
        self.row.flanks.rank()
    }
}
