//! What a decision may cost.

/// What closing costs that finds nothing, in runs of the solver.
const CLOSING: u32 = 10;

/// How many choices of sizes are tried for each run.
const TRIES_PER_RUN: u32 = 10;

/// How much may be spent on a decision, and how much was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How often the solver may still be asked.
    pub runs: u32,
    /// How many constraints it may take, in all runs together, before it is asked no more.
    pub most_taken: u64,
    /// How many choices of sizes may still be tried together where the search closes.
    pub tries: u32,
    /// How often it was asked.
    pub spent: u32,
    /// How many constraints it took.
    pub taken: u64,
}

impl Default for Effort {
    /// Enough for all but a few of a million random stores.
    fn default() -> Effort {
        Effort::of(4_000)
    }
}

impl Effort {
    /// Room for this many runs of the solver.
    pub fn of(runs: u32) -> Effort {
        let tries = runs.saturating_mul(TRIES_PER_RUN);
        Effort { runs, most_taken: 10_000_000, tries, spent: 0, taken: 0 }
    }

    /// Pays for a run, if there is enough left.
    pub(super) fn pay(&mut self, constraints: usize) -> bool {
        if self.is_spent() {
            return false;
        }
        self.runs -= 1;
        self.spent += 1;
        self.taken += constraints as u64;
        true
    }

    /// Pays for closing that found nothing, which asks the solver many times.
    pub(super) fn pay_for_closing(&mut self) {
        self.runs = self.runs.saturating_sub(CLOSING);
    }

    pub(super) fn is_spent(&self) -> bool {
        self.runs == 0 || self.taken >= self.most_taken
    }
}
