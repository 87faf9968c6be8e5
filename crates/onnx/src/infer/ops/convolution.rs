//! Convolutions, those of weights that are stored in few bits, and what undoes them.

use super::{
    super::{
        apply::Windows,
        call::Call,
        known::Sizes,
        num::Num,
        require::{Place, Stop},
        template::{Fit, Label, Template, Term, Window, axis, label, rest, spatial},
    },
    Family,
    agree::{agree, list},
};
use crate::element::Element;
use lozenge_calculus::number::length;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("Col2Im", col2im),
    ("Conv", conv),
    ("ConvInteger", conv_integer),
    ("ConvTranspose", conv_transpose),
    ("DeformConv", deform_conv),
    ("QLinearConv", |call| qlinear_conv(call, false)),
    ("com.microsoft::FusedConv", |call| fused_conv(call, false)),
    ("com.microsoft::NhwcFusedConv", |call| fused_conv(call, true)),
    ("com.microsoft::QLinearConv", |call| {
        let is_last = call.flag("channels_last", false);
        qlinear_conv(call, is_last)
    }),
];

/// The attributes that say how windows slide over the spatial axes.
pub(super) struct Slides {
    strides: Vec<i64>,
    dilations: Vec<i64>,
    margins: Vec<[i64; 2]>,
    fit: Fit,
}

impl Slides {
    pub(super) fn read(call: &Call<'_, '_>, count: usize) -> Result<Slides, Stop> {
        let strides = list(call, "strides", count, 1)?;
        if strides.iter().any(|stride| *stride < 1) {
            return Err(Stop::Attribute("strides"));
        }
        let whole = if call.flag("ceil_mode", false) { Fit::Ceil } else { Fit::Floor };
        let (fit, margins) = match call.string("auto_pad").unwrap_or("NOTSET") {
            "SAME_UPPER" | "SAME_LOWER" => (Fit::Same, vec![[0; 2]; count]),
            "VALID" => (whole, vec![[0; 2]; count]),
            _ => {
                let pads = list(call, "pads", 2 * count, 0)?;
                (whole, (0..count).map(|place| [pads[place], pads[count + place]]).collect())
            }
        };
        Ok(Slides { strides, dilations: list(call, "dilations", count, 1)?, margins, fit })
    }

    pub(super) fn window(&self, place: usize, [over, kernel]: [Label; 2]) -> Term {
        Term::Window(Window {
            stride: self.strides[place],
            over,
            offset: 0,
            dilation: self.dilations[place],
            kernel,
            fit: self.fit,
            margin: self.margins[place],
        })
    }
}

/// The names of all spatial axes, and of those of the kernel.
pub(super) fn labels(count: usize) -> Vec<[Label; 2]> {
    (0..count).map(|place| spatial(place, count)).collect()
}

/// The axes of kernels with the sizes that the node says.
pub(super) fn kernels(
    call: &Call<'_, '_>,
    labels: &[[Label; 2]],
    is_required: bool,
) -> Result<Vec<(Label, Num)>, Stop> {
    match call.ints("kernel_shape") {
        None if is_required => Err(Stop::Attribute("kernel_shape")),
        None => Ok(vec![]),
        Some(sizes) if sizes.len() != labels.len() => Err(Stop::Attribute("kernel_shape")),
        Some(sizes) => {
            Ok(labels.iter().zip(sizes).map(|([_, kernel], size)| (*kernel, size.into())).collect())
        }
    }
}

/// A row of an image: batch, channels and spatial axes, in the order of the operator.
pub(super) fn image(
    channels: Term,
    spatial: impl Iterator<Item = Term>,
    is_last: bool,
) -> Vec<Term> {
    let mut row = vec![axis("n")];
    if is_last {
        row.extend(spatial);
        row.push(channels);
    } else {
        row.push(channels);
        row.extend(spatial);
    }
    row
}

/// Channels in groups; one group is not named.
fn grouped(groups: i64, channels: &'static str) -> Term {
    match groups {
        1 => axis(channels),
        _ => Term::Merged(vec![axis("g"), axis(channels)]),
    }
}

fn groups(call: &Call<'_, '_>) -> Result<i64, Stop> {
    Some(call.int_or("group", 1)).filter(|groups| *groups > 0).ok_or(Stop::Attribute("group"))
}

/// Rows for inputs that stand between image and weights and say nothing about sizes: scales and
/// zero points.
fn between(count: usize) -> impl Iterator<Item = Vec<Term>> {
    ["scale", "zero"].into_iter().take(count).map(|name| vec![rest(name)])
}

/// `n, (g c), windows; (g o), c, kernel => n, (g o), windows`, whose weights and bias are the
/// inputs with these numbers.
fn convolve(
    call: &mut Call<'_, '_>,
    weights: usize,
    bias: Option<usize>,
    is_last: bool,
) -> Result<Sizes, Stop> {
    let count = call.shape_of_least(0, 2)?.len() - 2;
    let (slides, groups, labels) = (Slides::read(call, count)?, groups(call)?, labels(count));
    let mut given = kernels(call, &labels, false)?;
    if groups != 1 {
        given.push((label("g"), groups.into()));
    }
    let windows = labels.iter().enumerate().map(|(place, names)| slides.window(place, *names));
    let mut operands = vec![image(grouped(groups, "c"), windows, is_last)];
    operands.extend(between(weights - 1));
    let kernel = labels.iter().map(|[_, kernel]| Term::Axis(*kernel));
    operands.push([grouped(groups, "o"), axis("c")].into_iter().chain(kernel).collect());
    let bias = bias.filter(|bias| call.shape(*bias).is_ok());
    let is_row = bias == Some(weights + 1) && groups == 1;
    if is_row {
        operands.push(vec![axis("o")]);
    }
    let over = labels.iter().map(|[over, _]| Term::Axis(*over));
    let result = image(grouped(groups, "o"), over, is_last);
    let sizes = call.apply(Template { operands, result, given, stretches: false })?;
    // Of merged channels the weights say how many there are in all, and can be named.
    if let Some(bias) = bias.filter(|_| !is_row) {
        let channels = sizes[if is_last { count + 1 } else { 1 }];
        agree(call, bias, &[(channels, Place::Axis(weights, 0))])?;
    }
    Ok(sizes)
}

fn conv(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = convolve(call, 1, Some(2), false)?;
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

fn conv_integer(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = convolve(call, 1, None, false)?;
    call.give_sizes(0, Element::Int32, sizes);
    Ok(())
}

fn qlinear_conv(call: &mut Call<'_, '_>, is_last: bool) -> Result<(), Stop> {
    let sizes = convolve(call, 3, Some(8), is_last)?;
    call.give_sizes(0, call.element(7), sizes);
    Ok(())
}

/// A convolution with a fourth input that is added to its result.
fn fused_conv(call: &mut Call<'_, '_>, is_last: bool) -> Result<(), Stop> {
    let sizes = convolve(call, 1, Some(2), is_last)?;
    let places: Vec<_> =
        sizes.iter().enumerate().map(|(axis, size)| (*size, Place::Result(axis))).collect();
    agree(call, 3, &places)?;
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

/// `n, (g c), over; (g c), o, kernel => n, (g o), windows`: what a convolution with these windows
/// would read.
fn conv_transpose(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let count = call.shape_of_least(0, 2)?.len() - 2;
    let (mut slides, groups, labels) = (Slides::read(call, count)?, groups(call)?, labels(count));
    let longer = list(call, "output_padding", count, 0)?;
    for (margin, longer) in slides.margins.iter_mut().zip(longer) {
        margin[1] -= longer;
    }
    let output = call.ints("output_shape").filter(|sizes| !sizes.is_empty());
    let output = match output {
        None => None,
        Some(sizes) => {
            // Some files list batch and channels too.
            let from = sizes.len().checked_sub(count).ok_or(Stop::Attribute("output_shape"))?;
            Some(sizes[from..].to_vec())
        }
    };
    let mut given = kernels(call, &labels, false)?;
    if groups != 1 {
        given.push((label("g"), groups.into()));
    }
    let over = labels.iter().map(|[over, _]| Term::Axis(*over));
    let kernel = labels.iter().map(|[_, kernel]| Term::Axis(*kernel));
    let weights = [grouped(groups, "c"), axis("o")].into_iter().chain(kernel).collect();
    let mut operands = vec![image(grouped(groups, "c"), over, false), weights];
    let has_bias = call.shape(2).is_ok();
    if has_bias && groups == 1 {
        operands.push(vec![axis("o")]);
    }
    let written = labels.iter().enumerate().map(|(place, names)| match &output {
        Some(output) => Term::Size(output[place].into()),
        None if slides.fit == Fit::Same => {
            Term::Merged(vec![Term::Axis(names[0]), Term::Size(slides.strides[place].into())])
        }
        None => slides.window(place, *names),
    });
    let result = image(grouped(groups, "o"), written, false);
    let sizes = call.apply(Template { operands, result, given, stretches: false })?;
    if has_bias && groups != 1 {
        agree(call, 2, &[(sizes[1], Place::Result(1))])?;
    }
    for (axis, size) in sizes.iter().enumerate().skip(2) {
        call.at_least(*size, 1, Place::Result(axis));
    }
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

/// A convolution whose windows read at places that a third input moves, for each element of each
/// window in two or more coordinates.
fn deform_conv(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let count = call.shape_of_least(0, 2)?.len() - 2;
    let (slides, groups, labels) = (Slides::read(call, count)?, groups(call)?, labels(count));
    let mut given = kernels(call, &labels, false)?;
    let moved = call.int_or("offset_group", 1);
    given.extend([(label("g"), groups.into()), (label("f"), moved.into())]);
    let over = || labels.iter().map(|[over, _]| Term::Axis(*over));
    let kernel = || labels.iter().map(|[_, kernel]| Term::Axis(*kernel));
    let windows = labels.iter().enumerate().map(|(place, names)| slides.window(place, *names));
    let coordinates = length(count);
    let moves: Vec<Term> = std::iter::once(axis("f"))
        .chain(kernel())
        .chain([Term::Size(coordinates.into())])
        .collect();
    let operands = vec![
        image(grouped(groups, "c"), windows, false),
        [grouped(groups, "o"), axis("c")].into_iter().chain(kernel()).collect(),
        image(Term::Merged(moves), over(), false),
    ];
    let result = image(grouped(groups, "o"), over(), false);
    let sizes = call.apply(Template { operands, result, given, stretches: false })?;
    agree(call, 3, &[(sizes[1], Place::Axis(1, 0))])?;
    let all = call.shape(2)?[1];
    if let Some(marks) = call.nums.quotient(all, coordinates.into()) {
        let mut wanted: Vec<_> =
            sizes.iter().enumerate().map(|(axis, size)| (*size, Place::Axis(2, axis))).collect();
        wanted[1].0 = marks;
        agree(call, 4, &wanted)?;
    }
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

/// `n, (c k), (windows) => n, c, image`: blocks laid over an image whose sizes are an input's
/// elements.
fn col2im(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let columns = call.shape_of_rank(0, 3)?.clone();
    let image = super::shapes::sizes_of_input(call, 1)?;
    let block = super::shapes::sizes_of_input(call, 2)?;
    if image.len() != block.len() {
        return Err(Stop::Elements(2));
    }
    let slides = Slides::read(call, image.len())?;
    let mut windows = Num::ONE;
    for (place, (size, kernel)) in image.iter().zip(&block).enumerate() {
        let window = Windows {
            stride: slides.strides[place],
            dilation: slides.dilations[place],
            kernel: *kernel,
            fit: slides.fit,
            margin: slides.margins[place],
        };
        let count = window.count(call, *size, Place::Element(1, place));
        windows = call.nums.mul(windows, count);
    }
    call.equal(columns[2], Place::Axis(0, 2), windows, Place::Input(1));
    let elements = call.nums.product(block);
    let channels = call.divided(columns[1], elements, Place::Axis(0, 1));
    call.give_sizes(0, call.element(0), [columns[0], channels].into_iter().chain(image));
    Ok(())
}
