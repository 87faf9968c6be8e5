//! `lozenge diff`: what changed between two models, in shapes and in conditions.

use std::process::ExitCode;

use lozenge_onnx::infer::{
    answer::{Change, diff},
    counted,
};
use serde::Serialize;

use super::{
    args::{Diff, Form},
    file::with_model,
};
use crate::output;

/// How many changes of one kind are printed by default.
const FEW: usize = 12;

pub(crate) fn run(args: &Diff) -> ExitCode {
    if args.look.refuses_sarif() {
        return ExitCode::from(2);
    }
    with_model(&args.before, &args.look, |_, _, before| {
        with_model(&args.after, &args.look, |_, _, after| {
            let changes = diff(before, after);
            match args.look.format {
                Form::Json => {
                    let changes = changes.iter().map(Record::of).collect();
                    output::print_record(&Answer { schema: "lozenge-diff/1", changes });
                }
                Form::Full | Form::Sarif => print(args, &changes),
                Form::Concise => changes.iter().for_each(|change| output::answer(&line(change))),
            }
            ExitCode::SUCCESS
        })
    })
}

fn line(change: &Change) -> String {
    let Change { kind, name, before, after } = change;
    match (before, after) {
        (Some(before), Some(after)) => format!("~ {kind} {name}: {before} -> {after}"),
        (None, Some(_)) if *kind == "condition" => format!("+ needs {name}"),
        (Some(_), None) if *kind == "condition" => format!("- needs {name}"),
        (None, Some(after)) => format!("+ {kind} {name}: {after}"),
        (Some(before), None) => format!("- {kind} {name}: {before}"),
        (None, None) => String::new(),
    }
}

fn print(args: &Diff, changes: &[Change]) {
    if changes.is_empty() {
        output::answer("the same shapes, and the same conditions");
    }
    let mut left = vec![];
    for kind in ["condition", "input", "output", "node", "initializer"] {
        let all: Vec<&Change> = changes.iter().filter(|change| change.kind == kind).collect();
        let most = if args.all || all.len() <= FEW + 1 { all.len() } else { FEW };
        all.iter().take(most).for_each(|change| output::answer(&line(change)));
        if most < all.len() {
            let noun = match kind {
                "node" => "value",
                kind => kind,
            };
            left.push(counted(all.len() - most, noun));
        }
    }
    if !left.is_empty() {
        output::answer(&format!("… and {} more; `--all` shows them", left.join(", ")));
    }
}

/// Changes, for programs.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    changes: Vec<Record>,
}

#[derive(Serialize)]
struct Record {
    kind: &'static str,
    name: String,
    before: Option<String>,
    after: Option<String>,
}

impl Record {
    fn of(change: &Change) -> Record {
        Record {
            kind: change.kind,
            name: change.name.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        }
    }
}
