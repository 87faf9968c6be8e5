//! `spec-cost`: what parsing a specification costs, in instructions counted by callgrind.

use std::hint::black_box;

use anyhow::ensure;
use lozenge_notation::parse;

use crate::callgrind;

/// Two operands of rank 4, in each style; then with longer names, with kinds, and a convolution.
const SPECS: &[(&str, &str)] = &[
    ("letters", "bhsd;bhtd=>bhst"),
    ("blanks", "b h s d; b h t d => b h s t"),
    ("commas", "b, h, s, d; b, h, t, d => b, h, s, t"),
    ("words", "batch, head, s, dim; batch, head, t, dim => batch, head, s, t"),
    ("kinds", "... s | h d; ... t | h d => ... s | t -> h"),
    ("windows", "... | 2*oh<+kh, 2*ow<+kw, c; kh, kw, c -> d => ... | oh, ow, d"),
];

/// The most that parsing one of rank 4 may cost, with freeing its tree: the first three.
const BAR: u64 = 6_000;
const BARRED: usize = 3;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Parses this many times and counts nothing: what callgrind is given to run.
    #[arg(long, hide = true, requires = "spec")]
    times: Option<u64>,
    /// Which of the specifications.
    #[arg(long, hide = true)]
    spec: Option<usize>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let (Some(times), Some(spec)) = (args.times, args.spec) {
        let (_, text) = SPECS[spec];
        for _ in 0..times {
            black_box(parse(black_box(text)));
        }
        return Ok(());
    }
    let mut over = vec![];
    for (i, (style, text)) in SPECS.iter().enumerate() {
        let cost = callgrind::once(&["spec-cost", "--spec", &i.to_string()])?;
        println!("{style:8} {cost:6} instructions  {text}");
        if i < BARRED && cost > BAR {
            over.push(*style);
        }
    }
    println!("bar={BAR} instructions for two operands of rank 4, over={}", over.len());
    ensure!(over.is_empty(), "over the bar: {}", over.join(", "));
    Ok(())
}
