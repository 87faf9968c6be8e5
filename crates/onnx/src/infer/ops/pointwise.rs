//! Operators of one element at a time: those of one operand, and those that broadcast several.
//! Where elements decide shapes they are computed.

use super::{
    super::{
        call::Call,
        known::Sizes,
        num::{Num, Nums, Truth},
        require::{Place, Stop},
        template::{Template, rest},
        value::{Elem, Value},
    },
    Family,
    elements::short_fraction,
};
use crate::element::Element;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("Abs", abs),
    ("Acos", same),
    ("Acosh", same),
    ("Add", |call| arithmetic(call, add)),
    ("And", |call| logic(call, |_, a, b| Some(a.truth()? && b.truth()?))),
    ("Asin", same),
    ("Asinh", same),
    ("Atan", same),
    ("Atanh", same),
    ("BitShift", |call| arithmetic(call, |_, _, _| Elem::Unknown)),
    ("BitwiseAnd", |call| arithmetic(call, |_, a, b| of_ints(a, b, |a, b| Some(a & b)))),
    ("BitwiseNot", same),
    ("BitwiseOr", |call| arithmetic(call, |_, a, b| of_ints(a, b, |a, b| Some(a | b)))),
    ("BitwiseXor", |call| arithmetic(call, |_, a, b| of_ints(a, b, |a, b| Some(a ^ b)))),
    ("Cast", cast),
    ("CastLike", cast_like),
    ("Ceil", |call| rounded(call, f64::ceil, |nums, num| Some(nums.ceil(num, 1)))),
    ("Celu", same),
    ("Clip", clip),
    ("Cos", same),
    ("Cosh", same),
    ("Div", |call| arithmetic(call, divide)),
    ("Elu", same),
    ("Equal", equal),
    ("Erf", same),
    ("Exp", |call| real(call, f64::exp)),
    ("Floor", |call| rounded(call, f64::floor, |nums, num| Some(nums.whole(num)))),
    ("Gelu", same),
    ("Greater", |call| {
        logic(call, |nums, a, b| compare(nums, a, b, |nums, a, b| nums.less(b, a), |a, b| a > b))
    }),
    ("GreaterOrEqual", |call| {
        logic(call, |nums, a, b| {
            compare(nums, a, b, |nums, a, b| nums.at_most(b, a), |a, b| a >= b)
        })
    }),
    ("HardSigmoid", same),
    ("HardSwish", same),
    ("Identity", identity),
    ("IsInf", |call| same_as(call, Element::Bool)),
    ("IsNaN", |call| same_as(call, Element::Bool)),
    ("LeakyRelu", same),
    ("Less", |call| logic(call, |nums, a, b| compare(nums, a, b, Nums::less, |a, b| a < b))),
    ("LessOrEqual", |call| {
        logic(call, |nums, a, b| compare(nums, a, b, Nums::at_most, |a, b| a <= b))
    }),
    ("Log", |call| real(call, f64::ln)),
    ("Max", |call| arithmetic(call, greatest)),
    ("Mean", |call| arithmetic(call, |_, _, _| Elem::Unknown)),
    ("Min", |call| arithmetic(call, least)),
    ("Mish", same),
    ("Mod", |call| {
        let is_truncated = call.flag("fmod", false);
        arithmetic(call, move |nums, a, b| modulo(nums, a, b, is_truncated))
    }),
    ("Mul", |call| arithmetic(call, multiply)),
    ("Neg", neg),
    ("Not", |call| {
        mapped(call, |_, elem| elem.truth().map_or(Elem::Unknown, |truth| Elem::of_truth(!truth)))
    }),
    ("Or", |call| logic(call, |_, a, b| Some(a.truth()? || b.truth()?))),
    ("PRelu", prelu),
    ("Pow", power),
    ("Reciprocal", |call| real(call, |x| 1.0 / x)),
    ("Relu", same),
    // Halves go to the even side: of what may be one, nothing is known.
    ("Round", |call| {
        rounded(call, f64::round_ties_even, |nums, num| (nums.whole(num) == num).then_some(num))
    }),
    ("Selu", same),
    ("Shrink", same),
    ("Sigmoid", same),
    ("Sign", same),
    ("Sin", same),
    ("Sinh", same),
    ("Softplus", same),
    ("Softsign", same),
    ("Sqrt", |call| real(call, f64::sqrt)),
    ("Sub", |call| arithmetic(call, subtract)),
    ("Sum", |call| arithmetic(call, add)),
    ("Swish", same),
    ("Tan", same),
    ("Tanh", same),
    ("ThresholdedRelu", same),
    ("Where", choose),
    ("Xor", |call| logic(call, |_, a, b| Some(a.truth()? != b.truth()?))),
];

/// The specification of an operator of one element of each operand.
fn template(operands: usize) -> Template {
    Template {
        operands: vec![vec![rest("a")]; operands],
        result: vec![rest("a")],
        given: vec![],
        stretches: true,
    }
}

/// An output of the sizes of the first input, with elements of a type.
pub(super) fn same_as(call: &mut Call<'_, '_>, element: Element) -> Result<(), Stop> {
    if call.keeps_template {
        call.template = Some(template(1));
    }
    let sizes = call.shape(0)?.clone();
    call.give_sizes(0, element, sizes);
    Ok(())
}

/// An output of the sizes and the element type of the first input.
pub(super) fn same(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    same_as(call, call.element(0))
}

fn identity(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    if call.keeps_template {
        call.template = Some(template(1));
    }
    let known = call.known(0)?.clone();
    call.give(0, known);
    if call.known(0)?.container.is_none() { call.shape(0).map(drop) } else { Ok(()) }
}

/// Elements that are computed one by one from those of the first input.
fn mapped(call: &mut Call<'_, '_>, of: impl Fn(&mut Nums, Elem) -> Elem) -> Result<(), Stop> {
    same(call)?;
    if let Some(value) = call.value(0) {
        let value: Value = value.iter().map(|elem| of(call.nums, *elem)).collect();
        give_elements(call, value);
    }
    Ok(())
}

/// Says what the elements of the first output are, whose sizes are known.
fn give_elements(call: &mut Call<'_, '_>, value: Value) {
    if let Some(Some(known)) = call.outputs.first_mut() {
        if known.count() == Some(value.len()) && value.iter().any(|elem| *elem != Elem::Unknown) {
            known.value = Some(value);
        }
    }
}

fn neg(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    mapped(call, |nums, elem| match elem {
        Elem::Whole(num) => Elem::Whole(nums.sub(Num::Int(0), num)),
        Elem::Ratio(num) => Elem::Ratio(nums.sub(Num::Int(0), num)),
        Elem::Real(x) => Elem::Real(-x),
        Elem::Unknown => Elem::Unknown,
    })
}

fn abs(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    mapped(call, |nums, elem| match elem {
        Elem::Whole(num) => match nums.interval(num) {
            (Some(0..), _) => elem,
            (_, Some(..=0)) => Elem::Whole(nums.sub(Num::Int(0), num)),
            _ => Elem::Unknown,
        },
        Elem::Real(x) => Elem::Real(x.abs()),
        Elem::Ratio(_) | Elem::Unknown => Elem::Unknown,
    })
}

/// A function of floats, of those that are known.
fn real(call: &mut Call<'_, '_>, of: fn(f64) -> f64) -> Result<(), Stop> {
    let element = call.element(0);
    mapped(call, |_, elem| elem.real().map_or(Elem::Unknown, |x| of_real(element, of(x))))
}

/// A float, rounded as its type is.
#[expect(clippy::cast_possible_truncation, reason = "that is what rounding is")]
fn of_real(element: Element, x: f64) -> Elem {
    Elem::Real(if element == Element::Double { x } else { f64::from(x as f32) })
}

fn rounded(
    call: &mut Call<'_, '_>,
    of: fn(f64) -> f64,
    form: fn(&mut Nums, Num) -> Option<Num>,
) -> Result<(), Stop> {
    mapped(call, |nums, elem| match elem {
        Elem::Real(x) => Elem::Real(of(x)),
        Elem::Ratio(num) => form(nums, num).map_or(Elem::Unknown, Elem::Ratio),
        Elem::Whole(_) => elem,
        Elem::Unknown => Elem::Unknown,
    })
}

fn cast(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let to = call
        .int("to")
        .and_then(|n| i32::try_from(n).ok())
        .map_or(Element::Undefined, Element::of_number);
    cast_to(call, to)
}

fn cast_like(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    cast_to(call, call.element(1))
}

fn cast_to(call: &mut Call<'_, '_>, to: Element) -> Result<(), Stop> {
    same_as(call, to)?;
    if let Some(value) = call.value(0) {
        let value: Value = value.iter().map(|elem| converted(call.nums, *elem, to)).collect();
        give_elements(call, value);
    }
    Ok(())
}

/// An element as one of another type.
#[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
pub(super) fn converted(nums: &mut Nums, elem: Elem, to: Element) -> Elem {
    const RANGE: f64 = 9.0e15;
    match to {
        Element::Float | Element::Double | Element::Float16 | Element::Bfloat16 => match elem {
            Elem::Whole(Num::Int(_)) => elem.real().map_or(Elem::Unknown, |x| of_real(to, x)),
            Elem::Whole(num) => Elem::Ratio(num),
            Elem::Real(x) => of_real(to, x),
            Elem::Ratio(_) | Elem::Unknown => elem,
        },
        Element::Bool => match elem {
            Elem::Whole(num) | Elem::Ratio(num) => match nums.equals(num, Num::Int(0)) {
                Truth::Always => Elem::of_truth(false),
                Truth::Never => Elem::of_truth(true),
                Truth::Maybe => Elem::Unknown,
            },
            Elem::Real(x) => Elem::of_truth(x != 0.0),
            Elem::Unknown => Elem::Unknown,
        },
        Element::String => Elem::Unknown,
        // Towards 0, as ONNX converts.
        _ => match elem {
            Elem::Real(x) if x.abs() < RANGE => Elem::from(x.trunc() as i64),
            Elem::Ratio(num) => match nums.interval(num) {
                (Some(0..), _) => Elem::Whole(nums.whole(num)),
                _ => Elem::Unknown,
            },
            Elem::Whole(_) => elem,
            Elem::Real(_) | Elem::Unknown => Elem::Unknown,
        },
    }
}

fn clip(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let bound = |call: &Call<'_, '_>, input: usize| {
        if call.has(input) {
            call.scalar(input).unwrap_or(Elem::Unknown)
        } else {
            Elem::Real(f64::NAN)
        }
    };
    let bounds = [bound(call, 1), bound(call, 2)];
    if call.version < 11 {
        return same(call);
    }
    let is_none = |elem: Elem| matches!(elem, Elem::Real(x) if x.is_nan());
    mapped(call, |nums, elem| {
        let low = if is_none(bounds[0]) { elem } else { greatest(nums, elem, bounds[0]) };
        if is_none(bounds[1]) { low } else { least(nums, low, bounds[1]) }
    })
}

/// Meets the sizes of all inputs, as ONNX broadcasts. Gives those of the result.
pub(super) fn broadcast(call: &mut Call<'_, '_>) -> Result<Sizes, Stop> {
    let count = call.input_count();
    if call.keeps_template {
        call.template = Some(template(count));
    }
    let mut all = call.shape(0)?.clone();
    let mut places: smallvec::SmallVec<[Place; 4]> =
        (0..all.len()).map(|axis| Place::Axis(0, axis)).collect();
    for input in 1..count {
        let other = call.shape(input)?;
        if *other == all {
            continue;
        }
        while all.len() < other.len() {
            let axis = other.len() - all.len() - 1;
            all.insert(0, other[axis]);
            places.insert(0, Place::Axis(input, axis));
        }
        let ahead = all.len() - other.len();
        for (axis, size) in other.iter().enumerate() {
            let place = ahead + axis;
            let found = call.stretch(all[place], places[place], *size, Place::Axis(input, axis));
            if found != all[place] {
                (all[place], places[place]) = (found, Place::Axis(input, axis));
            }
        }
    }
    Ok(all)
}

/// The element of a tensor that is broadcast, by the place in the result.
fn element_at(value: &Value, sizes: &Sizes, place: usize, all: &[usize]) -> Elem {
    let (mut rest, mut offset, mut step) = (place, 0, 1);
    for (axis, size) in all.iter().enumerate().rev() {
        let at = rest % size;
        rest /= size;
        if let Some(own) = (axis + sizes.len()).checked_sub(all.len()) {
            // What has elements has sizes that are numbers.
            let own = sizes[own].as_int().and_then(|n| usize::try_from(n).ok());
            let Some(own) = own else { return Elem::Unknown };
            if own != 1 {
                offset += at * step;
            }
            step *= own;
        }
    }
    value.get(offset).copied().unwrap_or(Elem::Unknown)
}

/// Elements that are computed from one of each input, which are broadcast; at least one of them has
/// some that are known.
fn combined(
    call: &mut Call<'_, '_>,
    element: Element,
    of: impl Fn(&mut Nums, &[Elem]) -> Elem,
) -> Result<(), Stop> {
    let sizes = broadcast(call)?;
    call.give_sizes(0, element, sizes.iter().copied());
    let values: smallvec::SmallVec<[Option<&Value>; 4]> =
        (0..call.input_count()).map(|input| call.value(input)).collect();
    if values.iter().any(Option::is_none) {
        return Ok(());
    }
    let all: Option<Vec<usize>> =
        sizes.iter().map(|size| usize::try_from(size.as_int()?).ok()).collect();
    let Some(all) = all else { return Ok(()) };
    let count: usize = all.iter().product();
    if count > super::super::value::MOST_ELEMENTS {
        return Ok(());
    }
    let shapes: Vec<&Sizes> =
        (0..call.input_count()).map(|input| call.shape(input)).collect::<Result<_, _>>()?;
    let value: Value = (0..count)
        .map(|place| {
            let elems: smallvec::SmallVec<[Elem; 4]> = values
                .iter()
                .zip(&shapes)
                .filter_map(|(value, sizes)| Some(element_at((*value)?, sizes, place, &all)))
                .collect();
            of(call.nums, &elems)
        })
        .collect();
    give_elements(call, value);
    Ok(())
}

fn arithmetic(
    call: &mut Call<'_, '_>,
    of: impl Fn(&mut Nums, Elem, Elem) -> Elem,
) -> Result<(), Stop> {
    // Before version 7 the second operand is placed at an axis.
    if call.version < 7 && call.flag("broadcast", false) {
        let sizes = call.shape(0)?.clone();
        call.give_sizes(0, call.element(0), sizes);
        return Ok(());
    }
    let element = call.element(0);
    combined(call, element, |nums, elems| {
        let mut elems = elems.iter().copied();
        let first = elems.next().unwrap_or(Elem::Unknown);
        let found = elems.fold(first, |all, one| of(nums, all, one));
        match found {
            Elem::Real(x) => of_real(element, x),
            other => other,
        }
    })
}

fn logic(
    call: &mut Call<'_, '_>,
    of: impl Fn(&mut Nums, Elem, Elem) -> Option<bool>,
) -> Result<(), Stop> {
    if call.version < 7 && call.flag("broadcast", false) {
        return same_as(call, Element::Bool);
    }
    combined(call, Element::Bool, |nums, elems| match elems {
        [a, b] => of(nums, *a, *b).map_or(Elem::Unknown, Elem::of_truth),
        _ => Elem::Unknown,
    })
}

fn compare(
    nums: &mut Nums,
    a: Elem,
    b: Elem,
    of: impl Fn(&mut Nums, Num, Num) -> Truth,
    reals: impl Fn(f64, f64) -> bool,
) -> Option<bool> {
    if let (Some(a), Some(b)) = (a.real(), b.real()) {
        return Some(reals(a, b));
    }
    let num = |elem| match elem {
        Elem::Whole(num) | Elem::Ratio(num) => Some(num),
        Elem::Real(x) => ratio(x),
        Elem::Unknown => None,
    };
    match of(nums, num(a)?, num(b)?) {
        Truth::Always => Some(true),
        Truth::Never => Some(false),
        Truth::Maybe => None,
    }
}

/// A float that is a whole number.
#[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
fn ratio(x: f64) -> Option<Num> {
    (x.fract() == 0.0 && x.abs() < 9.0e15).then_some(Num::Int(x as i64))
}

/// Both operands as numbers of a table, where one is computed from sizes.
fn as_ratios(nums: &mut Nums, a: Elem, b: Elem) -> Option<[Num; 2]> {
    let mut num = |elem| match elem {
        Elem::Whole(num) | Elem::Ratio(num) => Some(num),
        Elem::Real(x) => {
            let (above, below) = short_fraction(x)?;
            nums.quotient(Num::Int(above), Num::Int(below))
        }
        Elem::Unknown => None,
    };
    Some([num(a)?, num(b)?])
}

/// An operation that numbers, floats and forms have.
fn operated(
    nums: &mut Nums,
    a: Elem,
    b: Elem,
    of: impl Fn(&mut Nums, Num, Num) -> Option<Num>,
    reals: impl Fn(f64, f64) -> f64,
) -> Elem {
    match (a, b) {
        (Elem::Unknown, _) | (_, Elem::Unknown) => Elem::Unknown,
        (Elem::Whole(a), Elem::Whole(b)) => of(nums, a, b).map_or(Elem::Unknown, Elem::Whole),
        (a, b) => match (a.real(), b.real()) {
            (Some(a), Some(b)) => Elem::Real(reals(a, b)),
            _ => as_ratios(nums, a, b)
                .and_then(|[a, b]| of(nums, a, b))
                .map_or(Elem::Unknown, Elem::Ratio),
        },
    }
}

pub(super) fn add(nums: &mut Nums, a: Elem, b: Elem) -> Elem {
    operated(nums, a, b, |nums, a, b| Some(nums.add(a, b)), |a, b| a + b)
}

pub(super) fn subtract(nums: &mut Nums, a: Elem, b: Elem) -> Elem {
    operated(nums, a, b, |nums, a, b| Some(nums.sub(a, b)), |a, b| a - b)
}

pub(super) fn multiply(nums: &mut Nums, a: Elem, b: Elem) -> Elem {
    operated(nums, a, b, |nums, a, b| Some(nums.mul(a, b)), |a, b| a * b)
}

fn divide(nums: &mut Nums, a: Elem, b: Elem) -> Elem {
    if let (Elem::Whole(a), Elem::Whole(b)) = (a, b) {
        // Towards 0, as ONNX divides integers.
        return match (a, b) {
            (_, Num::Int(0)) => Elem::Unknown,
            (Num::Int(a), Num::Int(b)) => a.checked_div(b).map_or(Elem::Unknown, Elem::from),
            (a, Num::Int(by @ 1..)) if nums.interval(a).0.is_some_and(|low| low >= 0) => {
                Elem::Whole(nums.floor(a, by))
            }
            (a, Num::Int(by @ 1..)) if nums.interval(a).1.is_some_and(|high| high <= 0) => {
                Elem::Whole(nums.ceil(a, by))
            }
            (a, b) => match nums.quotient(a, b) {
                Some(quotient) if nums.is_quotient_exact(a, b, quotient) => Elem::Whole(quotient),
                _ => Elem::Unknown,
            },
        };
    }
    operated(nums, a, b, Nums::quotient, |a, b| a / b)
}

fn modulo(nums: &mut Nums, a: Elem, b: Elem, is_truncated: bool) -> Elem {
    match (a, b) {
        (Elem::Whole(a), Elem::Whole(Num::Int(by @ 1..))) => {
            if is_truncated && nums.interval(a).0.is_none_or(|low| low < 0) {
                return match a {
                    Num::Int(a) => Elem::from(a % by),
                    Num::Form(_) => Elem::Unknown,
                };
            }
            Elem::Whole(nums.rem(a, by))
        }
        (Elem::Whole(Num::Int(a)), Elem::Whole(Num::Int(by @ ..=-1))) => {
            let rest = a.wrapping_rem(by);
            let is_turned = !is_truncated && rest > 0;
            Elem::from(if is_turned { rest + by } else { rest })
        }
        _ => Elem::Unknown,
    }
}

pub(super) fn least(nums: &mut Nums, a: Elem, b: Elem) -> Elem {
    operated(nums, a, b, |nums, a, b| Some(nums.least(a, b)), f64::min)
}

pub(super) fn greatest(nums: &mut Nums, a: Elem, b: Elem) -> Elem {
    operated(nums, a, b, |nums, a, b| Some(nums.greatest(a, b)), f64::max)
}

fn of_ints(a: Elem, b: Elem, of: impl Fn(i64, i64) -> Option<i64>) -> Elem {
    let found = a.int().zip(b.int()).and_then(|(a, b)| of(a, b));
    found.map_or(Elem::Unknown, Elem::from)
}

fn power(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    arithmetic(call, |nums, a, b| {
        let exponent = match b {
            Elem::Real(x) => ratio(x).and_then(Num::as_int),
            other => other.int(),
        };
        match (a, exponent) {
            (Elem::Whole(num), Some(times @ 0..=8)) => {
                Elem::Whole(nums.product((0..times).map(|_| num)))
            }
            (Elem::Ratio(num), Some(times @ 0..=8)) => {
                Elem::Ratio(nums.product((0..times).map(|_| num)))
            }
            _ => match (a.real(), b.real()) {
                (Some(a), Some(b)) => Elem::Real(a.powf(b)),
                _ => Elem::Unknown,
            },
        }
    })
}

fn equal(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    #[expect(clippy::float_cmp, reason = "to the last bit, as the operator compares")]
    let reals = |a: f64, b: f64| a == b;
    logic(call, |nums, a, b| compare(nums, a, b, Nums::equals, reals))
}

/// The slope is broadcast to the input, in one direction.
fn prelu(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (sizes, slope) = (call.shape(0)?.clone(), call.shape(1)?.clone());
    if call.version >= 7 && slope.len() <= sizes.len() {
        let ahead = sizes.len() - slope.len();
        for (axis, size) in slope.iter().enumerate() {
            call.fit(
                *size,
                Place::Axis(1, axis),
                sizes[ahead + axis],
                Place::Axis(0, ahead + axis),
            );
        }
    }
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

fn choose(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let element = call.element(1);
    combined(call, element, |nums, elems| match elems {
        [condition, one, other] => match condition.truth() {
            Some(true) => *one,
            Some(false) => *other,
            None if one == other => *one,
            None => match (one.whole(), other.whole()) {
                (Some(a), Some(b)) if nums.equals(a, b) == Truth::Always => *one,
                _ => Elem::Unknown,
            },
        },
        _ => Elem::Unknown,
    })
}
