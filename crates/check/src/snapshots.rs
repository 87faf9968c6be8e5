//! Snapshots: adding, failing and rolling back leaves no trace.
//!
//! After a random interleaving of batches that are taken, batches that fail and snapshots that are
//! rolled back or committed, the solver is bit for bit one that was only ever given what survived.

use lozenge_calculus::constraint::Constraint;
use lozenge_solve::{Snapshot, Solver, testing::same_state};

use crate::{Generator, Mismatch, generate, mismatch::counts, stores::LIMITS};

counts! {
    /// What was done to solvers.
    pub struct Counts {
        pub taken: u64,
        pub failed: u64,
        pub rolled_back: u64,
    }
}

/// Draws what is done to a solver, and compares it with one to which only the rest was done.
///
/// # Errors
/// When what was rolled back left something behind.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let mut solver = Solver::new();
    let mut survivors: Vec<Vec<Constraint>> = vec![];
    let mut open: Vec<(Snapshot, usize)> = vec![];
    for _ in 0..rng.usize(2..12) {
        match rng.u8(0..10) {
            0..=1 => open.push((solver.snapshot(), survivors.len())),
            2..=3 => {
                let Some((snapshot, len)) = open.pop() else { continue };
                if rng.bool() {
                    solver.roll_back(snapshot);
                    survivors.truncate(len);
                    counts.rolled_back += 1;
                } else {
                    solver.commit(snapshot);
                }
            }
            _ => {
                let batch = generate::store(rng, generate::Limits { constraints: 2, ..LIMITS });
                if solver.extend(&batch).is_ok() {
                    survivors.push(batch);
                    counts.taken += 1;
                } else {
                    counts.failed += 1;
                }
            }
        }
    }
    while let Some((snapshot, len)) = open.pop() {
        solver.roll_back(snapshot);
        survivors.truncate(len);
    }
    let mut fresh = Solver::new();
    let taken = survivors.iter().all(|batch| fresh.extend(batch).is_ok());
    if taken && same_state(&fresh, &solver) {
        return Ok(());
    }
    Err(Mismatch::of_store("rolling back left something behind", &survivors.concat()))
}
