//! `lozenge why FILE TENSOR.AXIS`: the nodes that make a size what it is.

use std::{path::Path, process::ExitCode};

use lozenge_onnx::infer::answer::{self, Report, Step, find_axis};
use serde::Serialize;

use super::{
    args::{Form, Look},
    file::with_model,
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
            let shape =
                lozenge_onnx::infer::known_text(inferred.nums(), &inferred.tensor(tensor).known);
            output::message(&format!("`{axis}` is no axis that is known: the shape is {shape}"));
            return ExitCode::from(2);
        };
        match look.format {
            Form::Full | Form::Concise | Form::Sarif => {
                let mut report = Report::default();
                report.say_of_all(why.diagnostic());
                show::report(&report, loaded.path(), look.format, 1);
            }
            Form::Json => {
                let steps = why.steps.iter().map(Record::of).collect();
                show::print_json(&Answer {
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

/// That a model has no such value, with those whose names are like it.
fn unknown(inferred: &lozenge_onnx::infer::Inferred<'_, '_>, axis: &str) -> String {
    let name = axis.rsplit_once('.').map_or(axis, |(name, _)| name);
    let near: Vec<String> = inferred
        .tensors()
        .map(|(_, record)| record.name.to_string())
        .filter(|other| !name.is_empty() && other.contains(name))
        .take(3)
        .map(|name| format!("`{name}.0`"))
        .collect();
    let near = if near.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", near.join(", "))
    };
    format!(
        "the model has no axis `{axis}`: an axis is written `value.axis`, as in `output.1`{near}"
    )
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
