//! The sizes of a specification's axes at one node: of the result first, whose axes are stretched
//! already.

use smallvec::SmallVec;

use super::super::{
    id::{NodeId, TensorId},
    inferred::Inferred,
    known::Sizes,
    num::{Num, Nums},
    template::{Label, Template, Term, Window, Word},
};

/// The axes and rows of a specification, with their sizes.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    pub(super) axes: Vec<(Label, Num)>,
    pub(super) rests: Vec<(Word, Sizes)>,
    /// The axes that the result has.
    pub(super) written: Vec<Label>,
}

/// A row's entries with the sizes of a shape: each entry with those it stands for.
pub(super) fn entries<'t, 's>(
    row: &'t [Term],
    sizes: &'s [Num],
) -> Option<Vec<(&'t Term, &'s [Num])>> {
    let rest = row.iter().position(|term| matches!(term, Term::Rest(_)));
    let taken = (sizes.len() + usize::from(rest.is_some())).checked_sub(row.len())?;
    if rest.is_none() && taken > 0 {
        return None;
    }
    let mut left = sizes;
    let mut all = vec![];
    for (place, term) in row.iter().enumerate() {
        let count = if rest == Some(place) { taken } else { 1 };
        let (own, after) = left.split_at_checked(count)?;
        left = after;
        all.push((term, own));
    }
    Some(all)
}

impl Bound {
    /// The sizes at a node.
    pub(super) fn of(
        inferred: &mut Inferred<'_, '_>,
        id: NodeId,
        template: &Template,
    ) -> Option<Bound> {
        let record = inferred.node(id);
        let shape =
            |id: Option<TensorId>| id.and_then(|id| inferred.tensor(id).known.shape.clone());
        let result = shape(record.outputs.first().copied().flatten())?;
        let operands: SmallVec<[Option<Sizes>; 4]> =
            record.inputs.iter().map(|id| shape(*id)).collect();
        let mut bound = Bound::default();
        for (label, num) in &template.given {
            bound.bind(*label, *num);
        }
        let nums = inferred.nums_mut();
        bound.read(nums, &template.result, &result)?;
        bound.written = bound.axes.iter().map(|(label, _)| *label).collect();
        bound.written.retain(|label| mentions(&template.result, *label));
        // Twice: what a part of an axis is may follow from an operand behind it.
        for _ in 0..2 {
            for (row, sizes) in template.operands.iter().zip(&operands) {
                bound.read(nums, row, sizes.as_ref()?)?;
            }
        }
        Some(bound)
    }

    pub(super) fn of_label(&self, label: Label) -> Option<Num> {
        self.axes.iter().find(|(own, _)| *own == label).map(|(_, num)| *num)
    }

    pub(super) fn of_rest(&self, name: Word) -> Option<&Sizes> {
        self.rests.iter().find(|(own, _)| *own == name).map(|(_, sizes)| sizes)
    }

    fn bind(&mut self, label: Label, num: Num) {
        match self.axes.iter_mut().find(|(own, _)| *own == label) {
            Some((_, known)) if *known == Num::ONE => *known = num,
            Some(_) => {}
            None => self.axes.push((label, num)),
        }
    }

    fn read(&mut self, nums: &mut Nums, row: &[Term], sizes: &[Num]) -> Option<()> {
        for (term, own) in entries(row, sizes)? {
            match (term, own) {
                (Term::Rest(name), own)
                    if self.of_rest(*name).is_none_or(|known| known.len() < own.len()) =>
                {
                    self.rests.retain(|(other, _)| other != name);
                    self.rests.push((*name, own.iter().copied().collect()));
                }
                (Term::Axis(label), [size]) => self.bind(*label, *size),
                (Term::Merged(parts), [size]) => {
                    let mut others = Num::ONE;
                    let mut open = vec![];
                    for part in parts {
                        match part {
                            Term::Size(num) => others = nums.mul(others, *num),
                            Term::Axis(label) => match self.of_label(*label) {
                                Some(num) => others = nums.mul(others, num),
                                None => open.push(*label),
                            },
                            _ => {}
                        }
                    }
                    if let [label] = open[..] {
                        if let Some(num) = nums.quotient(*size, others) {
                            self.bind(label, num);
                        }
                    }
                }
                _ => {}
            }
        }
        Some(())
    }
}

/// Whether a row has an axis, alone or as a part.
fn mentions(row: &[Term], label: Label) -> bool {
    row.iter().any(|term| match term {
        Term::Axis(own) => *own == label,
        Term::Merged(parts) | Term::Joined(parts) => mentions(parts, label),
        Term::Window(Window { over, kernel, .. }) => *over == label || *kernel == label,
        Term::Steps { over, .. } => *over == label,
        Term::Rest(_) | Term::One | Term::At(_) | Term::Supplied(_) | Term::Size(_) | Term::Any => {
            false
        }
    })
}
