//! The text form: parse after print gives back the constraint, print after parse the text.

use anyhow::{Context, ensure};
use lozenge_calculus::{constraint::Constraint, text::Names};

use crate::{Generator, Mismatch, generate, mismatch::counts};

/// Constraints that share a table of names, so that names recur without the table growing forever.
pub const PER_TABLE: u64 = 100;

counts! {
    /// What was printed and parsed.
    pub struct Counts {
        /// The constraints.
        pub constraints: u64,
        /// The bytes of their texts.
        pub bytes: usize,
    }
}

/// Draws the constraints of a table of names, prints and parses them.
///
/// # Errors
/// When a constraint does not parse to what was printed, or does not print as what was parsed.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let mut names = Names::new();
    for _ in 0..PER_TABLE {
        let constraint = generate::wild_constraint(rng, &mut names);
        counts.bytes += round_trip(&constraint, &mut names)?;
        counts.constraints += 1;
    }
    Ok(())
}

fn round_trip(constraint: &Constraint, names: &mut Names) -> anyhow::Result<usize> {
    let text = names.show(constraint).to_string();
    let parsed: Constraint = names.parse(&text).with_context(|| text.clone())?;
    ensure!(parsed == *constraint, "{text} parses to {}", names.show(&parsed));
    let again = names.show(&parsed).to_string();
    ensure!(again == text, "{text} prints as {again}");
    // By index alone as well, as a trace without names is read.
    let anonymous = constraint.to_string();
    let parsed: Constraint = Names::new().parse(&anonymous).with_context(|| anonymous.clone())?;
    ensure!(parsed == *constraint, "{anonymous} parses to {parsed}");
    Ok(text.len())
}
