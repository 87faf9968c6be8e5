//! Steps of relations over rows: numbers of elements, and exact axes.
//!
//! Any row and any axis can matter to them, so they are asked again whenever something was bound.

use smallvec::SmallVec;

use crate::constraint::count;

use crate::solve::{
    Class, Exhausted, Rule, Solver,
    conflict::Stop,
    node::{DimRef, Pending, RowNode, Segment, Sign},
    sizes::{Kind, SizePart, SizeRel, Span},
    trace::Entry,
};

use super::{Taken, sizes::taken};

impl Solver {
    /// A number of elements is a product once all rows are closed. Before, what is known must divide it.
    pub(super) fn total(&mut self, relation: u32, rel: SizeRel) -> Result<Taken, Stop> {
        let Kind::Total { left, right, over } = rel.kind else { return Ok(taken(Rule::SizeKeep)) };
        let mut parts: SmallVec<[SizePart; 8]> = self.parts(rel.parts).collect();
        let mut open = [None; 2];
        for at in rel.rows.range() {
            let view = self.view(self.relation_rows.get(at));
            let is_over = at + over >= rel.rows.range().end;
            let side = &mut open[usize::from(is_over)];
            *side = side.or(view.var);
            let coefficient = if is_over { -1 } else { 1 };
            let axes = view.lead.iter().chain(view.trail.iter().rev());
            parts.extend(axes.map(|dim| SizePart { dim: *dim, coefficient, discardable: false }));
        }
        if open != [None; 2] {
            if self.divides(&parts, left, right, open.map(|row| row.is_some()))? {
                return Ok(taken(Rule::SizeKeep));
            }
            let cause = self.joined_sizes(rel.cause, &parts);
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
        left: u64,
        right: u64,
        mut is_open: [bool; 2],
    ) -> Result<bool, Stop> {
        let mut sides = [u128::from(left), u128::from(right)];
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
            ([_, false], [left, right]) => right % left == 0,
            ([false, true], [left, right]) => left % right == 0,
        })
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
