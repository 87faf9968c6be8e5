//! `numeric`: random specifications, executed and held against NumPy, some of them against JAX as
//! well.
//!
//! Python reads the notation by itself. It knows of a case what a line of JSON says: the text, the
//! shapes of the operands, their elements, and numbers for names.

use std::{collections::BTreeMap, thread};

use anyhow::{Context, ensure};
use lozenge_check::{
    Generator,
    numeric::{self, Array, CONSTRUCTS, Case, Construct, scalar_constructs},
};

use crate::{cases::Cases, python::Environment};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    cases: Cases,
    /// The number of cases that JAX gets as well; a tenth where nothing is said.
    #[arg(long)]
    jax: Option<u64>,
}

/// The most mismatches that are printed; the first few say what is wrong.
const PRINTED: usize = 5;

/// From `MANY` cases on, every construct occurs this often; of fewer, half as often as that makes,
/// from the number on at which chance evens out.
const MANY: u64 = 20_000;
const LEAST: u64 = 500;
const LEAST_OF_SCALARS: u64 = 200;
const FEW: u64 = 2_000;

/// The least number of cases that have a construct; of the scalar part a case has few.
fn least(cases: u64, construct: Construct) -> u64 {
    let least = if CONSTRUCTS.contains(&construct) { LEAST } else { LEAST_OF_SCALARS };
    match cases {
        ..FEW => 0,
        FEW..MANY => least * cases / MANY / 2,
        MANY.. => least,
    }
}

/// Sizes of names. JAX compiles for every shape anew, so that it gets fewer of them.
const LARGEST: u64 = 5;
const LARGEST_FOR_JAX: u64 = 3;

const NUMPY: &str = concat!(
    include_str!("numeric/notation.py"),
    include_str!("numeric/truth.py"),
    "\nanswer(evaluate)\n"
);

const JAX: &str = concat!(
    include_str!("numeric/notation.py"),
    include_str!("numeric/second.py"),
    "\nanswer(evaluate)\n"
);

/// Cases with answers that were found by hand.
const EXAMPLES: &str = include_str!("numeric/examples.jsonl");

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let python = Environment::with("parity", crate::parity::PACKAGES)?;
    check_examples(&python)?;
    let (count, seed) = (args.cases.cases, args.cases.seed);
    let for_jax = args.jax.unwrap_or(count / 10).min(count);
    println!("seed={seed}");
    let draw = |case| {
        let is_plain = case < for_jax;
        let largest = if is_plain { LARGEST_FOR_JAX } else { LARGEST };
        numeric::draw(&mut Generator::new(seed, case), largest, is_plain)
    };
    let cases: Vec<Case> = (0..count).map(draw).collect();
    let numpy = ask(&python, NUMPY, &cases)?;
    let jax = ask(&python, JAX, &cases[..usize::try_from(for_jax)?])?;
    let mut mismatches = 0;
    for (number, (case, truth)) in cases.iter().zip(&numpy).enumerate() {
        let mut answers = vec![("lozenge", numeric::evaluate(case))];
        answers.extend(jax.get(number).map(|jax| ("jax", jax.clone())));
        for (who, answer) in answers {
            let agree = matches!((&answer, truth), (Ok(answer), Ok(truth)) if answer.agrees(truth, case.tolerance()));
            if agree {
                continue;
            }
            mismatches += 1;
            if mismatches <= PRINTED {
                println!("case {number}: {}", serde_json::to_string(case)?);
                println!("  numpy: {}\n  {who}: {}", said(truth), said(&answer));
            }
        }
    }
    let counts = table(&cases);
    println!("cases={count} jax={for_jax} mismatches={mismatches}");
    ensure!(mismatches == 0, "{mismatches} mismatches");
    for (construct, occurs) in counts {
        ensure!(occurs >= least(count, construct), "{construct}: {occurs} cases");
    }
    Ok(())
}

/// Holds both scripts against the examples, before anything is held against them.
fn check_examples(python: &Environment) -> anyhow::Result<()> {
    for script in [NUMPY, JAX] {
        let text = python.pipe(script, &[], EXAMPLES)?;
        for (example, line) in EXAMPLES.lines().zip(text.lines()) {
            let written: serde_json::Value = serde_json::from_str(example)?;
            let written = read(written["answer"].as_str().context("an example has an answer")?)?;
            let answer = read(line)?;
            let agree = matches!((&answer, &written), (Ok(a), Ok(b)) if a.agrees(b, 0.0));
            ensure!(agree, "{example}: {}", said(&answer));
        }
    }
    Ok(())
}

fn said(answer: &Result<Array, String>) -> String {
    match answer {
        Ok(Array { sizes, elements, .. }) => format!("{sizes:?} {elements:?}"),
        Err(why) => format!("refused: {why}"),
    }
}

/// Prints how often each construct occurs.
fn table(cases: &[Case]) -> BTreeMap<Construct, u64> {
    let mut counts: BTreeMap<Construct, u64> = BTreeMap::new();
    for construct in cases.iter().flat_map(|case| &case.constructs) {
        *counts.entry(construct).or_default() += 1;
    }
    println!("{:<40} {:>6}", "construct", "cases");
    for construct in CONSTRUCTS.iter().copied().chain(scalar_constructs()) {
        println!("{construct:<40} {:>6}", counts.entry(construct).or_default());
    }
    counts
}

/// What a script answers to every case, on two processes.
fn ask(
    python: &Environment,
    script: &str,
    cases: &[Case],
) -> anyhow::Result<Vec<Result<Array, String>>> {
    let half = |cases: &[Case]| -> anyhow::Result<Vec<Result<Array, String>>> {
        let lines: Result<Vec<String>, _> = cases.iter().map(serde_json::to_string).collect();
        let text = python.pipe(script, &[], &lines?.join("\n"))?;
        let answers: Vec<_> = text.lines().map(read).collect::<anyhow::Result<_>>()?;
        let [asked, answered] = [cases.len(), answers.len()];
        ensure!(asked == answered, "{answered} answers to {asked} cases");
        Ok(answers)
    };
    let (first, second) = cases.split_at(cases.len() / 2);
    thread::scope(|scope| {
        let first = scope.spawn(|| half(first));
        let second = half(second)?;
        let first = first.join().expect("reading answers does not panic")?;
        Ok([first, second].concat())
    })
}

/// `2 3 : 1.0 2.0 … : 3.0`, sizes, elements, and how large numbers were added; or `! why not`.
fn read(line: &str) -> anyhow::Result<Result<Array, String>> {
    if let Some(why) = line.strip_prefix('!') {
        return Ok(Err(why.trim().to_owned()));
    }
    let (sizes, elements) = line.split_once(':').context("an answer without a colon")?;
    let (elements, scale) = elements.split_once(':').unwrap_or((elements, "0"));
    let scale = scale.trim().parse()?;
    let sizes = sizes.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let elements = elements.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    Ok(Ok(Array { sizes, elements, scale }))
}
