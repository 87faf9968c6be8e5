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

/// All families, by name.
const FAMILIES: &[(&str, Family)] = &[
    ("attention", attention::RULES),
    ("contraction", contraction::RULES),
    ("convolution", convolution::RULES),
    ("indexing", indexing::RULES),
    ("joining", joining::RULES),
    ("learning", learning::RULES),
    ("normalization", normalization::RULES),
    ("pointwise", pointwise::RULES),
    ("pooling", pooling::RULES),
    ("quantization", quantization::RULES),
    ("recurrent", recurrent::RULES),
    ("reducing", reducing::RULES),
    ("resizing", resizing::RULES),
    ("sequences", sequences::RULES),
    ("shapes", shapes::RULES),
    ("signal", signal::RULES),
    ("strings", strings::RULES),
    ("training", training::RULES),
    ("values", values::RULES),
];

/// The rules by the names of operators. A table is made for each walk: libraries have no global state.
pub(crate) struct Rules(HashMap<&'static [u8], Rule>);

impl Rules {
    pub(crate) fn new() -> Rules {
        let all = FAMILIES.iter().flat_map(|(_, family)| family.iter());
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

/// An operator that has a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operator {
    /// The operators that it is told with: `convolution`.
    pub family: &'static str,
    /// The domain; empty for ONNX's own.
    pub domain: &'static str,
    /// The name: `Conv`.
    pub name: &'static str,
}

/// The operators that have rules, family by family. `If`, `Loop` and `Scan` have none: inference goes through their graphs.
pub fn operators() -> impl Iterator<Item = Operator> {
    FAMILIES.iter().flat_map(|(family, rules)| {
        rules.iter().map(|(full, _)| {
            let (domain, name) = full.rsplit_once("::").unwrap_or(("", full));
            Operator { family, domain, name }
        })
    })
}
