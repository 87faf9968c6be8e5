//! Steps of relations over rows: numbers of elements, and exact axes.
//!
//! Any row and any axis can matter to them, so they are asked again whenever something was bound.

use alloc::vec::Vec;

use smallvec::SmallVec;

use crate::{constraint::count, term::RowVar};

use crate::solve::{
    Class, Exhausted, Rule, Solver,
    conflict::Stop,
    node::{DimRef, Pending, RowNode, Segment, Sign},
    sizes::{Kind, SizePart, SizeRel, Span},
    trace::{Cause, Entry},
};

use super::{Taken, sizes::taken};

/// How many elements rows may have together whose own numbers are tried one by one.
const MOST_ELEMENTS: u64 = 1 << 16;

impl Solver {
    /// A number of elements is a product once all rows are closed. Before, what is known must divide it.
    pub(super) fn total(&mut self, relation: u32, rel: SizeRel) -> Result<Taken, Stop> {
        let Kind::Total { left, right, over } = rel.kind else { return Ok(taken(Rule::SizeKeep)) };
        let mut parts: SmallVec<[SizePart; 8]> = self.parts(rel.parts).collect();
        let mut open = [None; 2];
        // Rows that are not closed and whose number of elements another relation says.
        let mut counts = [1_u128; 2];
        let mut counted: SmallVec<[Cause; 4]> = SmallVec::new();
        for at in rel.rows.range() {
            let view = self.view(self.relation_rows.get(at));
            let is_over = at + over >= rel.rows.range().end;
            let count = view.var.and_then(|row| self.elements_between(row, relation));
            if let Some((count, cause)) = count {
                let product = &mut counts[usize::from(is_over)];
                *product = product.checked_mul(count.into()).ok_or(Exhausted::Sizes)?;
                counted.push(cause);
            } else {
                let side = &mut open[usize::from(is_over)];
                *side = side.or(view.var);
            }
            let coefficient = if is_over { -1 } else { 1 };
            let axes = view.lead.iter().chain(view.trail.iter().rev());
            parts.extend(axes.map(|dim| SizePart { dim: *dim, coefficient, discardable: false }));
        }
        if open != [None; 2] || !counted.is_empty() {
            let sides = [(left, counts[0]), (right, counts[1])]
                .map(|(number, count)| u128::from(number).checked_mul(count));
            let [Some(left), Some(right)] = sides else { return Err(Exhausted::Sizes.into()) };
            if self.divides(&parts, [left, right], open.map(|row| row.is_some()))? {
                return Ok(taken(Rule::SizeKeep));
            }
            let mut cause = self.joined_sizes(rel.cause, &parts);
            for other in counted {
                cause = self.joint(cause, other, [DimRef::UNIT; 2]);
            }
            return Err(self.fails(Rule::SizeClash, None, cause, [DimRef::UNIT; 2]));
        }
        self.finish(relation);
        let kind = Kind::Product { left, right, of_elements: true };
        let product = self.add_relation(kind, &parts, Span::EMPTY, rel.cause);
        self.ask_size(product);
        Ok(taken(Rule::SizeKeep))
    }

    /// Whether more factors on the sides that are open can make both sides the same.
    fn divides(
        &self,
        parts: &[SizePart],
        mut sides: [u128; 2],
        mut is_open: [bool; 2],
    ) -> Result<bool, Stop> {
        for part in parts {
            let end = self.resolve(part.dim);
            let exact = self.exact_of(part.dim).map(|known| known.size);
            let side = usize::from(part.coefficient < 0);
            match self.met(end).and_then(count).or(exact) {
                Some(n) => {
                    sides[side] = sides[side].checked_mul(n.into()).ok_or(Exhausted::Sizes)?;
                }
                None => is_open[side] = true,
            }
        }
        Ok(match (is_open, sides) {
            ([true, true], _) | (_, [0, _] | [_, 0]) => true,
            ([false, false], [left, right]) => left == right,
            ([true, false], [left, right]) => right % left == 0,
            ([false, true], [left, right]) => left % right == 0,
        })
    }

    /// How many elements an open row has that a relation over it alone gives a number, and why.
    fn elements_between(&self, row: RowNode, except: u32) -> Option<(u64, Cause)> {
        (0..self.row_relations.len()).find_map(|at| {
            let relation = self.row_relations.get(at);
            let rel = self.relations.get(relation);
            let Kind::Total { left: 1, right, over: 0 } = rel.kind else { return None };
            if relation == except || rel.done || rel.rows.len != 1 || rel.parts.len > 0 {
                return None;
            }
            let only = self.relation_rows.get(rel.rows.at);
            let is_bare = self.bare(only) == Some(row);
            is_bare.then_some((right, rel.cause))
        })
    }

    /// The numbers of elements that a row of a relation that waits can have, where these are few: one side of it
    /// is known, so they divide that. With the row, and the given constraints because of which that is so.
    pub(crate) fn countable(&mut self) -> Option<(RowVar, Vec<u64>, Vec<u32>)> {
        (0..self.row_relations.len()).find_map(|at| self.countable_in(self.row_relations.get(at)))
    }

    fn countable_in(&mut self, relation: u32) -> Option<(RowVar, Vec<u64>, Vec<u32>)> {
        let rel = self.relations.get(relation);
        let Kind::Total { left, right, over } = rel.kind else { return None };
        if rel.done {
            return None;
        }
        let mut sides = [u128::from(left), u128::from(right)];
        let mut is_open = [false; 2];
        let mut row = None;
        let mut parts: Vec<SizePart> = self.parts(rel.parts).collect();
        for at in rel.rows.range() {
            let found = self.relation_rows.get(at);
            let view = self.view(found);
            let is_over = at + over >= rel.rows.range().end;
            let coefficient = if is_over { -1 } else { 1 };
            let axes = view.lead.iter().chain(view.trail.iter().rev());
            parts.extend(axes.map(|dim| SizePart { dim: *dim, coefficient, discardable: false }));
            if let Some(node) = view.var {
                is_open[usize::from(is_over)] = true;
                let slot = self.slots.get(found.slot);
                // Of one with axes around it the number of all elements is not what is between them.
                if slot.node == node && self.elements_between(node, relation).is_none() {
                    row = row.or(Some(slot.var));
                }
            }
        }
        if rel.rows.len == 1 && rel.parts.len == 0 {
            return None;
        }
        for part in &parts {
            let end = self.resolve(part.dim);
            let exact = self.exact_of(part.dim).map(|known| known.size);
            let side = usize::from(part.coefficient < 0);
            match self.met(end).and_then(count).or(exact) {
                Some(n) => sides[side] = sides[side].checked_mul(n.into())?,
                None => is_open[side] = true,
            }
        }
        let [left, right] = sides;
        let of = match is_open {
            [true, false] => right.checked_div(left)?,
            [false, true] => left.checked_div(right)?,
            [true, true] | [false, false] => return None,
        };
        let of = u64::try_from(of).ok().filter(|of| (1..=MOST_ELEMENTS).contains(of))?;
        let divisors = (1..=of).filter(|n| of % n == 0).collect();
        let cause = self.joined_sizes(rel.cause, &parts);
        let reasons = self.reasons(cause, [DimRef::UNIT; 2]).givens.into_iter().collect();
        Some((row?, divisors, reasons))
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
