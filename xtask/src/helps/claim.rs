//! What an edit claims, as operands: with them the specification computes before the edit what it computes after it
//! with those that were given.

use lozenge::{
    Kind, Spec,
    diagnostic::{Claim, Together},
};
use lozenge_spec::{Border, Coefficient, Form, Label};
use ndarray::{ArrayD, Axis, IxDyn};

use super::{Operand, execute};

pub(crate) enum Truth {
    /// With these operands the result is the same.
    Same(Vec<Operand>),
    /// Whether it holds otherwise.
    Holds(bool),
}

/// An entry of an operand as it is written, ellipses among them: its kind, and its axis if it is one.
fn entries(spec: &Spec, slot: usize) -> Vec<(Kind, Option<Form>)> {
    let slot = spec.operands().get(slot).unwrap_or(spec.result());
    let mut entries = vec![];
    for kind in Kind::ALL {
        let row = slot.row(kind);
        let (before, after) = spec.axes(row);
        entries.extend(before.iter().map(|axis| (kind, Some(axis.form))));
        entries.extend(row.ellipsis.map(|_| (kind, None)));
        entries.extend(after.iter().map(|axis| (kind, Some(axis.form))));
    }
    entries
}

/// The place of an axis among the others of its row.
fn in_row(rows: &[Vec<usize>; 3], axis: usize) -> (usize, usize) {
    let mut place = axis;
    for (kind, row) in rows.iter().enumerate() {
        if place < row.len() {
            return (kind, place);
        }
        place -= row.len();
    }
    (2, rows[2].len())
}

/// An operand with one axis replaced by another, or by none.
fn with_axis(operand: &Operand, axis: usize, elements: ArrayD<f64>) -> Operand {
    let mut rows = operand.rows.clone();
    let (kind, place) = in_row(&rows, axis);
    if elements.ndim() < operand.elements.ndim() {
        rows[kind].remove(place);
    } else {
        rows[kind][place] = elements.shape()[axis];
    }
    Operand::of(rows, elements)
}

/// An operand in which position `to(i)` of an axis has what position `i` had, and others nothing.
fn spread(operand: &Operand, axis: usize, size: usize, pairs: &[(usize, usize)]) -> Operand {
    let mut sizes = operand.elements.shape().to_vec();
    sizes[axis] = size;
    let mut elements = ArrayD::zeros(IxDyn(&sizes));
    for (to, from) in pairs {
        let read = operand.elements.index_axis(Axis(axis), *from);
        elements.index_axis_mut(Axis(axis), *to).assign(&read);
    }
    with_axis(operand, axis, elements)
}

/// A specification before and after an edit, with what was given and what the edited one made of it.
pub(crate) struct Edited<'a> {
    pub(crate) before: &'a Spec,
    pub(crate) after: &'a Spec,
    pub(crate) given: &'a [Operand],
    pub(crate) result: &'a Operand,
}

impl Edited<'_> {
    /// What shows whether a claim is true; `None` where no operands show it.
    pub(crate) fn truth(&self, claim: &Claim) -> Option<Truth> {
        match *claim {
            Claim::Counts { operands } => Some(Truth::Holds(operands == self.given.len())),
            Claim::Permutes { operand, ref order } => Some(self.permuted(operand, order)),
            Claim::Sums { operand, axis } => Some(self.summed(operand, axis)),
            Claim::Keeps { operand, axis } => self.kept(operand, axis),
            Claim::Splits { operand, axis, was } => self.split(operand, axis, was),
            Claim::Equates { operand, axis, ref with } => self.equated(operand, axis, with),
            Claim::Places { operand, axis, at } => Some(self.placed(operand, axis, at)),
            Claim::Steps { operand, axis, .. } | Claim::Pads { operand, axis } => {
                self.stepped(operand, axis, claim)
            }
            Claim::Renames
            | Claim::Joins { .. }
            | Claim::SplitsIndex { .. }
            | Claim::SplitsRow { .. }
            | Claim::SplitsPart { .. } => None,
        }
    }

    /// The operands that were given, but for one.
    fn with(&self, number: usize, operand: Operand) -> Truth {
        let mut operands = self.given.to_vec();
        operands[number] = operand;
        Truth::Same(operands)
    }

    fn permuted(&self, operand: usize, order: &[usize]) -> Truth {
        let mut places = vec![0; order.len()];
        for (at, from) in order.iter().enumerate() {
            places[*from] = at;
        }
        let Operand { rows, elements } = &self.given[operand];
        let all = rows.concat();
        let mut sizes = places.iter().map(|place| all[*place]);
        let rows = rows.each_ref().map(|row| sizes.by_ref().take(row.len()).collect());
        let elements = elements.clone().permuted_axes(places);
        self.with(operand, Operand::of(rows, elements.as_standard_layout().into_owned()))
    }

    fn summed(&self, operand: usize, axis: usize) -> Truth {
        let mut summed = self.given[operand].clone();
        for _ in 0..extra(self.before, operand, axis, self.after, self.given) {
            let elements = summed.elements.sum_axis(Axis(axis));
            summed = with_axis(&summed, axis, elements);
        }
        self.with(operand, summed)
    }

    fn kept(&self, operand: usize, axis: usize) -> Option<Truth> {
        // One of the kept axes at a time would need several specifications: all of them at their first positions
        // and at their last.
        let count = extra(self.before, operand, axis, self.after, self.given);
        let kept = entries(self.after, usize::MAX).iter().position(|(_, form)| form.is_none())?;
        let holds = [false, true].iter().all(|is_last| {
            let (mut slice, mut part) = (self.given[operand].clone(), self.result.clone());
            for _ in 0..count {
                let at = if *is_last { slice.elements.shape()[axis] - 1 } else { 0 };
                let elements = slice.elements.index_axis(Axis(axis), at).to_owned();
                slice = with_axis(&slice, axis, elements);
                let elements = part.elements.index_axis(Axis(kept), at).to_owned();
                part = with_axis(&part, kept, elements);
            }
            let mut operands = self.given.to_vec();
            operands[operand] = slice;
            execute(self.before.text(), &operands).is_ok_and(|made| made == part)
        });
        Some(Truth::Holds(holds))
    }

    fn split(&self, operand: usize, axis: usize, was: Together) -> Option<Truth> {
        let named = |slot: usize, place: usize| match entries(self.before, slot).get(place)?.1? {
            Form::Axis(Label::Named(id)) => Some(id),
            _ => None,
        };
        let name = named(operand, axis)?;
        let is_kept = (0..entries(self.before, usize::MAX).len())
            .any(|place| named(usize::MAX, place) == Some(name));
        if is_kept != (was == Together::Kept) {
            return Some(Truth::Holds(false));
        }
        // How large it is where it is read together with others.
        let size = self.given.iter().enumerate().find_map(|(slot, other)| {
            let places = 0..other.elements.ndim();
            let is_it = |place: &usize| (slot, *place) != (operand, axis);
            let place = places.filter(is_it).find(|place| named(slot, *place) == Some(name))?;
            other.elements.shape().get(place).copied()
        })?;
        // Its sum, at every position of the others.
        let sum = self.given[operand].elements.sum_axis(Axis(axis)).insert_axis(Axis(axis));
        let mut sizes = sum.shape().to_vec();
        sizes[axis] = size;
        let elements = sum.broadcast(IxDyn(&sizes))?.to_owned();
        Some(self.with(operand, with_axis(&self.given[operand], axis, elements)))
    }

    fn equated(&self, operand: usize, axis: usize, with: &str) -> Option<Truth> {
        // With a name of its own, kept beside the other: where both are the same, that is it.
        const OWN: &str = "z";
        let slot = &self.before.operands()[operand];
        let mut written = Kind::ALL.into_iter().flat_map(|kind| {
            let (first, last) = self.before.axes(slot.row(kind));
            first.iter().chain(last)
        });
        let at = written.nth(axis)?.span.range();
        let is_other = |(_, form): &(Kind, Option<Form>)| match form {
            Some(Form::Axis(Label::Named(id))) => self.before.name(*id) == with,
            _ => false,
        };
        let place = entries(self.before, usize::MAX).iter().position(is_other);
        let rank = entries(self.before, usize::MAX).len();
        let kept = if place.is_some() { String::new() } else { format!("{with} ") };
        let sign = if self.before.text().contains(", ") { ", " } else { " " };
        let kept = kept.replace(' ', sign);
        // Both stand at the end of the output row.
        let lead = if self.before.result().row(Kind::Output).is_empty() { " " } else { sign };
        let mut apart = self.before.text().to_owned() + lead + &kept + OWN;
        apart.replace_range(at, OWN);
        let all = execute(&apart, self.given).ok()?;
        let (own, other) = (all.elements.ndim() - 1, place.unwrap_or(rank));
        let size = all.elements.shape()[own];
        let mut sizes = all.elements.shape().to_vec();
        sizes.remove(own);
        let mut diagonal = ArrayD::zeros(IxDyn(&sizes));
        for position in 0..size {
            let both = all.elements.index_axis(Axis(own), position);
            let both = both.index_axis(Axis(other), position).to_owned();
            diagonal.index_axis_mut(Axis(other), position).assign(&both);
        }
        if place.is_none() {
            diagonal = diagonal.sum_axis(Axis(other));
        }
        Some(Truth::Holds(diagonal == self.result.elements))
    }

    fn placed(&self, operand: usize, axis: usize, at: u64) -> Truth {
        let Some((_, Some(Form::Fixed(index)))) = entries(self.before, operand).get(axis).copied()
        else {
            return Truth::Holds(false);
        };
        let [index, at] = [index, at].map(|at| usize::try_from(at).unwrap_or(0));
        self.with(operand, spread(&self.given[operand], axis, index + 1, &[(index, at)]))
    }

    fn stepped(&self, operand: usize, axis: usize, claim: &Claim) -> Option<Truth> {
        let affine = |spec: &Spec| match entries(spec, operand).get(axis)?.1? {
            Form::Affine(id) => Some(*spec.affine(id)),
            _ => None,
        };
        let was = affine(self.before)?;
        let stride = |coefficient| match coefficient {
            Coefficient::Number(number) => usize::try_from(number).ok(),
            Coefficient::Named(_) => None,
        };
        let size = self.given[operand].elements.shape()[axis];
        let window = was.window?;
        let Label::Named(kernel) = window.kernel else { return None };
        let kernel = sized(self.before, kernel, self.given)?;
        let from = stride(was.stride)?;
        let (by, begin, is_padded) = match claim {
            Claim::Steps { by, .. } => (usize::try_from(*by).ok()?, 0, false),
            _ => (from, (kernel - 1) / 2, true),
        };
        if is_padded && affine(self.after)?.window?.border != Border::Padded {
            return Some(Truth::Holds(false));
        }
        let steps = if is_padded { size / by } else { (size - kernel) / by + 1 };
        if from < kernel && from != by {
            return None; // windows share elements: no operand shows it
        }
        // Each window has what it reads now.
        let mut pairs = vec![];
        for (step, within) in (0..steps).flat_map(|o| (0..kernel).map(move |k| (o, k))) {
            let reads = (by * step + within).checked_sub(begin).filter(|at| *at < size);
            pairs.extend(reads.map(|reads| (from * step + within, reads)));
        }
        let all = from * (steps - 1) + kernel;
        Some(self.with(operand, spread(&self.given[operand], axis, all, &pairs)))
    }
}

/// How many axes an ellipsis takes of an operand, at this place after an edit.
fn extra(before: &Spec, operand: usize, axis: usize, after: &Spec, given: &[Operand]) -> usize {
    let kind = entries(after, operand)[axis].0;
    let read = entries(before, operand).iter().filter(|(of, _)| *of == kind).count();
    given[operand].rows[kind as usize].len().saturating_sub(read)
}

/// The size of a name where it is read alone.
fn sized(spec: &Spec, name: lozenge_spec::NameId, given: &[Operand]) -> Option<usize> {
    given.iter().enumerate().find_map(|(slot, operand)| {
        let is_it = |(_, form): &(Kind, Option<Form>)| {
            matches!(form, Some(Form::Axis(Label::Named(id))) if *id == name)
        };
        let place = entries(spec, slot).iter().position(is_it)?;
        operand.elements.shape().get(place).copied()
    })
}
