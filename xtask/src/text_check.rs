//! `text-check`: parse after print gives back the constraint, print after parse the text.

use anyhow::{Context, ensure};
use lozenge_calculus::{constraint::Constraint, text::Names};
use lozenge_check::generate;

/// Constraints that share a table of names, so that names recur without the table growing forever.
const PER_TABLE: u64 = 100;

pub(crate) fn run(args: &crate::Cases) -> anyhow::Result<()> {
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let mut names = Names::new();
    let mut bytes = 0;
    for case in 0..args.cases {
        if case % PER_TABLE == 0 {
            names = Names::new();
        }
        let constraint = generate::wild_constraint(&mut rng, &mut names);
        let text = names.show(&constraint).to_string();
        let parsed: Constraint = names.parse(&text).with_context(|| text.clone())?;
        ensure!(parsed == constraint, "case {case}: {text} parses to {}", names.show(&parsed));
        let again = names.show(&parsed).to_string();
        ensure!(again == text, "case {case}: {text} prints as {again}");
        // By index alone as well, as a trace without names is read.
        let anonymous = constraint.to_string();
        let parsed: Constraint =
            Names::new().parse(&anonymous).with_context(|| anonymous.clone())?;
        ensure!(parsed == constraint, "case {case}: {anonymous} parses to {parsed}");
        bytes += text.len();
    }
    println!("seed {}", args.seed);
    println!("cases={} bytes={bytes} mismatches=0", args.cases);
    Ok(())
}
