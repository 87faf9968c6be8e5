//! The pages about the notation are true: each row of a table with the columns *spec* or *shape*
//! and *reading* says what the parser reads.

use lozenge_diagnostic::Diagnostic;
use lozenge_notation::{parse, parse_shape};

use crate::support::{keep, page, reading, shape_reading};

/// The cells of a row of a table; a bar inside a cell is written `\|`.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|').trim_end_matches('|');
    let cells = line.replace("\\|", "\u{1}");
    cells.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |", cells.join(" | "))
}

/// What a text is read as, or by which codes it is refused, and what it is warned of.
fn said(diagnostics: &[Diagnostic], reading: &str) -> String {
    let codes = |errors: bool| {
        let codes = diagnostics.iter().filter(move |said| said.is_error() == errors);
        codes.map(|said| format!("`{}`", said.code)).collect::<Vec<_>>().join(", ")
    };
    match (codes(true), codes(false)) {
        (errors, _) if !errors.is_empty() => format!("refused: {errors}"),
        (_, warnings) if !warnings.is_empty() => format!("`{reading}`, warned of: {warnings}"),
        _ => format!("`{reading}`"),
    }
}

/// The page with all readings as they are, and how many there are.
fn read(page: &str) -> (String, usize) {
    let mut header: Vec<String> = vec![];
    let mut count = 0;
    let mut lines = vec![];
    for line in page.lines() {
        if !line.starts_with('|') {
            header.clear();
            lines.push(line.to_owned());
            continue;
        }
        let mut cells = cells(line);
        if header.is_empty() {
            header = cells;
            lines.push(line.to_owned());
            continue;
        }
        let column = |name: &str| header.iter().position(|cell| cell == name);
        let text = |at: usize| cells[at].trim_matches('`').to_owned();
        let is_rule = cells[0].starts_with("--");
        let found = match (column("spec"), column("shape"), column("reading")) {
            _ if is_rule => None,
            (Some(at), _, Some(to)) => {
                let parsed = parse(&text(at));
                Some((to, said(&parsed.diagnostics, &reading(&parsed.spec))))
            }
            (None, Some(at), Some(to)) => {
                let parsed = parse_shape(&text(at));
                Some((to, said(&parsed.diagnostics, &shape_reading(&parsed.shape))))
            }
            _ => None,
        };
        match found {
            Some((to, reading)) => {
                cells.resize(header.len(), String::new());
                cells[to] = reading;
                count += 1;
                lines.push(row(&cells));
            }
            None => lines.push(line.to_owned()),
        }
    }
    (lines.join("\n") + "\n", count)
}

fn check(name: &str, examples: usize) {
    let (wanted, count) = read(&page(name));
    assert_eq!(count, examples, "examples in {name}");
    keep(name, &wanted);
}

#[test]
fn the_examples_of_the_notation_mean_what_they_say() {
    check("docs/notation.md", 44 + 14); // and shapes
}

#[test]
fn the_reference_examples_are_read_as_stated() {
    check("docs/notation/reference.md", 72 + 3 + 15 + 11); // three rows have two, one of N has
}

#[test]
fn cells_may_have_bars() {
    let line = r"| 1 | `b\|i->o` | x |";
    assert_eq!(cells(line), ["1", "`b|i->o`", "x"]);
    assert_eq!(row(&cells(line)), line);
}
