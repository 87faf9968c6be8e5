//! Operators that give the same elements other sizes: reshape, flatten, squeeze, expand, transpose.

use lozenge_calculus::number::length;
use smallvec::SmallVec;

use super::{
    super::{
        call::Call,
        known::Sizes,
        num::{Num, Truth},
        require::{Place, Stop},
        template::{Template, Term, letter},
    },
    Family,
    elements::known_sizes,
};

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("Expand", expand),
    ("Flatten", flatten),
    ("Reshape", reshape),
    ("Squeeze", squeeze),
    ("Transpose", transpose),
    ("Unsqueeze", unsqueeze),
];

/// The sizes that the elements of an input say; those that are not known get names.
pub(super) fn sizes_of_input(call: &mut Call<'_, '_>, input: usize) -> Result<Sizes, Stop> {
    let wholes = call.wholes(input)?;
    for (place, num) in wholes.iter().enumerate() {
        if let Some(num) = num {
            call.at_least(*num, 0, Place::Element(input, place));
        }
    }
    Ok(wholes
        .into_iter()
        .enumerate()
        .map(|(place, num)| num.unwrap_or_else(|| call.fresh(place, 0, None)))
        .collect())
}

/// The axes that an attribute lists, or an input from a version on.
pub(super) fn axes(
    call: &Call<'_, '_>,
    input: usize,
    since: i64,
) -> Result<Option<Vec<i64>>, Stop> {
    if call.version >= since && call.has(input) {
        call.known_ints(input).map(Some)
    } else {
        Ok(call.ints("axes"))
    }
}

fn transpose(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?;
    let rank = sizes.len();
    let order = match call.ints("perm") {
        Some(order) => order,
        None => (0..length(rank)).rev().collect(),
    };
    if order.len() != rank {
        return Err(Stop::Attribute("perm"));
    }
    let order: SmallVec<[usize; 4]> =
        order.iter().map(|axis| Call::axis(*axis, rank)).collect::<Result<_, _>>()?;
    if (0..rank).any(|axis| !order.contains(&axis)) {
        return Err(Stop::Attribute("perm"));
    }
    if call.keeps_template {
        let of = |place: usize| Term::Axis(letter(place));
        call.template = Some(Template {
            operands: vec![(0..rank).map(of).collect()],
            result: order.iter().map(|axis| of(*axis)).collect(),
            ..Template::default()
        });
    }
    let element = call.element(0);
    let value = call.value(0).cloned();
    let new: Sizes = order.iter().map(|axis| sizes[*axis]).collect();
    if let (Some(value), Some(old)) = (value, known_sizes(sizes)) {
        let mut steps = vec![1_usize; rank];
        for axis in (1..rank).rev() {
            steps[axis - 1] = steps[axis] * old[axis];
        }
        let elems = (0..value.len()).map(|place| {
            let (mut rest, mut offset) = (place, 0);
            for axis in order.iter().rev() {
                offset += (rest % old[*axis]) * steps[*axis];
                rest /= old[*axis];
            }
            value[offset]
        });
        call.give_value(0, element, new, elems.collect::<Vec<_>>());
    } else {
        call.give_sizes(0, element, new);
    }
    Ok(())
}

/// Gives the elements of the first input other sizes.
fn give_same_elements(call: &mut Call<'_, '_>, sizes: Sizes) -> Result<(), Stop> {
    let mut known = call.known(0)?.clone();
    known.shape = Some(sizes);
    call.give(0, known);
    Ok(())
}

fn reshape(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let wanted: SmallVec<[Option<Num>; 4]> = if call.version < 5 {
        let shape = call.ints("shape").ok_or(Stop::Attribute("shape"))?;
        shape.into_iter().map(|n| Some(Num::Int(n))).collect()
    } else {
        call.wholes(1)?
    };
    let allows_zero = call.flag("allowzero", false);
    let old = call.known(0)?.shape.clone();
    let all = old.as_ref().map(|old| call.nums.product(old.iter().copied()));
    let mut sizes = Sizes::new();
    let mut open: SmallVec<[usize; 2]> = SmallVec::new();
    for (place, num) in wanted.iter().enumerate() {
        let size = match num {
            Some(Num::Int(0)) if !allows_zero => match &old {
                Some(old) => *old.get(place).ok_or(Stop::Elements(1))?,
                None => call.fresh(place, 0, None),
            },
            Some(Num::Int(-1)) | None => {
                open.push(place);
                Num::Int(-1)
            }
            Some(num) => {
                // What may be 0 or -1 may mean something else than a size: it is taken for one, and
                // that is told.
                let low = call.nums.interval(*num).0;
                let is_open = num.as_int().is_none();
                if is_open && low.is_none_or(|low| low <= 0) && !allows_zero {
                    call.assume_different(*num, Num::Int(0), Place::Element(1, place));
                }
                if is_open && low.is_none_or(|low| low < 0) {
                    call.assume_different(*num, Num::Int(-1), Place::Element(1, place));
                }
                *num
            }
        };
        sizes.push(size);
    }
    let product_of = |call: &mut Call<'_, '_>, sizes: &Sizes| {
        call.nums.product(sizes.iter().copied().filter(|size| *size != Num::Int(-1)))
    };
    match (open.as_slice(), all) {
        ([], Some(all)) => {
            let product = product_of(call, &sizes);
            call.equal(all, Place::Input(0), product, Place::Input(1));
        }
        ([], None) => {}
        ([place], Some(all)) => {
            let product = product_of(call, &sizes);
            sizes[*place] = call.divided(all, product, Place::Input(0));
        }
        (places, _) => {
            for place in places {
                sizes[*place] = call.fresh(*place, 0, all);
            }
        }
    }
    give_same_elements(call, sizes)
}

fn flatten(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let rank = length(sizes.len());
    let axis = call.int_or("axis", 1);
    let axis = if axis < 0 { axis + rank } else { axis };
    let at = usize::try_from(axis).ok().filter(|at| *at <= sizes.len());
    let at = at.ok_or(Stop::NoAxis { axis, rank: sizes.len() })?;
    if call.keeps_template {
        let of = |range: std::ops::Range<usize>| match range.len() {
            0 => Term::One,
            1 => Term::Axis(letter(range.start)),
            _ => Term::Merged(range.map(|place| Term::Axis(letter(place))).collect()),
        };
        let operand = (0..sizes.len()).map(|place| Term::Axis(letter(place))).collect();
        call.template = Some(Template {
            operands: vec![operand],
            result: vec![of(0..at), of(at..sizes.len())],
            ..Template::default()
        });
    }
    let parts = [&sizes[..at], &sizes[at..]].map(|part| call.nums.product(part.iter().copied()));
    give_same_elements(call, parts.into_iter().collect())
}

fn unsqueeze(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let axes = match axes(call, 1, 13) {
        Ok(axes) => axes.ok_or(Stop::Attribute("axes"))?,
        Err(stop) => return Err(stop),
    };
    let rank = sizes.len() + axes.len();
    let mut is_new: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
    for axis in axes {
        is_new[Call::axis(axis, rank)?] = true;
    }
    if is_new.iter().filter(|new| **new).count() != rank - sizes.len() {
        return Err(Stop::Elements(1));
    }
    if call.keeps_template {
        let operand = (0..sizes.len()).map(|place| Term::Axis(letter(place)));
        let mut old = operand.clone();
        let result = is_new.iter().map(|new| if *new { Some(Term::One) } else { old.next() });
        let result = result.collect::<Option<_>>().ok_or(Stop::Elements(1))?;
        call.template =
            Some(Template { operands: vec![operand.collect()], result, ..Template::default() });
    }
    let mut old = sizes.into_iter();
    let new = is_new
        .iter()
        .map(|new| if *new { Some(Num::ONE) } else { old.next() })
        .collect::<Option<_>>();
    give_same_elements(call, new.ok_or(Stop::Elements(1))?)
}

fn squeeze(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let rank = sizes.len();
    let mut is_gone: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
    match axes(call, 1, 13)? {
        Some(axes) => {
            for axis in axes {
                let axis = Call::axis(axis, rank)?;
                is_gone[axis] = true;
                call.equal(sizes[axis], Place::Axis(0, axis), Num::ONE, Place::Node);
            }
        }
        None => {
            for (axis, size) in sizes.iter().enumerate() {
                is_gone[axis] = match call.nums.equals(*size, Num::ONE) {
                    Truth::Always => true,
                    Truth::Never => false,
                    // How many axes are left depends on it: of a size that grows with the inputs,
                    // it is more than one.
                    Truth::Maybe if call.nums.is_open_ended(*size) => {
                        call.assume_different(*size, Num::ONE, Place::Axis(0, axis));
                        false
                    }
                    Truth::Maybe => return Err(Stop::Data),
                };
            }
        }
    }
    if call.keeps_template {
        let of = |place: usize| if is_gone[place] { Term::One } else { Term::Axis(letter(place)) };
        let result = (0..rank)
            .filter(|place| !is_gone[*place])
            .map(|place| Term::Axis(letter(place)))
            .collect();
        call.template = Some(Template {
            operands: vec![(0..rank).map(of).collect()],
            result,
            ..Template::default()
        });
    }
    let left =
        sizes.iter().zip(&is_gone).filter(|(_, gone)| !**gone).map(|(size, _)| *size).collect();
    give_same_elements(call, left)
}

fn expand(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let wanted = call.wholes(1)?;
    let own = call.shape(0)?.clone();
    let rank = own.len().max(wanted.len());
    let mut sizes = Sizes::new();
    for axis in 0..rank {
        let old = (axis + own.len()).checked_sub(rank);
        let new = (axis + wanted.len()).checked_sub(rank);
        let size = match (
            old.map(|at| (own[at], Place::Axis(0, at))),
            new.map(|at| (wanted[at], Place::Element(1, at))),
        ) {
            (Some((a, at)), Some((Some(b), by))) => call.stretch(a, at, b, by),
            (Some((a, _)), Some((None, _))) => match a {
                Num::Int(n) if n != 1 => a,
                _ => call.fresh(axis, 0, None),
            },
            (Some((a, _)), None) => a,
            (None, Some((b, _))) => match b {
                Some(b) => b,
                None => call.fresh(axis, 0, None),
            },
            (None, None) => Num::ONE,
        };
        sizes.push(size);
    }
    let element = call.element(0);
    let value = call.value(0).cloned();
    call.give_sizes(0, element, sizes);
    // Of one element all are the same.
    if let (Some(value), Some(Some(known))) = (value, call.outputs.first_mut()) {
        if let ([elem], Some(count)) = (&value[..], known.count()) {
            if count <= super::super::value::MOST_ELEMENTS {
                known.value = Some(std::iter::repeat_n(*elem, count).collect());
            }
        } else if known.count() == Some(value.len()) {
            known.value = Some(value);
        }
    }
    Ok(())
}
