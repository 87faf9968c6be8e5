//! Images at another size: by factors, or to sizes that are given.

use super::{
    super::{call::Call, known::Sizes, num::Num, require::Stop, value::Elem},
    Family,
    elements::{short_fraction, whole_part},
};

/// The operators of this family.
pub(super) const RULES: Family = &[("Resize", resize), ("Upsample", upsample)];

/// `⌊size·factor⌋`; none where that is not the size of anything.
fn scaled(call: &mut Call<'_, '_>, size: Num, factor: Option<Elem>, axis: usize) -> Option<Num> {
    let num = match factor {
        Some(Elem::Real(x)) => {
            if let Num::Int(n) = size {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_precision_loss,
                    reason = "as the operator computes, in 32 bits"
                )]
                return whole_part((n as f32 * x as f32).floor().into()).map(Num::Int);
            }
            // A factor such as 1/3 is not what it was meant to be in 32 bits, and its product is
            // rounded again.
            near_fraction(x)
                .or_else(|| short_fraction(x))
                .and_then(|(above, below)| call.nums.quotient(Num::Int(above), Num::Int(below)))
        }
        Some(Elem::Whole(num) | Elem::Ratio(num)) => Some(num),
        Some(Elem::Unknown) | None => None,
    };
    Some(match num {
        Some(num) => {
            let product = call.nums.mul(size, num);
            call.nums.whole(product)
        }
        None => call.fresh(axis, 0, None),
    })
}

/// A fraction of small numbers whose value in 32 bits a float is.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "small numbers")]
#[expect(clippy::float_cmp, reason = "the fraction is rounded to that very float")]
fn near_fraction(x: f64) -> Option<(i64, i64)> {
    (1..=64_i64).find_map(|below| {
        let above = (x * below as f64).round();
        ((above as f32 / below as f32) == x as f32).then_some((above as i64, below))
    })
}

fn upsample(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let factors: Vec<Option<Elem>> = if call.version >= 9 {
        match call.value(1) {
            Some(value) => value.iter().map(|elem| Some(*elem)).collect(),
            None => vec![None; sizes.len()],
        }
    } else if let Some(scales) = call.floats("scales") {
        scales.into_iter().map(|x| Some(Elem::Real(x.into()))).collect()
    } else {
        let of = |name| call.float(name).map(|x| Some(Elem::Real(x.into())));
        let (height, width) = (of("height_scale"), of("width_scale"));
        vec![
            Some(Elem::Real(1.0)),
            Some(Elem::Real(1.0)),
            height.ok_or(Stop::Attribute("height_scale"))?,
            width.ok_or(Stop::Attribute("width_scale"))?,
        ]
    };
    if factors.len() != sizes.len() {
        return Err(Stop::Elements(1));
    }
    let found: Option<Sizes> = sizes
        .iter()
        .zip(factors)
        .enumerate()
        .map(|(axis, (size, factor))| scaled(call, *size, factor, axis))
        .collect();
    let no_size = if call.version >= 9 { Stop::Elements(1) } else { Stop::Attribute("scales") };
    call.give_sizes(0, call.element(0), found.ok_or(no_size)?);
    Ok(())
}

fn resize(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    if call.version < 11 {
        return upsample(call);
    }
    let sizes = call.shape(0)?.clone();
    let rank = sizes.len();
    let axes: Vec<usize> = match call.ints("axes") {
        Some(axes) => {
            axes.into_iter().map(|axis| Call::axis(axis, rank)).collect::<Result<_, _>>()?
        }
        None => (0..rank).collect(),
    };
    let mut found = sizes.clone();
    // An empty list of factors is left out.
    let is_there = |call: &Call<'_, '_>, input: usize| {
        call.has(input) && call.known(input).is_ok_and(|known| known.count() != Some(0))
    };
    if is_there(call, 3) {
        let wanted =
            call.wholes(3).unwrap_or_else(|_| smallvec::SmallVec::from_elem(None, axes.len()));
        if wanted.len() != axes.len() {
            return Err(Stop::Elements(3));
        }
        let policy = call.string("keep_aspect_ratio_policy").unwrap_or("stretch");
        if policy != "stretch" {
            return resize_keeping_ratio(call, &sizes, &axes, &wanted, policy == "not_larger");
        }
        for (axis, size) in axes.iter().zip(wanted) {
            found[*axis] = match size {
                Some(size) => size,
                None => call.fresh(*axis, 0, None),
            };
        }
    } else if is_there(call, 2) {
        let factors: Vec<Option<Elem>> = match call.value(2) {
            Some(value) => value.iter().map(|elem| Some(*elem)).collect(),
            None => vec![None; axes.len()],
        };
        if factors.len() != axes.len() {
            return Err(Stop::Elements(2));
        }
        let is_cropped =
            call.string("coordinate_transformation_mode") == Some("tf_crop_and_resize");
        for (place, axis) in axes.iter().enumerate() {
            let size = if is_cropped {
                cropped(call, sizes[*axis], place, axes.len())
            } else {
                Some(sizes[*axis])
            };
            found[*axis] = match size {
                Some(size) => scaled(call, size, factors[place], *axis).ok_or(Stop::Elements(2))?,
                None => call.fresh(*axis, 0, None),
            };
        }
    } else {
        return Err(Stop::Missing(3));
    }
    call.give_sizes(0, call.element(0), found);
    Ok(())
}

/// The part of an axis that is read, where the operator crops.
fn cropped(call: &mut Call<'_, '_>, size: Num, place: usize, count: usize) -> Option<Num> {
    let roi = call.value(1)?;
    let (start, end) = (roi.get(place)?.real()?, roi.get(place + count)?.real()?);
    ((start, end) == (0.0, 1.0)).then_some(size)
}

/// One factor for all axes: the least that reaches no size, or the greatest.
fn resize_keeping_ratio(
    call: &mut Call<'_, '_>,
    sizes: &Sizes,
    axes: &[usize],
    wanted: &[Option<Num>],
    is_least: bool,
) -> Result<(), Stop> {
    let mut found = sizes.clone();
    let factors: Option<Vec<f64>> = axes
        .iter()
        .zip(wanted)
        .map(|(axis, wanted)| {
            #[expect(clippy::cast_precision_loss, reason = "as the operator computes")]
            Some(wanted.as_ref()?.as_int()? as f64 / sizes[*axis].as_int()? as f64)
        })
        .collect();
    let factor = factors
        .and_then(|factors| factors.into_iter().reduce(if is_least { f64::min } else { f64::max }));
    for axis in axes {
        found[*axis] = match (factor, sizes[*axis]) {
            #[expect(clippy::cast_precision_loss, reason = "as the operator computes")]
            (Some(factor), Num::Int(n)) => {
                Num::Int(whole_part((n as f64 * factor).round()).ok_or(Stop::Elements(3))?)
            }
            _ => call.fresh(*axis, 0, None),
        };
    }
    call.give_sizes(0, call.element(0), found);
    Ok(())
}
