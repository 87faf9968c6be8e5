//! `numpy`: NumPy's broadcasting held against NumPy.
//!
//! Specifications of `einsum` and shapes of its operands are drawn with ones, zeros, ellipses, repeats and mistakes, and
//! shapes of pointwise operands likewise. Both sides accept the same and give results of the same shapes; some of the
//! results are computed. What is refused is asked for its message as well.

use anyhow::ensure;
use lozenge::{Einsum, Kind, Report, Session, Tensor};
use lozenge_check::Generator;
use lozenge_lower::Nest;
use lozenge_notation::{Dialect, parse_as};
use ndarray::ArrayD;
use serde::{Deserialize, Serialize};

use crate::{parallel, python::Environment};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many specifications to draw.
    #[arg(long, default_value_t = 20_000)]
    cases: u64,
    /// How many pointwise operations to draw.
    #[arg(long, default_value_t = 100_000)]
    pointwise: u64,
    /// Where the generator starts; the same seed draws the same cases.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// The NumPy whose behaviour this is: what it does with a letter that one operand has twice was another thing before.
const NUMPY: &str = "numpy==2.4.6";

/// How many mismatches are printed.
const PRINTED: usize = 20;

/// Results of no more elements are computed.
const MOST_ELEMENTS: u64 = 64;

const SCRIPT: &str = r"
import json, sys
import numpy as np

# Of a letter that an operand has twice a size of 0 is taken for one that is not known yet, and NumPy 2.4.6 reads beyond
# the end of the array: 'ccc->c' of (0, 3, 3). That is nothing to be like.
def reads_beyond(spec, shapes):
    for letters, shape in zip(spec.replace(' ', '').split('->')[0].split(','), shapes):
        before, _, after = letters.partition('...')
        pairs = list(zip(before, shape)) + list(zip(reversed(after), reversed(shape)))
        sizes = {}
        for letter, size in pairs:
            sizes.setdefault(letter, set()).add(size)
        if any(0 in found and len(found) > 1 for found in sizes.values()):
            return True
    return False

def einsum(spec, shapes):
    if reads_beyond(spec, shapes):
        raise ValueError
    filled = [(np.arange(np.prod(s, dtype=int)) * 7 % 11 - 5).reshape(s) for s in shapes]
    made = np.einsum(spec, *filled)
    return {'shape': list(made.shape), 'elements': made.flatten().tolist() if made.size <= 64 else None}

for line in sys.stdin:
    case = json.loads(line)
    try:
        if case['spec'] is None:
            said = {'shape': list(np.broadcast_shapes(*map(tuple, case['shapes']))), 'elements': None}
        else:
            said = einsum(case['spec'], case['shapes'])
    except ValueError:
        said = None
    print(json.dumps(said))
";

/// A specification, or none for a pointwise operation, and the shapes of the operands.
#[derive(Serialize)]
struct Case {
    spec: Option<String>,
    shapes: Vec<Vec<u64>>,
}

/// What comes out, where nothing is refused.
#[derive(Deserialize, PartialEq, Debug)]
struct Made {
    shape: Vec<u64>,
    elements: Option<Vec<i64>>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let python = Environment::with("numpy-pinned", &[NUMPY])?;
    println!("{NUMPY} seed={}", args.seed);
    let of = |case: u64| {
        let mut rng = Generator::new(args.seed, case);
        if case < args.cases { specification(&mut rng) } else { pointwise(&mut rng) }
    };
    let all: Vec<Case> = (0..args.cases + args.pointwise).map(of).collect();
    let lines: Result<Vec<String>, _> = all.iter().map(serde_json::to_string).collect();
    let answers = python.pipe(SCRIPT, &[], &(lines?.join("\n") + "\n"))?;
    let theirs: Result<Vec<Option<Made>>, _> = answers.lines().map(serde_json::from_str).collect();
    let theirs = theirs?;
    ensure!(theirs.len() == all.len(), "NumPy answered {} of {}", theirs.len(), all.len());

    let ours: Vec<(usize, Result<Made, String>)> = parallel::run(
        all.len() as u64,
        |case, made: &mut Vec<_>| {
            let place = usize::try_from(case).unwrap_or(0);
            made.push((place, ours(&all[place])));
        },
        Vec::extend,
    );
    let mut counts = [[0_u64; 2]; 2];
    let (mut computed, mut mismatches) = (0_u64, vec![]);
    for (place, ours) in &ours {
        let (case, theirs) = (&all[*place], &theirs[*place]);
        counts[usize::from(case.spec.is_none())][usize::from(theirs.is_none())] += 1;
        computed += u64::from(theirs.as_ref().is_some_and(|made| made.elements.is_some()));
        if ours.as_ref().ok() != theirs.as_ref() {
            mismatches.push((*place, ours, theirs));
        }
    }
    mismatches.sort_by_key(|(place, ..)| *place);
    for (place, ours, theirs) in mismatches.iter().take(PRINTED) {
        let Case { spec, shapes } = &all[*place];
        println!("case {place}: {spec:?} {shapes:?}\n  Lozenge: {ours:?}\n  NumPy: {theirs:?}");
    }
    let [[accepted, refused], [broadcast, not_broadcast]] = counts;
    println!("einsum: accepted={accepted} refused={refused} computed={computed}");
    println!("pointwise: accepted={broadcast} refused={not_broadcast}");
    println!("cases={} pointwise={} mismatches={}", args.cases, args.pointwise, mismatches.len());
    ensure!(mismatches.is_empty(), "{} mismatches", mismatches.len());
    Ok(())
}

/// The sizes of letters, of which a few are drawn as ones.
fn size(rng: &mut Generator) -> u64 {
    match rng.u8(0..40) {
        0 => 0,
        1..=6 => 1,
        n => u64::from(n % 3) + 2,
    }
}

/// Something that is close to a specification of NumPy's, and shapes that are close to those it reads.
fn specification(rng: &mut Generator) -> Case {
    let mut letters: Vec<char> = ('a'..='z').chain('A'..='Z').collect();
    rng.shuffle(&mut letters);
    letters.truncate(rng.usize(1..=5));
    let sizes: Vec<u64> = letters.iter().map(|_| size(rng)).collect();
    let common: Vec<u64> = (0..rng.usize(0..=2)).map(|_| size(rng)).collect();
    let has_ellipses = rng.u8(0..3) == 0;
    let (mut operands, mut shapes) = (vec![], vec![]);
    for _ in 0..rng.usize(1..=3) {
        let mut entries: Vec<usize> =
            (0..rng.usize(0..=3)).map(|_| rng.usize(0..letters.len())).collect();
        if rng.u8(0..3) > 0 {
            entries.sort_unstable();
            entries.dedup();
            rng.shuffle(&mut entries);
        }
        let mut text: Vec<String> = entries.iter().map(|at| letters[*at].to_string()).collect();
        // An operand has some ones of its own: all places of a letter, or one of them.
        let ones: Vec<bool> = letters.iter().map(|_| rng.u8(0..5) == 0).collect();
        let read = |at: &usize| if ones[*at] { 1 } else { sizes[*at] };
        let mut shape: Vec<u64> = entries.iter().map(read).collect();
        if has_ellipses && rng.u8(0..4) > 0 {
            let place = rng.usize(0..=text.len());
            let kept = rng.usize(0..=common.len());
            let or_one = |n: &u64| if rng.u8(0..5) == 0 { 1 } else { *n };
            let taken: Vec<u64> = common[kept..].iter().map(or_one).collect();
            shape.splice(place..place, taken);
            text.insert(place, "...".to_owned());
        }
        match rng.u8(0..25) {
            0 if !shape.is_empty() => {
                let place = rng.usize(0..shape.len());
                shape[place] = size(rng);
            }
            1 => shape.push(size(rng)),
            2 => drop(shape.pop()),
            _ => {}
        }
        operands.push(text.concat());
        shapes.push(shape);
    }
    let comma = if rng.u8(0..6) == 0 { ", " } else { "," };
    let mut spec = operands.join(comma);
    if rng.u8(0..4) > 0 {
        let mut result: Vec<char> = letters.clone();
        result.retain(|letter| spec.contains(*letter));
        rng.shuffle(&mut result);
        result.truncate(rng.usize(0..=result.len()));
        let mut result: Vec<String> = result.iter().map(char::to_string).collect();
        if has_ellipses != (rng.u8(0..8) == 0) {
            result.insert(rng.usize(0..=result.len()), "...".to_owned());
        }
        match rng.u8(0..40) {
            0 => result.push(letters[0].to_string()),
            1 => result.push("q".to_owned()),
            _ => {}
        }
        spec += if rng.u8(0..6) == 0 { " -> " } else { "->" };
        spec += &result.concat();
    }
    Case { spec: Some(spec), shapes }
}

/// Shapes of which most broadcast.
fn pointwise(rng: &mut Generator) -> Case {
    let common: Vec<u64> = (0..rng.usize(0..=5)).map(|_| size(rng)).collect();
    let mut shapes = vec![];
    for _ in 0..rng.usize(1..=4) {
        let from = rng.usize(0..=common.len());
        let mut shape = common[from..].to_vec();
        for axis in &mut shape {
            match rng.u8(0..30) {
                0..=7 => *axis = 1,
                8 => *axis = size(rng),
                _ => {}
            }
        }
        shapes.push(shape);
    }
    Case { spec: None, shapes }
}

fn ours(case: &Case) -> Result<Made, String> {
    answer(case).map_err(|rejection| {
        let said = rejection.diagnostics.iter().map(|said| said.headline.clone());
        said.collect::<Vec<String>>().join("; ")
    })
}

fn answer(Case { spec, shapes }: &Case) -> Result<Made, Report> {
    let mut session = Session::new();
    let mut operands: Vec<Tensor> = vec![];
    for shape in shapes {
        let axes: Vec<String> = shape.iter().map(u64::to_string).collect();
        operands.push(session.data(&format!("x{}", operands.len()), &axes.join(",")[..])?);
    }
    let result = match spec {
        Some(spec) => {
            let einsum = Einsum::of(parse_as(spec, Dialect::Numpy).ok()?, &[])?;
            session.apply(einsum, &operands)?
        }
        None => session.pointwise_numpy("f", &operands)?,
    };
    let closed = session.close()?;
    let axes = closed.shape(result)?;
    let shape: Vec<u64> =
        axes.row(Kind::Output).iter().map(|axis| axis.count().unwrap_or(u64::MAX)).collect();
    let is_computed = spec.is_some() && shape.iter().product::<u64>() <= MOST_ELEMENTS;
    let elements = if is_computed {
        let assignment = session.assignment(&closed, result)?;
        computed(&Nest::new(assignment), shapes)
    } else {
        None
    };
    Ok(Made { shape, elements })
}

/// The elements that a nest makes of operands of these shapes; `None` where it does not.
fn computed(nest: &Nest, shapes: &[Vec<u64>]) -> Option<Vec<i64>> {
    let filled = |shape: &Vec<u64>| {
        let sizes: Option<Vec<usize>> = shape.iter().map(|n| usize::try_from(*n).ok()).collect();
        let sizes = sizes?;
        let count: usize = sizes.iter().product();
        let elements = (0..count).map(|n| i64::try_from(n * 7 % 11).unwrap_or(0) - 5).collect();
        ArrayD::from_shape_vec(sizes, elements).ok()
    };
    let operands: Option<Vec<ArrayD<i64>>> = shapes.iter().map(filled).collect();
    let operands = operands?;
    let views: Vec<_> = operands.iter().map(ArrayD::view).collect();
    let made = lozenge_lower::execute(nest, &[], &views).ok()?;
    Some(made.iter().copied().collect())
}
