//! Closing: a value for every variable that solving left free.
//!
//! A solved form says what must be; a program that runs needs to know what is. [`close`] is a function of
//! a solved form, of the [roles](Roles) of its variables and of a [policy](Policy). It changes
//! nothing: it works on a copy, and closing again after more constraints starts over.
//!
//! Under [`Policy::Default`], in program order:
//!
//! 1. A **leaf**'s row takes the join of the closed rows below it, its own caps and those of the
//!    variables below; where there is none, that of its open caps. Its axes take the atoms below them.
//!    Each commitment is solved before the next. One that cannot stand, because solving fails or
//!    because what waits cannot be satisfied any more, is taken back: the leaf closes upward there,
//!    with a [note](Note::Demoted).
//! 2. What waits gets the least material with which it holds.
//! 3. Everything else takes its greatest value: the claim-free unit, no axes.
//!
//! A **parameter** is a leaf for which 3 is no answer: nobody said how large it is, and the one who
//! wrote the program should. That is an [error](Problem), as is a commitment of its that cannot
//! stand. A row of which some axes are known has no others; one of which none is known is an error.
//! So whoever makes a parameter gives the role to those of its rows that must be found, and not, say,
//! to a batch row that may well be empty.
//!
//! ```
//! use lozenge_solve::{close::{Policy, Role, Roles, close}, Solver};
//! use lozenge_calculus::text::Names;
//!
//! let mut names = Names::new();
//! // A vector of 3 goes into w, and what comes out is added to a vector of 2.
//! let store = names.parse_store("⟨in⟩ ⊑ ◊[3]; ⟨sum⟩ ⊑ ⟨out⟩; ⟨sum⟩ ⊑ ◊[2]")?;
//! let mut solver = Solver::new();
//! solver.extend(&store).unwrap();
//! let (input, output) = (names.row_var("in").unwrap(), names.row_var("out").unwrap());
//! let roles = Roles::new([(input, Role::Parameter), (output, Role::Parameter)]);
//! let closed = close(&solver.solved(), &roles, Policy::Default).unwrap();
//! assert_eq!(closed.grounding().row_var(input).to_string(), "◊[3]");
//! assert_eq!(closed.grounding().row_var(output).to_string(), "◊[2]");
//! # Ok::<(), lozenge_calculus::text::TextError>(())
//! ```

mod counted;
mod founded;
mod leaves;
mod parts;
mod placement;
mod print;
mod problem;
mod roles;
mod settle;
mod sizes;
mod why;

use alloc::{
    borrow::Cow,
    boxed::Box,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    vec::Vec,
};

use crate::{
    AxisTerm, CapReason, Conflict, Exhausted, SolveError, SolvedForm, Solver, Tail,
    tables::ids::{GivenId, before},
};
use lozenge_calculus::{
    constraint::{OriginId, Vars},
    judge::Judge,
    size::{Requirement, Sizes},
    term::{DimVar, Grounding, RowVar, Variable},
};

use parts::Parts;

pub use problem::{CloseError, Problem};
pub use roles::{Role, Roles};
pub use settle::settles;
pub use why::{Chosen, Why};

/// How closing chooses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Policy {
    /// Leaves are as small as their uses allow them to be without broadcasting; interiors are as
    /// general as they can be.
    #[default]
    Default,
    /// Everything is as general as it can be, γ↑; roles do not matter.
    Upward,
    /// As the default, but where nothing says what a leaf is, or what waits has a choice, that is a
    /// problem.
    Refuse,
}

/// A value for every variable, and how it came about.
#[derive(Clone, Debug)]
pub struct Closed {
    grounding: Grounding,
    /// What sizes are that are no numbers, and what has to hold of them.
    sizes: Sizes,
    requirements: Vec<(Requirement, Vec<OriginId>)>,
    /// What is declared to hold of them.
    facts: Vec<Requirement>,
    notes: Vec<Note>,
    /// The solver with all commitments made, if there are any.
    solver: Option<Box<Solver>>,
    /// What each given constraint from here on committed.
    first: GivenId,
    commitments: Vec<Commitment>,
    /// What asked for each of them.
    asked: Vec<Asked>,
}

/// What asks for a commitment. Whose origins these are is found when somebody wants to know.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Cap(CapReason),
    Rows([GivenId; 2]),
    Origin(OriginId),
}

/// Something that closing chose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Commitment {
    /// Of which variable.
    pub var: Variable,
    /// Which axis of its row, from the front; `None` for a dimension variable and for the number of axes
    /// of a row.
    pub axis: Option<usize>,
    /// By which rule.
    pub rule: ClosingRule,
}

/// Why closing chose what it chose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ClosingRule {
    /// An axis of a leaf takes the atom below it.
    Atom,
    /// The row of a leaf takes the join of the closed rows below it.
    Join,
    /// The row of a leaf takes the join of its open caps, as no closed row is below it.
    OpenJoin,
    /// The least material with which a constraint holds that waited.
    Least,
    /// The row of a number of elements or of exact axes has no more axes, or one.
    Counted,
    /// The row that was set to a number of elements is one axis.
    OneAxis,
    /// An axis whose size was found is an atom.
    Found,
    /// A part that may be left out has no elements.
    LeftOut,
    /// The least size with which relations between sizes hold.
    LeastSize,
}

/// What is worth knowing about how a program was closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// A commitment of a leaf could not stand, and the leaf closed upward there.
    Demoted(Dispute),
    /// Whether two axes of this constraint are the same one depends on their sizes; here they are.
    AxesOverlap(OriginId),
    /// This relation between sizes is over a named size, so whether it holds is not known.
    Undecided(OriginId),
    /// Two declarations place the marker of a row differently, and an inequality sees which one
    /// holds.
    PlacementCompetes {
        /// The row.
        var: Variable,
        /// The declaration that holds; none where neither fits, and the marker stands elsewhere.
        holds: Option<OriginId>,
        /// The one that does not.
        yields: OriginId,
        /// The inequality that sees it.
        seen_by: OriginId,
    },
}

/// Uses of a leaf that do not agree on what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispute {
    /// What would have been committed.
    pub commitment: Commitment,
    /// Where the constraints come from that ask for it.
    pub asked: Vec<OriginId>,
    /// Where those come from that do not allow it.
    pub against: Vec<OriginId>,
}

/// Gives every variable of a solved form a value.
///
/// # Errors
/// When a parameter has an axis that nothing determines, when constraints that wait cannot be
/// satisfied from here, or when the budget of the solver runs out. All problems are told at once.
pub fn close(form: &SolvedForm<'_>, roles: &Roles, policy: Policy) -> Result<Closed, CloseError> {
    close_within(form, roles, policy, &mut u32::MAX.clone())
}

/// The same, where no more than so many choices of sizes are tried together, which are taken off.
pub(crate) fn close_within(
    form: &SolvedForm<'_>,
    roles: &Roles,
    policy: Policy,
    tries: &mut u32,
) -> Result<Closed, CloseError> {
    let solver = form.solver();
    let waits = !solver.deferred().is_none() || solver.config.tables.dims.has_found_sizes();
    if roles.leaves().is_empty() && !waits && solver.policy_steps() == 0 {
        // Nothing to choose, nothing to say.
        let (notes, commitments, asked) = (Vec::new(), Vec::new(), Vec::new());
        let (grounding, first) = (form.greatest(), solver.config.tables.givens.next_given());
        return Ok(Closed {
            grounding,
            sizes: solver.sizes().clone(),
            requirements: solver.config.equations().requirements(),
            facts: Vec::new(),
            notes,
            solver: None,
            first,
            commitments,
            asked,
        });
    }
    let mut closing = Closing::new(form, roles, *tries);
    let ran = closing.run(policy);
    *tries = closing.tries;
    ran?;
    closing.problems(policy)?;
    closing.finish(policy)
}

impl Closed {
    /// The value of every variable of the program.
    pub fn grounding(&self) -> &Grounding {
        &self.grounding
    }

    /// What the sizes are that are no numbers.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// What has to hold of named sizes, each with where the constraints come from that ask for it.
    pub fn requirements(&self) -> &[(Requirement, Vec<OriginId>)] {
        &self.requirements
    }

    /// Takes it for declared that this holds of named sizes: what follows from it is not asked again.
    pub fn assume(&mut self, facts: Vec<Requirement>) {
        let sizes = &self.sizes;
        let all: Vec<&Requirement> = facts.iter().collect();
        let follows = |asked: &Requirement| sizes.follows_from(asked, &all);
        self.requirements.retain(|(asked, _)| !follows(asked));
        self.facts = facts;
    }

    /// What is declared to hold of named sizes.
    pub fn facts(&self) -> &[Requirement] {
        &self.facts
    }

    /// What is worth knowing.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// What was committed, in order.
    pub fn commitments(&self) -> &[Commitment] {
        &self.commitments
    }

    /// How many commitments of leaves could not stand.
    pub fn demotions(&self) -> usize {
        self.notes.iter().filter(|note| matches!(note, Note::Demoted(_))).count()
    }
}

/// Closing, under way.
struct Closing<'a> {
    /// That of the form, until something is committed or tried.
    solver: Cow<'a, Solver>,
    roles: &'a Roles,
    /// Commitments are the given constraints from here on.
    first: GivenId,
    commitments: Vec<Commitment>,
    asked: Vec<Asked>,
    notes: Vec<Note>,
    problems: Vec<Problem>,
    demoted_rows: BTreeSet<Variable>,
    demoted_axes: BTreeSet<AxisTerm>,
    /// Whether everything that waits holds when all variables are at their tops.
    settled: bool,
    /// The parts of the program, once that matters.
    parts: Option<Rc<Parts>>,
    /// Those in which a size was chosen for want of anything better, so that what is found may follow from that.
    guessed: BTreeSet<usize>,
    /// Where relations come from for which no number can be chosen, because of open sizes.
    hidden: Vec<OriginId>,
    /// How many choices of sizes may still be tried together.
    tries: u32,
    /// The rows whose elements or axes are counted, or were before they were known.
    counted: BTreeSet<RowVar>,
    /// Those of them that were tried with the join of what is below them.
    tried: BTreeSet<RowVar>,
    /// The leaves, by place, that may have something to commit.
    open: BTreeSet<usize>,
    /// What is below row variables, as long as it has not changed.
    joins: BTreeMap<Tail, leaves::Joins>,
    /// The leaves that a change of a row variable or of an axis matters to.
    by_tail: BTreeMap<Tail, Vec<usize>>,
    by_axis: BTreeMap<AxisTerm, Vec<usize>>,
}

impl<'a> Closing<'a> {
    fn new(form: &SolvedForm<'a>, roles: &'a Roles, tries: u32) -> Closing<'a> {
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
    fn fork(&mut self) -> &mut Solver {
        if let Cow::Borrowed(solver) = self.solver {
            let mut own = solver.clone();
            own.config.watch_changes();
            self.solver = Cow::Owned(own);
        }
        self.solver.to_mut()
    }

    fn run(&mut self, policy: Policy) -> Result<(), CloseError> {
        if !self.settled && policy != Policy::Refuse && !self.can_settle()? {
            return Err(self.unsettled());
        }
        loop {
            let before = self.commitments.len();
            if policy != Policy::Upward {
                self.close_leaves()?;
            }
            if policy == Policy::Refuse {
                return Ok(self.close_found(policy)?);
            }
            if policy != Policy::Upward && self.settle_for_leaf()? {
                continue;
            }
            if !self.settled {
                if !self.settle()? {
                    return Err(self.unsettled());
                }
                continue;
            }
            if self.solver.deferred().sizes > 0 {
                self.close_counted_rows()?;
            }
            self.close_found(policy)?;
            if self.commitments.len() == before && !self.settle_sizes(policy)? {
                let origin = self.solver.config.reasoner().unsettled_size().unwrap_or_default();
                return Err(CloseError::from(Problem::Unsettled(origin)));
            }
            if self.commitments.len() == before {
                return Ok(());
            }
            self.settled = self.solver.config.tables.frontier().first_unsettled().is_none();
        }
    }

    fn unsettled(&self) -> CloseError {
        let origin = |given| self.solver.config.tables.givens.given_origin(given);
        let given = self.solver.config.tables.frontier().first_unsettled();
        CloseError::from(Problem::Unsettled(given.map(origin).unwrap_or_default()))
    }

    /// Makes a commitment, if it stands; else says which uses of the leaf do not agree.
    fn commit(
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

    /// Makes several commitments, one for each given constraint that `choose` adds, if all of them stand
    /// together; else says where the constraints come from that do not allow it.
    fn commit_together(
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

    fn finish(mut self, policy: Policy) -> Result<Closed, CloseError> {
        let grounding = self.solver.solved().greatest();
        if policy != Policy::Upward {
            self.note_suppositions(&grounding)?;
        }
        self.note_placements(&grounding);
        let undecided = self.solver.config.reasoner().undecided_sizes();
        if cfg!(debug_assertions) && undecided.is_empty() {
            // The size equations of the relations, those that were solved and those of the judge agree.
            let form = self.solver.solved();
            for given in before(self.first) {
                let mut constraint = form.given(given);
                constraint.relation = self.solver.config.taken(&constraint.relation);
                // What a search supposed is over variables that rules minted, and has no value here.
                let vars = Vars::of([&constraint]);
                let minted = vars.dims.iter().any(|var| var.index() >= DimVar::MINTED);
                debug_assert!(
                    minted
                        || Judge::OneShot.satisfies_with(
                            self.solver.sizes(),
                            &grounding,
                            &constraint
                        ),
                    "{constraint} is not satisfied by {grounding}"
                );
            }
        }
        self.notes.extend(undecided.into_iter().map(Note::Undecided));
        let (sizes, requirements) =
            (self.solver.sizes().clone(), self.solver.config.equations().requirements());
        let Closing { solver, first, commitments, asked, notes, .. } = self;
        let solver = match solver {
            Cow::Owned(solver) if !commitments.is_empty() => Some(Box::new(solver)),
            Cow::Owned(_) | Cow::Borrowed(_) => None,
        };
        let facts = Vec::new();
        Ok(Closed {
            grounding,
            sizes,
            requirements,
            facts,
            notes,
            solver,
            first,
            commitments,
            asked,
        })
    }
}

/// Where the constraints come from that ask for a commitment; commitments come from nowhere.
fn asked_by(solver: &Solver, first: GivenId, asked: Asked) -> Vec<OriginId> {
    let givens = match asked {
        Asked::Cap(reason) => solver.config.reasoner().cap_reasons(reason),
        Asked::Rows(givens) => givens.to_vec(),
        Asked::Origin(origin) => return alloc::vec![origin],
    };
    solver.config.tables.givens.origins(givens.into_iter().filter(|given| *given < first))
}
