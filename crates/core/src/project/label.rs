//! The second stratum: loops for classes, indices for axes, and loops that exclude each other.
//!
//! A class that is pinned has its pin; one that is computed has the index of what it is computed from; one
//! that is visited and has more than one element has a loop; every other is read at 0. Loops are minted in the
//! order in which the axes of the result, then of the operands, need them. So the result is a function of the
//! classes, and of nothing else.
//!
//! Parts of one concatenation exclude each other: their loops are alternatives of one factor of the product
//! space, and concatenations that share a part share the factor. An alternative at which nothing can happen,
//! because the result or every operand needs another, is dropped; what is left of a slice is an offset.

use alloc::{vec, vec::Vec};
use core::ops::Range;

use smallvec::SmallVec;

use crate::size::{Size, SizeKind};

use super::{
    Conflict,
    classes::Classes,
    equation::{Derived, Equations, Id, Part, Supplied, SymbolId},
    record::{Affine, AxisMap, Index, LoopId, Margin, Record, Slot, Term},
};

/// The record of an operation, from its classes.
pub(super) fn label(
    classes: &Classes,
    equations: &Equations,
    occurrences: &[Range<u32>],
) -> Result<Record, Conflict> {
    let mut labels = Labels::new(classes, equations);
    let mut axes = Vec::with_capacity(occurrences.iter().map(ExactSizeIterator::len).sum());
    let mut slots = Vec::with_capacity(occurrences.len());
    let mut padded: Vec<usize> = Vec::new();
    for occurrence in occurrences {
        for axis in occurrence.clone() {
            let (index, is_padded) = labels.index(classes.class(Id(axis)))?;
            if is_padded {
                padded.push(axes.len());
            }
            axes.push(AxisMap { index, size: equations.sizes[axis as usize], margin: None });
        }
        slots.push(u32::try_from(axes.len()).map_err(|_| Conflict::Overflow)?);
    }
    let Labels { extents, loop_of: mut of_ids, couples, .. } = labels;
    for id in 0..of_ids.len() {
        // The representative comes first.
        of_ids[id] = of_ids[classes.class(Id(u32::try_from(id).unwrap_or(u32::MAX))).0 as usize];
    }
    let mut record = Record { extents, factors: Vec::new(), axes, slots, of_ids };
    if !couples.is_empty() {
        couple(&mut record, &couples)?;
    }
    for place in padded {
        let axis = &mut record.axes[place];
        let margin = margin(&axis.index, axis.size, &|term| match term {
            Term::Loop(id) => record.extents[id.0 as usize],
            Term::Symbol(id) => range(classes, id),
        })?;
        axis.margin = (margin != Margin::default()).then_some(margin);
    }
    Ok(record)
}

/// So deep an axis may be computed from axes that are computed: the notation goes to 2.
const DEEPEST: usize = 8;

struct Labels<'a> {
    classes: &'a Classes,
    equations: &'a Equations,
    /// Of every loop, in the order in which they were needed.
    extents: Vec<Size>,
    /// By class.
    loop_of: Vec<Option<LoopId>>,
    /// The derivations of classes, by class, then in order.
    derived: Vec<(Id, usize)>,
    /// Classes whose derivations are under way.
    open: Vec<Id>,
    /// Classes that are one of several parts of a concatenation.
    parts: Vec<Id>,
    /// Loops that exclude each other.
    couples: Vec<[LoopId; 2]>,
}

impl<'a> Labels<'a> {
    fn new(classes: &'a Classes, equations: &'a Equations) -> Labels<'a> {
        let derivations = equations.derivations.iter().enumerate();
        let mut derived: Vec<(Id, usize)> =
            derivations.map(|(number, made)| (classes.class(made.whole), number)).collect();
        derived.sort_unstable();
        let mut parts = Vec::new();
        for derivation in &equations.derivations {
            if let Derived::Concat(concatenated) = &derivation.derived {
                let with_elements = |part: &Part| match part {
                    Part::Axis(id) => {
                        Some(classes.class(*id)).filter(|id| classes.size(*id) != Size::ZERO)
                    }
                    Part::Gap(_) => None,
                };
                let of_this: SmallVec<[Id; 4]> =
                    concatenated.iter().filter_map(with_elements).collect();
                if of_this.len() > 1 {
                    parts.extend(of_this);
                }
            }
        }
        parts.sort_unstable();
        Labels {
            classes,
            equations,
            extents: Vec::new(),
            loop_of: vec![None; classes.len()],
            derived,
            open: Vec::new(),
            parts,
            couples: Vec::new(),
        }
    }

    /// The index of a class, and whether what falls outside is skipped.
    fn index(&mut self, class: Id) -> Result<(Index, bool), Conflict> {
        let first = self.derived.partition_point(|(of, _)| *of < class);
        let pinned = self.classes.pinned(class).map(|supplied| match supplied {
            Supplied::Fix(position) => Index::Fix(position),
            Supplied::Symbol(id) => Index::Symbol(id),
        });
        let mut found = pinned.map(|index| (index, false));
        let is_derived = self.derived.get(first).is_some_and(|(of, _)| *of == class);
        if is_derived {
            if self.open.contains(&class) {
                return Err(Conflict::Cyclic(class));
            }
            if self.open.len() > DEEPEST {
                return Err(Conflict::Nested(class));
            }
            self.open.push(class);
            let mut place = first;
            while let Some((_, number)) = self.derived.get(place).filter(|(of, _)| *of == class) {
                let computed = self.computed(*number)?;
                // What is computed twice, or pinned as well, must be the same: a check, and no choice.
                if found.as_ref().is_some_and(|found| *found != computed) {
                    return Err(Conflict::Derived(class));
                }
                found = Some(computed);
                place += 1;
            }
            self.open.pop();
        }
        if let Some(found) = found {
            return Ok(found);
        }
        let is_part = !self.parts.is_empty() && self.parts.binary_search(&class).is_ok();
        let several = self.classes.size(class).count() != Some(1) || is_part;
        let index = if self.classes.is_iterated(class) && several {
            Index::Iter(self.loop_for(class))
        } else {
            Index::Fix(0)
        };
        Ok((index, false))
    }

    fn loop_for(&mut self, class: Id) -> LoopId {
        *self.loop_of[class.0 as usize].get_or_insert_with(|| {
            self.extents.push(self.classes.size(class));
            LoopId(u32::try_from(self.extents.len() - 1).unwrap_or(u32::MAX))
        })
    }

    fn computed(&mut self, derivation: usize) -> Result<(Index, bool), Conflict> {
        let equations = self.equations;
        let made = &equations.derivations[derivation];
        match &made.derived {
            Derived::Affine { terms, offset, padded } => {
                let mut sum = Affine { terms: SmallVec::new(), offset: *offset };
                for (coefficient, id) in terms {
                    let coefficient =
                        i64::try_from(*coefficient).map_err(|_| Conflict::Overflow)?;
                    let class = self.classes.class(*id);
                    let (index, inner_padded) = self.index(class)?;
                    if inner_padded {
                        return Err(Conflict::Nested(class));
                    }
                    add(&mut sum, coefficient, index, class)?;
                }
                Ok((sum.try_into()?, *padded))
            }
            Derived::Concat(parts) => Ok((self.concatenated(made.whole, parts)?, false)),
        }
    }

    fn concatenated(&mut self, whole: Id, parts: &[Part]) -> Result<Index, Conflict> {
        // The parts that have elements, and where they begin.
        let mut begins: SmallVec<[(Id, u64); 4]> = SmallVec::new();
        let mut begin = Some(0_u64);
        for part in parts {
            let here = begin.ok_or(Conflict::Symbolic(whole))?;
            let size = match part {
                Part::Gap(positions) => Some(*positions),
                Part::Axis(id) => {
                    let class = self.classes.class(*id);
                    let size = self.classes.size(class);
                    if size != Size::ZERO {
                        begins.push((class, here));
                    }
                    size.count()
                }
            };
            begin = size.and_then(|size| here.checked_add(size));
        }
        if let [(class, begin)] = begins[..] {
            // The only one: what it is, and so much more.
            let (index, padded) = self.index(class)?;
            let offset = i64::try_from(begin).map_err(|_| Conflict::Overflow)?;
            let mut sum = Affine { terms: SmallVec::new(), offset };
            add(&mut sum, 1, index, class)?;
            return if padded { Err(Conflict::Nested(class)) } else { sum.try_into() };
        }
        let mut entries: Vec<(LoopId, u64)> = Vec::with_capacity(begins.len());
        for (class, begin) in begins {
            if self.classes.size(class).count().is_none() {
                return Err(Conflict::Symbolic(class)); // nobody knows how long the whole is
            }
            let (Index::Iter(id), false) = self.index(class)? else {
                return Err(Conflict::Nested(class));
            };
            if entries.iter().any(|(other, _)| *other == id) {
                return Err(Conflict::Repeated(class));
            }
            entries.push((id, begin));
        }
        self.couples.extend(entries.windows(2).map(|pair| [pair[0].0, pair[1].0]));
        Ok(if entries.is_empty() { Index::Fix(0) } else { Index::Concat(entries) })
    }
}

/// Adds a multiple of an index.
fn add(sum: &mut Affine, coefficient: i64, index: Index, class: Id) -> Result<(), Conflict> {
    let scaled = |n: i64| n.checked_mul(coefficient).ok_or(Conflict::Overflow);
    let mut shift = |by: i64| {
        sum.offset = sum.offset.checked_add(by).ok_or(Conflict::Overflow)?;
        Ok(())
    };
    match index {
        Index::Iter(id) => sum.terms.push((coefficient, Term::Loop(id))),
        Index::Symbol(id) => sum.terms.push((coefficient, Term::Symbol(id))),
        Index::Fix(position) => {
            shift(scaled(i64::try_from(position).map_err(|_| Conflict::Overflow)?)?)?;
        }
        Index::Affine(Affine { terms, offset }) => {
            shift(scaled(offset)?)?;
            for (inner, term) in terms {
                sum.terms.push((scaled(inner)?, term));
            }
        }
        Index::Concat(_) => return Err(Conflict::Nested(class)),
    }
    Ok(())
}

/// A loop's value, and so much more.
fn shifted(id: LoopId, by: u64) -> Result<Index, Conflict> {
    let offset = i64::try_from(by).map_err(|_| Conflict::Overflow)?;
    Affine { terms: [(1, Term::Loop(id))].into_iter().collect(), offset }.try_into()
}

/// How many values a supplied index may have: the size of the smallest axis that is read at it.
fn range(classes: &Classes, symbol: SymbolId) -> Size {
    let ids = (0..u32::try_from(classes.len()).unwrap_or(u32::MAX)).map(Id);
    let pinned = ids.filter(|id| classes.pinned(*id) == Some(Supplied::Symbol(symbol)));
    pinned.map(|id| classes.size(id)).min().unwrap_or(Size::ZERO)
}

/// How far an index reaches beyond its axis, with so many values for each of its terms. Sizes that stay
/// symbolic must cancel.
fn margin(index: &Index, size: Size, extent: &dyn Fn(Term) -> Size) -> Result<Margin, Conflict> {
    let terms: SmallVec<[(i64, Term); 2]> = match index {
        Index::Affine(affine) => affine.terms.clone(),
        Index::Iter(id) => [(1, Term::Loop(*id))].into_iter().collect(),
        Index::Symbol(id) => [(1, Term::Symbol(*id))].into_iter().collect(),
        Index::Fix(_) | Index::Concat(_) => SmallVec::new(),
    };
    let offset = match index {
        Index::Affine(affine) => i128::from(affine.offset),
        Index::Fix(position) => i128::from(*position),
        Index::Iter(_) | Index::Symbol(_) | Index::Concat(_) => 0,
    };
    // The last index, and one more, minus the size.
    let mut beyond = offset + 1;
    let mut symbols: SmallVec<[(Size, i128); 2]> = SmallVec::new();
    let mut subtract = |size: Size, coefficient: i128| match size.kind() {
        SizeKind::Int(n) => Some(coefficient * i128::from(n)),
        SizeKind::Symbol(_) => {
            match symbols.iter_mut().find(|(other, _)| *other == size) {
                Some((_, sum)) => *sum += coefficient,
                None => symbols.push((size, coefficient)),
            }
            None
        }
    };
    beyond += subtract(size, -1).unwrap_or(0);
    for (coefficient, term) in terms {
        let coefficient = i128::from(coefficient);
        beyond += subtract(extent(term), coefficient).unwrap_or(0) - coefficient;
    }
    if symbols.iter().any(|(_, sum)| *sum != 0) {
        return Err(Conflict::Overflow);
    }
    let side = |reach: i128| u64::try_from(reach.max(0)).map_err(|_| Conflict::Overflow);
    Ok(Margin { left: side(-offset)?, right: side(beyond)? })
}

/// Makes one factor of loops that exclude each other, and drops those at which nothing happens.
fn couple(record: &mut Record, couples: &[[LoopId; 2]]) -> Result<(), Conflict> {
    let factors = Factors::new(record.extents.len(), couples);
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
        Some(operand) if reads.contains(&true) => return Err(Conflict::Unread(operand)),
        Some(_) => return Err(Conflict::Nowhere),
        None => {}
    }
    let is_live: Vec<bool> =
        (0..factors.of.len()).map(|id| together.iter().any(|here| here[id])).collect();
    if together.iter().any(|here| *here != is_live) {
        // Somebody is absent somewhere: then only one may be present anywhere.
        if let Some(pair) = factors.meeting(&together) {
            return Err(Conflict::Ambiguous(pair));
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
        let mut of: Vec<usize> = (0..loops).collect();
        let find = |of: &mut [usize], mut at: usize| {
            while of[at] != at {
                of[at] = of[of[at]];
                at = of[at];
            }
            at
        };
        for [one, other] in couples {
            let (one, other) = (find(&mut of, one.0 as usize), find(&mut of, other.0 as usize));
            of[one.max(other)] = one.min(other);
        }
        let mut counts = vec![0; loops];
        for id in 0..loops {
            of[id] = find(&mut of, id);
            counts[of[id]] += 1;
        }
        Factors { of, counts }
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
            if let Index::Concat(parts) = &axis.index {
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
fn renumber(record: &mut Record, factor: &[usize], is_live: &[bool]) -> Result<(), Conflict> {
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
            numbers[id] = Some(LoopId(u32::try_from(extents.len()).unwrap_or(u32::MAX)));
            extents.push(record.extents[id]);
        }
        factors.push(u32::try_from(extents.len()).unwrap_or(u32::MAX));
    }
    for axis in &mut record.axes {
        let renumbered = match &axis.index {
            Index::Iter(id) => numbers[id.0 as usize].map_or(Index::Fix(0), Index::Iter),
            Index::Affine(affine) => {
                let mut terms = SmallVec::new();
                for (coefficient, term) in &affine.terms {
                    match term {
                        Term::Symbol(_) => terms.push((*coefficient, *term)),
                        Term::Loop(id) => {
                            terms.extend(
                                numbers[id.0 as usize].map(|id| (*coefficient, Term::Loop(id))),
                            );
                        }
                    }
                }
                Affine { terms, offset: affine.offset }.try_into()?
            }
            Index::Concat(parts) => {
                let live = parts.iter().filter(|(id, _)| is_live[id.0 as usize]);
                let live: Vec<(Option<LoopId>, u64)> =
                    live.map(|(id, begin)| (numbers[id.0 as usize], *begin)).collect();
                match live[..] {
                    [(None, begin)] => Index::Fix(begin),
                    [(Some(id), begin)] => shifted(id, begin)?,
                    _ => {
                        let part = |(id, begin): (Option<LoopId>, u64)| id.map(|id| (id, begin));
                        Index::Concat(live.into_iter().filter_map(part).collect())
                    }
                }
            }
            Index::Fix(_) | Index::Symbol(_) => continue,
        };
        axis.index = renumbered;
    }
    for id in &mut record.of_ids {
        *id = id.and_then(|id| numbers[id.0 as usize]);
    }
    (record.extents, record.factors) = (extents, factors);
    Ok(())
}
