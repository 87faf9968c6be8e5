//! Steps of relations over rows: numbers of elements, and exact axes.
//!
//! Any row and any axis can matter to them, so they are asked again whenever something was bound.

use alloc::vec::Vec;

use smallvec::SmallVec;

use crate::{constraint::count, term::RowVar};

use crate::solve::{
    Class, Exhausted, Rule, Solver,
    conflict::Stop,
    node::{DimRef, Pending, RowNode, RowRef, Segment, Sign},
    sizes::{Kind, SizePart, SizeRel, Span},
    trace::{Cause, Entry},
};

use super::{Taken, sizes::taken};

/// How many elements rows may have together whose own numbers are tried one by one.
const MOST_ELEMENTS: u64 = 1 << 16;

/// A relation over numbers of elements, as it stands.
struct Read {
    parts: SmallVec<[SizePart; 8]>,
    open: SmallVec<[OpenRow; 3]>,
}

/// A row that is not closed, and the side of the equation that it is on.
struct OpenRow {
    node: RowNode,
    slot: u32,
    side: usize,
}

impl Solver {
    /// A number of elements is a product once all rows are closed. Before, what is known must divide it.
    pub(super) fn total(&mut self, relation: u32, rel: SizeRel) -> Result<Taken, Stop> {
        let Kind::Total { left, right, .. } = rel.kind else { return Ok(taken(Rule::SizeKeep)) };
        let Read { parts, mut open } = self.read_rows(rel);
        if open.is_empty() {
            self.finish(relation);
            let kind = Kind::Product { left, right, of_elements: true };
            let product = self.add_relation(kind, &parts, Span::EMPTY, rel.cause);
            self.ask_size(product);
            return Ok(taken(Rule::SizeKeep));
        }
        // Of rows that are not closed another relation may say how many elements they have.
        let mut sides = [u128::from(left), u128::from(right)];
        let mut counted: SmallVec<[Cause; 4]> = SmallVec::new();
        let mut exceeds = false;
        open.retain(|row| match self.elements_of(row.node, relation) {
            Some((count, cause)) => {
                let product = sides[row.side].checked_mul(count.into());
                exceeds |= product.is_none();
                sides[row.side] = product.unwrap_or(0);
                counted.push(cause);
                false
            }
            None => true,
        });
        let mut is_open = [false; 2];
        open.iter().for_each(|row| is_open[row.side] = true);
        let known = self.known_factors(&parts, sides, is_open).filter(|_| !exceeds);
        let Some((sides, is_open)) = known else { return Err(Exhausted::Sizes.into()) };
        let fits = match (is_open, sides) {
            ([true, true], _) | (_, [0, _] | [_, 0]) => true,
            ([false, false], [left, right]) => left == right,
            ([true, false], [left, right]) => right % left == 0,
            ([false, true], [left, right]) => left % right == 0,
        };
        if fits {
            return Ok(taken(Rule::SizeKeep));
        }
        let mut cause = self.joined_sizes(rel.cause, &parts);
        for other in counted {
            cause = self.joint(cause, other, [DimRef::UNIT; 2]);
        }
        Err(self.fails(Rule::SizeClash, None, cause, [DimRef::UNIT; 2]))
    }

    /// The axes of a relation over numbers of elements, those of its rows among them, and the rows that are not
    /// closed.
    fn read_rows(&self, rel: SizeRel) -> Read {
        let over = if let Kind::Total { over, .. } = rel.kind { over } else { 0 };
        let mut read = Read { parts: self.parts(rel.parts).collect(), open: SmallVec::new() };
        for at in rel.rows.range() {
            let RowRef { slot, .. } = self.relation_rows.get(at);
            let view = self.view(self.relation_rows.get(at));
            let is_over = at + over >= rel.rows.range().end;
            let coefficient = if is_over { -1 } else { 1 };
            let axes = view.lead.iter().chain(view.trail.iter().rev());
            let part = |dim: &DimRef| SizePart { dim: *dim, coefficient, discardable: false };
            read.parts.extend(axes.map(part));
            read.open.extend(view.var.map(|node| OpenRow { node, slot, side: is_over.into() }));
        }
        read
    }

    /// Both sides with the known sizes of their parts, and whether either is open still; `None` when that is
    /// more than can be counted.
    fn known_factors(
        &self,
        parts: &[SizePart],
        mut sides: [u128; 2],
        mut is_open: [bool; 2],
    ) -> Option<([u128; 2], [bool; 2])> {
        for part in parts {
            let end = self.resolve(part.dim);
            let exact = self.exact_of(part.dim).map(|known| known.size);
            let side = usize::from(part.coefficient < 0);
            match self.met(end).and_then(count).or(exact) {
                Some(n) => sides[side] = sides[side].checked_mul(n.into())?,
                None => is_open[side] = true,
            }
        }
        Some((sides, is_open))
    }

    /// How many elements an open row has that a relation over it alone gives a number, and why.
    fn elements_of(&self, row: RowNode, except: u32) -> Option<(u64, Cause)> {
        self.row_counts.iter().find_map(|relation| {
            let rel = self.relations.get(relation);
            let Kind::Total { right, .. } = rel.kind else { return None };
            let is_bare = || self.bare(self.relation_rows.get(rel.rows.at)) == Some(row);
            (relation != except && !rel.done && is_bare()).then_some((right, rel.cause))
        })
    }

    /// The numbers of elements that a row of a relation that waits can have, where these are few: one side of it
    /// is known, so they divide that. With the row, and the given constraints because of which that is so.
    pub(crate) fn countable(&mut self) -> Option<(RowVar, Vec<u64>, Vec<u32>)> {
        (0..self.row_relations.len()).find_map(|at| self.countable_in(self.row_relations.get(at)))
    }

    fn countable_in(&mut self, relation: u32) -> Option<(RowVar, Vec<u64>, Vec<u32>)> {
        let rel = self.relations.get(relation);
        let Kind::Total { left, right, .. } = rel.kind else { return None };
        if rel.done || rel.rows.len == 1 && rel.parts.len == 0 {
            return None;
        }
        let Read { parts, open } = self.read_rows(rel);
        let mut is_open = [false; 2];
        open.iter().for_each(|row| is_open[row.side] = true);
        // Of a row with axes that are known the number is not that of what is between them.
        let row = open.iter().find(|row| {
            let is_bare = self.slots.get(row.slot).node == row.node;
            is_bare && self.elements_of(row.node, relation).is_none()
        });
        let var = self.slots.get(row?.slot).var;
        let (sides, is_open) = self.known_factors(&parts, [left.into(), right.into()], is_open)?;
        let [left, right] = sides;
        let all = match is_open {
            [true, false] => right.checked_div(left)?,
            [false, true] => left.checked_div(right)?,
            [true, true] | [false, false] => return None,
        };
        let all = u64::try_from(all).ok().filter(|all| (1..=MOST_ELEMENTS).contains(all))?;
        let divisors = (1..=all).filter(|n| all % n == 0).collect();
        let cause = self.joined_sizes(rel.cause, &parts);
        let reasons = self.reasons(cause, [DimRef::UNIT; 2]).givens.into_iter().collect();
        Some((var, divisors, reasons))
    }

    /// Exact axes say what the one row is that is not closed; if all are, what the axes are.
    pub(super) fn exact(&mut self, relation: u32, rel: SizeRel) -> Result<Taken, Stop> {
        let axes: SmallVec<[DimRef; 8]> = self.parts(rel.parts).map(|part| part.dim).collect();
        let (mut before, mut after): (SmallVec<[DimRef; 8]>, SmallVec<[DimRef; 8]>) =
            (SmallVec::new(), SmallVec::new());
        let mut open: Option<RowNode> = None;
        let mut several = false;
        for at in rel.rows.range() {
            let view = self.view(self.relation_rows.get(at));
            let seen = open.is_some();
            let lead = view.lead.iter().copied();
            let trail = view.trail.iter().rev().copied();
            (if seen { &mut after } else { &mut before }).extend(lead);
            (if seen || view.var.is_some() { &mut after } else { &mut before }).extend(trail);
            several |= seen && view.var.is_some();
            open = open.or(view.var);
        }
        let known = before.len() + after.len();
        if known > axes.len() || open.is_none() && known < axes.len() {
            return Err(self.size_fails(rel, &[]));
        }
        if several {
            return Ok(taken(Rule::SizeKeep));
        }
        self.finish(relation);
        let middle = &axes[before.len()..axes.len() - after.len()];
        if let Some(node) = open {
            let Ok(trail) = u16::try_from(middle.len()) else {
                return Err(Stop::from(Exhausted::Rank));
            };
            let at = self.pool.len();
            for axis in middle.iter().rev() {
                self.pool.push(*axis);
            }
            let class = if middle.is_empty() { Class::Semantic } else { Class::Policy };
            let entry = Entry::row(Rule::SizeSolve, class, rel.cause);
            self.bind_row(node, Segment { at, lead: 0, trail }, None, entry);
        }
        let outer = axes[..before.len()].iter().zip(&before);
        let inner = axes[axes.len() - after.len()..].iter().zip(&after);
        for (axis, found) in outer.chain(inner) {
            self.ask_dim(Sign::Eq, [*axis, *found], rel.cause);
        }
        Ok(taken(Rule::SizeSolve))
    }

    /// Asks the relations over rows that are open, if something was bound since they were last asked: any of
    /// their rows and axes can matter to them. Gives the first of them.
    #[inline]
    pub(super) fn next_counted(&mut self) -> Option<Pending> {
        let now = self.trace.len() + self.leasts.len();
        if self.row_relations.len() == 0 || self.counts.counted == now {
            return None;
        }
        self.counts.counted = now;
        for at in 0..self.row_relations.len() {
            self.ask_size(self.row_relations.get(at));
        }
        self.queue.pop()
    }
}
