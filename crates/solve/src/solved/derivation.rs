//! Derivations: how something follows from the given constraints, binding by binding.
//!
//! Made from the trace when somebody asks. Each step is a binding, with the constraint it was read
//! from and the earlier steps through which that was read; words are made of it elsewhere.

use alloc::{collections::BTreeMap, vec::Vec};
use core::fmt;

use lozenge_calculus::{
    constraint::OriginId,
    dim::Dim,
    term::{DimTerm, DimVar, RowTerm, RowVar},
    text::{Names, Print},
};

use crate::{
    solved::form::SolvedForm,
    solver::Solver,
    tables::{
        ids::{DimNode, EntryId, GivenId, Id, RowNode},
        node::{DimState, GivenKind, RowState},
        rule::{Class, Rule},
    },
    why::{
        conflict::{Conflict, Failed},
        trace::{Reading, Reasons, Search},
    },
};

/// How a conflict or a value follows from given constraints.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Derivation {
    /// The bindings it needs, each after those it needs itself.
    pub steps: Vec<Derived>,
    /// What it ends with.
    pub end: End,
}

/// A binding in a derivation.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Derived {
    /// The rule that made it.
    pub rule: Rule,
    /// Whether it follows, or is also a choice.
    pub class: Class,
    /// What was bound, and to what.
    pub binding: Binding,
    /// What it follows from.
    pub from: Premises,
}

/// A variable and what it was bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Binding {
    /// A dimension variable.
    Dim(DimVar, DimTerm),
    /// A row variable.
    Row(RowVar, RowTerm),
}

/// What something follows from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Premises {
    /// Where the constraints come from.
    pub origins: Vec<OriginId>,
    /// The row variables whose rank or flanks were supposed.
    pub supposed: Vec<RowVar>,
    /// The earlier steps, by their places.
    pub steps: Vec<usize>,
}

/// What a derivation ends with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A rule fails.
    Fails {
        /// The rule.
        rule: Rule,
        /// The two dimensions that clash, if it is dimensions that do.
        clash: Option<(Dim, Dim)>,
        /// What that follows from.
        from: Premises,
    },
    /// A variable has its value.
    Value(Premises),
}

impl Solver {
    /// How a conflict follows, asked before the solver is rolled back. The given constraints
    /// before `supposed` are suppositions.
    pub(crate) fn conflict_derivation(&self, conflict: &Conflict, supposed: GivenId) -> Derivation {
        let naming = Naming::new(self, supposed);
        let Conflict { rule, clash, .. } = *conflict;
        let Some(Failed { cause, terms }) = conflict.failed else {
            // Ranks: nothing is bound, the constraints themselves are the cycle.
            let from = naming.premises(conflict.givens.iter().copied(), []);
            return Derivation { steps: Vec::new(), end: End::Fails { rule, clash, from } };
        };
        let (steps, from) = naming.derive(|search, now| {
            search.cause(cause, now);
            search.terms(&terms, now);
        });
        Derivation { steps, end: End::Fails { rule, clash, from } }
    }

    /// How a value follows.
    pub(crate) fn value_derivation(&self, reading: Reading) -> Derivation {
        let read = |search: &mut Search<'_>, now| search.reading(reading, now);
        let (steps, from) = Naming::new(self, GivenId::new(0)).derive(read);
        Derivation { steps, end: End::Value(from) }
    }
}

/// From entries of the trace to what they bound.
struct Naming<'a> {
    form: SolvedForm<'a>,
    solver: &'a Solver,
    supposed: GivenId,
    dims: BTreeMap<EntryId, DimNode>,
    rows: BTreeMap<EntryId, RowNode>,
}

impl<'a> Naming<'a> {
    fn new(solver: &'a Solver, supposed: GivenId) -> Naming<'a> {
        let bound = |(node, state)| match state {
            DimState::Bound { reason, .. } => Some((reason, node)),
            DimState::Unbound { .. } => None,
        };
        let dims = solver.config.tables.dims.states.entries().filter_map(bound).collect();
        let bound = |(node, state)| match state {
            RowState::Bound { reason, .. } => Some((reason, node)),
            RowState::Open { .. } => None,
        };
        let rows = solver.config.tables.rows.states.entries().filter_map(bound).collect();
        Naming { form: solver.standing(), solver, supposed, dims, rows }
    }

    fn derive(&self, reading: impl Fn(&mut Search<'_>, EntryId)) -> (Vec<Derived>, Premises) {
        let entries: Vec<EntryId> =
            self.solver.config.reasoner().collect(&reading).entries.into_iter().collect();
        let step = |at: &EntryId| {
            let entry = self.solver.config.tables.trace.entries.get(*at);
            let direct =
                self.solver.config.reasoner().collect_direct(|search, _| search.entry(*at));
            Some(Derived {
                rule: entry.rule,
                class: entry.class,
                binding: self.binding(*at)?,
                from: self.from(direct, &entries),
            })
        };
        let steps = entries.iter().filter_map(step).collect();
        (steps, self.from(self.solver.config.reasoner().collect_direct(reading), &entries))
    }

    fn from(&self, reasons: Reasons, entries: &[EntryId]) -> Premises {
        let place = |entry: EntryId| entries.binary_search(&entry).ok();
        self.premises(reasons.givens, reasons.entries.into_iter().filter_map(place))
    }

    fn premises(
        &self,
        givens: impl IntoIterator<Item = GivenId>,
        steps: impl IntoIterator<Item = usize>,
    ) -> Premises {
        let supposed = |given: &GivenId| *given < self.supposed;
        let (chosen, given): (Vec<GivenId>, Vec<GivenId>) = givens.into_iter().partition(supposed);
        let var = |given: GivenId| match self.solver.config.tables.givens.all.at(given).kind {
            GivenKind::Row(related) => {
                Some(self.solver.config.tables.rows.slots.at(related.left.slot.get()?).var)
            }
            GivenKind::Dim { .. } | GivenKind::Size(_) | GivenKind::AtLeast { .. } => None,
        };
        Premises {
            origins: self.solver.config.tables.givens.origins(given),
            supposed: chosen.into_iter().filter_map(var).collect(),
            steps: steps.into_iter().collect(),
        }
    }

    /// What an entry of the trace bound.
    fn binding(&self, entry: EntryId) -> Option<Binding> {
        if let Some(&node) = self.dims.get(&entry) {
            let DimState::Bound { to, .. } = self.solver.config.tables.dims.states.get(node) else {
                return None;
            };
            let to = self.form.given_dim(to);
            return Some(Binding::Dim(self.form.dim_var(node), to));
        }
        let node = *self.rows.get(&entry)?;
        let RowState::Bound { flanks, tail, .. } = self.solver.config.tables.rows.states.get(node)
        else {
            return None;
        };
        let var = tail.get().map(|tail| self.form.row_var(tail));
        let to = RowTerm { flanks: self.form.given_flanks(flanks), var };
        Some(Binding::Row(self.form.row_var(node), to))
    }
}

/// A line a step, numbered from 1, then the end: what follows, by which rule, from which
/// constraints (`@4`) and which steps (`(1)`).
impl Print for Derivation {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps.iter().enumerate() {
            write!(f, "({}) ", i + 1)?;
            step.binding.print(names, f)?;
            write!(f, " by {}", step.rule)?;
            if step.class == Class::Policy {
                f.write_str(", a choice,")?;
            }
            step.from.print(names, f)?;
            f.write_str("\n")?;
        }
        match &self.end {
            End::Fails { rule: Rule::Ranks, from, .. } => {
                f.write_str("no numbers of axes fit")?;
                from.print(names, f)
            }
            End::Fails { rule, clash, from } => {
                write!(f, "{rule} fails")?;
                if let Some((left, right)) = clash {
                    f.write_str(" on ")?;
                    left.print(names, f)?;
                    f.write_str(" against ")?;
                    right.print(names, f)?;
                }
                from.print(names, f)
            }
            End::Value(from) => {
                f.write_str("which gives the value")?;
                from.print(names, f)
            }
        }
    }
}

impl Print for Binding {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Binding::Dim(var, to) => {
                var.print(names, f)?;
                f.write_str(" = ")?;
                to.print(names, f)
            }
            Binding::Row(var, to) => {
                var.print(names, f)?;
                f.write_str(" = ")?;
                to.print(names, f)
            }
        }
    }
}

impl Print for Premises {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.origins.len() + self.steps.len() + self.supposed.len() > 0 {
            f.write_str(" from")?;
        }
        for origin in &self.origins {
            write!(f, " @{}", origin.index())?;
        }
        for var in &self.supposed {
            f.write_str(" the supposed ")?;
            var.print(names, f)?;
        }
        self.steps.iter().try_for_each(|step| write!(f, " ({})", step + 1))
    }
}

impl fmt::Display for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(&Names::new(), f)
    }
}
