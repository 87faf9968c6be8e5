//! The solver: batches of constraints in, with rolling back when they conflict.

use smallvec::SmallVec;

use lozenge_calculus::{constraint::ConstraintRef, term::RowVar};

use crate::{
    budget::Exhausted,
    config::{Config, Options},
    reading::view::View,
    repeated::is_repeated,
    rules::step::Taken,
    tables::{
        cause::Cause,
        ids::between,
        kept::Extent,
        node::{Given, Progress},
        rule::Rule,
        table::Undo,
    },
    why::conflict::{SolveError, Stop},
};

/// A configuration of the calculus, and the rules that move it.
///
/// A value: cloning it forks it, and two of them never affect each other.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    pub(crate) config: Config,
    /// Open snapshots.
    pub(crate) snapshots: u32,
    /// The number of given constraints when a debug build last verified.
    pub(crate) verified: u32,
    pub(crate) stats: Stats,
    /// Two views to write over, so that no step allocates.
    pub(crate) views: [View; 2],
}

/// How long a table may be when a batch begins: indices have a tag bit, and a batch needs room.
const MOST_INDICES: u32 = 1 << 30;

/// Constraints that are taken together.
pub(crate) type Batch<'a> = SmallVec<[ConstraintRef<'a>; 16]>;

/// The numbers of applications of each rule, over the life of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stats {
    pub(crate) rules: [u64; Rule::ALL.len()],
    pub(crate) steps: u64,
}

/// Puts a batch in program order. It is a set: what is in it twice is asked once.
pub(crate) fn put_in_program_order(batch: &mut Batch<'_>) {
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

impl Default for Stats {
    fn default() -> Stats {
        Stats { rules: [0; Rule::ALL.len()], steps: 0 }
    }
}

impl Stats {
    /// The number of times that this rule was applied.
    pub fn count(&self, rule: Rule) -> u64 {
        self.rules[rule as usize]
    }

    /// The number of applied rules.
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

    /// Whether nothing is in the queue and every given constraint was asked.
    pub(crate) fn is_at_rest(&self) -> bool {
        let tables = &self.config.tables;
        tables.queue.is_empty() && tables.counts.asked == tables.givens.all.end()
    }

    /// Decides the ranks of constraints and takes them, without applying a rule.
    pub(crate) fn offer_all(&mut self, batch: &[ConstraintRef<'_>]) -> Result<(), Stop> {
        if self.config.tables.indices() > MOST_INDICES {
            return Err(Stop::from(Exhausted::Indices));
        }
        let first = self.config.tables.givens.all.end();
        for constraint in batch {
            let cause = Cause::given(self.config.tables.givens.all.end());
            let kind = self.config.take(constraint.relation, cause)?;
            self.config.tables.givens.all.push(Given { kind, origin: constraint.origin });
            self.config.tables.givens.progress.push(Progress::NEW);
        }
        if self.config.options.ranks {
            for given in between(first, self.config.tables.givens.all.end()) {
                self.config.decide_ranks(given)?;
            }
        }
        Ok(())
    }

    /// The numbers of applications of each rule.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The options of the solver.
    pub fn options(&self) -> Options {
        self.config.options
    }

    /// Whether the constraints that stand give the same solved form in every order: no marker was
    /// placed, and no relation between sizes is among them.
    pub fn is_order_free(&self) -> bool {
        self.config.tables.counts.policy == 0 && self.config.tables.is_unmoved()
    }

    /// The number of policy steps that were taken for the constraints that stand.
    pub fn policy_steps(&self) -> u32 {
        self.config.tables.counts.policy
    }

    /// The number of times that a rule met two rows each with one longer flank, for the constraints
    /// that stand.
    pub fn shifts(&self) -> u32 {
        self.config.tables.counts.shifted
    }

    /// Applies rules until nothing is left to ask.
    pub(crate) fn run(&mut self) -> Result<(), Stop> {
        let mut views = core::mem::take(&mut self.views);
        let result = loop {
            match self.step_with(&mut views) {
                Ok(None) => break Ok(()),
                Ok(Some(_)) => {}
                Err(stop) => break Err(stop),
            }
        };
        self.views = views;
        result
    }

    /// Applies one rule; `None` when nothing is left to ask.
    pub(crate) fn step(&mut self) -> Result<Option<Taken>, Stop> {
        let mut views = core::mem::take(&mut self.views);
        let taken = self.step_with(&mut views);
        self.views = views;
        taken
    }

    #[allow(clippy::inline_always)] // `run` is the only caller that counts
    #[inline(always)]
    fn step_with(&mut self, views: &mut [View; 2]) -> Result<Option<Taken>, Stop> {
        let Some(taken) = self.config.step(views)? else { return Ok(None) };
        self.stats.rules[taken.rule as usize] += 1;
        self.stats.steps += 1;
        self.config.within_steps()?;
        Ok(Some(taken))
    }

    /// The solver that knows nothing yet, with the options of this one, with the flanks that it was
    /// told to keep, and with the sizes that are taken for others.
    #[must_use]
    pub fn blank(&self) -> Solver {
        self.config.blank()
    }

    /// The solver that [`Solver::blank`] gives, with no size that is known at run time taken for
    /// another.
    #[must_use]
    pub fn blank_as_written(&self) -> Solver {
        let mut solver = self.blank();
        let late = solver.config.sizes.take_back_all();
        solver.config.equated.retain(|(required, _)| {
            !solver.config.sizes.names_of(required).iter().any(|name| late.contains(name))
        });
        solver
    }

    /// Says that a row variable has at least these flanks in every solution that counts, so that a
    /// growth of it up to there places no marker: a conflict that rests on it is exact.
    ///
    /// Under the one-shot order alone a result may be broadcast anywhere, whatever its operands
    /// are. Whoever knows that it is broadcast only where one of them is says so here, once for
    /// each of them: the least holds. What was said of a variable whose index is used again is
    /// [forgotten](Solver::forget_flanks).
    pub fn keep_flanks(&mut self, var: RowVar, flanks: Extent) {
        self.config.kept.keep(var, flanks);
    }

    /// The flanks that a row variable keeps.
    pub fn kept_flanks(&self, var: RowVar) -> Extent {
        self.config.kept.of(var)
    }

    /// Forgets what was said of a row variable and of all that have a greater index.
    pub fn forget_flanks(&mut self, from: RowVar) {
        self.config.kept.forget(from);
    }
}

impl Config {
    /// The solver that knows nothing yet, with the options, the kept flanks and the equated sizes
    /// of this configuration.
    pub(crate) fn blank(&self) -> Solver {
        let (sizes, equated) = (self.sizes.clone(), self.equated.clone());
        let (options, kept) = (self.options, self.kept.clone());
        let config = Config { options, sizes, equated, kept, ..Config::default() };
        Solver { config, ..Solver::default() }
    }
}
