//! `lozenge einsum`.

use std::{collections::BTreeMap, fmt::Write, process::ExitCode};

use lozenge::{
    Axis, Kind, Shape, Tensor,
    diagnostic::{Diagnostic, SourceId, Sources},
    query::{Inferred, Query},
};
use lozenge_notation::{Dialect, Form, Label, Slot};
use serde::Serialize;

use crate::{
    args::{Einsum, Format, How},
    output,
    undetermined::undetermined,
};

pub(crate) fn run(args: &Einsum) -> ExitCode {
    let inferred = match query(&args.spec, &args.shapes, &args.how).infer() {
        Ok(inferred) => inferred,
        Err(rejection) => {
            output::refuse(&rejection, args.how.format);
            return ExitCode::FAILURE;
        }
    };
    warn(&inferred, args.how.format);
    match args.how.format {
        Format::Full => print(&inferred),
        Format::Concise => output::answer(&line(&inferred)),
        Format::Json => output::answer(&json(&inferred)),
    }
    ExitCode::SUCCESS
}

/// The query that a command makes of an einsum.
pub(crate) fn query(spec: &str, shapes: &[String], how: &How) -> Query {
    let dialect = if how.numpy { Dialect::Numpy } else { Dialect::Lozenge };
    Query::new(spec, shapes)
        .in_dialect(dialect)
        .with_sizes(how.sets.iter().cloned())
        .with_declared(how.declared.iter().cloned())
        .with_allowed(how.allow.iter().copied())
}

/// Says what there is to say about the specification and about what it is used with.
pub(crate) fn warn(inferred: &Inferred, format: Format) {
    let (said, sources) = inferred.warnings_of_spec();
    output::say(said, sources, format);
    output::say(&inferred.notes(), inferred.closed().sources(), format);
}

/// Warnings about the specification, with these sources and theirs.
pub(crate) fn warnings(inferred: &Inferred, sources: &mut Sources) -> Vec<Diagnostic> {
    let (said, own) = inferred.warnings_of_spec();
    let mut moved = vec![];
    if !said.is_empty() {
        let first = sources.iter().len();
        for source in own.iter() {
            sources.push(source.clone());
        }
        let ids: Vec<SourceId> = (0..).map(SourceId).take(sources.iter().len()).collect();
        let shifted = |id: SourceId| (ids[first + id.0 as usize], 0);
        moved.extend(said.iter().map(|said| said.clone().moved(shifted)));
    }
    moved
}

/// Warnings about the specification, and notes about what it is used with, as
/// `lozenge-diagnostics/2`.
pub(crate) fn in_json(inferred: &Inferred) -> [serde_json::Value; 2] {
    let (said, sources) = inferred.warnings_of_spec();
    let notes = output::diagnostics(&inferred.notes(), inferred.closed().sources());
    [output::diagnostics(said, sources), notes]
}

/// A row as it is known: sizes, and names of axes that nothing determines.
fn row(inferred: &Inferred, tensor: Tensor, slot: &Slot, kind: Kind) -> Vec<String> {
    let Ok(shape) = inferred.closed().shape(tensor) else { return vec![] };
    let entry = |(axis, size): (usize, &Axis)| {
        let written = inferred.written(tensor, slot, kind, axis).map(|written| written.form);
        match written {
            _ if !inferred.is_open(tensor, kind, axis) => size.to_string(),
            // A name that is no size: nobody shall take it for one that somebody gave.
            Some(Form::Axis(Label::Named(name)) | Form::Runtime(name)) => {
                format!("{}=_", inferred.spec().name(name))
            }
            _ => "_".to_owned(),
        }
    };
    let mut row: Vec<String> = shape.row(kind).iter().enumerate().map(entry).collect();
    if let Some(place) = inferred.taken_as_none(tensor, kind) {
        row.insert(place, "...".to_owned());
    }
    row
}

fn shape(inferred: &Inferred, tensor: Tensor, slot: &Slot) -> String {
    Shape::of_written(Kind::ALL.map(|kind| row(inferred, tensor, slot, kind).join(",")))
}

fn print(inferred: &Inferred) {
    for (tensor, slot, name) in inferred.tensors() {
        let shape = shape(inferred, tensor, slot);
        let shape = if shape.is_empty() { "(no axes)" } else { &shape };
        output::answer(&format!("{name:<9}  {shape}"));
    }
    let mut line = String::new();
    for (id, size) in inferred.sizes() {
        if let Some(size) = size {
            let _ = write!(line, "  {} = {size}", inferred.spec().name(id));
        }
    }
    if !line.is_empty() {
        output::answer(&format!("\n{}", line.trim_start()));
    }
    output::remark(&undetermined(inferred), Format::Full);
}

fn line(inferred: &Inferred) -> String {
    let spec = inferred.spec();
    let operands = inferred.operands().iter().zip(spec.operands());
    let operands = operands.map(|(tensor, slot)| shape(inferred, *tensor, slot));
    let result = shape(inferred, inferred.result(), spec.result());
    format!("{} => {result}", operands.collect::<Vec<_>>().join("; "))
}

fn json(inferred: &Inferred) -> String {
    let mut shapes: Vec<ShapeRecord> = inferred
        .tensors()
        .map(|(tensor, slot, _)| ShapeRecord {
            shape: shape(inferred, tensor, slot),
            batch: row(inferred, tensor, slot, Kind::Batch),
            input: row(inferred, tensor, slot, Kind::Input),
            output: row(inferred, tensor, slot, Kind::Output),
        })
        .collect();
    let result = shapes.pop();
    let mut sizes = BTreeMap::new();
    let mut undetermined = vec![];
    for (id, size) in inferred.sizes() {
        let name = inferred.spec().name(id).to_owned();
        match size {
            Some(size) => drop(sizes.insert(name, size.to_string())),
            None => undetermined.push(name),
        }
    }
    let [warnings, notes] = in_json(inferred);
    let record = Record {
        schema: "lozenge-einsum/1",
        spec: inferred.spec().to_string(),
        operands: shapes,
        result,
        sizes,
        undetermined,
        warnings,
        notes,
    };
    output::record(&record)
}

/// The inferred shapes and sizes, for programs.
#[derive(Serialize)]
struct Record {
    schema: &'static str,
    /// In Lozenge's notation.
    spec: String,
    operands: Vec<ShapeRecord>,
    result: Option<ShapeRecord>,
    sizes: BTreeMap<String, String>,
    undetermined: Vec<String>,
    /// As `lozenge-diagnostics/2`.
    warnings: serde_json::Value,
    notes: serde_json::Value,
}

#[derive(Serialize)]
struct ShapeRecord {
    shape: String,
    batch: Vec<String>,
    input: Vec<String>,
    output: Vec<String>,
}
