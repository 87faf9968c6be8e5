//! What is said to everyday mistakes: those of `docs/mistakes.md` and those of tensors alone.
//!
//! Every message points into a file of these. Its lines are counted from where the test calls
//! [`check`], so that a message that becomes longer does not change those below.

// expect-test writes raw strings, and takes what it holds.
#![allow(clippy::needless_raw_string_hashes, clippy::needless_pass_by_value)]

mod everyday;
mod own;
mod transformer;

use std::panic::Location;

use expect_test::Expect;
use lozenge_tensor::{Graph, Report};

/// What checking a graph, or making its program, says.
#[track_caller]
pub(crate) fn check(build: impl Fn(&Graph), expected: Expect) {
    let at = Location::caller();
    let graph = Graph::new();
    build(&graph);
    let said = match graph.check() {
        Err(report) => report.to_string(),
        Ok(checked) => {
            let notes = Report {
                diagnostics: checked.notes().to_vec(),
                sources: checked.closed().sources().clone(),
            };
            checked.program(&[]).err().unwrap_or(notes).to_string()
        }
    };
    expected.assert_eq(&counted_from(at, &said));
}

/// A message with lines of this file counted from one.
fn counted_from(at: &Location<'_>, said: &str) -> String {
    let mut told = String::new();
    let mut rest = said;
    while let Some((before, after)) = rest.split_once(&*format!("{}:", at.file())) {
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let line: u32 = after[..digits].parse().unwrap();
        told.push_str(before);
        told.push_str("mistakes.rs:+");
        told.push_str(&(line - at.line()).to_string());
        rest = &after[digits..];
    }
    let mut told = told + rest;
    if !told.is_empty() && !told.ends_with('\n') {
        told.push('\n');
    }
    told
}
