//! Commitments of leaves and parameters.

use crate::{
    solve::{AxisState, AxisTerm, Below, Exhausted, Extent, Tail},
    term::{RowVar, Variable},
};

use super::{Closing, ClosingRule, Commitment, Dispute, Note, Problem, Role, Unclosed};

/// What is below a row variable: its own caps, and those of the variables below it.
///
/// DIVERGENCE(closing): the design takes from below closed caps only. Then `[1;2] + {w} * [3;4;5]`
/// would not say what comes out of `w`: the sum is an open cap of the product, and the product is
/// below `w`. So open caps from below serve too, like a variable's own, where no closed one exists.
#[derive(Clone, Copy, Default)]
pub(super) struct Joins {
    closed: Option<Join>,
    open: Option<Join>,
}

/// The flanks of the join of some rows: on each side as long as the shortest of them.
#[derive(Clone, Copy)]
struct Join {
    lead: Shortest,
    trail: Shortest,
}

/// The length of the shortest flank, and the given constraint it comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shortest {
    len: usize,
    given: u32,
}

impl Join {
    fn of(given: u32, lead: usize, trail: usize) -> Join {
        let flank = |len| Shortest { len, given };
        Join { lead: flank(lead), trail: flank(trail) }
    }

    fn join(self, other: Join) -> Join {
        Join { lead: self.lead.min(other.lead), trail: self.trail.min(other.trail) }
    }
}

fn join(first: Option<Join>, second: Option<Join>) -> Option<Join> {
    match (first, second) {
        (Some(first), Some(second)) => Some(first.join(second)),
        (only, None) | (None, only) => only,
    }
}

impl Closing<'_> {
    /// Commits leaves in program order, until nothing more follows from what bounds them.
    pub(super) fn close_leaves(&mut self) -> Result<(), Unclosed> {
        loop {
            let before = self.commitments.len();
            for (var, role) in self.roles.leaves() {
                self.close_leaf(*var, *role).map_err(|e| Unclosed::from(Problem::Exhausted(e)))?;
            }
            if self.commitments.len() == before {
                return Ok(());
            }
        }
    }

    fn close_leaf(&mut self, var: Variable, role: Role) -> Result<(), Exhausted> {
        match var {
            Variable::Dim(dim) => match self.solver.axis(dim) {
                Some(axis) => self.close_axis(var, None, axis, role),
                None => Ok(()),
            },
            Variable::Row(row) => {
                self.close_extent(row, role)?;
                let Some(known) = self.solver.known(row) else { return Ok(()) };
                // Where an open row ends is not known, so its trailing axes have no number yet: they
                // are counted as if nothing came between.
                for (i, axis) in known.axes().enumerate() {
                    self.close_axis(var, Some(i), axis, role)?;
                }
                Ok(())
            }
        }
    }

    /// An axis with an atom below it is that atom.
    fn close_axis(
        &mut self,
        var: Variable,
        place: Option<usize>,
        axis: AxisTerm,
        role: Role,
    ) -> Result<(), Exhausted> {
        let AxisState::Capped(atom) = self.solver.axis_state(axis) else { return Ok(()) };
        if self.demoted_axes.contains(&axis) {
            return Ok(());
        }
        let asked = self.origins(self.solver.cap_reasons(axis));
        let commitment = Commitment { var, axis: place, rule: ClosingRule::Atom, asked };
        let stands = self.commit(commitment, |solver| solver.choose_dim(axis, atom))?;
        if let Err(dispute) = stands {
            self.demoted_axes.push(axis);
            self.refused(dispute, role);
        }
        Ok(())
    }

    /// An open row takes the join of what is below it.
    fn close_extent(&mut self, row: RowVar, role: Role) -> Result<(), Exhausted> {
        let var = Variable::Row(row);
        let Some(known) = self.solver.known(row) else { return Ok(()) };
        let Some(tail) = known.tail else { return Ok(()) };
        if self.demoted_rows.contains(&var) {
            return Ok(());
        }
        let (rule, join) = match self.joins_below(tail) {
            Joins { closed: Some(join), .. } => (ClosingRule::Join, join),
            Joins { closed: None, open: Some(join) } => (ClosingRule::OpenJoin, join),
            Joins { closed: None, open: None } => return Ok(()),
        };
        let long = |len: usize| u16::try_from(len).map_err(|_| Exhausted::Rank);
        let lead = long(known.lead.len() + join.lead.len)?;
        let trail = long(known.trail.len() + join.trail.len)?;
        let asked = self.origins([join.lead.given, join.trail.given]);
        let commitment = Commitment { var, axis: None, rule, asked };
        let extent = Extent { lead, trail };
        match self.commit(commitment, |solver| solver.choose_extent(row, extent))? {
            Ok(()) => self.joins.clear(),
            Err(dispute) => {
                self.demoted_rows.push(var);
                self.refused(dispute, role);
            }
        }
        Ok(())
    }

    /// The joins of what is below a variable.
    fn joins_below(&mut self, tail: Tail) -> Joins {
        // Depth first without recursion: a variable is done when all below it are. The graph of
        // adjacencies has no cycles.
        let mut path = alloc::vec![tail];
        while let Some(&at) = path.last() {
            if self.joins.contains_key(&at) {
                path.pop();
                continue;
            }
            let todo = path.len();
            let mut found = Joins::default();
            for (given, below) in self.solver.below(at) {
                match below {
                    Below::Closed { lead, trail } => {
                        found.closed = join(found.closed, Some(Join::of(given, lead, trail)));
                    }
                    Below::Open { lead, trail } => {
                        found.open = join(found.open, Some(Join::of(given, lead, trail)));
                    }
                    Below::Adjacent(low) => match self.joins.get(&low) {
                        None => path.push(low),
                        Some(known) => {
                            found.closed = join(found.closed, known.closed);
                            found.open = join(found.open, known.open);
                        }
                    },
                }
            }
            if path.len() == todo {
                self.joins.insert(at, found);
                path.pop();
            }
        }
        self.joins.get(&tail).copied().unwrap_or_default()
    }

    /// What a leaf was asked to be cannot be.
    fn refused(&mut self, dispute: Dispute, role: Role) {
        match role {
            Role::Leaf | Role::Interior => self.notes.push(Note::Demoted(dispute)),
            Role::Parameter => self.problems.push(Problem::Refused(dispute)),
        }
    }
}
