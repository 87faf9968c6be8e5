//! The configuration: everything a solver knows.

use alloc::{
    collections::{BTreeSet, BinaryHeap},
    vec::Vec,
};

use lozenge_calculus::{
    constraint::OriginId,
    size::{Requirement, Sizes},
};

use crate::{
    budget::Budget,
    reading::frontier::{AxisTerm, Change},
    tables::{
        ids::{GivenId, RowSlot},
        kept::KeptFlanks,
        list::Tables,
        node::DimRef,
    },
    why::{
        conflict::{Conflict, Trial},
        trace::Reasoner,
    },
};

/// The state that rules move: the tables, and what is said of sizes beside them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) options: Options,
    pub(crate) tables: Tables,
    /// The changes that closing follows; kept for nobody else.
    pub(crate) changes: Option<Vec<Change>>,
    /// The forms of sizes that are not numbers.
    pub(crate) sizes: Sizes,
    /// The sizes that are taken for others, by what that requires, each with where it comes from.
    pub(crate) equated: Vec<(Requirement, Vec<OriginId>)>,
    /// The equations that were met and gone on after, where somebody collects them.
    pub(crate) collected: Option<Vec<Conflict>>,
    /// Atoms, one of them of a name, from which being different something follows. Those of what
    /// was rolled back stay: that a name is not made a number in place does no harm.
    pub(crate) parted: BTreeSet<[DimRef; 2]>,
    pub(crate) kept: KeptFlanks,
    /// Whether somebody only tries, and does not ask why something is refused.
    pub(crate) trial: Trial,
    /// A heap to write over, so that no rise of ranks allocates.
    pub(crate) rises: BinaryHeap<Rise>,
}

/// The options of a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The work that it may do.
    pub budget: Budget,
    /// Whether ranks are decided first. Without, a run need not end but by the budget: only for
    /// tests of the rules that deciding ranks pre-empts.
    pub ranks: bool,
}

/// A slot that must rise, ordered by how much.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Rise {
    pub(crate) by: i64,
    pub(crate) to: i64,
    pub(crate) slot: RowSlot,
    pub(crate) given: GivenId,
}

impl Options {
    /// The options of [`Solver::new`](crate::Solver::new).
    pub const DEFAULT: Options = Options { budget: Budget::DEFAULT, ranks: true };

    /// These options with another budget.
    #[must_use]
    pub const fn with_budget(self, budget: Budget) -> Options {
        Options { budget, ..self }
    }

    /// These options without deciding ranks first.
    #[must_use]
    pub const fn without_ranks(self) -> Options {
        Options { ranks: false, ..self }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

impl Config {
    #[inline]
    pub(crate) fn changed(&mut self, change: Change) {
        if let Some(changes) = &mut self.changes {
            changes.push(change);
        }
    }

    /// The trace, read.
    pub(crate) fn reasoner(&self) -> Reasoner<'_> {
        Reasoner { tables: &self.tables, kept: &self.kept }
    }

    /// Begins to keep what changes.
    pub(crate) fn watch_changes(&mut self) {
        self.changes = Some(Vec::new());
    }

    /// What changed since this was last asked.
    pub(crate) fn changes(&mut self) -> Vec<Change> {
        let mut changes = self.changes.as_mut().map(core::mem::take).unwrap_or_default();
        // What was rolled back since is not there any more.
        let there =
            |axis: AxisTerm| axis.0.as_node().is_none_or(|node| self.tables.dims.states.has(node));
        changes.retain(|change| match *change {
            Change::Row(tail) => self.tables.rows.states.has(tail.0),
            Change::Axis(axis) => there(axis),
            Change::Axes(from, to) => there(from) && there(to),
        });
        changes
    }
}
