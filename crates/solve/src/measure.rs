//! The tables of a configuration together: how many bytes they take, and whether they are those of another.

use super::Solver;

impl Solver {
    /// The bytes that the solver has on the heap, B-trees counted by their entries.
    pub fn heap_bytes(&self) -> usize {
        self.dims.bytes()
            + self.bounds.bytes()
            + self.adjacencies.bytes()
            + self.rows.bytes()
            + self.pool.bytes()
            + self.givens.bytes()
            + self.progress.bytes()
            + self.slots.bytes()
            + self.relations.bytes()
            + self.relation_parts.bytes()
            + self.relation_rows.bytes()
            + self.row_relations.bytes()
            + self.row_counts.bytes()
            + self.watches.bytes()
            + self.leasts.bytes()
            + self.joints.bytes()
            + self.trace.bytes()
            + self.dim_vars.bytes()
            + self.row_vars.bytes()
            + self.dims_met.bytes()
            + self.queue.bytes()
    }

    /// Whether both solvers hold the same configuration, index by index. Statistics and logs are
    /// not part of it.
    pub fn same_state(&self, other: &Solver) -> bool {
        self.dims_met == other.dims_met
            && self.dims == other.dims
            && self.bounds == other.bounds
            && self.adjacencies == other.adjacencies
            && self.rows == other.rows
            && self.pool == other.pool
            && self.givens == other.givens
            && self.progress == other.progress
            && self.slots == other.slots
            && self.relations == other.relations
            && self.relation_parts == other.relation_parts
            && self.relation_rows == other.relation_rows
            && self.row_relations == other.row_relations
            && self.row_counts == other.row_counts
            && self.watches == other.watches
            && self.leasts == other.leasts
            && self.joints == other.joints
            && self.trace == other.trace
            && self.dim_vars == other.dim_vars
            && self.row_vars == other.row_vars
            && self.queue == other.queue
            && self.counts == other.counts
    }
}
