//! Commitments of leaves and parameters.

use alloc::vec::Vec;

use crate::{AxisState, AxisTerm, Below, Change, Exhausted, Extent, Tail};
use lozenge_calculus::term::{RowVar, Variable};

use super::{
    choice::{Asked, ClosingRule, Commitment, Dispute, Note},
    closing::Closing,
    joins::{Join, Joins, join},
    problem::Problem,
    roles::Role,
};

impl Closing<'_> {
    /// Commits leaves until nothing more follows from what bounds them: each time the first in
    /// program order that has something to commit.
    pub(super) fn close_leaves(&mut self) -> Result<(), Exhausted> {
        while let Some(leaf) = self.open.pop_first() {
            let Some(&(var, role)) = self.roles.leaves().get(leaf) else { continue };
            self.close_leaf(leaf, var, role)?;
        }
        Ok(())
    }

    fn close_leaf(&mut self, leaf: usize, var: Variable, role: Role) -> Result<(), Exhausted> {
        match var {
            Variable::Dim(dim) => {
                if let Some(axis) = self.solver.config.tables.dims.axis(dim) {
                    self.watch_axis(axis, leaf);
                    self.close_axis(var, None, axis, role)?;
                }
            }
            Variable::Row(row) => {
                self.close_extent(row, role)?;
                let Some(known) = self.solver.config.tables.rows.known(row) else { return Ok(()) };
                if let Some(tail) = known.tail {
                    self.by_tail.entry(tail).or_default().push(leaf);
                }
                for axis in known.axes() {
                    self.watch_axis(axis, leaf);
                }
                // Where an open row ends is not known, so its trailing axes have no number yet:
                // they are counted as if nothing came between.
                for (i, axis) in known.axes().enumerate() {
                    self.close_axis(var, Some(i), axis, role)?;
                }
            }
        }
        Ok(())
    }

    /// Comes back to a leaf when something is known of an axis.
    fn watch_axis(&mut self, axis: AxisTerm, leaf: usize) {
        if !matches!(self.solver.config.tables.dims.axis_state(axis), AxisState::Bound(_)) {
            self.by_axis.entry(self.solver.config.tables.dims.root(axis)).or_default().push(leaf);
        }
    }

    /// Finds the leaves that a commitment matters to.
    pub(super) fn follow_changes(&mut self) {
        let mut rows = Vec::new();
        for change in self.fork().config.changes() {
            match change {
                Change::Row(tail) => rows.push(tail),
                Change::Axis(axis) => {
                    self.open.extend(self.by_axis.get(&axis).into_iter().flatten());
                }
                Change::Axes(from, to) => {
                    let leaves = self.by_axis.remove(&from).unwrap_or_default();
                    self.open.extend(&leaves);
                    self.by_axis.entry(to).or_default().extend(leaves);
                }
            }
        }
        // What is above a row that changed has another join. A variable has a join only if all
        // below it have one, so the walk up ends where there is none.
        while let Some(tail) = rows.pop() {
            self.open.extend(self.by_tail.remove(&tail).into_iter().flatten());
            if self.joins.remove(&tail).is_some() {
                rows.extend(self.solver.config.tables.frontier().above(tail));
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
        let AxisState::Capped(atom) = self.solver.config.tables.dims.axis_state(axis) else {
            return Ok(());
        };
        if self.demoted_axes.contains(&axis) {
            return Ok(());
        }
        let Some(reason) = self.solver.config.tables.cap_reason(axis) else { return Ok(()) };
        let commitment = Commitment { var, axis: place, rule: ClosingRule::Atom };
        let asked = Asked::Cap(reason);
        let stands = self.commit(commitment, asked, |solver| solver.choose().dim(axis, atom))?;
        if let Err(dispute) = stands {
            self.demoted_axes.insert(axis);
            self.refused(dispute, role);
        }
        Ok(())
    }

    /// The extent of an open row that is the join of what is below it, if anything is.
    pub(super) fn join_of(
        &mut self,
        row: RowVar,
    ) -> Result<Option<(ClosingRule, Extent, Asked)>, Exhausted> {
        let Some(known) = self.solver.config.tables.rows.known(row) else { return Ok(None) };
        let Some(tail) = known.tail else { return Ok(None) };
        let (rule, join) = match self.joins_below(tail) {
            Joins { closed: Some(join), .. } => (ClosingRule::Join, join),
            Joins { closed: None, open: Some(join) } => (ClosingRule::OpenJoin, join),
            Joins { closed: None, open: None } => return Ok(None),
        };
        let extent = known.extent_with(join.lead.len, join.trail.len)?;
        Ok(Some((rule, extent, Asked::Rows([join.lead.given, join.trail.given]))))
    }

    /// An open row takes the join of what is below it.
    fn close_extent(&mut self, row: RowVar, role: Role) -> Result<(), Exhausted> {
        let var = Variable::Row(row);
        // What is counted is not a matter of bounds alone.
        if self.demoted_rows.contains(&var) || self.counted.contains(&row) {
            return Ok(());
        }
        let Some((rule, extent, asked)) = self.join_of(row)? else { return Ok(()) };
        let commitment = Commitment { var, axis: None, rule };
        let stands =
            self.commit(commitment, asked, |solver| solver.choose().extent(row, extent))?;
        if let Err(dispute) = stands {
            self.demoted_rows.insert(var);
            self.refused(dispute, role);
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
            for (given, below) in self.solver.config.tables.frontier().below(at) {
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
    pub(super) fn refused(&mut self, dispute: Dispute, role: Role) {
        match role {
            Role::Leaf | Role::Interior => self.notes.push(Note::Demoted(dispute)),
            Role::Parameter => self.problems.push(Problem::Refused(dispute)),
        }
    }
}
