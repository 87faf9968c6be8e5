//! `lozenge check`: what does not fit, what stops inference, and the model in a few lines.

use std::process::ExitCode;

use lozenge_onnx::{
    Model,
    infer::{
        Inferred,
        answer::{self, Summary, Tell, conditions, summary, tensor_plain},
        counted, known_text,
    },
};

use super::{
    args::{Form, OfFile},
    file::with_model,
    show,
};
use crate::output;

/// How many findings are printed by default.
const FEW: usize = 10;

/// How many inputs and outputs are printed by default.
const FEW_LINES: usize = 12;

pub(crate) fn run(args: &OfFile) -> ExitCode {
    with_model(&args.file, &args.look, |loaded, model, inferred| {
        let most = if args.all { usize::MAX } else { FEW };
        let format = args.look.format;
        let tell = match format {
            Form::Full if !args.all => Tell::First(most),
            _ => Tell::All,
        };
        let report = answer::check(inferred, tell);
        let shown = if format == Form::Full { most } else { usize::MAX };
        show::report(&report, loaded.path(), format, shown);
        if format == Form::Full {
            if report.left_out > 0 {
                let (noun, verb) = if report.left_out == 1 {
                    ("place, after these, does", "shows it")
                } else {
                    ("places, after these, do", "shows them")
                };
                output::answer(&format!(
                    "{} more {noun} not fit; `--all` {verb}\n",
                    report.left_out
                ));
            }
            brief(args, model, inferred, report.has_errors());
        }
        if report.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    })
}

/// The model in a few lines.
fn brief(args: &OfFile, model: &Model<'_>, inferred: &mut Inferred<'_, '_>, is_wrong: bool) {
    let Summary { nodes, tensors, known, at_run, open } = summary(inferred);
    let opset = model.opset("").map_or_else(String::new, |opset| format!(", opset {opset}"));
    let verdict = match (is_wrong, open) {
        (true, _) if !args.look.sets.is_empty() => "it cannot run with these sizes",
        (true, _) => "it cannot run as it is",
        (false, 0) => "everything fits",
        (false, _) => "all that is known fits",
    };
    output::answer(&format!(
        "{}: {}{opset}; {verdict}",
        args.file.display(),
        counted(nodes, "node")
    ));
    let mut rest = vec![];
    if at_run > 0 {
        rest.push(format!("{at_run} with sizes that only a run tells"));
    }
    if open > 0 {
        rest.push(format!("{open} of which not even the number of axes is known"));
    }
    let rest = if rest.is_empty() { rest.concat() } else { format!("; {}", rest.join(", ")) };
    output::answer(&format!("{known} of {} have known shapes{rest}", counted(tensors, "value")));
    let line = |what: &str, id| {
        let record = inferred.tensor(id);
        let shape = known_text(inferred.nums(), &record.known);
        vec![
            what.to_owned(),
            tensor_plain(inferred, id),
            format!("{} {shape}", record.known.element),
        ]
    };
    let inputs = inferred.inputs().iter().map(|id| line("input", *id));
    let outputs = inferred.outputs().iter().flatten().map(|id| line("output", *id));
    let mut rows: Vec<Vec<String>> = vec![];
    for all in [inputs.collect::<Vec<_>>(), outputs.collect()] {
        let left = all.len().saturating_sub(FEW_LINES);
        let shown = if args.all || left <= 1 { all.len() } else { FEW_LINES };
        rows.extend(all.into_iter().take(shown));
        if left > 1 && !args.all {
            rows.push(vec![format!("… {left} more")]);
        }
    }
    output::answer(&show::table(&rows));
    let needs: Vec<String> = conditions(inferred)
        .into_iter()
        .filter(|condition| condition.is_certain && !condition.is_at_run)
        .map(|condition| condition.text)
        .collect();
    if needs.is_empty() {
        return;
    }
    let few: Vec<String> = needs.iter().take(4).cloned().collect();
    let left = needs.len() - few.len();
    let left = if left == 0 { String::new() } else { format!("\n       and {left} more") };
    output::answer(&format!(
        "needs  {}{left}\n       (why: lozenge requires {})",
        few.join("\n       "),
        args.file.display()
    ));
}
