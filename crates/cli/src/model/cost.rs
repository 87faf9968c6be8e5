//! `lozenge cost`: parameters, memory and work.

use std::process::ExitCode;

use lozenge_onnx::infer::{
    Inferred, Num, Origin,
    answer::{self, Cost, node_called},
    counted, plain,
};
use serde::Serialize;

use super::{
    args::{Form, OfFile},
    file::with_model,
    show,
};
use crate::output;

/// How many nodes are printed by default.
const FEW: usize = 8;

/// How long a form may be to be printed.
const LONG: usize = 160;

pub(crate) fn run(args: &OfFile) -> ExitCode {
    if args.look.refuses_sarif() {
        return ExitCode::from(2);
    }
    with_model(&args.file, &args.look, |loaded, _, inferred| {
        let cost = answer::cost(inferred);
        match args.look.format {
            Form::Full => print(args, &cost, inferred),
            Form::Concise => output::answer(&format!(
                "{} parameters, {} bytes stored, peak {} bytes, work {}",
                cost.parameters,
                cost.stored_bytes,
                inferred.nums().text(cost.peak),
                inferred.nums().text(cost.work)
            )),
            Form::Json => output::print_record(&Answer::of(&loaded.name(), &cost, inferred)),
            Form::Sarif => {}
        }
        ExitCode::SUCCESS
    })
}

/// A number, or a form where it is short.
fn form(inferred: &Inferred<'_, '_>, num: Num, unit: fn(u64) -> String) -> String {
    if let Num::Int(n) = num {
        // What memory or work a model takes is not below 0.
        return unit(n.max(0).unsigned_abs());
    }
    let text = inferred.nums().text(num);
    if text.len() <= LONG {
        text
    } else {
        format!("a form of {} characters, see `--format json`", text.len())
    }
}

fn print(args: &OfFile, cost: &Cost, inferred: &Inferred<'_, '_>) {
    let Cost { parameters, stored_bytes, peak, peak_at, work, nodes, uncounted, unsized_values } =
        cost;
    let at = peak_at
        .map_or_else(String::new, |node| format!(", when {} runs", node_called(inferred, node)));
    let is_form = peak.as_int().is_none();
    let unit = if is_form { " bytes" } else { "" };
    let operations = if work.as_int().is_none() { "" } else { "operations: " };
    let mut lines = vec![
        vec!["parameters".to_owned(), show::amount(*parameters)],
        vec!["stored".to_owned(), show::bytes(*stored_bytes)],
        vec![
            "peak of values".to_owned(),
            format!("{}{unit}{at}", form(inferred, *peak, show::bytes)),
        ],
        vec!["work".to_owned(), format!("{operations}{}", form(inferred, *work, show::amount))],
    ];
    if *unsized_values > 0 {
        lines.push(vec![
            "not in the peak".to_owned(),
            format!("{} of unknown size", counted(*unsized_values, "value")),
        ]);
    }
    if !uncounted.is_empty() {
        let ops: Vec<String> = uncounted.iter().map(|(op, n)| format!("{op} ({n})")).collect();
        let shown: Vec<String> = if args.all { ops } else { ops.into_iter().take(FEW).collect() };
        let more = if uncounted.len() > shown.len() { ", …" } else { "" };
        lines.push(vec!["not in the work".to_owned(), format!("{}{more}", shown.join(", "))]);
    }
    output::answer(&show::table(&lines));
    let most = if args.all { nodes.len() } else { FEW };
    let top: Vec<Vec<String>> = nodes
        .iter()
        .take(most)
        .map(|node| {
            let op = plain(&inferred.node(node.node).node.op.to_lossy());
            let bytes =
                node.bytes.map_or_else(String::new, |bytes| form(inferred, bytes, show::bytes));
            vec![
                node_called(inferred, node.node),
                op,
                form(inferred, node.work, show::amount),
                bytes,
            ]
        })
        .collect();
    if !top.is_empty() {
        output::answer(&format!(
            "\nmost work            (node, operator, operations, bytes of its output)\n{}",
            show::table(&top)
        ));
    }
    let nums = inferred.nums();
    let names: Vec<String> = nums
        .names_of(*work)
        .into_iter()
        .chain(nums.names_of(*peak))
        .filter_map(|id| nums.name(id).filter(|name| name.origin == Origin::Input))
        .map(|name| name.text.clone())
        .collect();
    if let Some(name) = names.first() {
        output::answer(&format!("\nnumbers for open sizes: --set {name}=…"));
    }
}

/// Costs, for programs.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    file: String,
    parameters: u64,
    stored_bytes: u64,
    /// A number, or a form over open sizes.
    peak_bytes: String,
    peak_at: Option<String>,
    work: String,
    nodes: Vec<Record>,
    uncounted: Vec<(String, usize)>,
    values_of_unknown_size: usize,
}

#[derive(Serialize)]
struct Record {
    node: String,
    work: String,
    bytes: Option<String>,
}

impl Answer {
    fn of(file: &str, cost: &Cost, inferred: &Inferred<'_, '_>) -> Answer {
        let text = |num: Num| inferred.nums().text(num);
        let name = |id| inferred.node(id).node.name.to_string();
        let record = |node: &answer::NodeCost| Record {
            node: name(node.node),
            work: text(node.work),
            bytes: node.bytes.map(text),
        };
        Answer {
            schema: "lozenge-cost/1",
            file: file.to_owned(),
            parameters: cost.parameters,
            stored_bytes: cost.stored_bytes,
            peak_bytes: text(cost.peak),
            peak_at: cost.peak_at.map(name),
            work: text(cost.work),
            nodes: cost.nodes.iter().map(record).collect(),
            uncounted: cost.uncounted.clone(),
            values_of_unknown_size: cost.unsized_values,
        }
    }
}
