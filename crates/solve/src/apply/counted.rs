//! Steps of relations over rows: numbers of elements, and exact axes.
//!
//! Any row and any axis can matter to them, so they are asked again whenever something was bound.

use alloc::vec::Vec;

use smallvec::SmallVec;

use lozenge_calculus::{
    size::{Side, Sides, divides, divisors, elements},
    term::RowVar,
};

use crate::{
    apply::sizes::{Relation, taken},
    budget::Exhausted,
    config::Config,
    rules::step::Taken,
    tables::{
        cause::Cause,
        ids::{GivenId, Id, RelationId, RowNode, RowSlot},
        list::Tables,
        node::{DimRef, GivenKind, Pending, RowGiven, RowRef, RowState, Segment, Sign},
        rule::{Class, Rule},
        sizes::{Kind, SizePart, SizeRel, Span},
        trace::Entry,
    },
    why::conflict::Stop,
};

/// The most elements that rows may have together for their own numbers to be tried one by one.
const MOST_ELEMENTS: u64 = 1 << 16;

/// A relation over numbers of elements, as it stands.
struct Read {
    /// Its axes, those of its rows among them.
    parts: SmallVec<[SizePart; 8]>,
    /// The open rows whose number of elements nothing says.
    open: SmallVec<[OpenRow; 3]>,
    /// The numbers of elements of the others that are not closed; `None` where they exceed what can
    /// be counted.
    counted: Option<Sides>,
    /// The causes of these numbers.
    because: SmallVec<[Cause; 4]>,
}

/// A row that is not closed, and the side of the equation that it is on.
struct OpenRow {
    node: RowNode,
    slot: RowSlot,
    side: Side,
}

/// A row, as far as it is known.
struct Row {
    /// The number of elements of its known axes.
    known: u64,
    parts: SmallVec<[SizePart; 8]>,
    open: Option<RowNode>,
    /// The cause of the number of elements of its open part, if that number is known.
    because: Option<Cause>,
}

impl Relation<'_> {
    /// A number of elements is a product once all rows are closed or counted. Before, what is known
    /// must divide it.
    pub(super) fn total(&mut self) -> Result<Taken, Stop> {
        let Kind::Total { left, right, .. } = self.rel.kind else {
            return Ok(taken(Rule::SizeKeep));
        };
        let Read { parts, open, counted, because } =
            self.config.tables.read_rows(self.id, self.rel);
        let sides = counted
            .and_then(|counted| counted.times(Side::Left, left)?.times(Side::Right, right))
            .and_then(|sides| Some((sides.left.try_into().ok()?, sides.right.try_into().ok()?)));
        if let (true, Some((left, right))) = (open.is_empty(), sides) {
            self.config.tables.finish(self.id);
            let cause = self.config.tables.joined(self.rel.cause, because);
            let kind = Kind::Product { left, right, of_elements: true };
            let product = self.config.tables.add_relation(kind, &parts, Span::empty(), cause);
            self.config.tables.enqueue_size(product);
            return Ok(taken(Rule::SizeKeep));
        }
        if let [OpenRow { node, .. }] = open[..] {
            if parts.is_empty()
                && self.config.tables.relations.counts.iter().any(|count| count == self.id)
            {
                return self.config.counted(node, right, self.rel.cause);
            }
        }
        let known = self.config.tables.known_factors(self.rel.kind, &parts, &open, counted);
        let Some((sides, is_open)) = known else { return Err(Exhausted::Sizes.into()) };
        if sides.fit(is_open) {
            return Ok(taken(Rule::SizeKeep));
        }
        let cause = self.config.tables.joined_sizes(self.rel.cause, &parts);
        let cause = self.config.tables.joined(cause, because);
        Err(self.config.fails(Rule::SizeClash, None, cause, [DimRef::UNIT; 2]))
    }

    fn countable_in(&mut self) -> Option<(RowVar, Vec<u64>, Vec<GivenId>)> {
        if self.rel.done || self.rel.rows.len == 1 && self.rel.parts.len == 0 {
            return None;
        }
        let Read { parts, open, counted, because } =
            self.config.tables.read_rows(self.id, self.rel);
        // Of a row with axes that are known the number is not that of what is between them.
        let row =
            open.iter().find(|row| self.config.tables.rows.slots.get(row.slot).node == row.node);
        let var = self.config.tables.rows.slots.get(row?.slot).var;
        let (sides, is_open) =
            self.config.tables.known_factors(self.rel.kind, &parts, &open, counted)?;
        let all = sides.rest(is_open).filter(|all| (1..=MOST_ELEMENTS).contains(all))?;
        let divisors = divisors(all).collect();
        let cause = self.config.tables.joined_sizes(self.rel.cause, &parts);
        let cause = self.config.tables.joined(cause, because);
        let reasons =
            self.config.reasoner().reasons(cause, [DimRef::UNIT; 2]).givens.into_iter().collect();
        Some((var, divisors, reasons))
    }

    /// Exact axes say what the one row is that is not closed; if all are, what the axes are.
    pub(super) fn exact(&mut self) -> Result<Taken, Stop> {
        let axes: SmallVec<[DimRef; 8]> =
            self.config.tables.relations.parts(self.rel.parts).map(|part| part.dim).collect();
        let (mut before, mut after): (SmallVec<[DimRef; 8]>, SmallVec<[DimRef; 8]>) =
            (SmallVec::new(), SmallVec::new());
        let mut open: Option<RowNode> = None;
        let mut several = false;
        for at in self.rel.rows.range() {
            let view = self.config.tables.rows.view(self.config.tables.relations.rows.get(at));
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
            return Err(self.size_fails(&[]));
        }
        if several {
            return Ok(taken(Rule::SizeKeep));
        }
        self.config.tables.finish(self.id);
        let middle = &axes[before.len()..axes.len() - after.len()];
        if let Some(node) = open {
            let Ok(trail) = u16::try_from(middle.len()) else {
                return Err(Stop::from(Exhausted::Rank));
            };
            let at = self.config.tables.rows.axes.end();
            for axis in middle.iter().rev() {
                self.config.tables.rows.axes.push(*axis);
            }
            let class = if middle.is_empty() { Class::Semantic } else { Class::Policy };
            let entry = Entry::row(Rule::SizeSolve, class, self.rel.cause);
            self.config.bind_row(node, Segment { at, lead: 0, trail }, None, entry);
        }
        let outer = axes[..before.len()].iter().zip(&before);
        let inner = axes[axes.len() - after.len()..].iter().zip(&after);
        for (axis, found) in outer.chain(inner) {
            self.config.tables.enqueue_dim(Sign::Eq, [*axis, *found], self.rel.cause);
        }
        Ok(taken(Rule::SizeSolve))
    }
}

impl Config {
    /// Takes it that an open row has `count` elements. Every axis of a row that is broadcast to it
    /// is one of its own, or has one element, so the number of elements of that row divides
    /// `count`.
    fn counted(&mut self, row: RowNode, count: u64, cause: Cause) -> Result<Taken, Stop> {
        let mut seen: SmallVec<[RowNode; 8]> = SmallVec::from_slice(&[row]);
        let mut todo: SmallVec<[(RowNode, Vec<GivenId>); 8]> = SmallVec::new();
        todo.push((row, Vec::new()));
        while let Some((result, chain)) = todo.pop() {
            let RowState::Open { as_left, .. } = self.tables.rows.states.get(result) else {
                continue;
            };
            let mut next = as_left;
            while let Some(given) = next.get() {
                next = self.tables.givens.progress.at(given).next_left.next();
                let GivenKind::Row(RowGiven { relation: Sign::Ineq, left, right, .. }) =
                    self.tables.givens.all.at(given).kind
                else {
                    continue;
                };
                if self.tables.rows.bare(left) != Some(result) {
                    continue;
                }
                let mut chain = chain.clone();
                chain.push(given);
                let operand = self.tables.read_row(right);
                if operand.known != 0 && !divides(operand.known, count) {
                    return Err(self.indivisible(cause, &chain, &operand));
                }
                if let Some(operand) = operand.open.filter(|operand| !seen.contains(operand)) {
                    seen.push(operand);
                    todo.push((operand, chain));
                }
            }
        }
        Ok(taken(Rule::SizeKeep))
    }

    /// The conflict of a row that has no multiple of the elements of what is broadcast to it, by a
    /// chain of given constraints. Where the markers of these rows stand does not matter for it.
    fn indivisible(&mut self, count: Cause, chain: &[GivenId], operand: &Row) -> Stop {
        let terms = [DimRef::UNIT; 2];
        let cause = self.tables.joined_sizes(count, &operand.parts);
        let others = chain.iter().map(|given| Cause::given(*given)).chain(operand.because);
        let cause = self.tables.joined(cause, others);
        self.fails_but_for(Rule::SizeClash, None, cause, terms, chain)
    }

    /// The numbers of elements that a row of an open relation can have, where these are few: one
    /// side of the relation is known, and they divide it. With the row, and the given constraints
    /// that this follows from.
    pub(crate) fn countable(&mut self) -> Option<(RowVar, Vec<u64>, Vec<GivenId>)> {
        self.tables
            .relations
            .over_rows
            .ids()
            .find_map(|at| self.relation_of(self.tables.relations.over_rows.get(at)).countable_in())
    }
}

impl Tables {
    /// What is known of how many elements a row has.
    fn read_row(&self, row: RowRef) -> Row {
        let view = self.rows.view(row);
        let axes = view.lead.iter().chain(view.trail.iter().rev());
        let part = |dim: &DimRef| SizePart { dim: *dim, coefficient: 1, discardable: false };
        let parts: SmallVec<[SizePart; 8]> = axes.map(part).collect();
        let sizes = parts.iter().filter_map(|part| self.dims.count_of(part.dim));
        let counted = view.var.and_then(|node| self.elements_of(node, None));
        let known = sizes.chain(counted.map(|(count, _)| count)).map(Some);
        let known = elements(known).unwrap_or(u64::MAX);
        Row { known, parts, open: view.var, because: counted.map(|(_, cause)| cause) }
    }

    /// A relation over numbers of elements, as it stands. Of rows that are not closed another
    /// relation may say how many elements they have.
    fn read_rows(&self, relation: RelationId, rel: SizeRel) -> Read {
        let over = if let Kind::Total { over, .. } = rel.kind { over } else { 0 };
        let mut read = Read {
            parts: self.relations.parts(rel.parts).collect(),
            open: SmallVec::new(),
            counted: Some(Sides::new(1, 1)),
            because: SmallVec::new(),
        };
        let first_over = rel.rows.at.plus(rel.rows.len - over);
        for at in rel.rows.range() {
            let row = self.relations.rows.get(at);
            let view = self.rows.view(row);
            let is_over = at >= first_over;
            let coefficient = if is_over { -1 } else { 1 };
            let axes = view.lead.iter().chain(view.trail.iter().rev());
            let part = |dim: &DimRef| SizePart { dim: *dim, coefficient, discardable: false };
            read.parts.extend(axes.map(part));
            let (Some(node), Some(slot)) = (view.var, row.slot.get()) else { continue };
            let side = Side::of_power(coefficient);
            let Some((count, cause)) = self.elements_of(node, Some(relation)) else {
                read.open.push(OpenRow { node, slot, side });
                continue;
            };
            read.because.push(cause);
            read.counted = read.counted.and_then(|counted| counted.times(side, count));
        }
        read
    }

    /// Both sides of a relation over numbers of elements, as far as they are known, and whether
    /// either is open still; `None` when that is more than can be counted.
    fn known_factors(
        &self,
        kind: Kind,
        parts: &[SizePart],
        open: &[OpenRow],
        counted: Option<Sides>,
    ) -> Option<(Sides, [bool; 2])> {
        let Kind::Total { left, right, .. } = kind else { return None };
        let mut sides = counted?.times(Side::Left, left)?.times(Side::Right, right)?;
        let mut is_open = [false; 2];
        for row in open {
            is_open[row.side as usize] = true;
        }
        for part in parts {
            let side = Side::of_power(part.coefficient);
            match self.dims.count_of(part.dim) {
                Some(n) => sides = sides.times(side, n)?,
                None => is_open[side as usize] = true,
            }
        }
        Some((sides, is_open))
    }

    /// How many elements an open row has that a relation over it alone gives a number, and why.
    fn elements_of(&self, row: RowNode, except: Option<RelationId>) -> Option<(u64, Cause)> {
        self.relations.counts.iter().find_map(|relation| {
            let rel = self.relations.all.get(relation);
            let Kind::Total { right, .. } = rel.kind else { return None };
            let is_bare = || self.rows.bare(self.relations.rows.get(rel.rows.at)) == Some(row);
            (Some(relation) != except && !rel.done && is_bare()).then_some((right, rel.cause))
        })
    }

    /// Asks the relations over rows that are open, if something was bound since they were last
    /// asked: any of their rows and axes can matter to them. Gives the first of them.
    #[inline]
    pub(super) fn next_counted(&mut self) -> Option<Pending> {
        if self.relations.over_rows.is_empty() {
            return None;
        }
        // What is broadcast to a row whose elements are counted matters too.
        let asked = if self.relations.counts.is_empty() { 0 } else { self.counts.asked.index() };
        let now = self.trace.entries.len() + self.dims.facts.len() + asked;
        if self.counts.counted == now {
            return None;
        }
        self.counts.counted = now;
        for at in self.relations.over_rows.ids() {
            self.enqueue_size(self.relations.over_rows.get(at));
        }
        self.queue.pop().or_else(|| self.queue.pop_last())
    }
}

impl Tables {
    /// All of these causes.
    pub(super) fn joined(
        &mut self,
        cause: Cause,
        others: impl IntoIterator<Item = Cause>,
    ) -> Cause {
        let others = others.into_iter();
        others.fold(cause, |all, other| self.trace.joint(all, other, [DimRef::UNIT; 2]))
    }
}
