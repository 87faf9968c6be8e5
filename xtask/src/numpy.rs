//! `numpy`: NumPy's broadcasting held against NumPy.
//!
//! Specifications of `einsum` and shapes of its operands are drawn, and shapes of pointwise
//! operands likewise. Both sides accept the same and give results of the same shapes; some of the
//! results are computed. What is refused is asked for its message as well.

use anyhow::ensure;
use lozenge_check::{
    Generator,
    numpy::{Case, Counts, Made, answer, pointwise, specification},
};

use crate::{parallel, python::Environment};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of specifications to draw.
    #[arg(long, default_value_t = 20_000)]
    cases: u64,
    /// The number of pointwise operations to draw.
    #[arg(long, default_value_t = 100_000)]
    pointwise: u64,
    /// Where the generator starts; the same seed draws the same cases.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// The NumPy whose behaviour this is: what it does with a letter that one operand has twice was
/// another thing before.
const NUMPY: &str = "numpy==2.4.6";

/// The most mismatches that are printed.
const PRINTED: usize = 20;

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
            made.push((place, answer(&all[place])));
        },
        Vec::extend,
    );
    let (mut counts, mut mismatches) = (Counts::default(), vec![]);
    for (place, ours) in &ours {
        let (case, theirs) = (&all[*place], &theirs[*place]);
        counts.add(case, theirs.as_ref());
        if ours.as_ref().ok() != theirs.as_ref() {
            mismatches.push((*place, ours, theirs));
        }
    }
    mismatches.sort_by_key(|(place, ..)| *place);
    for (place, ours, theirs) in mismatches.iter().take(PRINTED) {
        let Case { spec, shapes } = &all[*place];
        println!("case {place}: {spec:?} {shapes:?}\n  Lozenge: {ours:?}\n  NumPy: {theirs:?}");
    }
    let Counts { specifications: [accepted, refused], pointwise, computed } = counts;
    let [broadcast, not_broadcast] = pointwise;
    println!("einsum: accepted={accepted} refused={refused} computed={computed}");
    println!("pointwise: accepted={broadcast} refused={not_broadcast}");
    println!("cases={} pointwise={} mismatches={}", args.cases, args.pointwise, mismatches.len());
    ensure!(mismatches.is_empty(), "{} mismatches", mismatches.len());
    Ok(())
}
