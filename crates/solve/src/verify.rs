//! The invariants of a configuration at rest, checked.
//!
//! 1. Nothing is in the queue.
//! 2. Bindings are idempotent: following them ends, and no bound variable occurs in what the
//!    program's variables are bound to.
//! 3. Dimensions are saturated: what is above a variable with a cap has that cap. Adjacencies fit
//!    the order of variables, so they close no cycle.
//! 4. No pin is pending: no adjacency has two equal sides or a ground one that some rule would act
//!    on.
//! 5. No rule does more with a row constraint that is kept than keep it as it is, and the variables
//!    it waits for know it.
//! 6. No variable is below one that has at least two elements: they are the same. No relation
//!    between sizes is still to be asked.
//! 7. As many constraints wait as the counters say.
//! 8. Ranks are a model of what the given constraints say about them.
//!
//! It runs now and then in debug builds. Tests of what is preserved cannot see a cap that was not
//! forwarded; this can. Between two steps of a run everything but 2 and 8 may be broken.

use lozenge_calculus::term::Occurs;

use crate::{
    reading::order::fits,
    rules::step::RowStep,
    solver::Solver,
    tables::{
        ids::{AdjacencyId, GivenId, Id, RowNode},
        list::Tables,
        node::{DimRef, GivenKind, Progress, RowGiven, RowRef, RowState, Sign, Status},
    },
};

/// Which invariant does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Broken {
    /// Something is in the queue.
    Queue,
    /// A bound variable occurs in a binding.
    Idempotence(Occurs),
    /// The adjacency at this place is not saturated, or hides a pin.
    Adjacency(usize),
    /// The given constraint at this place is not as a rule would leave it.
    Given(usize),
    /// The relation between sizes at this place is still to be asked.
    Relation(usize),
    /// The numbers of constraints that wait are not those that do.
    Deferred,
    /// The rank of a row variable does not satisfy the given constraint at this place.
    Rank(usize),
}

/// Checks that the configuration is a solved form.
///
/// # Errors
/// The first invariant found that does not hold. That is a bug.
pub fn verify(solver: &Solver) -> Result<(), Broken> {
    if !solver.is_at_rest() {
        return Err(Broken::Queue);
    }
    solver.solved().substitution().map_err(Broken::Idempotence)?;
    for index in solver.config.tables.dims.adjacencies.ids() {
        solver.config.tables.verify_adjacency(index)?;
    }
    for (index, relation) in solver.config.tables.relations.all.entries() {
        if relation.queued {
            return Err(Broken::Relation(index.place()));
        }
    }
    for (index, given) in solver.config.tables.givens.all.entries() {
        if let GivenKind::Row(related) = given.kind {
            solver.config.tables.verify_given(index, related)?;
            solver.verify_rank(index, related)?;
        }
    }
    let count =
        |status| solver.config.tables.givens.progress.iter().filter(|p| p.status == status).count();
    let deferred = solver.deferred();
    if count(Status::DeferredEq) != deferred.equalities as usize
        || count(Status::DeferredIneq) != deferred.inequalities as usize
    {
        return Err(Broken::Deferred);
    }
    Ok(())
}

impl Solver {
    /// In debug builds, verifies whenever the program has grown by a quarter, so that the cost
    /// stays linear.
    pub(crate) fn verify_now_and_then(&mut self) {
        if cfg!(debug_assertions)
            && self.config.tables.givens.all.len() >= self.verified + self.verified / 4
        {
            debug_assert_eq!(verify(self), Ok(()));
            self.verified = self.config.tables.givens.all.len();
        }
    }

    fn verify_rank(&self, index: GivenId, related: RowGiven) -> Result<(), Broken> {
        if !self.config.options.ranks {
            return Ok(());
        }
        let rank = |row: RowRef| {
            let inner = row
                .slot
                .get()
                .map_or(0, |slot| u64::from(self.config.tables.rows.slots.at(slot).rank));
            inner + u64::from(row.flanks.rank())
        };
        let (left, right) = (rank(related.left), rank(related.right));
        let holds = match related.relation {
            Sign::Ineq => left >= right,
            Sign::Eq | Sign::Is => left == right,
        };
        if holds { Ok(()) } else { Err(Broken::Rank(index.place())) }
    }
}

impl Tables {
    fn verify_adjacency(&self, index: AdjacencyId) -> Result<(), Broken> {
        let adjacency = self.dims.adjacencies.get(index);
        let (low, high) = (self.dims.resolve(adjacency.low), self.dims.resolve(adjacency.high));
        let saturated = match (low.as_node(), high.as_node()) {
            _ if low == high || high == DimRef::UNIT => true,
            (Some(low), Some(high)) => {
                let forwarded = match (self.dims.cap(low), self.dims.cap(high)) {
                    (Some(below), Some(above)) => below.atom == above.atom,
                    (Some(_), None) => false,
                    (None, _) => true,
                };
                forwarded
                    && fits(&self.dim_graph(), low, high)
                    && self.dims.least_above_one(high).is_none()
            }
            (None, Some(high)) => self.dims.cap(high).is_some_and(|cap| cap.atom == low),
            (_, None) => false,
        };
        if saturated { Ok(()) } else { Err(Broken::Adjacency(index.place())) }
    }

    fn verify_given(&self, index: GivenId, related: RowGiven) -> Result<(), Broken> {
        let progress = self.givens.progress.get(index);
        let (left, right) = (self.rows.view(related.left), self.rows.view(related.right));
        let verdict = self.row_verdict(related.relation, progress, &left, &right);
        let at_rest = match (progress.status, verdict.step) {
            _ if progress.queued => false,
            // What was discharged by binding a variable reads as trivial afterwards.
            (Status::Done, step) => !matches!(step, RowStep::Fail),
            (Status::Pending, _) => false,
            // A recorded adjacency lies on no cycle, so asking again finds itself in order.
            (status, RowStep::Keep { status: kept, watch_left, watch_right }) => {
                let nothing_new = verdict.front == 0 && verdict.back == 0;
                let left_known = !watch_left
                    || (progress.next_left.is_linked() && self.waits(left.var, index, true));
                let right_known = !watch_right
                    || (progress.next_right.is_linked() && self.waits(right.var, index, false));
                let in_order = match (status, left.var, right.var) {
                    (Status::Adjacent, Some(low), Some(high)) => fits(&self.row_graph(), low, high),
                    _ => true,
                };
                status == kept && nothing_new && left_known && right_known && in_order
            }
            _ => false,
        };
        if at_rest { Ok(()) } else { Err(Broken::Given(index.place())) }
    }

    /// Whether the list of a variable holds a given constraint.
    fn waits(&self, var: Option<RowNode>, index: GivenId, on_left: bool) -> bool {
        let Some(RowState::Open { as_left, as_right, .. }) =
            var.map(|node| self.rows.states.get(node))
        else {
            return false;
        };
        let mut next = if on_left { as_left } else { as_right };
        while let Some(at) = next.get().filter(|at| *at != index) {
            let Progress { next_left, next_right, .. } = self.givens.progress.get(at);
            next = if on_left { next_left } else { next_right }.next();
        }
        next.get() == Some(index)
    }
}
