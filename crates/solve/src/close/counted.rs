//! Rows whose elements are counted or whose axes are listed, and axes whose sizes were found: what
//! follows before anything is guessed.
//!
//! How many axes a counted row has, its bounds say, whatever its role: it takes the join of the
//! rows below it, with the atoms below its axes, if the count fits. A parameter's row of which some
//! axes are known has no others. A row that was set to a number of elements is one axis of that
//! size, unless something else was said of it.

use alloc::{collections::BTreeMap, vec::Vec};

use crate::{
    AxisState, AxisTerm, Cause, Exhausted, NextSize, OpenSize, SizeStage, SolveError, Solver,
};
use lozenge_calculus::{
    constraint::OriginId,
    dim::{Basis, Dim},
    size::Size,
    term::{RowVar, Variable},
};

use super::{
    choice::{Asked, ClosingRule, Commitment, Policy},
    closing::Closing,
    roles::Role,
};

impl Closing<'_> {
    /// Closes the counted rows of which something is said.
    pub(super) fn close_counted_rows(&mut self) -> Result<(), Exhausted> {
        for (row, _) in self.solver.config.reasoner().counted_rows() {
            if self.tried.insert(row) && !self.take_join(row)? {
                // Tried again when something else is below it.
                self.tried.remove(&row);
            }
        }
        self.close_known_parameters()?;
        self.close_capped_wholes()?;
        for (row, asked) in self.solver.config.reasoner().set_rows() {
            let Some(known) = self.solver.config.tables.rows.known(row) else { continue };
            let var = Variable::Row(row);
            let more = usize::from(known.axes().next().is_none());
            let extent = known.extent_with(0, more)?;
            let commitment = Commitment { var, axis: None, rule: ClosingRule::OneAxis };
            let choose = |solver: &mut Solver| solver.choose().extent(row, extent);
            // Where it does not stand, the row is closed like any other that is counted.
            let _ = self.commit(commitment, Asked::Origin(asked), choose)?;
        }
        Ok(())
    }

    /// A concatenation of which a part may be left out is as long as what is below it says: else
    /// the part would be left out, and what is left would stretch.
    fn close_capped_wholes(&mut self) -> Result<(), Exhausted> {
        for (origin, whole, atom) in self.solver.config.reasoner().capped_wholes() {
            let names = self.solver.config.tables.dims.axis_names();
            let var = Variable::Dim(self.solver.config.tables.dims.axis_var(whole, &names));
            let commitment = Commitment { var, axis: None, rule: ClosingRule::Atom };
            let choose = |solver: &mut Solver| solver.choose().dim(whole, atom);
            // Where it does not fit, the part is left out.
            let _ = self.commit(commitment, Asked::Origin(origin), choose)?;
        }
        Ok(())
    }

    /// A counted row takes the join of what is below it, if the count fits. Whether anything is
    /// below it.
    fn take_join(&mut self, row: RowVar) -> Result<bool, Exhausted> {
        let Some((rule, extent, asked)) = self.join_of(row)? else { return Ok(false) };
        let var = Variable::Row(row);
        let choose = |solver: &mut Solver| {
            solver.choose().extent(row, extent)?;
            let mut made = alloc::vec![(Commitment { var, axis: None, rule }, asked)];
            let axes: Vec<AxisTerm> = solver
                .config
                .tables
                .rows
                .known(row)
                .map(|known| known.axes().collect())
                .unwrap_or_default();
            for (place, axis) in axes.into_iter().enumerate() {
                let (AxisState::Capped(atom), Some(reason)) = (
                    solver.config.tables.dims.axis_state(axis),
                    solver.config.tables.cap_reason(axis),
                ) else {
                    continue;
                };
                solver.choose().dim(axis, atom)?;
                let commitment = Commitment { var, axis: Some(place), rule: ClosingRule::Atom };
                made.push((commitment, Asked::Cap(reason)));
            }
            Ok(made)
        };
        // Bounds that do not fit the count say nothing: the row is broadcast.
        let _ = self.commit_together(choose)?;
        Ok(true)
    }

    /// A parameter's row of which some axes are known has no others. Where elements are counted
    /// that must be known before a size is chosen.
    fn close_known_parameters(&mut self) -> Result<(), Exhausted> {
        let roles = self.roles;
        let counted: BTreeMap<RowVar, OriginId> =
            self.solver.config.reasoner().counted_rows().into_iter().collect();
        for (var, role) in roles.leaves() {
            let (Variable::Row(row), Role::Parameter) = (*var, *role) else { continue };
            let Some(origin) = counted.get(&row) else { continue };
            let Some(known) = self.solver.config.tables.rows.known(row) else { continue };
            let is_open = known.tail.is_some() && known.axes().next().is_some();
            if !is_open || self.demoted_rows.contains(var) {
                continue;
            }
            let extent = known.extent_with(0, 0)?;
            let commitment = Commitment { var: *var, axis: None, rule: ClosingRule::Least };
            let choose = |solver: &mut Solver| solver.choose().extent(row, extent);
            if let Err(dispute) = self.commit(commitment, Asked::Origin(*origin), choose)? {
                self.demoted_rows.insert(*var);
                self.refused(dispute, *role);
            }
        }
        Ok(())
    }

    /// Whether something was guessed in the part in which this is asked.
    fn is_guessed(&self, cause: Cause) -> bool {
        let part = || self.parts.as_ref()?.of(&self.solver, cause);
        !self.guessed.is_empty() && part().is_none_or(|part| self.guessed.contains(&part))
    }

    /// An axis whose size was found is the atom of that size. One element is the atom 1 where the
    /// program says so, and the unit where that follows from what was guessed.
    pub(super) fn close_found(&mut self, policy: Policy) -> Result<(), Exhausted> {
        let least = if policy == Policy::Upward { 2 } else { 1 };
        let mut names = None;
        let mut place = 0;
        loop {
            match self
                .solver
                .config
                .tables
                .open_sizes()
                .open_size(SizeStage::Found, place, &|_| true)
            {
                NextSize::End => return Ok(()),
                NextSize::Choose(cause, _) if self.is_guessed(cause) => {}
                NextSize::Choose(cause, OpenSize::Sized { axis, size, basis }) if size >= least => {
                    let names =
                        names.get_or_insert_with(|| self.solver.config.tables.dims.axis_names());
                    let var = Variable::Dim(self.solver.config.tables.dims.axis_var(axis, names));
                    let commitment = Commitment { var, axis: None, rule: ClosingRule::Found };
                    let reason = self.solver.config.tables.size_reason(axis);
                    let origin =
                        || Asked::Origin(self.solver.config.reasoner().first_origin(cause));
                    let asked = reason.map_or_else(origin, Asked::Cap);
                    for basis in [basis, Basis::DEFAULT] {
                        let choose = |solver: &mut Solver| match Size::int(size) {
                            Ok(size) => solver.choose().dim(axis, Dim::atom(size, basis)),
                            Err(_) => Err(SolveError::from(Exhausted::Sizes)),
                        };
                        if self.commit(commitment, asked, choose)?.is_ok() {
                            break;
                        }
                    }
                }
                NextSize::Nothing | NextSize::Choose(..) => {}
            }
            place += 1;
        }
    }
}
