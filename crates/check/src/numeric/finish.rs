//! Random cases, valid by construction: drafts with a text, numbers for their names, and elements.

use std::collections::{BTreeMap, BTreeSet};

use lozenge::Accumulation;

use super::{
    case::{Case, Form},
    construct::{constructs, of_combining},
    draft::{Axis, Combine, Draft, Name, RowName, Slot},
    draw::Drawer,
    scalar::Scalar,
    spell::spell,
    whole,
};
use crate::Generator;

/// The most that a case may have; a larger one is drawn again.
const MOST_POINTS: u64 = 3_000;
const MOST_ELEMENTS: u64 = 600;
const MOST_AXES: usize = 8;

/// A case whose names have at most this size. A plain one combines and accumulates as JAX does.
pub fn draw(rng: &mut Generator, largest: u64, is_plain: bool) -> Case {
    if !is_plain && rng.u8(..10) == 0 {
        return whole::draw(rng);
    }
    loop {
        let draft = Drawer::draw(rng, largest);
        let fits = |slot| {
            let axes: usize = draft.shape(slot).iter().map(Vec::len).sum();
            draft.elements(slot) <= MOST_ELEMENTS && axes <= MOST_AXES
        };
        if draft.slots().all(fits) && draft.points() <= MOST_POINTS && draft.is_meaningful() {
            return finish(rng, draft, is_plain);
        }
    }
}

/// The text of a draft, numbers for its names, and elements for its tensors.
fn finish(rng: &mut Generator, draft: Draft, is_plain: bool) -> Case {
    let (spec, names, coefficients) = spell(rng, &draft);
    let mut numbers = coefficients;
    let mut indices = vec![];
    let mut positions = BTreeMap::new();
    for axis in draft.slots().flat_map(Slot::axes) {
        if let Axis::Runtime(name) = axis {
            if !positions.contains_key(name) {
                let position = rng.u64(..draft.sizes[*name]);
                numbers.push((names[*name], draft.sizes[*name]));
                indices.push((names[*name], position));
                positions.insert(*name, position);
            }
        }
    }
    let used: BTreeSet<Name> = draft.slots().flat_map(Slot::names).collect();
    // Some that would be found are given as well.
    let mut given: BTreeSet<Name> = used.iter().copied().filter(|_| rng.u8(..20) == 0).collect();
    let mut rest: Vec<Name> = used.iter().copied().collect();
    rng.shuffle(&mut rest);
    for name in rest {
        if !draft.determined(&given).contains(&name) {
            given.insert(name);
        }
    }
    numbers.extend(given.iter().map(|name| (names[*name], draft.sizes[*name])));
    rng.shuffle(&mut numbers);
    let mut values = vec![];
    for (tensor, slot) in draft.tensors.iter().zip(&draft.operands) {
        if *tensor == values.len() {
            values.push((0..draft.elements(slot)).map(|_| rng.i8(-4..=4)).collect());
        }
    }
    let mut made = Case {
        form: Form::Einsum,
        spec,
        shapes: draft.operands.iter().map(|slot| draft.shape(slot)).collect(),
        slots: draft.tensors.clone(),
        values,
        numbers,
        indices,
        combine: None,
        accumulate: "",
        value: None,
        onto: None,
        element: "f64",
        result: draft.shape(&draft.result),
        constructs: constructs(&draft),
        draft: None,
    };
    if is_plain || rng.bool() {
        let combine = if rng.u8(..3) > 0 { Combine::Multiply } else { Combine::Add };
        (made.combine, made.accumulate) =
            (Some(combine), ["sum", "sum", "max", "min"][rng.usize(..4)]);
        made.constructs.extend(of_combining(&draft, combine, made.accumulate));
        made.draft = Some((draft, positions));
        return made;
    }
    let scalar = Scalar::draw(rng, draft.operands.len(), &accumulations(&draft));
    if !scalar.is_erasing {
        let cells = draft.elements(&draft.result);
        made.onto = Some((0..cells).map(|_| rng.i8(-4..=4)).collect());
    }
    (made.accumulate, made.element) = (scalar.accumulation.name(), scalar.element);
    made.constructs.extend(scalar.constructs());
    made.value = Some(scalar.value);
    made.draft = Some((draft, positions));
    made
}

/// The accumulations whose result neither depends on the order of points nor leaves the range of
/// numbers.
fn accumulations(draft: &Draft) -> Vec<Accumulation> {
    let is_window = |axis: &Axis| matches!(axis, Axis::Window(_));
    let written: BTreeSet<Name> = draft.result.names().collect();
    let mut read = draft.operands.iter().flat_map(Slot::names);
    let mut rows = draft.operands.iter().flat_map(Slot::variables);
    let kept: BTreeSet<RowName> = draft.result.variables().collect();
    let is_summed = read.any(|name| !written.contains(&name))
        || rows.any(|row| !kept.contains(&row))
        || draft.operands.iter().flat_map(Slot::axes).any(Axis::has_fresh);
    let cells = draft.elements(&draft.result).max(1);
    // Most constructs are drawn often enough without; those that seldom can be had are drawn more
    // often.
    let mut possible = Accumulation::ALL.to_vec();
    if is_summed || draft.result.axes().any(is_window) {
        possible.retain(|by| *by != Accumulation::Set);
    } else {
        possible.extend([Accumulation::Set; 3]);
    }
    if draft.points() / cells > 8 {
        possible.retain(|by| !matches!(by, Accumulation::Multiply | Accumulation::Divide));
    }
    possible
}
