//! Operators that read or write at indices: gather, scatter, one-hot; and those whose results are
//! as many as their elements say.

use lozenge_calculus::number::length;
use smallvec::SmallVec;

use super::{
    super::{
        call::Call,
        known::{Known, Sizes},
        num::Num,
        require::{Place, Stop},
        template::{Template, Term, letter},
        value::{Elem, MOST_ELEMENTS},
    },
    Family,
    elements::{known_sizes, picked},
    pointwise::same,
};
use crate::element::Element;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("Compress", compress),
    ("Gather", gather),
    ("GatherElements", gather_elements),
    ("GatherND", gather_nd),
    ("NonMaxSuppression", non_max_suppression),
    ("NonZero", non_zero),
    ("OneHot", one_hot),
    ("Scatter", same),
    ("ScatterElements", same),
    ("ScatterND", same),
    ("Unique", unique),
];

fn gather(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape_of_least(0, 1)?.clone();
    let axis = Call::axis(call.int_or("axis", 0), sizes.len())?;
    let indices = call.shape(1)?.clone();
    if call.keeps_template {
        call.template = Some(gathering(sizes.len(), axis, indices.len()));
    }
    // The axis has the elements that are read.
    let ints =
        call.value(1).into_iter().flat_map(|value| value.iter()).filter_map(|elem| elem.int());
    let mut least = None;
    for n in ints {
        // No size is 2^63.
        let needed = if n < 0 { n.checked_neg() } else { n.checked_add(1) };
        least = least.max(Some(needed.ok_or(Stop::Elements(1))?));
    }
    if let Some(least) = least {
        call.at_least(sizes[axis], least, Place::Axis(0, axis));
    }
    let element = call.element(0);
    let found: Sizes =
        sizes[..axis].iter().chain(&indices).chain(&sizes[axis + 1..]).copied().collect();
    let mut known = Known::tensor(element, found);
    if let (Some(value), Some(at), Some(all)) = (call.value(0), call.value(1), known_sizes(&sizes))
    {
        let length = length(all[axis]);
        let mut positions: SmallVec<[Option<usize>; 4]> = SmallVec::new();
        for elem in at.iter() {
            let position = match elem.int() {
                Some(n) if n < -length || n >= length => return Err(Stop::Elements(1)),
                Some(n) => usize::try_from(if n < 0 { n + length } else { n }).ok(),
                None => None,
            };
            positions.push(position);
        }
        known.value = picked(value, &all, axis, &positions.iter().copied())
            .filter(|value| known.count() == Some(value.len()));
    }
    call.give(0, known);
    Ok(())
}

/// `..l.., i, ..r..; ..q.. => ..l.., ..q.., ..r..`, where `i` is read at what the second operand
/// says.
fn gathering(rank: usize, axis: usize, indices: usize) -> Template {
    let operand: Vec<Term> = (0..rank).map(|place| Term::Axis(letter(place))).collect();
    let index: Vec<Term> = (0..indices).map(|place| Term::Axis(letter(rank + place))).collect();
    let mut result: Vec<Term> = operand.clone();
    result.splice(axis..=axis, index.iter().cloned());
    let mut operand = operand;
    operand[axis] = Term::Any;
    Template { operands: vec![operand, index], result, ..Template::default() }
}

fn gather_elements(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let rank = call.shape_of_least(0, 1)?.len();
    let sizes = call.shape_of_rank(1, rank)?.clone();
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

fn gather_nd(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape_of_least(0, 1)?.clone();
    let indices = call.shape_of_least(1, 1)?.clone();
    let batch = usize::try_from(call.int_or("batch_dims", 0));
    let batch = batch.map_err(|_| Stop::Attribute("batch_dims"))?;
    let depth = indices[indices.len() - 1]
        .as_int()
        .and_then(|n| usize::try_from(n).ok())
        .ok_or(Stop::Value(1))?;
    if batch + depth > sizes.len() || batch >= indices.len() {
        return Err(Stop::Axes { input: 0, least: batch + depth, found: sizes.len() });
    }
    for axis in 0..batch {
        call.equal(sizes[axis], Place::Axis(0, axis), indices[axis], Place::Axis(1, axis));
    }
    let found: Sizes =
        indices[..indices.len() - 1].iter().chain(&sizes[batch + depth..]).copied().collect();
    let mut known = Known::tensor(call.element(0), found);
    // Elements of a list, each at its own index.
    if let (Some(value), Some(at), 1, 0, 1) =
        (call.value(0), call.value(1), sizes.len(), batch, depth)
    {
        let length = length(value.len());
        let elems = at.iter().map(|elem| {
            let place = elem
                .int()
                .map(|n| if n < 0 { n + length } else { n })
                .and_then(|n| usize::try_from(n).ok());
            place.and_then(|place| value.get(place)).copied().unwrap_or(Elem::Unknown)
        });
        let elems: Vec<Elem> = elems.collect();
        known.value = Some(elems.into())
            .filter(|value: &super::super::value::Value| known.count() == Some(value.len()));
    }
    call.give(0, known);
    Ok(())
}

fn one_hot(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let indices = call.shape(0)?.clone();
    let rank = indices.len() + 1;
    let axis = Call::axis(call.int_or("axis", -1), rank)?;
    let depth = match call.scalar(1) {
        Some(Elem::Whole(num)) => num,
        Some(Elem::Ratio(num)) => call.nums.whole(num),
        Some(Elem::Real(x)) => Num::Int(super::elements::whole_part(x).ok_or(Stop::Elements(1))?),
        Some(Elem::Unknown) | None => call.fresh(0, 0, None),
    };
    let mut sizes = indices;
    sizes.insert(axis, depth);
    call.give_sizes(0, call.element(2), sizes);
    Ok(())
}

/// Every position in row-major order where an element is not 0, where all of them are known.
fn non_zero(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let rank =
        length(sizes.len()).max(if sizes.is_empty() { i64::from(call.version < 13) } else { 0 });
    if let (Some(value), Some(all)) = (call.value(0), known_sizes(&sizes)) {
        let truths: Option<Vec<bool>> =
            value.iter().map(|elem| elem.truth().or(elem.real().map(|x| x != 0.0))).collect();
        if let Some(truths) = truths {
            let places: Vec<usize> = (0..truths.len()).filter(|place| truths[*place]).collect();
            let mut elems = vec![];
            for axis in 0..all.len() {
                let behind: usize = all[axis + 1..].iter().product();
                elems.extend(
                    places.iter().map(|place| Elem::from(length(place / behind % all[axis]))),
                );
            }
            let count = length(places.len());
            call.give_value(0, Element::Int64, [Num::Int(rank), Num::Int(count)], elems);
            return Ok(());
        }
    }
    let most = call.nums.product(sizes.iter().copied());
    let count = call.fresh(0, 0, Some(most));
    call.give_sizes(0, Element::Int64, [Num::Int(rank), count]);
    Ok(())
}

fn compress(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let axis = match call.int("axis") {
        Some(axis) => Some(Call::axis(axis, sizes.len())?),
        None => None,
    };
    let taken = call
        .value(1)
        .and_then(|value| value.iter().map(|elem| elem.truth()).collect::<Option<Vec<bool>>>());
    let most = match axis {
        Some(axis) => sizes[axis],
        None => call.nums.product(sizes.iter().copied()),
    };
    let count = match taken {
        Some(taken) => Num::Int(length(taken.iter().filter(|taken| **taken).count())),
        None => call.fresh(0, 0, Some(most)),
    };
    let found: Sizes = match axis {
        Some(axis) => sizes
            .iter()
            .enumerate()
            .map(|(at, size)| if at == axis { count } else { *size })
            .collect(),
        None => [count].into_iter().collect(),
    };
    call.give_sizes(0, call.element(0), found);
    Ok(())
}

fn unique(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let axis = match call.int("axis") {
        Some(axis) => Some(Call::axis(axis, sizes.len())?),
        None => None,
    };
    let all = match axis {
        Some(axis) => sizes[axis],
        None => call.nums.product(sizes.iter().copied()),
    };
    let known = match (axis, call.value(0)) {
        (None, Some(value)) if value.len() <= MOST_ELEMENTS => {
            value.iter().map(|elem| elem.int()).collect::<Option<std::collections::BTreeSet<i64>>>()
        }
        _ => None,
    };
    let count = match known {
        Some(known) => Num::Int(length(known.len())),
        None => call.fresh(0, 0, Some(all)),
    };
    let found: Sizes = match axis {
        Some(axis) => sizes
            .iter()
            .enumerate()
            .map(|(at, size)| if at == axis { count } else { *size })
            .collect(),
        None => [count].into_iter().collect(),
    };
    call.give_sizes(0, call.element(0), found);
    call.give_sizes(1, Element::Int64, [count]);
    call.give_sizes(2, Element::Int64, [all]);
    call.give_sizes(3, Element::Int64, [count]);
    Ok(())
}

fn non_max_suppression(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let boxes = call.shape_of_rank(0, 3)?.clone();
    let scores = call.shape_of_rank(1, 3)?.clone();
    call.equal(boxes[0], Place::Axis(0, 0), scores[0], Place::Axis(1, 0));
    call.equal(boxes[1], Place::Axis(0, 1), scores[2], Place::Axis(1, 2));
    let each = match call.scalar(2).and_then(Elem::whole) {
        Some(most) => call.nums.least(most, boxes[1]),
        None => boxes[1],
    };
    let most = call.nums.product([scores[0], scores[1], each]);
    let count = call.fresh(0, 0, Some(most));
    call.give_sizes(0, Element::Int64, [count, Num::Int(3)]);
    Ok(())
}
