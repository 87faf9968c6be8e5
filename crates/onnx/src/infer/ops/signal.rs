//! Operators on signals and images: transforms of Fourier, windows, grids that are sampled, blocks
//! of pixels.

use super::{
    super::{
        call::Call,
        known::{Known, Sizes},
        num::Num,
        require::{Place, Stop},
        template::{Fit, Template, Term, Window, axis, label, letter, spatial},
        value::Elem,
    },
    Family,
    agree::element_of,
    shapes::sizes_of_input,
};
use crate::element::Element;
use lozenge_calculus::number::length;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("AffineGrid", affine_grid),
    ("BlackmanWindow", window),
    ("DFT", dft),
    ("DepthToSpace", depth_to_space),
    ("GridSample", grid_sample),
    ("HammingWindow", window),
    ("HannWindow", window),
    ("ImageDecoder", image_decoder),
    ("MelWeightMatrix", mel_weights),
    ("STFT", stft),
    ("SpaceToDepth", space_to_depth),
    ("com.microsoft::GridSample", grid_sample),
];

/// The number of frequencies of a spectrum that are not mirrored, from the number of its samples.
fn half(call: &mut Call<'_, '_>, length: Num) -> Num {
    let half = call.nums.floor(length, 2);
    call.nums.add(half, Num::ONE)
}

/// The size that an input's one element says; a name where it is not known.
fn size_of(call: &mut Call<'_, '_>, input: usize, number: usize) -> Num {
    let size = call.scalar(input).and_then(Elem::whole);
    size.unwrap_or_else(|| call.fresh(number, 0, None))
}

/// `n, s*f+k, * => n, f, bins, 2`: windows of the signal, and the spectrum of each as pairs of
/// numbers.
fn stft(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let signal = call.shape_of_least(0, 2)?.clone();
    let taper = call.shape(2).ok().and_then(|sizes| sizes.first().copied());
    let length = call.scalar(3).and_then(Elem::whole);
    let length = match (length, taper) {
        (Some(length), Some(taper)) => {
            call.equal(length, Place::Input(3), taper, Place::Axis(2, 0))
        }
        (Some(length), None) | (None, Some(length)) => length,
        (None, None) => call.fresh(0, 1, None),
    };
    let bins = if call.flag("onesided", true) { half(call, length) } else { length };
    let step = call.scalar(1).and_then(Elem::int).filter(|step| *step > 0);
    let Some(stride) = step else {
        let frames = call.fresh(1, 1, Some(signal[1]));
        call.give_sizes(0, call.element(0), [signal[0], frames, bins, Num::Int(2)]);
        return Ok(());
    };
    let samples = Term::Window(Window {
        stride,
        over: label("f"),
        offset: 0,
        dilation: 1,
        kernel: label("k"),
        fit: Fit::Floor,
        margin: [0; 2],
    });
    let mut operand = vec![axis("n"), samples];
    operand.extend(signal[2..].iter().map(|_| Term::Any));
    let template = Template {
        operands: vec![operand],
        result: vec![axis("n"), axis("f"), Term::Size(bins), Term::Size(Num::Int(2))],
        given: vec![(label("k"), length)],
        stretches: false,
    };
    call.give_template(0, call.element(0), template)
}

/// The axis that is transformed is an attribute before version 20, and an input since.
fn dft(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let mut sizes = call.shape_of_least(0, 2)?.clone();
    let axis = if call.version < 20 {
        call.int_or("axis", 1)
    } else if call.has(2) {
        match call.scalar(2).and_then(Elem::int) {
            Some(axis) => axis,
            None => return dft_along_some_axis(call, &sizes),
        }
    } else {
        -2
    };
    let axis = Call::axis(axis, sizes.len())?;
    let last = sizes.len() - 1;
    if axis == last {
        return Err(Stop::Attribute("axis"));
    }
    let is_onesided = call.flag("onesided", false);
    let gives_real = is_onesided && call.flag("inverse", false);
    let length = if call.has(1) {
        size_of(call, 1, 0)
    } else if gives_real {
        let steps = call.nums.sub(sizes[axis], Num::ONE);
        call.nums.mul(steps, Num::Int(2))
    } else {
        sizes[axis]
    };
    sizes[axis] = if is_onesided && !gives_real { half(call, length) } else { length };
    sizes[last] = Num::Int(if gives_real { 1 } else { 2 });
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

/// Only running the model tells which axis is transformed: each but the last may get another size.
#[expect(clippy::unnecessary_wraps, reason = "it is the end of a rule")]
fn dft_along_some_axis(call: &mut Call<'_, '_>, sizes: &Sizes) -> Result<(), Stop> {
    let is_onesided = call.flag("onesided", false);
    let gives_real = is_onesided && call.flag("inverse", false);
    let keeps_sizes = !is_onesided && !call.has(1);
    let last = sizes.len() - 1;
    let mut new: Sizes = sizes[..last].iter().copied().collect();
    if !keeps_sizes {
        new.iter_mut().enumerate().for_each(|(axis, size)| *size = call.fresh(axis, 0, None));
    }
    new.push(Num::Int(if gives_real { 1 } else { 2 }));
    call.give_sizes(0, call.element(0), new);
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "a rule may stop")]
fn window(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let size = size_of(call, 0, 0);
    call.give_sizes(0, element_of(call, "output_datatype", Element::Float), [size]);
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "a rule may stop")]
fn mel_weights(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let bands = size_of(call, 0, 0);
    let length = size_of(call, 1, 1);
    let bins = half(call, length);
    call.give_sizes(0, element_of(call, "output_datatype", Element::Float), [bins, bands]);
    Ok(())
}

/// `n, c, image; n, places, coordinates => n, c, places`.
fn grid_sample(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let count = call.shape_of_least(0, 3)?.len() - 2;
    let coordinates = length(count);
    let image = (0..count).map(|place| Term::Axis(letter(place + 3)));
    let places = || (0..count).map(|place| Term::Axis(spatial(place, count)[0]));
    let template = Template {
        operands: vec![
            [axis("n"), axis("channel")].into_iter().chain(image).collect(),
            std::iter::once(axis("n"))
                .chain(places())
                .chain([Term::Size(coordinates.into())])
                .collect(),
        ],
        result: [axis("n"), axis("channel")].into_iter().chain(places()).collect(),
        ..Template::default()
    };
    call.give_template(0, call.element(0), template)
}

/// The second input says the sizes of the image that is to be sampled, batch and channels included.
fn affine_grid(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = sizes_of_input(call, 1)?;
    let [batch, _, spatial @ ..] = sizes.as_slice() else { return Err(Stop::Elements(1)) };
    let coordinates = length(spatial.len());
    let wanted = [*batch, coordinates.into(), (coordinates + 1).into()];
    let mut places = [Place::Node; 3];
    places[0] = Place::Element(1, 0);
    let wanted: Vec<_> = wanted.into_iter().zip(places).collect();
    super::agree::agree(call, 0, &wanted)?;
    let spatial = spatial.iter().copied();
    let grid = std::iter::once(*batch).chain(spatial).chain([Num::Int(coordinates)]);
    call.give_sizes(0, call.element(0), grid);
    Ok(())
}

/// Height and width are those of the file that is decoded.
#[expect(clippy::unnecessary_wraps, reason = "a rule may stop")]
fn image_decoder(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let channels = match call.string("pixel_format").unwrap_or("RGB") {
        "Grayscale" => 1,
        _ => 3,
    };
    let sizes = [call.fresh(0, 0, None), call.fresh(1, 0, None), Num::Int(channels)];
    call.give(0, Known::tensor(Element::Uint8, sizes));
    Ok(())
}

/// Blocks of an image, whose height and width the node says.
fn block(call: &Call<'_, '_>) -> Result<Vec<(super::super::template::Label, Num)>, Stop> {
    let size = call.int("blocksize").filter(|size| *size > 0);
    let size = Num::Int(size.ok_or(Stop::Attribute("blocksize"))?);
    Ok(vec![(label("p"), size), (label("q"), size)])
}

/// The row of an image of which each pixel is a block, and that of the image whose pixels are those
/// of the blocks.
fn blocks(channels: [&'static str; 3]) -> [Vec<Term>; 2] {
    let merged = |names: &[&'static str]| Term::Merged(names.iter().copied().map(axis).collect());
    [
        vec![axis("n"), merged(&channels), axis("y"), axis("x")],
        vec![axis("n"), axis("c"), merged(&["y", "p"]), merged(&["x", "q"])],
    ]
}

/// `n, (p q c), y, x => n, c, (y p), (x q)`, or with the channels first in their axis.
fn depth_to_space(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let order = match call.string("mode").unwrap_or("DCR") {
        "CRD" => ["c", "p", "q"],
        _ => ["p", "q", "c"],
    };
    let [deep, wide] = blocks(order);
    let template =
        Template { operands: vec![deep], result: wide, given: block(call)?, stretches: false };
    call.give_template(0, call.element(0), template)
}

/// `n, c, (y p), (x q) => n, (p q c), y, x`.
fn space_to_depth(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let [deep, wide] = blocks(["p", "q", "c"]);
    let template =
        Template { operands: vec![wide], result: deep, given: block(call)?, stretches: false };
    call.give_template(0, call.element(0), template)
}
