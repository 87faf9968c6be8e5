//! What relations between sizes leave open.
//!
//! Everything is solved again after each commitment, and what may commit when is this table. A
//! stage begins when those before it have nothing left.
//!
//! | stage | commits | because |
//! |---|---|---|
//! | leaves | rows and axes of leaves to what is below them | uses say what a leaf is, if anything does |
//! | rows that wait | the least material that fits | sizes cannot be compared before |
//! | counted rows that are bounded, sizes that are found | [what follows](super::counted) | that is not a guess |
//! | counted rows | all but the newest row of a number of elements, or of exact axes, to no axes if that fits; the newest to none if that fits, else to one axis | what is counted must be known before anything it mentions is guessed |
//! | what is stretched | an operand of which nothing else is known to what it is stretched to, also of a parameter; a row of it likewise, before counted rows | it is not stretched if nothing says that it is |
//! | parts that may be left out | to 0 | nothing says that there is any of them |
//! | loose windows | the axis that they go along to what they fill, also of a parameter | nothing is left over or missing |
//! | least sizes | an axis of which it is known that it has at least n to n | something reads that far |
//! | the rest | parts to 1_, or to the least size that fits; a whole follows from its parts | nothing asks for more |
//!
//! A row or an axis of a parameter is never guessed, nor what it follows from: it stays a hole, and
//! that is an error. Parts that are wholes of other relations are chosen last, since they follow.
//!
//! Each choice stands if solving it succeeds; the next size is tried if not. Where that ends
//! without one that fits, the choices before may be to blame, and so a few thousand of them are
//! tried together. No number is chosen against an open size: where one would require something of
//! names the axis stays a hole, and so do those of the leaves that it waits for.
//!
//! The first implementation has more stages: one forces coefficients, which are numbers here;
//! several differ by who commits, which roles say; and one is the upward closing of everything.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    vec::{self, Vec},
};
use core::ops::ControlFlow;

use crate::{
    AxisTerm, Cause, Exhausted, Extent, NextSize, OpenSize, SizeStage, Snapshot, SolveError,
    Solver,
    search::{Bound, Entered, Node, Outcome, OutcomeOf, Tree, search},
    tables::ids::{GivenId, RelationId},
};
use lozenge_calculus::{
    constraint::OriginId,
    dim::{Basis, Dim},
    size::Size,
    term::{DimVar, RowVar, Variable},
};

use super::{
    choice::{Asked, ClosingRule, Commitment, Policy},
    closing::Closing,
    parts::Parts,
    roles::Role,
};

/// The most cases that are tried of choices that are made together.
const TRIES: u32 = 2_000;

/// The most choices that are made together.
const MOST_CHOICES: usize = 100;

/// How far above its least size an axis is tried.
const REACH: u64 = 64;

const STAGES: [SizeStage; 6] = [
    SizeStage::Rows,
    SizeStage::Stretched,
    SizeStage::LeftOut,
    SizeStage::Filled,
    SizeStage::Least,
    SizeStage::Rest,
];

/// What was chosen, and where the relation comes from because of which it was.
type Choices = Vec<(Commitment, OriginId)>;

/// How many parts are settled each by itself.
const MOST_PARTS: usize = 64;

/// What may be chosen, and what it is called.
struct Choosable {
    /// The axes and rows of parameters, which may not.
    axes: BTreeSet<AxisTerm>,
    rows: BTreeSet<RowVar>,
    /// The rows of all leaves.
    leaves: BTreeSet<RowVar>,
    names: BTreeMap<AxisTerm, DimVar>,
    /// The part of the program in which it may, if not in all.
    part: Option<(Rc<Parts>, usize)>,
    /// The axes of which a number that is chosen would require something of names, each with where
    /// it would be.
    hidden: BTreeMap<AxisTerm, OriginId>,
}

impl Choosable {
    /// Whether what is asked there may be chosen now.
    fn is_here(&self, solver: &Solver, cause: Cause) -> bool {
        self.part.as_ref().is_none_or(|(parts, part)| parts.of(solver, cause) == Some(*part))
    }

    /// Leaves an axis open. Gives whether it is one.
    fn hide(&mut self, solver: &Solver, open: OpenSize, origin: OriginId) -> bool {
        let (OpenSize::Axis { axis, .. }
        | OpenSize::Discardable { axis, .. }
        | OpenSize::Filled { axis, .. }) = open
        else {
            return false;
        };
        let hidden = match open {
            // Nor is it found from what would follow from it.
            OpenSize::Filled { .. } => solver.config.tables.open_sizes().together_with(axis),
            _ => BTreeSet::from([solver.config.tables.dims.root(axis)]),
        };
        self.hidden.extend(hidden.into_iter().map(|axis| (axis, origin)));
        true
    }

    fn allows(&self, solver: &Solver, open: OpenSize) -> bool {
        match open {
            OpenSize::Row { var, .. } => !self.rows.contains(&var),
            OpenSize::StretchedRow { var, .. } => self.leaves.contains(&var),
            // Also of a parameter, unless nothing says what it is.
            OpenSize::Stretched { axis, to } => {
                to.is_atom() || !self.axes.contains(&solver.config.tables.dims.root(axis))
            }
            // Also of a parameter: what windows fill is what they say.
            OpenSize::Filled { axis, .. } => {
                !self.hidden.contains_key(&solver.config.tables.dims.root(axis))
            }
            OpenSize::Discardable { axis, .. }
            | OpenSize::Axis { axis, .. }
            | OpenSize::Sized { axis, .. } => {
                let axis = solver.config.tables.dims.root(axis);
                !self.axes.contains(&axis) && !self.hidden.contains_key(&axis)
            }
        }
    }
}

impl Closing<'_> {
    /// Chooses sizes until all relations hold, or nothing is left that may be chosen. `false` when
    /// nothing tried fits.
    pub(super) fn settle_sizes(&mut self, policy: Policy) -> Result<bool, Exhausted> {
        self.hidden.clear();
        if self.solver.deferred().sizes == 0 {
            return Ok(true);
        }
        let mut choosable = self.choosable(policy);
        let (solver, first) = (&self.solver, self.first);
        let parts = self.parts.get_or_insert_with(|| Rc::new(Parts::new(solver, first)));
        let parts = Rc::clone(parts);
        let open = open_parts(solver, &choosable, &parts);
        let each = if open.len() <= 1 || open.len() > MOST_PARTS {
            alloc::vec![(None, open)]
        } else {
            let alone = |part| (Some((Rc::clone(&parts), part)), BTreeSet::from([part]));
            open.into_iter().map(alone).collect()
        };
        for (part, open) in each {
            choosable.part = part;
            if !self.settle_part(&mut choosable, open)? {
                return Ok(false);
            }
        }
        self.hidden = choosable.hidden.into_values().collect();
        Ok(true)
    }

    /// Chooses the sizes of one part of the program, or of all of these together.
    fn settle_part(
        &mut self,
        choosable: &mut Choosable,
        parts: BTreeSet<usize>,
    ) -> Result<bool, Exhausted> {
        let mut chosen = Choices::new();
        let solver = self.fork();
        let snapshot = solver.snapshot();
        let mut settled =
            solver.try_out(|solver| choose_in_turn(solver, choosable, &mut chosen))?;
        if settled {
            solver.commit(snapshot);
        } else {
            solver.roll_back(snapshot);
            chosen.clear();
            let most = TRIES.min(self.tries);
            let mut bound = Bound { tries: most, depth: MOST_CHOICES };
            let together = |solver: &mut Solver| {
                let mut sizes = Sizes { solver, choosable, bound, chosen: &mut chosen };
                let outcome = search(&mut sizes);
                bound = sizes.bound;
                Ok(matches!(outcome?, Outcome::Solution(())))
            };
            settled = self.fork().try_out_explained(together)?;
            self.tries -= most - bound.tries;
        }
        if settled {
            if !chosen.is_empty() {
                self.guessed.extend(parts);
            }
            for (commitment, origin) in chosen {
                self.commitments.push(commitment);
                self.asked.push(Asked::Origin(origin));
            }
            self.follow_changes();
        }
        Ok(settled)
    }

    /// What does not belong to parameters. Closing upward does not ask for roles.
    fn choosable(&self, policy: Policy) -> Choosable {
        let names = self.solver.config.tables.dims.axis_names();
        let mut choosable = Choosable {
            axes: BTreeSet::new(),
            rows: BTreeSet::new(),
            leaves: BTreeSet::new(),
            names,
            part: None,
            hidden: BTreeMap::new(),
        };
        if policy == Policy::Upward {
            return choosable;
        }
        for (var, role) in self.roles.leaves() {
            match (*var, *role) {
                (Variable::Row(var), Role::Leaf) => {
                    choosable.leaves.insert(var);
                }
                (_, Role::Leaf | Role::Interior) => {}
                (Variable::Dim(var), Role::Parameter) => {
                    choosable.axes.extend(
                        self.solver
                            .config
                            .tables
                            .dims
                            .axis(var)
                            .map(|axis| self.solver.config.tables.dims.root(axis)),
                    );
                }
                (Variable::Row(var), Role::Parameter) => {
                    choosable.rows.insert(var);
                    choosable.leaves.insert(var);
                    if let Some(known) = self.solver.config.tables.rows.known(var) {
                        choosable.axes.extend(
                            known.axes().map(|axis| self.solver.config.tables.dims.root(axis)),
                        );
                    }
                }
            }
        }
        choosable
    }
}

/// The parts of the program in which something can be chosen.
fn open_parts(solver: &Solver, choosable: &Choosable, parts: &Parts) -> BTreeSet<usize> {
    let mut open = BTreeSet::new();
    for stage in STAGES {
        let mut place = 0;
        loop {
            match solver
                .config
                .tables
                .open_sizes()
                .open_size(stage, place, &|open| choosable.allows(solver, open))
            {
                NextSize::End => break,
                NextSize::Nothing => {}
                NextSize::Choose(cause, _) => open.extend(parts.of(solver, cause)),
            }
            place += 1;
        }
    }
    open
}

/// Makes one choice after another, each the first that fits. May leave the solver half done.
fn choose_in_turn(
    solver: &mut Solver,
    choosable: &mut Choosable,
    chosen: &mut Choices,
) -> Result<bool, Exhausted> {
    loop {
        let before = chosen.len();
        for stage in STAGES {
            // Parts that are wholes of other relations follow, if those are chosen first.
            let wholes = solver.config.tables.open_sizes().open_wholes();
            if !pass(solver, stage, choosable, &wholes, chosen)? {
                return Ok(false);
            }
        }
        if chosen.len() == before {
            // What is left goes round in a circle, or nothing makes it follow.
            let none = BTreeSet::new();
            for stage in [SizeStage::Least, SizeStage::Rest] {
                if !pass(solver, stage, choosable, &none, chosen)? {
                    return Ok(false);
                }
            }
        }
        if chosen.len() == before {
            return Ok(true);
        }
    }
}

/// Goes once through the relations that are open.
fn pass(
    solver: &mut Solver,
    stage: SizeStage,
    choosable: &mut Choosable,
    wholes: &BTreeSet<AxisTerm>,
    chosen: &mut Choices,
) -> Result<bool, Exhausted> {
    let mut place = 0;
    loop {
        let follows = |open: OpenSize| match open {
            OpenSize::Axis { axis, .. } => wholes.contains(&solver.config.tables.dims.root(axis)),
            OpenSize::Filled { .. }
            | OpenSize::Row { .. }
            | OpenSize::Discardable { .. }
            | OpenSize::StretchedRow { .. }
            | OpenSize::Stretched { .. }
            | OpenSize::Sized { .. } => false,
        };
        let may_choose = |open| choosable.allows(solver, open) && !follows(open);
        let (origin, open) =
            match solver.config.tables.open_sizes().open_size(stage, place, &may_choose) {
                NextSize::End => return Ok(true),
                NextSize::Choose(cause, open) if choosable.is_here(solver, cause) => {
                    (solver.config.reasoner().first_origin(cause), open)
                }
                NextSize::Nothing | NextSize::Choose(..) => {
                    place += 1;
                    continue;
                }
            };
        let mut fits = false;
        let commitment = commitment(solver, open, choosable); // while the axis has no value yet
        for choice in choices(solver, open) {
            let snapshot = solver.snapshot();
            let required = solver.config.equations().requirement_count();
            match choose(solver, choice) {
                Ok(()) if is_hidden(solver, open, required) => {
                    solver.roll_back(snapshot);
                    fits = choosable.hide(solver, open, origin);
                    break;
                }
                Ok(()) => {
                    solver.commit(snapshot);
                    chosen.push((commitment, origin));
                    fits = true;
                    break;
                }
                Err(SolveError::Conflict(_)) => solver.roll_back(snapshot),
                Err(SolveError::Exhausted(exhausted)) => return Err(exhausted),
            }
        }
        if !fits && open.is_beside_open() {
            fits = choosable.hide(solver, open, origin);
        }
        if !fits {
            return Ok(false);
        }
    }
}

/// Choices that are made together. A choice that has nothing to do with why none of the others fit
/// is not changed because of them. Where none fit, the solver is left as it was.
struct Sizes<'a> {
    solver: &'a mut Solver,
    choosable: &'a Choosable,
    bound: Bound,
    chosen: &'a mut Choices,
}

/// A size that is chosen.
struct Sizing {
    open: OpenSize,
    commitment: Commitment,
    origin: OriginId,
    cases: vec::IntoIter<Choice>,
    /// The given constraint that a case becomes.
    given: GivenId,
    /// The given constraints because of which the cases that were tried do not fit.
    because: BTreeSet<GivenId>,
}

impl Tree for Sizes<'_> {
    type Choice = Sizing;
    type Case = Choice;
    type Mark = Snapshot;
    type Found = ();
    type Why = BTreeSet<GivenId>;

    fn look(&mut self) -> Result<Node<Self>, Exhausted> {
        let Sizes { solver, choosable, .. } = self;
        if self.chosen.len() >= self.bound.depth {
            return Ok(Node::Leaf(Outcome::Beyond));
        }
        let may_choose = |open| choosable.allows(solver, open);
        let next = |stage: &SizeStage| {
            let mut place = 0;
            loop {
                match solver.config.tables.open_sizes().open_size(*stage, place, &may_choose) {
                    NextSize::End => return None,
                    NextSize::Choose(cause, open) if choosable.is_here(solver, cause) => {
                        return Some((solver.config.reasoner().first_origin(cause), open));
                    }
                    NextSize::Nothing | NextSize::Choose(..) => place += 1,
                }
            }
        };
        let Some((origin, open)) = STAGES.iter().find_map(next) else {
            return Ok(Node::Leaf(Outcome::Solution(())));
        };
        Ok(Node::Choose(Sizing {
            open,
            commitment: commitment(solver, open, choosable),
            origin,
            cases: choices(solver, open).into_iter(),
            given: solver.config.tables.givens.next_given(),
            because: BTreeSet::new(),
        }))
    }

    fn next(&mut self, sizing: &mut Sizing) -> Option<Choice> {
        sizing.cases.next()
    }

    fn pay(&mut self) -> bool {
        self.bound.pay()
    }

    fn enter(
        &mut self,
        sizing: &Sizing,
        case: Choice,
    ) -> Result<(Snapshot, Entered<Self>), Exhausted> {
        let snapshot = self.solver.snapshot();
        let required = self.solver.config.equations().requirement_count();
        self.chosen.push((sizing.commitment, sizing.origin));
        let entered = match choose(self.solver, case) {
            Ok(()) if !is_hidden(self.solver, sizing.open, required) => Entered::Node,
            // What windows fill is not another size because of open ones.
            Ok(()) if matches!(sizing.open, OpenSize::Filled { .. }) => Entered::Last,
            Ok(()) => Entered::Leaf(Outcome::Refuted(BTreeSet::from([sizing.given]))),
            Err(SolveError::Conflict(conflict)) => {
                Entered::Leaf(Outcome::Refuted(conflict.givens.iter().copied().collect()))
            }
            Err(SolveError::Exhausted(exhausted)) => {
                self.leave(sizing, snapshot, false);
                return Err(exhausted);
            }
        };
        Ok((snapshot, entered))
    }

    fn leave(&mut self, _: &Sizing, snapshot: Snapshot, is_solution: bool) {
        if is_solution {
            self.solver.commit(snapshot);
        } else {
            self.chosen.pop();
            self.solver.roll_back(snapshot);
        }
    }

    fn learn(
        &mut self,
        sizing: &mut Sizing,
        _: Choice,
        outcome: OutcomeOf<Self>,
    ) -> ControlFlow<OutcomeOf<Self>> {
        match outcome {
            Outcome::Refuted(others) if others.contains(&sizing.given) => {
                sizing.because.extend(others);
                ControlFlow::Continue(())
            }
            outcome => ControlFlow::Break(outcome),
        }
    }

    fn end(&mut self, mut sizing: Sizing) -> OutcomeOf<Self> {
        sizing.because.remove(&sizing.given);
        Outcome::Refuted(sizing.because)
    }
}

/// Whether a number that was chosen for an axis requires something of names: it was chosen against
/// an open size.
fn is_hidden(solver: &Solver, open: OpenSize, required: usize) -> bool {
    matches!(open, OpenSize::Axis { .. } | OpenSize::Filled { .. })
        && solver.config.equations().requires_more(required)
}

fn choose(solver: &mut Solver, choice: Choice) -> Result<(), SolveError> {
    match choice {
        Choice::Row(var, extent) => solver.choose().extent(var, extent),
        Choice::Axis(axis, dim) => solver.choose().dim(axis, dim),
        Choice::Rest(relation, rest) => solver.choose().rest(relation, rest),
    }
}

/// Something to try.
#[derive(Clone, Copy)]
enum Choice {
    Row(RowVar, Extent),
    Axis(AxisTerm, Dim),
    /// So much is left over.
    Rest(RelationId, u64),
}

/// What can be tried, in order.
fn choices(solver: &Solver, open: OpenSize) -> Vec<Choice> {
    match open {
        OpenSize::Row { var, most } => extents(solver, var, 0..=most),
        OpenSize::StretchedRow { var, more } => extents(solver, var, [more, 0]),
        OpenSize::Stretched { axis, to } => {
            [to, Dim::Unit].into_iter().map(|dim| Choice::Axis(axis, dim)).collect()
        }
        OpenSize::Filled { relation, most, .. } => {
            (0..=most.min(REACH)).map(|rest| Choice::Rest(relation, rest)).collect()
        }
        OpenSize::Sized { axis, size, basis } => {
            let atom = |basis| Some(Choice::Axis(axis, Dim::atom(Size::int(size).ok()?, basis)));
            [basis, Basis::DEFAULT].into_iter().filter_map(atom).collect()
        }
        OpenSize::Discardable { axis, least, beside_open }
        | OpenSize::Axis { axis, least, beside_open } => {
            let dim = |n| match n {
                0 => Some(Dim::atom(Size::ZERO, Basis::DEFAULT)),
                1 => Some(Dim::Unit),
                n => Dim::int(n).ok(),
            };
            let reach = if beside_open { 0 } else { REACH };
            let sizes = least..=least.saturating_add(reach);
            sizes.filter_map(dim).map(|dim| Choice::Axis(axis, dim)).collect()
        }
    }
}

/// A row with each of these numbers of axes more.
fn extents(solver: &Solver, var: RowVar, more: impl IntoIterator<Item = usize>) -> Vec<Choice> {
    let Some(known) = solver.config.tables.rows.known(var) else { return Vec::new() };
    let extent = |more| Some(Choice::Row(var, known.extent_with(0, more).ok()?));
    more.into_iter().filter_map(extent).collect()
}

fn commitment(solver: &Solver, open: OpenSize, choosable: &Choosable) -> Commitment {
    let var = |axis| Variable::Dim(solver.config.tables.dims.axis_var(axis, &choosable.names));
    let (var, rule) = match open {
        OpenSize::Row { var, .. } => (Variable::Row(var), ClosingRule::Counted),
        OpenSize::StretchedRow { var, .. } => (Variable::Row(var), ClosingRule::Join),
        OpenSize::Stretched { axis, .. } => (var(axis), ClosingRule::Atom),
        OpenSize::Discardable { axis, .. } => (var(axis), ClosingRule::LeftOut),
        OpenSize::Axis { axis, .. }
        | OpenSize::Filled { axis, .. }
        | OpenSize::Sized { axis, .. } => (var(axis), ClosingRule::LeastSize),
    };
    Commitment { var, axis: None, rule }
}
