//! Pools: one number of each window that slides over the last axes, of each image, or of each
//! region of one.

use super::{
    super::{
        call::Call,
        known::Sizes,
        num::Num,
        require::Stop,
        template::{Template, Term, axis},
    },
    Family,
    convolution::{Slides, image, kernels, labels},
};
use crate::element::Element;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("AveragePool", pool),
    ("GlobalAveragePool", global_pool),
    ("GlobalLpPool", global_pool),
    ("GlobalMaxPool", global_pool),
    ("LpPool", pool),
    ("MaxPool", max_pool),
    ("MaxRoiPool", max_roi_pool),
    ("MaxUnpool", max_unpool),
    ("RoiAlign", roi_align),
    ("com.microsoft::NhwcMaxPool", |call| pool_over(call, true).map(drop)),
    ("com.microsoft::QLinearAveragePool", qlinear_pool),
    ("com.microsoft::QLinearGlobalAveragePool", qlinear_global_pool),
];

/// Pools over the spatial axes, after batch and channels or between them. Gives the sizes of the
/// result.
fn pool_over(call: &mut Call<'_, '_>, is_last: bool) -> Result<Sizes, Stop> {
    let count = call.shape_of_least(0, 2)?.len() - 2;
    let (slides, labels) = (Slides::read(call, count)?, labels(count));
    let given = kernels(call, &labels, true)?;
    let windows = labels.iter().enumerate().map(|(place, names)| slides.window(place, *names));
    let over = labels.iter().map(|[over, _]| Term::Axis(*over));
    let template = Template {
        operands: vec![image(axis("c"), windows, is_last)],
        result: image(axis("c"), over, is_last),
        given,
        stretches: false,
    };
    let sizes = call.apply(template)?;
    call.give_sizes(0, call.element(0), sizes.iter().copied());
    Ok(sizes)
}

fn pool(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    pool_over(call, false).map(drop)
}

/// Its second output says where each greatest element was.
fn max_pool(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = pool_over(call, false)?;
    if call.output_count() > 1 {
        call.give_sizes(1, Element::Int64, sizes);
    }
    Ok(())
}

fn qlinear_pool(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let is_last = call.flag("channels_last", false);
    pool_over(call, is_last).map(drop)
}

fn global_pool_over(call: &mut Call<'_, '_>, is_last: bool) -> Result<(), Stop> {
    let count = call.shape_of_least(0, 2)?.len() - 2;
    let spatial = labels(count).into_iter().map(|[over, _]| Term::Axis(over));
    let template = Template {
        operands: vec![image(axis("c"), spatial, is_last)],
        result: image(axis("c"), std::iter::repeat_n(Term::One, count), is_last),
        ..Template::default()
    };
    call.give_template(0, call.element(0), template)
}

fn global_pool(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    global_pool_over(call, false)
}

fn qlinear_global_pool(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let is_last = call.flag("channels_last", false);
    global_pool_over(call, is_last)
}

fn max_unpool(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let count = call.shape_of_least(0, 2)?.len() - 2;
    let (slides, labels) = (Slides::read(call, count)?, labels(count));
    let row = || image(axis("c"), labels.iter().map(|[over, _]| Term::Axis(*over)), false);
    let windows = labels.iter().enumerate().map(|(place, names)| slides.window(place, *names));
    let template = Template {
        operands: vec![row(), row()],
        result: image(axis("c"), windows, false),
        given: kernels(call, &labels, true)?,
        stretches: false,
    };
    let rank = count + 2;
    let sizes = call.apply(template)?;
    let sizes = match call.has(2).then(|| super::shapes::sizes_of_input(call, 2)) {
        None => sizes,
        Some(Ok(sizes)) if sizes.len() == rank => sizes,
        Some(Ok(_)) => return Err(Stop::Elements(2)),
        // The sizes are those of a vector of unknown length, which has one for each axis.
        Some(Err(_)) => (0..rank).map(|axis| call.fresh(axis, 0, None)).collect(),
    };
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

fn max_roi_pool(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let pooled = call.ints("pooled_shape").ok_or(Stop::Attribute("pooled_shape"))?;
    let regions = vec![axis("r"), Term::Size(Num::Int(5))];
    let count = call.shape_of_least(0, 2)?.len() - 2;
    let row = image(axis("c"), std::iter::repeat_n(Term::Any, count), false);
    let sizes = pooled.into_iter().map(|size| Term::Size(size.into()));
    let result = [axis("r"), axis("c")].into_iter().chain(sizes).collect();
    let template = Template { operands: vec![row, regions], result, ..Template::default() };
    call.give_template(0, call.element(0), template)
}

fn roi_align(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let [height, width] =
        ["output_height", "output_width"].map(|name| Term::Size(call.int_or(name, 1).into()));
    let template = Template {
        operands: vec![
            vec![axis("n"), axis("c"), axis("y"), axis("x")],
            vec![axis("r"), Term::Size(Num::Int(4))],
            vec![axis("r")],
        ],
        result: vec![axis("r"), axis("c"), height, width],
        ..Template::default()
    };
    call.give_template(0, call.element(0), template)
}
