//! Large maps, which closed forms answer at once, and rightly.

use std::{hint::black_box, time::Duration};

use anyhow::ensure;
use lozenge::Session;
use lozenge_project::{Budget, Coverage, Record, Slot};

use crate::clock::Clock;

/// Of a map with at most so many elements an axis, a large map may take so many times the time.
/// Visiting its cells or its points would take 500 times as long, or much longer; the rest is for a
/// machine that is busy.
const FEW: u64 = 6;
const MOST: f64 = 50.0;

/// The fastest of so many is compared.
const TRIES: usize = 20;

/// A specification with sizes for its names, a slot, and how its cells are covered.
type Case = (&'static str, &'static [(&'static str, u64)], usize, Coverage);

const fn covers(injective: bool, onto: bool, cells: u128, points: u128) -> Coverage {
    Coverage {
        injective: Some(injective),
        onto: Some(onto),
        cells: Some(cells),
        points: Some(points),
    }
}

const M: u128 = 1_000_000;

const CASES: &[Case] = &[
    (
        "a, b, c => (a b c)",
        &[("a", 100), ("b", 200), ("c", 300)],
        0,
        covers(true, true, 6 * M, 6 * M),
    ),
    ("(a b) => b, a", &[("a", 3000), ("b", 1000)], 1, covers(true, true, 3 * M, 3 * M)),
    ("i => 3*i+1", &[("i", 1_000_000)], 0, covers(true, false, M, M)),
    ("o<+k; k => o", &[("o", 1_000_000), ("k", 5)], 1, covers(false, true, M + 4, 5 * M)),
    ("o<+k; k => o", &[("o", 1_000_000), ("k", 5)], 0, covers(false, true, M, 5 * M)),
    ("2*o<+k => o, k", &[("o", 1_000_000), ("k", 2)], 1, covers(true, true, 2 * M, 2 * M)),
    ("3*o<+k => o, k", &[("o", 1_000_000), ("k", 2)], 1, covers(true, false, 2 * M, 2 * M)),
    // From an offset: the last window is cut.
    (
        "2*o<+1+k; k => o",
        &[("o", 1_000_000), ("k", 5)],
        1,
        covers(false, false, 2 * M + 2, 5 * M - 1),
    ),
    ("2*o<+1+k; k => o", &[("o", 1_000_000), ("k", 5)], 0, covers(false, true, M, 5 * M - 1)),
    (
        "3*o<+1+k => o, k",
        &[("o", 1_000_000), ("k", 2)],
        0,
        covers(true, false, 2 * M - 1, 2 * M - 1),
    ),
    (
        "3*o<+2+k => o, k",
        &[("o", 1_000_000), ("k", 2)],
        1,
        covers(true, false, 2 * M - 2, 2 * M - 2),
    ),
    ("2*o<+1+k => o", &[("o", 1_000_000), ("k", 1)], 0, covers(true, false, M - 1, M - 1)),
    (
        "o; k => 2*o<+1+k",
        &[("o", 1_000_000), ("k", 4)],
        0,
        covers(false, false, 2 * M + 1, 4 * M - 1),
    ),
    ("i, j => i, i<+j", &[("i", 1000), ("j", 2000)], 0, covers(true, false, 2 * M, 2 * M)),
    ("i, j => i, i", &[("i", 1_000_000), ("j", 2)], 0, covers(false, false, M, 2 * M)),
    ("a; b => a^b", &[("a", 1_000_000), ("b", 2_000_000)], 0, covers(true, true, 3 * M, 3 * M)),
];

/// Parts of a concatenation.
const PARTS: usize = 1000;

pub(crate) fn run() -> anyhow::Result<String> {
    let mut most: f64 = 0.0;
    let mut one = |spec: &str, sizes: &[(&str, u64)], slot: usize, expected: Coverage| {
        let small: Vec<(&str, u64)> =
            sizes.iter().map(|(name, size)| (*name, FEW.min(*size))).collect();
        let (small, large) = (record(spec, &small)?, record(spec, sizes)?);
        let told = large.coverage(Slot(slot), Budget::of_points(0));
        ensure!(told == expected, "{spec:.80}, slot {slot}: {told:?} instead of {expected:?}");
        let [mut of_small, mut of_large] = [Duration::MAX; 2];
        for _ in 0..TRIES {
            of_small = of_small.min(time(&small, Slot(slot)));
            of_large = of_large.min(time(&large, Slot(slot)));
        }
        let times = of_large.as_secs_f64() / of_small.as_secs_f64().max(1e-9);
        most = most.max(times);
        ensure!(times < MOST, "{spec:.80}, slot {slot}: {of_large:?}, {of_small:?} where small");
        anyhow::Ok(())
    };
    for (spec, sizes, slot, expected) in CASES {
        one(spec, sizes, *slot, *expected)?;
    }
    let names: Vec<String> = (0..PARTS).map(|number| format!("p{number}")).collect();
    let spec = format!("{}, => {}", names.join(",; "), names.join("^"));
    let sizes: Vec<(&str, u64)> = names.iter().map(|name| (&name[..], 3000)).collect();
    one(&spec, &sizes, 0, covers(true, true, 3 * M, 3 * M))?;
    Ok(format!(
        "large maps={} at most {most:.1} x the time of the same with at most {FEW} elements an axis, bar={MOST}",
        CASES.len() + 1
    ))
}

fn record(spec: &str, sizes: &[(&str, u64)]) -> anyhow::Result<Record> {
    let mut session = Session::new();
    let operands = spec.split_once("=>").map_or(1, |(left, _)| left.split(';').count());
    let operands: Vec<_> = (0..operands).map(|_| session.constant("x")).collect();
    let result = session.einsum_with(spec, sizes, &operands)?;
    Ok(session.record(&session.close()?, result)?)
}

fn time(record: &Record, slot: Slot) -> Duration {
    let start = Clock::now();
    black_box(record.coverage(slot, Budget::of_points(0)));
    start.elapsed()
}
