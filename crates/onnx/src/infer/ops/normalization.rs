//! Operators that keep the sizes of their input: norms and their parameters, running sums, noise.

use super::{
    super::{
        call::Call,
        known::Sizes,
        num::Num,
        require::{Place, Stop},
        template::{Template, Term, axis, rest},
    },
    Family,
    agree::{agree, element_of, fit},
    pointwise::{same, same_as},
};
use crate::element::Element;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("BatchNormalization", batch_normalization),
    ("Bernoulli", like),
    ("BitCast", |call| same_as(call, element_of(call, "to", Element::Undefined))),
    ("CumProd", same),
    ("CumSum", same),
    ("Dropout", dropout),
    ("GroupNormalization", group_normalization),
    ("Hardmax", along_axis),
    ("InstanceNormalization", |call| channels(call, 3)),
    ("LRN", same),
    ("LayerNormalization", layer_normalization),
    ("LogSoftmax", along_axis),
    ("LpNormalization", along_axis),
    ("MeanVarianceNormalization", same),
    ("Multinomial", multinomial),
    ("RMSNormalization", layer_normalization),
    ("RandomNormal", noise),
    ("RandomNormalLike", like),
    ("RandomUniform", noise),
    ("RandomUniformLike", like),
    ("SimplifiedLayerNormalization", layer_normalization),
    ("Softmax", along_axis),
    ("com.microsoft::LayerNormalization", layer_normalization),
    ("com.microsoft::SimplifiedLayerNormalization", layer_normalization),
    ("com.microsoft::GroupNorm", same),
];

/// `n, c, ..r..; c; … => n, c, ..r..`, with an operand of one axis for each parameter. Images
/// without channels have one.
fn channels(call: &mut Call<'_, '_>, inputs: usize) -> Result<(), Stop> {
    if call.shape(0)?.len() < 2 {
        return same(call);
    }
    let image = || vec![axis("n"), axis("c"), rest("r")];
    let mut operands = vec![image()];
    operands.extend((1..inputs).map(|_| vec![axis("c")]));
    let template = Template { operands, result: image(), ..Template::default() };
    call.give_template(0, call.element(0), template)
}

/// Outputs after the first are mean and variance; before version 14 twice, those that were used and
/// those that go on.
fn batch_normalization(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    if call.flag("spatial", true) {
        channels(call, 5)?;
    } else {
        same(call)?;
    }
    for output in 1..call.output_count().min(5) {
        let from = if output % 2 == 1 { 3 } else { 4 };
        let sizes = call.shape(from)?.clone();
        call.give_sizes(output, call.element(from), sizes);
    }
    Ok(())
}

/// `n, (g c), ..r.. => n, (g c), ..r..`; its parameters have a number a group before version 21,
/// and one a channel since.
fn group_normalization(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape_of_least(0, 2)?;
    let groups = call.int("num_groups").filter(|groups| *groups > 0);
    let groups = groups.ok_or(Stop::Attribute("num_groups"))?;
    let channels = (sizes[1], Place::Axis(0, 1));
    call.divided(channels.0, groups.into(), channels.1);
    let groups = (Num::Int(groups), Place::Attribute("num_groups"));
    let wanted = if call.version < 21 { groups } else { channels };
    agree(call, 1, &[wanted])?;
    agree(call, 2, &[wanted])?;
    same(call)
}

/// Norms over all axes from one on; its further outputs are mean and deviation of what was
/// normalised together.
fn layer_normalization(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    let axis = Call::axis(call.int_or("axis", -1), sizes.len())?;
    let places: Vec<_> =
        sizes.iter().enumerate().map(|(axis, size)| (*size, Place::Axis(0, axis))).collect();
    fit(call, 1, &places)?;
    fit(call, 2, &places)?;
    same(call)?;
    let element = element_of(call, "stash_type", Element::Float);
    for output in 1..call.output_count().min(3) {
        let kept = sizes[..axis].iter().copied();
        let sizes: Sizes = kept.chain(sizes[axis..].iter().map(|_| Num::ONE)).collect();
        call.give_sizes(output, element, sizes);
    }
    Ok(())
}

/// Norms along one axis, which has to be there.
fn along_axis(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let rank = call.shape(0)?.len();
    if let Some(axis) = call.int("axis") {
        Call::axis(axis, rank)?;
    }
    same(call)
}

/// The second output says of each element whether it was kept.
fn dropout(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    same(call)?;
    if call.output_count() > 1 {
        let element = if call.version < 10 { call.element(0) } else { Element::Bool };
        let sizes = call.shape(0)?.clone();
        call.give_sizes(1, element, sizes);
    }
    Ok(())
}

fn like(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    same_as(call, element_of(call, "dtype", call.element(0)))
}

fn noise(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.ints("shape").ok_or(Stop::Attribute("shape"))?;
    let element = element_of(call, "dtype", Element::Float);
    call.give_sizes(0, element, sizes.into_iter().map(Num::Int));
    Ok(())
}

/// `b, classes => b, samples`.
fn multinomial(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let samples = call.int_or("sample_size", 1);
    let template = Template {
        operands: vec![vec![axis("b"), axis("c")]],
        result: vec![axis("b"), Term::Size(samples.into())],
        ..Template::default()
    };
    call.give_template(0, element_of(call, "dtype", Element::Int32), template)
}
