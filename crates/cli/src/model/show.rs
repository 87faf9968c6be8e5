//! How answers about programs look: reports in each form, tables, and numbers that people read.

use std::path::Path;

use lozenge::diagnostic::{Diagnostic, Sources, full, json};
use lozenge_onnx::infer::answer::ModelReport;

use super::{args::Form, sarif};
use crate::output;

/// Prints a report; in the forms for people, at most `most` of its findings.
pub(crate) fn report(report: &ModelReport, file: &Path, format: Form, most: usize) {
    match format {
        Form::Full => {
            for finding in report.findings.iter().take(most) {
                output::answer(&format!("{}\n", shown(&finding.diagnostic, report, file)));
            }
        }
        Form::Concise => {
            for finding in report.findings.iter().take(most) {
                output::answer(&line(&finding.diagnostic, finding.node.as_deref(), file));
            }
        }
        Form::Json => {
            let all: Vec<&Diagnostic> =
                report.findings.iter().map(|finding| &finding.diagnostic).collect();
            output::answer(&json(all, &named(report, file)));
        }
        Form::Sarif => output::answer(&sarif::sarif(report, file)),
    }
    let left = report.findings.len().saturating_sub(most);
    if left > 0 && matches!(format, Form::Full | Form::Concise) {
        output::answer(&format!("… and {left} more, with `--all`"));
    }
}

/// The report's sources, named by the file and the node.
fn named(report: &ModelReport, file: &Path) -> Sources {
    report.sources.iter().fold(Sources::new(), |all, source| {
        // A node of which there is no text is shown by its name alone.
        let text = source.text().unwrap_or("");
        all.with(format!("{}: {}", file.display(), source.name), text)
    })
}

/// A diagnostic in full. The lines that it shows are nodes, which have no line and column.
fn shown(diagnostic: &Diagnostic, report: &ModelReport, file: &Path) -> String {
    let sources = named(report, file);
    let text = full(diagnostic, &sources, output::look());
    let mut shown = text.clone();
    for source in sources.iter() {
        let place = format!("{}:1:", source.name);
        while let Some(at) = shown.find(&place) {
            let end = at + place.len();
            let digits = shown[end..].bytes().take_while(u8::is_ascii_digit).count();
            shown.replace_range(at + source.name.len()..end + digits, "");
        }
    }
    shown
}

/// A diagnostic as one line: file, node, severity, code, headline.
fn line(diagnostic: &Diagnostic, node: Option<&str>, file: &Path) -> String {
    let node = node.map_or_else(String::new, |node| format!(" {node}:"));
    let Diagnostic { code, headline, .. } = diagnostic;
    let severity = diagnostic.severity().name();
    let name = format!("{}: ", file.display());
    let headline = headline.strip_prefix(&name).unwrap_or(headline);
    format!("{}:{node} {severity}[{code}]: {headline}", file.display())
}

/// Rows with columns as wide as their widest entry, but for the last.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).fold(0, usize::max);
    let width = |column: usize| {
        let widths = rows.iter().filter_map(|row| Some(row.get(column)?.chars().count()));
        widths.fold(0, usize::max).min(60)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A count in thousands, as people read it: `25.6 M`.
pub(crate) fn amount(n: u64) -> String {
    scaled(n, 1000, &["", " k", " M", " G", " T", " P", " E"])
}

/// Bytes: `102 MiB`.
pub(crate) fn bytes(n: u64) -> String {
    scaled(n, 1024, &[" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"])
}

fn scaled(n: u64, by: u64, units: &[&str]) -> String {
    let mut unit = 1;
    let mut place = 0;
    while n / unit >= by && place + 1 < units.len() {
        unit *= by;
        place += 1;
    }
    let whole = n / unit;
    let tenths = (n % unit) / (unit / 10).max(1);
    if whole < 100 && place > 0 && tenths > 0 {
        format!("{whole}.{}{}", tenths.min(9), units[place])
    } else {
        format!("{whole}{}", units[place])
    }
}
