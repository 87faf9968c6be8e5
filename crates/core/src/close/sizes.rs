//! What relations between sizes leave open.
//!
//! Everything is solved again after each commitment, and what may commit when is this table. A stage begins
//! when those before it have nothing left.
//!
//! | stage | commits | because |
//! |---|---|---|
//! | leaves | rows and axes of leaves to what is below them | uses say what a leaf is, if anything does |
//! | rows that wait | the least material that fits | sizes cannot be compared before |
//! | counted rows | all but the last row of a number of elements, or of exact axes, to no axes; the last to none if that fits, else to one axis | what is counted must be known before anything it mentions is guessed |
//! | parts that may be left out | to 0 | nothing says that there is any of them |
//! | least sizes | an axis of which it is known that it has at least n to n | something reads that far |
//! | the rest | parts to 1_, or to the least size that fits; a whole follows from its parts | nothing asks for more |
//!
//! An axis of a parameter is never guessed: it stays a hole, and that is an error.
//!
//! The stages of document 002 are more: 2 forces coefficients, which are numbers here; 3 to 5 and 7 differ
//! by who commits, which roles say; 6 is the upward closing of everything.

use alloc::vec::Vec;

use crate::{
    constraint::OriginId,
    dim::{Basis, Dim},
    size::Size,
    solve::{AxisTerm, Extent, OpenSize, Rejection, Solver},
    term::Variable,
};

use super::{Closing, ClosingRule, Commitment, Role};

/// How many choices are tried before giving up.
const TRIES: u32 = 2_000;

/// How far above its least size an axis is tried.
const REACH: u64 = 64;

impl Closing<'_> {
    /// Chooses sizes until all relations hold, or nothing is left that may be chosen. `false` when
    /// nothing tried fits.
    pub(super) fn settle_sizes(&mut self) -> bool {
        let parameters = self.parameter_axes();
        let mut chosen = Vec::new();
        let settled = settle(&mut self.solver, &parameters, &mut TRIES.clone(), &mut chosen);
        if settled {
            self.joins.clear();
            self.commitments.extend(chosen);
        }
        settled
    }

    /// The axes of parameters that are not known.
    fn parameter_axes(&self) -> Vec<AxisTerm> {
        let mut axes = Vec::new();
        for (var, role) in self.roles.leaves() {
            if *role != Role::Parameter {
                continue;
            }
            match *var {
                Variable::Dim(var) => axes.extend(self.solver.axis(var)),
                Variable::Row(var) => {
                    if let Some(known) = self.solver.known(var) {
                        axes.extend(known.axes());
                    }
                }
            }
        }
        axes
    }
}

/// Makes the next choice, and all that follow. Leaves the solver as it was if none fit.
fn settle(
    solver: &mut Solver,
    parameters: &[AxisTerm],
    tries: &mut u32,
    chosen: &mut Vec<Commitment>,
) -> bool {
    let may_choose = |axis| !parameters.iter().any(|other| solver.same_axis(*other, axis));
    let Some((origin, open)) = solver.open_size(&may_choose) else { return true };
    let mut attempt =
        |solver: &mut Solver, choose: &dyn Fn(&mut Solver) -> Result<(), Rejection>| {
            let Some(left) = tries.checked_sub(1) else { return false };
            *tries = left;
            let snapshot = solver.snapshot();
            let before = chosen.len();
            chosen.push(commitment(solver, origin, open));
            if choose(solver).is_ok() && settle(solver, parameters, tries, chosen) {
                solver.commit(snapshot);
                return true;
            }
            chosen.truncate(before);
            solver.roll_back(snapshot);
            false
        };
    match open {
        OpenSize::Row { var, last } => {
            let Some(known) = solver.known(var) else { return false };
            let (lead, trail) = (known.lead.len(), known.trail.len());
            (0..=usize::from(last)).any(|more| {
                let (Ok(lead), Ok(trail)) = (u16::try_from(lead), u16::try_from(trail + more))
                else {
                    return false;
                };
                attempt(solver, &|solver| solver.choose_extent(var, Extent { lead, trail }))
            })
        }
        OpenSize::Discardable { axis, least } | OpenSize::Axis { axis, least } => {
            (least..=least.saturating_add(REACH)).any(|n| {
                let dim = match n {
                    0 => Dim::atom(Size::ZERO, Basis::DEFAULT),
                    1 => Dim::Unit,
                    n => match Dim::int(n) {
                        Ok(dim) => dim,
                        Err(_) => return false,
                    },
                };
                attempt(solver, &|solver| solver.choose_dim(axis, dim))
            })
        }
    }
}

fn commitment(solver: &Solver, origin: OriginId, open: OpenSize) -> Commitment {
    let (var, rule) = match open {
        OpenSize::Row { var, .. } => (Variable::Row(var), ClosingRule::Counted),
        OpenSize::Discardable { axis, .. } => {
            (Variable::Dim(solver.axis_var(axis)), ClosingRule::LeftOut)
        }
        OpenSize::Axis { axis, .. } => {
            (Variable::Dim(solver.axis_var(axis)), ClosingRule::LeastSize)
        }
    };
    Commitment { var, axis: None, rule, asked: alloc::vec![origin] }
}
