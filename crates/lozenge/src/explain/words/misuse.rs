//! The words of messages about mistakes that only a caller in Rust can make: handles of others,
//! operations that contradict themselves.

use std::sync::Arc;

use lozenge_calculus::term::Variable;
use lozenge_diagnostic::{Code, Diagnostic, Help, Report, Sources};

/// A refusal that points nowhere yet.
pub(in crate::explain) fn alone(code: Code, headline: impl Into<String>) -> Report {
    Report { sources: Sources::new(), diagnostics: vec![Diagnostic::new(code, headline)] }
}

/// A handle that the session did not make.
pub(crate) fn foreign_tensor() -> Report {
    let headline = "a tensor or size here is of another session";
    let mut rejection = alone(Code::ForeignTensor, headline);
    rejection.diagnostics[0].notes.push(
        "a handle is of use in the session that made it, and in clones made after that".to_owned(),
    );
    rejection
}

/// An axis by a number that a shape does not have.
pub(crate) fn no_such_axis(axis: i64, rank: usize) -> Report {
    let axes = if rank == 1 { "1 axis".to_owned() } else { format!("{rank} axes") };
    let mut rejection =
        alone(Code::NoSuchAxis, format!("there is no axis {axis} in a shape of {axes}"));
    rejection.diagnostics[0].notes.push("axes count from 0, at the front".to_owned());
    rejection
}

/// A range of a size that has no name.
pub(crate) fn range_without_name(range: &str) -> Report {
    let headline = format!("the range {range} is of a size without a name");
    let mut rejection = alone(Code::NotAName, headline);
    rejection.diagnostics[0].notes.push("a range holds for a name, wherever it occurs".to_owned());
    rejection
}

/// A range that ends before it begins.
pub(crate) fn range_without_value(range: &str) -> Report {
    alone(Code::RangeEmpty, format!("the range {range} has no value"))
}

/// A sample that is not in the range that it is an example of.
pub(crate) fn sample_outside(sample: u64, range: &str) -> Report {
    alone(Code::OutOfRange, format!("the sample {sample} is not in the range {range}"))
}

/// A closed program that has other steps than the session that is asked about it.
pub(crate) fn foreign_closed() -> Report {
    let headline = "the closed program here is of another session";
    let mut rejection = alone(Code::ForeignTensor, headline);
    rejection.diagnostics[0].notes.push(
        "a closed program is of use with the session that was closed, and with clones that have all its \
         steps"
            .to_owned(),
    );
    rejection
}

/// A tensor that a closed program does not have yet, by its name where that is known.
pub(crate) fn newer_tensor(called: Option<&str>) -> Report {
    let called = called.map_or("a tensor here".to_owned(), |called| format!("`{called}`"));
    let headline = format!("{called} was made after the program was closed");
    let mut rejection = alone(Code::NewerTensor, headline);
    let said = &mut rejection.diagnostics[0];
    said.notes.push("a closed program stays as it is when its session goes on".to_owned());
    said.helps.push(Help::advice("close the session again: that has the tensors made since"));
    rejection
}

/// A size that is to be captured by a name that the operation does not have, which may have others.
pub(crate) fn nothing_to_capture(
    tensor: &str,
    name: &str,
    others: &[(Arc<str>, Variable)],
) -> Report {
    if others.is_empty() {
        let headline =
            format!("no specification made `{tensor}`, so there is no `{name}` to capture");
        return alone(Code::NoSpecification, headline);
    }
    let headline = format!("the operation that made `{tensor}` has no size `{name}` to capture");
    let mut rejection = alone(Code::NoSpecification, headline);
    let others: Vec<String> = others.iter().map(|(other, _)| format!("`{other}`")).collect();
    rejection.diagnostics[0].notes.push(format!("it has {}", others.join(", ")));
    rejection
}
