//! The configuration: everything a solver knows.

use alloc::{
    collections::{BTreeSet, BinaryHeap},
    vec::Vec,
};

use core::cmp::Reverse;

use smallvec::SmallVec;

use lozenge_calculus::{
    constraint::{ConstraintRef, OriginId, RelationRef},
    dim::Dim,
    size::{Requirement, Sizes},
    term::{DimTerm, DimVar, RowTerm, RowVar},
};

use super::{Budget, Conflict, Exhausted, Rule, SolveError, rank::Rise, repeated::is_repeated};
use crate::{
    reading::{frontier::Change, order::Place, view::View},
    rules::step::Status,
    tables::{
        ids::{DimNode, GivenId, Link, PackedOption, RowNode, RowSlot, between},
        kept::KeptFlanks,
        list::{Dims, Givens, Rows, Tables},
        node::{
            Ask, Bounds, Cap, DimRef, DimState, Given, Pending, Progress, RowAsk, RowRef, RowState,
            Segment, Sign, Slot,
        },
        sizes::Watch,
        table::Undo,
    },
    why::{
        conflict::{Stop, Trial},
        trace::Cause,
    },
};

/// A configuration of the calculus, and the rules that move it.
///
/// A value: cloning it forks it, and two of them never affect each other.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    pub(super) config: Config,
    /// Open snapshots.
    pub(super) snapshots: u32,
    /// How many given constraints there were when a debug build last verified.
    pub(super) verified: u32,
    pub(super) stats: Stats,
    /// Two views to write over, so that no step allocates.
    pub(super) views: [View; 2],
}

/// The state that rules move: the tables, and what is said of sizes beside them.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    pub(super) options: Options,
    pub(super) tables: Tables,
    /// The changes that closing follows; kept for nobody else.
    pub(super) changes: Option<Vec<Change>>,
    /// The forms of sizes that are not numbers.
    pub(super) sizes: Sizes,
    /// The sizes that are taken for others, by what that requires, each with where it comes from.
    pub(super) equated: Vec<(Requirement, Vec<OriginId>)>,
    /// The equations that were met and gone on after, where somebody collects them.
    pub(super) collected: Option<Vec<Conflict>>,
    /// Atoms, one of them of a name, from which being different something follows. Those of what was rolled back stay: that
    /// a name is not made a number in place does no harm.
    pub(super) parted: BTreeSet<[DimRef; 2]>,
    pub(super) kept: KeptFlanks,
    /// Whether somebody only tries, and does not ask why something is refused.
    pub(super) trial: Trial,
    /// A heap to write over, so that no rise of ranks allocates.
    pub(super) rises: BinaryHeap<Rise>,
}

/// What may be chosen about a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How much work it may do.
    pub budget: Budget,
    /// Whether ranks are decided first. Without, a run need not end but by the budget: only for
    /// tests of the rules that deciding ranks pre-empts.
    pub ranks: bool,
}

/// How long a table may be when a batch begins: indices have a tag bit, and a batch needs room.
const MOST_INDICES: u32 = 1 << 30;

/// Constraints that are taken together.
pub(super) type Batch<'a> = SmallVec<[ConstraintRef<'a>; 16]>;

/// Puts a batch in program order. It is a set: what is in it twice is asked once.
fn put_in_program_order(batch: &mut Batch<'_>) {
    // Most come in order, each from an origin of its own.
    if batch.windows(2).all(|pair| pair[0].origin < pair[1].origin) {
        return;
    }
    if !batch.is_sorted_by_key(|constraint| constraint.origin) {
        batch.sort_by_key(|constraint| constraint.origin); // stable
    }
    let is_twice = |place: &usize| is_repeated(batch, *place);
    if (1..batch.len()).any(|place| is_twice(&place)) {
        let once = (0..batch.len()).filter(|place| !is_twice(place));
        *batch = once.map(|place| batch[place]).collect();
    }
}

/// How often each rule was applied, over the life of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stats {
    pub(super) rules: [u64; Rule::ALL.len()],
    pub(super) steps: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { budget: Budget::default(), ranks: true }
    }
}

impl Default for Stats {
    fn default() -> Stats {
        Stats { rules: [0; Rule::ALL.len()], steps: 0 }
    }
}

impl Stats {
    /// How often this rule was applied.
    pub fn count(&self, rule: Rule) -> u64 {
        self.rules[rule as usize]
    }

    /// How many rules were applied.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

impl Solver {
    /// The solver that knows nothing yet.
    pub fn new() -> Solver {
        Solver::default()
    }

    /// The solver that knows nothing yet, with these options.
    pub fn with_options(options: Options) -> Solver {
        let config = Config { options, ..Config::default() };
        Solver { config, ..Solver::default() }
    }

    /// Takes a batch of constraints, in program order: that of their origins, and where those are
    /// the same, that of the batch. The ranks of all of them are decided first.
    ///
    /// # Errors
    /// When they conflict with each other or with what was taken before, or when the budget runs
    /// out. The solver is then as it was.
    pub fn extend<'a>(
        &mut self,
        constraints: impl IntoIterator<Item: Into<ConstraintRef<'a>>>,
    ) -> Result<(), SolveError> {
        let mut batch = Batch::new(); // filled in place: it is too large to be moved about
        batch.extend(constraints.into_iter().map(Into::into));
        put_in_program_order(&mut batch);
        self.extend_by(&batch)
    }

    /// Takes a batch of constraints in the order in which they come, whatever their origins.
    ///
    /// # Errors
    /// As for [`Solver::extend`].
    pub fn extend_ordered<'a>(
        &mut self,
        constraints: impl IntoIterator<Item: Into<ConstraintRef<'a>>>,
    ) -> Result<(), SolveError> {
        let batch: Batch<'a> = constraints.into_iter().map(Into::into).collect();
        self.extend_by(&batch)
    }

    fn extend_by(&mut self, batch: &[ConstraintRef<'_>]) -> Result<(), SolveError> {
        let snapshot = self.snapshot();
        match self.offer_all(batch).and_then(|()| self.run()) {
            Ok(()) => {
                self.commit(snapshot);
                self.verify_now_and_then();
                Ok(())
            }
            Err(stop) => {
                self.roll_back(snapshot);
                Err(stop.into())
            }
        }
    }

    /// Decides the ranks of a batch of constraints and puts it into the queue, without applying a
    /// rule. For those who step a run by hand; everybody else wants [`Solver::extend`].
    ///
    /// # Errors
    /// As for [`Solver::extend`]; but the solver is not rolled back.
    pub fn offer<'a>(
        &mut self,
        constraints: impl IntoIterator<Item: Into<ConstraintRef<'a>>>,
    ) -> Result<(), SolveError> {
        let mut batch: Batch<'a> = constraints.into_iter().map(Into::into).collect();
        put_in_program_order(&mut batch);
        Ok(self.offer_all(&batch)?)
    }

    pub(super) fn offer_all(&mut self, batch: &[ConstraintRef<'_>]) -> Result<(), Stop> {
        if self.config.tables.indices() > MOST_INDICES {
            return Err(Stop::from(Exhausted::Indices));
        }
        let first = self.config.tables.givens.all.end();
        for constraint in batch {
            let cause = Cause::given(self.config.tables.givens.all.end());
            let ask = self.config.take(constraint.relation, cause)?;
            self.config.tables.givens.all.push(Given { ask, origin: constraint.origin });
            self.config.tables.givens.progress.push(Progress::NEW);
        }
        if self.config.options.ranks {
            for given in between(first, self.config.tables.givens.all.end()) {
                self.config.decide_ranks(given)?;
            }
        }
        Ok(())
    }

    /// How often each rule was applied.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// What was chosen about it.
    pub fn options(&self) -> Options {
        self.config.options
    }

    /// Whether the same follows from the constraints that stand in every order: no marker was placed, and
    /// no relation between sizes is among them.
    pub fn is_order_free(&self) -> bool {
        self.config.tables.counts.policy == 0 && self.config.tables.is_unmoved()
    }

    /// How many policy steps were taken for the constraints that stand.
    pub fn policy_steps(&self) -> u32 {
        self.config.tables.counts.policy
    }

    /// How many times a rule met flanks of which each was longer on one side, for the constraints
    /// that stand.
    pub fn shifts(&self) -> u32 {
        self.config.tables.counts.shifted
    }
}

impl Config {
    /// A constraint in the solver's own terms.
    #[inline]
    fn take(&mut self, relation: RelationRef<'_>, cause: Cause) -> Result<Ask, Exhausted> {
        let mut dim = |relation, left: DimTerm, right: DimTerm| Ask::Dim {
            relation,
            left: self.dim_ref(left),
            right: self.dim_ref(right),
        };
        Ok(match relation {
            RelationRef::DimEq(left, right) => dim(Sign::Eq, left, right),
            RelationRef::DimIneq(result, operand) => dim(Sign::Ineq, result, operand),
            RelationRef::RowEq(left, right) => self.row_ask(Sign::Eq, left, right)?,
            RelationRef::RowIneq(result, operand) => self.row_ask(Sign::Ineq, result, operand)?,
            RelationRef::Size(relation) => self.take_size(relation, cause)?,
        })
    }

    #[inline]
    fn row_ask(
        &mut self,
        relation: Sign,
        left: &RowTerm,
        right: &RowTerm,
    ) -> Result<Ask, Exhausted> {
        if left.flanks.rank().max(right.flanks.rank()) > usize::from(self.options.budget.rank) {
            return Err(Exhausted::Rank);
        }
        // The operand first: what is older comes before what refines it, and adjacencies fit.
        let right = self.row_ref(right);
        let left = self.row_ref(left);
        let (next_of_left, next_of_right) = (Link::UNLINKED, Link::UNLINKED);
        Ok(Ask::Row(RowAsk { relation, left, right, next_of_left, next_of_right }))
    }

    pub(super) fn dim_ref(&mut self, term: DimTerm) -> DimRef {
        match term {
            DimTerm::Dim(dim) if self.sizes.has_taken() => self.taken_dim(dim),
            DimTerm::Dim(dim) => self.tables.dims.met.intern(dim),
            DimTerm::Var(var) => {
                let known = self.tables.dims.vars.get(var);
                DimRef::node(known.unwrap_or_else(|| {
                    let node = self.tables.dims.states.push(DimState::new(true));
                    self.tables.dims.vars.insert(var, node);
                    node
                }))
            }
        }
    }

    /// A dimension term that is an axis of a row, in the solver's own terms.
    #[inline]
    fn axis_ref(&mut self, term: DimTerm) -> DimRef {
        let axis = self.dim_ref(term);
        if let Some(node) = self.tables.dims.find(axis).as_node() {
            self.tables.is_axis(node);
        }
        axis
    }

    /// A row term of a rank within the budget, in the solver's own terms.
    #[inline]
    pub(super) fn row_ref(&mut self, term: &RowTerm) -> RowRef {
        let at = self.tables.rows.axes.end();
        let slot = term.var.map(|var| self.tables.rows.slot(var)).into();
        if term.flanks.rank() == 0 {
            return RowRef { flanks: Segment { at, lead: 0, trail: 0 }, slot };
        }
        let (lead, trail) = (term.flanks.lead(), term.flanks.trail());
        for entry in lead {
            let entry = self.axis_ref(*entry);
            self.tables.rows.axes.push(entry);
        }
        for entry in trail.iter().rev() {
            let entry = self.axis_ref(*entry);
            self.tables.rows.axes.push(entry);
        }
        #[allow(clippy::cast_possible_truncation)] // the budget is 16 bits wide
        let flanks = Segment { at, lead: lead.len() as u16, trail: trail.len() as u16 };
        RowRef { flanks, slot }
    }

    #[inline]
    pub(super) fn changed(&mut self, change: Change) {
        if let Some(changes) = &mut self.changes {
            changes.push(change);
        }
    }
}

impl Tables {
    /// Whether markers stand at the same places in every order: each was placed where the one row has it that gives the
    /// row its axes, none met another one in a different place, and no relation between sizes is among the constraints.
    pub(super) fn places_no_other(&self) -> bool {
        self.counts.competed == 0 && self.is_unmoved()
    }

    /// Whether nothing was shifted or supposed, and no relation between sizes is among the constraints.
    pub(super) fn is_unmoved(&self) -> bool {
        // What is supposed comes first.
        let first = self.givens.all.iter().next();
        let is_supposed = first.is_some_and(|given| given.origin == OriginId::NOBODY);
        self.counts.shifted == 0 && !is_supposed && self.relations.all.is_empty()
    }
}

impl Tables {
    /// Takes it that an unbound dimension variable is an axis of a row: so it has elements.
    pub(super) fn is_axis(&mut self, node: DimNode) {
        let DimState::Unbound { bounds, bare: true } = *self.dims.states.at(node) else {
            return;
        };
        self.dims.states.set(node, DimState::Unbound { bounds, bare: false });
        let mut watch = bounds.get().and_then(|bounds| self.dims.bounds.at(bounds).watches.get());
        while let Some(at) = watch {
            let Watch { relation, next } = self.dims.watches.get(at);
            self.ask_size(relation);
            watch = next.get();
        }
    }

    /// Puts a given row constraint into the queue, unless it is there or nothing is left of it.
    #[inline]
    pub(super) fn ask(&mut self, given: GivenId) {
        if let Ask::Size(relation) = self.givens.all.at(given).ask {
            return self.ask_size(relation);
        }
        let progress = self.givens.progress.get(given);
        if progress.queued || progress.status == Status::Done {
            return;
        }
        self.uncount(progress.status);
        self.givens.progress.update(given, |progress| {
            progress.queued = true;
            progress.status = Status::Pending;
        });
        self.queue.push(Pending::Row(given));
    }

    pub(super) fn uncount(&mut self, status: Status) {
        match status {
            Status::DeferredEq => self.counts.deferred_eq -= 1,
            Status::DeferredIneq => self.counts.deferred_ineq -= 1,
            Status::Pending | Status::Done | Status::Adjacent | Status::Cap => {}
        }
    }
}

impl Rows {
    #[inline]
    pub(super) fn slot(&mut self, var: RowVar) -> RowSlot {
        match self.vars.get(var) {
            Some(slot) => slot,
            None => self.new_slot(var),
        }
    }

    fn new_slot(&mut self, var: RowVar) -> RowSlot {
        let node = self.new_row();
        let slot = self.slots.push(Slot {
            var,
            node,
            rank: 0,
            raised_by: PackedOption::NONE,
            limited_by: PackedOption::NONE,
            dependents: PackedOption::NONE,
        });
        self.vars.insert(var, slot);
        slot
    }

    pub(super) fn new_row(&mut self) -> RowNode {
        let (as_left, as_right) = (PackedOption::NONE, PackedOption::NONE);
        let order = Place::of(self.states.end());
        self.states.push(RowState::Open { as_left, as_right, order, class: 1 })
    }

    /// Of two row variables that become one, whether the first is to be bound to the second: that of
    /// which fewer variables are bound, so that paths stay short; among equals the newer one.
    pub(super) fn is_lesser(&self, first: RowNode, second: RowNode) -> bool {
        let weight = |node: RowNode| match *self.states.at(node) {
            RowState::Open { class, .. } => (class, Reverse(node)),
            RowState::Bound { .. } => (0, Reverse(node)),
        };
        weight(first) < weight(second)
    }

    /// The node of a row variable that the program mentioned or a rule minted.
    pub(super) fn row_node(&self, var: RowVar) -> Option<RowNode> {
        let minted = || RowNode::minted_as(var).filter(|node| self.states.has(*node));
        match self.vars.get(var) {
            Some(slot) => Some(self.slots.at(slot).node),
            None => minted(),
        }
    }
}

impl Dims {
    pub(super) fn new_dim(&mut self) -> DimNode {
        self.states.push(DimState::new(false))
    }

    /// What a dimension term is bound to, shortening the path to it.
    pub(super) fn find(&mut self, term: DimRef) -> DimRef {
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

    /// What a dimension term is bound to.
    pub(super) fn resolve(&self, term: DimRef) -> DimRef {
        let mut at = term;
        while let Some(node) = at.as_node() {
            let DimState::Bound { up, .. } = *self.states.at(node) else { break };
            at = up;
        }
        self.met.same(at)
    }

    /// The bounds of an unbound dimension variable, if it has any.
    pub(super) fn bounds_of(&self, node: DimNode) -> Option<Bounds> {
        match *self.states.at(node) {
            DimState::Unbound { bounds, .. } => bounds.get().map(|at| self.bounds.get(at)),
            DimState::Bound { .. } => None,
        }
    }

    /// The atom below a node, if it is an unbound variable that has one.
    pub(super) fn cap(&self, node: DimNode) -> Option<Cap> {
        let cap = self.bounds_of(node).and_then(|bounds| bounds.cap)?;
        Some(Cap { atom: self.met.same(cap.atom), ..cap })
    }

    /// The node of a dimension variable that the program mentioned or a rule minted.
    pub(super) fn dim_node(&self, var: DimVar) -> Option<DimNode> {
        let minted = || DimNode::minted_as(var).filter(|node| self.states.has(*node));
        self.vars.get(var).or_else(minted)
    }

    pub(super) fn degree(&self, node: DimNode) -> u32 {
        self.bounds_of(node).map_or(0, |bounds| bounds.degree + u32::from(bounds.cap.is_some()))
    }

    /// The dimension that a term is, if it is ground.
    pub(super) fn met(&self, term: DimRef) -> Option<Dim> {
        term.as_ground().map(|index| self.met.get(index))
    }

    /// What a term is where every unbound variable is at its top.
    pub(super) fn top(&self, term: DimRef) -> Dim {
        self.met(self.resolve(term)).unwrap_or(Dim::Unit)
    }
}

impl Givens {
    /// Where given constraints come from, in program order, each origin once; what nobody asked comes from
    /// nowhere.
    pub(crate) fn origins(&self, givens: impl IntoIterator<Item = GivenId>) -> Vec<OriginId> {
        let origin = |given| self.all.at(given).origin;
        let asked = |origin: &OriginId| *origin != OriginId::NOBODY;
        let mut origins: Vec<OriginId> = givens.into_iter().map(origin).filter(asked).collect();
        origins.sort_unstable();
        origins.dedup();
        origins
    }
}
