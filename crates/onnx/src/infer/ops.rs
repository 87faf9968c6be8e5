//! The rules of operators: what each says of its outputs. A file a family, one table of names.
//!
//! A rule covers every version of its operator: where versions differ, it reads
//! [`Call::version`](super::call::Call), or finds out by what is there (axes as an attribute, or as
//! an input).

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
mod rule;
mod sequences;
mod shapes;
mod signal;
mod strings;
mod training;
mod values;

use self::rule::{Family, Rule};
use std::{collections::HashMap, sync::Arc};

use super::{
    call::Call,
    custom::{CustomRule, CustomRules},
    require::Stop,
};
use crate::graph::Node;

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

/// The rules by the names of operators. A table is made for each walk: libraries have no global
/// state.
pub(crate) struct Rules {
    own: HashMap<&'static [u8], Rule>,
    custom: Arc<CustomRules>,
}

/// What says what the outputs of a node are.
pub(crate) enum Found<'r> {
    Own(Rule),
    /// Rules of the user, which come before our own.
    Custom(&'r [CustomRule]),
}

impl Rules {
    pub(crate) fn new(custom: Arc<CustomRules>) -> Rules {
        let all = FAMILIES.iter().flat_map(|(_, family)| family.iter());
        Rules { own: all.map(|(name, rule)| (name.as_bytes(), *rule)).collect(), custom }
    }

    /// The rule of a node's operator, if there is one.
    pub(crate) fn of(&self, node: &Node<'_>) -> Option<Found<'_>> {
        if let Some(rules) = self.custom.of(node) {
            return Some(Found::Custom(rules));
        }
        if node.domain.is_empty() || node.domain == "ai.onnx" {
            return self.own.get(node.op.0).copied().map(Found::Own);
        }
        let full = [node.domain.0, b"::", node.op.0].concat();
        self.own.get(&full[..]).copied().map(Found::Own)
    }
}

impl Found<'_> {
    /// Says what the outputs of a node are. A node with an attribute that the rule could not read
    /// has none: the rule went on with the default, which the node does not have.
    pub(crate) fn infer(&self, call: &mut Call<'_, '_>) -> Result<(), Stop> {
        let before = call.effects.lengths();
        let said = match self {
            Found::Own(rule) => rule(call),
            Found::Custom(rules) => rules.iter().try_for_each(|rule| rule.infer(call)),
        };
        if let (Ok(()), Some(attribute)) = (&said, call.unread()) {
            call.outputs.clear();
            call.effects.truncate(before);
            return Err(Stop::Attribute(attribute));
        }
        said
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

/// The operators that have rules, family by family. `If`, `Loop` and `Scan` have none: inference
/// goes through their graphs.
pub fn operators() -> impl Iterator<Item = Operator> {
    FAMILIES.iter().flat_map(|(family, rules)| {
        rules.iter().map(|(full, _)| {
            let (domain, name) = full.rsplit_once("::").unwrap_or(("", full));
            Operator { family, domain, name }
        })
    })
}
