//! `parity`: shapes held against those that einops and JAX give.
//!
//! The patterns of einops are those of `docs/parity.md`, which is read here. The sizes that JAX is
//! asked for are drawn. Every question to either of them is a line of JSON to one Python process.

mod answer;
mod jax;
mod patterns;

use anyhow::ensure;

use crate::python::Environment;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of cases to draw for JAX.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// The number of further cases that are windows: of all markers, with margins and offsets.
    #[arg(long, default_value_t = 2_000)]
    windows: u64,
    /// The number of windows that are computed on both sides.
    #[arg(long, default_value_t = 200)]
    values: u64,
    /// Where the generator starts; the same seed draws the same cases.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// The packages that Python needs here, and for elements.
pub(crate) const PACKAGES: &[&str] = &["numpy", "einops", "jax"];

/// The most mismatches that are printed; the first few say what is wrong.
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
