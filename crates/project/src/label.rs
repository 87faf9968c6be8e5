//! The second stratum: loops for classes, and indices for axes.
//!
//! A class that is pinned has its pin; one that is computed has the index of what it is computed
//! from; one that is visited and has more than one element has a loop; every other is read at 0.
//! Loops are minted in the order in which the axes of the result, then of the operands, need them.
//! So the result is a function of the classes, and of nothing else.

use alloc::{vec, vec::Vec};

use smallvec::SmallVec;

use lozenge_calculus::{
    number::index,
    size::{Polynomial, Size, Sizes},
};

use super::{
    ClosedOperation, NoLoops,
    classes::Classes,
    couple::couple,
    equation::{AxisId, Derived, Equations, Outside, Part, Start, Supplied, SymbolId},
    index::{Affine, Concat, Index, LoopId, Offset, Term},
    record::{AxisMap, Margin, Record},
};

/// The record of an operation, from its classes.
pub(super) fn label(
    classes: &Classes,
    equations: &Equations,
    operation: &ClosedOperation<'_>,
) -> Result<Record, NoLoops> {
    let occurrences = operation.occurrences;
    let mut labels = Labels::new(classes, equations)?;
    let mut axes = Vec::with_capacity(occurrences.iter().map(ExactSizeIterator::len).sum());
    let mut slots = Vec::with_capacity(occurrences.len());
    let mut padded: Vec<(usize, AxisId, Option<i64>)> = Vec::new();
    for occurrence in occurrences {
        for axis in occurrence.clone() {
            let (index, outside) = labels.index(classes.class(AxisId(axis)))?;
            if let Outside::Perhaps(behind) = outside {
                padded.push((axes.len(), AxisId(axis), behind));
            }
            let size = equations.sizes[axis as usize];
            axes.push(AxisMap { index, size, margin: None, is_to_end: false });
        }
        slots.push(index(axes.len()));
    }
    let Labels { extents, loop_of: mut of_ids, couples, .. } = labels;
    for id in 0..of_ids.len() {
        // The representative comes first.
        of_ids[id] = of_ids[classes.class(AxisId(index(id))).0 as usize];
    }
    let mut record = Record { extents, factors: Vec::new(), axes, slots, of_ids };
    if !couples.is_empty() {
        couple(&mut record, &couples)?;
    }
    let extents = &record.extents;
    let extent = |term: Term| match term {
        Term::Loop(id) => extents[id.0 as usize],
        Term::Symbol(id) => range(classes, id),
        Term::Size(size) => size,
    };
    for axis in record.axes.iter_mut().filter(|axis| axis.size.count().is_none()) {
        let Index::Affine(Affine { terms, offset }) = &axis.index else { continue };
        let table = operation.table;
        // A loop that may not run at all leaves what the others reach, unless the axis then has
        // nothing either.
        let runs = |(coefficient, term): &(i64, Term)| {
            let all = [(*coefficient, extent(*term)), (-1, axis.size)];
            matches!(term, Term::Loop(_))
                && (table.interval(&table.form(extent(*term))).low.is_some_and(|low| low > 0)
                    || table.linear(0, all).is_some_and(|left| left == Polynomial::ZERO))
        };
        axis.is_to_end = terms.iter().all(runs)
            && open_reach((*offset).into(), terms, axis.size, &extent, table) == Some(0);
    }
    for (place, id, behind) in padded {
        let axis = &mut record.axes[place];
        let margin = margin(id, axis, behind, &extent, operation.table)?;
        axis.margin = (margin != Margin::default()).then_some(margin);
    }
    Ok(record)
}

/// The deepest nesting of axes that are computed from computed axes: the notation goes to 1,
/// operations of others where they like.
const DEEPEST: usize = 8;

struct Labels<'a> {
    classes: &'a Classes,
    equations: &'a Equations,
    /// By loop, its extent. Loops are numbered in the order in which they were needed.
    extents: Vec<Size>,
    /// By class.
    loop_of: Vec<Option<LoopId>>,
    /// The derivations of classes, by class, then in order.
    derived: Vec<(AxisId, usize)>,
    /// The starts of computed classes.
    starts: Vec<(AxisId, u64)>,
    /// Classes whose derivations are under way.
    open: Vec<AxisId>,
    /// Classes that are one of several parts of a concatenation.
    parts: Vec<AxisId>,
    /// Loops that exclude each other.
    couples: Vec<[LoopId; 2]>,
}

impl<'a> Labels<'a> {
    fn new(classes: &'a Classes, equations: &'a Equations) -> Result<Labels<'a>, NoLoops> {
        let derivations = equations.derivations.iter().enumerate();
        let mut derived: Vec<(AxisId, usize)> =
            derivations.map(|(number, made)| (classes.class(made.whole), number)).collect();
        derived.sort_unstable();
        let mut parts = Vec::new();
        for derivation in &equations.derivations {
            if let Derived::Concat(concatenated) = &derivation.derived {
                let axis = |part: &Part| match part {
                    Part::Axis(id) => Some(classes.class(*id)),
                    Part::Gap(_) => None,
                };
                let of_this: SmallVec<[AxisId; 4]> = concatenated.iter().filter_map(axis).collect();
                if of_this.len() > 1 {
                    parts.extend(of_this);
                }
            }
        }
        parts.sort_unstable();
        let mut labels = Labels {
            classes,
            equations,
            extents: Vec::new(),
            loop_of: vec![None; classes.len()],
            derived,
            starts: Vec::new(),
            open: Vec::new(),
            parts,
            couples: Vec::new(),
        };
        for (id, start) in &equations.starts {
            labels.start(classes.class(*id), *start)?;
        }
        Ok(labels)
    }

    /// Has a class start at a position: the only one, and of something that can start there.
    fn start(&mut self, class: AxisId, start: u64) -> Result<(), NoLoops> {
        let known = self.starts.iter().find(|(of, _)| *of == class);
        if known.is_some_and(|(_, known)| *known != start) {
            return Err(NoLoops::Start(class));
        }
        self.starts.push((class, start));
        let mut can_start = false;
        for (_, number) in self.derived.iter().filter(|(of, _)| *of == class) {
            let Derived::Affine { start: allowed, .. } =
                self.equations.derivations[*number].derived
            else {
                continue;
            };
            can_start |= allowed != Start::First;
            if matches!(allowed, Start::Below(stride) if start >= stride) {
                return Err(NoLoops::OutOfBounds(class));
            }
        }
        if start > 0 && !can_start {
            return Err(NoLoops::Start(class));
        }
        Ok(())
    }

    /// The index of a class, and whether what falls outside is skipped.
    fn index(&mut self, class: AxisId) -> Result<(Index, Outside), NoLoops> {
        let first = self.derived.partition_point(|(of, _)| *of < class);
        let pinned = self.classes.pinned(class).map(|supplied| match supplied {
            Supplied::Fix(position) => Index::Fix(position),
            Supplied::Symbol(id) => Index::Symbol(id),
        });
        let mut found = pinned.map(|index| (index, Outside::Never));
        let is_derived = self.derived.get(first).is_some_and(|(of, _)| *of == class);
        if is_derived {
            if self.open.contains(&class) {
                return Err(NoLoops::Cyclic(class));
            }
            if self.open.len() > DEEPEST {
                return Err(NoLoops::Nested(class));
            }
            self.open.push(class);
            let mut place = first;
            while let Some((_, number)) = self.derived.get(place).filter(|(of, _)| *of == class) {
                let (index, outside) = self.computed(*number)?;
                // What is computed twice, or pinned as well, must be the same: a check, and no
                // choice.
                let outside = match found.take() {
                    None => Some(outside),
                    Some((known, other)) if known == index => outside.meet(other),
                    Some(_) => None,
                };
                found = Some((index, outside.ok_or(NoLoops::Derived(class))?));
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
        Ok((index, Outside::Never))
    }

    fn loop_for(&mut self, class: AxisId) -> LoopId {
        *self.loop_of[class.0 as usize].get_or_insert_with(|| {
            self.extents.push(self.classes.size(class));
            LoopId(index(self.extents.len() - 1))
        })
    }

    fn computed(&mut self, derivation: usize) -> Result<(Index, Outside), NoLoops> {
        let equations = self.equations;
        let made = &equations.derivations[derivation];
        match &made.derived {
            Derived::Affine { terms, offset, outside, start } => {
                let class = self.classes.class(made.whole);
                let from = self.starts.iter().find(|(of, _)| *of == class);
                let from = from.map_or(0, |(_, from)| *from);
                let from = if *start == Start::First { 0 } else { from };
                let from = i64::try_from(from).map_err(|_| NoLoops::Overflow)?;
                let outside = match (*start, *outside) {
                    (Start::Anywhere, Outside::Never) if from > 0 => Outside::Perhaps(Some(from)),
                    (_, Outside::Perhaps(Some(behind))) => {
                        Outside::Perhaps(behind.checked_add(from))
                    }
                    (_, outside) => outside,
                };
                let offset = offset.checked_add(from).ok_or(NoLoops::Overflow)?;
                let mut sum = Affine { terms: SmallVec::new(), offset };
                for (coefficient, id) in terms {
                    let coefficient = i64::try_from(*coefficient).map_err(|_| NoLoops::Overflow)?;
                    let class = self.classes.class(*id);
                    let (index, inner) = self.index(class)?;
                    if inner != Outside::Never {
                        return Err(NoLoops::Nested(class));
                    }
                    add(&mut sum, coefficient, index, class)?;
                }
                Ok((sum.try_into()?, outside))
            }
            Derived::Merged(parts) => Ok((self.merged(parts)?, Outside::Never)),
            Derived::Concat(parts) => Ok((self.concatenated(parts)?, Outside::Never)),
        }
    }

    /// Axes one inside the other, where an inner one has an open size.
    fn merged(&mut self, parts: &[AxisId]) -> Result<Index, NoLoops> {
        let mut digits: Vec<(LoopId, Size)> = Vec::with_capacity(parts.len());
        for part in parts {
            let class = self.classes.class(*part);
            let size = self.classes.size(class);
            match self.index(class)? {
                (Index::Iter(id), Outside::Never) => digits.push((id, size)),
                (Index::Fix(0), Outside::Never) if size == Size::ONE => {}
                _ => return Err(NoLoops::Symbolic(class)),
            }
        }
        Ok(match digits[..] {
            [] => Index::Fix(0),
            [(id, _)] => Index::Iter(id),
            _ => Index::Merged(digits),
        })
    }

    fn concatenated(&mut self, parts: &[Part]) -> Result<Index, NoLoops> {
        // The parts that are axes, with their offsets.
        let mut placed: SmallVec<[(AxisId, Offset); 4]> = SmallVec::new();
        let mut offset = Offset::default();
        let mut is_whole = true;
        for part in parts {
            let size = match part {
                Part::Gap(size) => {
                    is_whole = false;
                    *size
                }
                Part::Axis(id) => {
                    let class = self.classes.class(*id);
                    placed.push((class, offset.clone()));
                    self.classes.size(class)
                }
            };
            offset = offset.after(size).ok_or(NoLoops::Overflow)?;
        }
        if let [(class, offset)] = &placed[..] {
            // The only one: what it is, and so much more.
            let (index, outside) = self.index(*class)?;
            let mut sum = offset.sum()?;
            add(&mut sum, 1, index, *class)?;
            let is_inside = outside == Outside::Never;
            return if is_inside { sum.try_into() } else { Err(NoLoops::Nested(*class)) };
        }
        let mut entries: Vec<(LoopId, Offset)> = Vec::with_capacity(placed.len());
        for (class, offset) in placed {
            let (Index::Iter(id), Outside::Never) = self.index(class)? else {
                return Err(NoLoops::Nested(class));
            };
            if entries.iter().any(|(other, _)| *other == id) {
                return Err(NoLoops::Repeated(class));
            }
            entries.push((id, offset));
        }
        self.couples.extend(entries.windows(2).map(|pair| [pair[0].0, pair[1].0]));
        Ok(if entries.is_empty() {
            Index::Fix(0)
        } else {
            Index::Concat(Concat { parts: entries, is_whole })
        })
    }
}

/// Adds a multiple of an index.
fn add(sum: &mut Affine, coefficient: i64, index: Index, class: AxisId) -> Result<(), NoLoops> {
    let scaled = |n: i64| n.checked_mul(coefficient).ok_or(NoLoops::Overflow);
    let mut shift = |by: i64| {
        sum.offset = sum.offset.checked_add(by).ok_or(NoLoops::Overflow)?;
        Ok(())
    };
    match index {
        Index::Iter(id) => sum.terms.push((coefficient, Term::Loop(id))),
        Index::Symbol(id) => sum.terms.push((coefficient, Term::Symbol(id))),
        Index::Fix(position) => {
            shift(scaled(i64::try_from(position).map_err(|_| NoLoops::Overflow)?)?)?;
        }
        Index::Affine(Affine { terms, offset }) => {
            shift(scaled(offset)?)?;
            for (inner, term) in terms {
                sum.terms.push((scaled(inner)?, term));
            }
        }
        Index::Concat(_) | Index::Merged(_) | Index::Digit(_) => {
            return Err(NoLoops::Nested(class));
        }
    }
    Ok(())
}

/// How many values a supplied index may have: the size of the smallest axis that is read at it.
fn range(classes: &Classes, symbol: SymbolId) -> Size {
    let ids = (0..index(classes.len())).map(AxisId);
    let pinned = ids.filter(|id| classes.pinned(*id) == Some(Supplied::Symbol(symbol)));
    pinned.map(|id| classes.size(id)).min().unwrap_or(Size::ZERO)
}

/// The margin of an index: how far it reaches beyond its axis, given the extent of each term. Where
/// sizes stay open and do not cancel, as in `2*⌈n/2⌉ - n`, it is an upper bound: a window begins on
/// its axis, and reaches on from there.
fn margin(
    id: AxisId,
    axis: &AxisMap,
    behind: Option<i64>,
    extent: &dyn Fn(Term) -> Size,
    table: &Sizes,
) -> Result<Margin, NoLoops> {
    let (index, size) = (&axis.index, axis.size);
    let terms: SmallVec<[(i64, Term); 2]> = match index {
        Index::Affine(affine) => affine.terms.clone(),
        Index::Iter(id) => [(1, Term::Loop(*id))].into_iter().collect(),
        Index::Symbol(id) => [(1, Term::Symbol(*id))].into_iter().collect(),
        Index::Fix(_) | Index::Concat(_) | Index::Merged(_) | Index::Digit(_) => SmallVec::new(),
    };
    let offset = match index {
        Index::Affine(affine) => i128::from(affine.offset),
        Index::Fix(position) => i128::from(*position),
        Index::Iter(_)
        | Index::Symbol(_)
        | Index::Concat(_)
        | Index::Merged(_)
        | Index::Digit(_) => 0,
    };
    // The last index, and one more, minus the size.
    let mut beyond = Some(offset + 1).zip(size.count()).map(|(end, size)| end - i128::from(size));
    for (coefficient, term) in &terms {
        let last = extent(*term).count().map(|n| last(*term, n) * i128::from(*coefficient));
        beyond = beyond.zip(last).map(|(beyond, last)| beyond + last);
    }
    let beyond = beyond
        .or_else(|| open_reach(offset, &terms, size, extent, table))
        .or(behind.map(i128::from))
        .or_else(|| most_reach(offset, &terms, extent))
        .ok_or(NoLoops::Symbolic(id))?;
    let side = |reach: i128| u64::try_from(reach.max(0)).map_err(|_| NoLoops::Overflow);
    Ok(Margin { left: side(-offset)?, right: side(beyond)? })
}

/// The greatest value of a term with this extent: a size is its extent, and what is counted from 0
/// ends one below.
fn last(term: Term, count: u64) -> i128 {
    i128::from(count) - i128::from(!matches!(term, Term::Size(_)))
}

/// How far an index reaches beyond its axis, where open sizes cancel: `2*(n/2 - 1) + 2 - n` is 0.
fn open_reach(
    offset: i128,
    terms: &[(i64, Term)],
    size: Size,
    extent: &dyn Fn(Term) -> Size,
    table: &Sizes,
) -> Option<i128> {
    let counted = terms.iter().map(|(coefficient, term)| (*coefficient, extent(*term)));
    let below = terms.iter().map(|(coefficient, term)| i128::from(*coefficient) * last(*term, 0));
    table.linear(offset + 1 + below.sum::<i128>(), counted.chain([(-1, size)]))?.as_constant()
}

/// An upper bound of the greatest index, where one loop over an open size has its window begin on
/// the axis.
fn most_reach(offset: i128, terms: &[(i64, Term)], extent: &dyn Fn(Term) -> Size) -> Option<i128> {
    let mut open = terms.iter().filter(|(_, term)| extent(*term).count().is_none());
    let (Some((_, Term::Loop(_))), None) = (open.next(), open.next()) else { return None };
    let reach = terms.iter().map(|(coefficient, term)| {
        i128::from(*coefficient) * extent(*term).count().map_or(0, |n| last(*term, n))
    });
    Some(offset + reach.sum::<i128>())
}
