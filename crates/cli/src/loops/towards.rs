//! The nests of a gradient: the loops of an einsum, seen from an operand.

use std::sync::Arc;

use lozenge::{
    Accumulation, Assignment,
    project::{Slot, Statement},
};
use lozenge_lower::Nest;
use lozenge_onnx::infer::answer::Does;
use lozenge_tensor::{Part, gradient_statements};

/// The nests of an assignment's gradient towards an operand, in the order in which they run; or
/// why there are none.
pub(super) fn nests(
    assignment: &Assignment,
    operand: &str,
    does: Option<&Does>,
) -> Result<Vec<Nest>, String> {
    let slot = slot(assignment, operand)?;
    let assignment = match does {
        None | Some(Does::Product) => assignment.clone(),
        Some(Does::Gathers { sign, .. }) => {
            let by = match *sign {
                "max=" => Accumulation::Max,
                "min=" => Accumulation::Min,
                "*=" => Accumulation::Multiply,
                _ => Accumulation::Add,
            };
            assignment.clone().accumulating(by, Statement::Erasing)
        }
        Some(Does::Each(op)) => {
            return Err(format!(
                "the gradient of `{op}` is not shown: only products, sums and what gathers elements, such as \
                 `MaxPool`, are"
            ));
        }
    };
    let statements = gradient_statements(&assignment, slot).map_err(|error| error.to_string())?;
    let name = |part: &Part| -> Arc<str> {
        let tensor = match part {
            Part::Value(slot) | Part::Gradient(slot) => assignment.display_name(*slot),
            _ => assignment.display_name(Slot::RESULT),
        };
        match part.suffix() {
            "" => tensor.into(),
            suffix => format!("{tensor}.{suffix}").into(),
        }
    };
    let nest = |one: lozenge_tensor::GradientStatement| {
        Nest::new(one.assignment.calling([name(&one.written)], one.read.iter().map(name)))
    };
    Ok(statements.into_iter().map(nest).collect())
}

/// The operand that a text is: `operand2`, or `2`.
fn slot(assignment: &Assignment, text: &str) -> Result<Slot, String> {
    let count = assignment.record().operands().count();
    let all: Vec<String> = (1..=count).map(|number| format!("`operand{number}`")).collect();
    let all = match &all[..] {
        [only] => format!("{only}, the only one"),
        [one, other] => format!("{one} or {other}"),
        [first, .., last] => format!("{first} to {last}"),
        [] => "none".to_owned(),
    };
    let number = text.strip_prefix("operand").unwrap_or(text).trim();
    match number.parse::<usize>() {
        Ok(number) if (1..=count).contains(&number) => Ok(Slot::operand(number - 1)),
        Ok(number) => Err(format!("there is no operand {number}; a gradient is towards {all}")),
        Err(_) if text == "result" => {
            Err(format!("a gradient is of the result, towards an operand: {all}"))
        }
        Err(_) => Err(format!("`{text}` is no operand; a gradient is towards {all}")),
    }
}
