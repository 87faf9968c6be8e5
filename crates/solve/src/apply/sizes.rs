//! Steps of relations between sizes.

use alloc::collections::BTreeMap;

use smallvec::SmallVec;

use lozenge_calculus::{
    constraint::{Fill, count},
    dim::{Basis, Dim, merged_basis},
    size::{
        Factor, Implied, Overflow, Requirement, Side, Sides, Size, Unknown, missing, plus,
        solve_linear, solve_product,
    },
};

use super::{
    enqueue::FEW,
    reading::{Reading, Root, Roots},
};
use crate::{
    budget::Exhausted,
    config::Config,
    reading::frontier::{AxisTerm, Change},
    rules::step::Taken,
    tables::{
        cause::Cause,
        ids::{DimNode, FactId, PackedOption, RelationId},
        list::Tables,
        node::{Cap, DimRef, Pending, Sign},
        rule::{Class, Rule},
        sizes::{Form, Kind, Least, MOST_RAISES, SizePart, SizeRel, Span},
        trace::Entry,
    },
    why::conflict::Stop,
};

/// A relation between sizes that is asked.
pub(super) struct Relation<'a> {
    pub(super) config: &'a mut Config,
    pub(super) id: RelationId,
    /// The relation as it stood when it was asked.
    pub(super) rel: SizeRel,
}

impl Config {
    /// The relation with this index, to be asked.
    pub(super) fn relation_of(&mut self, id: RelationId) -> Relation<'_> {
        let rel = self.tables.relations.all.get(id);
        Relation { config: self, id, rel }
    }

    /// Asks a relation.
    pub(super) fn size(&mut self, relation: RelationId) -> Result<Taken, Stop> {
        self.tables.relations.all.update(relation, |relation| relation.queued = false);
        let mut relation = self.relation_of(relation);
        if relation.rel.done { Ok(taken(Rule::SizeKeep)) } else { relation.ask() }
    }

    /// What the whole of a loose relation is, if everything else of it is known: what fills it
    /// first, then what leaves more over or lacks more.
    pub(crate) fn filled(&mut self, relation: RelationId, rest: u64) -> Option<(DimRef, Dim)> {
        self.relation_of(relation).filled(rest)
    }
}

impl Relation<'_> {
    /// Asks it.
    fn ask(&mut self) -> Result<Taken, Stop> {
        match self.rel.kind {
            Kind::Linear { constant, slack, form } => {
                let Some(missing) = self.missing(form) else {
                    return Ok(taken(Rule::SizeKeep));
                };
                let constant = i128::from(constant) + missing;
                self.linear(constant, slack, form != Form::Difference)
            }
            Kind::Product { left, right, .. } => self.product(left, right),
            Kind::Total { .. } => self.total(),
            Kind::Exact => self.exact(),
            Kind::StretchedRows => self.stretch_rows(),
            Kind::StretchedAxes => self.stretch_axes(),
        }
    }

    /// The parts of a relation, the unknown ones merged, and the sum or product of the others.
    fn read<T>(
        &mut self,
        mut known: T,
        mut add: impl FnMut(T, i64, u64) -> Option<T>,
    ) -> Result<(Reading, T), Stop> {
        let mut roots = Roots::new();
        // Where the roots of many parts are.
        let mut places: BTreeMap<DimRef, usize> = BTreeMap::new();
        let (mut bases, mut whole): (SmallVec<[Basis; 4]>, _) = (SmallVec::new(), None);
        let (mut unnamed, mut likely_whole) = (false, None);
        let mut likely: SmallVec<[Basis; 4]> = SmallVec::new();
        let mut open: SmallVec<[(Size, i64); 2]> = SmallVec::new();
        for at in self.rel.parts.range() {
            let part = self.config.tables.relations.parts.get(at);
            let is_whole = at == self.rel.parts.at;
            let dim = self.config.tables.dims.find(part.dim);
            let ground = self.config.tables.dims.met(dim);
            let counts = part.coefficient != 0 && ground.and_then(count) != Some(0);
            if let (Some(Dim::Atom { basis, .. }), true) = (ground, counts) {
                if is_whole {
                    whole = Some(basis);
                } else {
                    bases.push(basis);
                }
            }
            let bound = dim.as_node().and_then(|node| self.config.tables.dims.least_of(node));
            let exact = bound.filter(|bound| bound.exact.is_some()).map(|bound| bound.size);
            if let Some(basis) = bound.and_then(|bound| bound.exact) {
                unnamed |= part.coefficient != 0;
                if is_whole {
                    likely_whole = Some(basis);
                } else if part.coefficient != 0 {
                    likely.push(basis);
                }
            }
            if let Some(n) = ground.and_then(count).or(exact) {
                if n == 0 && !part.discardable {
                    return Err(self.size_fails(&[]));
                }
                known = add(known, part.coefficient, n).ok_or(Exhausted::Sizes)?;
                continue;
            }
            if let Some(dim) = ground {
                if part.coefficient != 0 {
                    open.push((dim.size(), part.coefficient));
                }
                continue;
            }
            let left_out = dim
                .as_node()
                .is_some_and(|node| self.config.tables.dims.may_be_left_out(part, node));
            let at_all = u64::from(!left_out);
            let least = bound.map_or(at_all, |bound| bound.size.max(at_all));
            let bounded = least > at_all;
            let place = if self.rel.parts.len > FEW {
                let next = roots.len();
                Some(*places.entry(dim).or_insert(next)).filter(|place| *place < next)
            } else {
                roots.iter().position(|root| root.dim == dim)
            };
            match place {
                Some(place) => {
                    let root = &mut roots[place];
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
                    may_be_empty: false,
                }),
            }
        }
        roots.retain(|root| root.weight != 0);
        let claims = !bases.is_empty();
        let (parts, likely_parts) = (merged_basis(bases), merged_basis(likely));
        let reading = Reading {
            roots,
            open,
            parts,
            claims,
            whole,
            unnamed,
            says_nothing: false,
            likely_parts,
            likely_whole,
        };
        Ok((reading, known))
    }

    /// How much is missing from what the kernel of a window counts for; `None` where that is not
    /// known yet.
    fn missing(&mut self, form: Form) -> Option<i128> {
        let Some((kernel, least)) = self.config.tables.relations.least_kernel(self.rel, form)
        else {
            return Some(0);
        };
        let dim = self.config.tables.dims.find(kernel.dim);
        let known = dim.as_node().and_then(|node| self.config.tables.dims.least_of(node));
        let exact = known.filter(|known| known.exact.is_some());
        let size = match self.config.tables.dims.met(dim) {
            Some(dim) => dim.size(),
            None => Size::int(known.map_or(1, |known| known.size)).ok()?,
        };
        let missing = missing(&mut self.config.sizes, size, kernel.coefficient, least)?;
        // One that is not known may be longer, and then what is missing is less.
        (dim.as_node().is_none() || exact.is_some() || missing == 0).then_some(missing)
    }

    fn linear(&mut self, constant: i128, slack: u32, given: bool) -> Result<Taken, Stop> {
        let (reading, known) = self.read(constant, plus)?;
        // A whole has the basis of its parts: a named one wins, two different ones clash.
        let clash = reading.parts.is_none()
            || given
                && matches!((reading.whole, reading.parts),
                    (Some(whole), Some(parts)) if parts != Basis::DEFAULT && parts != whole);
        if clash {
            return Err(self.size_fails(&[]));
        }
        if !reading.open.is_empty() {
            return self.linear_open(&reading, known, given);
        }
        let unknowns: SmallVec<[Unknown; 4]> = reading
            .roots
            .iter()
            .map(|root| Unknown { coefficient: root.weight, least: root.least })
            .collect();
        let said = solve_linear(&unknowns, known, slack)
            .map_err(|Overflow| Stop::from(Exhausted::Sizes))?;
        if said == Implied::Holds && given {
            if reading.unnamed {
                self.guess_again(&reading);
                // Whether the bases agree shows when they are known.
                return Ok(taken(Rule::SizeKeep));
            }
            if reading.has_another_basis() {
                return Err(self.size_fails(&[]));
            }
        }
        let open = matches!(said, Implied::Open(_));
        let reading = if given { reading } else { reading.of_nothing() };
        let taken = self.conclude(&reading, said)?;
        if open && given {
            self.config.tables.cancel(self.id, self.rel);
        }
        Ok(taken)
    }

    fn product(&mut self, left: u64, right: u64) -> Result<Taken, Stop> {
        let times = |sides: Sides, power: i64, n: u64| sides.times(Side::of_power(power), n);
        let (reading, known) = self.read(Sides::new(left, right), times)?;
        if !reading.open.is_empty() {
            return self.product_open(reading, known);
        }
        let factor = |root: &Root| {
            let power = i32::try_from(root.weight).map_err(|_| Exhausted::Sizes)?;
            Ok(Factor { power, least: root.least })
        };
        let factors: SmallVec<[Factor; 4]> =
            reading.roots.iter().map(factor).collect::<Result<_, Exhausted>>()?;
        let said = solve_product(&factors, known.left, known.right);
        let said = said.map_err(|Overflow| Stop::from(Exhausted::Sizes))?;
        self.conclude(&reading.of_nothing(), said)
    }

    /// Does what an equation says.
    pub(super) fn conclude(&mut self, reading: &Reading, said: Implied) -> Result<Taken, Stop> {
        match said {
            Implied::Holds => {
                self.config.tables.finish(self.id);
                Ok(taken(Rule::SizeKeep))
            }
            Implied::Fails => Err(self.size_fails(&reading.roots)),
            Implied::Forced(values) => {
                let cause = self.config.tables.relation_cause(self.rel, &reading.roots);
                for (place, n) in values {
                    let root = reading.roots[place];
                    let forced = reading.forced_basis(root).filter(|_| n > 1);
                    match (n, forced) {
                        (0, _) => self.config.bind_size(root, Size::ZERO, Basis::DEFAULT, cause),
                        (_, Some(basis)) => {
                            let size = Size::int(n).map_err(|_| Exhausted::Sizes)?;
                            self.config.bind_size(root, size, basis, cause);
                        }
                        (_, None) => {
                            let exact = Some(reading.likely_basis(root.whole));
                            let (via, guessed) = (root.via, reading.says_nothing);
                            let found = Least { size: n, exact, guessed, cause, via, raised: 0 };
                            let fact = self.config.tables.dims.facts.push(found);
                            self.config.tables.queue.push(Pending::Sized { dim: via, fact });
                        }
                    }
                }
                // Asked once more, so that the bases are compared when all are known.
                self.config.tables.enqueue_size(self.id);
                Ok(taken(Rule::SizeSolve))
            }
            // An unknown has an element, unless it is a name that may have none.
            Implied::Open(bounds) if bounds.is_empty() || self.config.sizes.may_be_empty() => {
                Ok(taken(Rule::SizeKeep))
            }
            Implied::Open(bounds) => {
                let cause = self.config.tables.relation_cause(self.rel, &reading.roots);
                for (place, least) in bounds {
                    let root = reading.roots[place];
                    if let Some(node) = root.dim.as_node() {
                        self.config.raise_least(node, least, cause, root.via, false)?;
                    }
                }
                Ok(taken(Rule::SizeBound))
            }
        }
    }

    /// What the whole of a loose relation is, if everything else of it is known: what fills it
    /// first, then what leaves more over or lacks more.
    fn filled(&mut self, rest: u64) -> Option<(DimRef, Dim)> {
        let Kind::Linear { constant, slack, form } = self.rel.kind else { return None };
        let missing = self.missing(form)?;
        // Windows that are begun fill their axis where most is left over of what they lack.
        let is_begun = matches!(form, Form::Window { fill: Fill::Begun, .. });
        let most = if is_begun { (i128::from(slack) - missing).max(0) } else { 0 };
        let rest = i128::from(rest);
        let rest = if rest > most { rest } else { most - rest };
        let (reading, known) = self.read(i128::from(constant) + missing + rest, plus).ok()?;
        let [root @ Root { weight: -1, .. }] = reading.roots[..] else { return None };
        let terms = reading.open.iter().map(|(size, coefficient)| (*size, (*coefficient).into()));
        let sum = self.config.sizes.weighted(known, terms);
        let dim = match self.config.sizes.size(&sum)? {
            Size::ONE => Dim::Unit,
            size => Dim::atom(size, reading.likely_basis(true)),
        };
        Some((root.dim, dim))
    }

    /// A size that was found where nothing says which basis is likely, as from a difference of two
    /// relations, is likely to have the one that the relation says: which of them finds it first
    /// does not matter.
    pub(super) fn guess_again(&mut self, reading: &Reading) {
        for (place, at) in self.rel.parts.range().enumerate() {
            let dim = self.config.tables.relations.parts.get(at).dim;
            let Some(node) = self.config.tables.dims.resolve(dim).as_node() else { continue };
            let Some(known @ Least { exact: Some(_), guessed: true, .. }) =
                self.config.tables.dims.least_of(node)
            else {
                continue;
            };
            let exact = Some(reading.likely_basis(place == 0));
            let fact = self.config.tables.dims.facts.push(Least { exact, guessed: false, ..known });
            let index = self.config.tables.dims.bounds_index(node);
            self.config
                .tables
                .dims
                .bounds
                .update(index, |bounds| bounds.least = PackedOption::some(fact));
            self.config.changed(Change::Axis(AxisTerm(DimRef::node(node))));
        }
    }

    pub(super) fn size_fails(&mut self, roots: &[Root]) -> Stop {
        let cause = self.config.tables.relation_cause(self.rel, roots);
        self.config.fails(Rule::SizeClash, None, cause, [DimRef::UNIT; 2])
    }
}

impl Config {
    /// Binds a variable to the atom that it was found to be.
    pub(super) fn bind_size(&mut self, root: Root, size: Size, basis: Basis, cause: Cause) {
        let Some(node) = self.tables.dims.find(root.dim).as_node() else { return };
        let atom = self.tables.dims.met.intern(Dim::atom(size, basis));
        self.bind_dim(node, atom, Entry::dim(Rule::SizeSolve, cause, [root.via, DimRef::UNIT]));
    }

    /// Takes it that a dimension has exactly the size of a fact.
    pub(super) fn exact_size(&mut self, dim: DimRef, fact: FactId) -> Result<Taken, Stop> {
        let Least { size, cause, via, .. } = self.tables.dims.facts.get(fact);
        let terms = [dim, via];
        let end = self.tables.dims.find(dim);
        let Some(node) = end.as_node() else {
            let known = self.tables.dims.met(end);
            if known.and_then(count) == Some(size) {
                return Ok(taken(Rule::SizeKeep));
            }
            let failed = self.fails(Rule::SizeClash, None, cause, terms);
            return Err(match known {
                Some(open @ Dim::Atom { .. }) if count(open).is_none() => {
                    let form = self.sizes.weighted(-i128::from(size), [(open.size(), 1)]);
                    failed.requiring(Requirement::Zero(form))
                }
                Some(_) | None => failed,
            });
        };
        let before = self.tables.dims.least_of(node);
        if let Some(before) = before {
            if before.exact.is_some() && before.size == size {
                return Ok(taken(Rule::SizeKeep));
            }
            if before.exact.is_some() || before.size > size {
                let cause = self.tables.trace.joint(cause, before.cause, [before.via, dim]);
                return Err(self.fails(Rule::SizeClash, None, cause, terms));
            }
        }
        let index = self.tables.dims.bounds_index(node);
        self.tables.dims.bounds.update(index, |bounds| bounds.least = PackedOption::some(fact));
        self.changed(Change::Axis(AxisTerm(DimRef::node(node))));
        self.tables.follow_size(node);
        Ok(taken(Rule::SizeSolve))
    }

    /// Takes it that a dimension has at least this many elements.
    pub(super) fn at_least_size(
        &mut self,
        dim: DimRef,
        least: u64,
        cause: Cause,
    ) -> Result<Taken, Stop> {
        let end = self.tables.dims.find(dim);
        let known = self.tables.dims.met(end).map(count);
        if least > Size::MAX || known.flatten().is_some_and(|n| n < least) {
            return Err(self.fails(Rule::SizeClash, None, cause, [dim, DimRef::UNIT]));
        }
        if let Some(node) = end.as_node() {
            self.raise_least(node, least, cause, dim, true)?;
        } else if let (Some(None), Some(atom)) = (known, self.tables.dims.met(end)) {
            self.at_least_open(atom.size(), least, cause, dim)?;
        }
        Ok(taken(Rule::SizeBound))
    }

    /// A variable has at least this many elements. `given` bounds are never dropped.
    fn raise_least(
        &mut self,
        node: DimNode,
        least: u64,
        cause: Cause,
        via: DimRef,
        given: bool,
    ) -> Result<(), Stop> {
        let before = self.tables.dims.least_of(node);
        let raised = before.map_or(0, |before| before.raised);
        if least == 0 || before.is_some_and(|before| before.size >= least) {
            return Ok(());
        }
        if let Some(exact) = before.filter(|before| before.exact.is_some()) {
            let cause = self.tables.trace.joint(cause, exact.cause, [exact.via, via]);
            return Err(self.fails(Rule::SizeClash, None, cause, [via, DimRef::UNIT]));
        }
        if !given && raised >= MOST_RAISES {
            return Ok(());
        }
        let found =
            Least { size: least, exact: None, guessed: false, cause, via, raised: raised + 1 };
        let at = self.tables.dims.facts.push(found);
        let index = self.tables.dims.bounds_index(node);
        self.tables.dims.bounds.update(index, |bounds| bounds.least = PackedOption::some(at));
        self.tables.follow_size(node);
        Ok(())
    }
}

impl Tables {
    /// Subtracts a relation from another one with the same whole, so that common parts cancel.
    pub(super) fn cancel(&mut self, relation: RelationId, rel: SizeRel) {
        if rel.partner.is_some() {
            return;
        }
        let whole = self.relations.parts.get(rel.parts.at);
        let Some(node) = self.dims.find(whole.dim).as_node() else { return };
        let Some(bounds) = self.dims.bounds_of(node) else { return };
        let mut next = bounds.watches;
        while let Some(at) = next.get() {
            let watch = self.dims.watches.get(at);
            next = watch.next;
            let other = self.relations.all.get(watch.relation);
            let Kind::Linear { constant: second, slack: 0, form } = other.kind else { continue };
            let Kind::Linear { constant: first, slack: 0, .. } = rel.kind else { return };
            let other_whole = self.relations.parts.get(other.parts.at);
            let same_whole = self.dims.resolve(other_whole.dim) == DimRef::node(node);
            let Some(constant) = first.checked_sub(second) else { continue };
            let given = form != Form::Difference;
            if watch.relation >= relation || other.done || !given || !same_whole {
                continue;
            }
            self.relations
                .all
                .update(relation, |rel| rel.partner = PackedOption::some(watch.relation));
            let mut parts: SmallVec<[SizePart; 8]> =
                self.relations.parts(rel.parts).skip(1).collect();
            let negated = |part: SizePart| SizePart { coefficient: -part.coefficient, ..part };
            parts.extend(self.relations.parts(other.parts).skip(1).map(negated));
            let cause = self.trace.joint(rel.cause, other.cause, [whole.dim, other_whole.dim]);
            let kind = Kind::Linear { constant, slack: 0, form: Form::Difference };
            let difference = self.add_relation(kind, &parts, Span::empty(), cause);
            self.enqueue_size(difference);
            return;
        }
    }

    /// What follows from what is known of a variable's size and of the atom below it: if it has two
    /// elements it is not the unit, so it is the atom; if it has one and the atom has not, it is
    /// the unit.
    pub(super) fn meet_cap(&mut self, cap: Cap, known: Least) {
        let one = self.dims.met(cap.atom).and_then(count) == Some(1);
        let is = match (known.size, known.exact) {
            (2.., _) => cap.atom,
            (1, Some(_)) if !one => DimRef::UNIT,
            _ => return,
        };
        let cause = self.trace.joint(cap.cause, known.cause, [cap.via, known.via]);
        self.enqueue_dim(Sign::Eq, [is, cap.via], cause);
    }

    /// What follows from a size of a variable that was not known before.
    fn follow_size(&mut self, node: DimNode) {
        let Some(bounds) = self.dims.bounds_of(node) else { return };
        let Some(known) = bounds.least.get().map(|at| self.dims.facts.get(at)) else {
            return;
        };
        if let Some(cap) = bounds.cap {
            self.meet_cap(cap, known);
        }
        // Two elements are not the unit: what is below is the same.
        let mut below = if known.size < 2 { PackedOption::NONE } else { bounds.below };
        while let Some(at) = below.get() {
            let adjacency = self.dims.adjacencies.get(at);
            let cause = self.trace.joint(adjacency.cause, known.cause, [adjacency.high, known.via]);
            self.enqueue_dim(Sign::Eq, [adjacency.low, adjacency.high], cause);
            below = adjacency.next_below.next();
        }
        let mut next = bounds.watches;
        while let Some(at) = next.get() {
            let watch = self.dims.watches.get(at);
            self.enqueue_size(watch.relation);
            next = watch.next;
        }
    }

    /// A relation with everything that is known of its parts.
    pub(super) fn relation_cause(&mut self, rel: SizeRel, roots: &[Root]) -> Cause {
        let parts: SmallVec<[SizePart; 8]> = self.relations.parts(rel.parts).collect();
        let mut cause = self.joined_sizes(rel.cause, &parts);
        let Kind::Linear { form, .. } = rel.kind else { return self.bounded(cause, roots) };
        if let Some((kernel, _)) = self.relations.least_kernel(rel, form) {
            let known =
                self.dims.find(kernel.dim).as_node().and_then(|node| self.dims.least_of(node));
            if let Some(least) = known {
                cause = self.trace.joint(cause, least.cause, [least.via, least.via]);
            }
        }
        self.bounded(cause, roots)
    }

    /// A cause with the bounds of unknowns.
    fn bounded(&mut self, mut cause: Cause, roots: &[Root]) -> Cause {
        for root in roots.iter().filter(|root| root.bounded) {
            if let Some(least) = root.dim.as_node().and_then(|node| self.dims.least_of(node)) {
                cause = self.trace.joint(cause, least.cause, [least.via, least.via]);
            }
        }
        cause
    }
}

impl Tables {
    pub(super) fn finish(&mut self, relation: RelationId) {
        self.relations.all.update(relation, |relation| relation.done = true);
    }

    /// A cause with everything that is known of these parts.
    pub(super) fn joined_sizes(&mut self, mut cause: Cause, parts: &[SizePart]) -> Cause {
        for pair in parts.chunks(2) {
            let (first, second) = (pair[0].dim, pair[pair.len() - 1].dim);
            cause = self.trace.joint(cause, cause, [first, second]);
        }
        for part in parts {
            if let Some(known) = self.dims.exact_of(part.dim) {
                cause = self.trace.joint(cause, known.cause, [known.via, known.via]);
            }
        }
        cause
    }
}

pub(super) fn taken(rule: Rule) -> Taken {
    Taken { rule, class: Class::Semantic }
}
