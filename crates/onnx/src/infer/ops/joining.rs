//! Operators that put tensors together and take them apart: concatenation, splitting, slices,
//! padding, tiles.

use lozenge_calculus::number::length;
use smallvec::SmallVec;

use super::{
    super::{
        call::Call,
        known::{Known, Sizes},
        num::{Num, Truth},
        require::{Place, Stop},
        template::{Label, Template, Term, Word, letter},
        value::{Elem, MOST_ELEMENTS, Value},
    },
    Family,
    elements::{around, is_few, known_sizes, picked},
    pointwise::same,
};

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("CenterCropPad", center_crop_pad),
    ("Concat", concat),
    ("Pad", pad),
    ("ReverseSequence", same),
    ("Slice", slice),
    ("Split", split),
    ("Tile", tile),
    ("Trilu", trilu),
];

fn concat(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let first = call.shape(0)?.clone();
    let rank = first.len();
    let axis = Call::axis(call.int_or("axis", 1), rank)?;
    let count = call.input_count();
    let mut sizes = first;
    for input in 1..count {
        let other = call.shape_of_rank(input, rank)?;
        for (at, size) in other.iter().enumerate() {
            sizes[at] = if at == axis {
                call.nums.add(sizes[at], *size)
            } else {
                call.equal(sizes[at], Place::Axis(0, at), *size, Place::Axis(input, at))
            };
        }
    }
    if call.keeps_template {
        call.template = Some(concatenation(rank, axis, count));
    }
    let element = call.element(0);
    let values: Option<SmallVec<[(&Value, usize); 4]>> = (0..count)
        .map(|input| {
            let known = call.known(input).ok()?;
            Some((known.value.as_ref()?, known_sizes(known.shape.as_ref()?)?[axis]))
        })
        .collect();
    match (values, known_sizes(&sizes)) {
        (Some(values), Some(all)) => {
            let [before, behind] = around(&all, axis);
            let rows = (0..before).flat_map(|row| {
                values.iter().map(move |(part, length)| {
                    let step = length * behind;
                    part.get(row * step..(row + 1) * step)
                })
            });
            // Parts whose other sizes disagree have too few.
            match rows.collect::<Option<Vec<&[Elem]>>>() {
                Some(rows) => call.give_value(0, element, sizes, rows.concat()),
                None => call.give_sizes(0, element, sizes),
            }
        }
        // Of a list some elements may be known.
        (None, Some(all)) if rank == 1 && all[0] <= MOST_ELEMENTS => {
            let value = (0..count).flat_map(|input| match call.wholes(input) {
                Ok(elems) => elems
                    .into_iter()
                    .map(|num| num.map_or(Elem::Unknown, Elem::Whole))
                    .collect::<Vec<_>>(),
                Err(_) => vec![],
            });
            let value: Vec<Elem> = value.collect();
            call.give_value(0, element, sizes, value);
        }
        _ => call.give_sizes(0, element, sizes),
    }
    Ok(())
}

/// Parts one after the other along an axis.
fn concatenation(rank: usize, axis: usize, count: usize) -> Template {
    let part = |input: usize| Label(Word::new("p"), u16::try_from(input + 1).ok());
    let row = |input: Option<usize>| -> Vec<Term> {
        let term = |place: usize| match input {
            _ if place != axis => Term::Axis(letter(place)),
            Some(input) => Term::Axis(part(input)),
            None => Term::Joined((0..count).map(|input| Term::Axis(part(input))).collect()),
        };
        (0..rank).map(term).collect()
    };
    Template {
        operands: (0..count).map(|input| row(Some(input))).collect(),
        result: row(None),
        ..Template::default()
    }
}

fn split(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let axis = Call::axis(call.int_or("axis", 0), sizes.len())?;
    let count = call.output_count();
    let listed: Option<SmallVec<[Option<Num>; 4]>> = if call.version >= 13 {
        if call.has(1) { Some(call.wholes(1)?) } else { None }
    } else if call.version == 1 && call.has(1) {
        Some(call.wholes(1)?)
    } else {
        call.ints("split").map(|all| all.into_iter().map(|n| Some(Num::Int(n))).collect())
    };
    let whole = sizes[axis];
    let parts: SmallVec<[Num; 4]> = if let Some(parts) = listed {
        if parts.len() != count {
            return Err(Stop::Elements(1));
        }
        let all: SmallVec<[Num; 4]> = parts
            .iter()
            .enumerate()
            .map(|(part, size)| size.unwrap_or_else(|| call.fresh(part, 0, Some(whole))))
            .collect();
        let sum = all.iter().fold(Num::Int(0), |sum, part| call.nums.add(sum, *part));
        call.equal(whole, Place::Axis(0, axis), sum, Place::Input(1));
        all
    } else {
        let outputs = length(count).max(1);
        let most = call.int_or("num_outputs", outputs);
        // Before version 18 all parts are of one size; then the last is what is left.
        if call.version < 18 {
            let part = call.divided(whole, Num::Int(outputs), Place::Axis(0, axis));
            SmallVec::from_elem(part, count)
        } else {
            let part = call.nums.ceil(whole, most.max(1));
            let others = call.nums.mul(part, Num::Int(outputs - 1));
            let last = call.nums.sub(whole, others);
            call.at_least(last, 1, Place::Axis(0, axis));
            (0..count).map(|place| if place + 1 == count { last } else { part }).collect()
        }
    };
    let element = call.element(0);
    let value = call.value(0).cloned();
    let mut begin = 0_usize;
    for (output, part) in parts.into_iter().enumerate() {
        let mut own = sizes.clone();
        own[axis] = part;
        let mut known = Known::tensor(element, own);
        if let (Some(value), Some(all), Some(length)) =
            (&value, known_sizes(&sizes), part.as_int().and_then(|n| usize::try_from(n).ok()))
        {
            // Beyond the last element there is nothing to pick, however far.
            let end = begin.saturating_add(length);
            known.value = picked(value, &all, axis, &(begin..end).map(Some));
            begin = end;
        }
        call.give(output, known);
    }
    Ok(())
}

/// Where a slice of an axis begins and ends, and its step.
struct Cut {
    start: Option<Num>,
    end: Option<Num>,
    step: Option<i64>,
}

fn slice(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let old = call.shape(0)?.clone();
    let rank = old.len();
    let ints = |call: &Call<'_, '_>, name: &'static str| -> Option<SmallVec<[Option<Num>; 4]>> {
        Some(call.ints(name)?.into_iter().map(|n| Some(Num::Int(n))).collect())
    };
    let is_input = call.version >= 10;
    let (starts, ends) = if is_input {
        (call.wholes(1)?, call.wholes(2)?)
    } else {
        (
            ints(call, "starts").ok_or(Stop::Attribute("starts"))?,
            ints(call, "ends").ok_or(Stop::Attribute("ends"))?,
        )
    };
    let axes: Option<Vec<i64>> = if !is_input {
        call.ints("axes")
    } else if !call.has(3) {
        None
    } else if let Ok(axes) = call.known_ints(3) {
        Some(axes)
    } else {
        // Which axes are cut is not known, so any may be.
        let sizes: Sizes = (0..rank).map(|axis| call.fresh(axis, 0, Some(old[axis]))).collect();
        call.give_sizes(0, call.element(0), sizes);
        return Ok(());
    };
    let axes = axes.unwrap_or_else(|| (0..length(starts.len())).collect());
    let steps: SmallVec<[Option<Num>; 4]> = if is_input && call.has(4) {
        call.wholes(4)?
    } else {
        SmallVec::from_elem(Some(Num::ONE), starts.len())
    };
    if starts.len() != ends.len() || axes.len() != starts.len() || steps.len() != starts.len() {
        return Err(Stop::Elements(1));
    }
    let mut sizes = old.clone();
    let mut value = call.value(0).cloned();
    let mut known = known_sizes(&old);
    for (place, axis) in axes.iter().enumerate() {
        let axis = Call::axis(*axis, rank)?;
        let step = match steps[place] {
            Some(Num::Int(step)) => Some(step),
            _ => None,
        };
        if step == Some(0) {
            return Err(Stop::Elements(4));
        }
        let cut = Cut { start: starts[place], end: ends[place], step };
        let (size, begin) = cut_size(call, &cut, old[axis], axis);
        sizes[axis] = size;
        value = value.zip(known.as_ref()).and_then(|(value, all)| {
            let (begin, step) = (begin?, step?);
            let count = size.as_int().filter(|count| usize::try_from(*count).is_ok_and(is_few))?;
            let at = |n: i64| usize::try_from(n.checked_mul(step)?.checked_add(begin)?).ok();
            let positions = (0..count).map(at).collect::<Option<Vec<usize>>>()?;
            picked(&value, all, axis, &positions.into_iter().map(Some))
        });
        if let (Some(all), Some(count)) =
            (&mut known, size.as_int().and_then(|n| usize::try_from(n).ok()))
        {
            all[axis] = count;
        } else {
            known = None;
        }
    }
    let mut found = Known::tensor(call.element(0), sizes);
    found.value = value.filter(|value| found.count() == Some(value.len()));
    call.give(0, found);
    Ok(())
}

/// How many positions a slice takes of an axis; and the first, where it is known.
fn cut_size(call: &mut Call<'_, '_>, cut: &Cut, size: Num, axis: usize) -> (Num, Option<i64>) {
    let fresh = |call: &mut Call<'_, '_>| (call.fresh(axis, 0, Some(size)), None);
    let (Some(start), Some(end), Some(step)) = (cut.start, cut.end, cut.step) else {
        // From the start with an unknown end, or the like.
        return fresh(call);
    };
    // What counts from the end, and what lies past an end. Backwards a slice begins at an element,
    // and may end before all.
    let high = size;
    let place = |call: &mut Call<'_, '_>, at: Num, is_start: bool| -> Option<Num> {
        let low = if step > 0 || is_start { Num::Int(0) } else { Num::Int(-1) };
        let high = if step > 0 {
            high
        } else if is_start {
            call.nums.sub(size, Num::ONE)
        } else {
            high
        };
        // The largest and least numbers mean the ends.
        if let Num::Int(n) = at {
            const FAR: i64 = 1 << 30;
            if n >= FAR {
                return Some(high);
            }
            if n <= -FAR {
                return Some(low);
            }
        }
        let is_negative = match call.nums.less(at, Num::Int(0)) {
            Truth::Always => true,
            Truth::Never => false,
            Truth::Maybe => return None,
        };
        let at = if is_negative { call.nums.add(at, size) } else { at };
        let at = match call.nums.at_most(low, at) {
            Truth::Always => at,
            Truth::Never => low,
            Truth::Maybe => call.nums.greatest(at, low),
        };
        Some(match call.nums.at_most(at, high) {
            Truth::Always => at,
            Truth::Never => high,
            Truth::Maybe => call.nums.least(at, high),
        })
    };
    let start = place(call, start, true);
    let end = place(call, end, false);
    let (Some(start), Some(end)) = (start, end) else { return fresh(call) };
    let distance = if step > 0 { call.nums.sub(end, start) } else { call.nums.sub(start, end) };
    // A step of -2^63 and one of 1 - 2^63 both reach one element at most.
    let count = call.nums.ceil(distance, step.checked_abs().unwrap_or(i64::MAX));
    let count = match call.nums.at_most(Num::Int(0), count) {
        Truth::Always => count,
        Truth::Never => Num::Int(0),
        Truth::Maybe => call.nums.greatest(count, Num::Int(0)),
    };
    (count, start.as_int())
}

fn pad(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let old = call.shape(0)?.clone();
    let rank = old.len();
    let pads: SmallVec<[Option<Num>; 4]> = if call.version >= 11 {
        match call.wholes(1) {
            Ok(pads) => pads,
            Err(_) if !call.has(3) => SmallVec::from_elem(None, 2 * rank),
            Err(stop) => return Err(stop),
        }
    } else {
        let name = if call.version >= 2 { "pads" } else { "paddings" };
        let pads = call.ints(name).ok_or(Stop::Attribute("pads"))?;
        pads.into_iter().map(|n| Some(Num::Int(n))).collect()
    };
    let axes: Vec<i64> =
        if call.has(3) { call.known_ints(3)? } else { (0..length(rank)).collect() };
    if pads.len() != 2 * axes.len() {
        return Err(Stop::Elements(1));
    }
    let mut sizes = old;
    for (place, axis) in axes.iter().enumerate() {
        let axis = Call::axis(*axis, rank)?;
        sizes[axis] = match (pads[place], pads[place + axes.len()]) {
            (Some(before), Some(behind)) => {
                if call.string("mode") == Some("reflect") {
                    // A side is a mirror of what is behind the first element.
                    let known = [before, behind].into_iter().filter_map(Num::as_int);
                    if let Some(most) = known.max().filter(|most| *most > 0) {
                        // No size is 2^63, so what would ask for that is never met.
                        call.at_least(sizes[axis], most.saturating_add(1), Place::Axis(0, axis));
                    }
                }
                let both = call.nums.add(before, behind);
                let size = call.nums.add(sizes[axis], both);
                call.at_least(size, 0, Place::Axis(0, axis));
                size
            }
            _ => call.fresh(axis, 0, None),
        };
    }
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

fn tile(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let old = call.shape(0)?.clone();
    let element = call.element(0);
    if call.version < 6 {
        // The axis and how often, as two numbers.
        let times = call.known_ints(1)?.first().copied().ok_or(Stop::Value(1))?;
        let axis = call.known_ints(2)?.first().copied().ok_or(Stop::Value(2))?;
        let axis = Call::axis(axis, old.len())?;
        let mut sizes = old;
        sizes[axis] = call.nums.mul(sizes[axis], Num::Int(times));
        call.give_sizes(0, element, sizes);
        return Ok(());
    }
    let times = call.wholes(1).or_else(|_| Ok::<_, Stop>(SmallVec::from_elem(None, old.len())))?;
    if times.len() != old.len() {
        return Err(Stop::Elements(1));
    }
    let mut sizes = Sizes::new();
    for (axis, (size, times)) in old.iter().zip(&times).enumerate() {
        sizes.push(match times {
            Some(times) => call.nums.mul(*size, *times),
            None => call.fresh(axis, 0, None),
        });
    }
    let repeated = match (call.value(0), known_sizes(&old), times.as_slice()) {
        (Some(value), Some(all), [Some(Num::Int(times @ 0..))]) if all.len() == 1 => {
            let count = usize::try_from(*times).ok().and_then(|times| times.checked_mul(all[0]));
            let count = count.filter(|count| is_few(*count));
            count.map(|count| value.iter().copied().cycle().take(count).collect::<Vec<_>>())
        }
        _ => None,
    };
    match repeated {
        Some(value) => call.give_value(0, element, sizes, value),
        None => call.give_sizes(0, element, sizes),
    }
    Ok(())
}

fn trilu(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape_of_least(0, 2)?.clone();
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

fn center_crop_pad(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let mut sizes = call.shape(0)?.clone();
    let rank = sizes.len();
    let axes = call.ints("axes").unwrap_or_else(|| (0..length(rank)).collect());
    let wanted = super::shapes::sizes_of_input(call, 1)?;
    if wanted.len() != axes.len() {
        return Err(Stop::Elements(1));
    }
    for (axis, size) in axes.iter().zip(wanted) {
        let axis = Call::axis(*axis, rank)?;
        sizes[axis] = size;
    }
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}
