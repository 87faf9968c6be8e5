//! What is said to fix the batch of a model, verified: what it names is edited, the model inferred
//! and run again.
//!
//! Of each input whose first axis is a number in the file, or a name that inference makes one.
//! Where that is said to be free with some changes, these are made in a copy of the file: it must
//! be free there without more. ONNX Runtime then runs the copy at the size that was declared and at
//! twice that; where it does not run it as it was, nothing can be said. Where nothing is said to
//! make it free, it must not run at twice the size when the declaration alone is changed.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::ensure;
use lozenge_onnx::{
    Dim, Model,
    infer::{
        Edit, Options,
        answer::{Pins, pins},
        infer,
    },
};
use serde::{Deserialize, Serialize};

use super::{
    corpus::{ModelFile, Study, python, target},
    tool::Tool,
    values::{plain, symbols, unmet},
};

#[derive(Serialize)]
struct Question<'a> {
    path: String,
    out: String,
    input: &'a str,
    axis: usize,
    name: &'a str,
    pins: Vec<Change<'a>>,
    runs: Vec<BTreeMap<String, i64>>,
}

#[derive(Serialize)]
struct Change<'a> {
    readers: &'a [String],
    tensor: &'a str,
    element: usize,
    edit: &'static str,
    times: i64,
}

#[derive(Deserialize)]
struct Answer {
    edited: bool,
    runs: Vec<String>,
}

/// What became of axes.
#[derive(Default)]
struct Totals {
    models: usize,
    axes: usize,
    open: usize,
    changed: usize,
    numbers: usize,
    fixed: usize,
    verified: usize,
    ran: usize,
    refused: usize,
    unknown: usize,
    mistakes: usize,
}

pub(crate) fn run(study: &Study) -> anyhow::Result<()> {
    let mut command = python()?.program("python");
    command.args(["-c", concat!(include_str!("inputs.py"), include_str!("pins.py"))]);
    let mut tool = Tool::start(command)?;
    let folder = target().join("pinned");
    fs::create_dir_all(&folder)?;
    let mut totals = Totals::default();
    for file in study.corpus()?.files {
        totals.file(&file, &folder, &mut tool)?;
    }
    tool.end()?;
    let Totals { models, axes, open, changed, numbers, fixed, .. } = totals;
    let Totals { verified, ran, refused, unknown, mistakes, .. } = totals;
    println!(
        "models={models} axes={axes} free={open} free_with_changes={changed} ({numbers} numbers) fixed={fixed} inferred_again={verified} ran={ran} refused_as_said={refused} not_run={unknown} mistakes={mistakes}"
    );
    ensure!(mistakes == 0, "{mistakes} mistakes");
    Ok(())
}

impl Totals {
    fn file(&mut self, file: &ModelFile, folder: &Path, tool: &mut Tool) -> anyhow::Result<()> {
        let bytes = fs::read(&file.path)?;
        let Ok(model) = Model::read(&bytes) else { return Ok(()) };
        let stored = |name| model.graph.initializers.iter().any(|tensor| tensor.name == name);
        let inferred = infer(&model, &Options::default());
        let mut any = false;
        for info in &model.graph.inputs {
            let dims = info.ty.as_tensor().and_then(|ty| ty.shape.as_ref());
            let Some(first) = dims.and_then(|dims| dims.first()) else { continue };
            let declared = match first {
                Dim::Value(n) if *n > 0 => *n,
                Dim::Param(name) => {
                    let taken = inferred.taken().iter().find(|taken| {
                        let known = inferred.nums().name(taken.name);
                        known.is_some_and(|known| *name == *known.text)
                    });
                    let Some(size) = taken.and_then(|taken| taken.num.as_int()) else { continue };
                    size
                }
                Dim::Value(_) | Dim::Unknown => continue,
            };
            let Some(name) = info.name.to_str().filter(|_| !stored(info.name)) else { continue };
            any = true;
            self.axis(file, &model, name, declared, folder, tool)?;
        }
        self.models += usize::from(any);
        Ok(())
    }

    fn axis(
        &mut self,
        file: &ModelFile,
        model: &Model<'_>,
        input: &str,
        declared: i64,
        folder: &Path,
        tool: &mut Tool,
    ) -> anyhow::Result<()> {
        let options = Options::default();
        let Ok(found) = pins(model, &options, input, 0) else { return Ok(()) };
        self.axes += 1;
        let what = format!("{}: {input}.0, {declared}", file.name);
        let out = folder.join("model.onnx");
        let changes = found.pins.iter().map(|pin| {
            let (edit, times) = match pin.change {
                Edit::Rest => ("rest", 1),
                Edit::Keep => ("size", 1),
                Edit::Size(times) => ("size", times),
            };
            Change { readers: &pin.readers, tensor: &pin.tensor, element: pin.element, edit, times }
        });
        // What is said to be fixed is run with the declaration alone changed.
        let changes: Vec<Change<'_>> = changes.filter(|_| found.is_free).collect();
        let runs = trials(file, model, input, &found, declared);
        let question = Question {
            path: fs::canonicalize(&file.path)?.to_string_lossy().into_owned(),
            out: out.to_string_lossy().into_owned(),
            input,
            axis: 0,
            name: &found.name,
            pins: changes,
            runs,
        };
        let answer: Answer = tool.ask(&serde_json::to_string(&question)?)?;
        if found.is_free {
            self.open += usize::from(found.pins.is_empty());
            self.changed += usize::from(!found.pins.is_empty());
            self.numbers += found.pins.len();
            let edited = fs::read(&out)?;
            let again = Model::read(&edited)?;
            let is_free = pins(&again, &options, input, 0)
                .is_ok_and(|found| found.is_free && found.pins.is_empty());
            let before = infer(model, &options).conflicts().len();
            let after = infer(&again, &options).conflicts().len();
            if !answer.edited || !is_free || after > before {
                self.mistakes += 1;
                println!(
                    "MISTAKE {what}: edited={} free={is_free} conflicts={before}, then {after}",
                    answer.edited
                );
            } else {
                self.verified += 1;
            }
        } else {
            self.fixed += 1;
        }
        match (&answer.runs[..], found.is_free) {
            ([as_declared, ..], _) if !as_declared.is_empty() => self.unknown += 1,
            ([_, twice], true) if twice.is_empty() => self.ran += 1,
            ([_, twice], false) if !twice.is_empty() => self.refused += 1,
            ([_, twice], is_free) => {
                self.mistakes += 1;
                println!("MISTAKE {what}: free={is_free}, and at twice the size: {twice:?}");
            }
            _ => self.unknown += 1,
        }
        fs::remove_file(&out)?;
        Ok(())
    }
}

/// The sizes of a run, with the axis as it was declared and twice as long; none where those of a
/// run are not known, or others would have to change as well.
fn trials(
    file: &ModelFile,
    model: &Model<'_>,
    input: &str,
    found: &Pins,
    declared: i64,
) -> Vec<BTreeMap<String, i64>> {
    let Some(run) = file.runs.first().filter(|_| !file.name.starts_with("gen/")) else {
        return vec![];
    };
    let base = symbols(run, model);
    let options = Options { free: vec![(input.to_owned(), 0)], ..Options::default() };
    let freed = infer(model, &options);
    let at = |size: i64| {
        let mut symbols = base.clone();
        symbols.insert(plain(&found.name), size);
        symbols
    };
    let twice = at(2 * declared);
    let value = |name: &str| twice.get(&plain(name)).copied();
    // Where another input has to be longer as well, running with this one alone says nothing.
    let is_alone = found.pins.is_empty() && unmet(&freed, &value).is_empty();
    if found.is_free && found.pins.is_empty() && !is_alone {
        return vec![];
    }
    vec![at(declared), twice]
}
