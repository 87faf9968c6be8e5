//! `spec-check`: specifications and shapes are drawn as a model of their own, spelled in some way that
//! the notation allows, parsed, and read back into the model; then printed, and parsed again.

mod draw;
mod large;
mod model;
mod spell;

use anyhow::ensure;
use lozenge_diagnostic::Diagnostic;
use lozenge_notation::{parse, parse_shape};

use crate::parallel;

/// One shape is drawn for so many specifications.
const SHAPES: u64 = 4;

#[derive(Default)]
struct Found {
    bytes: usize,
    letters: u64,
    warned: u64,
    failures: Vec<String>,
}

pub(crate) fn run(args: &crate::Cases) -> anyhow::Result<()> {
    let case = |i: u64, found: &mut Found| {
        let mut rng = parallel::rng(args.seed, i);
        let checked = match i % SHAPES {
            0 => shape(&mut rng, found),
            _ => spec(&mut rng, found),
        };
        if let Err(failure) = checked {
            found.failures.push(format!("case {i}: {failure}"));
        }
    };
    let found = parallel::run(args.cases, case, |all: &mut Found, part| {
        all.bytes += part.bytes;
        all.letters += part.letters;
        all.warned += part.warned;
        all.failures.extend(part.failures);
    });
    println!("seed {}", args.seed);
    for failure in found.failures.iter().take(10) {
        println!("{failure}");
    }
    let shapes = args.cases.div_ceil(SHAPES);
    println!(
        "specs={} (letters {}, warned {}) shapes={shapes}",
        args.cases - shapes,
        found.letters,
        found.warned
    );
    println!("cases={} bytes={} mismatches={}", args.cases, found.bytes, found.failures.len());
    ensure!(found.failures.is_empty(), "{} mismatches", found.failures.len());
    large::run()
}

/// The text of a random specification.
pub(crate) fn spec_text(rng: &mut fastrand::Rng) -> String {
    let style = draw::style(rng);
    spell::spec(&draw::spec(rng, style), style, rng)
}

/// The text of a random shape.
pub(crate) fn shape_text(rng: &mut fastrand::Rng) -> String {
    spell::shape(&draw::shape(rng), rng)
}

fn spec(rng: &mut fastrand::Rng, found: &mut Found) -> anyhow::Result<()> {
    let style = draw::style(rng);
    let model = draw::spec(rng, style);
    let text = spell::spec(&model, style, rng);
    found.bytes += text.len();
    found.letters += u64::from(style == lozenge_notation::Style::Letters);
    let parsed = parse(&text);
    found.warned += u64::from(!parsed.diagnostics.is_empty());
    no_errors(&text, &parsed.diagnostics)?;
    let read = model::spec(&parsed.spec);
    ensure!(read == model, "{text}\n reads as {read:?}\n  instead of {model:?}");

    let printed = parsed.spec.to_string();
    let again = parse(&printed);
    no_errors(&printed, &again.diagnostics)?;
    let read = model::spec(&again.spec);
    ensure!(read == model, "{text}\n prints as {printed},\n which reads as {read:?}");
    ensure!(again.spec.same(&parsed.spec), "{text} is not the same as {printed}");
    let twice = again.spec.to_string();
    ensure!(twice == printed, "{printed} prints as {twice}");
    Ok(())
}

fn shape(rng: &mut fastrand::Rng, found: &mut Found) -> anyhow::Result<()> {
    let model = draw::shape(rng);
    let text = spell::shape(&model, rng);
    found.bytes += text.len();
    let parsed = parse_shape(&text);
    no_errors(&text, &parsed.diagnostics)?;
    let read = model::shape(&parsed.shape);
    ensure!(read == model, "{text}\n reads as {read:?}\n  instead of {model:?}");
    let printed = parsed.shape.to_string();
    let again = parse_shape(&printed);
    no_errors(&printed, &again.diagnostics)?;
    ensure!(model::shape(&again.shape) == model, "{text} prints as {printed}");
    ensure!(again.shape.to_string() == printed, "{printed} prints as {}", again.shape);
    Ok(())
}

fn no_errors(text: &str, diagnostics: &[Diagnostic]) -> anyhow::Result<()> {
    let error = diagnostics.iter().find(|said| said.is_error());
    ensure!(error.is_none(), "{text} is refused: {}", error.map_or("", |said| &said.headline));
    Ok(())
}
