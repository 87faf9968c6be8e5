//! What closing can choose, by which rule, and what becomes of it.

use alloc::vec::Vec;

use crate::{CapReason, Solver, tables::ids::GivenId};
use lozenge_calculus::{constraint::OriginId, term::Variable};

/// How closing chooses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Policy {
    /// Leaves are as small as their uses allow them to be without broadcasting; interiors are as
    /// general as they can be.
    #[default]
    Default,
    /// Everything is as general as it can be, γ↑; roles do not matter.
    Upward,
    /// As the default, but where nothing says what a leaf is, or what waits has a choice, that is a
    /// problem.
    Refuse,
}

/// What asks for a commitment. Whose origins these are is found when somebody wants to know.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    Cap(CapReason),
    Rows([GivenId; 2]),
    Origin(OriginId),
}

/// Something that closing chose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Commitment {
    /// Of which variable.
    pub var: Variable,
    /// Which axis of its row, from the front; `None` for a dimension variable and for the number of
    /// axes of a row.
    pub axis: Option<usize>,
    /// By which rule.
    pub rule: ClosingRule,
}

/// Why closing chose what it chose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ClosingRule {
    /// An axis of a leaf takes the atom below it.
    Atom,
    /// The row of a leaf takes the join of the closed rows below it.
    Join,
    /// The row of a leaf takes the join of its open caps, as no closed row is below it.
    OpenJoin,
    /// The least material with which a constraint holds that waited.
    Least,
    /// The row of a number of elements or of exact axes has no more axes, or one.
    Counted,
    /// The row that was set to a number of elements is one axis.
    OneAxis,
    /// An axis whose size was found is an atom.
    Found,
    /// A part that may be left out has no elements.
    LeftOut,
    /// The least size with which relations between sizes hold.
    LeastSize,
}

/// What is worth knowing about how a program was closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// A commitment of a leaf could not stand, and the leaf closed upward there.
    Demoted(Dispute),
    /// Whether two axes of this constraint are the same one depends on their sizes; here they are.
    AxesOverlap(OriginId),
    /// This relation between sizes is over a named size, so whether it holds is not known.
    Undecided(OriginId),
    /// Two declarations place the marker of a row differently, and an inequality sees which one
    /// holds.
    PlacementCompetes {
        /// The row.
        var: Variable,
        /// The declaration that holds; none where neither fits, and the marker stands elsewhere.
        holds: Option<OriginId>,
        /// The one that does not.
        yields: OriginId,
        /// The inequality that sees it.
        seen_by: OriginId,
    },
}

/// Uses of a leaf that do not agree on what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispute {
    /// What would have been committed.
    pub commitment: Commitment,
    /// Where the constraints come from that ask for it.
    pub asked: Vec<OriginId>,
    /// Where those come from that do not allow it.
    pub against: Vec<OriginId>,
}

/// Where the constraints come from that ask for a commitment; commitments come from nowhere.
pub(super) fn asked_by(solver: &Solver, first: GivenId, asked: Asked) -> Vec<OriginId> {
    let givens = match asked {
        Asked::Cap(reason) => solver.config.reasoner().cap_reasons(reason),
        Asked::Rows(givens) => givens.to_vec(),
        Asked::Origin(origin) => return alloc::vec![origin],
    };
    solver.config.tables.givens.origins(givens.into_iter().filter(|given| *given < first))
}
