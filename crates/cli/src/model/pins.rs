//! `lozenge pins`: which numbers of the file fix an axis of an input.

use std::process::ExitCode;

use lozenge_onnx::infer::{
    answer::{self, Pin, PinsError},
    counted,
};
use serde::Serialize;

use super::{
    args::{Form, Look, Pins},
    file::{Loaded, Progress, options},
    show,
};
use crate::output;

pub(crate) fn run(args: &Pins) -> ExitCode {
    let look: &Look = &args.look;
    if look.refuses_sarif() {
        return ExitCode::from(2);
    }
    let progress = Progress::start(format!("trying {}", args.file.display()));
    let loaded = match Loaded::read(&args.file) {
        Ok(loaded) => loaded,
        Err(said) => return refuse(args, said),
    };
    let model = match loaded.model() {
        Ok(model) => model,
        Err(said) => return refuse(args, said),
    };
    let external = loaded.external();
    let options = match options(look, &external) {
        Ok(options) => options,
        Err(code) => return code,
    };
    let (input, axis) = &args.axis;
    let found = answer::pins(&model, &options, input, *axis);
    drop(progress);
    let found = match found {
        Ok(found) => found,
        Err(PinsError::NoInput) => {
            let inputs: Vec<String> =
                model.graph.inputs.iter().map(|info| info.name.to_string()).collect();
            output::message(&format!(
                "there is no input `{input}`; inputs are: {}",
                inputs.join(", ")
            ));
            return ExitCode::from(2);
        }
        Err(PinsError::NoAxis) => {
            output::message(&format!("the input `{input}` has no axis {axis}"));
            return ExitCode::from(2);
        }
    };
    match look.format {
        Form::Json => {
            let pins = found.pins.iter().map(Record::of).collect();
            output::print_record(&Answer {
                schema: "lozenge-pins/1",
                file: loaded.name(),
                axis: format!("{input}.{axis}"),
                declared: found.declared,
                name: found.name,
                pins,
                weights: found.weights,
                others: found.others,
                left: found.left,
                is_free: found.is_free,
                outputs: found.outputs,
            });
        }
        Form::Concise => {
            for pin in &found.pins {
                output::answer(&line(pin));
            }
            for other in found.weights.iter().chain(&found.others) {
                output::answer(other);
            }
        }
        Form::Full | Form::Sarif => print(&found),
    }
    ExitCode::SUCCESS
}

fn refuse(args: &Pins, said: lozenge::diagnostic::Diagnostic) -> ExitCode {
    let mut report = answer::ModelReport::default();
    report.say_of_all(said);
    show::report(&report, &args.file, args.look.format, 1);
    ExitCode::FAILURE
}

fn line(pin: &Pin) -> String {
    format!("{}.{} is {} in {}: {}", pin.tensor, pin.element, pin.value, pin.node, pin.change)
}

/// How many conditions are printed.
const FEW: usize = 5;

fn print(found: &answer::Pins) {
    let answer::Pins {
        what, declared, name, pins, weights, others, left, is_free, outputs, ..
    } = found;
    let is_open = declared.parse::<i64>().is_err();
    let declared = if declared == "any" { "without a name" } else { declared };
    if pins.is_empty() && *is_free {
        let verb = match (is_open, left.is_empty()) {
            (true, _) => "is open",
            (false, true) => "may be anything in the graph",
            (false, false) => "may be more than that in the graph, with conditions",
        };
        let folded =
            if found.is_folded { ", but it is folded into other axes of the outputs" } else { "" };
        output::answer(&format!(
            "{what}, declared as {declared}, {verb}: no number of the file fixes it{folded}"
        ));
        if !is_open {
            output::answer(
                "only the declaration of the input says that number; with a name in its place the outputs are",
            );
            for text in outputs {
                output::answer(&format!("  {text}"));
            }
        }
    } else if pins.is_empty() {
        output::answer(&format!(
            "{what}, declared as {declared}, is fixed, and by no constant that can be changed:"
        ));
    } else {
        output::answer(&format!(
            "{what}, declared as {declared}, is fixed by {}:",
            counted(pins.len(), "number")
        ));
        for pin in pins {
            let readers = match pin.readers.len() {
                0 | 1 => format!("{} reads", pin.node),
                count => format!("{} and {} read", pin.node, counted(count - 1, "other node")),
            };
            output::answer(&format!(
                "  element {} of {}, {}, which {readers}",
                pin.element, pin.constant, pin.value
            ));
            output::answer(&format!("      put there: {}", pin.change));
            if pin.others > 0 {
                let others = counted(pin.others, "other node");
                let verb = if pin.others == 1 { "reads" } else { "read" };
                output::answer(&format!(
                    "      in a copy of the constant: {others} {verb} it as it is"
                ));
            }
        }
    }
    for weight in weights {
        output::answer(&format!("  {weight}"));
    }
    for other in others.iter().filter(|_| weights.is_empty()) {
        output::answer(&format!("  {other}"));
    }
    if !*is_free && !found.inputs.is_empty() {
        let free: Vec<String> = found.inputs.iter().map(|axis| format!("--free {axis}")).collect();
        output::answer(&format!(
            "the file gives other inputs that number too: try again with {}",
            free.join(" ")
        ));
    }
    if *is_free && !pins.is_empty() {
        output::answer("\nwith these changes it is free (tried): the outputs are then");
        for text in outputs {
            output::answer(&format!("  {text}"));
        }
        output::answer(&format!("and the input may be declared with a name, such as `{name}`"));
    } else if !*is_free && !pins.is_empty() {
        output::answer("\nwith these changes it is still fixed");
    }
    if *is_free {
        for text in left.iter().take(FEW) {
            output::answer(&format!("still required: {text}"));
        }
        if left.len() > FEW {
            output::answer(&format!("… and {} more: `--format json` has them", left.len() - FEW));
        }
    }
}

/// What fixes an axis, for programs.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    file: String,
    axis: String,
    declared: String,
    name: String,
    pins: Vec<Record>,
    weights: Vec<String>,
    others: Vec<String>,
    left: Vec<String>,
    is_free: bool,
    outputs: Vec<String>,
}

#[derive(Serialize)]
struct Record {
    tensor: String,
    element: usize,
    value: i64,
    node: String,
    change: String,
}

impl Record {
    fn of(pin: &Pin) -> Record {
        Record {
            tensor: pin.tensor.clone(),
            element: pin.element,
            value: pin.value,
            node: pin.node.clone(),
            change: pin.change.to_string(),
        }
    }
}
