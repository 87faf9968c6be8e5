//! Why an operation has no loop nest.

use lozenge_calculus::term::DimVar;
use lozenge_diagnostic::{Code, Diagnostic, Report};
use lozenge_notation::NameId;
use lozenge_project::{AxisId, NoLoops};

use super::{listing::Listing, words};
use crate::{Closed, Inference, session::step::StepId};

/// The refusal of loops for a tensor that no operation made.
pub(crate) fn no_operation(inference: &Inference, step: StepId) -> Report {
    let mut listing = Listing::new(&inference.program);
    let headline = words::no_operation(&inference.program.display_name(step));
    let said = Diagnostic::new(Code::NoLoops, headline).label(listing.step(step), "");
    listing.rejection(vec![said])
}

/// The refusal of loops for a step whose operation has none.
pub(crate) fn no_loops(
    inference: &Inference,
    closed: &Closed,
    step: StepId,
    conflict: NoLoops,
) -> Report {
    let program = &inference.program;
    let mut listing = Listing::new(program);
    if let Some(said) = symbolic(inference, &mut listing, closed, step, conflict) {
        return listing.rejection(vec![said]);
    }
    let operation = &program.steps[step.place()].operation;
    let operand = |listing: &mut Listing<'_>, number: usize| {
        let written = operation.spec().and_then(|spec| spec.operands().get(number));
        match written {
            Some(slot) => listing.text(step, slot.span),
            None => listing.operand(step, number),
        }
    };
    let (code, headline, notes) = words::no_loops(&program.display_name(step), conflict);
    let mut said = Diagnostic::new(code, headline);
    match conflict {
        NoLoops::Ambiguous(both) => {
            for number in both {
                said = said.label(operand(&mut listing, number), "read here");
            }
        }
        NoLoops::Unread(number) => {
            said = said.label(operand(&mut listing, number), "never read");
        }
        NoLoops::Crossed(slot) => {
            let place = match (slot.0.checked_sub(1), operation.spec()) {
                (Some(number), _) => operand(&mut listing, number),
                (None, Some(spec)) => listing.text(step, spec.result().span),
                (None, None) => listing.step(step),
            };
            said = said.label(place, "two that share a part");
        }
        _ => said = said.label(listing.step(step), ""),
    }
    said.notes.extend(notes);
    debug_assert!(matches!(code, Code::NoLoops | Code::AmbiguousParts | Code::ExcludedParts));
    listing.rejection(vec![said])
}

/// The diagnostic for a named axis that an index is computed with and whose size is not a number.
fn symbolic(
    inference: &Inference,
    listing: &mut Listing<'_>,
    closed: &Closed,
    step: StepId,
    conflict: NoLoops,
) -> Option<Diagnostic> {
    let NoLoops::Symbolic(AxisId(number)) = conflict else { return None };
    let made = &inference.program.steps[step.place()];
    let spec = made.operation.spec()?;
    // The variables of names come first.
    let id: NameId = spec.names().nth(number as usize)?;
    let dim = closed.grounding().dim(DimVar::new(made.first.dim + number).into());
    let place = listing.text(step, spec.name_span(id));
    let called = inference.program.display_name(step);
    Some(words::symbolic_index(place, &called, spec.name(id), &words::size(inference, dim)))
}
