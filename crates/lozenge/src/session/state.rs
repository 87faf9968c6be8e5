//! What a session is made of.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_calculus::constraint::Constraint;
use lozenge_solve::Solver;

use super::{Site, brand::Brand, program::Program};
use crate::{
    diagnostic::Code,
    operation::{Einsum, Schemes},
};

/// A tensor program under construction, and what is known of its shapes.
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
    pub(crate) solver: Solver,
    pub(crate) program: Program,
    /// The constraints of the operation under way; empty otherwise.
    pub(super) batch: Vec<Constraint>,
    /// What was asked that the solver has not taken, because of where it placed markers: whether
    /// everything fits with others was not found out.
    pub(super) aside: Vec<Constraint>,
    /// When to look for that again.
    pub(super) patience: Patience,
    /// The schemes that were made.
    pub(super) schemes: Schemes,
    /// The specifications that were read, by their texts.
    pub(super) einsums: BTreeMap<Box<str>, Einsum>,
    /// Whether it is there to try something, and nobody reads what it says.
    pub(super) is_trial: bool,
    /// The warnings and notes that closing leaves out.
    pub(super) allowed: BTreeSet<Code>,
    /// Where steps are asked for, if not where they are called for.
    pub(super) site: Option<Site>,
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
        self.with_solver(self.solver.clone())
    }
}

impl Session {
    /// A fork that knows what this solver does.
    pub(crate) fn with_solver(&self, solver: Solver) -> Session {
        Session {
            brand: self.brand.fork(self.program.len()),
            solver,
            program: self.program.clone(),
            batch: Vec::new(),
            aside: self.aside.clone(),
            patience: self.patience,
            schemes: self.schemes.clone(),
            einsums: self.einsums.clone(),
            is_trial: self.is_trial,
            allowed: self.allowed.clone(),
            site: None,
        }
    }
}
