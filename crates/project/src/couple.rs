//! Loops that exclude each other.
//!
//! Parts of one concatenation exclude each other: their loops are alternatives of one factor of the
//! product space, and concatenations that share a part share the factor. An alternative at which
//! nothing can happen, because the result or every operand needs another, is dropped; what is left
//! of a slice is an offset.

use alloc::{vec, vec::Vec};

use smallvec::SmallVec;

use lozenge_calculus::{number::index, size::Size, union_find::UnionFind};

use super::{
    NoLoops,
    index::{Affine, Concat, Index, LoopId, Offset, Term},
    record::{AxisMap, Record},
    slot::Slot,
};

/// Makes one factor of loops that exclude each other, and drops those at which nothing happens.
pub(super) fn couple(record: &mut Record, couples: &[[LoopId; 2]]) -> Result<(), NoLoops> {
    let factors = Factors::new(record.extents.len(), couples);
    if let Some(slot) =
        record.operands().chain([Slot::RESULT]).find(|slot| factors.are_crossed(record, *slot))
    {
        return Err(NoLoops::Crossed(slot));
    }
    // Where the result and each operand take part together.
    let result = factors.taking_part(record.map(Slot::RESULT));
    let mut together: Vec<Vec<bool>> = Vec::new();
    for operand in record.operands() {
        let mut here = factors.taking_part(record.map(operand));
        here.iter_mut().zip(&result).for_each(|(here, result)| *here &= result);
        together.push(here);
    }
    if record.operands().next().is_none() {
        together.push(result);
    }
    let reads: Vec<bool> = together.iter().map(|here| factors.is_somewhere(here)).collect();
    match reads.iter().position(|reads| !reads) {
        Some(operand) if reads.contains(&true) => return Err(NoLoops::Unread(operand)),
        Some(_) => return Err(NoLoops::Nowhere),
        None => {}
    }
    let is_live: Vec<bool> =
        (0..factors.of.len()).map(|id| together.iter().any(|here| here[id])).collect();
    if together.iter().any(|here| *here != is_live) {
        // Somebody is absent somewhere: then only one may be present anywhere.
        if let Some(pair) = factors.meeting(&together) {
            return Err(NoLoops::Ambiguous(pair));
        }
    }
    renumber(record, &factors.of, &is_live)
}

/// Which loops are of one factor.
struct Factors {
    /// The least loop of each loop's factor.
    of: Vec<usize>,
    /// How many loops each factor has, by its least.
    counts: Vec<u32>,
}

impl Factors {
    fn new(loops: usize, couples: &[[LoopId; 2]]) -> Factors {
        let mut classes = UnionFind::new(loops);
        for [one, other] in couples {
            classes.union(one.0 as usize, other.0 as usize);
        }
        let of: Vec<usize> = (0..loops).map(|id| classes.find(id)).collect();
        let mut counts = vec![0; loops];
        for factor in &of {
            counts[*factor] += 1;
        }
        Factors { of, counts }
    }

    /// Whether two concatenations of an occurrence share parts so that others, which are in none
    /// together, exclude each other nevertheless: `a` and `c` in `a^b, c^b`. One after another,
    /// most of its elements would be left out.
    fn are_crossed(&self, record: &Record, slot: Slot) -> bool {
        let parts = |axis: &AxisMap| match &axis.index {
            Index::Concat(Concat { parts, .. }) => parts.iter().map(|(id, _)| *id).collect(),
            Index::Iter(_)
            | Index::Fix(_)
            | Index::Symbol(_)
            | Index::Affine(_)
            | Index::Merged(_)
            | Index::Digit(_) => Vec::new(),
        };
        let together = |one: LoopId, other: LoopId| {
            record.axes.iter().any(|axis| {
                matches!(axis.index, Index::Concat(_))
                    && axis.index.mentions(one)
                    && axis.index.mentions(other)
            })
        };
        let axes: Vec<Vec<LoopId>> = record.map(slot).iter().map(parts).collect();
        let is_crossed = |one: &[LoopId], other: &[LoopId]| {
            let apart = |[one, other]: [LoopId; 2]| {
                self.of[one.0 as usize] == self.of[other.0 as usize] && !together(one, other)
            };
            one != other && one.iter().any(|id| other.iter().any(|other| apart([*id, *other])))
        };
        axes.iter()
            .enumerate()
            .any(|(place, one)| axes[place + 1..].iter().any(|other| is_crossed(one, other)))
    }

    /// By loop, whether an occurrence can take part while it runs.
    fn taking_part(&self, map: &[AxisMap]) -> Vec<bool> {
        let mut allowed = vec![true; self.of.len()];
        let mut only = |factor: usize, serves: &dyn Fn(usize) -> bool| {
            for (id, allowed) in allowed.iter_mut().enumerate() {
                *allowed &= self.of[id] != factor || serves(id);
            }
        };
        for axis in map {
            if let Index::Concat(Concat { parts, .. }) = &axis.index {
                let mut is_part = vec![false; self.of.len()];
                for (id, _) in parts {
                    is_part[id.0 as usize] = true;
                }
                let factor = parts.first().map_or(usize::MAX, |(id, _)| self.of[id.0 as usize]);
                only(factor, &|id| is_part[id]);
            } else {
                for mentioned in axis.index.loops().map(|id| id.0 as usize) {
                    if self.counts[self.of[mentioned]] > 1 {
                        only(self.of[mentioned], &|id| id == mentioned);
                    }
                }
            }
        }
        allowed
    }

    /// Whether there is a point at which only such loops run.
    fn is_somewhere(&self, allowed: &[bool]) -> bool {
        let mut has = vec![false; self.of.len()];
        allowed.iter().zip(&self.of).for_each(|(allowed, of)| has[*of] |= allowed);
        self.of.iter().all(|of| has[*of])
    }

    /// Two that are somewhere at once.
    fn meeting(&self, boxes: &[Vec<bool>]) -> Option<[usize; 2]> {
        // A factor each of whose loops serves one of them keeps them all apart.
        let mut apart = vec![true; self.of.len()];
        for (id, of) in self.of.iter().enumerate() {
            apart[*of] &= boxes.iter().filter(|allowed| allowed[id]).count() <= 1;
        }
        if self.of.iter().any(|of| apart[*of]) {
            return None;
        }
        let meet = |one: &[bool], other: &[bool]| {
            let both: Vec<bool> =
                one.iter().zip(other).map(|(one, other)| *one && *other).collect();
            self.is_somewhere(&both)
        };
        let pairs =
            (0..boxes.len()).flat_map(|one| (one + 1..boxes.len()).map(move |other| [one, other]));
        let mut pairs = pairs.filter(|[one, other]| meet(&boxes[*one], &boxes[*other]));
        pairs.next()
    }
}

/// Puts the loops of a factor together, and leaves out those that are not live.
fn renumber(record: &mut Record, factor: &[usize], is_live: &[bool]) -> Result<(), NoLoops> {
    let loops = factor.len();
    let mut numbers: Vec<Option<LoopId>> = vec![None; loops];
    let mut extents = Vec::with_capacity(loops);
    let mut factors = Vec::with_capacity(loops);
    for first in (0..loops).filter(|id| factor[*id] == *id) {
        let members: Vec<usize> =
            (first..loops).filter(|id| factor[*id] == first && is_live[*id]).collect();
        if let [only] = members[..] {
            if record.extents[only] == Size::ONE {
                continue; // nothing to run over
            }
        }
        for id in members {
            numbers[id] = Some(LoopId(index(extents.len())));
            extents.push(record.extents[id]);
        }
        factors.push(index(extents.len()));
    }
    for axis in &mut record.axes {
        let renumbered = match &axis.index {
            Index::Iter(id) => numbers[id.0 as usize].map_or(Index::Fix(0), Index::Iter),
            Index::Affine(affine) => {
                let mut terms = SmallVec::new();
                for (coefficient, term) in &affine.terms {
                    match term {
                        Term::Symbol(_) | Term::Size(_) => terms.push((*coefficient, *term)),
                        Term::Loop(id) => {
                            terms.extend(
                                numbers[id.0 as usize].map(|id| (*coefficient, Term::Loop(id))),
                            );
                        }
                    }
                }
                Affine { terms, offset: affine.offset }.try_into()?
            }
            Index::Concat(Concat { parts, is_whole }) => {
                let live = parts.iter().filter(|(id, _)| is_live[id.0 as usize]);
                let live: Vec<(Option<LoopId>, &Offset)> =
                    live.map(|(id, offset)| (numbers[id.0 as usize], offset)).collect();
                match live[..] {
                    [(None, offset)] => offset.sum()?.try_into()?,
                    [(Some(id), offset)] => offset.index(id)?,
                    _ => {
                        let is_whole = *is_whole && live.len() == parts.len();
                        let part =
                            |(id, offset): (Option<LoopId>, &Offset)| Some((id?, offset.clone()));
                        let parts = live.into_iter().filter_map(part).collect();
                        Index::Concat(Concat { parts, is_whole })
                    }
                }
            }
            Index::Merged(digits) => {
                let live = |(id, size): &(LoopId, Size)| Some((numbers[id.0 as usize]?, *size));
                let digits: Vec<(LoopId, Size)> = digits.iter().filter_map(live).collect();
                match digits[..] {
                    [] => Index::Fix(0),
                    [(id, _)] => Index::Iter(id),
                    _ => Index::Merged(digits),
                }
            }
            // Digits are of reshapes only, whose loops are not coupled.
            Index::Fix(_) | Index::Symbol(_) | Index::Digit(_) => continue,
        };
        axis.index = renumbered;
    }
    for id in &mut record.of_ids {
        *id = id.and_then(|id| numbers[id.0 as usize]);
    }
    (record.extents, record.factors) = (extents, factors);
    Ok(())
}
