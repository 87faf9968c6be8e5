//! Steps of dimension constraints.

use core::cmp::Reverse;

use lozenge_calculus::{
    dim::Dim,
    size::{Size, SizeKind},
};

use crate::{
    config::Config,
    reading::{
        frontier::{AxisTerm, Change},
        order::{Insertion, fits, insert, taken_first},
    },
    rules::{
        dim_eq, dim_ineq,
        step::{DimStep, Taken},
    },
    tables::{
        cause::Cause,
        ids::{AdjacencyId, BoundsId, DimNode, Link, PackedOption, WatchId},
        list::{Dims, Tables},
        node::{Adjacency, Bounds, Cap, DimRef, DimState, Pending, Sign},
        place::Place,
        rule::{Class, Rule},
        sizes::{Least, Watch},
        trace::Entry,
    },
    why::conflict::Stop,
};

impl Config {
    /// Asks a dimension constraint; `kept` is the adjacency it was kept as.
    pub(super) fn dim(
        &mut self,
        relation: Sign,
        terms: [DimRef; 2],
        cause: Cause,
        kept: Option<AdjacencyId>,
    ) -> Result<Taken, Stop> {
        let (left, right) = (self.tables.dims.find(terms[0]), self.tables.dims.find(terms[1]));
        let (rule, step) = match relation {
            Sign::Eq | Sign::Is => dim_eq(&self.tables, left, right),
            Sign::Ineq => dim_ineq(&self.tables, left, right),
        };
        match step {
            DimStep::Discard => {}
            DimStep::Fail => {
                let failed = self.fails(rule, Some((left, right)), cause, terms);
                self.keep_equation(failed)?;
            }
            DimStep::Bind(var, to) => {
                let empty = self.tables.dims.met(to).is_some_and(|dim| dim.size() == Size::ZERO);
                if empty && !self.tables.dims.is_bare(var) {
                    // No axis of a row has no elements.
                    return Err(self.fails(rule, None, cause, terms));
                }
                self.bind_dim(var, to, Entry::dim(rule, cause, terms));
            }
            DimStep::Unite(low, high) => self.unite_dims(low, high, cause, terms),
            DimStep::Cap(var) => {
                // The atom may have been found through bindings of its own.
                let cause = match terms[0].as_node() {
                    Some(_) => self.tables.trace.joint(cause, cause, [terms[0], DimRef::UNIT]),
                    None => cause,
                };
                self.record_cap(var, Cap { atom: left, via: terms[1], cause });
            }
            DimStep::Collapse(var) => {
                if let Some(cap) = self.tables.dims.cap(var) {
                    self.keep_parted(cap.atom, left);
                    let cause = self.tables.trace.joint(cap.cause, cause, [cap.via, terms[1]]);
                    self.bind_dim(var, DimRef::UNIT, Entry::dim(rule, cause, terms));
                }
            }
            DimStep::Adjoin => self.adjoin(terms, cause, kept),
        }
        Ok(Taken { rule, class: Class::Semantic })
    }

    /// `DI-antisym`: all variables on the cycle are one, because of all its adjacencies.
    fn unite_dims(&mut self, low: DimNode, high: DimNode, cause: Cause, terms: [DimRef; 2]) {
        let Insertion::Cycle(path) = insert(&self.tables.dim_graph(), low, high) else { return };
        let mut joint = cause;
        let mut nodes = alloc::vec![low, high];
        for index in path {
            let adjacency = self.tables.dims.adjacencies.get(index);
            joint =
                self.tables.trace.joint(joint, adjacency.cause, [adjacency.low, adjacency.high]);
            nodes.extend(self.tables.dims.resolve(adjacency.low).as_node());
        }
        nodes.sort_unstable();
        nodes.dedup();
        let heaviest = nodes
            .iter()
            .copied()
            .max_by_key(|node| (self.tables.dims.degree(*node), Reverse(*node)));
        let Some(kept) = heaviest else { return };
        for node in nodes.into_iter().filter(|node| *node != kept) {
            let entry = Entry::dim(Rule::DiAntisym, joint, terms);
            self.bind_dim(node, DimRef::node(kept), entry);
        }
    }

    pub(super) fn bind_dim(&mut self, var: DimNode, to: DimRef, entry: Entry) {
        let DimState::Unbound { bounds, bare } = *self.tables.dims.states.at(var) else {
            debug_assert!(false, "a variable is bound once");
            return;
        };
        let bounds = bounds.get().map(|at| self.tables.dims.bounds.get(at));
        let reason = self.tables.trace.entries.push(entry);
        self.changed(Change::Axes(AxisTerm(DimRef::node(var)), AxisTerm(to)));
        self.tables.dims.states.set(var, DimState::Bound { up: to, to, reason });
        if let (Some(node), false) = (to.as_node(), bare) {
            self.tables.is_axis(node);
        }
        let Some(bounds) = bounds else { return };
        if let Some(cap) = bounds.cap {
            self.tables.enqueue_dim(Sign::Ineq, [cap.atom, cap.via], cap.cause);
        }
        let mut above = bounds.above;
        while let Some(at) = above.get() {
            above = self.tables.dims.adjacencies.at(at).next_above.next();
            self.tables
                .dims
                .adjacencies
                .update(at, |adjacency| adjacency.next_above = Link::UNLINKED);
            self.tables.queue.push(Pending::Adjacency(at));
        }
        let mut below = bounds.below;
        while let Some(at) = below.get() {
            below = self.tables.dims.adjacencies.at(at).next_below.next();
            self.tables
                .dims
                .adjacencies
                .update(at, |adjacency| adjacency.next_below = Link::UNLINKED);
            self.tables.queue.push(Pending::Adjacency(at));
        }
        if let Some(least) = bounds.least.get() {
            let known = self.tables.dims.facts.get(least);
            let cause =
                self.tables.trace.joint(known.cause, known.cause, [known.via, DimRef::node(var)]);
            self.tables.queue.push(if known.exact.is_some() {
                let fact =
                    self.tables.dims.facts.push(Least { cause, via: DimRef::node(var), ..known });
                Pending::Sized { dim: to, fact }
            } else {
                Pending::AtLeast { dim: to, least: known.size, cause }
            });
        }
        if bounds.watches.is_some() {
            self.tables.move_watches(bounds.watches, to);
        }
    }

    /// Records an atom below a variable, and asks it of what is above the variable.
    fn record_cap(&mut self, var: DimNode, cap: Cap) {
        let at = self.tables.dims.bounds_index(var);
        self.changed(Change::Axis(AxisTerm(DimRef::node(var))));
        self.tables.dims.bounds.update(at, |bounds| bounds.cap = Some(cap));
        if let Some(known) = self.tables.dims.least_of(var) {
            self.tables.meet_cap(cap, known);
        }
        let mut above = self.tables.dims.bounds.at(at).above;
        while let Some(at) = above.get() {
            self.tables.forward(cap, at);
            above = self.tables.dims.adjacencies.at(at).next_above.next();
        }
    }

    fn adjoin(&mut self, terms: [DimRef; 2], cause: Cause, kept: Option<AdjacencyId>) {
        let [low, high] = terms.map(|term| self.tables.dims.resolve(term));
        let (Some(low), Some(high)) = (low.as_node(), high.as_node()) else { return };
        let (low_bounds, high_bounds) =
            (self.tables.dims.bounds_index(low), self.tables.dims.bounds_index(high));
        self.tables.order_dims(low, high);
        let index = kept.unwrap_or_else(|| {
            self.tables.dims.adjacencies.push(Adjacency {
                low: terms[0],
                high: terms[1],
                cause,
                next_above: Link::UNLINKED,
                next_below: Link::UNLINKED,
            })
        });
        let mut adjacency = self.tables.dims.adjacencies.get(index);
        if !adjacency.next_above.is_linked() {
            self.tables.dims.bounds.update(low_bounds, |bounds| {
                adjacency.next_above = Link::to(bounds.above);
                bounds.above = PackedOption::some(index);
                bounds.degree += 1;
            });
        }
        if !adjacency.next_below.is_linked() {
            self.tables.dims.bounds.update(high_bounds, |bounds| {
                adjacency.next_below = Link::to(bounds.below);
                bounds.below = PackedOption::some(index);
                bounds.degree += 1;
            });
        }
        self.tables.dims.adjacencies.set(index, adjacency);
        if let Some(least) = self.tables.dims.least_above_one(high) {
            // The upper side is not the unit, so both are the same.
            let cause =
                self.tables.trace.joint(adjacency.cause, least.cause, [adjacency.high, least.via]);
            self.tables.enqueue_dim(Sign::Eq, [adjacency.low, adjacency.high], cause);
        }
        if let Some(cap) = self.tables.dims.bounds.get(low_bounds).cap {
            self.tables.forward(cap, index);
        }
    }

    /// Keeps that something follows from two atoms being different, if one of them has a name.
    pub(crate) fn keep_parted(&mut self, one: DimRef, other: DimRef) {
        let is_named = |dim: Dim| matches!(dim.size().kind(), SizeKind::Symbol(_));
        if [one, other].into_iter().filter_map(|term| self.tables.dims.met(term)).any(is_named) {
            self.parted.insert([one.min(other), one.max(other)]);
        }
    }
}

impl Tables {
    /// Asks the relations that watch a variable which was bound, and has them watch what it was
    /// bound to.
    fn move_watches(&mut self, watches: PackedOption<WatchId>, to: DimRef) {
        let kept = to.as_node().map(|node| self.dims.bounds_index(node));
        let mut watch = watches;
        while let Some(at) = watch.get() {
            let Watch { relation, next } = self.dims.watches.get(at);
            self.enqueue_size(relation);
            if let Some(bounds) = kept {
                let head = self.dims.bounds.get(bounds).watches;
                self.dims.watches.update(at, |watch| watch.next = head);
                self.dims.bounds.update(bounds, |bounds| {
                    bounds.watches = PackedOption::some(at);
                    bounds.degree += 1;
                });
            }
            watch = next;
        }
    }

    /// Asks the atom below the lower side of an adjacency of the upper side.
    fn forward(&mut self, cap: Cap, adjacency: AdjacencyId) {
        let Adjacency { low, high, cause, .. } = self.dims.adjacencies.get(adjacency);
        let cause = self.trace.joint(cap.cause, cause, [cap.via, low]);
        self.enqueue_dim(Sign::Ineq, [cap.atom, high], cause);
    }

    /// Moves variables so that a new adjacency fits the order.
    fn order_dims(&mut self, low: DimNode, high: DimNode) {
        if fits(&self.dim_graph(), low, high) {
            return;
        }
        let Insertion::Moves(moves) = insert(&self.dim_graph(), low, high) else { return };
        self.counts.moved += taken_first(&self.dim_graph(), &moves);
        for (node, order) in moves {
            let at = self.dims.bounds_index(node);
            self.dims.bounds.update(at, |bounds| bounds.order = order);
        }
    }
}

impl Dims {
    /// The index of the bounds of an unbound variable, which it gets if it has none.
    pub(crate) fn bounds_index(&mut self, var: DimNode) -> BoundsId {
        let bare = match *self.states.at(var) {
            DimState::Unbound { bounds, bare } => match bounds.get() {
                Some(bounds) => return bounds,
                None => bare,
            },
            DimState::Bound { .. } => unreachable!("what is bound has no bounds"),
        };
        let order = Place::of(var);
        let (above, below) = (PackedOption::NONE, PackedOption::NONE);
        let (watches, least) = (PackedOption::NONE, PackedOption::NONE);
        let bounds = Bounds { cap: None, above, below, order, degree: 0, watches, least };
        let at = self.bounds.push(bounds);
        self.states.set(var, DimState::Unbound { bounds: PackedOption::some(at), bare });
        at
    }

    /// What a dimension term is bound to, shortening the path to it.
    pub(crate) fn find(&mut self, term: DimRef) -> DimRef {
        let mut at = term;
        while let Some(node) = at.as_node() {
            let DimState::Bound { up, to, reason } = *self.states.at(node) else {
                break;
            };
            if let Some(next) = up.as_node() {
                if let DimState::Bound { up: beyond, .. } = *self.states.at(next) {
                    self.states.set(node, DimState::Bound { up: beyond, to, reason });
                }
            }
            at = up;
        }
        self.met.same(at)
    }
}
