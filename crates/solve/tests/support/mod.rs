//! What the tests of solving share.

// Each test binary uses some of it.
#![allow(dead_code)]

use lozenge_calculus::{
    constraint::{Constraint, OriginId},
    term::Variable,
    text::Names,
};

/// The constraints of a text, with origins from 0 on.
pub(crate) fn store(names: &mut Names, text: &str) -> Vec<Constraint> {
    let mut store = names.parse_store(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    for (origin, constraint) in (0..).zip(&mut store) {
        constraint.origin = OriginId::new(origin);
    }
    store
}

/// The variable `?a` or `⟨r⟩`.
pub(crate) fn variable(names: &mut Names, text: &str) -> Variable {
    let name = text.trim_matches(['?', '⟨', '⟩']);
    if text.starts_with('?') {
        names.dim_var(name).unwrap().into()
    } else {
        names.row_var(name).unwrap().into()
    }
}

/// This many texts, joined.
pub(crate) fn many(count: usize, text: impl Fn(usize) -> String, between: &str) -> String {
    (0..count).map(text).collect::<Vec<_>>().join(between)
}
