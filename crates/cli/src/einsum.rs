//! `lozenge einsum`.

use std::{fmt::Write, process::ExitCode};

use lozenge::{
    Axis, Closed, Kind, Report, Role, Session, Site, SizeVar, Spec, Tensor, Terminal,
    diagnostic::{Code, Diagnostic, Help, Source, SourceId, Sources, Span},
};
use lozenge_lower::Nest;
use lozenge_notation::{Dialect, Dim, DimForm, Form, Label, NameId, Slot, Use, parse_as};
use serde::Serialize;

use crate::{Einsum, Format, How, output};

/// An einsum that was inferred.
pub(crate) struct Inferred {
    pub(crate) session: Session,
    pub(crate) spec: Spec,
    /// The specification as it was written.
    pub(crate) source: Source,
    pub(crate) operands: Vec<Tensor>,
    pub(crate) result: Tensor,
    pub(crate) closed: Closed,
    /// What is said of the specification itself, and its sources: that does not change when axes whose sizes
    /// nothing determines get names.
    said: (Vec<Diagnostic>, Sources),
}

pub(crate) fn run(args: &Einsum) -> ExitCode {
    let inferred = match infer(&args.spec, &args.shapes, &args.how) {
        Ok(inferred) => inferred,
        Err(rejection) => {
            output::refuse(&rejection, args.how.format);
            return ExitCode::FAILURE;
        }
    };
    inferred.warn(args.how.format);
    match args.how.format {
        Format::Full => inferred.print(),
        Format::Concise => output::answer(&inferred.line()),
        Format::Json => output::answer(&inferred.json()),
    }
    ExitCode::SUCCESS
}

/// Infers the shapes of an einsum. A `?` that meets nothing is one element.
pub(crate) fn infer(text: &str, shapes: &[String], how: &How) -> Result<Inferred, Report> {
    let inferred = infer_once(text, shapes, how)?;
    let shapes_of = inferred.operands.iter().zip(shapes);
    let said: Vec<String> =
        shapes_of.map(|(operand, shape)| inferred.with_units(*operand, shape)).collect();
    if said == shapes { Ok(inferred) } else { infer_once(text, &said, how) }
}

fn infer_once(text: &str, shapes: &[String], how: &How) -> Result<Inferred, Report> {
    let dialect = if how.numpy { Dialect::Numpy } else { Dialect::Lozenge };
    let spec = parse_as(text, dialect).ok()?;
    let numbers: Vec<(&str, u64)> = how.sets.iter().map(|(name, n)| (&name[..], *n)).collect();
    let einsum = lozenge::Einsum::of(spec.clone(), &numbers)?;
    let mut session = Session::new();
    for code in &how.allow {
        session.allow(*code)?;
    }
    for declared in &how.declared {
        let site = Site::whole(&Source::new("declare", &declared[..]));
        session.at(site).declare(declared)?;
    }
    let none_known = vec!["_".to_owned(); spec.operands().len()];
    let shapes = if shapes.is_empty() { &none_known } else { shapes };
    let mut operands = vec![];
    for (number, shape) in shapes.iter().enumerate() {
        let name = format!("operand {}", number + 1);
        let terminal = match shape.trim() {
            "_" => Terminal::undeclared(&name[..], Role::Leaf),
            _ => Terminal::data(&name[..], &shape[..]),
        };
        let site = Site::whole(&Source::new(&name[..], &shape[..]));
        operands.push(session.at(site).apply(terminal, &[])?);
    }
    let slots = spec.operands().iter().map(|slot| slot.span.range());
    let source = Source::new("spec", spec.text());
    let site = Site::whole(&source).with_operands(slots);
    let applied = session.at(site).apply(einsum, &operands);
    let result = applied.map_err(|mut rejection| {
        for said in &mut rejection.diagnostics {
            if said.code == Code::OperandCount && operands.len() < spec.operands().len() {
                said.helps.insert(0, Help::advice("`_` for an operand whose shape is not known"));
            }
        }
        rejection
    })?;
    session.set_name(result, "result");
    let closed = session.close()?;
    let of_spec = closed.notes().iter().filter(|note| is_of_spec(note)).cloned().collect();
    let said = (of_spec, closed.sources().clone());
    Ok(Inferred { session, spec, source, operands, result, closed, said })
}

/// Whether something is said of a specification itself, rather than of what it is used with.
fn is_of_spec(said: &Diagnostic) -> bool {
    matches!(said.code, Code::LettersOrWords | Code::ResultOnlyName)
}

impl Inferred {
    /// The written shape of an operand with `1_` in the place of every `?` that is one.
    fn with_units(&self, operand: Tensor, text: &str) -> String {
        let mut said = text.to_owned();
        let (Ok(written), Ok(closed)) =
            (lozenge_notation::parse_shape(text).ok(), self.closed.shape(operand))
        else {
            return said;
        };
        let mut units: Vec<Span> = vec![];
        for kind in Kind::ALL {
            let (row, known) = (written.row(kind), closed.row(kind));
            let (before, after) = written.dims(row);
            let axes = before.iter().zip(known).chain(after.iter().rev().zip(known.iter().rev()));
            let is_unit =
                |(dim, axis): &(&Dim, &Axis)| dim.form == DimForm::Met && **axis == Axis::Unit;
            units.extend(axes.filter(is_unit).map(|(dim, _)| dim.span));
        }
        units.sort_unstable();
        for span in units.into_iter().rev() {
            said.replace_range(span.range(), "1_");
        }
        said
    }

    pub(crate) fn warn(&self, format: Format) {
        output::say(&self.said.0, &self.said.1, format);
        output::say(&self.notes(), self.closed.sources(), format);
    }

    /// What is worth knowing about what the specification is used with.
    fn notes(&self) -> Vec<Diagnostic> {
        self.closed.notes().iter().filter(|note| !is_of_spec(note)).cloned().collect()
    }

    /// Warnings about the specification, with these sources and theirs.
    pub(crate) fn warnings(&self, sources: &mut Sources) -> Vec<Diagnostic> {
        let first = u32::try_from(sources.iter().len()).unwrap_or(u32::MAX);
        let (said, own) = &self.said;
        if !said.is_empty() {
            for source in own.iter() {
                sources.push(source.clone());
            }
        }
        let moved = |said: &Diagnostic| said.clone().moved(|id| (SourceId(first + id.0), 0));
        said.iter().map(moved).collect()
    }

    /// Warnings about the specification, and notes about what it is used with, as `lozenge-diagnostics/2`.
    pub(crate) fn in_json(&self) -> [serde_json::Value; 2] {
        let json = |said: &[Diagnostic], sources: &Sources| {
            serde_json::from_str(&lozenge::diagnostic::json(said, sources)).unwrap_or_default()
        };
        [json(&self.said.0, &self.said.1), json(&self.notes(), self.closed.sources())]
    }

    /// The tensors, with what they are in the specification and what they are called.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = (Tensor, &Slot, String)> {
        let operands = self.operands.iter().zip(self.spec.operands()).enumerate();
        let operands =
            operands.map(|(i, (tensor, slot))| (*tensor, slot, format!("operand {}", i + 1)));
        operands.chain([(self.result, self.spec.result(), "result".to_owned())])
    }

    /// A row as it is known: sizes, and names of axes that nothing determines.
    fn row(&self, tensor: Tensor, slot: &Slot, kind: Kind) -> Vec<String> {
        let Ok(shape) = self.closed.shape(tensor) else { return vec![] };
        let entry = |(axis, size): (usize, &Axis)| {
            let written = self.written(tensor, slot, kind, axis).map(|written| written.form);
            match written {
                _ if !self.is_open(tensor, kind, axis) => size.to_string(),
                // A name that is no size: nobody shall take it for one that somebody gave.
                Some(Form::Axis(Label::Named(name)) | Form::Runtime(name)) => {
                    format!("{}=_", self.spec.name(name))
                }
                _ => "_".to_owned(),
            }
        };
        let mut row: Vec<String> = shape.row(kind).iter().enumerate().map(entry).collect();
        if let Some(place) = self.taken_as_none(tensor, kind) {
            row.insert(place, "...".to_owned());
        }
        row
    }

    fn shape(&self, tensor: Tensor, slot: &Slot) -> String {
        let [batch, input, output] = Kind::ALL.map(|kind| self.row(tensor, slot, kind).join(","));
        let batch = if batch.is_empty() { batch } else { batch + "|" };
        let input = if input.is_empty() { input } else { input + "->" };
        batch + &input + &output
    }

    /// The names of axes, rows and indices, with what is known of their sizes and ranges.
    pub(crate) fn sizes(&self) -> Vec<(NameId, Option<String>)> {
        let session = &self.session;
        let is_sized = |id: &NameId| self.spec.name_use(*id) != Use::Coefficient;
        let names: Vec<NameId> = self.spec.names().filter(is_sized).collect();
        let size = |id: NameId| {
            let captured: SizeVar = session.capture(self.result, self.spec.name(id)).ok()?;
            session.known(captured).map(|size| size.to_string())
        };
        let sizes: Vec<Option<String>> = names.iter().copied().map(size).collect();
        names.into_iter().zip(sizes).collect()
    }

    fn print(&self) {
        for (tensor, slot, name) in self.tensors() {
            let shape = self.shape(tensor, slot);
            let shape = if shape.is_empty() { "(no axes)" } else { &shape };
            output::answer(&format!("{name:<9}  {shape}"));
        }
        let sizes = self.sizes();
        let mut line = String::new();
        for (id, size) in &sizes {
            if let Some(size) = size {
                let _ = write!(line, "  {} = {size}", self.spec.name(*id));
            }
        }
        if !line.is_empty() {
            output::answer(&format!("\n{}", line.trim_start()));
        }
        output::remark(&self.undetermined(), Format::Full);
    }

    /// The loop nest of the einsum.
    pub(crate) fn loops(&self) -> Result<Nest, Report> {
        self.session.assignment(&self.closed, self.result).map(Nest::new)
    }

    fn line(&self) -> String {
        let mut shapes: Vec<String> =
            self.tensors().map(|(tensor, slot, _)| self.shape(tensor, slot)).collect();
        let result = shapes.pop().unwrap_or_default();
        format!("{} => {result}", shapes.join("; "))
    }

    fn json(&self) -> String {
        let mut shapes: Vec<ShapeRecord> = self
            .tensors()
            .map(|(tensor, slot, _)| ShapeRecord {
                shape: self.shape(tensor, slot),
                batch: self.row(tensor, slot, Kind::Batch),
                input: self.row(tensor, slot, Kind::Input),
                output: self.row(tensor, slot, Kind::Output),
            })
            .collect();
        let result = shapes.pop();
        let (sizes, undetermined): (Vec<_>, Vec<_>) =
            self.sizes().into_iter().partition(|(_, size)| size.is_some());
        let name = |id: NameId| self.spec.name(id).to_owned();
        let [warnings, notes] = self.in_json();
        let record = Record {
            schema: "lozenge-einsum/1",
            spec: self.spec.to_string(),
            operands: shapes,
            result,
            sizes: sizes
                .into_iter()
                .map(|(id, size)| (name(id), size.unwrap_or_default()))
                .collect(),
            undetermined: undetermined.into_iter().map(|(id, _)| name(id)).collect(),
            warnings,
            notes,
        };
        serde_json::to_string_pretty(&record).unwrap_or_default()
    }
}

/// What is inferred, for programs.
#[derive(Serialize)]
struct Record {
    schema: &'static str,
    /// In Lozenge's notation.
    spec: String,
    operands: Vec<ShapeRecord>,
    result: Option<ShapeRecord>,
    sizes: std::collections::BTreeMap<String, String>,
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
