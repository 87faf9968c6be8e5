//! `lozenge why FILE TENSOR.AXIS`: the nodes that make a size what it is.

use std::{path::Path, process::ExitCode};

use lozenge_onnx::infer::answer::{self, ModelReport, Step, find_axis};
use serde::Serialize;

use super::{
    args::{Form, Look},
    file::with_model,
    near::did_you_mean,
    show,
};
use crate::output;

pub(crate) fn run(file: &Path, axis: &str, look: &Look) -> ExitCode {
    with_model(file, look, |loaded, _, inferred| {
        let Some((tensor, number)) = find_axis(inferred, axis) else {
            output::message(&unknown(inferred, axis));
            return ExitCode::from(2);
        };
        let Some(why) = answer::why(inferred, tensor, number) else {
            let known = &inferred.tensor(tensor).known;
            let shape = lozenge_onnx::infer::known_text(inferred.nums(), known);
            let name = axis.rsplit_once('.').map_or(axis, |(name, _)| name);
            let said = match known.shape.as_ref().map(lozenge_onnx::infer::Sizes::len) {
                Some(0) => format!("has no axes: its shape is {shape}"),
                Some(1) => format!("has one axis, 0: its shape is {shape}"),
                Some(rank) => format!("has axes 0 to {}: its shape is {shape}", rank - 1),
                None => "has a number of axes that is not known".to_owned(),
            };
            output::message(&format!("`{name}` {said}"));
            return ExitCode::from(2);
        };
        match look.format {
            Form::Full | Form::Concise | Form::Sarif => {
                let mut report = ModelReport::default();
                report.say_of_all(why.diagnostic());
                show::report(&report, loaded.path(), look.format, 1);
            }
            Form::Json => {
                let steps = why.steps.iter().map(Record::of).collect();
                output::print_record(&Answer {
                    schema: "lozenge-why/1",
                    file: loaded.name(),
                    what: why.what,
                    size: why.size,
                    steps,
                });
            }
        }
        ExitCode::SUCCESS
    })
}

/// The message that a model has no such value, or that what follows its name is not an axis.
fn unknown(inferred: &lozenge_onnx::infer::Inferred<'_, '_>, axis: &str) -> String {
    const WRITTEN: &str = "an axis is written `value.axis`, as in `output.1`";
    let (name, number) = axis.rsplit_once('.').unwrap_or((axis, ""));
    if inferred.find(axis).is_some() {
        return format!("which axis of `{axis}`? {WRITTEN}");
    }
    if inferred.find(name).is_some() {
        return format!("`{number}` is not the number of an axis of `{name}`: {WRITTEN}");
    }
    let names: Vec<String> =
        inferred.tensors().map(|(_, record)| record.name.to_string()).collect();
    // Names have points themselves.
    let name = if number.parse::<usize>().is_ok() { name } else { axis };
    let near = did_you_mean(name, names.iter().map(String::as_str));
    format!("the model has no value `{name}`{near}")
}

/// A chain, for programs.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    file: String,
    what: String,
    size: String,
    steps: Vec<Record>,
}

#[derive(Serialize)]
struct Record {
    what: String,
    size: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<String>,
    from: Vec<String>,
    passed_on: usize,
}

impl Record {
    fn of(step: &Step) -> Record {
        Record {
            what: step.what.clone(),
            size: step.size.clone(),
            node: step.node.clone(),
            op: step.op.clone(),
            spec: step.spec.clone(),
            from: step.from.clone(),
            passed_on: step.passed_on,
        }
    }
}
