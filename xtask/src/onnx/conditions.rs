//! What models need of their inputs' sizes, confirmed by ONNX Runtime inside and outside of it.
//!
//! From the sizes of a run that is known to work, each name is moved by small steps: as far as the
//! next sizes that inference excludes, and as far as the next that it does not. ONNX Runtime runs
//! all of them.

use std::{collections::BTreeMap, fs::File};

use anyhow::{Context, ensure};
use lozenge_onnx::{
    infer::{Inferred, Options, infer},
    skim,
};
use serde::{Deserialize, Serialize};

use super::{
    corpus::{ModelFile, Study, python},
    values::{node_name, plain, symbols, unmet},
};

/// How far a size is moved: what is no multiple of 32, 16, 8, 4 or 2 any more, then what is one
/// again.
const STEPS: [i64; 8] = [16, 8, 4, 2, 1, 32, 64, 128];

/// The sizes at which a model is to be run, and what inference says of them.
struct Trial {
    file: usize,
    symbols: BTreeMap<String, i64>,
    /// What is not fulfilled first, and the node that needs it.
    unmet: Option<(String, String)>,
}

#[derive(Serialize)]
struct Question<'a> {
    path: &'a str,
    symbols: &'a BTreeMap<String, i64>,
}

#[derive(Deserialize)]
struct Answer {
    runs: bool,
    node: String,
}

pub(crate) fn run(study: &Study) -> anyhow::Result<()> {
    let mut files = study.corpus()?.files;
    // The exported ones have no weights, and do not run.
    files.retain(|file| !file.name.starts_with("gen/"));
    let mut trials = vec![];
    for (number, file) in files.iter().enumerate() {
        trials.extend(drawn(number, file));
    }
    let mut questions = String::new();
    for trial in &trials {
        let path = std::fs::canonicalize(&files[trial.file].path)?;
        let question = Question { path: &path.to_string_lossy(), symbols: &trial.symbols };
        questions += &serde_json::to_string(&question)?;
        questions.push('\n');
    }
    let said = python()?.pipe(
        concat!(include_str!("inputs.py"), include_str!("conditions.py")),
        &[],
        &questions,
    )?;
    let answers: Vec<Answer> =
        said.lines().map(serde_json::from_str).collect::<Result<_, _>>().context(said.clone())?;
    ensure!(answers.len() == trials.len(), "{} answers to {}", answers.len(), trials.len());
    let (mut inside, mut outside, mut strict, mut missed, mut named) = (0, 0, 0, 0, 0);
    let mut confirmed = vec![];
    for (trial, answer) in trials.iter().zip(&answers) {
        let name = &files[trial.file].name;
        let symbols: Vec<String> =
            trial.symbols.iter().map(|(name, size)| format!("{name}={size}")).collect();
        let symbols = symbols.join(" ");
        match (&trial.unmet, answer.runs) {
            (None, true) => inside += 1,
            (None, false) => {
                missed += 1;
                println!("MISSED {name} at {symbols}: ONNX Runtime dies in {}", answer.node);
            }
            (Some((text, node)), true) => {
                strict += 1;
                println!("TOO STRICT {name} at {symbols}: {text} ({node}), and it runs");
            }
            (Some((text, node)), false) => {
                outside += 1;
                named += usize::from(*node == answer.node);
                let same = if *node == answer.node { "the same" } else { &answer.node };
                println!("{name} at {symbols}: needs {text}; ONNX Runtime dies in {same}");
                confirmed.push(trial.file);
            }
        }
    }
    confirmed.dedup();
    println!(
        "trials={} models={} inside={inside} outside={outside} same_node={named} too_strict={strict} missed={missed}",
        trials.len(),
        confirmed.len()
    );
    ensure!(strict == 0, "{strict} times, what is said to be needed is not");
    Ok(())
}

/// Sizes around those of a run: nothing if the model needs nothing.
fn drawn(number: usize, file: &ModelFile) -> Vec<Trial> {
    let Some(run) = file.runs.first() else { return vec![] };
    let Ok(source) = File::open(&file.path) else { return vec![] };
    let Ok(skimmed) = skim(source) else { return vec![] };
    let Ok(model) = skimmed.model() else { return vec![] };
    let inferred = infer(&model, &Options::default());
    let base = symbols(run, &model);
    let mut trials = vec![];
    for name in base.keys() {
        let moved = STEPS.map(|step| {
            let mut symbols = base.clone();
            *symbols.entry(name.clone()).or_default() += step;
            let unmet = first_unmet(&inferred, &symbols);
            Trial { file: number, symbols, unmet }
        });
        let (mut met, mut not_met) = (None, None);
        for trial in moved {
            let kind = if trial.unmet.is_some() { &mut not_met } else { &mut met };
            kind.get_or_insert(trial);
        }
        // Where nothing is needed of a size, there is no border to try.
        if let Some(trial) = not_met {
            trials.push(trial);
            trials.extend(met);
        }
    }
    trials
}

fn first_unmet(
    inferred: &Inferred<'_, '_>,
    symbols: &BTreeMap<String, i64>,
) -> Option<(String, String)> {
    let value = |name: &str| symbols.get(&plain(name)).copied();
    let first = unmet(inferred, &value).into_iter().next()?;
    Some((first.text, node_name(inferred.node(first.node))))
}
