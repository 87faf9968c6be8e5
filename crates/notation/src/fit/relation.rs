//! Relations between sizes: strides, windows, concatenations and merged axes.
//!
//! A relation with one size missing gives that size, which is then held against the others like one
//! that was read.

use super::{Fit, Found, Pair, Value, in_operand};
use crate::{
    mistake::{self, Misfit},
    tree::{Affine, Border, Coefficient, Form, Kind, Label, NameId, Part, PartForm, Window},
};
use lozenge_diagnostic::Place;

/// The most rounds through all relations; each round but the last finds at least one more size.
const ROUNDS: usize = 32;

/// What a relation says, given the sizes that are known.
enum Answer {
    /// The relation says nothing more, now or ever.
    Done,
    /// The relation says nothing yet: too much is missing.
    Waits,
    /// This axis has this size.
    Size(NameId, u64),
}

impl<'a> Fit<'a> {
    /// Asks the relations until none has anything to say, or there has been time enough: what is
    /// not found here is left to inference.
    pub(super) fn relations(&mut self, mut waiting: Vec<Pair<'a>>) {
        for _ in 0..ROUNDS {
            let asked = waiting.len();
            let mut still = vec![];
            for pair in waiting {
                match self.ask(&pair) {
                    Answer::Done => {}
                    Answer::Waits => still.push(pair),
                    Answer::Size(id, size) => {
                        let value = Value::Number(size);
                        let Pair { axis, dim, operand, .. } = pair;
                        let found = Found {
                            value,
                            basis: None,
                            axis: Some(axis.span),
                            dim: dim.span,
                            operand,
                            computed: true,
                            contradicted: false,
                        };
                        self.unify(id, found);
                    }
                }
            }
            if still.len() == asked {
                return;
            }
            waiting = still;
        }
    }

    fn ask(&mut self, pair: &Pair<'a>) -> Answer {
        let Some(size) = pair.number() else { return Answer::Done };
        let place = in_operand(pair.operand, pair.dim.span);
        let others = self.others(&pair.axis.form);
        let called = self.known.display_name(pair.operand);
        let misfit = Misfit { axis: pair.axis.span, size, called, dim: place, others };
        match pair.axis.form {
            Form::Affine(id) => self.affine(self.spec.affine(id), &misfit),
            Form::Concat(parts) => self.concat(self.spec.parts(parts), &misfit),
            Form::Merged(parts) => self.merged(self.spec.parts(parts), &misfit),
            Form::Axis(_) | Form::Fixed(_) | Form::Runtime(_) => Answer::Done,
        }
    }

    /// Where the sizes of the axes that a form has in it are from.
    fn others(&self, form: &Form) -> Vec<(Place, String)> {
        let labels: Vec<Label> = match *form {
            Form::Affine(id) => {
                let affine = self.spec.affine(id);
                [affine.over].into_iter().chain(affine.window.map(|window| window.kernel)).collect()
            }
            Form::Concat(parts) | Form::Merged(parts) => {
                let parts = self.spec.parts(parts).iter();
                parts
                    .filter_map(|part| match part.form {
                        PartForm::Axis(label) => Some(label),
                        PartForm::Size(_) => None,
                    })
                    .collect()
            }
            Form::Axis(_) | Form::Fixed(_) | Form::Runtime(_) => vec![],
        };
        let known = |label: Label| {
            let id = label.name()?;
            let found = self.axes[id.index()].filter(|found| !found.computed)?;
            let size = self.number(label)?;
            let text = format!("`{}` is {size}", self.spec.name(id));
            Some((in_operand(found.operand, found.dim), text))
        };
        labels.into_iter().filter_map(known).collect()
    }

    /// `size = stride·over`, padded or without a window; with windows, wherever they begin,
    /// `left + size + right = stride·(over − 1) + span`. What is loose is rounded.
    fn affine(&mut self, affine: &Affine, misfit: &Misfit) -> Answer {
        let Coefficient::Number(stride) = affine.stride else { return Answer::Done };
        let size = misfit.size;
        let spec = self.spec;
        let window = match affine.window {
            Some(window) if !window.border.is_padded() => window,
            window => {
                let loose =
                    window.map_or(affine.loose, |window| window.border == Border::PaddedLoose);
                if loose || size % stride == 0 {
                    return answer(affine.over, size.div_ceil(stride));
                }
                self.say(|| mistake::stride_mismatch(spec, misfit, affine, None));
                return Answer::Done;
            }
        };
        let Coefficient::Number(dilation) = window.dilation else { return Answer::Done };
        let [left, right] = window.margins.map(i128::from);
        let room = left + i128::from(size) + right;
        match (self.number(affine.over), self.number(window.kernel)) {
            (_, Some(kernel)) => {
                let span = i128::from(kernel - 1) * i128::from(dilation) + 1;
                if let Some(over) = places(window, room, span, stride) {
                    return u64::try_from(over).map_or(Answer::Done, |n| answer(affine.over, n));
                }
                self.say(|| mistake::stride_mismatch(spec, misfit, affine, Some(span)));
                Answer::Done
            }
            // Several windows leave less than a step over.
            (Some(_), None) if window.border != Border::Valid => Answer::Done,
            (Some(over), None) => {
                let rest = room - i128::from(over - 1) * i128::from(stride) - 1;
                let fits = rest >= 0 && rest % i128::from(dilation) == 0;
                let kernel = u64::try_from(rest / i128::from(dilation) + 1);
                if let (true, Ok(kernel)) = (fits, kernel) {
                    return answer(window.kernel, kernel);
                }
                self.say(|| mistake::window_mismatch(spec, misfit, affine, over));
                Answer::Done
            }
            (None, None) => Answer::Waits,
        }
    }

    /// The sizes of the parts add up to `size`. A part may have no positions, where nothing else
    /// says how many it has; so the last one missing gets what is left only if something is.
    fn concat(&mut self, parts: &[Part], misfit: &Misfit) -> Answer {
        let sizes = self.known(parts);
        let (known, missing) = &sizes;
        let sum = known.iter().try_fold(0u64, |sum, size| sum.checked_add(*size));
        let rest = sum.and_then(|sum| misfit.size.checked_sub(sum));
        match (rest, &missing[..]) {
            (Some(0), []) => Answer::Done,
            (Some(0), missing) => {
                // A part that the result has cannot be left out.
                let kept = missing.iter().find(|label| self.is_kept(**label));
                let Some(id) = kept.and_then(|label| label.name()) else { return Answer::Waits };
                let spec = self.spec;
                self.say(|| mistake::nothing_left(spec, misfit, parts, &sizes, id));
                Answer::Done
            }
            (None, _) | (Some(_), []) => {
                let spec = self.spec;
                self.say(|| mistake::concat_mismatch(spec, misfit, parts, &sizes));
                Answer::Done
            }
            (Some(rest @ 1..), [label]) => answer(*label, rest),
            (Some(_), _) => Answer::Waits,
        }
    }

    /// Whether the result has this axis.
    fn is_kept(&self, label: Label) -> bool {
        let rows = Kind::ALL.map(|kind| self.spec.axes(self.spec.result().row(kind)));
        let mut axes = rows.into_iter().flat_map(|(before, after)| before.iter().chain(after));
        axes.any(
            |axis| matches!(axis.form, Form::Axis(kept) if kept == label && label != Label::Fresh),
        )
    }

    /// The sizes of the factors multiply to `size`.
    fn merged(&mut self, factors: &[Part], misfit: &Misfit) -> Answer {
        let sizes = self.known(factors);
        let (known, missing) = &sizes;
        let product = known.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
        let rest = product.filter(|product| misfit.size % product == 0).map(|p| misfit.size / p);
        match (rest, &missing[..]) {
            (Some(1), []) => Answer::Done,
            (None, _) | (Some(_), []) => {
                let spec = self.spec;
                self.say(|| mistake::merge_mismatch(spec, misfit, factors, &sizes));
                Answer::Done
            }
            (Some(rest), [label]) => answer(*label, rest),
            (Some(_), _) => Answer::Waits,
        }
    }

    /// The sizes of those parts whose size is known, and the others.
    fn known(&self, parts: &[Part]) -> (Vec<u64>, Vec<Label>) {
        let (mut known, mut missing) = (vec![], vec![]);
        for part in parts {
            match part.form {
                PartForm::Size(size) => known.push(size),
                PartForm::Axis(label) => match self.number(label) {
                    Some(size) => known.push(size),
                    None => missing.push(label),
                },
            }
        }
        (known, missing)
    }
}

/// How many windows of a span lie on an axis with its margins; `None` where none does, or they do
/// not fill it.
fn places(window: Window, room: i128, span: i128, stride: u64) -> Option<i128> {
    let stride = i128::from(stride);
    let rest = match window.border {
        // The last begins before the axis ends.
        Border::Begun => (room - span + stride - 1).min(room - i128::from(window.margins[1]) - 1),
        _ => room - span,
    };
    let is_left_over = window.border == Border::Valid && rest % stride != 0;
    (rest >= 0 && !is_left_over).then(|| rest / stride + 1)
}

/// What is said of an axis that may have no name.
fn answer(label: Label, size: u64) -> Answer {
    label.name().map_or(Answer::Done, |id| Answer::Size(id, size))
}
