//! The notation: specifications and shapes are drawn as a model of their own, spelled in some way
//! that the notation allows, parsed, and read back into the model; then printed, and parsed again.

mod draw;
mod model;
mod spell;

use anyhow::ensure;
use lozenge_diagnostic::Diagnostic;
use lozenge_notation::{parse, parse_shape};

use crate::{Generator, Mismatch, mismatch::counts};

/// Every how manyth case is a shape; the others are specifications.
pub const SHAPES: u64 = 4;

counts! {
    /// What was read.
    pub struct Counts {
        pub bytes: usize,
        pub letters: u64,
        pub warned: u64,
    }
}

/// Draws a specification or a shape, spells, reads and prints it.
///
/// # Errors
/// When it is not read as what was drawn, or not printed as what was read.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let checked = match rng.case() % SHAPES {
        0 => shape(rng, counts),
        _ => spec(rng, counts),
    };
    Ok(checked?)
}

/// The text of a random specification.
pub fn spec_text(rng: &mut Generator) -> String {
    let style = draw::style(rng);
    spell::spec(&draw::spec(rng, style), style, rng)
}

/// The text of a random shape.
pub fn shape_text(rng: &mut Generator) -> String {
    spell::shape(&draw::shape(rng), rng)
}

fn spec(rng: &mut Generator, counts: &mut Counts) -> anyhow::Result<()> {
    let style = draw::style(rng);
    let model = draw::spec(rng, style);
    let text = spell::spec(&model, style, rng);
    counts.bytes += text.len();
    counts.letters += u64::from(style == lozenge_notation::Style::Letters);
    let parsed = parse(&text);
    counts.warned += u64::from(!parsed.diagnostics.is_empty());
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

fn shape(rng: &mut Generator, counts: &mut Counts) -> anyhow::Result<()> {
    let model = draw::shape(rng);
    let text = spell::shape(&model, rng);
    counts.bytes += text.len();
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
