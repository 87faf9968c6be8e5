//! Drawn cases, held against `jax.eval_shape`.

use std::collections::BTreeMap;

use super::{
    Answer, ask,
    case::{Case, Expected},
    own,
};
use crate::{parallel, python::Environment};

/// What came of the cases.
pub(super) struct Found {
    pub(super) documented: u64,
    pub(super) mismatches: Vec<String>,
}

/// Sizes come from JAX wherever it can find them: a reshape is asked for `-1`.
const SHAPES: &str = "
import os
os.environ['JAX_PLATFORMS'] = 'cpu'
import jax
from jax import lax, numpy

def image(case, sizes):
    return [case['batch'], *sizes, case['channels']]

def column(windows, name, ends=()):
    return [*ends, *(window[name] for window in windows), *ends]

def convolution(case):
    windows = case['windows']
    axes = 'DHW'[-len(windows):]
    names = ('N' + axes + 'C', axes + 'IO', 'N' + axes + 'C')
    kernel = [*column(windows, 'kernel'), case['read'], case['written']]
    return [image(case, column(windows, 'size')), kernel], lambda x, w: lax.conv_general_dilated(
        x, w, column(windows, 'stride'), column(windows, 'pads'),
        rhs_dilation=column(windows, 'dilation'), dimension_numbers=names)

def pool(case):
    windows = case['windows']
    kernel, stride, dilation = (column(windows, name, [1]) for name in ('kernel', 'stride', 'dilation'))
    return [image(case, column(windows, 'size'))], lambda x: lax.reduce_window(
        x, 0.0, lax.add, kernel, stride, column(windows, 'pads', [(0, 0)]), window_dilation=dilation)

def concatenate(case):
    return case['shapes'], lambda *x: numpy.concatenate(x, case['axis'])

def stack(case):
    return case['shapes'], lambda *x: numpy.stack(x, case['axis'])

def split(case):
    parts = case['parts']
    ends = [sum(parts[:i]) for i in range(1, len(parts))]
    return [case['shape']], lambda x: numpy.split(x, ends, case['axis'])

def space_to_depth(case):
    batch, sizes, blocks, n = case['batch'], case['sizes'], case['blocks'], len(case['sizes'])
    small = [size // block for size, block in zip(sizes, blocks)]
    def rearranged(x):
        pairs = [size for pair in zip(small, blocks) for size in pair]
        order = [0, *range(1, 2 * n, 2), *range(2, 2 * n + 1, 2), 2 * n + 1]
        return x.reshape(batch, *pairs, case['channels']).transpose(order).reshape(batch, *small, -1)
    return [image(case, sizes)], rearranged

def depth_to_space(case):
    batch, sizes, blocks, n = case['batch'], case['sizes'], case['blocks'], len(case['sizes'])
    def rearranged(x):
        order = [0, *(axis for i in range(n) for axis in (1 + i, 1 + n + i)), 2 * n + 1]
        apart = x.reshape(batch, *sizes, *blocks, -1).transpose(order)
        return apart.reshape(batch, *(size * block for size, block in zip(sizes, blocks)), -1)
    return [image(case, sizes)], rearranged

def shapes(case):
    operands, operation = globals()[case['operation']](case)
    operands = [jax.ShapeDtypeStruct(shape, numpy.float32) for shape in operands]
    return [result.shape for result in jax.tree.leaves(jax.eval_shape(operation, *operands))]
";

/// Asks JAX for the shapes of every case, and a session as well.
pub(super) fn check(python: &Environment, cases: u64, seed: u64) -> anyhow::Result<Found> {
    let cases: Vec<Case> =
        (0..cases).map(|case| Case::draw(&mut parallel::rng(seed, case))).collect();
    let mut found = Found { documented: 0, mismatches: vec![] };
    // By operation: those that fit, those that differ as documented, those that both refuse.
    let mut counts: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for (case, jax) in cases.iter().zip(ask(python, SHAPES, &cases)?) {
        let expected = case.expected();
        let own = own::shapes(case);
        let agree = match (expected, &jax, &own) {
            (Expected::Shapes, Answer::Shapes(jax), Ok(own)) => jax == own,
            (Expected::Documented(code), Answer::Shapes(_), Err(rejection))
            | (Expected::Refused(code), Answer::Refused(_), Err(rejection)) => {
                own::says(rejection, code)
            }
            _ => false,
        };
        let [fit, documented, refused] = counts.entry(case.name()).or_default();
        match expected {
            _ if !agree => {
                let (case, own) = (serde_json::to_string(case)?, own::answer(own));
                found.mismatches.push(format!("{case}: jax {jax}, lozenge {own}"));
            }
            Expected::Shapes => *fit += 1,
            Expected::Documented(_) => {
                *documented += 1;
                found.documented += 1;
            }
            Expected::Refused(_) => *refused += 1,
        }
    }
    for (name, [fit, documented, refused]) in &counts {
        println!("{name}: same={fit} documented={documented} both refuse={refused}");
    }
    Ok(found)
}
