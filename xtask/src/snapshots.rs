//! `snapshots`: adding, failing and rolling back leaves no trace.
//!
//! After a random interleaving of batches that are taken, batches that fail and snapshots that are
//! rolled back or committed, the solver is bit for bit one that was only ever given what survived.

use anyhow::ensure;
use lozenge_calculus::constraint::Constraint;
use lozenge_check::generate;
use lozenge_solve::{Snapshot, Solver};

use crate::{differential::LIMITS, parallel};

#[derive(Default)]
struct Found {
    taken: u64,
    failed: u64,
    rolled_back: u64,
    mismatches: u64,
}

pub(crate) fn run(args: &crate::Cases) -> anyhow::Result<()> {
    let check = |case, found: &mut Found| {
        let mut rng = parallel::rng(args.seed, case);
        if !interleave(&mut rng, found) {
            println!("case {case} differs");
            found.mismatches += 1;
        }
    };
    let found = parallel::run(args.cases, check, |all: &mut Found, part| {
        all.taken += part.taken;
        all.failed += part.failed;
        all.rolled_back += part.rolled_back;
        all.mismatches += part.mismatches;
    });
    println!(
        "batches taken={} failed={} snapshots rolled back={}",
        found.taken, found.failed, found.rolled_back
    );
    println!("seed {}", args.seed);
    println!("cases={} mismatches={}", args.cases, found.mismatches);
    ensure!(found.mismatches == 0, "rolling back left something behind");
    Ok(())
}

fn interleave(rng: &mut fastrand::Rng, found: &mut Found) -> bool {
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
                    found.rolled_back += 1;
                } else {
                    solver.commit(snapshot);
                }
            }
            _ => {
                let batch = generate::store(rng, generate::Limits { constraints: 2, ..LIMITS });
                if solver.extend(&batch).is_ok() {
                    survivors.push(batch);
                    found.taken += 1;
                } else {
                    found.failed += 1;
                }
            }
        }
    }
    while let Some((snapshot, len)) = open.pop() {
        solver.roll_back(snapshot);
        survivors.truncate(len);
    }
    let mut fresh = Solver::new();
    survivors.iter().all(|batch| fresh.extend(batch).is_ok()) && fresh.same_state(&solver)
}
