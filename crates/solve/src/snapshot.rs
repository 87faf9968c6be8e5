//! Snapshots: going back to where the solver was.

use crate::{
    solver::Solver,
    tables::{list::Marks, table::Undo},
};

/// A point to which a solver can go back. Snapshots are given back in the reverse of the order in
/// which they were taken, each to [`Solver::roll_back`] or [`Solver::commit`].
#[derive(Debug)]
#[must_use = "a snapshot that is not given back keeps the solver recording"]
pub struct Snapshot {
    marks: Marks,
    depth: u32,
}

impl Solver {
    /// Remembers where the solver is.
    pub fn snapshot(&mut self) -> Snapshot {
        self.snapshots += 1;
        Snapshot { marks: self.config.tables.mark(), depth: self.snapshots }
    }

    /// Goes back to where the solver was.
    pub fn roll_back(&mut self, snapshot: Snapshot) {
        debug_assert_eq!(snapshot.depth, self.snapshots, "snapshots are nested");
        self.config.tables.roll_back(snapshot.marks);
        self.close_snapshot();
    }

    /// Keeps what was done since the snapshot.
    #[allow(clippy::needless_pass_by_value)] // a snapshot is good for once
    pub fn commit(&mut self, snapshot: Snapshot) {
        debug_assert_eq!(snapshot.depth, self.snapshots, "snapshots are nested");
        self.close_snapshot();
    }

    fn close_snapshot(&mut self) {
        self.snapshots -= 1;
        if self.snapshots == 0 {
            self.config.tables.settle();
        }
    }

    /// The bytes that the tables of the solver have on the heap, B-trees counted by their entries.
    pub fn heap_bytes(&self) -> usize {
        self.config.tables.bytes()
    }
}

/// Whether both solvers hold the same configuration, index by index. Statistics and logs are
/// not part of it.
pub fn same_state(one: &Solver, other: &Solver) -> bool {
    one.config.tables == other.config.tables
}
