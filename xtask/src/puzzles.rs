//! `puzzles`: the solutions of `docs/puzzles.md` held against the NumPy above them, on random
//! inputs.
//!
//! A solution is a program with values whose sizes have names and whose data may be `random`;
//! drawing both makes it a program that the tests of the reference executor can run too.

#[path = "../../crates/lower/tests/values/numbers.rs"]
mod numbers;
#[path = "../../crates/lower/tests/values/program.rs"]
mod program;

use std::{collections::BTreeMap, fmt::Write, path::Path};

use anyhow::{Context, bail, ensure};
use lozenge_check::Generator;
use ndarray::ArrayD;
use serde::{Deserialize, Serialize};

use self::program::Computed;
use crate::python::Environment;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of inputs to draw for each puzzle.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// Where the generator starts; the same seed draws the same inputs.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// The number of puzzles of the page.
const PUZZLES: usize = 18;

/// The largest size that is drawn.
const LARGEST: u64 = 6;

/// A puzzle of the page.
struct Puzzle<'a> {
    name: &'a str,
    /// Its definition in Python.
    defined: &'a str,
    /// Steps, and what Python is asked for.
    solutions: Vec<(&'a str, &'a str)>,
}

/// An array as JSON.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Held {
    shape: Vec<usize>,
    numbers: Vec<f64>,
}

/// What Python is asked.
#[derive(Serialize)]
struct Question<'a> {
    defined: &'a str,
    asked: &'a str,
    sizes: BTreeMap<&'a str, u64>,
    data: BTreeMap<String, Held>,
}

const SCRIPT: &str = "
import json, sys
import numpy as np
for line in sys.stdin:
    question = json.loads(line)
    names = {'np': np, **question['sizes']}
    for name, held in question['data'].items():
        names[name] = np.array(held['numbers'], dtype=float).reshape(held['shape'])
    exec(question['defined'], names)
    found = np.asarray(eval(question['asked'], names), dtype=float)
    print(json.dumps({'shape': found.shape, 'numbers': found.ravel().tolist()}))
";

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let python = Environment::with("numpy", &["numpy"])?;
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/puzzles.md");
    let page = std::fs::read_to_string(page)?;
    let puzzles = puzzles(&page)?;
    let mut random = Generator::new(args.seed, 0);
    println!("seed={}", args.seed);
    let (mut all, mut mismatches) = (0, 0);
    for puzzle in &puzzles {
        let (mut lines, mut own) = (String::new(), Vec::new());
        let solutions = puzzle.solutions.iter().cycle();
        // Each solution has its turn, however few inputs are wanted.
        let cases = usize::try_from(args.cases)?.max(puzzle.solutions.len());
        all += cases;
        for (steps, asked) in solutions.take(cases) {
            let (question, program, found) = puzzle.draw(steps, asked.trim(), &mut random)?;
            lines += &(serde_json::to_string(&question)? + "\n");
            own.push((program, found));
        }
        let said = python.pipe(SCRIPT, &[], &lines)?;
        let theirs: Result<Vec<Held>, _> = said.lines().map(serde_json::from_str).collect();
        let theirs = theirs.context("an answer that is no JSON")?;
        ensure!(theirs.len() == own.len(), "{} answers for {}", theirs.len(), puzzle.name);
        let pairs =
            || own.iter().zip(&theirs).filter(|((_, own), theirs)| held(&own.array) != **theirs);
        if let Some(((program, found), wanted)) = pairs().next() {
            let numbers = numbers::write(&found.array);
            println!("{program}---\n{}: {} = {numbers}\nnot {wanted:?}", found.name, found.shape);
        }
        let wrong = pairs().count();
        mismatches += wrong;
        println!("{}: cases={cases} mismatches={wrong}", puzzle.name);
    }
    println!("puzzles={} cases={all} mismatches={mismatches}", puzzles.len());
    ensure!(mismatches == 0, "{mismatches} mismatches");
    Ok(())
}

/// The puzzles of the page: a heading, a block of Python, and one of steps; where there are several
/// of steps, each solves a part of the inputs. Nothing on it is left out.
fn puzzles(page: &str) -> anyhow::Result<Vec<Puzzle<'_>>> {
    fn blocks<'a>(text: &'a str, fence: &str) -> anyhow::Result<Vec<&'a str>> {
        let fenced = text.split(fence).skip(1);
        let blocks = fenced.map(|block| block.split_once("```\n").map(|(block, _)| block));
        blocks.collect::<Option<_>>().context("a block without an end")
    }
    let mut puzzles: Vec<Puzzle<'_>> = Vec::new();
    for section in page.split("\n### ").skip(1) {
        let name = section.lines().next().unwrap_or_default();
        let [defined] = blocks(section, "```python\n")?[..] else {
            bail!("{name} is not defined once");
        };
        let solutions = blocks(section, "```puzzle\n")?;
        let solutions = solutions.into_iter().map(|block| block.split_once("\n---\n"));
        let solutions = solutions.collect::<Option<Vec<(&str, &str)>>>();
        let solutions = solutions.with_context(|| format!("{name} has a block without `---`"))?;
        ensure!(!solutions.is_empty(), "{name} is not solved");
        puzzles.push(Puzzle { name, defined, solutions });
    }
    let solved: usize = puzzles.iter().map(|puzzle| puzzle.solutions.len()).sum();
    let written = page.matches("```puzzle").count();
    ensure!(solved == written, "{solved} of {written} blocks are of a puzzle");
    ensure!(puzzles.len() == PUZZLES, "{} puzzles instead of {PUZZLES}", puzzles.len());
    Ok(puzzles)
}

impl<'a> Puzzle<'a> {
    /// Sizes and numbers, the program that they make, and what it gives.
    fn draw(
        &self,
        steps: &'a str,
        asked: &'a str,
        random: &mut Generator,
    ) -> anyhow::Result<(Question<'a>, String, Computed<f64>)> {
        let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
        let mut program = String::new();
        for line in steps.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["sizes", name, ">=", least] => {
                    let least = sizes.get(least).copied().or_else(|| least.parse().ok());
                    let least = least.with_context(|| format!("no size: {line}"))?;
                    sizes.insert(name, random.u64(least..=LARGEST));
                }
                ["sizes", ref names @ ..] => {
                    for name in names {
                        sizes.insert(name, random.u64(1..=LARGEST));
                    }
                }
                _ => {
                    let line = drawn(line, &sizes, random);
                    let _ = writeln!(program, "{line}");
                }
            }
        }
        let mut computed = match program::run::<f64>(&program) {
            Ok(computed) => computed,
            Err(rejection) => bail!("{}:\n{program}{rejection}", self.name),
        };
        let found = computed.pop().context("no steps")?;
        let given = computed.iter().filter(|tensor| !tensor.made);
        let data = given.map(|tensor| (tensor.name.clone(), held(&tensor.array))).collect();
        let question = Question { defined: self.defined, asked, sizes, data };
        Ok((question, program, found))
    }
}

/// A line with numbers for the names of sizes, and for `random`.
fn drawn(line: &str, sizes: &BTreeMap<&str, u64>, random: &mut Generator) -> String {
    let with_numbers = |text: &str, before: char| {
        let mut written = String::new();
        for word in text.split_inclusive([' ', ',', '=', '}', ':', '{']) {
            let name = word.trim_end_matches([' ', ',', '=', '}', ':', '{']);
            match sizes.get(name) {
                Some(size) if !word.ends_with(before) => {
                    let _ = write!(written, "{size}{}", &word[name.len()..]);
                }
                _ => written += word,
            }
        }
        written
    };
    if let Some((declared, values)) = line.strip_prefix("data ").and_then(|d| d.split_once(" = ")) {
        let declared = with_numbers(declared, ':');
        let shape = declared.split_once(':').map_or("", |(_, shape)| shape);
        let axes = shape.split(',').map(|axis| axis.trim().trim_end_matches('_'));
        let count: u64 = axes.filter_map(|axis| axis.parse::<u64>().ok()).product();
        let mut numbers = |below: i64, from: i64| -> String {
            let numbers = (0..count).map(|_| random.i64(from..below).to_string());
            numbers.collect::<Vec<_>>().join(" ")
        };
        let values = match values.strip_prefix("random") {
            None => values.to_owned(),
            Some("") => numbers(10, -9),
            Some(range) => {
                let below = range.trim().strip_prefix("0..").and_then(|name| sizes.get(name));
                numbers(below.map_or(2, |below| i64::try_from(*below).unwrap_or(2)), 0)
            }
        };
        return format!("data {declared} = {values}");
    }
    match line.split_once('{') {
        Some((before, behind)) => format!("{before}{{{}", with_numbers(behind, '=')),
        None => line.to_owned(),
    }
}

fn held(array: &ArrayD<f64>) -> Held {
    Held { shape: array.shape().to_vec(), numbers: array.iter().copied().collect() }
}
