//! What a session is made of.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_calculus::{constraint::Constraint, dim::Dim, term::DimTerm};
use lozenge_solve::Solver;

use super::{Site, brand::Brand, program::Program};
use crate::{
    Kind, PartialShape,
    diagnostic::Code,
    operation::{Einsum, Schemes},
    session::step::StepId,
    shape::Naming,
};

/// A tensor program under construction, with its shapes as far as they are inferred.
///
/// ```
/// use lozenge::Session;
///
/// let mut session = Session::new();
/// let x = session.data("x", "32|->784")?;
/// let w = session.parameter("w"); // nobody says what shape it has
/// let b = session.parameter_of("b", "10")?;
/// let product = session.compose(w, x)?;
/// let y = session.pointwise("+", &[product, b])?;
/// let shapes = session.close()?;
/// assert_eq!(shapes.shape(w)?.to_string(), "784->10");
/// assert_eq!(shapes.shape(y)?.to_string(), "32|10");
/// # Ok::<(), lozenge::Report>(())
/// ```
#[derive(Debug, Default)]
pub struct Session {
    pub(crate) brand: Brand,
    /// The program and the state of its inference.
    pub(crate) inference: Inference,
    /// The schemes that were made.
    pub(super) schemes: Schemes,
    /// The specifications that were read, by their texts.
    pub(super) einsums: BTreeMap<Box<str>, Einsum>,
    /// Where steps are asked for, if not where they are called for.
    pub(super) site: Option<Site>,
}

/// The state of inference of a program: its steps, the solver, and the constraints that are
/// deferred. It has no handles, so that a session can try something on a fork of it.
#[derive(Debug, Default)]
pub(crate) struct Inference {
    pub(crate) solver: Solver,
    pub(crate) program: Program,
    /// The constraints of the operation under way; empty otherwise.
    pub(super) batch: Vec<Constraint>,
    /// The deferred constraints, which the solver has not taken because of where it placed markers:
    /// whether everything fits with other placements was not found out.
    pub(super) aside: Vec<Constraint>,
    /// When to look for that again.
    pub(super) patience: Patience,
    /// Whether it is there to try something, and nobody reads what it says.
    pub(super) is_trial: bool,
    /// The warnings and notes that closing leaves out.
    pub(super) allowed: BTreeSet<Code>,
}

/// How many steps are taken before a search that found nothing out is asked again: more each time,
/// so that all searches together cost no more than a few.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patience {
    steps: u32,
    left: u32,
}

impl Patience {
    pub(super) fn grow(&mut self) {
        self.steps = 2 * self.steps + 1;
        self.left = self.steps;
    }

    /// Whether that many steps were taken; this is one of them.
    pub(super) fn is_over(&mut self) -> bool {
        let is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_over
    }
}

/// A fork: both go on from here, and neither sees what the other does.
impl Clone for Session {
    fn clone(&self) -> Session {
        self.with_inference(self.inference.clone())
    }
}

impl Session {
    /// A fork that knows this.
    pub(super) fn with_inference(&self, inference: Inference) -> Session {
        Session {
            brand: self.brand.fork(self.inference.program.next_step()),
            inference,
            schemes: self.schemes.clone(),
            einsums: self.einsums.clone(),
            site: None,
        }
    }
}

/// A session of its own, whose handles are made anew.
impl From<Inference> for Session {
    fn from(inference: Inference) -> Session {
        Session { inference, ..Session::default() }
    }
}

/// A fork, in which no operation is under way.
impl Clone for Inference {
    fn clone(&self) -> Inference {
        self.with_solver(self.solver.clone())
    }
}

impl Inference {
    /// A fork that knows what this solver does.
    pub(crate) fn with_solver(&self, solver: Solver) -> Inference {
        Inference {
            solver,
            program: self.program.clone(),
            batch: Vec::new(),
            aside: self.aside.clone(),
            patience: self.patience,
            is_trial: self.is_trial,
            allowed: self.allowed.clone(),
        }
    }

    /// The constraints that the program asks, in order.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        self.solver.given().chain(self.aside.iter().cloned())
    }

    /// Whether closing leaves this warning or note out.
    pub(crate) fn allows(&self, code: Code) -> bool {
        self.allowed.contains(&code)
    }

    /// What dimensions are called.
    pub(crate) fn naming(&self) -> Naming<'_> {
        self.program.name_table.with(self.solver.sizes())
    }

    pub(crate) fn partial(&self, number: StepId) -> PartialShape {
        let rows = Kind::ALL.map(|kind| {
            let mut row = self.solver.resolved_row(&self.program.row(number, kind));
            // A size that was found is known, whatever else the axis turns out to be.
            let sized = |term: &DimTerm| match self.solver.known_size(*term).map(Dim::int) {
                Some(Ok(dim)) => DimTerm::Dim(dim),
                Some(Err(_)) | None => *term,
            };
            row.flanks = row.flanks.map(sized);
            row
        });
        self.naming().partial(&rows)
    }
}
