//! The words of messages about operations that cannot be applied.

use lozenge_diagnostic::{Code, Diagnostic, Report, Sources};

use super::{counted, misuse::alone};
use crate::{operation::Misfit, text::in_one_line};

impl From<Misfit> for Report {
    fn from(misfit: Misfit) -> Report {
        match misfit {
            Misfit::Operands { takes, given } => {
                let headline = format!("{} needed, {given} given", counted(takes, "operand"));
                alone(Code::OperandCount, headline)
            }
            Misfit::Initial { operand, given } => {
                no_such_operand("the result begins with", operand, given, "Scheme::begin_with")
            }
            Misfit::Read { operand, given } => {
                let what = "the elements are computed from";
                no_such_operand(what, operand, given, "Expression::Read")
            }
            Misfit::Size(error) => alone(Code::NumberTooLarge, error.to_string()),
            Misfit::NoElements => {
                alone(Code::ZeroPart, "that there are 0 elements does not say which axis is empty")
            }
            Misfit::NotAName(text) => not_a_name(&text),
            Misfit::NotDeclared(text) => not_declared(&text),
            Misfit::RowNamed(name) => {
                let headline = format!("`{name}` is a row, and a name is for the size of one axis");
                alone(Code::RowScaled, headline)
            }
            Misfit::RowScaled([large, small]) => {
                let headline = format!(
                    "`{large}` or `{small}` is a row variable; only sizes of axes can be scaled"
                );
                alone(Code::RowScaled, headline)
            }
            Misfit::ZeroFactor([large, small]) => {
                alone(Code::ZeroCoefficient, format!("`{large}` cannot be 0 times `{small}`"))
            }
            Misfit::Step { text, axis, number } => {
                let headline = format!("{number} is too large a step");
                let said = Diagnostic::new(Code::NumberTooLarge, headline)
                    .label(axis, format!("at most {}", u32::MAX));
                Report { sources: Sources::new().with("spec", &*text), diagnostics: vec![said] }
            }
            Misfit::Text(said) => *said,
        }
    }
}

/// What says nothing of sizes.
fn not_declared(text: &str) -> Report {
    let headline = format!("`{}` says nothing of sizes", in_one_line(text));
    let mut rejection = alone(Code::NotARelation, headline);
    rejection.diagnostics[0].notes.push(
        "what can be declared is between two sizes: `8 divides seq`, `total = past+seq`, `n >= m`, \
         `n+m <= 512`"
            .to_owned(),
    );
    rejection
}

/// A size that is to be called by something that no shape can have.
fn not_a_name(text: &str) -> Report {
    let text = in_one_line(text);
    let mut rejection = alone(Code::NotAName, format!("`{text}` is not the name of a size"));
    rejection.diagnostics[0].notes.push(
        "a name is a letter and letters, digits and underscores after it; a basis may follow after a \
         colon: `seq_len`, `c:rgb`"
            .to_owned(),
    );
    rejection
}

fn no_such_operand(what: &str, operand: usize, given: usize, said_by: &str) -> Report {
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
