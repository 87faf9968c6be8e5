//! `parity`: shapes held against those that einops and JAX give.
//!
//! The patterns of einops are those of `docs/parity.md`, which is read here. The sizes that JAX is asked for
//! are drawn. Every question to either of them is a line of JSON to one Python process.

mod jax;
mod patterns;

use std::fmt;

use anyhow::{Context, ensure};
use lozenge::Report;
use serde::{Deserialize, Serialize};

use crate::python::Environment;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many cases to draw for JAX.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// How many more are windows: of all markers, with margins and offsets.
    #[arg(long, default_value_t = 2_000)]
    windows: u64,
    /// How many windows are computed on both sides.
    #[arg(long, default_value_t = 200)]
    values: u64,
    /// Where the generator starts; the same seed draws the same cases.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// What Python needs here, and for elements.
pub(crate) const PACKAGES: &[&str] = &["numpy", "einops", "jax"];

/// How many mismatches are printed; the first few say what is wrong.
const PRINTED: usize = 20;

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let python = Environment::with("parity", PACKAGES)?;
    let patterns = patterns::check(&python)?;
    println!("seed={}", args.seed);
    let cases = jax::check(&python, args.cases, args.windows, args.seed)?;
    let values = jax::values(&python, args.values, args.seed)?;
    let mismatches = [patterns.mismatches, cases.mismatches, values].concat();
    for mismatch in mismatches.iter().take(PRINTED) {
        println!("{mismatch}");
    }
    println!(
        "patterns={} cases={} windows={} values={} documented={} mismatches={}",
        patterns.count,
        args.cases,
        args.windows,
        args.values,
        cases.documented,
        mismatches.len()
    );
    ensure!(mismatches.is_empty(), "{} mismatches", mismatches.len());
    Ok(())
}

/// What one side says: the shapes of all results, or why there are none.
#[derive(Deserialize, PartialEq, Eq)]
#[serde(untagged)]
enum Answer {
    Shapes(Vec<Vec<u64>>),
    Refused(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Shapes(shapes) => write!(f, "{shapes:?}"),
            Answer::Refused(why) => write!(f, "refused: {}", why.lines().next().unwrap_or("")),
        }
    }
}

/// What a session says: the shapes, or the code and the headline of each error.
fn own(shapes: Result<Vec<Vec<u64>>, Report>) -> Answer {
    match shapes {
        Ok(shapes) => Answer::Shapes(shapes),
        Err(report) => {
            let said = report.diagnostics.iter().map(|d| format!("{}: {}", d.code, d.headline));
            Answer::Refused(said.collect::<Vec<_>>().join("; "))
        }
    }
}

/// Answers each line of JSON by one, with a function `shapes` that stands before this.
const ANSWERS: &str = "
import json, sys
for line in sys.stdin:
    try:
        answer = [list(shape) for shape in shapes(json.loads(line))]
    except Exception as refusal:
        answer = f'{type(refusal).__name__}: {refusal}'
    print(json.dumps(answer))
";

/// What a script's function `shapes` answers to each question.
fn ask<T: Serialize>(
    python: &Environment,
    script: &str,
    questions: &[T],
) -> anyhow::Result<Vec<Answer>> {
    let lines: Result<Vec<String>, _> = questions.iter().map(serde_json::to_string).collect();
    let said = python.pipe(&format!("{script}{ANSWERS}"), &[], &lines?.join("\n"))?;
    let answer = |line: &str| {
        serde_json::from_str(line).with_context(|| format!("an answer that is none: {line}"))
    };
    let answers: Vec<Answer> = said.lines().map(answer).collect::<anyhow::Result<_>>()?;
    let [asked, answered] = [questions.len(), answers.len()];
    ensure!(asked == answered, "{answered} answers to {asked} questions");
    Ok(answers)
}
