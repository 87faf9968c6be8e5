//! Models with what was inferred written into them: every other byte is as it was, and other tools
//! take them.

use std::{fs, path::Path};

use anyhow::ensure;
use lozenge_onnx::{
    Annotations, Model, annotate,
    infer::{
        Options,
        answer::{annotations, size_texts},
        infer,
    },
};
use serde::Deserialize;

use super::{
    corpus::{ModelFile, Run, Study, python, target},
    judge::judge,
    tool::Tool,
};

/// Sizes, where they are numbers.
type Sizes = Vec<Option<i64>>;

/// What tools say about a model and about the annotated one; nothing where they take it.
#[derive(Deserialize)]
struct Answer {
    checker: [String; 2],
    runtime: [String; 2],
    strict: [String; 2],
    /// Tensors, their annotated sizes and what ONNX infers, where these differ.
    differ: Vec<(String, Sizes, Sizes)>,
    annotated: usize,
}

pub(crate) fn run(study: &Study) -> anyhow::Result<()> {
    let mut command = python()?.program("python");
    command.args(["-c", include_str!("write_back.py")]);
    let mut tool = Tool::start(command)?;
    let folder = target().join("written");
    fs::create_dir_all(&folder)?;
    let written = folder.join("model.onnx");
    let (mut models, mut unequal, mut annotated, mut failures) = (0, 0, 0, 0);
    let mut onnx_mistaken = 0;
    let mut passed = [0; 3];
    for file in study.corpus()?.files {
        let bytes = fs::read(&file.path)?;
        let Some((with, is_equal)) = annotated_bytes(&bytes) else { continue };
        models += 1;
        if !is_equal {
            unequal += 1;
            println!("{}: another byte changed", file.name);
        }
        fs::write(&written, with)?;
        let path = |path: &Path| anyhow::Ok(fs::canonicalize(path)?.to_string_lossy().into_owned());
        let line = format!("{}\t{}", path(&file.path)?, path(&written)?);
        let answer: Answer = tool.ask(&line)?;
        annotated += answer.annotated;
        let verdicts = [
            ("checker", answer.checker),
            ("ONNX Runtime", answer.runtime),
            ("strict inference", answer.strict),
        ];
        let (mistaken, differ): (Vec<_>, Vec<_>) = answer
            .differ
            .into_iter()
            .partition(|(tensor, own, _)| is_confirmed(&file.runs, tensor, own));
        for (tensor, own, theirs) in mistaken.iter().chain(&differ).take(3) {
            println!("{}: {tensor} is {own:?}, ONNX says {theirs:?}", file.name);
        }
        failures += differ.len();
        onnx_mistaken += mistaken.len();
        for ((name, [before, after]), passed) in verdicts.iter().zip(&mut passed) {
            *passed += usize::from(after.is_empty());
            if before.is_empty() && !after.is_empty() {
                // ONNX Runtime is the judge: where it computes every shape as annotated, ONNX is
                // mistaken.
                let is_true = differ.is_empty() && is_all_confirmed(&file);
                onnx_mistaken += usize::from(is_true);
                failures += usize::from(!is_true);
                println!("{}: {name} says: {}", file.name, after.replace('\n', " "));
            }
        }
    }
    tool.end()?;
    fs::remove_file(&written)?;
    let [checker, runtime, strict] = passed;
    println!(
        "models={models} annotated={annotated} unequal={unequal} checker={checker} runtime={runtime} strict={strict} onnx_mistaken={onnx_mistaken} failures={failures}"
    );
    ensure!(unequal + failures == 0, "{unequal} files differ elsewhere, {failures} failures");
    Ok(())
}

/// Whether every tensor of the model's graph had the inferred sizes in all runs.
fn is_all_confirmed(file: &ModelFile) -> bool {
    judge(&file.path, &file.runs).is_ok_and(|report| report.right == report.main.tensors())
}

/// Whether a tensor had these sizes in all runs.
fn is_confirmed(runs: &[Run], tensor: &str, sizes: &Sizes) -> bool {
    let is_same = |run: &Run| {
        let Some(Some(truth)) = run.shapes.get(tensor) else { return false };
        let mut pairs = sizes.iter().zip(truth);
        truth.len() == sizes.len() && pairs.all(|(size, truth)| size.is_none_or(|n| n == *truth))
    };
    !runs.is_empty() && runs.iter().all(is_same)
}

/// The file with what was inferred, and whether it is the old one but for value info and types of
/// outputs; none for what is not a model.
fn annotated_bytes(bytes: &[u8]) -> Option<(Vec<u8>, bool)> {
    let model = Model::read(bytes).ok()?;
    let inferred = infer(&model, &Options::default());
    let texts = size_texts(&inferred);
    let with = annotate(bytes, &[annotations(&inferred, &texts)]).ok()?;
    let bare = Annotations { value_info: Some(vec![]), outputs: model.graph.outputs.clone() };
    let [before, after] = [bytes, &with].map(|file| annotate(file, std::slice::from_ref(&bare)));
    let is_equal = before.ok()? == after.ok()?;
    Some((with, is_equal))
}
