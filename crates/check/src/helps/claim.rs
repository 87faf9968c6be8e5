//! What an edit claims, as operands: with them the specification computes before the edit what it
//! computes after it with those that were given.

use std::ops::Range;

use lozenge::{
    Kind, Spec,
    diagnostic::{Claim, Together},
};
use lozenge_notation::{Affine, Border, Coefficient, Form, Label, NameId, PartForm};
use ndarray::{ArrayD, Axis, Dimension, IxDyn};

use super::execute::{Operand, execute, supplied};

pub(crate) enum Truth {
    /// With these operands the result is the same.
    Same(Vec<Operand>),
    /// Whether it holds otherwise.
    Holds(bool),
}

/// An entry of an operand or of the result as it is written, ellipses among them.
struct Entry {
    kind: Kind,
    /// What it is, if it is an axis.
    form: Option<Form>,
    span: Range<usize>,
}

impl Entry {
    fn name(&self) -> Option<NameId> {
        match self.form {
            Some(Form::Axis(Label::Named(id))) => Some(id),
            _ => None,
        }
    }
}

/// The entries of an operand; of the result, where there is none of this number.
fn entries(spec: &Spec, slot: usize) -> Vec<Entry> {
    let slot = spec.operands().get(slot).unwrap_or(spec.result());
    let mut entries = vec![];
    for kind in Kind::ALL {
        let row = slot.row(kind);
        let (before, after) = spec.axes(row);
        let entry = |axis: &lozenge_notation::Axis| Entry {
            kind,
            form: Some(axis.form),
            span: axis.span.range(),
        };
        entries.extend(before.iter().map(entry));
        entries.extend(row.ellipsis.map(|of| Entry { kind, form: None, span: of.span.range() }));
        entries.extend(after.iter().map(entry));
    }
    entries
}

/// The axes of an operand that its entries take, if it has as many as they do.
fn taken(spec: &Spec, slot: usize, operand: &Operand) -> Option<Vec<Range<usize>>> {
    let entries = entries(spec, slot);
    let mut at = 0;
    let mut taken = vec![];
    for kind in Kind::ALL {
        let of_kind = || entries.iter().filter(move |entry| entry.kind == kind);
        let named = of_kind().filter(|entry| entry.form.is_some()).count();
        let mut rest = operand.rows[kind as usize].len().checked_sub(named)?;
        for entry in of_kind() {
            let count = if entry.form.is_some() { 1 } else { std::mem::take(&mut rest) };
            taken.push(at..at + count);
            at += count;
        }
        (rest == 0).then_some(())?;
    }
    Some(taken)
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

/// A specification before and after an edit, with what was given and what the edited one made of
/// it.
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
            Claim::Permutes { operand, ref order } => self.permuted(operand, order),
            Claim::Sums { operand, axis } => self.summed(operand, axis),
            Claim::Keeps { operand, axis } | Claim::Joins { operand, axis } => {
                self.unnamed(operand, axis)
            }
            Claim::SplitsRow { operand, axis } => self.split_row(operand, axis),
            Claim::SplitsIndex { operand, axis } => self.split_index(operand, axis),
            Claim::Splits { operand, axis, was } => self.split(operand, axis, was),
            Claim::Equates { operand, axis, ref with } => self.equated(operand, axis, with),
            Claim::Places { operand, axis, at } => self.placed(operand, axis, at),
            Claim::Steps { operand, axis, .. } | Claim::Pads { operand, axis } => {
                self.stepped(operand, axis, claim)
            }
            Claim::Leaves { operand, axis } => self.left_over(operand, axis),
            Claim::Begins { operand, axis } => self.begun(operand, axis),
            Claim::SplitsPart { operand, axis, part } => self.split_part(operand, axis, part),
            Claim::Renames => None,
        }
    }

    /// The operands that were given, but for one.
    fn with(&self, number: usize, operand: Operand) -> Truth {
        let mut operands = self.given.to_vec();
        operands[number] = operand;
        Truth::Same(operands)
    }

    /// The axes that entries of the specification before or after the edit take of an operand that
    /// was given.
    fn taken(&self, spec: &Spec, operand: usize) -> Option<Vec<Range<usize>>> {
        taken(spec, operand, self.given.get(operand)?)
    }

    /// The one axis that an entry of the specification before the edit takes.
    fn axis(&self, operand: usize, entry: usize) -> Option<usize> {
        self.taken(self.before, operand)?.get(entry).map(|taken| taken.start)
    }

    fn permuted(&self, operand: usize, order: &[usize]) -> Option<Truth> {
        let taken = self.taken(self.after, operand)?;
        let mut places = vec![0..0; order.len()];
        for (at, from) in order.iter().enumerate() {
            places[*from] = taken[at].clone();
        }
        let elements = &self.given[operand].elements;
        let mut rows: [Vec<usize>; 3] = Default::default();
        for (entry, place) in entries(self.before, operand).iter().zip(&places) {
            rows[entry.kind as usize].extend(&elements.shape()[place.clone()]);
        }
        let axes: Vec<usize> = places.into_iter().flatten().collect();
        let elements = elements.clone().permuted_axes(axes);
        Some(self.with(operand, Operand::of(rows, elements.as_standard_layout().into_owned())))
    }

    /// An operand that was given, without these axes: the elements along them are added.
    fn without(&self, operand: usize, axes: Range<usize>) -> Operand {
        axes.clone().fold(self.given[operand].clone(), |summed, _| {
            let elements = summed.elements.sum_axis(Axis(axes.start));
            with_axis(&summed, axes.start, elements)
        })
    }

    fn summed(&self, operand: usize, entry: usize) -> Option<Truth> {
        let axes = self.taken(self.after, operand)?.get(entry)?.clone();
        Some(self.with(operand, self.without(operand, axes)))
    }

    /// What an ellipsis takes of operands and of the result, position by position: without it, the
    /// specification computes each of them, or all of them are added.
    fn unnamed(&self, operand: usize, entry: usize) -> Option<Truth> {
        let kind = entries(self.after, operand).get(entry)?.kind;
        let is_it = |of: &Entry| of.kind == kind && of.form.is_none();
        // Where it stands, with the operand that it takes axes of; the result behind all of them.
        let of = |slot: usize, of: &Operand| {
            let place = entries(self.after, slot).iter().position(is_it);
            let axes = place.map(|place| taken(self.after, slot, of).map(|all| all[place].clone()));
            axes.map_or(Some(None), |axes| axes.map(Some))
        };
        let axes: Vec<Option<Range<usize>>> =
            (0..self.given.len()).map(|slot| of(slot, &self.given[slot])).collect::<Option<_>>()?;
        let own = axes[operand].clone()?;
        let sizes = &self.given[operand].elements.shape()[own];
        for (axes, other) in axes.iter().zip(self.given) {
            let is_other = |axes: &Range<usize>| other.elements.shape()[axes.clone()] != *sizes;
            if axes.clone().is_some_and(|axes| is_other(&axes)) {
                return None; // some of them stretch
            }
        }
        let at = |of: &Operand, axes: &Option<Range<usize>>, position: &[usize]| {
            let Some(axes) = axes else { return of.clone() };
            position.iter().fold(of.clone(), |slice, at| {
                let elements = slice.elements.index_axis(Axis(axes.start), *at).to_owned();
                with_axis(&slice, axes.start, elements)
            })
        };
        let of_result = of(usize::MAX, self.result)?;
        let mut sum: Option<ArrayD<f64>> = None;
        for (position, _) in ArrayD::<u8>::zeros(IxDyn(sizes)).indexed_iter() {
            let position = position.slice();
            let slices = axes.iter().zip(self.given).map(|(axes, of)| at(of, axes, position));
            let made = execute(self.before.text(), &slices.collect::<Vec<_>>()).ok()?;
            if of_result.is_some() && made != at(self.result, &of_result, position) {
                return Some(Truth::Holds(false));
            }
            sum = Some(sum.map_or_else(|| made.elements.clone(), |sum| sum + &made.elements));
        }
        Some(Truth::Holds(of_result.is_some() || sum? == self.result.elements))
    }

    /// Whether operands are read part by part. Where the others are not read, what is repeated for
    /// them is added so often.
    fn visits_parts(&self) -> bool {
        let mut all = (0..self.given.len()).flat_map(|slot| entries(self.before, slot));
        all.any(|entry| matches!(entry.form, Some(Form::Concat(_))))
    }

    /// How large an axis is where it is read together with this one.
    fn elsewhere(&self, own: (usize, usize), is_it: impl Fn(&Entry) -> bool) -> Option<usize> {
        self.given.iter().enumerate().find_map(|(slot, other)| {
            let taken = self.taken(self.before, slot)?;
            let places = entries(self.before, slot).into_iter().zip(taken).enumerate();
            let mut others = places.filter(|(place, _)| (slot, *place) != own);
            let (_, (_, taken)) = others.find(|(_, (entry, _))| is_it(entry))?;
            other.elements.shape().get(taken.start).copied()
        })
    }

    fn split(&self, operand: usize, axis: usize, was: Together) -> Option<Truth> {
        let name = entries(self.before, operand).get(axis)?.name()?;
        let is_it = |entry: &Entry| entry.name() == Some(name);
        let is_kept = entries(self.before, usize::MAX).iter().any(is_it);
        if is_kept != (was == Together::Kept) {
            return Some(Truth::Holds(false));
        }
        if self.visits_parts() {
            return None;
        }
        let own = self.axis(operand, axis)?;
        let size = self.elsewhere((operand, axis), is_it)?;
        // Its sum, at every position of the others.
        let sum = self.given[operand].elements.sum_axis(Axis(own)).insert_axis(Axis(own));
        let mut sizes = sum.shape().to_vec();
        sizes[own] = size;
        let elements = sum.broadcast(IxDyn(&sizes))?.to_owned();
        Some(self.with(operand, with_axis(&self.given[operand], own, elements)))
    }

    fn split_part(&self, operand: usize, entry: usize, part: usize) -> Option<Truth> {
        let (parts, is_merged) = match entries(self.before, operand).get(entry)?.form? {
            Form::Concat(parts) => (parts, false),
            Form::Merged(parts) => (parts, true),
            _ => return None,
        };
        let sizes: Vec<usize> = self
            .before
            .parts(parts)
            .iter()
            .map(|part| match part.form {
                PartForm::Axis(label) => sized(self.before, label.name()?, self.given),
                PartForm::Size(size) => usize::try_from(size).ok(),
            })
            .collect::<Option<_>>()?;
        let own = self.axis(operand, entry)?;
        let given = &self.given[operand];
        let whole = given.elements.shape()[own];
        let (first, last) = (&sizes[..part], &sizes[part + 1..]);
        // Its sum, at every position that it has where it is read together with others.
        let repeated = |elements: &ArrayD<f64>, along: usize| {
            let sum = elements.sum_axis(Axis(along)).insert_axis(Axis(along));
            let mut wide = sum.shape().to_vec();
            wide[along] = sizes[part];
            sum.broadcast(IxDyn(&wide)).map(|all| all.to_owned())
        };
        let mut wide = given.elements.shape().to_vec();
        let elements = if is_merged {
            let [before, after] = [first, last].map(|sizes| sizes.iter().product::<usize>());
            wide.splice(own..=own, [before, whole / (before * after), after]);
            let all = repeated(&given.elements.to_shape(&wide[..]).ok()?.to_owned(), own + 1)?;
            wide.splice(own..own + 3, [before * sizes[part] * after]);
            all.to_shape(&wide[..]).ok()?.to_owned()
        } else {
            let [before, after] = [first, last].map(|sizes| sizes.iter().sum::<usize>());
            let (kept, rest) = given.elements.view().split_at(Axis(own), before);
            let (part, behind) = rest.split_at(Axis(own), whole.checked_sub(before + after)?);
            let part = repeated(&part.to_owned(), own)?;
            ndarray::concatenate(Axis(own), &[kept, part.view(), behind]).ok()?
        };
        Some(self.with(operand, with_axis(given, own, elements)))
    }

    fn split_row(&self, operand: usize, entry: usize) -> Option<Truth> {
        if self.visits_parts() {
            return None;
        }
        let axes = self.taken(self.before, operand)?.get(entry)?.clone();
        let kind = entries(self.before, operand)[entry].kind;
        // What the others take in its place, and at every position of it the sum.
        let sizes = (0..self.given.len()).filter(|slot| *slot != operand).find_map(|slot| {
            let is_it = |of: &Entry| of.kind == kind && of.form.is_none();
            let place = entries(self.before, slot).iter().position(is_it)?;
            let taken = self.taken(self.before, slot)?.get(place)?.clone();
            Some(self.given[slot].elements.shape()[taken].to_vec())
        })?;
        let sum = self.without(operand, axes.clone());
        let mut rows = sum.rows.clone();
        let place = axes.start - rows[..kind as usize].iter().map(Vec::len).sum::<usize>();
        rows[kind as usize].splice(place..place, sizes.iter().copied());
        let mut elements = sum.elements;
        for (place, size) in sizes.iter().enumerate() {
            let along = Axis(axes.start + place);
            let mut wide = elements.shape().to_vec();
            wide.insert(along.index(), *size);
            elements = elements.insert_axis(along).broadcast(IxDyn(&wide))?.to_owned();
        }
        Some(self.with(operand, Operand::of(rows, elements)))
    }

    fn split_index(&self, operand: usize, axis: usize) -> Option<Truth> {
        let index = |spec: &Spec| match entries(spec, operand).get(axis)?.form {
            Some(Form::Runtime(name)) => Some(name),
            _ => None,
        };
        let [was, is] = [index(self.before)?, index(self.after)?];
        let is_it = |entry: &Entry| matches!(entry.form, Some(Form::Runtime(id)) if id == was);
        let size = self.elsewhere((operand, axis), is_it)?;
        let at = |spec: &Spec, name| usize::try_from(supplied(spec.name(name))).unwrap_or(0);
        let pairs = [(at(self.before, was), at(self.after, is))];
        let own = self.axis(operand, axis)?;
        Some(self.with(operand, spread(&self.given[operand], own, size, &pairs)))
    }

    fn equated(&self, operand: usize, axis: usize, with: &str) -> Option<Truth> {
        // With a name of its own, kept beside the other: where both are the same, that is it.
        const OWN: &str = "z";
        let at = entries(self.before, operand).get(axis)?.span.clone();
        let is_other =
            |spec: &Spec, entry: &Entry| entry.name().is_some_and(|name| spec.name(name) == with);
        let kept = entries(self.before, usize::MAX);
        let is_kept = kept.iter().any(|entry| is_other(self.before, entry));
        let kept = if is_kept { String::new() } else { format!("{with} ") };
        let sign = if self.before.text().contains(", ") { ", " } else { " " };
        let kept = kept.replace(' ', sign);
        // Both stand at the end of the output row.
        let lead = if self.before.result().row(Kind::Output).is_empty() { " " } else { sign };
        let mut apart = self.before.text().to_owned() + lead + &kept + OWN;
        apart.replace_range(at, OWN);
        let all = execute(&apart, self.given).ok()?;
        let apart: Spec = apart.parse().ok()?;
        let place = entries(&apart, usize::MAX).iter().position(|entry| is_other(&apart, entry))?;
        let other = taken(&apart, usize::MAX, &all)?[place].start;
        let own = all.elements.ndim() - 1;
        let size = all.elements.shape()[own];
        let mut sizes = all.elements.shape().to_vec();
        sizes.remove(own);
        let mut diagonal = ArrayD::zeros(IxDyn(&sizes));
        for position in 0..size {
            let both = all.elements.index_axis(Axis(own), position);
            let both = both.index_axis(Axis(other), position).to_owned();
            diagonal.index_axis_mut(Axis(other), position).assign(&both);
        }
        if !is_kept {
            diagonal = diagonal.sum_axis(Axis(other));
        }
        Some(Truth::Holds(diagonal == self.result.elements))
    }

    fn placed(&self, operand: usize, axis: usize, at: u64) -> Option<Truth> {
        let Some(Form::Fixed(index)) = entries(self.before, operand).get(axis)?.form else {
            return Some(Truth::Holds(false));
        };
        let [index, at] = [index, at].map(|at| usize::try_from(at).unwrap_or(0));
        let axis = self.axis(operand, axis)?;
        Some(self.with(operand, spread(&self.given[operand], axis, index + 1, &[(index, at)])))
    }

    /// The operand without what is left over.
    fn left_over(&self, operand: usize, axis: usize) -> Option<Truth> {
        let (affine, own) = self.affine(operand, axis)?;
        let size = self.given[operand].elements.shape()[own];
        let Label::Named(kernel) = affine.window?.kernel else { return None };
        let kernel = sized(self.before, kernel, self.given)?;
        let (stride, dilation) = (number(affine.stride)?, number(affine.window?.dilation)?);
        let span = dilation * (kernel - 1) + 1;
        let all = size - (size - span) % stride;
        let pairs: Vec<(usize, usize)> = (0..all).map(|at| (at, at)).collect();
        Some(self.with(operand, spread(&self.given[operand], own, all, &pairs)))
    }

    /// The operand with what is missing of the last step, which has nothing in it.
    fn begun(&self, operand: usize, axis: usize) -> Option<Truth> {
        let (affine, own) = self.affine(operand, axis)?;
        let size = self.given[operand].elements.shape()[own];
        let all = size.next_multiple_of(number(affine.stride)?);
        let pairs: Vec<(usize, usize)> = (0..size).map(|at| (at, at)).collect();
        Some(self.with(operand, spread(&self.given[operand], own, all, &pairs)))
    }

    /// An axis as it was written, and where it is in the operand.
    fn affine(&self, operand: usize, axis: usize) -> Option<(Affine, usize)> {
        let Some(Form::Affine(id)) = entries(self.before, operand).get(axis)?.form else {
            return None;
        };
        Some((*self.before.affine(id), self.axis(operand, axis)?))
    }

    fn stepped(&self, operand: usize, axis: usize, claim: &Claim) -> Option<Truth> {
        let affine = |spec: &Spec| match entries(spec, operand).get(axis)?.form {
            Some(Form::Affine(id)) => Some(*spec.affine(id)),
            _ => None,
        };
        let was = affine(self.before)?;
        let own = self.axis(operand, axis)?;
        let size = self.given[operand].elements.shape()[own];
        let window = was.window?;
        let Label::Named(kernel) = window.kernel else { return None };
        let kernel = sized(self.before, kernel, self.given)?;
        let from = number(was.stride)?;
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
        Some(self.with(operand, spread(&self.given[operand], own, all, &pairs)))
    }
}

fn number(coefficient: Coefficient) -> Option<usize> {
    match coefficient {
        Coefficient::Number(number) => usize::try_from(number).ok(),
        Coefficient::Named(_) => None,
    }
}

/// The size of a name where it is read alone.
fn sized(spec: &Spec, name: NameId, given: &[Operand]) -> Option<usize> {
    given.iter().enumerate().find_map(|(slot, operand)| {
        let place = entries(spec, slot).iter().position(|entry| entry.name() == Some(name))?;
        operand.elements.shape().get(taken(spec, slot, operand)?[place].start).copied()
    })
}
