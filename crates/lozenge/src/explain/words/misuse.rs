//! What is said about mistakes that only Rust can make: handles of others, operations that contradict
//! themselves.

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
    let given = match given {
        0 => "there are no operands".to_owned(),
        1 => "there is 1 operand".to_owned(),
        given => format!("there are {given} operands"),
    };
    let number = operand.saturating_add(1);
    let headline = format!("the result begins with operand {number}, and {given}");
    let mut rejection = alone(Code::OperandCount, headline);
    let note = format!("`Operation::initial` counts operands from 0, and says {operand}");
    rejection.diagnostics[0].notes.push(note);
    rejection
}
