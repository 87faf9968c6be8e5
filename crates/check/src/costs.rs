//! What something cost, in solves of its input: median, 99th percentile, greatest.

use std::fmt;

use crate::Tally;

/// Costs in thousandths of a solve.
#[derive(Default, Debug)]
pub struct Costs(Vec<u64>);

impl Costs {
    /// Adds a cost: how many constraints were taken, and how many there were.
    pub(crate) fn add(&mut self, taken: u64, input: usize) {
        self.0.push(1_000 * taken / (input as u64).max(1));
    }

    /// The cost that this share of all does not exceed, in percent.
    pub fn percentile(&self, percent: usize) -> u64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len().saturating_sub(1) * percent / 100).copied().unwrap_or(0)
    }
}

impl Tally for Costs {
    fn merge(&mut self, other: Costs) {
        self.0.extend(other.0);
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, p99, max] = [50, 99, 100].map(|percent| self.percentile(percent));
        let solves = |cost: u64| format!("{}.{}", cost / 1_000, cost % 1_000 / 100);
        write!(f, "median={} p99={} max={}", solves(median), solves(p99), solves(max))
    }
}
