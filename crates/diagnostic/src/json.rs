//! The JSON form, for editors and continuous integration.
//!
//! One object: `schema`, `sources`, `diagnostics`. The number in `schema` changes when a field changes
//! its meaning or goes; new fields come without. `docs/diagnostics.schema.json` is its JSON Schema, made
//! from the types here.

use serde::Serialize;

use super::{Applicability, Claim, Diagnostic, Place, Severity, Source, Sources};

/// What the field `schema` says: the form and its version.
pub const SCHEMA: &str = "lozenge-diagnostics/2";

/// All diagnostics as one JSON object, indented.
pub fn json<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &Sources,
) -> String {
    let report = Report {
        schema: SCHEMA,
        sources: sources.iter().map(SourceRecord::of).collect(),
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
    /// The form and its version: `lozenge-diagnostics/2`.
    schema: &'static str,
    /// The sources that places refer to by number, from 0.
    sources: Vec<SourceRecord<'a>>,
    /// In the order of their places.
    diagnostics: Vec<Record<'a>>,
}

/// Something with a name that places are in.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Source"))]
struct SourceRecord<'a> {
    /// What people call it: a file, an argument.
    name: &'a str,
    /// All that it says; `null` where that was not at hand. Then places in it have a line and a column only.
    text: Option<&'a str>,
}

impl<'a> SourceRecord<'a> {
    fn of(source: &'a Source) -> Self {
        Self { name: &source.name, text: source.text() }
    }
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
            told: label.told.as_ref().map(|told| ToldRecord {
                text: &told.text,
                start: told.span.start,
                end: told.span.end,
            }),
        });
        let helps = said.helps.iter().map(|help| {
            let edits = help.edits.iter().map(|edit| EditRecord {
                place: PlaceRecord::of(edit.place, sources),
                replacement: &edit.replacement,
            });
            HelpRecord {
                text: &help.text,
                applicability: help.applicability,
                claim: help.claim.as_ref(),
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
    /// What it is about, in Lozenge's notation, where the place itself does not say that.
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<ToldRecord<'a>>,
}

/// What stands at a place, told in Lozenge's notation, and which part of that is meant.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Told"))]
struct ToldRecord<'a> {
    text: &'a str,
    /// The first byte of the part, from 0.
    start: u32,
    /// The byte behind the last.
    end: u32,
}

/// A way out.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Help"))]
struct HelpRecord<'a> {
    /// What to do, in words.
    text: &'a str,
    applicability: Applicability,
    /// What the edits do to a specification that could be read before them.
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<&'a Claim>,
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
    /// The first byte, from 0; `null` where the text of the source was not at hand.
    start: Option<u32>,
    /// The byte behind the last.
    end: Option<u32>,
    /// The line of `start`, from 1.
    line: usize,
    /// The column of `start`, from 1, in Unicode scalar values.
    column: usize,
}

impl PlaceRecord {
    fn of(Place { source, span }: Place, sources: &Sources) -> Self {
        let position = sources.get(source).map(|source| source.position(span.start));
        let (line, column) = position.map_or((1, 1), |at| (at.line, at.column));
        let is_seen = sources.get(source).is_none_or(|source| source.text().is_some());
        let [start, end] = [span.start, span.end].map(|at| is_seen.then_some(at));
        Self { source: source.0, start, end, line, column }
    }
}
