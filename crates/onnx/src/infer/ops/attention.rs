//! Attention, and what stands around it in transformers: positions, caches, and the fused operators
//! of ONNX Runtime.

use super::{
    super::{
        call::Call,
        known::Sizes,
        num::{Num, Truth},
        require::{Place, Stop},
        template::{Template, Term, axis, label},
    },
    Family,
    agree::{agree, fit},
    pointwise,
};
use crate::element::Element;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("Attention", attention),
    ("CausalConvWithState", causal_convolution),
    ("LinearAttention", linear_attention),
    ("RotaryEmbedding", pointwise::same),
    ("TensorScatter", tensor_scatter),
    ("ai.onnx.preview::FlexAttention", flex_attention),
    ("com.microsoft::Attention", packed_attention),
    ("com.microsoft::EmbedLayerNormalization", embed_layer_normalization),
    ("com.microsoft::GroupQueryAttention", group_query_attention),
    ("com.microsoft::MultiHeadAttention", multi_head_attention),
    ("com.microsoft::RotaryEmbedding", pointwise::same),
    ("com.microsoft::SkipLayerNormalization", skip_layer_normalization),
    ("com.microsoft::SkipSimplifiedLayerNormalization", skip_layer_normalization),
];

/// `b, (h g), l, d; b, h, s, d; b, h, s, v => b, (h g), l, v`: heads of queries in groups, each
/// with one of keys and values.
fn split_heads(call: &Call<'_, '_>) -> Result<Template, Stop> {
    let (queries, keys) = (call.shape_of_rank(0, 4)?, call.shape_of_rank(1, 4)?);
    let heads =
        if queries[1] == keys[1] { axis("h") } else { Term::Merged(vec![axis("h"), axis("g")]) };
    Ok(Template {
        operands: vec![
            vec![axis("b"), heads.clone(), axis("l"), axis("d")],
            vec![axis("b"), axis("h"), axis("s"), axis("d")],
            vec![axis("b"), axis("h"), axis("s"), axis("v")],
        ],
        result: vec![axis("b"), heads, axis("l"), axis("v")],
        ..Template::default()
    })
}

/// `b, l, (h g d); b, s, (h d); b, s, (h v) => b, l, (h g v)`, where attributes say how many heads
/// there are.
fn merged_heads(queries: i64, keys: i64) -> Template {
    let merged = |names: &[&'static str]| Term::Merged(names.iter().copied().map(axis).collect());
    Template {
        operands: vec![
            vec![axis("b"), axis("l"), merged(&["h", "g", "d"])],
            vec![axis("b"), axis("s"), merged(&["h", "d"])],
            vec![axis("b"), axis("s"), merged(&["h", "v"])],
        ],
        result: vec![axis("b"), axis("l"), merged(&["h", "g", "v"])],
        given: vec![(label("h"), keys.into()), (label("g"), (queries / keys).into())],
        stretches: false,
    }
}

/// How many heads queries have, and how many keys and values.
fn heads(call: &Call<'_, '_>) -> Result<[i64; 2], Stop> {
    let read = |name| call.int(name).filter(|heads| *heads > 0).ok_or(Stop::Attribute(name));
    let [queries, keys] = [read("q_num_heads")?, read("kv_num_heads")?];
    if queries % keys == 0 { Ok([queries, keys]) } else { Err(Stop::Attribute("q_num_heads")) }
}

/// The sizes that parts of attention agree on, each with where it stands.
struct Heads {
    batch: (Num, Place),
    queries: (Num, Place),
    keys: (Num, Place),
    length: (Num, Place),
    read: (Num, Place),
    key: (Num, Place),
    value: (Num, Place),
}

impl Heads {
    fn of_split(call: &Call<'_, '_>) -> Result<Heads, Stop> {
        let [queries, keys, values] = [call.shape(0)?, call.shape(1)?, call.shape(2)?];
        Ok(Heads {
            batch: (queries[0], Place::Axis(0, 0)),
            queries: (queries[1], Place::Axis(0, 1)),
            keys: (keys[1], Place::Axis(1, 1)),
            length: (queries[2], Place::Axis(0, 2)),
            read: (keys[2], Place::Axis(1, 2)),
            key: (keys[3], Place::Axis(1, 3)),
            value: (values[3], Place::Axis(2, 3)),
        })
    }

    fn of_merged(call: &mut Call<'_, '_>, [queries, keys]: [i64; 2]) -> Result<Heads, Stop> {
        let [own, read, values] = [call.shape(0)?, call.shape(1)?, call.shape(2)?];
        let part = |call: &mut Call<'_, '_>, size: Num, input: usize| {
            let part = call.nums.quotient(size, keys.into());
            Ok((part.ok_or(Stop::Attribute("kv_num_heads"))?, Place::Axis(input, 2)))
        };
        Ok(Heads {
            batch: (own[0], Place::Axis(0, 0)),
            queries: (queries.into(), Place::Attribute("q_num_heads")),
            keys: (keys.into(), Place::Attribute("kv_num_heads")),
            length: (own[1], Place::Axis(0, 1)),
            read: (read[1], Place::Axis(1, 1)),
            key: part(call, read[2], 1)?,
            value: part(call, values[2], 2)?,
        })
    }
}

/// Attention with a cache of keys and values from before, which becomes longer.
fn attention(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let heads = if call.shape(0)?.len() == 3 {
        let heads = heads(call)?;
        call.give_template(0, call.element(0), merged_heads(heads[0], heads[1]))?;
        Heads::of_merged(call, heads)?
    } else {
        let template = split_heads(call)?;
        call.give_template(0, call.element(0), template)?;
        Heads::of_split(call)?
    };
    let mut total = heads.read.0;
    let past = call.shape(4).ok().filter(|past| past.len() == 4).map(|past| past[2]);
    if let Some(past) = past {
        total = call.nums.add(past, total);
        let past = (past, Place::Axis(4, 2));
        agree(call, 4, &[heads.batch, heads.keys, past, heads.key])?;
        agree(call, 5, &[heads.batch, heads.keys, past, heads.value])?;
    } else if call.has(4) {
        total = call.fresh(0, 0, None);
    }
    for (output, part) in [(1, heads.key), (2, heads.value)] {
        if call.output_count() > output {
            let sizes = [heads.batch.0, heads.keys.0, total, part.0];
            call.give_sizes(output, call.element(output), sizes);
        }
    }
    if call.output_count() > 3 {
        let sizes = [heads.batch.0, heads.queries.0, heads.length.0, total];
        call.give_sizes(3, call.element(0), sizes);
    }
    // A mask may be shorter than what is attended to.
    let length = call.shape(3).ok().and_then(|mask| mask.last().copied());
    let last = (length.unwrap_or(total), Place::Node);
    fit(call, 3, &[heads.batch, heads.queries, heads.length, last])
}

fn flex_attention(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let template = split_heads(call)?;
    call.give_template(0, call.element(0), template)
}

/// Attention without softmax: what is kept of the past is a matrix for each head.
fn linear_attention(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let numbers = heads(call)?;
    let mut template = merged_heads(numbers[0], numbers[1]);
    // Queries are as long as keys.
    for row in &mut template.operands {
        row[1] = axis("l");
    }
    call.give_template(0, call.element(0), template)?;
    let heads = Heads::of_merged(call, numbers)?;
    let state = [heads.batch, heads.keys, heads.key, heads.value];
    agree(call, 3, &state)?;
    let element = if call.has(3) { call.element(3) } else { call.element(0) };
    call.give_sizes(1, element, state.map(|(size, _)| size));
    Ok(())
}

/// `b, c, l; c, 1, k => b, c, l`, with what the next call needs of the end.
fn causal_convolution(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let mut operands =
        vec![vec![axis("b"), axis("c"), axis("l")], vec![axis("c"), Term::One, axis("k")]];
    if call.has(2) {
        operands.push(vec![axis("c")]);
    }
    let result = vec![axis("b"), axis("c"), axis("l")];
    let sizes = call.apply(Template { operands, result, ..Template::default() })?;
    let kernel = call.shape_of_rank(1, 3)?[2];
    let kept = call.nums.sub(kernel, Num::ONE);
    let state =
        [(sizes[0], Place::Axis(0, 0)), (sizes[1], Place::Axis(0, 1)), (kept, Place::Axis(1, 2))];
    agree(call, 3, &state)?;
    call.give_sizes(0, call.element(0), sizes);
    call.give_sizes(1, call.element(0), state.map(|(size, _)| size));
    Ok(())
}

/// An update that is written into a cache: it has its sizes, but for one axis, which is not longer.
fn tensor_scatter(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let cache = call.shape(0)?.clone();
    let axis = Call::axis(call.int_or("axis", -2), cache.len())?;
    let update = call.shape_of_rank(1, cache.len())?.clone();
    for (place, (old, new)) in cache.iter().zip(&update).enumerate() {
        let (at, by) = (Place::Axis(0, place), Place::Axis(1, place));
        if place != axis {
            call.equal(*old, at, *new, by);
            continue;
        }
        let left = call.nums.sub(*old, *new);
        call.at_least(left, 0, by);
    }
    agree(call, 2, &[(cache[0], Place::Axis(0, 0))])?;
    pointwise::same(call)
}

/// Queries, keys and values from one product with packed weights: `b, s, i; i, w => b, s, v`.
fn packed_attention(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let template = Template {
        operands: vec![vec![axis("b"), axis("s"), axis("i")], vec![axis("i"), axis("w")]],
        result: vec![axis("b"), axis("s"), axis("w")],
        ..Template::default()
    };
    let sizes = call.apply(template)?;
    let values = match call.ints("qkv_hidden_sizes").as_deref() {
        Some([_, _, values]) => Num::Int(*values),
        _ => call.divided(sizes[2], Num::Int(3), Place::Axis(1, 1)),
    };
    // The result is only as wide as the part of the values.
    call.template = None;
    call.give_sizes(0, call.element(0), [sizes[0], sizes[1], values]);
    if call.output_count() > 1 {
        let heads = call.int("num_heads").ok_or(Stop::Attribute("num_heads"))?;
        let part = call.divided(values, heads.into(), Place::Axis(1, 1));
        let total = match call.shape(4) {
            Ok(past) if past.len() == 5 => call.nums.add(past[3], sizes[1]),
            _ if call.has(4) => call.fresh(0, 0, None),
            _ => sizes[1],
        };
        let present = [Num::Int(2), sizes[0], heads.into(), total, part];
        call.give_sizes(1, call.element(0), present);
    }
    Ok(())
}

/// `b, l, q; b, s, k; b, s, v => b, l, v`, or queries, keys and values packed into one input of
/// five axes.
fn multi_head_attention(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let queries = call.shape(0)?.clone();
    if queries.len() == 5 {
        let width = call.nums.mul(queries[2], queries[4]);
        call.give_sizes(0, call.element(0), [queries[0], queries[1], width]);
        return Ok(());
    }
    let queries = call.shape_of_rank(0, 3)?;
    let (batch, length) = (queries[0], queries[1]);
    let width = match call.shape(2).map(Sizes::as_slice) {
        Ok([_, _, width]) => *width,
        Ok([_, heads, _, part]) => call.nums.mul(*heads, *part),
        _ => queries[2],
    };
    call.give_sizes(0, call.element(0), [batch, length, width]);
    Ok(())
}

/// Queries alone, or with keys and values behind them in the same axis.
fn group_query_attention(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let queries = call.shape_of_rank(0, 3)?.clone();
    let read = |name| call.int(name).filter(|heads| *heads > 0).ok_or(Stop::Attribute(name));
    let [own, keys] = [read("num_heads")?, read("kv_num_heads")?];
    let width = if call.has(1) {
        queries[2]
    } else {
        let both = call.nums.mul(keys.into(), Num::Int(2));
        let all = call.nums.add(own.into(), both);
        let part = call.divided(queries[2], all, Place::Axis(0, 2));
        call.nums.mul(part, own.into())
    };
    call.give_sizes(0, call.element(0), [queries[0], queries[1], width]);
    let part = call.divided(width, own.into(), Place::Axis(0, 2));
    for output in 1..call.output_count().min(3) {
        let past = call.shape(output + 2).ok().filter(|past| past.len() == 4).map(|past| past[2]);
        // Whether the cache is written in place, and so keeps its length, depends on how the model
        // is run.
        let total = match past.map(|past| (past, call.nums.equals(past, Num::Int(0)))) {
            Some((_, Truth::Always)) => queries[1],
            _ => call.fresh(0, 0, None),
        };
        call.give_sizes(output, call.element(0), [queries[0], keys.into(), total, part]);
    }
    Ok(())
}

/// The sum of two inputs, normalised: its further outputs are mean, deviation and the sum itself.
fn skip_layer_normalization(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape_of_least(0, 2)?.clone();
    let places: Vec<_> =
        sizes.iter().enumerate().map(|(axis, size)| (*size, Place::Axis(0, axis))).collect();
    fit(call, 1, &places)?;
    let element = call.element(0);
    for output in 0..call.output_count().min(4) {
        let is_whole = matches!(output, 0 | 3);
        let mut sizes = sizes.clone();
        if let (false, Some(last)) = (is_whole, sizes.last_mut()) {
            *last = Num::ONE;
        }
        call.give_sizes(output, if is_whole { element } else { Element::Float }, sizes);
    }
    Ok(())
}

/// Words, positions and segments looked up and added: `b, s; b, s; w, h => b, s, h`.
fn embed_layer_normalization(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let words = call.shape_of_rank(0, 2)?.clone();
    let width = call.shape_of_rank(2, 2)?[1];
    agree(call, 1, &[(words[0], Place::Axis(0, 0)), (words[1], Place::Axis(0, 1))])?;
    let element = call.element(2);
    for output in [0, 2] {
        if output == 0 || call.output_count() > output {
            call.give_sizes(output, element, [words[0], words[1], width]);
        }
    }
    if call.output_count() > 1 {
        call.give_sizes(1, Element::Int32, [words[0]]);
    }
    Ok(())
}
