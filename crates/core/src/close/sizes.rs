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

use alloc::{collections::BTreeSet, vec::Vec};

use crate::{
    constraint::OriginId,
    dim::{Basis, Dim},
    size::Size,
    solve::{AxisTerm, Exhausted, Extent, OpenSize, Rejection, Solver},
    term::{RowVar, Variable},
};

use super::{Asked, Closing, ClosingRule, Commitment, Role};

/// How many choices are tried before giving up.
const TRIES: u32 = 2_000;

/// How many are made at once: each takes some of the stack.
const MOST_CHOICES: usize = 200;

/// How far above its least size an axis is tried.
const REACH: u64 = 64;

impl Closing<'_> {
    /// Chooses sizes until all relations hold, or nothing is left that may be chosen. `false` when
    /// nothing tried fits.
    pub(super) fn settle_sizes(&mut self) -> Result<bool, Exhausted> {
        let parameters = self.parameter_axes();
        let mut chosen = Vec::new();
        let settled = settle(&mut self.solver, &parameters, &mut TRIES.clone(), &mut chosen)?;
        if settled {
            for (commitment, origin) in chosen {
                self.commitments.push(commitment);
                self.asked.push(Asked::Origin(origin));
            }
            self.follow_changes();
        }
        Ok(settled)
    }

    /// The axes of parameters that are not known.
    fn parameter_axes(&self) -> BTreeSet<AxisTerm> {
        let mut axes = BTreeSet::new();
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
        axes.into_iter().map(|axis| self.solver.root(axis)).collect()
    }
}

/// Makes the next choice, and all that follow. Leaves the solver as it was if none fit.
fn settle(
    solver: &mut Solver,
    parameters: &BTreeSet<AxisTerm>,
    tries: &mut u32,
    chosen: &mut Vec<(Commitment, OriginId)>,
) -> Result<bool, Exhausted> {
    let may_choose = |axis| !parameters.contains(&solver.root(axis));
    let Some((origin, open)) = solver.open_size(&may_choose) else { return Ok(true) };
    let commitment = commitment(solver, open);
    for choice in choices(solver, open) {
        let Some(left) = tries.checked_sub(1) else { return Ok(false) };
        *tries = left;
        let snapshot = solver.snapshot();
        chosen.push((commitment, origin));
        let stands = match choice {
            Choice::Row(var, extent) => solver.choose_extent(var, extent),
            Choice::Axis(axis, dim) => solver.choose_dim(axis, dim),
        };
        let fits = match stands {
            Ok(()) if chosen.len() < MOST_CHOICES => settle(solver, parameters, tries, chosen),
            Ok(()) | Err(Rejection::Conflict(_)) => Ok(false),
            Err(Rejection::Exhausted(exhausted)) => Err(exhausted),
        };
        if fits == Ok(true) {
            solver.commit(snapshot);
            return fits;
        }
        chosen.pop();
        solver.roll_back(snapshot);
        fits?;
    }
    Ok(false)
}

/// Something to try.
enum Choice {
    Row(RowVar, Extent),
    Axis(AxisTerm, Dim),
}

/// What can be tried, in order.
fn choices(solver: &Solver, open: OpenSize) -> Vec<Choice> {
    match open {
        OpenSize::Row { var, last } => {
            let Some(known) = solver.known(var) else { return Vec::new() };
            let extent = |more: usize| {
                let lead = u16::try_from(known.lead.len()).ok()?;
                let trail = u16::try_from(known.trail.len() + more).ok()?;
                Some(Choice::Row(var, Extent { lead, trail }))
            };
            (0..=usize::from(last)).filter_map(extent).collect()
        }
        OpenSize::Discardable { axis, least } | OpenSize::Axis { axis, least } => {
            let dim = |n| match n {
                0 => Some(Dim::atom(Size::ZERO, Basis::DEFAULT)),
                1 => Some(Dim::Unit),
                n => Dim::int(n).ok(),
            };
            let sizes = least..=least.saturating_add(REACH);
            sizes.filter_map(dim).map(|dim| Choice::Axis(axis, dim)).collect()
        }
    }
}

fn commitment(solver: &Solver, open: OpenSize) -> Commitment {
    let (var, rule) = match open {
        OpenSize::Row { var, .. } => (Variable::Row(var), ClosingRule::Counted),
        OpenSize::Discardable { axis, .. } => {
            (Variable::Dim(solver.axis_var(axis)), ClosingRule::LeftOut)
        }
        OpenSize::Axis { axis, .. } => {
            (Variable::Dim(solver.axis_var(axis)), ClosingRule::LeastSize)
        }
    };
    Commitment { var, axis: None, rule }
}
