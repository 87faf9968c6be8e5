//! The trace: an entry for every binding, and pairs of causes.
//!
//! The trace has one entry a binding, in the order in which they were made, with the constraint
//! that led to it. Which earlier bindings that constraint was read through is not stored: it can be
//! found again from its terms, because bindings are never changed and an entry's index says what
//! was there before it. So the trace is small enough to stay on.

use crate::tables::{
    cause::Cause,
    ids::EntryId,
    node::DimRef,
    rule::{Class, Rule},
};

/// Two causes, and two terms that stand for the same variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Joint {
    pub(crate) first: Cause,
    pub(crate) second: Cause,
    pub(crate) terms: [DimRef; 2],
    /// The entry that came next.
    pub(crate) time: EntryId,
}

/// Why a variable was bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) rule: Rule,
    pub(crate) class: Class,
    pub(crate) cause: Cause,
    /// The terms of the dimension constraint; units for a row binding.
    pub(crate) terms: [DimRef; 2],
}

impl Entry {
    /// Why a dimension variable was bound.
    pub(crate) fn dim(rule: Rule, cause: Cause, terms: [DimRef; 2]) -> Entry {
        Entry { rule, class: Class::Semantic, cause, terms }
    }

    /// Whether the content of the binding follows but more places for the marker were possible: the
    /// one-shot order does not tell them apart where the variable stands in a result.
    pub(crate) fn narrows_placement(&self) -> bool {
        self.grows() || self.rule == Rule::RiAntisym || self.class == Class::Policy
    }

    /// Whether it gave a row variable more axes.
    pub(crate) fn grows(&self) -> bool {
        matches!(self.rule, Rule::RiDeficit | Rule::RiShift)
    }

    /// Why a row variable was bound.
    pub(crate) fn row(rule: Rule, class: Class, cause: Cause) -> Entry {
        Entry { rule, class, cause, terms: [DimRef::UNIT; 2] }
    }
}
