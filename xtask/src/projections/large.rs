//! Large maps, which closed forms answer at once, and rightly.

use std::time::{Duration, Instant};

use anyhow::ensure;
use lozenge::Session;
use lozenge_core::project::{Budget, Coverage, Slot};

/// No map takes longer.
const LONGEST: Duration = Duration::from_millis(100);

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
    ("i, j => i, i<+j", &[("i", 1000), ("j", 2000)], 0, covers(true, false, 2 * M, 2 * M)),
    ("i, j => i, i", &[("i", 1_000_000), ("j", 2)], 0, covers(false, false, M, 2 * M)),
    ("a; b => a^b", &[("a", 1_000_000), ("b", 2_000_000)], 0, covers(true, true, 3 * M, 3 * M)),
];

/// Parts of a concatenation.
const PARTS: usize = 1000;

pub(super) fn run() -> anyhow::Result<String> {
    let mut slowest = Duration::ZERO;
    let mut one = |spec: &str, sizes: &[(&str, u64)], slot: usize, expected: Coverage| {
        let mut session = Session::new();
        let operands = spec.split_once("=>").map_or(1, |(left, _)| left.split(';').count());
        let operands: Vec<_> = (0..operands).map(|_| session.unknown("x")).collect();
        let result = session.einsum_with(spec, sizes, &operands)?;
        let record = session.record(&session.close()?, result)?;
        let start = Instant::now();
        let told = record.coverage(Slot(slot), Budget { points: 0 });
        let took = start.elapsed();
        slowest = slowest.max(took);
        ensure!(told == expected, "{spec:.80}, slot {slot}: {told:?} instead of {expected:?}");
        ensure!(took < LONGEST, "{spec:.80}, slot {slot}: {took:?}");
        anyhow::Ok(())
    };
    for (spec, sizes, slot, expected) in CASES {
        one(spec, sizes, *slot, *expected)?;
    }
    let names: Vec<String> = (0..PARTS).map(|number| format!("p{number}")).collect();
    let spec = format!("{}, => {}", names.join(",; "), names.join("^"));
    let sizes: Vec<(&str, u64)> = names.iter().map(|name| (&name[..], 3000)).collect();
    one(&spec, &sizes, 0, covers(true, true, 3 * M, 3 * M))?;
    Ok(format!("large maps={} slowest={slowest:?}", CASES.len() + 1))
}
