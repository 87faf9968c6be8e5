//! Theorem 7.8: what a record must be, seen from its points.

use anyhow::{bail, ensure};
use lozenge_project::{Index, LoopId, Margin, Record, Slot, Term};

use super::plain::{Key, int};

/// The value of an index at a point; `None` if it needs a loop that does not run.
pub(super) fn value(index: &Index, loops: &[Option<u64>], symbols: &[u64]) -> Option<i128> {
    let running = |id: &LoopId| loops[id.0 as usize].map(i128::from);
    match index {
        Index::Iter(id) => running(id),
        Index::Fix(position) => Some(i128::from(*position)),
        Index::Symbol(id) => Some(i128::from(symbols[id.0 as usize])),
        Index::Affine(affine) => {
            let mut sum = i128::from(affine.offset);
            for (coefficient, term) in &affine.terms {
                sum += i128::from(*coefficient)
                    * match term {
                        Term::Loop(id) => running(id)?,
                        Term::Symbol(id) => i128::from(symbols[id.0 as usize]),
                        Term::Size(size) => i128::from(int(*size)),
                    };
            }
            Some(sum)
        }
        Index::Concat(concat) => {
            let mut parts = concat.parts.iter();
            parts.find_map(|(id, begin)| Some(running(id)? + i128::from(begin.number)))
        }
        Index::Merged(digits) => digits
            .iter()
            .try_fold(0, |above, (id, size)| Some(above * i128::from(int(*size)) + running(id)?)),
        Index::Digit(digit) => {
            let above = running(&digit.of)?.div_euclid(i128::from(digit.divisor));
            Some(digit.modulus.map_or(above, |size| above.rem_euclid(i128::from(size))))
        }
    }
}

/// Whether a supplied index decides where it is.
pub(super) fn is_moved(index: &Index) -> bool {
    match index {
        Index::Affine(affine) => {
            affine.terms.iter().any(|(_, term)| matches!(term, Term::Symbol(_)))
        }
        Index::Symbol(_) => true,
        Index::Iter(_) | Index::Fix(_) | Index::Concat(_) | Index::Merged(_) | Index::Digit(_) => {
            false
        }
    }
}

/// The indices of every slot at a point, `None` where it takes no part.
pub(super) fn indices(
    record: &Record,
    loops: &[Option<u64>],
    symbols: &[u64],
) -> Vec<Option<Vec<i128>>> {
    let of_slot = |slot: Slot| {
        let axes = record.map(slot).iter();
        axes.map(|axis| value(&axis.index, loops, symbols)).collect::<Option<Vec<i128>>>()
    };
    record.slots().map(of_slot).collect()
}

/// Whether something happens at a point with these indices: the result and an operand take part,
/// and nobody who takes part is in a margin.
pub(super) fn is_live(record: &Record, indices: &[Option<Vec<i128>>]) -> bool {
    let inside = |(slot, indices): (Slot, &Option<Vec<i128>>)| match indices {
        None => true,
        Some(indices) => record.map(slot).iter().zip(indices).all(|(axis, index)| {
            axis.margin.is_none() || (0..i128::from(int(axis.size))).contains(index)
        }),
    };
    indices[0].is_some()
        && (indices.len() == 1 || indices[1..].iter().any(Option::is_some))
        && record.slots().zip(indices).all(inside)
}

/// The indices at every point at which something happens, as keys, in order.
pub(super) fn points(record: &Record, symbols: &[u64]) -> Vec<u128> {
    let mut keys = vec![];
    record.for_each_point(symbols, &mut |point| {
        let found = indices(record, point.loops, symbols);
        if is_live(record, &found) {
            let mut key = Key::default();
            for (slot, indices) in record.slots().zip(&found) {
                match indices {
                    Some(indices) => indices.iter().for_each(|index| key.push(Some(*index))),
                    None => record.map(slot).iter().for_each(|_| key.push(None)),
                }
            }
            keys.push(key.0);
        }
    });
    keys.sort_unstable();
    keys
}

/// Checks forms, loops, bounds and margins. How many points there are.
pub(super) fn check(record: &Record, symbols: &[u64]) -> anyhow::Result<u64> {
    let mut mentioned = vec![false; record.loops().count()];
    for (slot, axis) in
        record.slots().flat_map(|slot| record.map(slot).iter().map(move |a| (slot, a)))
    {
        let mut loops: Vec<LoopId> = vec![];
        match &axis.index {
            Index::Iter(id) => loops.push(*id),
            Index::Fix(_) | Index::Symbol(_) => {}
            Index::Affine(affine) => {
                let terms = &affine.terms;
                let plain = match (&terms[..], affine.offset) {
                    ([], offset) => offset >= 0,
                    ([(1, _)], 0) => true,
                    _ => false,
                };
                ensure!(!plain, "{slot:?}: {:?} has a plainer form", axis.index);
                ensure!(terms.iter().all(|(c, _)| *c != 0), "{slot:?}: {affine:?} has a zero");
                ensure!(terms.is_sorted_by(|a, b| a.1 < b.1), "{slot:?}: {affine:?} repeats");
                loops.extend(terms.iter().filter_map(|(_, term)| match term {
                    Term::Loop(id) => Some(*id),
                    Term::Symbol(_) | Term::Size(_) => None,
                }));
            }
            Index::Concat(concat) => {
                let parts = &concat.parts;
                ensure!(parts.len() >= 2, "{slot:?}: a concatenation of {}", parts.len());
                loops.extend(parts.iter().map(|(id, _)| *id));
            }
            Index::Merged(_) => bail!("{slot:?}: {:?} has no open size", axis.index),
            Index::Digit(digit) => loops.push(digit.of),
        }
        for id in loops {
            ensure!((id.0 as usize) < mentioned.len(), "{slot:?}: {id:?} is no loop");
            mentioned[id.0 as usize] = true;
        }
    }
    ensure!(mentioned.iter().all(|mentioned| *mentioned), "a loop that no index mentions");
    let mut reach: Vec<Vec<Option<[i128; 2]>>> =
        record.slots().map(|slot| vec![None; record.map(slot).len()]).collect();
    let mut visited = 0;
    record.for_each_point(symbols, &mut |point| {
        visited += 1;
        for (indices, reach) in indices(record, point.loops, symbols).iter().zip(&mut reach) {
            for (index, reach) in indices.iter().flatten().zip(reach) {
                let [low, high] = reach.unwrap_or([*index; 2]);
                *reach = Some([low.min(*index), high.max(*index)]);
            }
        }
    });
    for (slot, reach) in record.slots().zip(reach) {
        for (axis, reach) in record.map(slot).iter().zip(reach) {
            let Some([low, high]) = reach else {
                bail!("{slot:?} takes part nowhere");
            };
            let Margin { left, right } = axis.margin.unwrap_or_default();
            let (left, right) = (i128::from(left), i128::from(right));
            let end = i128::from(int(axis.size)) + right;
            ensure!(
                low >= -left && high < end,
                "{slot:?}: {:?} reaches {low}..={high} of {:?}",
                axis.index,
                axis.size
            );
            if axis.margin.is_some() && !is_moved(&axis.index) {
                ensure!(left + right > 0, "{slot:?}: an empty margin");
                ensure!(left == 0 || low == -left, "{slot:?}: the left margin is too wide");
                ensure!(right == 0 || high == end - 1, "{slot:?}: the right margin is too wide");
            }
        }
    }
    Ok(visited)
}
