//! NumPy's rules of broadcasting, by enumeration.

use std::collections::{BTreeMap, BTreeSet};

use super::case::{Case, MOST_ELEMENTS, Made, element};

/// What an axis of an operand is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    /// An axis of `...`, counted from the last.
    Row(usize),
    Letter(char),
}

/// What comes of a case by the rules; `None` where it is refused.
pub(super) fn answer(case: &Case) -> Option<Made> {
    match &case.spec {
        Some(spec) => einsum(spec, &case.shapes),
        None => Some(Made { shape: broadcast(&case.shapes)?, elements: None }),
    }
}

/// The shape to which all of these stretch.
fn broadcast(shapes: &[Vec<u64>]) -> Option<Vec<u64>> {
    let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
    let axis = |place: usize| {
        let sizes = shapes.iter().filter_map(|shape| shape.iter().rev().nth(place));
        sizes.copied().try_fold(1, join)
    };
    (0..rank).rev().map(axis).collect()
}

/// The size to which both stretch.
fn join(one: u64, other: u64) -> Option<u64> {
    match (one, other) {
        (1, size) | (size, 1) => Some(size),
        (one, other) => (one == other).then_some(one),
    }
}

fn einsum(spec: &str, shapes: &[Vec<u64>]) -> Option<Made> {
    let spec = spec.replace(' ', "");
    let (operands, result) = spec
        .split_once("->")
        .map_or((&spec[..], None), |(operands, result)| (operands, Some(result)));
    let mut read: Vec<Vec<Label>> = vec![];
    for (text, shape) in operands.split(',').zip(shapes) {
        read.push(labels(text, shape.len())?);
    }
    let mut sizes: BTreeMap<Label, u64> = BTreeMap::new();
    for (labels, shape) in read.iter().zip(shapes) {
        let mut own: BTreeMap<Label, u64> = BTreeMap::new();
        for (label, size) in labels.iter().zip(shape) {
            // A letter that an operand has twice is one axis: nothing is stretched there.
            if own.insert(*label, *size).is_some_and(|before| before != *size) {
                return None;
            }
        }
        for (label, size) in own {
            let known = sizes.get(&label).copied().unwrap_or(1);
            sizes.insert(label, join(known, size)?);
        }
    }
    let rows = sizes.keys().filter(|label| matches!(label, Label::Row(_))).count();
    let written = if let Some(text) = result {
        let written = written(text, rows)?;
        let is_known = written.iter().all(|label| sizes.contains_key(label));
        let is_once = written.iter().collect::<BTreeSet<_>>().len() == written.len();
        (is_known && is_once).then_some(written)?
    } else {
        let letters = operands.chars().filter(char::is_ascii_alphabetic);
        let is_once = |letter: &char| operands.matches(*letter).count() == 1;
        let mut letters: Vec<char> = letters.filter(is_once).collect();
        letters.sort_unstable();
        let rows = (0..rows).rev().map(Label::Row);
        rows.chain(letters.into_iter().map(Label::Letter)).collect()
    };
    let shape: Vec<u64> = written.iter().map(|label| sizes[label]).collect();
    let is_computed = shape.iter().product::<u64>() <= MOST_ELEMENTS;
    let elements = is_computed.then(|| elements(&read, shapes, &written, &sizes));
    Some(Made { shape, elements })
}

/// What the axes of an operand are called; `None` where there are too few or too many.
fn labels(text: &str, rank: usize) -> Option<Vec<Label>> {
    let letters = |text: &str| text.chars().map(Label::Letter).collect::<Vec<_>>();
    let Some((before, after)) = text.split_once("...") else {
        return Some(letters(text)).filter(|labels| labels.len() == rank);
    };
    let rows = rank.checked_sub(before.len() + after.len())?;
    Some([letters(before), (0..rows).rev().map(Label::Row).collect(), letters(after)].concat())
}

/// What the axes of the result are called; `None` where axes of `...` are left out.
fn written(text: &str, rows: usize) -> Option<Vec<Label>> {
    let places = text.replace("...", "").len();
    let has_row = text.contains("...");
    labels(text, places + if has_row { rows } else { 0 }).filter(|_| has_row || rows == 0)
}

/// The sums of products, at every place of the result one after another.
fn elements(
    read: &[Vec<Label>],
    shapes: &[Vec<u64>],
    written: &[Label],
    sizes: &BTreeMap<Label, u64>,
) -> Vec<i64> {
    let summed: Vec<Label> =
        sizes.keys().filter(|label| !written.contains(label)).copied().collect();
    let loops: Vec<(Label, u64)> =
        written.iter().chain(&summed).map(|label| (*label, sizes[label])).collect();
    let cells: u64 = written.iter().map(|label| sizes[label]).product();
    let mut result = vec![0; usize::try_from(cells).unwrap_or(0)];
    let points: u64 = loops.iter().map(|(_, size)| size).product();
    for point in 0..points {
        let mut rest = point;
        let mut at: BTreeMap<Label, u64> = BTreeMap::new();
        for (label, size) in loops.iter().rev() {
            at.insert(*label, rest % size);
            rest /= size;
        }
        // An axis of one element is stretched: everybody reads that element.
        let place = |labels: &[Label], shape: &[u64]| {
            let axes = labels.iter().zip(shape);
            let flat = axes.fold(0, |flat, (label, size)| flat * size + at[label].min(size - 1));
            usize::try_from(flat).unwrap_or(0)
        };
        let product: i64 =
            read.iter().zip(shapes).map(|(labels, shape)| element(place(labels, shape))).product();
        let shape: Vec<u64> = written.iter().map(|label| sizes[label]).collect();
        result[place(written, &shape)] += product;
    }
    result
}
