//! Solved forms: bindings and residual constraints of a solver with nothing left to ask.

use alloc::{collections::BTreeMap, vec::Vec};
use core::{cell::OnceCell, fmt};

use lozenge_calculus::{
    constraint::{Constraint, Count, OriginId, Relation, SizeRelation},
    dim::Dim,
    row::Flanks,
    size::Size,
    term::{DimTerm, DimVar, Grounding, Occurs, RowTerm, RowVar, Substitution},
    text::{Names, Print},
};

use crate::{
    reading::view::View,
    solver::Solver,
    tables::{
        cause::Cause,
        ids::{DimNode, GivenId, RowNode, between, index},
        list::Tables,
        node::{DimRef, GivenKind, Pending, Progress, RowGiven, Sign, Status},
        sizes::Least,
    },
    why::trace::Reasons,
};

/// A solver at rest, read: bindings of the program's variables and residual bounds on the rest.
///
/// Variables that rules minted have indices from [`DimVar::MINTED`] and [`RowVar::MINTED`] on and
/// keep them for the life of the solver. They are for reading: in a constraint that is given to a
/// solver, such an index is a variable of the program like any other.
pub struct SolvedForm<'a> {
    pub(crate) solver: &'a Solver,
    /// The program's variables by node, made when an unbound variable is first shown.
    names: OnceCell<(BTreeMap<DimNode, DimVar>, BTreeMap<RowNode, RowVar>)>,
    /// Whether what was given has the names in it that became numbers.
    pub(crate) is_written: bool,
}

/// A residual constraint, over unbound variables.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Residual {
    /// The relation that is still asked for.
    pub relation: Relation,
    /// The origins of the given constraints that it follows from.
    pub origins: Vec<OriginId>,
    /// Whether it is deferred until its variables are known better. If not it is a bound, which
    /// holds when every unbound variable is at its top.
    pub deferred: bool,
}

/// The numbers of deferred constraints: those kept until their variables are known better.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Deferred {
    /// Equalities.
    pub equalities: u32,
    /// Inequalities.
    pub inequalities: u32,
    /// Relations between sizes, and least sizes of variables.
    pub sizes: u32,
}

impl Deferred {
    /// Whether no constraint is deferred.
    pub fn is_none(self) -> bool {
        self == Deferred::default()
    }
}

impl Solver {
    /// The solved form: what the solver knows. Whoever holds a solver holds one at rest; one
    /// between two steps is in a [`Run`](crate::testing::Run).
    pub fn solved(&self) -> SolvedForm<'_> {
        debug_assert!(self.is_at_rest(), "a solved form has nothing in the queue");
        self.standing()
    }

    /// The configuration as it stands, also between two steps or after a rule failed: for runs that
    /// are stepped, and for saying how something failed before that is rolled back.
    pub(crate) fn standing(&self) -> SolvedForm<'_> {
        SolvedForm { solver: self, names: OnceCell::new(), is_written: false }
    }

    /// The numbers of deferred constraints.
    pub fn deferred(&self) -> Deferred {
        Deferred {
            equalities: self.config.tables.counts.deferred_eq,
            inequalities: self.config.tables.counts.deferred_ineq,
            sizes: self.config.tables.relations.open_relations()
                + index(self.config.tables.dims.unbound_leasts().count()),
        }
    }

    /// The origins of the deferred row constraints, in program order, each once.
    pub fn deferred_origins(&self) -> Vec<OriginId> {
        self.config.tables.givens.origins(self.config.tables.deferred_givens())
    }

    /// A dimension term as it stands: an atom, the unit, or an unbound variable. That variable is
    /// given by its node, as one that a rule minted is, so two terms are one variable iff they are
    /// equal. Takes time for this term only, however large the program is.
    pub fn resolved_dim(&self, term: DimTerm) -> DimTerm {
        let node = term.var().and_then(|var| self.config.tables.dims.dim_node(var));
        node.map_or(term, |node| self.config.tables.bare_dim(DimRef::node(node)))
    }

    /// How many elements an axis has that is not bound, where relations between sizes say so: what
    /// basis it has, or whether one element is the unit, is then still open.
    pub fn known_size(&self, term: DimTerm) -> Option<u64> {
        let node = self.config.tables.dims.dim_node(term.var()?)?;
        self.config.tables.dims.exact_of(DimRef::node(node)).map(|known| known.size)
    }

    /// A row term as it stands, with its variables given as [`Solver::resolved_dim`] does.
    pub fn resolved_row(&self, term: &RowTerm) -> RowTerm {
        let host = term.flanks.map(|entry| self.resolved_dim(*entry));
        let Some(node) = term.var.and_then(|var| self.config.tables.rows.row_node(var)) else {
            return RowTerm { flanks: host, var: term.var };
        };
        let mut view = View::default();
        self.config.tables.rows.view_node(node, &mut view);
        let lead = view.lead.iter().map(|entry| self.config.tables.bare_dim(*entry));
        let trail = view.trail.iter().rev().map(|entry| self.config.tables.bare_dim(*entry));
        let var = view.var.map(RowNode::minted);
        RowTerm { flanks: host.splice(&Flanks::new(lead, trail)), var }
    }
}

impl Tables {
    fn bare_dim(&self, term: DimRef) -> DimTerm {
        let root = self.dims.resolve(term);
        match (self.dims.met(root), root.as_node()) {
            (Some(dim), _) => dim.into(),
            (None, Some(node)) => node.minted().into(),
            (None, None) => DimTerm::UNIT,
        }
    }
}

impl<'a> SolvedForm<'a> {
    /// The solver that is read.
    pub(crate) fn solver(&self) -> &'a Solver {
        self.solver
    }

    /// The dimension that a term is, or will be where its size was found and nothing says more.
    pub(crate) fn known_dim(&self, term: DimTerm) -> Option<Dim> {
        term.ground().or_else(|| {
            let known =
                self.solver.config.tables.dims.exact_of(DimRef::node(
                    self.solver.config.tables.dims.dim_node(term.var()?)?,
                ))?;
            Some(Dim::atom(Size::int(known.size).ok()?, known.exact?))
        })
    }

    /// What a dimension variable is bound to; itself when it is not, or nobody mentioned it.
    pub fn dim(&self, var: DimVar) -> DimTerm {
        self.solver
            .config
            .tables
            .dims
            .dim_node(var)
            .map_or(var.into(), |node| self.dim_term(DimRef::node(node)))
    }

    /// What a row variable is bound to; itself when it is not, or nobody mentioned it.
    pub fn row(&self, var: RowVar) -> RowTerm {
        let Some(node) = self.solver.config.tables.rows.row_node(var) else { return var.into() };
        let mut view = View::default();
        self.solver.config.tables.rows.view_node(node, &mut view);
        self.row_term(&view, 0, 0)
    }

    /// The atom that an unbound dimension variable must be above, if any.
    pub fn cap(&self, var: DimVar) -> Option<Dim> {
        let node = self.solver.config.tables.dims.dim_node(var)?;
        let root = self.solver.config.tables.dims.resolve(DimRef::node(node)).as_node()?;
        self.solver.config.tables.dims.met(self.solver.config.tables.dims.cap(root)?.atom)
    }

    /// What the program's variables are bound to.
    ///
    /// # Errors
    /// Never for a solver at rest; that it is idempotent is one of the invariants that
    /// [`verify`](crate::testing::verify) checks.
    pub fn substitution(&self) -> Result<Substitution, Occurs> {
        let dims = self.dim_vars().map(|var| (var, self.dim(var)));
        let dims = dims.filter(|(var, term)| *term != DimTerm::Var(*var));
        let rows =
            self.solver.config.tables.rows.slots.iter().map(|slot| (slot.var, self.row(slot.var)));
        let rows = rows.filter(|(var, term)| *term != RowTerm::from(*var));
        Substitution::new(dims, rows)
    }

    /// The residual constraints, in order: caps and adjacencies of dimensions, then rows.
    pub fn residual(&self) -> Vec<Residual> {
        let mut residual = Vec::new();
        let bound = |relation, reasons: Reasons| Residual {
            relation,
            origins: self.solver.config.tables.givens.origins(reasons.givens),
            deferred: false,
        };
        for node in self.solver.config.tables.dims.states.ids() {
            if let Some(cap) = self.solver.config.tables.dims.cap(node) {
                let here = self.dim_term(DimRef::node(node));
                let relation = Relation::DimIneq(self.dim_term(cap.atom), here);
                let reasons =
                    self.solver.config.reasoner().reasons(cap.cause, [cap.via, DimRef::UNIT]);
                residual.push(bound(relation, reasons));
            }
        }
        for adjacency in self.solver.config.tables.dims.adjacencies.iter() {
            let terms = [adjacency.low, adjacency.high];
            let [low, high] = terms.map(|term| self.solver.config.tables.dims.resolve(term));
            if low != high && low.as_node().is_some() && high.as_node().is_some() {
                let relation = Relation::DimIneq(self.dim_term(low), self.dim_term(high));
                residual.push(bound(
                    relation,
                    self.solver.config.reasoner().reasons(adjacency.cause, terms),
                ));
            }
        }
        for (given, progress) in self.solver.config.tables.givens.progress.entries() {
            let deferred = match progress.status {
                Status::Adjacent | Status::Cap => false,
                Status::DeferredEq | Status::DeferredIneq => true,
                Status::Pending | Status::Done => continue,
            };
            let relation =
                self.row_relation(*self.solver.config.tables.givens.row_given_of(given), progress);
            let reasons =
                self.solver.config.reasoner().reasons(Cause::given(given), [DimRef::UNIT; 2]);
            residual.push(Residual { deferred, ..bound(relation, reasons) });
        }
        for relation in
            self.solver.config.tables.relations.all.iter().filter(|relation| !relation.done)
        {
            // Those that rules subtracted follow from those that were given.
            if relation.cause.as_given().is_some() {
                let asked = self.size_relation(relation, true);
                let reasons =
                    self.solver.config.reasoner().reasons(relation.cause, [DimRef::UNIT; 2]);
                let bound = bound(Relation::Size(asked), reasons);
                residual.push(Residual { deferred: true, ..bound });
            }
        }
        for (node, known) in self.solver.config.tables.dims.unbound_sizes() {
            let asked = self.known_size(DimRef::node(node), known);
            let reasons =
                self.solver.config.reasoner().reasons(known.cause, [known.via, DimRef::UNIT]);
            // The unit has one element.
            let deferred = known.size > 1;
            residual.push(Residual { deferred, ..bound(Relation::Size(asked), reasons) });
        }
        residual
    }

    /// What is known of the size of a dimension, as a relation.
    fn known_size(&self, dim: DimRef, known: Least) -> SizeRelation {
        let dim = self.dim_term(dim);
        match known.exact {
            None => SizeRelation::AtLeast { dim, least: known.size },
            Some(_) => SizeRelation::Total {
                rows: alloc::vec![RowTerm::closed([], [dim])],
                divided_by: Vec::new(),
                count: Count::Number(known.size),
            },
        }
    }

    /// The constraints that the configuration denotes, over unbound variables: those in the queue
    /// as well as those that are kept.
    pub(crate) fn asked(&self) -> Vec<Constraint> {
        let origin = OriginId::default();
        let kept =
            self.residual().into_iter().map(|residual| residual.relation.with_origin(origin));
        let mut asked: Vec<Constraint> = kept.collect();
        let dim = |relation, left, right| {
            let (left, right) = (self.dim_term(left), self.dim_term(right));
            match relation {
                Sign::Eq | Sign::Is => Relation::DimEq(left, right),
                Sign::Ineq => Relation::DimIneq(left, right),
            }
        };
        let row = |given: GivenId, related| {
            self.row_relation(related, self.solver.config.tables.givens.progress.get(given))
        };
        for pending in self.solver.config.tables.queue.iter() {
            let relation = match pending {
                Pending::Dim { relation, left, right, .. } => dim(relation, left, right),
                Pending::Adjacency(index) => {
                    let adjacency = self.solver.config.tables.dims.adjacencies.get(index);
                    dim(Sign::Ineq, adjacency.low, adjacency.high)
                }
                Pending::Row(given) => {
                    row(given, *self.solver.config.tables.givens.row_given_of(given))
                }
                // What relations ask is among the residual constraints, whether queued or not.
                Pending::Size(_) => continue,
                Pending::AtLeast { dim, least, .. } => {
                    Relation::Size(SizeRelation::AtLeast { dim: self.dim_term(dim), least })
                }
                Pending::Sized { dim, fact } => Relation::Size(
                    self.known_size(dim, self.solver.config.tables.dims.facts.get(fact)),
                ),
            };
            asked.push(relation.with_origin(origin));
        }
        for given in between(
            self.solver.config.tables.counts.asked,
            self.solver.config.tables.givens.all.end(),
        ) {
            let relation = match self.solver.config.tables.givens.all.get(given).kind {
                GivenKind::Dim { relation, left, right } => dim(relation, left, right),
                GivenKind::Row(related) => row(given, related),
                GivenKind::Size(_) => continue,
                GivenKind::AtLeast { dim, least } => {
                    Relation::Size(SizeRelation::AtLeast { dim: self.dim_term(dim), least })
                }
            };
            asked.push(relation.with_origin(origin));
        }
        asked
    }

    /// γ↑: every unbound variable at its top, the others as they are bound.
    pub fn greatest(&self) -> Grounding {
        let solver = self.solver;
        let dim = |var: DimVar| {
            solver
                .config
                .tables
                .dims
                .dim_node(var)
                .map_or(Dim::Unit, |node| solver.config.tables.dims.top(DimRef::node(node)))
        };
        let mut view = View::default();
        let mut row = |node: RowNode| {
            view.clear();
            solver.config.tables.rows.view_node(node, &mut view);
            let (lead, trail) = (view.lead.iter(), view.trail.iter().rev());
            Flanks::new(
                lead.map(|dim| solver.config.tables.dims.top(*dim)),
                trail.map(|dim| solver.config.tables.dims.top(*dim)),
            )
        };
        // Slots are in another order than their variables. Pairs are sorted before there are rows,
        // which are large.
        let mut slots: Vec<(RowVar, RowNode)> =
            solver.config.tables.rows.slots.iter().map(|slot| (slot.var, slot.node)).collect();
        slots.sort_unstable_by_key(|(var, _)| *var);
        Grounding::new(
            self.dim_vars().map(|var| (var, dim(var))),
            slots.into_iter().map(|(var, node)| (var, row(node))),
        )
    }

    fn dim_vars(&self) -> impl Iterator<Item = DimVar> + '_ {
        self.solver.config.tables.dims.vars.keys().iter().copied()
    }

    fn names(&self) -> &(BTreeMap<DimNode, DimVar>, BTreeMap<RowNode, RowVar>) {
        self.names.get_or_init(|| {
            let node =
                |var: DimVar| self.solver.config.tables.dims.vars.get(var).map(|node| (node, var));
            let dims = self.dim_vars().filter_map(node).collect();
            let rows = self
                .solver
                .config
                .tables
                .rows
                .slots
                .iter()
                .map(|slot| (slot.node, slot.var))
                .collect();
            (dims, rows)
        })
    }

    /// The same form, which shows given constraints with the names that became numbers.
    pub(crate) fn with_names(self) -> Self {
        SolvedForm { is_written: true, ..self }
    }

    pub(crate) fn dim_term(&self, term: DimRef) -> DimTerm {
        let root = self.solver.config.tables.dims.resolve(term);
        match (root.as_ground(), root.as_node()) {
            (Some(index), _) => self.solver.config.tables.dims.met.get(index).into(),
            (None, Some(node)) => self.dim_var(node).into(),
            (None, None) => DimTerm::UNIT,
        }
    }

    pub(crate) fn dim_var(&self, node: DimNode) -> DimVar {
        self.names().0.get(&node).copied().unwrap_or_else(|| node.minted())
    }

    pub(crate) fn row_var(&self, node: RowNode) -> RowVar {
        self.names().1.get(&node).copied().unwrap_or_else(|| node.minted())
    }

    pub(crate) fn row_term(&self, view: &View, front: usize, back: usize) -> RowTerm {
        let side = view.side(front, back);
        let lead = (front..front + side.lead).map(|i| self.dim_term(view.front(i)));
        let trail = (back..back + side.trail).rev().map(|i| self.dim_term(view.back(i)));
        RowTerm { flanks: Flanks::new(lead, trail), var: view.var.map(|node| self.row_var(node)) }
    }

    /// A row constraint as it stands, without the positions that were compared.
    pub(crate) fn row_relation(&self, related: RowGiven, progress: Progress) -> Relation {
        let (front, back) = (usize::from(progress.front), usize::from(progress.back));
        let side = |row| self.row_term(&self.solver.config.tables.rows.view(row), front, back);
        match related.relation {
            Sign::Eq | Sign::Is => Relation::RowEq(side(related.left), side(related.right)),
            Sign::Ineq => Relation::RowIneq(side(related.left), side(related.right)),
        }
    }
}

/// The bindings, then the residual constraints, one a line; deferred ones say so.
impl Print for SolvedForm<'_> {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.substitution() {
            Ok(bindings) => bindings.print(names, f)?,
            Err(occurs) => write!(f, "{occurs}")?,
        }
        for residual in self.residual() {
            f.write_str("\n")?;
            residual.relation.print(names, f)?;
            if residual.deferred {
                f.write_str("  // deferred")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for SolvedForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(&Names::new(), f)
    }
}
