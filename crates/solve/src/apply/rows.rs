//! Steps of row constraints.

use core::ops::Range;

use crate::{
    budget::Exhausted,
    config::Config,
    reading::{
        frontier::{Change, Tail},
        order::{Insertion, fits, insert, taken_first},
        view::View,
    },
    rules::{
        dim_ineq,
        step::{DimStep, Rest, RowStep, RowVerdict, Taken},
    },
    tables::{
        cause::Cause,
        ids::{GivenId, Link, PackedOption, RowNode},
        list::Tables,
        node::{DimRef, Pending, Progress, RowGiven, RowState, Segment, Sign, Status},
        rule::{Class, Rule},
        trace::Entry,
    },
    why::conflict::Stop,
};

impl Config {
    /// Asks a given row constraint.
    pub(super) fn row(&mut self, index: GivenId, views: &mut [View; 2]) -> Result<Taken, Stop> {
        let [left, right] = views;
        let &RowGiven { left: left_row, right: right_row, relation, .. } =
            self.tables.givens.row_given_of(index);
        if relation == Sign::Ineq {
            // Most constraints of a program are between two bare variables, or have a closed empty
            // operand, which everything refines: no views are needed.
            if right_row.is_empty() {
                debug_assert!(self.tables.is_discarded(index), "RI-closed-op discards it");
                self.tables.givens.progress.update(index, |progress| {
                    (progress.status, progress.queued) = (Status::Done, false);
                });
                return Ok(Taken { rule: Rule::RiClosedOp, class: Class::Semantic });
            }
            if let (Some(low), Some(high)) =
                (self.tables.rows.bare(left_row), self.tables.rows.bare(right_row))
            {
                if fits(&self.tables.row_graph(), low, high) {
                    return Ok(self.adjoin_rows(index, low, high));
                }
            }
        }
        self.tables.rows.view_into(left_row, left);
        self.tables.rows.view_into(right_row, right);
        let mut progress = self.tables.givens.progress.get(index);
        let verdict = self.tables.row_verdict(relation, progress, left, right);
        let RowVerdict { rule, class, step, .. } = verdict;
        let cause = Cause::given(index);
        if step == RowStep::Fail {
            return Err(self.fails(rule, None, cause, [DimRef::UNIT; 2]));
        }
        self.tables.counts.competed += u32::from(competes(relation, verdict, left, right));
        self.compare(relation, cause, &mut progress, verdict, left, right)?;
        // While its variable grows it counts as queued, so that binding the variable does not ask
        // it.
        progress.queued = matches!(step, RowStep::Grow { .. });
        progress.status = match step {
            RowStep::Keep { status, .. } => status,
            RowStep::Grow { .. } => Status::Pending,
            RowStep::Discard
            | RowStep::Fail
            | RowStep::Bind { .. }
            | RowStep::Unite(..)
            | RowStep::Close(_) => Status::Done,
        };
        if let RowStep::Keep { watch_left, watch_right, .. } = step {
            if watch_left {
                self.tables.watch(index, left.var, &mut progress.next_left, true);
            }
            if watch_right {
                self.tables.watch(index, right.var, &mut progress.next_right, false);
            }
        }
        self.tables.givens.progress.set(index, progress);

        let (front, back) = (usize::from(progress.front), usize::from(progress.back));
        match step {
            RowStep::Discard | RowStep::Fail => {}
            RowStep::Keep { status, .. } => self.kept(rule, status, left.var, right.var),
            RowStep::Bind { var, to } => {
                let rest = match to {
                    Rest::Left => left,
                    Rest::Right => right,
                };
                self.bind_row_to(var, rest, front, back, Entry::row(rule, class, cause))?;
            }
            RowStep::Unite(low, high) => self.unite_rows(low, high, cause),
            RowStep::Close(var) => {
                let flanks = Segment { at: self.tables.rows.axes.end(), lead: 0, trail: 0 };
                self.bind_row(var, flanks, None, Entry::row(rule, class, cause));
            }
            RowStep::Grow { var, lead, trail } => {
                let entry = Entry::row(rule, class, cause);
                let lead = front..front + lead;
                let trail = back..back + trail;
                let (tail, atoms) = self.grow(var, right, lead.clone(), trail.clone(), entry)?;
                if atoms {
                    debug_assert!(
                        self.tables.are_equal_at(index, lead.clone(), trail.clone()),
                        "DI-refl discards what is compared"
                    );
                    let (front, back) = self.within_budget(lead.end, trail.end)?;
                    self.tables.givens.progress.update(index, |progress| {
                        (progress.front, progress.back) = (front, back);
                    });
                }
                self.tables.counts.shifted += u32::from(rule == Rule::RiShift);
                match (rule, atoms, right.var) {
                    // The flanks are compared, and nothing is left but the variables.
                    (Rule::RiDeficit, true, Some(high)) => {
                        self.adjoin_rows(index, tail, high);
                    }
                    (Rule::RiDeficit, true, None) => {
                        debug_assert!(self.tables.is_discarded(index), "RI-closed-op discards it");
                        self.tables.givens.progress.update(index, |progress| {
                            (progress.status, progress.queued) = (Status::Done, false);
                        });
                    }
                    _ => self.tables.queue.push(Pending::Row(index)),
                }
            }
        }
        Ok(Taken { rule, class })
    }

    /// `RI-adj` for two bare variables that fit the order, applied without asking the rule.
    fn adjoin_rows(&mut self, index: GivenId, low: RowNode, high: RowNode) -> Taken {
        debug_assert_eq!(
            self.tables.verdict_of(index),
            RowVerdict {
                rule: Rule::RiAdj,
                class: Class::Semantic,
                front: 0,
                back: 0,
                step: RowStep::Keep {
                    status: Status::Adjacent,
                    watch_left: true,
                    watch_right: true
                },
            },
            "RI-adj records it"
        );
        let mut progress = self.tables.givens.progress.get(index);
        (progress.status, progress.queued) = (Status::Adjacent, false);
        self.changed(Change::Row(Tail(high)));
        self.tables.watch(index, Some(low), &mut progress.next_left, true);
        self.tables.watch(index, Some(high), &mut progress.next_right, false);
        self.tables.givens.progress.set(index, progress);
        Taken { rule: Rule::RiAdj, class: Class::Semantic }
    }

    /// Compares the positions that overlap, and notes that they were.
    fn compare(
        &mut self,
        relation: Sign,
        cause: Cause,
        progress: &mut Progress,
        verdict: RowVerdict,
        left: &View,
        right: &View,
    ) -> Result<(), Stop> {
        let front = usize::from(progress.front)..usize::from(progress.front) + verdict.front;
        let back = usize::from(progress.back)..usize::from(progress.back) + verdict.back;
        (progress.front, progress.back) = self.within_budget(front.end, back.end)?;
        for i in front {
            self.tables.enqueue_dim(relation, [left.front(i), right.front(i)], cause);
        }
        for i in back {
            self.tables.enqueue_dim(relation, [left.back(i), right.back(i)], cause);
        }
        Ok(())
    }

    /// What else goes with keeping a row constraint.
    fn kept(&mut self, rule: Rule, status: Status, left: Option<RowNode>, right: Option<RowNode>) {
        if let Some(above) = right {
            self.changed(Change::Row(Tail(above)));
        }
        match (status, left, right) {
            (Status::DeferredEq, ..) => {
                self.tables.counts.deferred_eq += 1;
                self.tables.counts.shifted += 1;
            }
            (Status::DeferredIneq, ..) => {
                self.tables.counts.deferred_ineq += 1;
                self.tables.counts.shifted += 1;
            }
            (Status::Adjacent, Some(low), Some(high)) => self.tables.order_rows(low, high),
            (Status::Cap | Status::Adjacent | Status::Pending | Status::Done, ..) => {
                debug_assert!(matches!(rule, Rule::RiCap | Rule::RiSelf));
            }
        }
    }

    /// `RI-antisym`: all variables on the cycle are one, because of all its adjacencies.
    fn unite_rows(&mut self, low: RowNode, high: RowNode, cause: Cause) {
        let Insertion::Cycle(path) = insert(&self.tables.row_graph(), low, high) else { return };
        let mut joint = cause;
        let mut nodes = alloc::vec![low, high];
        for given in path {
            joint = self.tables.trace.joint(joint, Cause::given(given), [DimRef::UNIT; 2]);
            nodes.extend(self.tables.rows.tail(self.tables.givens.row_given_of(given).left));
        }
        nodes.sort_unstable();
        nodes.dedup();
        let heavier = |a: RowNode, b: RowNode| if self.tables.rows.is_lesser(a, b) { b } else { a };
        let Some(kept) = nodes.iter().copied().reduce(heavier) else { return };
        let flanks = Segment { at: self.tables.rows.axes.end(), lead: 0, trail: 0 };
        for node in nodes.into_iter().filter(|node| *node != kept) {
            let entry = Entry::row(Rule::RiAntisym, Class::Semantic, joint);
            self.bind_row(node, flanks, Some(kept), entry);
        }
    }

    /// Binds a variable to what `rest` has between `front` positions from the front and `back` from
    /// the back. Its marker stands where that of `rest` does, if that is in between, and else at
    /// the nearer end: the inherit-the-split policy.
    fn bind_row_to(
        &mut self,
        var: RowNode,
        rest: &View,
        front: usize,
        back: usize,
        entry: Entry,
    ) -> Result<(), Stop> {
        let side = rest.side(front, back);
        let (lead, trail) = self.within_budget(side.lead, side.trail)?;
        let at = self.tables.rows.axes.end();
        for i in front..front + side.lead {
            self.tables.rows.axes.push(rest.front(i));
        }
        for i in back..back + side.trail {
            self.tables.rows.axes.push(rest.back(i));
        }
        self.bind_row(var, Segment { at, lead, trail }, rest.var, entry);
        Ok(())
    }

    /// Gives a variable new axes on both sides, which face these positions of the operand from the
    /// front and from the back, and a new variable between. Where an atom is faced the new axis is
    /// that atom, since nothing else refines it. Returns the new variable, and whether all are
    /// atoms.
    fn grow(
        &mut self,
        var: RowNode,
        operand: &View,
        lead: Range<usize>,
        trail: Range<usize>,
        entry: Entry,
    ) -> Result<(RowNode, bool), Stop> {
        let (lead_len, trail_len) = self.within_budget(lead.len(), trail.len())?;
        let at = self.tables.rows.axes.end();
        let minted = self.tables.dims.states.len();
        for i in lead {
            self.grow_axis(operand.front(i));
        }
        for i in trail {
            self.grow_axis(operand.back(i));
        }
        let minted = self.tables.dims.states.len() - minted;
        self.tables.counts.minted += minted + 1;
        if self.tables.counts.minted > self.options.budget.minted {
            return Err(Stop::from(Exhausted::Minted));
        }
        let tail = self.tables.rows.new_row();
        self.bind_row(var, Segment { at, lead: lead_len, trail: trail_len }, Some(tail), entry);
        Ok((tail, minted == 0))
    }

    /// Adds an axis that faces `operand` to the pool.
    fn grow_axis(&mut self, operand: DimRef) {
        let faced = self.tables.dims.find(operand);
        let is_atom = faced.as_ground().is_some() && faced != DimRef::UNIT;
        debug_assert!(
            !is_atom
                || dim_ineq(&self.tables, DimRef::node(self.tables.dims.states.end()), faced)
                    == (Rule::DiPin, DimStep::Bind(self.tables.dims.states.end(), faced)),
            "DI-pin makes it the atom"
        );
        // By the operand's own name, so that the trace can say why it is what it is.
        let axis = if is_atom { operand } else { DimRef::node(self.tables.dims.new_dim()) };
        self.tables.rows.axes.push(axis);
    }

    /// The lengths of two flanks, unless together they are more than the budget allows.
    fn within_budget(&self, lead: usize, trail: usize) -> Result<(u16, u16), Stop> {
        match (u16::try_from(lead), u16::try_from(trail)) {
            (Ok(lead), Ok(trail))
                if u32::from(lead) + u32::from(trail) <= u32::from(self.options.budget.rank) =>
            {
                Ok((lead, trail))
            }
            _ => Err(Stop::from(Exhausted::Rank)),
        }
    }

    pub(super) fn bind_row(
        &mut self,
        var: RowNode,
        flanks: Segment,
        tail: Option<RowNode>,
        entry: Entry,
    ) {
        let RowState::Open { as_left, as_right, class: of_var, .. } =
            self.tables.rows.states.get(var)
        else {
            return;
        };
        if let (0, 0, Some(tail)) = (flanks.lead, flanks.trail, tail) {
            self.tables.rows.states.update(tail, |state| {
                if let RowState::Open { class, .. } = state {
                    *class += of_var;
                }
            });
        }
        let reason = self.tables.trace.entries.push(entry);
        self.changed(Change::Row(Tail(var)));
        let tail = tail.into();
        self.tables.rows.states.set(var, RowState::Bound { flanks, tail, reason });
        let mut next = as_left;
        while let Some(at) = next.get() {
            next = self.tables.givens.progress.at(at).next_left.next();
            self.tables.givens.progress.update(at, |progress| progress.next_left = Link::UNLINKED);
            self.tables.enqueue(at);
        }
        let mut next = as_right;
        while let Some(at) = next.get() {
            next = self.tables.givens.progress.at(at).next_right.next();
            self.tables.givens.progress.update(at, |progress| progress.next_right = Link::UNLINKED);
            self.tables.enqueue(at);
        }
    }
}

impl Tables {
    /// Whether the rules discard a given row constraint as it stands, with nothing left to compare.
    fn is_discarded(&self, given: GivenId) -> bool {
        let verdict = self.verdict_of(given);
        verdict
            == RowVerdict {
                rule: Rule::RiClosedOp,
                class: Class::Semantic,
                front: 0,
                back: 0,
                step: RowStep::Discard,
            }
    }

    /// Whether both rows of a given constraint have the same axes at these positions from the front
    /// and from the back.
    fn are_equal_at(&self, given: GivenId, front: Range<usize>, back: Range<usize>) -> bool {
        let related = self.givens.row_given_of(given);
        let (left, right) = (self.rows.view(related.left), self.rows.view(related.right));
        let are_same = |one, other| self.dims.resolve(one) == self.dims.resolve(other);
        front.into_iter().all(|i| are_same(left.front(i), right.front(i)))
            && back.into_iter().all(|i| are_same(left.back(i), right.back(i)))
    }

    /// Puts a row constraint into the list of a variable, unless it is in one.
    pub(super) fn watch(
        &mut self,
        index: GivenId,
        var: Option<RowNode>,
        link: &mut Link<GivenId>,
        on_left: bool,
    ) {
        let (Some(node), false) = (var, link.is_linked()) else { return };
        self.rows.states.update(node, |state| {
            if let RowState::Open { as_left, as_right, .. } = state {
                let head = if on_left { as_left } else { as_right };
                *link = Link::to(*head);
                *head = PackedOption::some(index);
            }
        });
    }

    /// Moves variables so that a new adjacency fits the order.
    fn order_rows(&mut self, low: RowNode, high: RowNode) {
        if fits(&self.row_graph(), low, high) {
            return;
        }
        let Insertion::Moves(moves) = insert(&self.row_graph(), low, high) else { return };
        self.counts.moved += taken_first(&self.row_graph(), &moves);
        for (node, place) in moves {
            self.rows.states.update(node, |state| {
                if let RowState::Open { order, .. } = state {
                    *order = place;
                }
            });
        }
    }
}

/// Whether a closed row has its marker where another that takes its axes cannot have it, or does
/// not.
fn competes(relation: Sign, verdict: RowVerdict, left: &View, right: &View) -> bool {
    let marker_fits = |closed: &View, open: &View| {
        closed.lead.len() >= open.lead.len() && closed.trail.len() >= open.trail.len()
    };
    match (verdict.rule, verdict.step) {
        (Rule::ReClosed, _) | (Rule::ReOpenClosed, RowStep::Close(_)) => {
            left.lead.len() != right.lead.len()
        }
        (Rule::ReOpenClosed, RowStep::Bind { to: Rest::Right, .. }) => !marker_fits(right, left),
        (Rule::ReOpenClosed, RowStep::Bind { to: Rest::Left, .. }) => !marker_fits(left, right),
        // A result is flat: where its marker stands shows only if the operand's variable takes some
        // of its axes.
        (_, RowStep::Keep { .. }) if relation == Sign::Ineq && left.var.is_none() => {
            !marker_fits(left, right)
        }
        (_, _) => false,
    }
}
