//! The JSON form, for editors and continuous integration.
//!
//! One object: `schema`, `sources`, `diagnostics`. The number in `schema` changes when a field changes
//! its meaning or goes; new fields come without. `docs/diagnostics.schema.json` is its JSON Schema, made
//! from the types here.

use serde::Serialize;

use super::{Applicability, Diagnostic, Place, Severity, Sources};

/// What the field `schema` says: the form and its version.
pub const SCHEMA: &str = "lozenge-diagnostics/1";

/// All diagnostics as one JSON object, indented.
pub fn json<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &Sources,
) -> String {
    let report = Report {
        schema: SCHEMA,
        sources: sources.iter().map(|source| source.name.as_str()).collect(),
        diagnostics: diagnostics.into_iter().map(|said| Record::of(said, sources)).collect(),
    };
    // Strings and numbers only: there is nothing in it that cannot be written.
    serde_json::to_string_pretty(&report).unwrap_or_default()
}

/// The JSON Schema of what [`json`] gives, indented.
#[cfg(feature = "schema")]
pub fn schema() -> String {
    serde_json::to_string_pretty(&schemars::schema_for!(Report<'_>)).unwrap_or_default()
}

/// Diagnostics of Lozenge.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Report"))]
struct Report<'a> {
    /// The form and its version: `lozenge-diagnostics/1`.
    schema: &'static str,
    /// The names of the sources that places refer to by number, from 0.
    sources: Vec<&'a str>,
    /// In the order of their places.
    diagnostics: Vec<Record<'a>>,
}

/// One thing to say about the sources.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Diagnostic"))]
struct Record<'a> {
    /// What kind of thing, by a stable name in kebab-case.
    code: &'static str,
    severity: Severity,
    /// All of it in one line that can stand alone.
    headline: &'a str,
    /// Places, with what is to be said about each.
    labels: Vec<LabelRecord<'a>>,
    /// Why.
    notes: &'a [String],
    /// What to change.
    helps: Vec<HelpRecord<'a>>,
}

impl<'a> Record<'a> {
    fn of(said: &'a Diagnostic, sources: &Sources) -> Self {
        let labels = said.labels.iter().enumerate().map(|(i, label)| LabelRecord {
            primary: i == 0,
            place: PlaceRecord::of(label.place, sources),
            text: &label.text,
        });
        let helps = said.helps.iter().map(|help| {
            let edits = help.edits.iter().map(|edit| EditRecord {
                place: PlaceRecord::of(edit.place, sources),
                replacement: &edit.replacement,
            });
            HelpRecord {
                text: &help.text,
                applicability: help.applicability,
                edits: edits.collect(),
            }
        });
        Self {
            code: said.code.name(),
            severity: said.severity(),
            headline: &said.headline,
            labels: labels.collect(),
            notes: &said.notes,
            helps: helps.collect(),
        }
    }
}

/// What is to be said about a place.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Label"))]
struct LabelRecord<'a> {
    /// Whether this is the place the diagnostic is about.
    primary: bool,
    place: PlaceRecord,
    text: &'a str,
}

/// A way out.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Help"))]
struct HelpRecord<'a> {
    /// What to do, in words.
    text: &'a str,
    applicability: Applicability,
    /// The same for a program, to be applied together; empty where no program could.
    edits: Vec<EditRecord<'a>>,
}

/// Text to put in place of other text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Edit"))]
struct EditRecord<'a> {
    place: PlaceRecord,
    replacement: &'a str,
}

/// Bytes for programs, line and column for people.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Place"))]
struct PlaceRecord {
    /// Which source.
    source: u32,
    /// The first byte, from 0.
    start: u32,
    /// The byte behind the last.
    end: u32,
    /// The line of `start`, from 1.
    line: usize,
    /// The column of `start`, from 1, in Unicode scalar values.
    column: usize,
}

impl PlaceRecord {
    fn of(Place { source, span }: Place, sources: &Sources) -> Self {
        let position = sources.get(source).map(|source| source.position(span.start));
        let (line, column) = position.map_or((1, 1), |at| (at.line, at.column));
        Self { source: source.0, start: span.start, end: span.end, line, column }
    }
}
