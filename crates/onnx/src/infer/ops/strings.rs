//! Operators on texts.

use super::{
    super::{call::Call, num::Num, require::Stop},
    Family,
    pointwise::{broadcast, same, same_as},
};
use crate::{element::Element, graph::AttributeValue};

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("RegexFullMatch", |call| same_as(call, Element::Bool)),
    ("StringConcat", |call| {
        let sizes = broadcast(call)?;
        call.give_sizes(0, Element::String, sizes);
        Ok(())
    }),
    ("StringNormalizer", normalize),
    ("StringSplit", split),
    ("TfIdfVectorizer", count_words),
    ("ai.onnx.contrib::SentencepieceTokenizer", tokenize),
];

/// Words that are left out of texts make the last axis shorter.
fn normalize(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let is_whole = match call.attribute("stopwords") {
        Some(AttributeValue::Strings(words)) => words.clone().next().is_none(),
        _ => true,
    };
    if is_whole {
        return same(call);
    }
    let mut sizes = call.shape_of_least(0, 1)?.clone();
    if let Some(last) = sizes.last_mut() {
        *last = call.fresh(0, 1, Some(*last));
    }
    call.give_sizes(0, Element::String, sizes);
    Ok(())
}

/// The parts of each text in a new last axis, and how many each has.
fn split(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape(0)?.clone();
    // There is one part more than splits; without a number that can be counted there is no limit.
    let most = call.int("maxsplit").and_then(|splits| splits.checked_add(1)).map(Num::Int);
    let parts = call.fresh(0, 0, most);
    call.give_sizes(1, Element::Int64, sizes.iter().copied());
    call.give_sizes(0, Element::String, sizes.into_iter().chain([parts]));
    Ok(())
}

/// A number for each sequence of words that is looked for: as many as the greatest index says.
fn count_words(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let greatest = match call.attribute("ngram_indexes") {
        Some(AttributeValue::Ints(list)) => list.clone().max(),
        _ => None,
    };
    let count = greatest.and_then(|greatest| greatest.checked_add(1));
    let count = count.ok_or(Stop::Attribute("ngram_indexes"))?;
    let sizes = call.shape_of_least(0, 1)?;
    let ahead = sizes[..sizes.len() - 1].iter().copied();
    call.give_sizes(0, Element::Float, ahead.chain([Num::Int(count)]));
    Ok(())
}

/// The tokens of all texts after each other, where those of each text begin, and where they stand
/// in it.
#[expect(clippy::unnecessary_wraps, reason = "a rule may stop")]
fn tokenize(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let tokens = call.fresh(0, 0, None);
    let texts = call.fresh(1, 0, None);
    call.give_sizes(0, Element::Int32, [tokens]);
    call.give_sizes(1, Element::Int64, [texts]);
    if call.output_count() > 2 {
        call.give_sizes(2, Element::Int32, [tokens]);
    }
    Ok(())
}
