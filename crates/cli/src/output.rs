//! Printing: answers to the standard output, messages to the standard error.

use std::io::Write;

use lozenge::diagnostic::{Diagnostic, Look, Report, Sources, concise, full, json};

use serde::Serialize;

use crate::args::Format;

/// Prints diagnostics.
pub(crate) fn say(diagnostics: &[Diagnostic], sources: &Sources, format: Format) {
    for diagnostic in diagnostics {
        match format {
            Format::Full => message(&format!("{}\n", full(diagnostic, sources, look()))),
            Format::Concise => message(&concise(diagnostic, sources)),
            Format::Json => {} // all together, in the answer
        }
    }
}

/// Prints why there is no answer.
pub(crate) fn refuse(rejection: &Report, format: Format) {
    match format {
        Format::Json => answer(&json(&rejection.diagnostics, &rejection.sources)),
        Format::Full | Format::Concise => {
            say(&rejection.diagnostics, &rejection.sources, format);
        }
    }
}

/// As wide as the terminal is; colour goes where it is understood.
pub(crate) fn look() -> Look {
    let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
    Look { colour: true, width: width.clamp(40, 160) }
}

/// A line to the standard output. Where nobody reads it any more there is nothing to be done.
pub(crate) fn answer(text: &str) {
    let _ = writeln!(anstream::stdout(), "{text}");
}

/// A line to the standard error.
pub(crate) fn message(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Lines to the standard error, below the answer.
pub(crate) fn remark(lines: &[String], format: Format) {
    match (lines, format) {
        ([], _) | (_, Format::Json) => {} // with the answer
        (lines, Format::Full) => message(&format!("\n{}", lines.join("\n"))),
        (lines, Format::Concise) => message(&lines.join("\n")),
    }
}

/// A record as JSON. Its keys are texts and its numbers are finite, so that it always is one.
pub(crate) fn record(record: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(record);
    debug_assert!(text.is_ok(), "a record is no JSON: {text:?}");
    text.unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}

/// Prints a record as JSON.
pub(crate) fn print_record(record: &impl Serialize) {
    answer(&self::record(record));
}

/// Diagnostics as a value in a record, as `lozenge-diagnostics/2`.
pub(crate) fn diagnostics(said: &[Diagnostic], sources: &Sources) -> serde_json::Value {
    let value = serde_json::from_str(&json(said, sources));
    debug_assert!(value.is_ok(), "diagnostics are no JSON: {value:?}");
    value.unwrap_or_else(|error| error.to_string().into())
}
