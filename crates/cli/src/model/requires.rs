//! `lozenge requires`: what the sizes of the inputs have to be, and which nodes need it.

use std::process::ExitCode;

use lozenge_onnx::infer::{
    answer::{Condition, Values, assumptions, conditions, node_called, requires_report},
    counted,
};
use serde::Serialize;

use super::{
    args::{Form, OfFile},
    file::with_model,
    show,
};
use crate::output;

/// How many conditions are printed in full by default.
const FEW: usize = 10;

pub(crate) fn run(args: &OfFile) -> ExitCode {
    with_model(&args.file, &args.look, |loaded, _, inferred| {
        let all = conditions(inferred);
        let (shown, at_run): (Vec<Condition>, Vec<Condition>) =
            all.into_iter().partition(|condition| args.all || !condition.is_at_run);
        match args.look.format {
            Form::Full => {
                if shown.is_empty() {
                    output::answer(&format!(
                        "{}: the sizes of the inputs may be anything",
                        loaded.name()
                    ));
                }
                let most = if args.all { shown.len() } else { FEW };
                let few = &shown[..shown.len().min(most)];
                let report = requires_report(inferred, few);
                show::report(&report, loaded.path(), Form::Full, most);
                let left = &shown[few.len()..];
                for condition in left.iter().take(FEW) {
                    output::answer(&condition.text);
                }
                if left.len() > FEW {
                    output::answer(&format!("… and {} more, with `--all`", left.len() - FEW));
                }
                if !at_run.is_empty() {
                    output::answer(&format!(
                        "{} on sizes that only a run tells: with `--all`",
                        counted(at_run.len(), "condition")
                    ));
                }
                for text in assumptions(inferred) {
                    output::answer(&format!("taken for granted: {text}"));
                }
            }
            Form::Concise => {
                for condition in &shown {
                    let node = condition
                        .needs
                        .iter()
                        .find(|need| !need.is_implied)
                        .or(condition.needs.first());
                    let node = node.map(|need| node_called(inferred, need.requirement.node));
                    let node =
                        node.map_or_else(String::new, |node| format!("  (needed by {node})"));
                    let place = if condition.is_certain { "" } else { "in a branch: " };
                    output::answer(&format!("{place}{}{node}", condition.text));
                }
                for text in assumptions(inferred) {
                    output::answer(&format!("taken for granted: {text}"));
                }
            }
            Form::Json => {
                let records: Vec<Record> =
                    shown.iter().map(|condition| Record::of(condition, inferred)).collect();
                output::print_record(&Answer {
                    schema: "lozenge-requires/1",
                    file: loaded.name(),
                    conditions: records,
                    assumed: assumptions(inferred),
                });
            }
            Form::Sarif => {
                let report = requires_report(inferred, &shown);
                show::report(&report, loaded.path(), Form::Sarif, usize::MAX);
            }
        }
        ExitCode::SUCCESS
    })
}

/// Conditions, for programs.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    file: String,
    conditions: Vec<Record>,
    assumed: Vec<String>,
}

#[derive(Serialize)]
struct Record {
    text: String,
    names: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<ValuesRecord>,
    certain: bool,
    needed_by: Vec<NeedRecord>,
}

/// The values of a name: those listed, or all from the least to the greatest whose remainder by the
/// period is a residue.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ValuesRecord {
    Any,
    None,
    Listed(Vec<i64>),
    Periodic { least: i64, greatest: Option<i64>, period: i64, residues: Vec<i64>, also: Vec<i64> },
}

#[derive(Serialize)]
struct NeedRecord {
    node: String,
    implied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    up_to_here: Option<String>,
}

impl Record {
    fn of(condition: &Condition, inferred: &lozenge_onnx::infer::Inferred<'_, '_>) -> Record {
        let values = condition.values.as_ref().map(|values| match values.clone() {
            Values::All => ValuesRecord::Any,
            Values::None => ValuesRecord::None,
            Values::Listed(all) => ValuesRecord::Listed(all),
            Values::Periodic { low, high, period, residues, also } => {
                ValuesRecord::Periodic { least: low, greatest: high, period, residues, also }
            }
        });
        let needs = condition.needs.iter().map(|need| NeedRecord {
            node: inferred.node(need.requirement.node).node.name.to_string(),
            implied: need.is_implied,
            up_to_here: need.adds.clone(),
        });
        Record {
            text: condition.text.clone(),
            names: condition.names.clone(),
            values,
            certain: condition.is_certain,
            needed_by: needs.collect(),
        }
    }
}
