//! What is said about mistakes that only Rust can make: handles of others, operations that contradict
//! themselves.

use std::sync::Arc;

use lozenge_core::term::Variable;
use lozenge_spec::diagnostic::{Code, Help, Rejection};

use super::alone;
use crate::session::program::in_one_line;

/// A handle that the session did not make.
pub(crate) fn foreign_tensor() -> Rejection {
    let headline = "a tensor or size here is of another session";
    let mut rejection = alone(Code::ForeignTensor, headline);
    rejection.diagnostics[0].notes.push(
        "a handle is of use in the session that made it, and in clones made after that".to_owned(),
    );
    rejection
}

/// A closed program that has other steps than the session that is asked about it.
pub(crate) fn foreign_closed() -> Rejection {
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
pub(crate) fn newer_tensor(called: Option<&str>) -> Rejection {
    let called = called.map_or("a tensor here".to_owned(), |called| format!("`{called}`"));
    let headline = format!("{called} was made after the program was closed");
    let mut rejection = alone(Code::NewerTensor, headline);
    let said = &mut rejection.diagnostics[0];
    said.notes.push("a closed program stays as it is when its session goes on".to_owned());
    said.helps.push(Help::advice("close the session again: that has the tensors made since"));
    rejection
}

/// A size that is to be called by something that no shape can have.
pub(crate) fn not_a_name(text: &str) -> Rejection {
    let text = in_one_line(text);
    let mut rejection = alone(Code::NotAName, format!("`{text}` is not the name of a size"));
    rejection.diagnostics[0].notes.push(
        "a name is a letter and letters, digits and underscores after it; a basis may follow after a \
         colon: `seq_len`, `c:rgb`"
            .to_owned(),
    );
    rejection
}

/// An operation whose result begins with an operand that it does not have.
pub(crate) fn no_initial(operand: usize, given: usize) -> Rejection {
    no_such_operand("the result begins with", operand, given, "Scheme::begin_with")
}

/// An operation whose elements are computed from an operand that it does not have.
pub(crate) fn no_operand(operand: usize, given: usize) -> Rejection {
    no_such_operand("the elements are computed from", operand, given, "Expression::Read")
}

fn no_such_operand(what: &str, operand: usize, given: usize, said_by: &str) -> Rejection {
    let given = match given {
        0 => "there are no operands".to_owned(),
        1 => "there is 1 operand".to_owned(),
        given => format!("there are {given} operands"),
    };
    let number = operand.saturating_add(1);
    let mut rejection = alone(Code::OperandCount, format!("{what} operand {number}, and {given}"));
    let note = format!("`{said_by}` counts operands from 0, and says {operand}");
    rejection.diagnostics[0].notes.push(note);
    rejection
}

/// A size that is to be captured by a name that the operation does not have, which may have others.
pub(crate) fn nothing_to_capture(
    tensor: &str,
    name: &str,
    others: &[(Arc<str>, Variable)],
) -> Rejection {
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
