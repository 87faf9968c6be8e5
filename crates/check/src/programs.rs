//! Random programs through sessions, and what must not change their shapes.
//!
//! A program is drawn step by step; a step that its session refuses is left out. Its closed shapes
//! are then held against those of the same program in other spellings: built in another order, with
//! commutative operands exchanged, with everything renamed. It is built once more with every shape
//! read half-way, with the refused steps tried again in between, in two threads, and beside another
//! program that has nothing to do with it. Every constraint of a program that closes is judged, and
//! every operation has its loop nest, which is Lemma 7.7. A program with one of its refused steps
//! has a refused step in every spelling.

mod apart;
mod build;
mod colours;
mod draw;
mod examine;
mod failure;
mod judged;
mod model;
mod names;
mod nests;
mod outcome;
mod refusals;
mod shrink;
mod spelling;
mod templates;
#[cfg(test)]
mod tests;
mod text;

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::{Generator, Mismatch, Tally, mismatch::counts};
pub use build::Built;
pub use draw::{Drawn, draw, draw_told};
use examine::{Plain, Spelled, with_step};
pub use failure::{Failure, Failures, Kind};
pub use nests::{Nests, check as check_nests};
use outcome::Outcome;
use refusals::{Refusal, Respelled};
pub use shrink::shrunk;
pub use spelling::{Spelling, Transformation};
pub use text::text;

/// The most refused steps of a program that are built in other spellings, and the spellings of
/// each.
const REFUSALS: usize = 2;
const RESPELLINGS: usize = 2;

/// Every how manyth program is built in two threads.
const THREADS: u64 = 16;

/// Every how manyth program is built beside another.
pub const BESIDE: u64 = 3;

/// What is counted of those.
pub const PARTS: &str = "parts that close alone to the same";

/// Programs that close in no spelling, which is refuted in one and not in another: there it is said
/// at closing that no shapes were found.
pub const UNDECIDED: &str = "undecided in a spelling, refused in another";

counts! {
    /// What was met in many programs.
    pub struct Counts {
        /// Programs with each construct.
        pub constructs: BTreeMap<&'static str, u64>,
        /// Spellings of each transformation.
        pub spellings: BTreeMap<Transformation, u64>,
        /// Programs that do not close, by code.
        pub unclosed: BTreeMap<&'static str, u64>,
        /// The other numbers, by what they count.
        pub others: BTreeMap<&'static str, u64>,
        pub nests: Nests,
        pub failures: Failures,
    }
}

impl Counts {
    fn add(&mut self, what: &'static str, count: u64) {
        *self.others.entry(what).or_default() += count;
    }

    /// A number by what it counts.
    pub fn get(&self, what: &str) -> u64 {
        self.others.get(what).copied().unwrap_or(0)
    }

    /// Counts the constructs of a program.
    fn constructs(&mut self, drawn: &Drawn) {
        let steps = &drawn.program.steps;
        let mut found: Vec<&'static str> = steps.iter().map(model::Step::construct).collect();
        let mut also = |what, is_met| found.extend(Some(what).filter(|_| is_met));
        also("flanked leaf", steps.iter().any(model::Step::is_flanked));
        also("counted row", steps.iter().any(model::Step::is_counted));
        also("statement", steps.iter().any(model::Step::is_statement));
        also("named size", steps.iter().any(|s| s.shape().is_some_and(|s| s.contains('N'))));
        also("twins", !drawn.program.twins().is_empty());
        also("repeated", !drawn.program.repeated().is_empty());
        also("refused step", !drawn.refused.is_empty());
        let symmetric = colours::symmetric(&drawn.program);
        also("symmetric steps", symmetric > 0);
        self.add("symmetric steps", symmetric);
        found.sort_unstable();
        found.dedup();
        for what in found {
            *self.constructs.entry(what).or_default() += 1;
        }
    }
}

/// Draws a program and runs every check of it.
///
/// # Errors
/// When it means something else in another spelling, or what is inferred is not what holds; the
/// counts have all that is wrong.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let case = rng.case();
    let caught = catch_unwind(AssertUnwindSafe(|| draw(rng)));
    let drawn = caught.unwrap_or_default();
    let mut failures = vec![];
    let examined = catch_unwind(AssertUnwindSafe(|| {
        examine(&drawn, rng, counts, &mut failures);
    }));
    if examined.is_err() || drawn.program.steps.is_empty() {
        let program = drawn.program.clone();
        let said = [format!("case {case} panicked"), String::new()];
        failures.push(Failure { kind: Kind::Panic, program, other: None, said });
    }
    let first = failures.first().map(ToString::to_string);
    for failure in failures {
        counts.failures.add(case, failure);
    }
    first.map_or(Ok(()), |said| Err(said.into()))
}

/// Runs every check of one program.
fn examine(drawn: &Drawn, rng: &mut Generator, counts: &mut Counts, failures: &mut Vec<Failure>) {
    counts.constructs(drawn);
    counts.add("steps", drawn.program.steps.len() as u64);
    counts.add("refused steps", drawn.refused.len() as u64);
    let plain = match Plain::new(&drawn.program) {
        Ok(plain) => plain,
        Err(refused) => {
            // It was accepted when it was drawn, with refused steps in between.
            let said = [refused.to_string(), String::new()];
            let program = drawn.program.clone();
            failures.push(Failure { kind: Kind::Trace, program, other: None, said });
            return;
        }
    };
    counts.add("closed", u64::from(plain.closed.is_some()));
    if let Outcome::Codes(codes) = &plain.outcome {
        for code in codes {
            *counts.unclosed.entry(code.name()).or_default() += 1;
        }
    }
    match plain.judged() {
        Ok([constraints, rows]) => {
            counts.add("judged constraints", constraints);
            counts.add("sandwiched rows", rows);
        }
        Err(failure) => failures.push(failure),
    }
    match plain.nests() {
        Ok(nests) => counts.nests.merge(nests),
        Err(failure) => failures.push(failure),
    }
    match plain.twice() {
        Ok([repeated, twins]) => {
            counts.add("operations twice", repeated);
            counts.add("operations with and without {…}", twins);
        }
        Err(failure) => failures.push(failure),
    }
    failures.extend(plain.reading().err());
    failures.extend(plain.trace(drawn).err());
    if rng.case() % THREADS == 0 {
        failures.extend(plain.threads().err());
    }
    if rng.case() % BESIDE == 0 {
        match apart::check(&apart::beside(&drawn.program, &draw(rng).program)) {
            Ok(Some(parts)) => counts.add(PARTS, parts),
            Ok(None) => counts.add("programs with a part that is undecided", 1),
            Err(failure) => failures.push(failure),
        }
    }
    let (mut is_symmetric, mut is_undecided) = (false, false);
    for transformation in Transformation::ALL {
        let spelled = plain.spelled(transformation, rng);
        if !matches!(spelled, Spelled::NotOther) {
            *counts.spellings.entry(transformation).or_default() += 1;
        }
        match spelled {
            Spelled::NotOther | Spelled::Same => {}
            Spelled::Symmetric => is_symmetric = true,
            Spelled::Undecided => is_undecided = true,
            Spelled::Otherwise => counts.add("not closed for another reason", 1),
            Spelled::Failed(failure) => failures.push(*failure),
        }
    }
    counts.add("compared up to symmetric steps", u64::from(is_symmetric));
    is_undecided |= refusals(drawn, rng, counts, failures);
    counts.add(UNDECIDED, u64::from(is_undecided));
}

/// Builds the program with one of its refused steps in other spellings. Whether it is undecided in
/// one.
fn refusals(
    drawn: &Drawn,
    rng: &mut Generator,
    counts: &mut Counts,
    failures: &mut Vec<Failure>,
) -> bool {
    let mut is_undecided = false;
    for (before, step) in rng.choose_multiple(drawn.refused.iter(), REFUSALS) {
        let program = with_step(&drawn.program, *before, step);
        let Some(refusal) = Refusal::new(&program) else { continue };
        counts.add("refusals", 1);
        for transformation in rng.choose_multiple(Transformation::ALL, RESPELLINGS) {
            let respelled = refusal.spelled(transformation, rng);
            if matches!(respelled, Respelled::NotOther) {
                continue;
            }
            counts.add("refusals spelled otherwise", 1);
            match respelled {
                Respelled::NotOther | Respelled::Same => {}
                Respelled::Otherwise => counts.add("for another reason", 1),
                Respelled::Undecided => is_undecided = true,
                Respelled::Failed(failure) => failures.push(*failure),
            }
        }
    }
    is_undecided
}
