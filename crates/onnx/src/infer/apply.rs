//! Templates read forward: from the sizes of operands to those of the result.
//!
//! Axes of one name meet, as equal sizes or as stretched ones; windows and parts of axes are solved
//! for what is not known beside them.

use smallvec::SmallVec;

use super::{
    call::Call,
    known::Sizes,
    num::{Num, Nums, Truth},
    require::{Place, Stop},
    template::{Fit, Label, Template, Term, Window, Word},
};
use crate::element::Element;

impl Call<'_, '_> {
    /// Says that an output has the sizes of the result of a specification.
    pub(crate) fn give_template(
        &mut self,
        output: usize,
        element: Element,
        template: Template,
    ) -> Result<(), Stop> {
        let sizes = self.apply(template)?;
        self.give_sizes(output, element, sizes);
        Ok(())
    }

    /// The sizes of the result of a specification, which says what the operator does.
    pub(crate) fn apply(&mut self, template: Template) -> Result<Sizes, Stop> {
        let sizes = template.apply(self);
        if self.keeps_template {
            self.template = Some(template);
        }
        sizes
    }
}

/// What labels and rows were found to be.
#[derive(Default)]
struct Found {
    axes: SmallVec<[(Label, Num, Place); 8]>,
    rests: SmallVec<[(Word, Sizes, usize, usize); 2]>,
}

impl Found {
    fn of(&self, label: Label) -> Option<(Num, Place)> {
        self.axes.iter().find(|(own, ..)| *own == label).map(|(_, num, place)| (*num, *place))
    }

    fn bind(&mut self, label: Label, num: Num, place: Place) {
        match self.axes.iter_mut().find(|(own, ..)| *own == label) {
            Some(known) => known.1 = num,
            None => self.axes.push((label, num, place)),
        }
    }

    /// A row as another operand has it: the axes of both are stretched to each other.
    fn meet_rests(
        &mut self,
        call: &mut Call<'_, '_>,
        name: Word,
        sizes: Sizes,
        input: usize,
        from: usize,
    ) {
        let Some(place) = self.rests.iter().position(|(own, ..)| *own == name) else {
            self.rests.push((name, sizes, input, from));
            return;
        };
        let (_, known, first, begin) = self.rests[place].clone();
        let mut all = Sizes::new();
        let rank = known.len().max(sizes.len());
        for axis in 0..rank {
            let [one, other] =
                [(&known, first, begin), (&sizes, input, from)].map(|(of, input, from)| {
                    let own = (axis + of.len()).checked_sub(rank)?;
                    Some((of[own], Place::Axis(input, from + own)))
                });
            all.push(match (one, other) {
                (Some((a, at)), Some((b, by))) => call.stretch(a, at, b, by),
                (one, other) => one.or(other).map_or(Num::ONE, |(num, _)| num),
            });
        }
        self.rests[place].1 = all;
    }
}

impl Template {
    /// The sizes of the result, from those of the operands.
    pub(crate) fn apply(&self, call: &mut Call<'_, '_>) -> Result<Sizes, Stop> {
        let mut found = Found::default();
        for (label, num) in &self.given {
            found.bind(*label, *num, Place::Node);
        }
        let mut waiting: SmallVec<[(&Term, Num, Place); 4]> = SmallVec::new();
        for (input, row) in self.operands.iter().enumerate() {
            let shape = call.shape(input)?;
            let rest = row.iter().position(|term| matches!(term, Term::Rest(_)));
            let fixed = row.len() - usize::from(rest.is_some());
            if shape.len() < fixed || rest.is_none() && shape.len() != fixed {
                return Err(Stop::Axes { input, least: fixed, found: shape.len() });
            }
            let behind = rest.map_or(0, |rest| row.len() - rest - 1);
            let taken = shape.len() - fixed;
            for (place, term) in row.iter().enumerate() {
                if let Term::Rest(name) = term {
                    let sizes = shape[place..place + taken].iter().copied().collect();
                    found.meet_rests(call, *name, sizes, input, place);
                    continue;
                }
                let is_behind = row.len() - place <= behind;
                let axis = if is_behind { shape.len() - (row.len() - place) } else { place };
                let (size, at) = (shape[axis], Place::Axis(input, axis));
                match term {
                    Term::Axis(label) => self.meet(call, &mut found, *label, size, at),
                    Term::One => {
                        call.equal(size, at, Num::ONE, Place::Node);
                    }
                    Term::Size(num) => {
                        call.equal(size, at, *num, Place::Node);
                    }
                    Term::At(index) => {
                        let upto = call.nums.add(Num::Int(*index), Num::ONE);
                        let behind = call.nums.sub(size, upto);
                        call.at_least(behind, 0, at);
                    }
                    Term::Steps { stride, over, is_loose, .. } => {
                        let count = if *is_loose {
                            call.nums.ceil(size, *stride)
                        } else {
                            call.divided(size, Num::Int(*stride), at)
                        };
                        self.meet(call, &mut found, *over, count, at);
                    }
                    Term::Any | Term::Supplied(_) | Term::Rest(_) => {}
                    Term::Window(_) | Term::Merged(_) | Term::Joined(_) => {
                        waiting.push((term, size, at));
                    }
                }
            }
        }
        // Windows and parts are found from what is known beside them, in whichever order.
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut left = SmallVec::new();
            for (term, size, at) in waiting {
                if !self.solve(call, &mut found, term, size, at) {
                    left.push((term, size, at));
                }
            }
            waiting = left;
            if waiting.len() == before {
                break;
            }
        }
        self.result.iter().try_fold(Sizes::new(), |mut sizes, term| {
            match term {
                Term::Rest(name) => {
                    let rest = found.rests.iter().find(|(own, ..)| own == name);
                    sizes.extend(rest.into_iter().flat_map(|(_, sizes, ..)| sizes.iter().copied()));
                }
                term => sizes.push(size_of(call, &found, term).ok_or(Stop::Data)?),
            }
            Ok(sizes)
        })
    }

    fn meet(&self, call: &mut Call<'_, '_>, found: &mut Found, label: Label, size: Num, at: Place) {
        let num = match found.of(label) {
            None => size,
            Some((known, place)) if self.stretches => call.stretch(known, place, size, at),
            Some((known, place)) => call.equal(known, place, size, at),
        };
        found.bind(label, num, at);
    }

    /// Finds the labels of a term that is computed; gives whether there is nothing left to find.
    fn solve(
        &self,
        call: &mut Call<'_, '_>,
        found: &mut Found,
        term: &Term,
        size: Num,
        at: Place,
    ) -> bool {
        match term {
            Term::Window(window) => {
                let Some((kernel, _)) = found.of(window.kernel) else { return false };
                let Window { stride, dilation, fit, margin, .. } = *window;
                let count = Windows { stride, dilation, kernel, fit, margin }.count(call, size, at);
                self.meet(call, found, window.over, count, at);
                true
            }
            Term::Merged(parts) | Term::Joined(parts) => {
                let is_merged = matches!(term, Term::Merged(_));
                let known = if is_merged {
                    known_parts(call, found, parts, Num::ONE, Nums::mul)
                } else {
                    known_parts(call, found, parts, Num::Int(0), Nums::add)
                };
                let Some((others, open)) = known else { return false };
                if let Some(label) = open {
                    let part = if is_merged {
                        call.divided(size, others, at)
                    } else {
                        call.nums.sub(size, others)
                    };
                    self.meet(call, found, label, part, at);
                } else {
                    call.equal(size, at, others, Place::Node);
                }
                true
            }
            _ => true,
        }
    }
}

/// What the known parts of an axis are together, and the label of the one that is not known; none
/// where several are not.
fn known_parts(
    call: &mut Call<'_, '_>,
    found: &Found,
    parts: &[Term],
    begin: Num,
    together: fn(&mut Nums, Num, Num) -> Num,
) -> Option<(Num, Option<Label>)> {
    let mut open = None;
    let mut others = begin;
    for part in parts {
        match (size_of(call, found, part), part) {
            (Some(num), _) => others = together(call.nums, others, num),
            (None, Term::Axis(label)) if open.is_none() => open = Some(*label),
            (None, _) => return None,
        }
    }
    Some((others, open))
}

/// The size of a term, where its labels are known.
fn size_of(call: &mut Call<'_, '_>, found: &Found, term: &Term) -> Option<Num> {
    match term {
        Term::Axis(label) => found.of(*label).map(|(num, _)| num),
        Term::One => Some(Num::ONE),
        Term::Size(num) => Some(*num),
        Term::Merged(parts) => {
            let parts: Option<SmallVec<[Num; 4]>> =
                parts.iter().map(|part| size_of(call, found, part)).collect();
            Some(call.nums.product(parts?))
        }
        Term::Joined(parts) => {
            let parts: Option<SmallVec<[Num; 4]>> =
                parts.iter().map(|part| size_of(call, found, part)).collect();
            Some(parts?.into_iter().fold(Num::Int(0), |all, one| call.nums.add(all, one)))
        }
        // Windows are written to: as far as the last one reaches.
        Term::Window(Window { fit: Fit::Same | Fit::SameExact, stride, over, .. })
        | Term::Steps { stride, over, .. } => {
            let (over, _) = found.of(*over)?;
            Some(call.nums.mul(over, Num::Int(*stride)))
        }
        Term::Window(Window { stride, over, dilation, kernel, margin, .. }) => {
            let ((over, _), (kernel, _)) = (found.of(*over)?, found.of(*kernel)?);
            let span = span(call, kernel, *dilation);
            let steps = call.nums.sub(over, Num::ONE);
            let steps = call.nums.mul(steps, Num::Int(*stride));
            let all = call.nums.add(steps, span);
            let [before, after] = margin.map(Num::Int);
            let all = call.nums.sub(all, before);
            Some(call.nums.sub(all, after))
        }
        Term::Any | Term::At(_) | Term::Supplied(_) | Term::Rest(_) => None,
    }
}

/// From the first element of a window to its last, both included.
fn span(call: &mut Call<'_, '_>, kernel: Num, dilation: i64) -> Num {
    let steps = call.nums.sub(kernel, Num::ONE);
    let steps = call.nums.mul(steps, Num::Int(dilation));
    call.nums.add(steps, Num::ONE)
}

/// Windows over one axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Windows {
    pub(crate) stride: i64,
    pub(crate) dilation: i64,
    pub(crate) kernel: Num,
    pub(crate) fit: Fit,
    pub(crate) margin: [i64; 2],
}

impl Windows {
    /// How many there are over an axis of this size.
    pub(crate) fn count(self, call: &mut Call<'_, '_>, size: Num, at: Place) -> Num {
        let stride = self.stride.max(1);
        match self.fit {
            Fit::Same => return call.nums.ceil(size, stride),
            Fit::SameExact => return call.divided(size, Num::Int(stride), at),
            Fit::Exact | Fit::Floor | Fit::Ceil => {}
        }
        let span = span(call, self.kernel, self.dilation);
        let [before, after] = self.margin.map(Num::Int);
        let padded = call.nums.add(size, before);
        let padded = call.nums.add(padded, after);
        let steps = call.nums.sub(padded, span);
        call.at_least(steps, 0, at);
        if self.fit == Fit::Exact {
            let steps = call.divided(steps, Num::Int(stride), at);
            return call.nums.add(steps, Num::ONE);
        }
        let floor = call.nums.floor(steps, stride);
        if self.fit == Fit::Floor {
            return call.nums.add(floor, Num::ONE);
        }
        let ceil = call.nums.ceil(steps, stride);
        let count = call.nums.add(ceil, Num::ONE);
        // The last window begins before the axis ends, with what is before it.
        let last = call.nums.mul(ceil, Num::Int(stride));
        let end = call.nums.add(size, Num::Int(self.margin[0]));
        match call.nums.less(last, end) {
            Truth::Always => count,
            Truth::Never => call.nums.add(floor, Num::ONE),
            // Of ⌈s/d⌉ and ⌈(n + p)/d⌉ windows the fewer: both count those that begin early enough.
            Truth::Maybe => {
                let begun = call.nums.ceil(end, stride);
                call.nums.least(count, begun)
            }
        }
    }
}
