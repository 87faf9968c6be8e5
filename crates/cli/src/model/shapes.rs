//! `lozenge shapes`: a table of all values; and the model written back with them.

use std::{
    fs::File,
    io::{BufReader, BufWriter, Write},
    path::Path,
    process::ExitCode,
};

use lozenge_onnx::{
    Annotations,
    infer::{
        Inferred,
        answer::{Row, annotations, rows, size_texts},
        counted,
    },
    rewrite,
};
use serde::Serialize;

use super::{
    args::{Form, Shapes},
    file::with_model,
    show,
};
use crate::output;

/// How many values of nodes are printed by default: the first, and as many of the last.
const FEW: usize = 20;

pub(crate) fn run(args: &Shapes) -> ExitCode {
    if args.of.look.refuses_sarif() {
        return ExitCode::from(2);
    }
    with_model(&args.of.file, &args.of.look, |loaded, _, inferred| {
        if let Some(out) = &args.annotate {
            return annotate(loaded.path(), out, inferred);
        }
        let all = rows(inferred);
        match args.of.look.format {
            Form::Full => print(args, &all),
            Form::Concise => {
                let line = |row: &Row| format!("{} {}", row.name, row.shape);
                for row in all.iter().filter(|row| args.of.all || row.kind != "initializer") {
                    output::answer(&line(row));
                }
            }
            Form::Json => {
                let values = all.iter().map(Record::of).collect();
                output::print_record(&Answer {
                    schema: "lozenge-shapes/1",
                    file: loaded.name(),
                    values,
                });
            }
            Form::Sarif => {}
        }
        ExitCode::SUCCESS
    })
}

fn print(args: &Shapes, all: &[Row]) {
    let line = |row: &Row| {
        let op = row.op.clone().unwrap_or_else(|| row.kind.to_owned());
        let remark = row.stop.as_ref().map_or_else(String::new, |stop| format!("  ({stop})"));
        let graph = row.graph.as_ref().map_or_else(String::new, |graph| format!("  in {graph}"));
        vec![op, row.name.clone(), row.element.clone(), format!("{}{remark}{graph}", row.shape)]
    };
    let is_stored = |row: &&Row| row.kind == "initializer" || row.op.as_deref() == Some("Constant");
    let (stored, others): (Vec<&Row>, Vec<&Row>) = all.iter().partition(is_stored);
    if args.of.all {
        output::answer(&show::table(&all.iter().map(line).collect::<Vec<_>>()));
        return;
    }
    let is_end = |row: &&Row| row.kind == "input" || row.kind == "output";
    let (ends, nodes): (Vec<&Row>, Vec<&Row>) = others.into_iter().partition(is_end);
    let mut lines: Vec<Vec<String>> =
        ends.iter().filter(|row| row.kind == "input").map(|row| line(row)).collect();
    let left = nodes.len().saturating_sub(2 * FEW);
    let shown: Vec<&&Row> = if left > 1 {
        nodes.iter().take(FEW).chain(&nodes[nodes.len() - FEW..]).collect()
    } else {
        nodes.iter().collect()
    };
    for (place, row) in shown.into_iter().enumerate() {
        if left > 1 && place == FEW {
            lines.push(vec![format!("… {left} more")]);
        }
        lines.push(line(row));
    }
    for row in ends.iter().filter(|row| row.kind == "output") {
        lines
            .push(["output".to_owned()].into_iter().chain(line(row).into_iter().skip(1)).collect());
    }
    output::answer(&show::table(&lines));
    let hidden = left * usize::from(left > 1);
    output::answer(&format!(
        "\n{} left out; `--all` shows everything",
        counted(hidden + stored.len(), "value")
    ));
}

/// Writes the model with all shapes.
fn annotate(path: &Path, out: &Path, inferred: &Inferred<'_, '_>) -> ExitCode {
    let texts = size_texts(inferred);
    let all: [Annotations<'_>; 1] = [annotations(inferred, &texts)];
    let count = all[0].value_info.as_ref().map_or(0, Vec::len) + all[0].outputs.len();
    if path.canonicalize().ok().is_some_and(|path| out.canonicalize().ok() == Some(path)) {
        output::message("a model is not written over itself: name another file");
        return ExitCode::from(2);
    }
    let written = || -> Result<u64, String> {
        let source = || File::open(path).map(BufReader::new).map_err(|error| error.to_string());
        let rewritten = rewrite(source()?, &all).map_err(|error| error.to_string())?;
        let file = File::create(out)
            .map_err(|error| format!("{} cannot be written: {error}", out.display()))?;
        let mut file = BufWriter::new(file);
        rewritten.write(source()?, &mut file).map_err(|error| error.to_string())?;
        file.flush().map_err(|error| error.to_string())?;
        Ok(rewritten.length())
    };
    match written() {
        Ok(length) => {
            output::answer(&format!(
                "{}: {} annotated, {}",
                out.display(),
                counted(count, "value"),
                show::bytes(length)
            ));
            ExitCode::SUCCESS
        }
        Err(error) => {
            output::message(&error);
            ExitCode::FAILURE
        }
    }
}

/// Shapes, for programs.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    file: String,
    values: Vec<Record>,
}

#[derive(Serialize)]
struct Record {
    name: String,
    kind: &'static str,
    element: String,
    /// Numbers, names and what is computed from them; null where the number of axes is not known.
    shape: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_open: Option<String>,
}

impl Record {
    fn of(row: &Row) -> Record {
        Record {
            name: row.name.clone(),
            kind: row.kind,
            element: row.element.clone(),
            shape: row.sizes.clone(),
            op: row.op.clone(),
            graph: row.graph.clone(),
            why_open: row.stop.clone(),
        }
    }
}
