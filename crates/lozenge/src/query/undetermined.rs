//! What nothing determines of an einsum: names, axes without a name, ellipses.

use lozenge_diagnostic::Span;
use lozenge_notation::{Axis as Written, Form, Label, NameId, PartForm, Slot, Use};

use super::inferred::Inferred;
use crate::{Axis, Kind, Tensor};

/// An ellipsis, as it is written, that may take any axes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenRow {
    /// The text of the ellipsis.
    pub text: String,
    /// The kind of its row, where the text does not tell it from that of the output: for `...`
    /// without a name.
    pub kind: Option<Kind>,
}

impl Inferred {
    /// The names of axes and indices whose sizes and ranges nothing determines.
    pub fn undetermined_names(&self) -> Vec<NameId> {
        let unknown = self.sizes().into_iter().filter(|(_, size)| size.is_none());
        unknown.map(|(id, _)| id).filter(|id| self.spec.name_use(*id) != Use::Row).collect()
    }

    /// The axis of the specification that an axis of a tensor is; `None` for an axis that an
    /// ellipsis takes.
    pub fn written<'a>(
        &'a self,
        tensor: Tensor,
        slot: &Slot,
        kind: Kind,
        axis: usize,
    ) -> Option<&'a Written> {
        let (before, after) = self.spec.axes(slot.row(kind));
        let rank = self.rank(tensor, kind);
        match before.get(axis) {
            Some(written) => Some(written),
            None => after.get((axis + after.len()).checked_sub(rank)?),
        }
    }

    /// Whether nothing determines the size of an axis.
    pub fn is_open(&self, tensor: Tensor, kind: Kind, axis: usize) -> bool {
        let (Ok(partial), Ok(closed)) = (self.session.shape(tensor), self.closed.shape(tensor))
        else {
            return false;
        };
        let known = partial.row(kind);
        // What comes after an ellipsis that is not known is counted from the back.
        let place = if known.is_open() && axis >= known.marker() {
            (axis + known.axes().len()).checked_sub(closed.row(kind).len())
        } else {
            Some(axis)
        };
        // Of what may be stretched, closing says that it is not.
        let is_chosen = self.spec.stretches()
            && closed.row(kind).get(axis).is_some_and(|axis| *axis != Axis::Unit);
        !is_chosen && matches!(place.and_then(|place| known.axes().get(place)), Some(None))
    }

    /// The place in a row of an ellipsis that takes no axes only because nothing says that it takes
    /// any.
    pub fn taken_as_none(&self, tensor: Tensor, kind: Kind) -> Option<usize> {
        let (partial, closed) = (self.session.shape(tensor).ok()?, self.closed.shape(tensor).ok()?);
        let known = partial.row(kind);
        let is_none = known.is_open() && known.axes().len() == closed.row(kind).len();
        is_none.then(|| known.marker())
    }

    /// The ellipses that take no axes only because nothing says which, each once.
    pub fn open_rows(&self) -> Vec<OpenRow> {
        let mut rows: Vec<OpenRow> = vec![];
        for (tensor, slot, _) in self.tensors() {
            for kind in Kind::ALL {
                let taken = self.taken_as_none(tensor, kind);
                let Some(ellipsis) = taken.and(slot.row(kind).ellipsis) else { continue };
                let text = ellipsis.span.of(self.spec.text()).to_owned();
                let is_told = ellipsis.name.is_some() || kind == Kind::Output;
                let row = OpenRow { text, kind: (!is_told).then_some(kind) };
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
        rows
    }

    /// Whether everything about the einsum is determined.
    pub fn is_determined(&self) -> bool {
        self.undetermined_names().is_empty()
            && self.open_axes().next().is_none()
            && self.open_rows().is_empty()
            && self.computed().is_empty()
    }

    /// The places of axes that are computed from a `_` that nothing determines.
    pub(super) fn computed(&self) -> Vec<Span> {
        let is_padded =
            |axis: &Written| match axis.form {
                // Any window fits into a padded axis, so only its name says how large it is.
                Form::Affine(id) => self.spec.affine(id).window.is_some_and(|window| {
                    window.border.is_padded() && window.kernel == Label::Fresh
                }),
                _ => false,
            };
        let slots = self.spec.operands().iter().chain([self.spec.result()]);
        let rows = slots.flat_map(|slot| Kind::ALL.map(|kind| self.spec.axes(slot.row(kind))));
        let axes = rows.flat_map(|(before, after)| before.iter().chain(after));
        let padded = axes.filter(|axis| is_padded(axis));
        let is_fresh = |axis: &&Written| match axis.form {
            Form::Affine(id) => {
                let affine = self.spec.affine(id);
                let kernel = affine.window.map(|window| window.kernel);
                affine.over == Label::Fresh || kernel == Some(Label::Fresh)
            }
            Form::Merged(parts) => {
                let fresh = PartForm::Axis(Label::Fresh);
                self.spec.parts(parts).iter().any(|part| part.form == fresh)
            }
            Form::Axis(_) | Form::Fixed(_) | Form::Runtime(_) | Form::Concat(_) => false,
        };
        let open = self.open_axes().flatten().filter(is_fresh);
        let mut spans: Vec<Span> = padded.chain(open).map(|axis| axis.span).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    /// The axes whose sizes nothing determines, and what they are in the specification.
    fn open_axes(&self) -> impl Iterator<Item = Option<&Written>> {
        self.tensors().flat_map(move |(tensor, slot, _)| {
            let axes = Kind::ALL
                .into_iter()
                .flat_map(move |kind| (0..self.rank(tensor, kind)).map(move |axis| (kind, axis)));
            axes.filter(move |(kind, axis)| self.is_open(tensor, *kind, *axis))
                .map(move |(kind, axis)| self.written(tensor, slot, kind, axis))
        })
    }

    /// The number of axes in a row of one of these tensors, all of which are closed.
    pub fn rank(&self, tensor: Tensor, kind: Kind) -> usize {
        self.closed.shape(tensor).map_or(0, |shape| shape.row(kind).len())
    }
}
