//! The record of an operation: its product space, and an index for every axis of every occurrence.

use alloc::{string::ToString, vec::Vec};
use core::{
    fmt::{self, Display, Formatter, Write},
    ops::Range,
};

use lozenge_calculus::{
    number::index,
    size::{Size, SizeKind},
};

use super::{
    equation::AxisId,
    index::{Affine, Concat, Index, LoopId, Point, Term},
    slot::Slot,
};

/// One axis of an occurrence.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AxisMap {
    /// The index at which the axis is read or written.
    pub index: Index,
    /// How many elements it has.
    pub size: Size,
    /// How far the index reaches beyond the axis: where it is padded, and where a window begins
    /// late. A point whose index is there is skipped.
    pub margin: Option<Margin>,
    /// For an open axis, whether the greatest index is known to be its last position. Where sizes
    /// are numbers, they say it.
    pub is_to_end: bool,
}

/// How far a window reaches beyond an axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Margin {
    /// Before its first element.
    pub left: u64,
    /// After its last.
    pub right: u64,
}

impl Margin {
    /// The part of the margin that an index meets, where sizes are numbers.
    fn met(self, index: &Index, size: Size, extents: &[Size]) -> Margin {
        let Index::Affine(Affine { terms, offset }) = index else { return self };
        let mut last = Some(i128::from(*offset));
        for (coefficient, term) in terms {
            let extent = match term {
                Term::Loop(id) => extents[id.0 as usize].count(),
                Term::Symbol(_) | Term::Size(_) => None,
            };
            let reach = extent.map(|n| i128::from(*coefficient) * (i128::from(n) - 1));
            last = last.zip(reach).map(|(last, reach)| last + reach);
        }
        let beyond = last.zip(size.count()).map(|(last, size)| last + 1 - i128::from(size));
        // An index that is not known, or lies further than can be counted, meets all of it.
        let right = beyond.and_then(|beyond| u64::try_from(beyond.max(0)).ok());
        Margin { right: right.map_or(self.right, |right| right.min(self.right)), ..self }
    }

    /// The margin that serves both: the larger on each side. Which reader comes first does not
    /// matter.
    #[must_use]
    pub fn union(self, other: Margin) -> Margin {
        Margin { left: self.left.max(other.left), right: self.right.max(other.right) }
    }
}

/// The loop nest of an operation: for every point of the product space, the operands are read at
/// their indices, combined, and accumulated into the result at its index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// By loop, the number of its values.
    pub(super) extents: Vec<Size>,
    /// By factor, where its loops end; empty where every loop is a factor of its own.
    pub(super) factors: Vec<u32>,
    pub(super) axes: Vec<AxisMap>,
    /// By slot, where its axes end.
    pub(super) slots: Vec<u32>,
    /// By identifier, the loop of its class.
    pub(super) of_ids: Vec<Option<LoopId>>,
}

impl Record {
    /// The factors of the product space, outermost first. Several loops of one factor run one after
    /// another.
    pub fn factors(&self) -> impl ExactSizeIterator<Item = Range<u32>> + DoubleEndedIterator + '_ {
        let count = if self.factors.is_empty() { self.extents.len() } else { self.factors.len() };
        (0..count).map(|factor| self.factor(factor))
    }

    fn factor(&self, factor: usize) -> Range<u32> {
        if self.factors.is_empty() {
            let id = index(factor);
            return id..id + 1;
        }
        let start = factor.checked_sub(1).map_or(0, |before| self.factors[before]);
        start..self.factors[factor]
    }

    /// The loops, in the order of the product space.
    pub fn loops(&self) -> impl Iterator<Item = (LoopId, Size)> + '_ {
        (0..).map(LoopId).zip(self.extents.iter().copied())
    }

    /// How often a loop runs.
    pub fn extent(&self, id: LoopId) -> Size {
        self.extents[id.0 as usize]
    }

    /// The loop that an axis or variable shares.
    pub fn loop_of(&self, id: AxisId) -> Option<LoopId> {
        self.of_ids.get(id.0 as usize).copied().flatten()
    }

    /// The occurrences: the result, then the operands.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = Slot> + use<> {
        (0..self.slots.len()).map(Slot)
    }

    /// The operands.
    pub fn operands(&self) -> impl Iterator<Item = Slot> + use<> {
        (1..self.slots.len()).map(Slot)
    }

    /// The index map of an occurrence, axis by axis in memory order.
    pub fn map(&self, slot: Slot) -> &[AxisMap] {
        let start = slot.0.checked_sub(1).map_or(0, |before| self.slots[before]);
        &self.axes[start as usize..self.slots[slot.0] as usize]
    }

    /// The loops that the result's index map does not mention: what is accumulated.
    pub fn reductions(&self) -> impl Iterator<Item = LoopId> + '_ {
        self.reductions_in(Slot::RESULT)
    }

    /// The loops that an occurrence's index map does not mention.
    pub fn reductions_in(&self, slot: Slot) -> impl Iterator<Item = LoopId> + '_ {
        let mentioned =
            move |id: &LoopId| self.map(slot).iter().any(|axis| axis.index.mentions(*id));
        self.loops().map(|(id, _)| id).filter(move |id| !mentioned(id))
    }

    /// How many indices are supplied when the program runs.
    pub fn symbols(&self) -> usize {
        let of_index = |index: &Index| match index {
            Index::Symbol(id) => id.0 as usize + 1,
            Index::Affine(Affine { terms, .. }) => {
                let symbols = terms.iter().filter_map(|(_, term)| match term {
                    Term::Symbol(id) => Some(id.0 as usize + 1),
                    Term::Loop(_) | Term::Size(_) => None,
                });
                symbols.max().unwrap_or(0)
            }
            Index::Iter(_)
            | Index::Fix(_)
            | Index::Concat(_)
            | Index::Merged(_)
            | Index::Digit(_) => 0,
        };
        self.axes.iter().map(|axis| of_index(&axis.index)).max().unwrap_or(0)
    }

    /// Whether any point may be skipped because it reads or writes a margin.
    pub fn is_padded(&self) -> bool {
        self.axes.iter().any(|axis| axis.margin.is_some())
    }

    /// Whether loops exclude each other, as those of a concatenation's parts do.
    pub fn is_coupled(&self) -> bool {
        self.factors().len() < self.extents.len()
    }

    /// Every choice of one loop a factor at which something can happen: by loop, whether it runs.
    /// What only absent occurrences need does not run: while `a` of `a, x; b, y => a^b` does,
    /// nothing is summed over `y`.
    pub fn choices(&self) -> impl Iterator<Item = Vec<bool>> + '_ {
        // Chosen for the first factors, the last such choice first; where nothing is coupled, for
        // all.
        let all = if self.is_coupled() { 0 } else { self.extents.len() };
        let mut begun: Vec<Vec<u32>> = alloc::vec![(0..).take(all).collect()];
        core::iter::from_fn(move || {
            while let Some(chosen) = begun.pop() {
                let mut running = alloc::vec![false; self.extents.len()];
                for id in &chosen {
                    running[*id as usize] = true;
                }
                let open = self.factors().skip(chosen.len()).flatten();
                open.for_each(|id| running[id as usize] = true);
                if !self.may_happen(&running) {
                    continue;
                }
                if chosen.len() < self.factors().len() {
                    let next = self.factor(chosen.len()).rev();
                    begun.extend(next.map(|id| chosen.iter().copied().chain([id]).collect()));
                } else if self.leave_out(&chosen, &mut running) {
                    return Some(running);
                }
            }
            None
        })
    }

    /// Whether the result and an operand take part while these loops run.
    fn may_happen(&self, running: &[bool]) -> bool {
        let mut operands = self.operands();
        self.takes_part(Slot::RESULT, running)
            && (self.slots.len() == 1 || operands.any(|slot| self.takes_part(slot, running)))
    }

    /// Leaves out the loops that nobody who takes part needs. Of the choices that differ only in
    /// such loops, the first is kept.
    fn leave_out(&self, chosen: &[u32], running: &mut [bool]) -> bool {
        let mut needed = alloc::vec![false; running.len()];
        for slot in self.slots().filter(|slot| self.takes_part(*slot, running)) {
            let loops = self.map(slot).iter().flat_map(|axis| axis.index.loops());
            loops.for_each(|id| needed[id.0 as usize] = true);
        }
        for (id, factor) in chosen.iter().zip(self.factors()) {
            if !needed[*id as usize] {
                running[*id as usize] = false;
                if *id != factor.start {
                    return false;
                }
            }
        }
        true
    }

    /// Calls `each` with every point of the product space, the last factor fastest. Nothing is
    /// called where a size stays symbolic.
    pub fn for_each_point(&self, symbols: &[u64], each: &mut dyn FnMut(Point<'_>)) {
        let extents: Option<Vec<u64>> = self.extents.iter().map(|extent| extent.count()).collect();
        let Some(extents) = extents else { return };
        for chosen in self.choices() {
            let mut loops: Vec<Option<u64>> = chosen.iter().map(|runs| runs.then_some(0)).collect();
            if chosen.iter().zip(&extents).any(|(runs, extent)| *runs && *extent == 0) {
                continue;
            }
            loop {
                each(Point { loops: &loops, symbols });
                let mut carried = true;
                for (value, extent) in loops.iter_mut().zip(&extents).rev() {
                    let Some(value) = value else { continue };
                    *value += 1;
                    if *value < *extent {
                        carried = false;
                        break;
                    }
                    *value = 0;
                }
                if carried {
                    break;
                }
            }
        }
    }

    /// The record with numbers for open sizes; `None` where one of them is not known.
    pub fn with_sizes(&self, number: &impl Fn(Size) -> Option<u64>) -> Option<Record> {
        let known = |size: Size| match number(size)? {
            0 => Some(Size::ZERO),
            n => Size::int(n).ok(),
        };
        let extents =
            self.extents.iter().map(|extent| known(*extent)).collect::<Option<Vec<_>>>()?;
        let axis = |axis: &AxisMap| {
            let (index, size) = (axis.index.with_sizes(number)?, known(axis.size)?);
            let reach = axis.margin.map(|margin| margin.met(&index, size, &extents));
            let margin = reach.filter(|met| *met != Margin::default());
            Some(AxisMap { index, size, margin, is_to_end: false })
        };
        let axes = self.axes.iter().map(axis).collect::<Option<_>>()?;
        Some(Record { extents, axes, ..self.clone() })
    }

    /// Whether an occurrence takes part while these loops run, that is, its index needs no other.
    pub fn takes_part(&self, slot: Slot, running: &[bool]) -> bool {
        self.map(slot).iter().all(|axis| {
            let mut needed = axis.index.loops().map(|id| running[id.0 as usize]);
            match axis.index {
                Index::Concat(_) => needed.any(|runs| runs),
                Index::Iter(_)
                | Index::Fix(_)
                | Index::Symbol(_)
                | Index::Affine(_)
                | Index::Merged(_)
                | Index::Digit(_) => needed.all(|runs| runs),
            }
        })
    }

    /// Whether an occurrence takes part at a point, that is, its index needs no loop that does not
    /// run.
    pub fn is_active(&self, slot: Slot, point: Point<'_>) -> bool {
        self.map(slot).iter().all(|axis| axis.index.at(point).is_some())
    }

    /// Whether something happens at a point: the result and an operand take part in it, and none of
    /// them is read or written in a margin.
    pub fn is_live(&self, point: Point<'_>) -> bool {
        let mut present =
            self.operands().filter(|operand| self.is_active(*operand, point)).peekable();
        let has_source = present.peek().is_some() || self.slots.len() == 1;
        self.is_active(Slot::RESULT, point)
            && has_source
            && [Slot::RESULT].into_iter().chain(present).all(|slot| self.is_inside(slot, point))
    }

    fn is_inside(&self, slot: Slot, point: Point<'_>) -> bool {
        self.map(slot).iter().all(|axis| axis.margin.is_none() || axis.position(point).is_some())
    }

    /// The position at which an occurrence is read or written at a point; `None` where it takes no
    /// part.
    pub fn position(&self, slot: Slot, point: Point<'_>) -> Option<Vec<u64>> {
        self.map(slot).iter().map(|axis| axis.position(point)).collect()
    }
}

impl AxisMap {
    /// Whether it needs a size that is open.
    pub(super) fn is_open(&self) -> bool {
        let parts = match &self.index {
            Index::Concat(Concat { parts, .. }) => &parts[..],
            _ => &[],
        };
        self.size.count().is_none() || parts.iter().any(|(_, offset)| !offset.open.is_empty())
    }

    /// The position at a point; `None` in a margin and where a loop that it needs does not run.
    pub fn position(&self, point: Point<'_>) -> Option<u64> {
        let position = u64::try_from(self.index.at(point)?).ok()?;
        let is_past = self.size.count().is_some_and(|size| position >= size);
        (!is_past).then_some(position)
    }
}

/// `(i0:2, i1:3) -> [i0]; [i0, i1]`: the product space, the map of the result, those of the
/// operands.
impl Display for Record {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let size = |size: Size| match size.kind() {
            SizeKind::Int(n) => n.to_string(),
            SizeKind::Symbol(symbol) => alloc::format!("n{}", symbol.index()),
            SizeKind::Computed(_) if size == Size::EMPTY => "0".into(),
            SizeKind::Computed(number) => alloc::format!("c{number}"),
            _ => "?".into(),
        };
        let names = |term: Term| match term {
            Term::Loop(id) => alloc::format!("i{}", id.0),
            Term::Symbol(id) => alloc::format!("s{}", id.0),
            Term::Size(open) => size(open),
        };
        let extent = |id: u32| size(self.extent(LoopId(id)));
        f.write_char('(')?;
        for (place, factor) in self.factors().enumerate() {
            f.write_str(if place > 0 { ", " } else { "" })?;
            for (place, id) in factor.enumerate() {
                f.write_str(if place > 0 { " | " } else { "" })?;
                write!(f, "i{id}:{}", extent(id))?;
            }
        }
        f.write_str(") -> ")?;
        for slot in self.slots() {
            f.write_str(match slot.0 {
                0 => "[",
                1 => "; [",
                _ => ", [",
            })?;
            for (place, axis) in self.map(slot).iter().enumerate() {
                f.write_str(if place > 0 { ", " } else { "" })?;
                axis.index.display(&names).fmt(f)?;
                if let Some(Margin { left, right }) = axis.margin {
                    write!(f, " pad {left},{right}")?;
                }
            }
            f.write_char(']')?;
        }
        Ok(())
    }
}
