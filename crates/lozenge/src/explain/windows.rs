//! Valid windows that reach past the end of their axis.
//!
//! The size of such an axis counts windows from position 0, so that the last one ends where the
//! axis does. One that begins at an offset is moved by it, and reaches so many positions past the
//! end.

use lozenge_diagnostic::Diagnostic;
use lozenge_notation::{Axis, Border, Form, Window};
use lozenge_solve::close::Closed as Values;

use crate::{
    Kind,
    session::{program::Program, step::StepId},
};

use super::{listing::Listing, words};

/// A valid window of a specification that begins at an offset.
pub(super) struct Late {
    step: StepId,
    /// The operand, or the number after the last for the result.
    slot: usize,
    kind: Kind,
    axis: Axis,
    /// Its place among the axes of its row, from the front or, behind an ellipsis, from the back.
    place: Counted,
}

enum Counted {
    FromFront(usize),
    FromBack(usize),
}

/// The valid windows of a program that begin at an offset, in its order.
pub(super) fn late(program: &Program) -> Vec<Late> {
    let mut found = vec![];
    for (step, made) in program.step_ids().zip(&program.steps) {
        let Some(spec) = made.operation.spec().filter(|spec| spec.has_affine()) else { continue };
        let is_valid = |window: &Window| window.border == Border::Valid && window.margins == [0; 2];
        let is_late = |axis: &Axis| match axis.form {
            Form::Affine(id) => {
                let affine = spec.affine(id);
                affine.offset > 0 && affine.window.is_some_and(|window| is_valid(&window))
            }
            _ => false,
        };
        for (slot, written) in spec.operands().iter().chain([spec.result()]).enumerate() {
            for kind in Kind::ALL {
                let (before, after) = spec.axes(written.row(kind));
                let front = before.iter().enumerate();
                let front = front.map(|(place, axis)| (Counted::FromFront(place), axis));
                let back = after.iter().enumerate();
                let back = back.map(|(place, axis)| (Counted::FromBack(after.len() - place), axis));
                let late = front.chain(back).filter(|(_, axis)| is_late(axis));
                found.extend(late.map(|(place, axis)| Late {
                    step,
                    slot,
                    kind,
                    axis: *axis,
                    place,
                }));
            }
        }
    }
    found
}

impl Late {
    /// That it reaches past the end.
    pub(super) fn said(
        &self,
        program: &Program,
        values: &Values,
        listing: &mut Listing<'_>,
    ) -> Option<Diagnostic> {
        let Late { step, slot, kind, .. } = *self;
        let spec = program.steps[step.place()].operation.spec()?;
        let Form::Affine(id) = self.axis.form else { return None };
        let affine = spec.affine(id);
        let operand = program.operands_of(step).get(slot).copied();
        let tensor = operand.unwrap_or(step);
        let axis = match self.place {
            Counted::FromFront(place) => place,
            Counted::FromBack(place) => {
                values.grounding().row(&program.row(tensor, kind)).rank().checked_sub(place)?
            }
        };
        let place = listing.text(step, self.axis.span);
        let mut without = spec.without_offset(affine)?;
        without.place = listing.text(step, without.place.span);
        let window = self.axis.span.of(spec.text());
        let axis = words::axis_of(program, tensor, kind, axis);
        let is_written = operand.is_none();
        Some(words::window_past_end(place, window, &axis, affine.offset, is_written, without))
    }
}
