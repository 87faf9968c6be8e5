//! Snapshots: going back to where the solver was.

use super::{Solver, config::Counts, ids::AtomId, queue::Queue, table::Mark};

/// Where a solver was. Snapshots are given back in the reverse of the order in which they were
/// taken, each to [`Solver::roll_back`] or [`Solver::commit`].
#[derive(Debug)]
#[must_use = "a snapshot that is not given back keeps the solver recording"]
pub struct Snapshot {
    dims: Mark,
    bounds: Mark,
    adjacencies: Mark,
    rows: Mark,
    pool: Mark,
    givens: Mark,
    progress: Mark,
    slots: Mark,
    relations: Mark,
    relation_parts: Mark,
    relation_rows: Mark,
    row_relations: Mark,
    row_counts: Mark,
    watches: Mark,
    leasts: Mark,
    joints: Mark,
    trace: Mark,
    dims_met: AtomId,
    dim_vars: u32,
    row_vars: u32,
    requirements: u32,
    counts: Counts,
    /// Empty, unless it was taken between two steps.
    queue: Queue,
    depth: u32,
}

impl Solver {
    /// Remembers where the solver is.
    pub fn snapshot(&mut self) -> Snapshot {
        self.snapshots += 1;
        Snapshot {
            dims: self.dims.mark(),
            bounds: self.bounds.mark(),
            adjacencies: self.adjacencies.mark(),
            rows: self.rows.mark(),
            pool: self.pool.mark(),
            givens: self.givens.mark(),
            progress: self.progress.mark(),
            slots: self.slots.mark(),
            relations: self.relations.mark(),
            relation_parts: self.relation_parts.mark(),
            relation_rows: self.relation_rows.mark(),
            row_relations: self.row_relations.mark(),
            row_counts: self.row_counts.mark(),
            watches: self.watches.mark(),
            leasts: self.leasts.mark(),
            joints: self.joints.mark(),
            trace: self.trace.mark(),
            dims_met: self.dims_met.end(),
            dim_vars: self.dim_vars.len(),
            row_vars: self.row_vars.len(),
            requirements: super::ids::index(self.requirements.len()),
            counts: self.counts,
            queue: self.queue.clone(),
            depth: self.snapshots,
        }
    }

    /// Goes back to where the solver was.
    pub fn roll_back(&mut self, snapshot: Snapshot) {
        debug_assert_eq!(snapshot.depth, self.snapshots, "snapshots are nested");
        self.dims.roll_back(snapshot.dims);
        self.bounds.roll_back(snapshot.bounds);
        self.adjacencies.roll_back(snapshot.adjacencies);
        self.rows.roll_back(snapshot.rows);
        self.pool.roll_back(snapshot.pool);
        self.givens.roll_back(snapshot.givens);
        self.progress.roll_back(snapshot.progress);
        self.slots.roll_back(snapshot.slots);
        self.relations.roll_back(snapshot.relations);
        self.relation_parts.roll_back(snapshot.relation_parts);
        self.relation_rows.roll_back(snapshot.relation_rows);
        self.row_relations.roll_back(snapshot.row_relations);
        self.row_counts.roll_back(snapshot.row_counts);
        self.watches.roll_back(snapshot.watches);
        self.leasts.roll_back(snapshot.leasts);
        self.joints.roll_back(snapshot.joints);
        self.trace.roll_back(snapshot.trace);
        self.dims_met.truncate(snapshot.dims_met);
        self.dim_vars.truncate(snapshot.dim_vars);
        self.row_vars.truncate(snapshot.row_vars);
        self.requirements.truncate(snapshot.requirements as usize);
        self.counts = snapshot.counts;
        self.queue = snapshot.queue;
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
            self.dims.settle();
            self.bounds.settle();
            self.adjacencies.settle();
            self.rows.settle();
            self.pool.settle();
            self.givens.settle();
            self.progress.settle();
            self.slots.settle();
            self.relations.settle();
            self.relation_parts.settle();
            self.relation_rows.settle();
            self.row_relations.settle();
            self.row_counts.settle();
            self.watches.settle();
            self.leasts.settle();
            self.joints.settle();
            self.trace.settle();
        }
    }
}
