//! Cases over all cores, each drawn from its own seed, so that the answer does not depend on how
//! many there are.

use std::{ops::Range, thread};

use anyhow::ensure;
use lozenge_check::{Generator, Mismatch, Tally};

/// The most mismatches that are printed; the first few say what is wrong.
const PRINTED: usize = 10;

/// What a checker counted and found in many cases.
#[derive(Default)]
pub(crate) struct Found<C> {
    pub(crate) counts: C,
    /// What is wrong, with the number of its case, in order.
    pub(crate) mismatches: Vec<(u64, Mismatch)>,
}

impl<C: Tally> Tally for Found<C> {
    fn merge(&mut self, other: Found<C>) {
        self.counts.merge(other.counts);
        self.mismatches.extend(other.mismatches);
        self.mismatches.sort();
    }
}

impl<C> Found<C> {
    /// Prints the first mismatches.
    pub(crate) fn show(&self) {
        for (case, what) in self.mismatches.iter().take(PRINTED) {
            println!("case {case}: {what}");
        }
    }

    /// Fails if there is a mismatch.
    pub(crate) fn agree(&self, otherwise: &str) -> anyhow::Result<()> {
        ensure!(self.mismatches.is_empty(), "{otherwise}");
        Ok(())
    }
}

/// Runs a checker on the cases of a seed with these numbers.
pub(crate) fn check<C: Tally>(
    cases: Range<u64>,
    seed: u64,
    checker: impl Fn(&mut Generator, &mut C) -> Result<(), Mismatch> + Sync,
) -> Found<C> {
    let first = cases.start;
    let case = |number: u64, found: &mut Found<C>| {
        let case = first + number;
        if let Err(what) = checker(&mut Generator::new(seed, case), &mut found.counts) {
            found.mismatches.push((case, what));
        }
    };
    run(cases.end - first, case, Tally::merge)
}

/// Runs `case` for every index below `cases`, and merges what each core found, in order.
pub(crate) fn run<T: Default + Send>(
    cases: u64,
    case: impl Fn(u64, &mut T) + Sync,
    merge: impl Fn(&mut T, T),
) -> T {
    let cores = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let case = &case;
    let parts: Vec<T> = thread::scope(|scope| {
        let start = |core| {
            scope.spawn(move || {
                let mut found = T::default();
                (core..cases)
                    .step_by(usize::try_from(cores).unwrap_or(1))
                    .for_each(|i| case(i, &mut found));
                found
            })
        };
        let threads: Vec<_> = (0..cores).map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a case panicked")).collect()
    });
    parts.into_iter().fold(T::default(), |mut all, part| {
        merge(&mut all, part);
        all
    })
}
