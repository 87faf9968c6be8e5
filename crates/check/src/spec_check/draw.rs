//! Draws specifications and shapes.

use lozenge_notation::Style;

use crate::{Generator, border::Border};

use super::model::{Axis, DimModel, Factor, Part, Row, ShapeModel, SpecModel, Tree};

/// Names of axes that are words; each kind of name has its own, for none may be two kinds of thing.
const WORDS: &[&str] = &[
    "a",
    "b",
    "h",
    "w",
    "oh",
    "kh",
    "batch",
    "input",
    "output",
    "height",
    "bt0",
    "x_1",
    "in_ch",
    "B",
    "βάθος",
    "å",
    "i2",
];
const ROWS: &[&str] = &["r", "rest", "row_2", "ρ"];
const INDICES: &[&str] = &["t", "step", "t0"];
const COEFFICIENTS: &[&str] = &["s", "stride", "d2"];

pub(super) fn style(rng: &mut Generator) -> Style {
    [Style::Letters, Style::Blanks, Style::Commas][rng.usize(..3)]
}

pub(super) fn spec(rng: &mut Generator, style: Style) -> SpecModel {
    let operands = 1 + rng.usize(..3);
    let mut slot = || [0, 1, 2].map(|_| row(rng, style));
    let operands = (0..operands).map(|_| slot()).collect();
    SpecModel { operands, result: slot() }
}

fn row(rng: &mut Generator, style: Style) -> Row<Axis> {
    if rng.u8(..3) == 0 {
        return Row { before: vec![], ellipsis: None, after: vec![] };
    }
    let rank = rng.usize(..4);
    let mut axes: Vec<Axis> = (0..rank).map(|_| axis(rng, style)).collect();
    if style == Style::Letters {
        // Two numbers without anything between them would be one.
        for i in 1..rank {
            if let [Axis::Fixed(_), second @ Axis::Fixed(_)] = &mut axes[i - 1..=i] {
                *second = Axis::Plain(None);
            }
        }
    }
    split(rng, axes)
}

/// With or without an ellipsis, somewhere.
fn split<T: Clone>(rng: &mut Generator, entries: Vec<T>) -> Row<T> {
    if rng.bool() {
        return Row { before: vec![], ellipsis: None, after: entries };
    }
    let at = rng.usize(..=entries.len());
    let ellipsis = if rng.bool() { format!("..{}..", pick(rng, ROWS)) } else { "...".to_owned() };
    let (before, after) = entries.split_at(at);
    Row { before: before.to_vec(), ellipsis: Some(ellipsis), after: after.to_vec() }
}

fn axis(rng: &mut Generator, style: Style) -> Axis {
    if style == Style::Letters {
        return match rng.u8(..8) {
            0 => Axis::Fixed(rng.u64(..20)),
            1 => Axis::Plain(None),
            2 => Axis::Runtime(pick(rng, &["t", "τ"])),
            _ => Axis::Plain(Some(pick(rng, &["a", "b", "i", "j", "K", "é"]))),
        };
    }
    match rng.u8(..12) {
        0 => Axis::Fixed(number(rng)),
        1 => Axis::Runtime(pick(rng, INDICES)),
        2 => affine(rng, false),
        3 | 4 => affine(rng, true),
        5 => concat(rng),
        6 => merged(rng),
        _ => Axis::Plain(label(rng)),
    }
}

fn affine(rng: &mut Generator, window: bool) -> Axis {
    let over = label(rng);
    let window = window.then(|| (Border::draw(rng, 12), factor(rng), label(rng)));
    // Without a window there has to be a stride.
    let stride = loop {
        let stride = factor(rng);
        if window.is_some() || stride != Factor::Number(1) {
            break stride;
        }
    };
    let offset = match &stride {
        Factor::Number(stride) => rng.u64(..*stride),
        Factor::Named(_) => rng.u64(..5),
    };
    let loose = window.is_none() && rng.bool();
    Axis::Affine { stride, over, offset, loose, window }
}

fn concat(rng: &mut Generator) -> Axis {
    let mut parts: Vec<Part> = (0..2 + rng.usize(..3)).map(|_| part(rng, false)).collect();
    if parts.iter().all(|part| matches!(part, Part::Size(_))) {
        parts[0] = Part::Axis(Some(pick(rng, WORDS)));
    }
    Axis::Concat(parts)
}

fn merged(rng: &mut Generator) -> Axis {
    let factors: Vec<Part> = (0..=rng.usize(..3)).map(|_| part(rng, true)).collect();
    match &factors[..] {
        [Part::Axis(name)] => Axis::Plain(name.clone()),
        _ => Axis::Merged(factors),
    }
}

fn part(rng: &mut Generator, fresh: bool) -> Part {
    match rng.u8(..5) {
        0 => Part::Size(number(rng) + 1),
        1 if fresh => Part::Axis(None),
        _ => Part::Axis(Some(pick(rng, WORDS))),
    }
}

fn label(rng: &mut Generator) -> Option<String> {
    (rng.u8(..6) > 0).then(|| pick(rng, WORDS))
}

fn factor(rng: &mut Generator) -> Factor {
    match rng.u8(..4) {
        0 => Factor::Named(pick(rng, COEFFICIENTS)),
        1 => Factor::Number(1),
        _ => Factor::Number(number(rng) + 1),
    }
}

/// Small mostly, and the largest there is.
fn number(rng: &mut Generator) -> u64 {
    if rng.u8(..50) == 0 { (1 << 63) - 2 } else { rng.u64(..30) }
}

fn pick(rng: &mut Generator, names: &[&str]) -> String {
    names[rng.usize(..names.len())].to_owned()
}

pub(super) fn shape(rng: &mut Generator) -> ShapeModel {
    [0, 1, 2].map(|_| {
        let rank = rng.usize(..4);
        let dims: Vec<DimModel> = (0..rank).map(|_| dim(rng)).collect();
        split(rng, dims)
    })
}

fn dim(rng: &mut Generator) -> DimModel {
    let basis = |rng: &mut Generator| (rng.u8(..3) == 0).then(|| pick(rng, &["rgb", "x_y", "é1"]));
    match rng.u8(..13) {
        0 => DimModel::Unit,
        1 => DimModel::Unknown,
        10 => DimModel::Met,
        11 => DimModel::AtRunTime(None),
        12 => DimModel::AtRunTime(Some(pick(rng, &["batch", "n", "seq_len", "ñ2"]))),
        8 | 9 => match tree(rng, 3) {
            Tree::Number(number) => DimModel::Number(number, None),
            Tree::Named(name) => DimModel::Named(name, None),
            tree => DimModel::Computed(tree),
        },
        2 | 3 => {
            let name = pick(rng, &["batch", "n", "input", "ñ2", "seq_len", "n_", "x_y"]);
            DimModel::Named(name, basis(rng))
        }
        _ => DimModel::Number(number(rng) + 1, basis(rng)),
    }
}

/// A computed size with at most so many parts in each other.
fn tree(rng: &mut Generator, depth: u8) -> Tree {
    let parts = |rng: &mut Generator| -> Vec<Tree> {
        (0..rng.usize(2..5)).map(|_| tree(rng, depth - 1)).collect()
    };
    match rng.u8(..6) {
        0 if depth > 0 => {
            let parts = parts(rng).into_iter().enumerate();
            Tree::Sum(parts.map(|(place, part)| (place > 0 && rng.bool(), part)).collect())
        }
        1 if depth > 0 => Tree::Product(parts(rng)),
        2 if depth > 0 => {
            let of = Box::new(tree(rng, depth - 1));
            Tree::Quotient(of, (0..rng.usize(1..4)).map(|_| tree(rng, depth - 1)).collect())
        }
        3 => Tree::Number(number(rng) + 1),
        _ => Tree::Named(pick(rng, &["batch", "n", "seq_len", "n_", "ñ2"])),
    }
}
