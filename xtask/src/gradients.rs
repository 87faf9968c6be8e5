//! `gradients`: gradients of operations and of random compositions, by central differences and
//! against JAX; and second derivatives against JAX.
//!
//! Python gets a composition as a line of JSON: what each tensor is made by and of, its shape, and
//! the elements of the leaves. It computes that by what the operations mean, and differentiates it
//! by itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, ensure};
use lozenge_check::{
    Generator,
    gradients::{self, Composition, DIFFERENCES, Derivatives, error},
};
use serde::Serialize;

use crate::{parallel, python::Environment};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of random compositions.
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// Where the generator starts; the same seed draws the same cases.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// The number of cases of each operation alone.
    #[arg(long, default_value_t = 8)]
    each: u64,
}

/// The part of a number that ours and JAX's may differ by.
const JAX: f64 = 1e-9;

/// The most mismatches that are printed.
const PRINTED: usize = 20;

/// How many cases one process of Python is asked.
const TOGETHER: usize = 250;

/// The number of perceptrons whose second derivatives are compared.
const PERCEPTRONS: u64 = 3;

const SCRIPT: &str = concat!(
    include_str!("numeric/notation.py"),
    include_str!("numeric/second.py"),
    include_str!("gradients/compositions.py"),
);

/// A composition that both sides differentiate.
struct Case {
    /// The row of the table that it counts in.
    row: String,
    /// What names it, beside the seed.
    number: u64,
    composition: Composition,
    found: Result<Derivatives, String>,
    is_twice: bool,
}

/// A composition as Python gets it.
#[derive(Serialize)]
struct Question<'a> {
    composition: &'a Composition,
    is_twice: bool,
}

/// A row of the table.
#[derive(Default)]
struct Row {
    cases: u64,
    elements: usize,
    difference: f64,
    jax: f64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    println!("seed={}", args.seed);
    let python = Environment::with("parity", crate::parity::PACKAGES)?;
    let mut mismatches = vec![];
    let mut total = 0;
    let first = operations(args);
    total += hold(&python, "operation", &first, args.seed, &mut mismatches)?;
    let second = second_derivatives(args);
    total += hold(&python, "second derivatives", &second, args.seed, &mut mismatches)?;
    total += hold(&python, "compositions", &compositions(args), args.seed, &mut mismatches)?;
    for mismatch in mismatches.iter().take(PRINTED) {
        println!("{mismatch}");
    }
    println!("cases={total} mismatches={}", mismatches.len());
    ensure!(mismatches.is_empty(), "{} mismatches", mismatches.len());
    Ok(())
}

/// A case that is drawn and differentiated.
fn case((row, number): (String, u64), drawn: Result<Composition, String>, is_twice: bool) -> Case {
    let (composition, found) = match drawn {
        Ok(composition) => {
            let of = if is_twice { gradients::second } else { gradients::differentiate };
            let found = of(&composition);
            (composition, found)
        }
        Err(said) => (Composition::default(), Err(said)),
    };
    Case { row, number, composition, found, is_twice }
}

/// Cases that are made on all cores, in the order of their numbers.
fn made(count: u64, make: impl Fn(u64) -> Case + Sync) -> Vec<Case> {
    let mut cases: Vec<(u64, Case)> = parallel::run(
        count,
        |number, cases: &mut Vec<(u64, Case)>| cases.push((number, make(number))),
        Vec::extend,
    );
    cases.sort_by_key(|(number, _)| *number);
    cases.into_iter().map(|(_, case)| case).collect()
}

/// Every operation alone, and what was worked out by hand.
fn operations(args: &Args) -> Vec<Case> {
    let names: Vec<&str> = gradients::operations().collect();
    let count = names.len() as u64 * args.each;
    let mut cases = made(count, |number| {
        let operation = usize::try_from(number / args.each).unwrap_or_default();
        let drawn = gradients::alone(&mut Generator::new(args.seed, number), operation);
        case((names[operation].to_owned(), number), drawn, false)
    });
    for (name, composition, gradient) in gradients::worked() {
        let found = gradients::plain(&composition).and_then(|found| {
            let is_same = found.gradient == gradient;
            is_same
                .then_some(found.clone())
                .ok_or(format!("{:?}, by hand {gradient:?}", found.gradient))
        });
        let row = format!("by hand: {name}");
        cases.push(Case { row, number: 0, composition, found, is_twice: false });
    }
    cases
}

/// Every operation between two that bend, and perceptrons.
fn second_derivatives(args: &Args) -> Vec<Case> {
    let names: Vec<&str> = gradients::operations().collect();
    let count = names.len() as u64;
    made(count + PERCEPTRONS, |number| {
        let rng = &mut Generator::new(!args.seed, number);
        let operation = usize::try_from(number).unwrap_or_default();
        let (name, drawn) = match names.get(operation) {
            Some(name) => (*name, gradients::bent(rng, operation)),
            None => ("perceptron", gradients::perceptron(rng)),
        };
        case((name.to_owned(), number), drawn, true)
    })
}

fn compositions(args: &Args) -> Vec<Case> {
    made(args.cases, |number| {
        // Beyond the numbers of operations alone.
        let drawn = gradients::composed(&mut Generator::new(args.seed, number + (1 << 32)));
        let count = drawn.as_ref().map_or(0, |made| made.names.len());
        case((format!("of {count} operations"), number), drawn, false)
    })
}

/// Holds cases against JAX, and prints a table of them.
fn hold(
    python: &Environment,
    title: &str,
    cases: &[Case],
    seed: u64,
    mismatches: &mut Vec<String>,
) -> anyhow::Result<usize> {
    let answers = ask(python, title, cases)?;
    let mut rows: Vec<(String, Row)> = vec![];
    for (case, answer) in cases.iter().zip(&answers) {
        let place = rows.iter().position(|(name, _)| *name == case.row).unwrap_or_else(|| {
            rows.push((case.row.clone(), Row::default()));
            rows.len() - 1
        });
        let row = &mut rows[place].1;
        row.cases += 1;
        let said = match (&case.found, answer) {
            (Ok(found), Ok(jax)) => {
                row.elements += found.gradient.len() + found.hessian.len();
                row.difference = row.difference.max(found.difference);
                let (worst, said) = apart(found, jax);
                row.jax = row.jax.max(worst);
                said
            }
            (Err(said), _) => Some(said.clone()),
            (_, Err(said)) => Some(format!("JAX: {said}")),
        };
        if let Some(said) = said {
            let Case { row, number, composition, .. } = case;
            mismatches.push(format!(
                "{title}, {row}: seed {seed}, case {number}: {said}\n    {composition}"
            ));
        }
    }
    rows.sort_by(|(one, _), (other, _)| one.cmp(other).then(one.len().cmp(&other.len())));
    println!("{title:<34} {:>6} {:>9} {:>12} {:>9}", "cases", "elements", "differences", "jax");
    for (name, row) in &rows {
        let Row { cases, elements, difference, jax } = row;
        println!("{name:<34} {cases:>6} {elements:>9} {difference:>12.1e} {jax:>9.1e}");
    }
    Ok(cases.len())
}

/// The largest error, and what is said of the first that is too large.
fn apart(found: &Derivatives, jax: &Derivatives) -> (f64, Option<String>) {
    debug_assert!(found.difference <= DIFFERENCES);
    let mut worst = error(found.loss, jax.loss);
    let mut said = (worst > JAX).then(|| format!("the sum is {}, JAX {}", found.loss, jax.loss));
    for (what, own, theirs) in [
        ("gradient", &found.gradient, &jax.gradient),
        ("second derivative", &found.hessian, &jax.hessian),
    ] {
        if own.len() != theirs.len() {
            said = Some(format!("{what}: {} elements, JAX {}", own.len(), theirs.len()));
        }
        for (place, (own, theirs)) in own.iter().zip(theirs).enumerate() {
            let by = error(*own, *theirs);
            worst = worst.max(by);
            if by > JAX && said.is_none() {
                said = Some(format!("{what} {place}: {own}, JAX {theirs}"));
            }
        }
    }
    (worst, said)
}

/// What JAX answers to every case. Compiling them takes it most of the time, so that as many run at
/// once as there are cores, and what is done is told on the way.
fn ask(
    python: &Environment,
    title: &str,
    cases: &[Case],
) -> anyhow::Result<Vec<Result<Derivatives, String>>> {
    let parts: Vec<&[Case]> = cases.chunks(TOGETHER).collect();
    let asked = AtomicUsize::new(0);
    let mut answers: Vec<(u64, anyhow::Result<Vec<_>>)> = parallel::run(
        parts.len() as u64,
        |number, answers: &mut Vec<_>| {
            let part = parts[usize::try_from(number).unwrap_or_default()];
            answers.push((number, ask_part(python, part)));
            let asked = asked.fetch_add(part.len(), Ordering::Relaxed) + part.len();
            eprintln!("{title}: JAX has answered {asked} of {}", cases.len());
        },
        Vec::extend,
    );
    answers.sort_by_key(|(number, _)| *number);
    let answers: anyhow::Result<Vec<Vec<_>>> = answers.into_iter().map(|(_, part)| part).collect();
    Ok(answers?.concat())
}

fn ask_part(
    python: &Environment,
    cases: &[Case],
) -> anyhow::Result<Vec<Result<Derivatives, String>>> {
    let question = |case: &Case| {
        let Case { composition, is_twice, .. } = case;
        serde_json::to_string(&Question { composition, is_twice: *is_twice })
    };
    let lines: Result<Vec<String>, _> = cases.iter().map(question).collect();
    let text = python.pipe(SCRIPT, &[], &lines?.join("\n"))?;
    let answers: Vec<_> = text.lines().map(read).collect::<anyhow::Result<_>>()?;
    let [asked, answered] = [cases.len(), answers.len()];
    ensure!(asked == answered, "{answered} answers to {asked} cases");
    Ok(answers)
}

/// `sum : gradient`, and ` : second derivatives` where they were wanted; or `! why not`.
fn read(line: &str) -> anyhow::Result<Result<Derivatives, String>> {
    if let Some(why) = line.strip_prefix('!') {
        return Ok(Err(why.trim().to_owned()));
    }
    let mut parts = line.split(':').map(|part| -> anyhow::Result<Vec<f64>> {
        Ok(part.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
    });
    let loss = parts.next().context("an answer without a sum")??;
    let gradient = parts.next().context("an answer without a gradient")??;
    let hessian = parts.next().transpose()?.unwrap_or_default();
    let loss = *loss.first().context("an answer without a sum")?;
    Ok(Ok(Derivatives { loss, gradient, hessian, difference: 0.0 }))
}
