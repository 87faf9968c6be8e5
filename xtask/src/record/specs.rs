//! The section `specs`: random texts of specifications and shapes, right ones and mistaken ones, in
//! both notations; and mistaken specifications with operands, an item of each for every tenth case,
//! because what is meant is executed first.

use lozenge_check::{Generator, helps, spec_check};
use lozenge_diagnostic::{Diagnostic, Sources};
use lozenge_notation::{Dialect, parse_as, parse_shape};

use super::{
    say::Lines,
    section::{Args, Section},
};

pub(super) fn fill(args: &Args, section: &mut Section) -> anyhow::Result<()> {
    section.add_cases(args.cases, args.seed, |case, rng| {
        let mut lines = Lines::default();
        let text = spec_check::spec_text(rng);
        spec(&mut lines, &text);
        spec(&mut lines, &mistaken(&text, rng));
        if case % 4 == 0 {
            let text = spec_check::shape_text(rng);
            shape(&mut lines, &text);
            shape(&mut lines, &mistaken(&text, rng));
        }
        if case % 10 == 0 {
            if let Some(rejection) = helps::refused(rng) {
                lines.refused("of operands", &rejection);
            }
        }
        lines.text()
    })
}

fn spec(lines: &mut Lines, text: &str) {
    lines.add("specification", text);
    for (name, dialect) in [("Lozenge's", Dialect::Lozenge), ("NumPy's", Dialect::Numpy)] {
        let parsed = parse_as(text, dialect);
        lines.add(name, &parsed.spec);
        said(lines, parsed.spec.text(), &parsed.diagnostics);
    }
}

fn shape(lines: &mut Lines, text: &str) {
    let parsed = parse_shape(text);
    lines.add("shape", text);
    lines.add("read", &parsed.shape);
    said(lines, text, &parsed.diagnostics);
}

fn said(lines: &mut Lines, text: &str, diagnostics: &[Diagnostic]) {
    lines.said(diagnostics, &Sources::default().with("text", text));
}

/// What is put into a text by mistake.
const SIGNS: [&str; 28] = [
    "=>", "->", ";", ",", "|", "(", ")", "...", "..", "^", "+", "*", "=", "<", "~", "_", "?", " ",
    "&", "-", "0", "1", "2", "i", "j", "ab", "{", "é",
];

/// A text with one to three mistakes: a character that is left out, doubled, exchanged or replaced,
/// or a sign put in.
fn mistaken(text: &str, rng: &mut Generator) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..=3) {
        let at = rng.usize(..=characters.len());
        let sign = SIGNS[rng.usize(..SIGNS.len())].chars();
        match rng.u8(..5) {
            0 if at < characters.len() => drop(characters.remove(at)),
            1 if at < characters.len() => characters.insert(at, characters[at]),
            2 if at + 1 < characters.len() => characters.swap(at, at + 1),
            3 if at < characters.len() => drop(characters.splice(at..=at, sign)),
            _ => drop(characters.splice(at..at, sign)),
        }
    }
    characters.into_iter().collect()
}
