//! Programs that are held against each other, built in turns: a while in which others have the
//! machine meets all of them.

use std::time::{Duration, Instant};

/// The number of runs, the fastest of which counts. Short ones are repeated until some seconds are
/// over: others have the machine a second at a time.
const LEAST_RUNS: usize = 7;
const MOST_RUNS: usize = 40;
const ENOUGH: Duration = Duration::from_secs(3);

/// What a run cost per operation.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) ns: f64,
    pub(super) bytes: f64,
}

/// The least that each of two cost.
pub(super) fn in_turns(
    mut left: impl FnMut() -> anyhow::Result<Cost>,
    mut right: impl FnMut() -> anyhow::Result<Cost>,
) -> anyhow::Result<[Cost; 2]> {
    let least = |best: Cost, found: Cost| Cost {
        ns: best.ns.min(found.ns),
        bytes: best.bytes.min(found.bytes),
    };
    let begin = Instant::now();
    let mut best = [left()?, right()?];
    for run in 1..MOST_RUNS {
        if run >= LEAST_RUNS && begin.elapsed() > ENOUGH {
            break;
        }
        best = [least(best[0], left()?), least(best[1], right()?)];
    }
    Ok(best)
}
