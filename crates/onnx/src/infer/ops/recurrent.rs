//! Recurrent networks: LSTM, GRU and RNN, whose states go from step to step.

use super::{
    super::{
        call::Call,
        num::Num,
        require::{Place, Stop},
        template::{Template, Term, axis, label},
    },
    Family,
    agree::agree,
};

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("GRU", |call| recur(call, 3, false)),
    ("LSTM", |call| recur(call, 4, false)),
    ("RNN", |call| recur(call, 1, false)),
    ("com.microsoft::DynamicQuantizeLSTM", |call| recur(call, 4, true)),
];

/// The inputs after those that the specification names, in ONNX's order.
const BIAS: usize = 3;
const LENGTHS: usize = 4;
const STATE: usize = 5;
const CELL: usize = 6;
const PEEPHOLES: usize = 7;

/// `t, b, i; d, (p h), i; d, (p h), h => t, d, b, h`: directions `d`, and `p` gates with a part of
/// the weights each. What is stored in few bits has its weights transposed.
fn recur(call: &mut Call<'_, '_>, parts: i64, is_transposed: bool) -> Result<(), Stop> {
    let is_batch_first = call.flag("layout", false);
    let directions = match call.string("direction").unwrap_or("forward") {
        "forward" | "reverse" => 1,
        "bidirectional" => 2,
        _ => return Err(Stop::Attribute("direction")),
    };
    let gates = || match parts {
        1 => axis("h"),
        _ => Term::Merged(vec![axis("p"), axis("h")]),
    };
    let weights = |sum: &'static str| {
        let [first, second] =
            if is_transposed { [axis(sum), gates()] } else { [gates(), axis(sum)] };
        vec![axis("d"), first, second]
    };
    let mut steps = [axis("t"), axis("b"), axis("i")];
    let mut states = [axis("t"), axis("d"), axis("b"), axis("h")];
    if is_batch_first {
        steps.swap(0, 1);
        states = [axis("b"), axis("t"), axis("d"), axis("h")];
    }
    let mut given = vec![(label("d"), Num::Int(directions))];
    if parts != 1 {
        given.push((label("p"), parts.into()));
    }
    given.extend(call.int("hidden_size").map(|size| (label("h"), size.into())));
    let template = Template {
        operands: vec![steps.into(), weights("i"), weights("h")],
        result: states.into(),
        given,
        stretches: false,
    };
    let sizes = call.apply(template)?;
    let element = call.element(0);
    call.give_sizes(0, element, sizes.iter().copied());

    let batch = usize::from(!is_batch_first);
    let batch = (call.shape(0)?[batch], Place::Axis(0, batch));
    let hidden = (sizes[3], Place::Axis(2, if is_transposed { 1 } else { 2 }));
    let directions = (Num::Int(directions), Place::Attribute("direction"));
    let state =
        if is_batch_first { [batch, directions, hidden] } else { [directions, batch, hidden] };
    let has_cell = parts == 4;
    let outputs = if has_cell { 3 } else { 2 };
    for output in 1..call.output_count().min(outputs) {
        call.give_sizes(output, element, state.map(|(size, _)| size));
    }
    let wide = |call: &mut Call<'_, '_>, by: i64| (call.nums.mul(hidden.0, by.into()), hidden.1);
    let bias = wide(call, 2 * parts);
    agree(call, BIAS, &[directions, bias])?;
    agree(call, LENGTHS, &[batch])?;
    agree(call, STATE, &state)?;
    if has_cell {
        agree(call, CELL, &state)?;
        let peepholes = wide(call, 3);
        agree(call, PEEPHOLES, &[directions, peepholes])?;
    }
    Ok(())
}
