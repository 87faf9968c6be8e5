//! `lozenge check`: what does not fit, what stops inference, and the model in a few lines.

use std::process::ExitCode;

use lozenge_onnx::{
    Dim, Model,
    infer::{
        Inferred, TensorId,
        answer::{self, Summary, Tell, conditions, summary, tensor_plain},
        counted, known_text,
    },
};

use super::{
    args::{Form, Look, OfFile},
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
    let input = |id: &TensorId| {
        let mut line = line("input", *id);
        if let Some(text) = with_names(model, inferred, *id) {
            line[2] = text;
        }
        line
    };
    let inputs = inferred.inputs().iter().map(input);
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
        .filter(|condition| !condition.is_at_run)
        .map(|condition| {
            let place = if condition.is_certain { "" } else { "in a branch: " };
            format!("{place}{}", condition.text)
        })
        .collect();
    let assumed = answer::assumptions(inferred);
    for (place, text) in assumed.iter().take(4).enumerate() {
        output::answer(&format!("{}{text}", if place == 0 { "takes  " } else { "       " }));
    }
    if assumed.len() > 4 {
        output::answer(&format!("       and {} more", assumed.len() - 4));
    }
    if needs.is_empty() {
        return;
    }
    let few: Vec<String> = needs.iter().take(4).cloned().collect();
    let left = needs.len() - few.len();
    let left = if left == 0 { String::new() } else { format!("\n       and {left} more") };
    output::answer(&format!(
        "needs  {}{left}\n       (why: lozenge requires {}{})",
        few.join("\n       "),
        quoted(&args.file.display().to_string()),
        flags(&args.look)
    ));
}

/// The flags that a look was given, to type again.
fn flags(look: &Look) -> String {
    let sets = look
        .sets
        .iter()
        .map(|(name, number)| format!(" --set {}", quoted(&format!("{name}={number}"))));
    let free = look
        .given
        .free
        .iter()
        .map(|(input, axis)| format!(" --free {}", quoted(&format!("{input}.{axis}"))));
    let rules = look
        .given
        .rules
        .iter()
        .map(|file| format!(" --rules {}", quoted(&file.display().to_string())));
    sets.chain(free).chain(rules).collect()
}

/// A word as a shell reads it as one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/=:,+@%".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// An input as the file declares it, where a name of it has to be a number: `float [batch=1,64]`.
fn with_names(model: &Model<'_>, inferred: &Inferred<'_, '_>, id: TensorId) -> Option<String> {
    let record = inferred.tensor(id);
    let info = model.graph.inputs.iter().find(|info| info.name == record.name)?;
    let dims = info.ty.as_tensor()?.shape.as_ref()?;
    let sizes = record.known.shape.as_ref()?;
    let nums = inferred.nums();
    let mut is_named = false;
    let axes = sizes.iter().zip(dims).map(|(size, dim)| match dim {
        Dim::Param(name) if size.as_int().is_some() && nums.find(&name.to_string()).is_some() => {
            is_named = true;
            format!("{name}={}", nums.text(*size))
        }
        _ => nums.text(*size),
    });
    let axes: Vec<String> = axes.collect();
    is_named.then(|| format!("{} [{}]", record.known.element, axes.join(",")))
}
