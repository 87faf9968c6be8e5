//! What is decided, as values.

use alloc::{boxed::Box, vec::Vec};

use crate::{Derivation, Extent, Solver};
use lozenge_calculus::{
    constraint::{Constraint, OriginId},
    size::Sizes,
    term::{Grounding, RowVar},
};

/// Whether constraints have a one-shot solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// They have; here is one.
    Satisfiable(Box<Solution>),
    /// They have none.
    Unsatisfiable(ConflictingSet),
    /// It was not found out within the effort; or it is not known how: no bound on ranks holds, or
    /// sizes are left undecided.
    Beyond,
}

/// A solution, and what the sizes in it are that are no numbers: for some values of their names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The values of variables.
    pub grounding: Grounding,
    /// The table of their sizes.
    pub sizes: Sizes,
}

/// What a conflict means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing satisfies what was given.
    Unsatisfiable {
        /// Some of it that nothing satisfies.
        members: Vec<Constraint>,
        /// Whether without any one of them the others have a solution.
        minimal: bool,
    },
    /// This does; the solver placed a marker otherwise.
    Policy(Grounding),
    /// It was not found out.
    Unknown,
}

impl Verdict {
    pub(super) fn unsatisfiable(constraints: &[Constraint], set: &ConflictingSet) -> Verdict {
        let members = set.members.iter().map(|place| constraints[*place].clone()).collect();
        Verdict::Unsatisfiable { members, minimal: set.minimal }
    }
}

/// Constraints without a common solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConflictingSet {
    /// Which of the constraints, by their places in what was asked, in increasing order.
    pub members: Vec<usize>,
    /// Whether without any one of them the others have a solution. Not so only when the effort ran
    /// out, or where that is undecided.
    pub minimal: bool,
}

/// What becomes of constraints that the solver refuses because of where it places markers.
#[derive(Debug)]
pub enum Resolution {
    /// With these suppositions about row variables it takes them.
    Solved(Box<Solver>),
    /// They have no one-shot solution.
    Unsatisfiable(ConflictingSet),
    /// It was not found out.
    Beyond,
}

/// How it follows that constraints have no one-shot solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refutation {
    /// A conflict that depends on the place of no marker.
    Direct {
        /// How it follows.
        derivation: Derivation,
        /// Where the constraints come from because of which rows have the same rank in it, so that
        /// nothing is inserted and their markers do not matter.
        equal_ranks: Vec<OriginId>,
    },
    /// Whatever is supposed of a row variable, there is a conflict.
    Cases {
        /// The variable.
        var: RowVar,
        /// Where the constraints come from because of which it has no smaller rank than those
        /// supposed.
        at_least: Vec<OriginId>,
        /// Its ranks from the least one on, until no higher one can help or all higher ones are
        /// taken together; or its flanks, all that the rank supposed before allows; or its numbers
        /// of elements, all that divide what it is a part of.
        cases: Vec<(Supposition, Refutation)>,
        /// Whether no higher rank helps because what is longer only repeats these.
        repeats: bool,
    },
}

/// What is supposed of a row variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Supposition {
    /// How many axes it has.
    Rank(u16),
    /// How many it has on each side of its marker.
    Flanks(Extent),
    /// How many it has at least: as many from the front as the leading flank has, and as many
    /// others from the back as the trailing flank has.
    AtLeast(Extent),
    /// How many it has at least on each side of its marker.
    Around(Extent),
    /// How many elements it has.
    Elements(u64),
}
