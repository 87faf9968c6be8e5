//! Operators that training needs: losses, and steps of optimizers.

use super::{
    super::{
        call::Call,
        require::Stop,
        template::{Template, Term, axis, spatial},
    },
    Family,
};

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("NegativeLogLikelihoodLoss", loss),
    ("SoftmaxCrossEntropyLoss", |call| {
        loss(call)?;
        // The second output is what was computed of each score.
        if call.output_count() > 1 {
            let sizes = call.shape(0)?.clone();
            call.give_sizes(1, call.element(0), sizes);
        }
        Ok(())
    }),
    ("ai.onnx.preview.training::Adagrad", |call| optimize(call, 3)),
    ("ai.onnx.preview.training::Adam", |call| optimize(call, 4)),
    ("ai.onnx.preview.training::Momentum", |call| optimize(call, 3)),
];

/// `n, c, places; n, places; c => n, places`, or their sum.
fn loss(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let count = call.shape_of_least(0, 2)?.len() - 2;
    let places = || (0..count).map(|place| Term::Axis(spatial(place, count)[0]));
    let all = || std::iter::once(axis("n")).chain(places()).collect();
    let mut operands = vec![[axis("n"), axis("c")].into_iter().chain(places()).collect(), all()];
    if call.has(2) {
        operands.push(vec![axis("c")]);
    }
    let result = if call.string("reduction") == Some("none") { all() } else { vec![] };
    call.give_template(0, call.element(0), Template { operands, result, ..Template::default() })
}

/// A rate, a count of steps and then, in `parts` parts each, tensors with their gradients and what
/// is kept of earlier steps; outputs are all but the gradients.
fn optimize(call: &mut Call<'_, '_>, parts: usize) -> Result<(), Stop> {
    const FIRST: usize = 2;
    let tensors = call.input_count().saturating_sub(FIRST) / parts;
    for output in 0..call.output_count().min(tensors * (parts - 1)) {
        let gradients = if output < tensors { 0 } else { tensors };
        let known = call.known(FIRST + gradients + output)?;
        let sizes = call.shape(FIRST + gradients + output)?.clone();
        call.give_sizes(output, known.element, sizes);
    }
    Ok(())
}
