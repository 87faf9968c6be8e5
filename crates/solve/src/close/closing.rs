//! Closing, under way: what is committed, and what is taken back.

use alloc::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    vec::Vec,
};

use crate::{
    AxisTerm, Conflict, Exhausted, SolveError, SolvedForm, Solver, Tail, tables::ids::GivenId,
};
use lozenge_calculus::{
    constraint::OriginId,
    term::{RowVar, Variable},
};

use super::{
    choice::{Asked, Commitment, Dispute, Note, asked_by},
    joins::Joins,
    parts::Parts,
    problem::Problem,
    roles::Roles,
};

/// Closing, under way.
pub(super) struct Closing<'a> {
    /// That of the form, until something is committed or tried.
    pub(super) solver: Cow<'a, Solver>,
    pub(super) roles: &'a Roles,
    /// Commitments are the given constraints from here on.
    pub(super) first: GivenId,
    pub(super) commitments: Vec<Commitment>,
    pub(super) asked: Vec<Asked>,
    pub(super) notes: Vec<Note>,
    pub(super) problems: Vec<Problem>,
    pub(super) demoted_rows: BTreeSet<Variable>,
    pub(super) demoted_axes: BTreeSet<AxisTerm>,
    /// Whether everything that waits holds when all variables are at their tops.
    pub(super) settled: bool,
    /// The parts of the program, once that matters.
    pub(super) parts: Option<Rc<Parts>>,
    /// Those in which a size was chosen for want of anything better, so that what is found may
    /// follow from that.
    pub(super) guessed: BTreeSet<usize>,
    /// Where relations come from for which no number can be chosen, because of open sizes.
    pub(super) hidden: Vec<OriginId>,
    /// How many choices of sizes may still be tried together.
    pub(super) tries: u32,
    /// The rows whose elements or axes are counted, or were before they were known.
    pub(super) counted: BTreeSet<RowVar>,
    /// Those of them that were tried with the join of what is below them.
    pub(super) tried: BTreeSet<RowVar>,
    /// The leaves, by place, that may have something to commit.
    pub(super) open: BTreeSet<usize>,
    /// What is below row variables, as long as it has not changed.
    pub(super) joins: BTreeMap<Tail, Joins>,
    /// The leaves that a change of a row variable or of an axis matters to.
    pub(super) by_tail: BTreeMap<Tail, Vec<usize>>,
    pub(super) by_axis: BTreeMap<AxisTerm, Vec<usize>>,
}

impl<'a> Closing<'a> {
    pub(super) fn new(form: &SolvedForm<'a>, roles: &'a Roles, tries: u32) -> Closing<'a> {
        let solver = form.solver();
        Closing {
            roles,
            first: solver.config.tables.givens.next_given(),
            commitments: Vec::new(),
            asked: Vec::new(),
            notes: Vec::new(),
            problems: Vec::new(),
            demoted_rows: BTreeSet::new(),
            demoted_axes: BTreeSet::new(),
            settled: solver.config.tables.frontier().first_unsettled().is_none(),
            parts: None,
            guessed: BTreeSet::new(),
            hidden: Vec::new(),
            tries,
            counted: solver
                .config
                .reasoner()
                .counted_rows()
                .into_iter()
                .map(|(row, _)| row)
                .collect(),
            tried: BTreeSet::new(),
            open: (0..roles.leaves().len()).collect(),
            joins: BTreeMap::new(),
            by_tail: BTreeMap::new(),
            by_axis: BTreeMap::new(),
            solver: Cow::Borrowed(solver),
        }
    }

    /// A solver of its own, to change.
    pub(super) fn fork(&mut self) -> &mut Solver {
        if let Cow::Borrowed(solver) = self.solver {
            let mut own = solver.clone();
            own.config.watch_changes();
            self.solver = Cow::Owned(own);
        }
        self.solver.to_mut()
    }

    /// Makes a commitment, if it stands; else says which uses of the leaf do not agree.
    pub(super) fn commit(
        &mut self,
        commitment: Commitment,
        asked: Asked,
        choose: impl FnOnce(&mut Solver) -> Result<(), SolveError>,
    ) -> Result<Result<(), Dispute>, Exhausted> {
        let one = |solver: &mut Solver| choose(solver).map(|()| alloc::vec![(commitment, asked)]);
        let Err(against) = self.commit_together(one)? else { return Ok(Ok(())) };
        let asked = asked_by(&self.solver, self.first, asked);
        let against = against.into_iter().filter(|origin| !asked.contains(origin)).collect();
        Ok(Err(Dispute { commitment, asked, against }))
    }

    /// Makes several commitments, one for each given constraint that `choose` adds, if all of them
    /// stand together; else says where the constraints come from that do not allow it.
    pub(super) fn commit_together(
        &mut self,
        choose: impl FnOnce(&mut Solver) -> Result<Vec<(Commitment, Asked)>, SolveError>,
    ) -> Result<Result<(), Vec<OriginId>>, Exhausted> {
        let was_settled = self.settled;
        let snapshot = self.fork().snapshot();
        let against = match choose(self.fork()) {
            Err(SolveError::Exhausted(exhausted)) => return Err(exhausted),
            Err(SolveError::Conflict(conflict)) => self.uses(&conflict),
            Ok(made) => {
                self.settled = self.solver.config.tables.frontier().first_unsettled().is_none();
                if self.settled || self.can_settle()? {
                    self.fork().commit(snapshot);
                    for (commitment, asked) in made {
                        self.commitments.push(commitment);
                        self.asked.push(asked);
                    }
                    self.follow_changes();
                    return Ok(Ok(()));
                }
                self.solver
                    .config
                    .tables
                    .givens
                    .origins(self.solver.config.tables.frontier().first_unsettled())
            }
        };
        self.fork().roll_back(snapshot);
        self.fork().config.changes(); // there are none any more
        self.settled = was_settled;
        Ok(Err(against))
    }

    /// Where the constraints come from that are in a conflict with a commitment.
    fn uses(&self, conflict: &Conflict) -> Vec<OriginId> {
        let givens = conflict.givens.iter().copied().filter(|given| *given < self.first);
        self.solver.config.tables.givens.origins(givens)
    }
}
