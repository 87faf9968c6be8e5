//! Closing: a value for every variable that solving left free.
//!
//! A solved form says what must be; a program that runs needs to know what is. [`close`] is a
//! function of a solved form, of the [roles](Roles) of its variables and of a [policy](Policy). It
//! changes nothing: it works on a copy, and closing again after more constraints starts over.
//!
//! Under [`Policy::Default`], in program order:
//!
//! 1. A **leaf**'s row takes the join of the closed rows below it, its own caps and those of the
//!    variables below; where there is none, that of its open caps. Its axes take the atoms below
//!    them. Each commitment is solved before the next. One that cannot stand, because solving fails
//!    or because what waits cannot be satisfied any more, is taken back: the leaf closes upward
//!    there, with a [note](Note::Demoted).
//! 2. What waits gets the least material with which it holds.
//! 3. Everything else takes its greatest value: the claim-free unit, no axes.
//!
//! A **parameter** is a leaf for which 3 is no answer: nobody said how large it is, and the one who
//! wrote the program should. That is an [error](Problem), as is a commitment of its that cannot
//! stand. A row of which some axes are known has no others; one of which none is known is an error.
//! So whoever makes a parameter gives the role to those of its rows that must be found, and not,
//! say, to a batch row that may well be empty.
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

mod choice;
mod closed;
mod closing;
mod counted;
mod founded;
mod holes;
mod joins;
mod leaves;
mod parts;
mod placement;
mod print;
mod problem;
mod roles;
mod settle;
mod sizes;
mod why;
use alloc::{borrow::Cow, boxed::Box, vec::Vec};

use crate::{SolvedForm, tables::ids::before};
use lozenge_calculus::{constraint::Vars, judge::Judge, term::DimVar};

pub use choice::{ClosingRule, Commitment, Dispute, Note, Policy};
pub use closed::Closed;
pub use problem::{CloseError, Problem};
pub use roles::{Role, Roles};
pub use settle::settles;
pub use why::{Chosen, Why};

use closing::Closing;

/// Gives every variable of a solved form a value.
///
/// # Errors
/// When a parameter has an axis that nothing determines, when constraints that wait cannot be
/// satisfied from here, or when the budget of the solver runs out. All problems are told at once.
pub fn close(form: &SolvedForm<'_>, roles: &Roles, policy: Policy) -> Result<Closed, CloseError> {
    close_within(form, roles, policy, &mut u32::MAX.clone())
}

/// [`close`], with a bound on the choices of sizes that are tried together: `tries` is how many are
/// left, before and after.
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

impl Closing<'_> {
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

    fn finish(mut self, policy: Policy) -> Result<Closed, CloseError> {
        let grounding = self.solver.solved().greatest();
        if policy != Policy::Upward {
            self.note_suppositions(&grounding)?;
        }
        self.note_placements(&grounding);
        let undecided = self.solver.config.reasoner().undecided_sizes();
        if cfg!(debug_assertions) && undecided.is_empty() {
            // The size equations of the relations, those that were solved and those of the judge
            // agree.
            let form = self.solver.solved();
            for given in before(self.first) {
                let mut constraint = form.given(given);
                constraint.relation = self.solver.config.taken(&constraint.relation);
                // What a search supposed is over variables that rules minted, and has no value
                // here.
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
