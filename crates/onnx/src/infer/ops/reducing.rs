//! Operators that reduce axes to one element, or to a few.

use smallvec::SmallVec;

use super::{
    super::{
        call::Call,
        known::Sizes,
        num::{Num, Nums, Truth},
        require::{Place, Stop},
        template::{Template, Term, letter},
        value::Elem,
    },
    Family,
    pointwise::{add, greatest, least, multiply},
    shapes::axes,
};
use crate::element::Element;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("ArgMax", arg),
    ("ArgMin", arg),
    ("ReduceL1", |call| reduce(call, 18, None)),
    ("ReduceL2", |call| reduce(call, 18, None)),
    ("ReduceLogSum", |call| reduce(call, 18, None)),
    ("ReduceLogSumExp", |call| reduce(call, 18, None)),
    ("ReduceMax", |call| reduce(call, 18, Some(greatest))),
    ("ReduceMean", |call| reduce(call, 18, None)),
    ("ReduceMin", |call| reduce(call, 18, Some(least))),
    ("ReduceProd", |call| reduce(call, 18, Some(multiply))),
    ("ReduceSum", |call| reduce(call, 13, Some(add))),
    ("ReduceSumSquare", |call| reduce(call, 18, None)),
    ("TopK", top),
];

/// Reduces axes: those that an attribute lists, or an input from a version on, and all without such
/// a list.
fn reduce(
    call: &mut Call<'_, '_>,
    since: i64,
    of: Option<fn(&mut Nums, Elem, Elem) -> Elem>,
) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let rank = sizes.len();
    let keeps = call.flag("keepdims", true);
    let listed = match axes(call, 1, since) {
        Ok(axes) => axes.filter(|axes| !axes.is_empty()),
        Err(Stop::Value(_)) if keeps => {
            // Which axes are reduced is not known: each may be.
            let open: Sizes =
                (0..rank).map(|axis| call.fresh(axis, 1, Some(sizes[axis]))).collect();
            call.give_sizes(0, call.element(0), open);
            return Ok(());
        }
        Err(stop) => return Err(stop),
    };
    let mut is_gone: SmallVec<[bool; 8]> = SmallVec::from_elem(listed.is_none(), rank);
    if listed.is_none() && call.flag("noop_with_empty_axes", false) {
        call.give_sizes(0, call.element(0), sizes);
        return Ok(());
    }
    for axis in listed.into_iter().flatten() {
        is_gone[Call::axis(axis, rank)?] = true;
    }
    let (element, value) = (call.element(0), call.value(0).cloned());
    let found = reduced(call, &sizes, &is_gone, keeps);
    match (value, of) {
        (Some(value), Some(of)) if is_gone.iter().all(|gone| *gone) && !value.is_empty() => {
            let all = value.iter().skip(1).fold(value[0], |all, one| of(call.nums, all, *one));
            call.give_value(0, element, found, [all]);
        }
        _ => call.give_sizes(0, element, found),
    }
    Ok(())
}

/// The sizes of a result some of whose axes are reduced.
fn reduced(call: &mut Call<'_, '_>, sizes: &Sizes, is_gone: &[bool], keeps: bool) -> Sizes {
    if call.keeps_template {
        let operand = (0..sizes.len()).map(|place| Term::Axis(letter(place)));
        let left = operand.clone().zip(is_gone).filter_map(|(term, gone)| match (gone, keeps) {
            (false, _) => Some(term),
            (true, true) => Some(Term::One),
            (true, false) => None,
        });
        let result = left.collect();
        call.template =
            Some(Template { operands: vec![operand.collect()], result, ..Template::default() });
    }
    let left = sizes.iter().zip(is_gone).filter_map(|(size, gone)| match (gone, keeps) {
        (false, _) => Some(*size),
        (true, true) => Some(Num::ONE),
        (true, false) => None,
    });
    left.collect()
}

fn arg(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape_of_least(0, 1)?.clone();
    let axis = Call::axis(call.int_or("axis", 0), sizes.len())?;
    let is_gone: SmallVec<[bool; 8]> = (0..sizes.len()).map(|at| at == axis).collect();
    let keeps = call.flag("keepdims", true);
    let found = reduced(call, &sizes, &is_gone, keeps);
    call.give_sizes(0, Element::Int64, found);
    Ok(())
}

fn top(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let mut sizes = call.shape_of_least(0, 1)?.clone();
    let axis = Call::axis(call.int_or("axis", -1), sizes.len())?;
    let size = sizes[axis];
    let count = if call.version < 10 {
        Num::Int(call.int("k").ok_or(Stop::Attribute("k"))?)
    } else {
        match call.scalar(1).and_then(Elem::whole) {
            Some(count) => count,
            None => call.fresh(0, 0, Some(size)),
        }
    };
    let left = call.nums.sub(size, count);
    if call.nums.at_most(count, size) != Truth::Always
        && call.nums.names_of(left).iter().all(|name| {
            call.nums
                .name(*name)
                .is_some_and(|name| name.origin == super::super::num::Origin::Input)
        })
    {
        call.at_least(left, 0, Place::Axis(0, axis));
    }
    sizes[axis] = count;
    call.give_sizes(0, call.element(0), sizes.clone());
    call.give_sizes(1, Element::Int64, sizes);
    Ok(())
}
