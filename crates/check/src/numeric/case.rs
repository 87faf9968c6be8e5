//! A case: a specification or another operation, operands, and how elements are computed.

use std::collections::{BTreeMap, BTreeSet};

use lozenge::Expression;
use serde::Serialize;

use super::{
    construct::Construct,
    draft::{Combine, Draft, KINDS, Name},
    scalar::Spelled,
};

/// A case as both sides get it.
#[derive(Serialize, Debug)]
pub struct Case {
    /// The text of the specification, where there is one.
    pub spec: String,
    /// Batch, input and output sizes of every operand.
    pub shapes: Vec<[Vec<u64>; KINDS]>,
    /// Which of the tensors each operand is.
    pub slots: Vec<usize>,
    /// The elements of every tensor, in the order of memory: batch, output, input.
    pub values: Vec<Vec<i8>>,
    /// Numbers for names: what the shapes do not determine, ranges of indices, coefficients.
    pub numbers: Vec<(&'static str, u64)>,
    /// The positions of runtime indices, in the order in which they are written first.
    pub indices: Vec<(&'static str, u64)>,
    /// What makes it: a specification, unless something else.
    pub form: Form,
    /// How what is read is combined, where that is all.
    pub combine: Option<Combine>,
    /// The accumulation, by its name; `sum`, `max` or `min` where JAX can have it too.
    pub accumulate: &'static str,
    /// The tree of primitives, where there is one.
    #[serde(serialize_with = "spelled")]
    pub value: Option<Expression>,
    /// What the result holds before, where that is not erased.
    pub onto: Option<Vec<i8>>,
    /// The type of the elements.
    pub element: &'static str,
    /// The shape that the result should have, which Python takes from a specification where there
    /// is one.
    pub result: [Vec<u64>; KINDS],
    /// The constructs that it has.
    #[serde(skip)]
    pub constructs: BTreeSet<Construct>,
    /// The specification as it was drafted, with the positions of runtime indices.
    #[serde(skip)]
    pub(super) draft: Option<(Draft, BTreeMap<Name, u64>)>,
}

/// What makes the result of a case.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    Einsum,
    Reshape,
    ComposeAccumulate,
}

#[allow(clippy::ref_option)] // what serde calls
fn spelled<S: serde::Serializer>(value: &Option<Expression>, to: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(Spelled).serialize(to)
}
