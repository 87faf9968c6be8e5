//! Drawn cases, held against `jax.eval_shape`.

use std::collections::BTreeMap;

use lozenge_check::{
    Generator,
    parity::{self, Case, Expected, Limits},
};

use super::answer::{Answer, ask, own};
use crate::python::Environment;

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

def slide(window):
    # As many as PyTorch has, by its formulas for strides, dilations, padding and ceil_mode; and what is padded.
    size, stride, offset = window['size'], window['stride'], window['offset']
    ends, (left, right) = window['border']['ends'], window['border']['margins']
    span = window['dilation'] * (window['kernel'] - 1) + 1
    if ends in ('padded', 'padded_loose'):
        left = (span - 1) // 2
        places = (size - 1) // stride + 1
    elif ends == 'begun':
        places = -((span - size - left - right) // stride) + 1
        if (places - 1) * stride >= size + left:
            places -= 1
    else:
        places = (size + left + right - span) // stride + 1
    if ends in ('valid', 'whole'):
        return places, (left - offset, right + offset)
    return places, (left - offset, (places - 1) * stride + span - size - left + offset)

def cropped(sizes, pads):
    # XLA's processor back end reads beyond an operand that is cropped by negative padding, and aborts where
    # windows have one element: so that is done before. What cannot be cropped is left for it to refuse.
    crops = [(min(left, 0), min(right, 0), 0) for left, right in pads]
    if any(size + left + right < 0 for size, (left, right, _) in zip(sizes, crops)):
        return pads, lambda x: x
    return [(max(left, 0), max(right, 0)) for left, right in pads], lambda x: lax.pad(x, numpy.float32(0), crops)

def convolution(case):
    windows = case['windows']
    for window in windows:
        window['places'], window['pads'] = slide(window)
    axes = 'DHW'[-len(windows):]
    names = ('N' + axes + 'C', axes + 'IO', 'N' + axes + 'C')
    kernel = [*column(windows, 'kernel'), case['read'], case['written']]
    sizes = image(case, column(windows, 'size'))
    pads, crop = cropped(sizes, column(windows, 'pads', [(0, 0)]))
    return [sizes, kernel], lambda x, w: lax.conv_general_dilated(
        crop(x), w, column(windows, 'stride'), pads[1:-1],
        rhs_dilation=column(windows, 'dilation'), dimension_numbers=names)

def pool(case):
    windows = case['windows']
    for window in windows:
        window['places'], window['pads'] = slide(window)
    kernel, stride, dilation = (column(windows, name, [1]) for name in ('kernel', 'stride', 'dilation'))
    sizes = image(case, column(windows, 'size'))
    pads, crop = cropped(sizes, column(windows, 'pads', [(0, 0)]))
    return [sizes], lambda x: lax.reduce_window(
        crop(x), 0.0, lax.add, kernel, stride, pads, window_dilation=dilation)

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
    made = [result.shape for result in jax.tree.leaves(jax.eval_shape(operation, *operands))]
    for window, found in zip(case.get('windows', []), made[0][1:]):
        if max(window['places'], 0) != found:
            return [[window['places']]]
    return made

def elements(case):
    operands, operation = globals()[case['operation']](case)
    if len(operands) > 1:
        *kernels, read, written = operands[1]
        operands[1] = [written, *kernels, read]
    filled = []
    for number, shape in enumerate(operands):
        flat = [(7 * i * i + 3 * i + 5 * number) % 11 - 5 for i in range(numpy.prod(numpy.array(shape)))]
        filled.append(numpy.array(flat, numpy.float32).reshape(shape))
    if len(operands) > 1:
        filled[1] = numpy.moveaxis(filled[1], 0, -1)
    result = operation(*filled)
    return [[int(size) for size in result.shape], [round(x) + 1_000_000 for x in result.flatten().tolist()]]
";

/// Asks JAX for the shapes of every case, and a session as well. So many more are windows.
pub(super) fn check(
    python: &Environment,
    cases: u64,
    windows: u64,
    seed: u64,
) -> anyhow::Result<Found> {
    let any = (0..cases).map(|case| Case::draw(&mut Generator::new(seed, case)));
    let windows =
        (cases..cases + windows).map(|case| parity::draw_windows(&mut Generator::new(seed, case)));
    let cases: Vec<Case> = any.chain(windows).collect();
    let mut found = Found { documented: 0, mismatches: vec![] };
    // By operation: those that fit, those that differ as documented, those that both refuse.
    let mut counts: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for (case, jax) in cases.iter().zip(ask(python, SHAPES, &cases)?) {
        let expected = case.expected();
        let answer = parity::shapes(case);
        let agree = match (expected, &jax, &answer) {
            (Expected::Shapes, Answer::Shapes(jax), Ok(own)) => jax == own,
            // Where no window lies on its axis, JAX may have as little to say.
            (Expected::Documented(code), _, Err(rejection))
            | (Expected::Refused(code), Answer::Refused(_), Err(rejection)) => {
                parity::says(rejection, code)
            }
            _ => false,
        };
        let [fit, documented, refused] = counts.entry(case.name()).or_default();
        match expected {
            _ if !agree => {
                let (case, own) = (serde_json::to_string(case)?, own(answer));
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

/// Computes windows, here by the reference executor and there.
pub(super) fn values(python: &Environment, cases: u64, seed: u64) -> anyhow::Result<Vec<String>> {
    let draw = |case| Case::draw_windows(&mut Generator::new(!seed, case), false, Limits::VALUES);
    let cases: Vec<Case> = (0..cases).map(draw).collect();
    let script = format!("{SHAPES}\nshapes = elements\n");
    let mut mismatches = vec![];
    for (case, jax) in cases.iter().zip(ask(python, &script, &cases)?) {
        let own = parity::elements(case).map_err(|said| anyhow::anyhow!("{said}"))?;
        if jax != Answer::Shapes(own) {
            mismatches.push(format!("{}: other elements than {jax}", serde_json::to_string(case)?));
        }
    }
    Ok(mismatches)
}
