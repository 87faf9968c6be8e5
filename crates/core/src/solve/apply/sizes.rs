//! Steps of relations between sizes.

use smallvec::SmallVec;

use crate::{
    constraint::{count, merged_basis},
    dim::{Basis, Dim},
    size::{Factor, Overflow, Said, Size, Unknown, linear, product},
};

use crate::solve::{
    Class, Exhausted, Rule, Solver,
    conflict::Stop,
    node::{DimRef, NIL, Pending, RowNode, Segment, Sign},
    sizes::{Form, Kind, Least, MOST_RAISES, SizePart, SizeRel, Span},
    trace::{Cause, Entry},
};

use super::Taken;

/// An unknown of a relation: a variable, or a named size.
#[derive(Clone, Copy)]
struct Root {
    dim: DimRef,
    /// One of the parts that it is the root of.
    via: DimRef,
    /// The sum of the coefficients, or how often it is a factor.
    weight: i128,
    least: u64,
    /// Whether that least size comes from a bound of the variable.
    bounded: bool,
    whole: bool,
}

type Roots = SmallVec<[Root; 4]>;

/// What is known of a relation.
struct Reading {
    roots: Roots,
    /// The bases of the known parts, merged, and that of the whole, if those are known to claim one.
    parts: Option<Basis>,
    claims: bool,
    whole: Option<Basis>,
}

impl Solver {
    /// Asks a relation.
    pub(super) fn size(&mut self, relation: u32) -> Result<Taken, Stop> {
        self.relations.update(relation, |relation| relation.queued = false);
        let rel = self.relations.get(relation);
        if rel.done {
            return Ok(taken(Rule::SizeKeep));
        }
        match rel.kind {
            Kind::Linear { constant, form } => {
                self.linear(relation, rel, constant, form != Form::Difference)
            }
            Kind::Product { left, right, .. } => self.product(relation, rel, left, right),
            Kind::Total { left, right } => Ok(self.total(relation, rel, left, right)),
            Kind::Exact => self.exact(relation, rel),
            Kind::AtLeast { .. } => Ok(taken(Rule::SizeKeep)),
        }
    }

    /// Puts a relation into the queue, unless it is there or nothing is left of it.
    pub(in crate::solve) fn ask_size(&mut self, relation: u32) {
        let rel = self.relations.get(relation);
        if !rel.queued && !rel.done {
            self.relations.update(relation, |relation| relation.queued = true);
            self.queue.push(Pending::Size(relation));
        }
    }

    fn finish(&mut self, relation: u32) {
        self.relations.update(relation, |relation| relation.done = true);
    }

    /// The parts of a relation, the unknown ones merged, and the sum or product of the others.
    fn read<T>(
        &mut self,
        rel: SizeRel,
        mut known: T,
        mut add: impl FnMut(T, i64, u64) -> Option<T>,
    ) -> Result<(Reading, T), Stop> {
        let mut roots = Roots::new();
        let (mut bases, mut whole): (SmallVec<[Basis; 4]>, _) = (SmallVec::new(), None);
        for at in rel.parts.range() {
            let part = self.relation_parts.get(at);
            let is_whole = at == rel.parts.at;
            let dim = self.find(part.dim);
            let ground = self.met(dim);
            let counts = part.coefficient != 0 && ground.and_then(count) != Some(0);
            if let (Some(Dim::Atom { basis, .. }), true) = (ground, counts) {
                if is_whole {
                    whole = Some(basis);
                } else {
                    bases.push(basis);
                }
            }
            if let Some(n) = ground.and_then(count) {
                if n == 0 && !part.discardable {
                    return Err(self.size_fails(rel, &[]));
                }
                known = add(known, part.coefficient, n).ok_or(Exhausted::Sizes)?;
                continue;
            }
            let bound = dim.as_node().and_then(|node| self.least_of(node));
            let at_all = u64::from(!part.discardable);
            let least = bound.map_or(at_all, |bound| bound.size.max(at_all));
            let bounded = least > at_all;
            match roots.iter_mut().find(|root| root.dim == dim) {
                Some(root) => {
                    root.weight += i128::from(part.coefficient);
                    root.least = root.least.max(least);
                    root.bounded |= bounded;
                    root.whole |= is_whole;
                }
                None => roots.push(Root {
                    dim,
                    via: part.dim,
                    weight: part.coefficient.into(),
                    least,
                    bounded,
                    whole: is_whole,
                }),
            }
        }
        roots.retain(|root| root.weight != 0);
        let claims = !bases.is_empty();
        Ok((Reading { roots, parts: merged_basis(bases), claims, whole }, known))
    }

    fn linear(
        &mut self,
        relation: u32,
        rel: SizeRel,
        constant: i64,
        given: bool,
    ) -> Result<Taken, Stop> {
        let add = |sum: i128, coefficient: i64, n: u64| {
            sum.checked_add(i128::from(coefficient).checked_mul(n.into())?)
        };
        let (reading, known) = self.read(rel, i128::from(constant), add)?;
        // A whole has the basis of its parts: a named one wins, two different ones clash.
        let clash = reading.parts.is_none()
            || given
                && matches!((reading.whole, reading.parts),
                    (Some(whole), Some(parts)) if parts != Basis::DEFAULT && parts != whole);
        if clash {
            return Err(self.size_fails(rel, &[]));
        }
        if let Some((var, symbol)) = equal_to_symbol(&reading.roots, known) {
            let Some(Dim::Atom { size, basis }) = self.met(symbol) else {
                return Ok(taken(Rule::SizeKeep));
            };
            let basis = reading.whole.or(reading.parts).unwrap_or(basis);
            let cause = self.relation_cause(rel, &[]);
            self.bind_size(var, size, basis, cause);
            return Ok(taken(Rule::SizeSolve));
        }
        if reading.roots.iter().any(|root| root.dim.as_node().is_none()) {
            if given {
                self.cancel(relation, rel);
            }
            return Ok(taken(Rule::SizeKeep));
        }
        let unknowns: SmallVec<[Unknown; 4]> = reading
            .roots
            .iter()
            .map(|root| Unknown { coefficient: root.weight, least: root.least })
            .collect();
        let said = linear(&unknowns, known).map_err(|Overflow| Stop::from(Exhausted::Sizes))?;
        if said == Said::Holds && given && reading.claims {
            if let (Some(whole), Some(parts)) = (reading.whole, reading.parts) {
                if whole != parts {
                    return Err(self.size_fails(rel, &[]));
                }
            }
        }
        let open = matches!(said, Said::Open(_));
        let taken = self.conclude(relation, rel, &reading, said)?;
        if open && given {
            self.cancel(relation, rel);
        }
        Ok(taken)
    }

    fn product(
        &mut self,
        relation: u32,
        rel: SizeRel,
        left: u64,
        right: u64,
    ) -> Result<Taken, Stop> {
        let times = |(left, right): (u128, u128), coefficient: i64, n: u64| {
            Some(if coefficient > 0 {
                (left.checked_mul(n.into())?, right)
            } else {
                (left, right.checked_mul(n.into())?)
            })
        };
        let (reading, known) = self.read(rel, (left.into(), right.into()), times)?;
        if reading.roots.iter().any(|root| root.dim.as_node().is_none()) {
            return Ok(taken(Rule::SizeKeep));
        }
        let factor = |root: &Root| {
            let power = i32::try_from(root.weight).map_err(|_| Exhausted::Sizes)?;
            Ok(Factor { power, least: root.least })
        };
        let factors: SmallVec<[Factor; 4]> =
            reading.roots.iter().map(factor).collect::<Result<_, Exhausted>>()?;
        let said = product(&factors, known.0, known.1);
        let said = said.map_err(|Overflow| Stop::from(Exhausted::Sizes))?;
        let reading = Reading { whole: None, parts: Some(Basis::DEFAULT), ..reading };
        self.conclude(relation, rel, &reading, said)
    }

    /// Does what an equation says.
    fn conclude(
        &mut self,
        relation: u32,
        rel: SizeRel,
        reading: &Reading,
        said: Said,
    ) -> Result<Taken, Stop> {
        match said {
            Said::Holds => {
                self.finish(relation);
                Ok(taken(Rule::SizeKeep))
            }
            Said::Fails => Err(self.size_fails(rel, &reading.roots)),
            Said::Forced(values) => {
                let cause = self.relation_cause(rel, &reading.roots);
                let one = values.iter().any(|(_, n)| *n == 1);
                for (place, n) in values {
                    let root = reading.roots[place];
                    let Ok(size) = (if n == 0 { Ok(Size::ZERO) } else { Size::int(n) }) else {
                        return Err(Stop::from(Exhausted::Sizes));
                    };
                    let named = if root.whole { reading.parts } else { reading.whole };
                    let named = if n == 0 { None } else { named.or(reading.parts) };
                    let basis = named.unwrap_or(Basis::DEFAULT);
                    self.bind_size(root, size, basis, cause);
                }
                // Asked once more, so that the bases are compared when all are known.
                self.ask_size(relation);
                let class = if one { Class::Policy } else { Class::Semantic };
                Ok(Taken { rule: Rule::SizeSolve, class })
            }
            Said::Open(bounds) if bounds.is_empty() => Ok(taken(Rule::SizeKeep)),
            Said::Open(bounds) => {
                let cause = self.relation_cause(rel, &reading.roots);
                for (place, least) in bounds {
                    let root = reading.roots[place];
                    if let Some(node) = root.dim.as_node() {
                        self.raise_least(node, least, cause, root.via, false);
                    }
                }
                Ok(taken(Rule::SizeBound))
            }
        }
    }

    /// Binds a variable to the size it was found to have. One element could be an atom or the unit; it
    /// is the atom, because somebody's arithmetic says that it is one, so that is a choice.
    fn bind_size(&mut self, root: Root, size: Size, basis: Basis, cause: Cause) {
        let Some(node) = self.find(root.dim).as_node() else { return };
        let atom = self.dims_met.intern(Dim::atom(size, basis));
        let one = Size::int(1) == Ok(size);
        let class = if one { Class::Policy } else { Class::Semantic };
        let entry = Entry { class, ..Entry::dim(Rule::SizeSolve, cause, [root.via, DimRef::UNIT]) };
        self.bind_dim(node, atom, entry);
    }

    /// Subtracts a relation from another one with the same whole, so that common parts cancel.
    fn cancel(&mut self, relation: u32, rel: SizeRel) {
        if rel.partner != NIL {
            return;
        }
        let whole = self.relation_parts.get(rel.parts.at);
        let Some(node) = self.find(whole.dim).as_node() else { return };
        let Some(bounds) = self.bounds_of(node) else { return };
        let mut at = bounds.watches;
        while at != NIL {
            let watch = self.watches.get(at);
            at = watch.next;
            let other = self.relations.get(watch.relation);
            let Kind::Linear { constant: second, form } = other.kind else { continue };
            let Kind::Linear { constant: first, .. } = rel.kind else { return };
            let other_whole = self.relation_parts.get(other.parts.at);
            let same_whole = self.resolve(other_whole.dim) == DimRef::node(node);
            let Some(constant) = first.checked_sub(second) else { continue };
            let given = form != Form::Difference;
            if watch.relation >= relation || other.done || !given || !same_whole {
                continue;
            }
            self.relations.update(relation, |rel| rel.partner = watch.relation);
            let mut parts: SmallVec<[SizePart; 8]> = self.parts(rel.parts).skip(1).collect();
            let negated = |part: SizePart| SizePart { coefficient: -part.coefficient, ..part };
            parts.extend(self.parts(other.parts).skip(1).map(negated));
            let cause = self.joint(rel.cause, other.cause, [whole.dim, other_whole.dim]);
            let kind = Kind::Linear { constant, form: Form::Difference };
            let difference = self.add_relation(kind, &parts, Span::EMPTY, cause);
            self.ask_size(difference);
            return;
        }
    }

    /// A number of elements is a product once all rows are closed.
    fn total(&mut self, relation: u32, rel: SizeRel, left: u64, right: u64) -> Taken {
        let mut parts: SmallVec<[SizePart; 8]> = self.parts(rel.parts).collect();
        for at in rel.rows.range() {
            let view = self.view(self.relation_rows.get(at));
            if let Some(node) = view.var {
                self.watch_rows(rel, node, None);
                return taken(Rule::SizeKeep);
            }
            let axes = view.lead.iter().chain(view.trail.iter().rev());
            parts.extend(axes.map(|dim| SizePart {
                dim: *dim,
                coefficient: 1,
                discardable: false,
            }));
        }
        self.finish(relation);
        let kind = Kind::Product { left, right, of_elements: true };
        let product = self.add_relation(kind, &parts, Span::EMPTY, rel.cause);
        self.ask_size(product);
        taken(Rule::SizeKeep)
    }

    /// Exact axes say what the one row is that is not closed; if all are, what the axes are.
    fn exact(&mut self, relation: u32, rel: SizeRel) -> Result<Taken, Stop> {
        let axes: SmallVec<[DimRef; 8]> = self.parts(rel.parts).map(|part| part.dim).collect();
        let (mut before, mut after): (SmallVec<[DimRef; 8]>, SmallVec<[DimRef; 8]>) =
            (SmallVec::new(), SmallVec::new());
        let mut open: Option<RowNode> = None;
        let mut last = None;
        for at in rel.rows.range() {
            let view = self.view(self.relation_rows.get(at));
            let seen = open.is_some();
            let lead = view.lead.iter().copied();
            let trail = view.trail.iter().rev().copied();
            (if seen { &mut after } else { &mut before }).extend(lead);
            (if seen || view.var.is_some() { &mut after } else { &mut before }).extend(trail);
            last = view.var.filter(|_| seen).or(last);
            open = open.or(view.var);
        }
        let known = before.len() + after.len();
        if known > axes.len() || open.is_none() && known < axes.len() {
            return Err(self.size_fails(rel, &[]));
        }
        if let (Some(first), Some(last)) = (open, last) {
            // As long as the first and the last are open there are two; so nothing is known before one
            // of them is bound.
            self.watch_rows(rel, first, Some(last));
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

    /// Has a relation over rows asked again when one of these row variables is bound.
    fn watch_rows(&mut self, rel: SizeRel, first: RowNode, last: Option<RowNode>) {
        let Some(given) = rel.cause.as_given() else { return };
        let mut progress = self.progress.get(given);
        self.watch(given, Some(first), &mut progress.next_left, true);
        self.watch(given, last, &mut progress.next_right, false);
        self.progress.set(given, progress);
    }

    /// Takes it that a dimension has at least this many elements.
    pub(super) fn at_least_size(
        &mut self,
        dim: DimRef,
        least: u64,
        cause: Cause,
    ) -> Result<Taken, Stop> {
        let end = self.find(dim);
        let known = self.met(end).map(count);
        if least > Size::MAX || known.flatten().is_some_and(|n| n < least) {
            return Err(self.fails(Rule::SizeClash, None, cause, [dim, DimRef::UNIT]));
        }
        if let Some(node) = end.as_node() {
            self.raise_least(node, least, cause, dim, true);
        } else if known == Some(None) && least > 0 {
            let part = SizePart { dim, coefficient: 1, discardable: false };
            self.add_relation(Kind::AtLeast { least }, &[part], Span::EMPTY, cause);
        }
        Ok(taken(Rule::SizeBound))
    }

    /// A variable has at least this many elements. `given` bounds are never dropped.
    fn raise_least(&mut self, node: u32, least: u64, cause: Cause, via: DimRef, given: bool) {
        let before = self.least_of(node);
        let raised = before.map_or(0, |before| before.raised);
        if least == 0 || before.is_some_and(|before| before.size >= least) {
            return;
        }
        if !given && raised >= MOST_RAISES {
            return;
        }
        let at = self.leasts.push(Least { size: least, cause, via, raised: raised + 1 });
        let index = self.bounds_index(node);
        self.bounds.update(index, |bounds| bounds.least = at);
        let bounds = self.bounds.get(index);
        // Two elements are not the unit: a cap is what it is, and what is below is the same.
        if let (Some(cap), 2..) = (bounds.cap, least) {
            let cause = self.joint(cap.cause, cause, [cap.via, via]);
            self.ask_dim(Sign::Eq, [cap.atom, cap.via], cause);
        }
        let mut below = if least < 2 { NIL } else { bounds.below };
        while below != NIL {
            let adjacency = self.adjacencies.get(below);
            let cause = self.joint(adjacency.cause, cause, [adjacency.high, via]);
            self.ask_dim(Sign::Eq, [adjacency.low, adjacency.high], cause);
            below = adjacency.next_below;
        }
        let mut at = bounds.watches;
        while at != NIL {
            let watch = self.watches.get(at);
            self.ask_size(watch.relation);
            at = watch.next;
        }
    }

    /// The least size of an unbound variable, if that is more than the unit has.
    pub(in crate::solve) fn least_above_one(&self, node: u32) -> Option<Least> {
        self.least_of(node).filter(|least| least.size > 1)
    }

    /// The least size of an unbound variable, if something says so.
    pub(in crate::solve) fn least_of(&self, node: u32) -> Option<Least> {
        let least = self.bounds_of(node)?.least;
        (least != NIL).then(|| self.leasts.get(least))
    }

    /// A relation with everything that is known of its parts.
    fn relation_cause(&mut self, rel: SizeRel, roots: &[Root]) -> Cause {
        let mut cause = rel.cause;
        let mut at = rel.parts.at;
        let end = at + rel.parts.len;
        while at < end {
            let first = self.relation_parts.get(at).dim;
            let second = if at + 1 < end { self.relation_parts.get(at + 1).dim } else { first };
            cause = self.joint(cause, cause, [first, second]);
            at += 2;
        }
        for root in roots.iter().filter(|root| root.bounded) {
            if let Some(least) = root.dim.as_node().and_then(|node| self.least_of(node)) {
                cause = self.joint(cause, least.cause, [least.via, least.via]);
            }
        }
        cause
    }

    fn size_fails(&mut self, rel: SizeRel, roots: &[Root]) -> Stop {
        let cause = self.relation_cause(rel, roots);
        self.fails(Rule::SizeClash, None, cause, [DimRef::UNIT; 2])
    }
}

fn taken(rule: Rule) -> Taken {
    Taken { rule, class: Class::Semantic }
}

/// The variable that is the same as a named size, and that size, if that is all a relation says.
fn equal_to_symbol(roots: &Roots, known: i128) -> Option<(Root, DimRef)> {
    let (var, symbol) = match roots.as_slice() {
        [a, b] if a.dim.as_node().is_some() && b.dim.as_node().is_none() => (a, b),
        [a, b] if a.dim.as_node().is_none() && b.dim.as_node().is_some() => (b, a),
        _ => return None,
    };
    (known == 0 && var.weight == -symbol.weight).then_some((*var, symbol.dim))
}
