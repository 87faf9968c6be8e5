//! What the checkers of the solver share: how large stores are, what becomes of them, and roles for
//! their variables.

use lozenge_calculus::{
    constraint::{Constraint, Vars},
    term::Variable,
};
use lozenge_solve::{
    SolveError, Solver,
    close::{Role, Roles},
};

use crate::{Generator, generate::Limits};

/// Stores that are held against brute force.
pub const LIMITS: Limits = Limits { dim_vars: 4, row_vars: 3, flank: 2, constraints: 5 };

/// Stores that are larger, for what needs no brute force.
pub const LARGER: Limits = Limits { dim_vars: 8, row_vars: 6, flank: 1, constraints: 10 };

/// What became of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Success,
    DeferredEq,
    DeferredIneq,
    Semantic,
    Policy,
    Budget,
}

impl Verdict {
    pub(crate) fn of(solver: &Solver, result: &Result<(), SolveError>) -> Verdict {
        match result {
            Ok(()) if solver.deferred().is_none() => Verdict::Success,
            Ok(()) if solver.deferred().equalities == 0 => Verdict::DeferredIneq,
            Ok(()) => Verdict::DeferredEq,
            Err(SolveError::Exhausted(_)) => Verdict::Budget,
            Err(SolveError::Conflict(conflict)) if conflict.policy => Verdict::Policy,
            Err(SolveError::Conflict(_)) => Verdict::Semantic,
        }
    }

    pub(crate) fn is_rejection(self) -> bool {
        matches!(self, Verdict::Semantic | Verdict::Policy)
    }
}

/// Random roles for the variables of a store, in a random order.
pub fn roles(store: &[Constraint], parameters: bool, rng: &mut Generator) -> Roles {
    let vars = Vars::of(store);
    let dims = vars.dims.into_iter().map(Variable::Dim);
    let mut vars: Vec<Variable> = dims.chain(vars.rows.into_iter().map(Variable::Row)).collect();
    rng.shuffle(&mut vars);
    Roles::new(vars.into_iter().map(|var| {
        let role = match rng.u8(0..4) {
            0 => Role::Interior,
            1 if parameters => Role::Parameter,
            _ => Role::Leaf,
        };
        (var, role)
    }))
}
