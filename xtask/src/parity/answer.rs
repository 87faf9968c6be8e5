//! Answers of either side, and questions to Python.

use std::fmt;

use anyhow::{Context, ensure};
use lozenge::Report;
use serde::{Deserialize, Serialize};

use crate::python::Environment;

/// What one side says: the shapes of all results, or why there are none.
#[derive(Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub(super) enum Answer {
    Shapes(Vec<Vec<u64>>),
    Refused(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Shapes(shapes) => write!(f, "{shapes:?}"),
            Answer::Refused(why) => write!(f, "refused: {}", why.lines().next().unwrap_or("")),
        }
    }
}

/// What a session says: the shapes, or the code and the headline of each error.
pub(super) fn own(shapes: Result<Vec<Vec<u64>>, Report>) -> Answer {
    match shapes {
        Ok(shapes) => Answer::Shapes(shapes),
        Err(report) => {
            let said = report.diagnostics.iter().map(|d| format!("{}: {}", d.code, d.headline));
            Answer::Refused(said.collect::<Vec<_>>().join("; "))
        }
    }
}

/// Answers each line of JSON by one, with a function `shapes` that stands before this.
const ANSWERS: &str = "
import json, sys
for line in sys.stdin:
    try:
        answer = [list(shape) for shape in shapes(json.loads(line))]
    except Exception as refusal:
        answer = f'{type(refusal).__name__}: {refusal}'
    print(json.dumps(answer))
";

/// What a script's function `shapes` answers to each question.
pub(super) fn ask<T: Serialize>(
    python: &Environment,
    script: &str,
    questions: &[T],
) -> anyhow::Result<Vec<Answer>> {
    let lines: Result<Vec<String>, _> = questions.iter().map(serde_json::to_string).collect();
    let said = python.pipe(&format!("{script}{ANSWERS}"), &[], &lines?.join("\n"))?;
    let answer = |line: &str| {
        serde_json::from_str(line).with_context(|| format!("an answer that is none: {line}"))
    };
    let answers: Vec<Answer> = said.lines().map(answer).collect::<anyhow::Result<_>>()?;
    let [asked, answered] = [questions.len(), answers.len()];
    ensure!(asked == answered, "{answered} answers to {asked} questions");
    Ok(answers)
}
