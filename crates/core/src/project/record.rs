//! The record of an operation: its product space, and an index for every axis of every occurrence.

use alloc::{string::ToString, vec::Vec};
use core::{
    fmt::{self, Display, Formatter, Write},
    ops::Range,
};

use smallvec::SmallVec;

use crate::size::{Size, SizeKind};

use super::{
    Conflict,
    equation::{Id, SymbolId},
};

/// A loop of the product space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(pub u32);

/// An occurrence of a tensor in an operation: the result is 0, the operands follow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub usize);

impl Slot {
    /// The result.
    pub const RESULT: Slot = Slot(0);

    /// An operand, by its number from 0.
    pub const fn operand(number: usize) -> Slot {
        Slot(number + 1)
    }
}

/// The position on an axis, as a function of the point of the product space.
///
/// `Affine` never stands for what the others can say, and `Concat` has two parts or more.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Index {
    /// The value of a loop.
    Iter(LoopId),
    /// A position.
    Fix(u64),
    /// A position that is supplied when the program runs.
    Symbol(SymbolId),
    /// A sum of multiples of loops.
    Affine(Affine),
    /// The value of the one loop of these that runs, plus where its part begins.
    Concat(Vec<(LoopId, u64)>),
    /// A digit of a loop's value.
    Digit(Digit),
}

/// `loop / divisor % modulus`, the quotient without its fraction: where an element of a flat order is on an axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Digit {
    /// The loop over the elements in flat order.
    pub of: LoopId,
    /// The number of elements of all axes below it; at least 1.
    pub divisor: u64,
    /// The size of the axis, but for the first axis, above which there is nothing.
    pub modulus: Option<u64>,
}

/// `Σ coefficient·term + offset`, the terms in order and each once, no coefficient 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Affine {
    /// The coefficients and what they multiply.
    pub terms: SmallVec<[(i64, Term); 2]>,
    /// What is added.
    pub offset: i64,
}

/// What a coefficient multiplies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A loop.
    Loop(LoopId),
    /// An index that is supplied when the program runs.
    Symbol(SymbolId),
}

/// One axis of an occurrence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AxisMap {
    /// Where it is read or written.
    pub index: Index,
    /// How many elements it has.
    pub size: Size,
    /// How far the index reaches beyond the axis: where it is padded, and where a window begins late. A point
    /// whose index is there is skipped.
    pub margin: Option<Margin>,
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
    /// The margin that serves both: the larger on each side. Which reader comes first does not matter.
    #[must_use]
    pub fn union(self, other: Margin) -> Margin {
        Margin { left: self.left.max(other.left), right: self.right.max(other.right) }
    }
}

/// The loop nest of an operation: for every point of the product space, the operands are read at their
/// indices, combined, and accumulated into the result at its index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// By loop.
    pub(super) extents: Vec<Size>,
    /// Where the loops of each factor end; nothing where every loop is a factor of its own.
    pub(super) factors: Vec<u32>,
    pub(super) axes: Vec<AxisMap>,
    /// Where the axes of each slot end.
    pub(super) slots: Vec<u32>,
    /// By identifier, the loop of its class.
    pub(super) of_ids: Vec<Option<LoopId>>,
}

/// A point of the product space.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The values of the loops; of a factor with several, only one runs.
    pub loops: &'a [Option<u64>],
    /// The indices that were supplied.
    pub symbols: &'a [u64],
}

impl Record {
    /// The factors of the product space, outermost first. Several loops of one factor run one after another.
    pub fn factors(&self) -> impl ExactSizeIterator<Item = Range<u32>> + DoubleEndedIterator + '_ {
        let count = if self.factors.is_empty() { self.extents.len() } else { self.factors.len() };
        (0..count).map(|factor| self.factor(factor))
    }

    fn factor(&self, factor: usize) -> Range<u32> {
        if self.factors.is_empty() {
            let id = u32::try_from(factor).unwrap_or(u32::MAX - 1);
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
    pub fn loop_of(&self, id: Id) -> Option<LoopId> {
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
                    Term::Loop(_) => None,
                });
                symbols.max().unwrap_or(0)
            }
            Index::Iter(_) | Index::Fix(_) | Index::Concat(_) | Index::Digit(_) => 0,
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

    /// Every choice of one loop a factor at which something can happen: by loop, whether it runs. What only
    /// absent occurrences need does not run: while `a` of `a, x; b, y => a^b` does, nothing is summed over `y`.
    pub fn choices(&self) -> impl Iterator<Item = Vec<bool>> + '_ {
        // Chosen for the first factors, the last such choice first; where nothing is coupled, for all.
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

    /// Leaves out the loops that nobody who takes part needs. Of the choices that differ only in such loops,
    /// the first is kept.
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

    /// Calls `each` with every point of the product space, the last factor fastest. Nothing is called where a
    /// size stays symbolic.
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
                | Index::Digit(_) => needed.all(|runs| runs),
            }
        })
    }

    /// Whether an occurrence takes part at a point, that is, its index needs no loop that does not run.
    pub fn is_active(&self, slot: Slot, point: Point<'_>) -> bool {
        self.map(slot).iter().all(|axis| axis.index.at(point).is_some())
    }

    /// Whether something happens at a point: the result and an operand take part in it, and none of them is
    /// read or written in a margin.
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

    /// Where an occurrence is read or written at a point; `None` where it takes no part.
    pub fn position(&self, slot: Slot, point: Point<'_>) -> Option<Vec<u64>> {
        self.map(slot).iter().map(|axis| axis.position(point)).collect()
    }
}

impl AxisMap {
    /// The position at a point; `None` in a margin and where a loop that it needs does not run.
    pub fn position(&self, point: Point<'_>) -> Option<u64> {
        let position = u64::try_from(self.index.at(point)?).ok()?;
        match self.size.kind() {
            SizeKind::Int(size) if position >= size => None,
            SizeKind::Int(_) | SizeKind::Symbol(_) | SizeKind::Computed(_) => Some(position),
        }
    }
}

impl Index {
    /// The value at a point; `None` where a loop that it needs does not run.
    pub fn at(&self, point: Point<'_>) -> Option<i128> {
        let value = |id: LoopId| point.loops.get(id.0 as usize).copied().flatten();
        let supplied = |id: SymbolId| point.symbols.get(id.0 as usize).copied();
        match self {
            Index::Iter(id) => value(*id).map(i128::from),
            Index::Fix(position) => Some(i128::from(*position)),
            Index::Symbol(id) => supplied(*id).map(i128::from),
            Index::Affine(Affine { terms, offset }) => {
                terms.iter().try_fold(i128::from(*offset), |sum, (coefficient, term)| {
                    let value = match term {
                        Term::Loop(id) => value(*id)?,
                        Term::Symbol(id) => supplied(*id)?,
                    };
                    Some(sum + i128::from(*coefficient) * i128::from(value))
                })
            }
            Index::Concat(parts) => {
                let running = |(id, begin): &(LoopId, u64)| {
                    Some(i128::from(*begin) + i128::from(value(*id)?))
                };
                parts.iter().find_map(running)
            }
            Index::Digit(Digit { of, divisor, modulus }) => {
                let quotient = value(*of)? / divisor.max(&1);
                Some(modulus.map_or(quotient, |modulus| quotient % modulus.max(1)).into())
            }
        }
    }

    /// The loops that it mentions.
    pub fn loops(&self) -> impl Iterator<Item = LoopId> + '_ {
        let one = match self {
            Index::Iter(id) | Index::Digit(Digit { of: id, .. }) => Some(*id),
            Index::Fix(_) | Index::Symbol(_) | Index::Affine(_) | Index::Concat(_) => None,
        };
        let terms = if let Index::Affine(affine) = self { &affine.terms[..] } else { &[] };
        let parts = if let Index::Concat(parts) = self { &parts[..] } else { &[] };
        let of_term = |(_, term): &(i64, Term)| match term {
            Term::Loop(id) => Some(*id),
            Term::Symbol(_) => None,
        };
        one.into_iter()
            .chain(terms.iter().filter_map(of_term))
            .chain(parts.iter().map(|part| part.0))
    }

    /// Whether it mentions a loop.
    pub fn mentions(&self, id: LoopId) -> bool {
        self.loops().any(|mentioned| mentioned == id)
    }

    /// It as text, with names for loops and supplied indices.
    pub fn display<'a>(
        &'a self,
        names: &'a dyn Fn(Term) -> alloc::string::String,
    ) -> impl Display + 'a {
        Named { index: self, names }
    }
}

impl TryFrom<Affine> for Index {
    type Error = Conflict;

    /// The plainest index that says the same.
    fn try_from(mut affine: Affine) -> Result<Index, Conflict> {
        affine.terms.sort_unstable_by_key(|(_, term)| *term);
        let mut terms: SmallVec<[(i64, Term); 2]> = SmallVec::new();
        for (coefficient, term) in affine.terms {
            match terms.last_mut() {
                Some((sum, last)) if *last == term => {
                    *sum = sum.checked_add(coefficient).ok_or(Conflict::Overflow)?;
                }
                Some(_) | None => terms.push((coefficient, term)),
            }
        }
        terms.retain(|(coefficient, _)| *coefficient != 0);
        Ok(match (&terms[..], affine.offset) {
            ([(1, Term::Loop(id))], 0) => Index::Iter(*id),
            ([(1, Term::Symbol(id))], 0) => Index::Symbol(*id),
            ([], 0..) => Index::Fix(affine.offset.unsigned_abs()),
            (_, offset) => Index::Affine(Affine { terms, offset }),
        })
    }
}

struct Named<'a> {
    index: &'a Index,
    names: &'a dyn Fn(Term) -> alloc::string::String,
}

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |id: &LoopId| (self.names)(Term::Loop(*id));
        match self.index {
            Index::Iter(id) => f.write_str(&name(id)),
            Index::Fix(position) => position.fmt(f),
            Index::Symbol(id) => f.write_str(&(self.names)(Term::Symbol(*id))),
            Index::Affine(Affine { terms, offset }) => {
                for (place, (coefficient, term)) in terms.iter().enumerate() {
                    if place > 0 {
                        f.write_char('+')?;
                    }
                    if *coefficient != 1 {
                        write!(f, "{coefficient}*")?;
                    }
                    f.write_str(&(self.names)(*term))?;
                }
                match offset {
                    0 => Ok(()),
                    1.. if !terms.is_empty() => write!(f, "+{offset}"),
                    _ => offset.fmt(f),
                }
            }
            Index::Concat(parts) => {
                for (place, (id, begin)) in parts.iter().enumerate() {
                    f.write_str(if place > 0 { " | " } else { "" })?;
                    f.write_str(&name(id))?;
                    if *begin > 0 {
                        write!(f, "+{begin}")?;
                    }
                }
                Ok(())
            }
            Index::Digit(Digit { of, divisor, modulus }) => {
                f.write_str(&name(of))?;
                if *divisor != 1 {
                    write!(f, "/{divisor}")?;
                }
                modulus.map_or(Ok(()), |modulus| write!(f, "%{modulus}"))
            }
        }
    }
}

/// `(i0:2, i1:3) -> [i0]; [i0, i1]`: the product space, the map of the result, those of the operands.
impl Display for Record {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = |term: Term| match term {
            Term::Loop(id) => alloc::format!("i{}", id.0),
            Term::Symbol(id) => alloc::format!("s{}", id.0),
        };
        let extent = |id: u32| match self.extent(LoopId(id)).kind() {
            SizeKind::Int(n) => n.to_string(),
            SizeKind::Symbol(symbol) => alloc::format!("n{}", symbol.index()),
            SizeKind::Computed(number) => alloc::format!("c{number}"),
        };
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
