//! Operators of classical machine learning (`ai.onnx.ml`), whose attributes say how many classes,
//! targets and features there are.

use std::sync::Arc;

use super::{
    super::{
        call::Call,
        known::{Container, Known, Sizes},
        num::Num,
        require::{Place, Stop},
    },
    Family,
    pointwise::{same, same_as},
};
use crate::{element::Element, graph::AttributeValue};

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("ai.onnx.ml::ArrayFeatureExtractor", extract),
    ("ai.onnx.ml::Binarizer", same),
    ("ai.onnx.ml::CastMap", cast_map),
    ("ai.onnx.ml::CategoryMapper", opposite),
    ("ai.onnx.ml::DictVectorizer", vectorize_map),
    ("ai.onnx.ml::FeatureVectorizer", vectorize_features),
    ("ai.onnx.ml::Imputer", same),
    ("ai.onnx.ml::LabelEncoder", encode_labels),
    ("ai.onnx.ml::LinearClassifier", linear_classifier),
    ("ai.onnx.ml::LinearRegressor", |call| regress(call, "targets", 1)),
    ("ai.onnx.ml::Normalizer", |call| same_as(call, Element::Float)),
    ("ai.onnx.ml::OneHotEncoder", encode_one_hot),
    ("ai.onnx.ml::SVMClassifier", support_vector_classifier),
    ("ai.onnx.ml::SVMRegressor", |call| {
        let batch = batch(call)?;
        call.give_sizes(0, Element::Float, [batch, Num::ONE]);
        Ok(())
    }),
    ("ai.onnx.ml::Scaler", |call| same_as(call, Element::Float)),
    ("ai.onnx.ml::TreeEnsemble", |call| {
        let batch = batch(call)?;
        call.give_sizes(0, call.element(0), [batch, Num::Int(call.int_or("n_targets", 1))]);
        Ok(())
    }),
    ("ai.onnx.ml::TreeEnsembleClassifier", |call| {
        let classes = labels(call).1;
        classify(call, classes)
    }),
    ("ai.onnx.ml::TreeEnsembleRegressor", |call| regress(call, "n_targets", 1)),
    ("ai.onnx.ml::ZipMap", zip_map),
];

/// How many elements an attribute lists.
fn count(call: &Call<'_, '_>, attribute: &str) -> Option<i64> {
    let count = match call.attribute(attribute)? {
        AttributeValue::Ints(list) => list.clone().count(),
        AttributeValue::Floats(list) => list.clone().count(),
        AttributeValue::Strings(list) => list.clone().count(),
        _ => return None,
    };
    i64::try_from(count).ok()
}

/// The size of the batch. Features of one axis are those of one example.
fn batch(call: &Call<'_, '_>) -> Result<Num, Stop> {
    let sizes = call.shape(0)?;
    Ok(if sizes.len() < 2 { Num::ONE } else { sizes[0] })
}

fn regress(call: &mut Call<'_, '_>, targets: &'static str, default: i64) -> Result<(), Stop> {
    let batch = batch(call)?;
    call.give_sizes(0, Element::Float, [batch, call.int_or(targets, default).into()]);
    Ok(())
}

/// The type of class labels, and how many there are, if the node lists them.
fn labels(call: &Call<'_, '_>) -> (Element, Option<i64>) {
    let names = [
        ("classlabels_strings", Element::String),
        ("classlabels_int64s", Element::Int64),
        ("classlabels_ints", Element::Int64),
    ];
    let listed = names.into_iter().find_map(|(name, element)| Some((element, count(call, name)?)));
    listed.map_or((Element::Int64, None), |(element, count)| (element, Some(count)))
}

/// A label for each example, and a score for each example and class.
fn classify(call: &mut Call<'_, '_>, scores: Option<i64>) -> Result<(), Stop> {
    let batch = batch(call)?;
    call.give_sizes(0, labels(call).0, [batch]);
    if call.output_count() > 1 {
        let scores = scores.map_or_else(|| call.fresh(0, 1, None), Num::Int);
        call.give_sizes(1, Element::Float, [batch, scores]);
    }
    Ok(())
}

/// Two classes may share one row of coefficients.
fn linear_classifier(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let labels = labels(call).1;
    let scores = match (count(call, "intercepts"), labels) {
        (Some(1), Some(2)) => Some(2),
        (Some(rows), _) => Some(rows),
        (None, labels) => labels,
    };
    classify(call, scores)
}

/// Without probabilities there is a score for each pair of classes.
fn support_vector_classifier(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let classes = count(call, "vectors_per_class").filter(|classes| *classes > 0);
    let has_probabilities = count(call, "prob_a").is_some_and(|count| count > 0);
    let scores = match classes {
        None => labels(call).1,
        Some(classes) if has_probabilities => Some(classes),
        Some(classes @ ..=2) => Some(classes.max(2)),
        Some(classes) => classes.checked_mul(classes - 1).map(|pairs| pairs / 2),
    };
    classify(call, scores)
}

/// Elements of the last axis, by the numbers that the second input holds.
fn extract(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape_of_least(0, 1)?;
    let chosen = call.nums.product(call.shape(1)?.iter().copied());
    let ahead = match &sizes[..sizes.len() - 1] {
        [] => vec![Num::ONE],
        ahead => ahead.to_vec(),
    };
    call.give_sizes(0, call.element(0), ahead.into_iter().chain([chosen]));
    Ok(())
}

/// Strings become integers, and integers strings.
fn opposite(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let is_text = call.element(0) == Element::String;
    same_as(call, if is_text { Element::Int64 } else { Element::String })
}

fn encode_labels(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    if call.attribute("classes_strings").is_some() {
        return opposite(call);
    }
    let names = [
        ("values_strings", Element::String),
        ("values_int64s", Element::Int64),
        ("values_floats", Element::Float),
    ];
    let listed = names.into_iter().find(|(name, _)| call.attribute(name).is_some());
    let stored = || call.tensor("values_tensor").map(|tensor| tensor.element);
    let element = listed.map(|(_, element)| element).or_else(stored);
    same_as(call, element.unwrap_or(Element::Undefined))
}

/// `..a.. => ..a.., categories`.
fn encode_one_hot(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let categories = count(call, "cats_int64s").or_else(|| count(call, "cats_strings"));
    let categories = categories.ok_or(Stop::Attribute("cats_int64s"))?;
    let sizes = call.shape(0)?.iter().copied();
    call.give_sizes(0, Element::Float, sizes.chain([Num::Int(categories)]));
    Ok(())
}

/// The rows of all inputs, one after the other.
fn vectorize_features(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let widths = call.ints("inputdimensions");
    let mut total = Num::Int(0);
    let mut rows: Option<(Num, Place)> = None;
    for input in 0..call.input_count() {
        let listed = widths.as_ref().and_then(|widths| widths.get(input)).copied();
        let known = call.shape(input).map(Sizes::as_slice);
        let width = match (listed, &known) {
            (Some(width), _) => Num::Int(width),
            (None, Ok([width])) => *width,
            (None, Ok([_, rest @ ..])) => call.nums.product(rest.iter().copied()),
            (None, Ok([])) => Num::ONE,
            (None, Err(stop)) => return Err(stop.clone()),
        };
        total = call.nums.add(total, width);
        if let Ok([own, _, ..]) = known {
            let place = Place::Axis(input, 0);
            let agreed = rows.map_or(*own, |(first, at)| call.equal(first, at, *own, place));
            rows = Some((agreed, place));
        }
    }
    call.give_sizes(0, Element::Float, [rows.map_or(Num::ONE, |(rows, _)| rows), total]);
    Ok(())
}

/// One row, of a number for each word of the vocabulary. What the values of a map are is not
/// written in the file.
fn vectorize_map(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let words = count(call, "string_vocabulary").or_else(|| count(call, "int64_vocabulary"));
    let words = words.ok_or(Stop::Attribute("string_vocabulary"))?;
    call.give_sizes(0, call.element(0), [Num::ONE, Num::Int(words)]);
    Ok(())
}

/// One row, of the values of a map; its length is that of the map where none is said.
fn cast_map(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let element = match call.string("cast_to").unwrap_or("TO_FLOAT") {
        "TO_STRING" => Element::String,
        "TO_INT64" => Element::Int64,
        "TO_FLOAT" => Element::Float,
        _ => return Err(Stop::Attribute("cast_to")),
    };
    let width = match call.string("map_form").unwrap_or("DENSE") {
        "SPARSE" => Num::Int(call.int_or("max_map", 1)),
        _ => call.fresh(0, 0, None),
    };
    call.give_sizes(0, element, [Num::ONE, width]);
    Ok(())
}

/// A sequence of maps from labels to scores, one for each example.
#[expect(clippy::unnecessary_wraps, reason = "a rule may stop")]
fn zip_map(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let map = Known { container: Some(Container::Opaque), ..Known::default() };
    let batch = batch(call).ok();
    let container = Some(Container::Sequence(Arc::new(map), batch));
    call.give(0, Known { container, ..Known::default() });
    Ok(())
}
