//! The rules of operators: what each says of its outputs. A file a family, one table of names.
//!
//! A rule covers every version of its operator: where versions differ, it asks [`Call::version`](super::call::Call), or finds out by
//! what is there (axes as an attribute, or as an input).

mod agree;
mod attention;
mod contraction;
mod convolution;
mod elements;
mod indexing;
mod joining;
mod learning;
mod normalization;
mod pointwise;
mod pooling;
mod quantization;
mod recurrent;
mod reducing;
mod resizing;
mod sequences;
mod shapes;
mod signal;
mod strings;
mod training;
mod values;

use std::collections::HashMap;

use super::{call::Call, require::Stop};
use crate::graph::Node;

/// The rule of an operator.
pub(crate) type Rule = fn(&mut Call<'_, '_>) -> Result<(), Stop>;

/// The operators of a family, with their rules. Those of other domains than ONNX's own are written `domain::Name`.
pub(crate) type Family = &'static [(&'static str, Rule)];

/// All families.
const FAMILIES: &[Family] = &[
    attention::RULES,
    contraction::RULES,
    convolution::RULES,
    indexing::RULES,
    joining::RULES,
    learning::RULES,
    normalization::RULES,
    pointwise::RULES,
    pooling::RULES,
    quantization::RULES,
    recurrent::RULES,
    reducing::RULES,
    resizing::RULES,
    sequences::RULES,
    shapes::RULES,
    signal::RULES,
    strings::RULES,
    training::RULES,
    values::RULES,
];

/// The rules by the names of operators. A table is made for each walk: libraries have no global state.
pub(crate) struct Rules(HashMap<&'static [u8], Rule>);

impl Rules {
    pub(crate) fn new() -> Rules {
        let all = FAMILIES.iter().flat_map(|family| family.iter());
        Rules(all.map(|(name, rule)| (name.as_bytes(), *rule)).collect())
    }

    /// The rule of a node's operator, if there is one.
    pub(crate) fn of(&self, node: &Node<'_>) -> Option<Rule> {
        if node.domain.is_empty() || node.domain == "ai.onnx" {
            return self.0.get(node.op.0).copied();
        }
        let full = [node.domain.0, b"::", node.op.0].concat();
        self.0.get(&full[..]).copied()
    }
}
