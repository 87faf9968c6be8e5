//! How often the cells of an occurrence are written: injective, onto.
//!
//! A map is *injective* if no cell is written twice, and *onto* if every cell is written. Only
//! points at which something happens count: those in a margin are skipped, and so are those of a
//! concatenation at which an occurrence is absent.
//!
//! For each choice of loops that run together the axes fall into groups that share no loop; a map
//! is injective, or onto, if it is so in every group, and the number of cells it reaches is the
//! product of those of the groups. Most groups have a closed form (`group`): one axis of up to two
//! loops, merged axes, windows that reach beyond their axis, several axes that determine their
//! loops one after another. What has none is counted, up to a budget. What is not known is `None`,
//! and counts as no.

mod found;
mod group;
mod linear;
mod narrow;

use alloc::{vec, vec::Vec};
use core::{cell::Cell, ops::Range};

use lozenge_calculus::{number, size::Size, union_find::UnionFind};

pub use self::found::Coverage;
use self::{
    found::both,
    group::{Axis, Group},
    linear::{Linear, linear},
    narrow::Narrowed,
};

use super::{
    index::{Affine, Concat, Index, LoopId, Term},
    record::{AxisMap, Record},
    slot::Slot,
};

/// The bound on counting, where there is no closed form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Budget {
    /// The most points of the product space that counting may visit, over all occurrences together.
    pub points: u64,
}

impl Budget {
    /// The budget in which counting may visit this number of points.
    pub const fn of_points(points: u64) -> Budget {
        Budget { points }
    }
}

impl Default for Budget {
    /// A million points: some milliseconds.
    fn default() -> Budget {
        Budget { points: 1 << 20 }
    }
}

/// The cells of an axis of symbolic size where shares are compared: none of them counts such an
/// axis.
const OPEN_CELLS: u64 = 1;

/// One choice of loops that run together, and how it covers the cells.
struct Run {
    map: Vec<Linear>,
    /// The least and greatest index of each axis.
    reach: Vec<Option<[i128; 2]>>,
    coverage: Coverage,
    /// How many cells it reaches, not counting axes of symbolic size that it covers.
    share: Option<u128>,
}

/// The most choices of loops that are looked at one by one.
const MOST_RUNS: usize = 2048;

/// Loops that run together, and the operands that take part meanwhile.
struct Choice {
    running: Vec<bool>,
    present: Vec<Slot>,
}

impl Record {
    /// How often the cells of an occurrence are written, at the points at which it takes part.
    pub fn coverage(&self, slot: Slot, budget: Budget) -> Coverage {
        let choices = self.present_at();
        self.coverage_at(slot, choices.as_deref(), &Cell::new(budget.points))
    }

    /// The coverage of every occurrence. The budget is for all of them together.
    pub fn coverages(&self, budget: Budget) -> Vec<Coverage> {
        let choices = self.present_at();
        let left = Cell::new(budget.points);
        self.slots().map(|slot| self.coverage_at(slot, choices.as_deref(), &left)).collect()
    }

    /// The record with one axis in place of all those that are the digits of a loop: they have the
    /// same cells, in the same order. `None` where there are no digits, or not all of a loop.
    fn without_digits(&self) -> Option<Record> {
        let has_digits = |axis: &AxisMap| matches!(axis.index, Index::Digit(_));
        if !self.axes.iter().any(has_digits) {
            return None;
        }
        let mut plain = Record { axes: vec![], slots: vec![], ..self.clone() };
        for slot in self.slots() {
            // An axis of one element has no digit, and no matter.
            let matters = |axis: &&AxisMap| axis.size != Size::ONE || axis.index != Index::Fix(0);
            let mut axes = self.map(slot).iter().filter(matters);
            while let Some(axis) = axes.next() {
                let Index::Digit(first) = axis.index else {
                    plain.axes.push(axis.clone());
                    continue;
                };
                let mut last = first;
                // Of an open one, a reshape says that it has all that is left.
                let mut cells = axis.size.count();
                while last.divisor > 1 {
                    let next = axes.next()?;
                    let Index::Digit(digit) = next.index else { return None };
                    let size = next.size.count()?;
                    let follows = digit.of == first.of
                        && digit.modulus == Some(size)
                        && digit.divisor.checked_mul(size) == Some(last.divisor);
                    if !follows {
                        return None;
                    }
                    cells = match cells {
                        Some(cells) => Some(cells.checked_mul(size)?),
                        None => None,
                    };
                    last = digit;
                }
                let extent = self.extent(first.of);
                if first.modulus.is_some() || extent.count() != cells {
                    return None;
                }
                let index = Index::Iter(first.of);
                plain.axes.push(AxisMap { index, size: extent, margin: None, is_to_end: false });
            }
            plain.slots.push(u32::try_from(plain.axes.len()).ok()?);
        }
        Some(plain)
    }

    /// The record with an axis for every digit in place of merged axes: they have the same cells.
    /// `None` where none is merged.
    fn with_digits_apart(&self) -> Option<Record> {
        if !self.axes.iter().any(|axis| matches!(axis.index, Index::Merged(_))) {
            return None;
        }
        let mut plain = Record { axes: vec![], slots: vec![], ..self.clone() };
        for slot in self.slots() {
            for axis in self.map(slot) {
                let Index::Merged(digits) = &axis.index else {
                    plain.axes.push(axis.clone());
                    continue;
                };
                let apart = |(id, size): &(LoopId, Size)| {
                    let (index, size) = (Index::Iter(*id), *size);
                    AxisMap { index, size, margin: None, is_to_end: false }
                };
                plain.axes.extend(digits.iter().map(apart));
            }
            plain.slots.push(u32::try_from(plain.axes.len()).ok()?);
        }
        Some(plain)
    }

    fn coverage_at(&self, slot: Slot, choices: Option<&[Choice]>, left: &Cell<u64>) -> Coverage {
        if let Some(plain) = self.without_digits().or_else(|| self.with_digits_apart()) {
            return plain.coverage_at(slot, choices, left);
        }
        if self.cells(slot) == Some(0) {
            return Coverage { onto: Some(true), ..Coverage::NONE };
        }
        let Some(choices) = choices else { return Coverage::default() };
        let here = |choice: &&Choice| slot == Slot::RESULT || choice.present.contains(&slot);
        let runs = choices.iter().filter(here).map(|choice| self.run(slot, choice, left));
        let found = self.all_runs(slot, runs.collect());
        if found.is_known() {
            return found;
        }
        self.counted(slot, left, found)
    }

    /// Every choice of loops, with who takes part; `None` if there are too many.
    fn present_at(&self) -> Option<Vec<Choice>> {
        let mut made = vec![];
        for running in self.choices() {
            if made.len() == MOST_RUNS {
                return None;
            }
            let present = self.operands().filter(|slot| self.takes_part(*slot, &running));
            let present = present.collect();
            made.push(Choice { running, present });
        }
        Some(made)
    }

    /// How the cells are covered while certain loops run.
    fn run(&self, slot: Slot, choice: &Choice, left: &Cell<u64>) -> Run {
        let Choice { running: chosen, present } = choice;
        let axes = |slot: Slot| {
            self.map(slot).iter().filter_map(|axis| Some((linear(axis, chosen)?, axis)))
        };
        let map: Vec<Linear> = axes(slot).map(|(index, _)| index).collect();
        let mut conditions: Vec<(Linear, Size)> = Vec::new();
        for (index, axis) in [Slot::RESULT].iter().chain(present).flat_map(|slot| axes(*slot)) {
            let condition = (index, axis.size);
            if axis.margin.is_some() && !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        let is_moved = conditions.iter().any(|(index, _)| index.supplied);
        // A condition on no loop holds everywhere, or nowhere.
        let fails = |(index, size): &(Linear, Size)| {
            let inside = u64::try_from(index.offset).ok().zip(size.count());
            index.terms.is_empty() && !index.supplied && inside.is_none_or(|(at, size)| at >= size)
        };
        let mut is_nowhere = conditions.iter().any(fails);
        // One on one loop leaves a part of its range.
        let narrowed = Narrowed::new(&self.extents, &mut conditions);
        is_nowhere |= narrowed.as_ref().is_some_and(|narrowed| narrowed.is_empty);
        let moved: Vec<Linear>;
        let (inner, extents): (&[Linear], &[Size]) = match &narrowed {
            Some(narrowed) => {
                moved = map.iter().map(|index| narrowed.moved(index)).collect();
                (&moved, &narrowed.extents)
            }
            None => (&map, &self.extents),
        };
        // Loops that share an axis, or the condition that a point is in no margin, are of one
        // group.
        let mut groups = UnionFind::new(self.extents.len());
        let indices = map.iter().chain(conditions.iter().map(|(index, _)| index));
        for terms in indices.map(|index| &index.terms) {
            for pair in terms.windows(2) {
                groups.union(pair[0].1.0 as usize, pair[1].1.0 as usize);
            }
        }
        let first = (0..self.extents.len()).map(|id| number::index(groups.find(id)));
        let first: Vec<u32> = first.collect();
        let mut coverage = if is_nowhere { Coverage::NONE } else { Coverage::ONE };
        let mut share = Some(1_u128);
        let is_of = |index: &Linear, group: u32| {
            index.terms.first().is_some_and(|(_, id)| first[id.0 as usize] == group)
        };
        let constant = map.iter().zip(self.map(slot)).filter(|(index, _)| index.terms.is_empty());
        for (_, axis) in constant {
            let onto = axis.size.count().map(|size| size == 1);
            coverage = coverage.times(Coverage { onto, ..Coverage::ONE });
        }
        let mut is_somewhere = true;
        let runs = |id: &u32| chosen[*id as usize] && first[*id as usize] == *id;
        for group in (0..).take(self.extents.len()).filter(runs) {
            let loops = (0..).map(LoopId).zip(extents);
            let loops =
                loops.filter(|(id, _)| chosen[id.0 as usize] && first[id.0 as usize] == group);
            let loops: Vec<(LoopId, Option<u64>)> =
                loops.map(|(id, extent)| (id, extent.count())).collect();
            let of_slot = inner.iter().zip(self.map(slot)).filter(|(index, _)| is_of(index, group));
            let size = |index: &Linear, axis: &AxisMap| match index.part {
                Some(part) => extents[part.0 as usize],
                None => axis.size,
            };
            let axes = of_slot
                .map(|(index, axis)| Axis {
                    index,
                    size: size(index, axis),
                    is_to_end: axis.is_to_end,
                })
                .collect();
            let of_group = conditions.iter().filter(|(index, _)| is_of(index, group));
            let conditions = of_group.map(|(index, size)| Axis::new(index, *size)).collect();
            let group = Group { loops, axes, conditions, extents };
            let found = group.coverage(left);
            is_somewhere &= group.conditions.is_empty() || found.points.is_some();
            let is_open =
                |axis: &Axis<'_>| axis.size.count().is_none() || axis.index.part.is_some();
            let is_covered =
                matches!(&group.axes[..], [axis] if is_open(axis)) && found.onto == Some(true);
            let cells = if is_covered { Some(1) } else { found.cells };
            share = share.zip(cells).and_then(|(share, cells)| share.checked_mul(cells));
            coverage = coverage.times(found);
        }
        if !is_somewhere {
            // Perhaps nothing is written at all, and then nothing is written twice.
            coverage.injective = coverage.injective.filter(|injective| *injective);
        }
        if is_moved {
            // Only the caller knows where a margin is met.
            (coverage, share) = (Coverage::default(), None);
        }
        let reach = |index: &Linear| {
            let mut ends = [index.offset; 2];
            for (coefficient, id) in &index.terms {
                let last = i128::from(self.extent(*id).count()?) - 1;
                ends[usize::from(*coefficient > 0)] += i128::from(*coefficient) * last;
            }
            (!index.supplied).then_some(ends)
        };
        let reach = map.iter().map(reach).collect();
        Run { map, reach, coverage, share }
    }

    /// All runs together.
    fn all_runs(&self, slot: Slot, mut runs: Vec<Run>) -> Coverage {
        let is_whole = |run: &Run| run.map.iter().all(|index| index.part.is_none());
        if runs.len() == 1 && is_whole(&runs[0]) {
            return runs.swap_remove(0).coverage;
        }
        runs.retain(|run| run.coverage.points != Some(0));
        let points = runs.iter().try_fold(0_u128, |sum, run| sum.checked_add(run.coverage.points?));
        let mut injective = Some(true);
        for run in &runs {
            injective = both(injective, run.coverage.injective);
        }
        // Runs that write the same cells count once, others must be apart.
        let mut apart: Option<Vec<&Run>> = Some(vec![]);
        for run in &runs {
            let Some(kept) = &mut apart else { break };
            let same = |other: &&Run| other.map == run.map && !self.is_padded();
            if kept.iter().any(same) {
                injective = Some(false);
            } else if kept.iter().all(|other| other.is_apart(run)) {
                kept.push(run);
            } else {
                injective = injective.filter(|injective| !injective);
                apart = None;
            }
        }
        let sum = |of: &dyn Fn(&Run) -> Option<u128>| {
            apart.as_ref()?.iter().try_fold(0_u128, |sum, run| sum.checked_add(of(run)?))
        };
        let cells = sum(&|run| run.coverage.cells);
        let share = sum(&|run| run.share.filter(|_| run.coverage.points != Some(0)));
        let all = self.map(slot).iter().try_fold(1_u128, |all, axis| match &axis.index {
            // Every part of it is covered by itself.
            Index::Concat(Concat { parts, is_whole }) if axis.is_open() => {
                all.checked_mul(u128::try_from(parts.len()).ok()?).filter(|_| *is_whole)
            }
            _ => all.checked_mul(axis.size.count().unwrap_or(OPEN_CELLS).into()),
        });
        let onto = if runs.iter().any(|run| run.coverage.onto == Some(true) && is_whole(run)) {
            Some(true)
        } else {
            all.zip(share).map(|(all, reached)| all == reached)
        };
        Coverage { injective, onto, cells, points }
    }

    /// How many cells an occurrence has.
    pub fn cells(&self, slot: Slot) -> Option<u128> {
        let sizes = self.map(slot).iter().map(|axis| axis.size.count());
        sizes.into_iter().try_fold(1_u128, |product, size| product.checked_mul(size?.into()))
    }

    /// Counts the writes of every cell, where that is not too much.
    fn counted(&self, slot: Slot, left: &Cell<u64>, found: Coverage) -> Coverage {
        let factor = |factor: Range<u32>| {
            factor.map(LoopId).try_fold(0_u64, |sum, id| sum.checked_add(self.extent(id).count()?))
        };
        let points =
            self.factors().map(factor).try_fold(1_u64, |product, n| product.checked_mul(n?));
        let (Some(points), Some(cells)) = (points, self.cells(slot)) else { return found };
        let budget = left.get();
        if points > budget || cells > u128::from(budget).saturating_mul(4) {
            return found;
        }
        // An index that is supplied may be any one; but where it moves others, which one matters.
        let moves = |axis: &AxisMap| match &axis.index {
            Index::Affine(Affine { terms, .. }) => {
                terms.iter().any(|(_, term)| matches!(term, Term::Symbol(_)))
            }
            Index::Iter(_)
            | Index::Fix(_)
            | Index::Symbol(_)
            | Index::Concat(_)
            | Index::Merged(_)
            | Index::Digit(_) => false,
        };
        // Nor is it known which points are in a margin of an axis whose size is open.
        let is_open = |axis: &AxisMap| axis.margin.is_some() && axis.size.count().is_none();
        if self.axes.iter().any(|axis| moves(axis) || is_open(axis)) {
            return found;
        }
        let Ok(count) = usize::try_from(cells) else { return found };
        // All are known, since the cells are counted.
        let sizes: Vec<u64> = self.map(slot).iter().filter_map(|axis| axis.size.count()).collect();
        left.set(budget - points);
        let symbols = vec![0; self.symbols()];
        let mut writes = vec![0_u32; count];
        let mut live = 0_u128;
        self.for_each_point(&symbols, &mut |point| {
            if !self.is_live(point) {
                return;
            }
            let Some(position) = self.position(slot, point) else { return };
            live += 1;
            let cell = position.iter().zip(&sizes).fold(0, |cell, (at, size)| cell * size + at);
            writes[usize::try_from(cell).expect("a cell is below their number")] += 1;
        });
        Coverage {
            injective: Some(writes.iter().all(|count| *count <= 1)),
            onto: Some(writes.iter().all(|count| *count >= 1)),
            cells: Some(writes.iter().filter(|count| **count > 0).count() as u128),
            points: Some(live),
        }
    }
}

impl Run {
    /// Whether the two certainly have no cell in common.
    fn is_apart(&self, other: &Run) -> bool {
        let parts = self.map.iter().zip(&other.map);
        let mut parts = parts.filter_map(|(one, other)| one.part.zip(other.part));
        if parts.any(|(one, other)| one != other) {
            return true;
        }
        self.reach.iter().zip(&other.reach).any(|reaches| match reaches {
            (Some([low, high]), Some([other_low, other_high])) => {
                high < other_low || other_high < low
            }
            (None, _) | (_, None) => false,
        })
    }
}
