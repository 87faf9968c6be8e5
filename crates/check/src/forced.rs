//! Forced variables: what a solved form binds, and what it leaves, held against brute force.
//!
//! The formal notes say that a solved form binds a variable only if its value is entailed, and that
//! a variable it leaves "genuinely admits at least two solutions or carries only its top default".
//! What is true here:
//!
//! * *Nothing waits.* A variable whose binding is not ground has two values, and its top is never
//!   the only one. The bounds that are left hold with all dimensions at the unit and all rows
//!   empty. They also hold with one dimension variable, and all below it, at its cap, or at any
//!   atom if it has none: caps are forwarded, so nothing below it has another. And they hold with
//!   one row variable, and all below it by adjacencies, at `◊[1_]`: an empty cap would have closed
//!   it.
//! * *Something waits.* The same is true of what is not connected with it, if there is a solution
//!   to begin with. Of what is connected, nothing is true: a variable may have one value, or none
//!   (`docs/cases/museum.md`).
//! * *The first half.* A ground value is entailed, up to ≈, where no rule has narrowed the place of
//!   a marker.

use std::collections::BTreeSet;

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation, Vars},
    dim::{Basis, Dim},
    judge::Judge,
    size::Size,
    term::{DimTerm, Grounding, RowTerm, Variable},
};
use lozenge_solve::{
    Rule, SolvedForm, Solver,
    close::{Policy, Roles, close},
};

use crate::{
    Generator, Mismatch, Tally, generate,
    mismatch::counts,
    oracle::{Universe, extents},
    stores::LIMITS,
};

/// The highest rank that is searched. Stores that need a higher one are left out, and counted.
const MAX_RANK: usize = 5;

/// The flat content of a value: its axes, one for a dimension.
type Content = Vec<Dim>;

counts! {
    /// Counts of variables by what is known of their values, and of stores that were left out.
    pub struct Counts {
        /// Variables without a ground value that are not connected with what waits: each has two
        /// values.
        pub free: u64,
        /// Variables with a ground value, in stores in which no marker was placed: each has that
        /// content alone.
        pub forced: u64,
        /// Variables connected with what waits that have two values all the same.
        pub deferred: u64,
        /// Variables connected with what waits that have one value, as far as was searched.
        pub missed: u64,
        /// Stores with something that waits and that closing does not settle.
        pub unsettled: u64,
        /// Stores with rows that are too long to search.
        pub long: u64,
    }
}

/// Draws a store and checks it.
///
/// # Errors
/// When a variable that should be free has one value, or one that should be forced has another.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let store = generate::store(rng, LIMITS);
    let seen = check_store(&store).map_err(|what| Mismatch::of_store(what, &store))?;
    counts.merge(seen);
    Ok(())
}

/// Solves a store and holds what is bound, and what is not, against its one-shot solutions.
///
/// # Errors
/// When a variable that should be free has one value, or one that should be forced has another.
pub fn check_store(store: &[Constraint]) -> Result<Counts, String> {
    let mut seen = Counts::default();
    let mut solver = Solver::new();
    if solver.extend(store).is_err() {
        return Ok(seen);
    }
    let form = solver.solved();
    let deferred = deferred(&form);
    // Where nothing waits this is γ↑. Where something does, it is a solution to vary, if there is
    // one.
    let Ok(closed) = close(&form, &Roles::default(), Policy::Upward) else {
        seen.unsettled = 1;
        return Ok(seen);
    };
    let Some(search) = Search::new(store, closed.grounding()) else {
        seen.long = 1;
        return Ok(seen);
    };
    let narrowing = [Rule::RiDeficit, Rule::RiShift, Rule::RiAntisym];
    let placed =
        solver.policy_steps() > 0 || narrowing.iter().any(|rule| solver.stats().count(*rule) > 0);
    for var in variables(&Vars::of(store)) {
        let left = variables_of(&form, var);
        let top = content(closed.grounding(), var);
        if left.is_empty() {
            if placed || !deferred.is_empty() {
                continue;
            }
            if let Some(other) = search.contents(var).find(|content| *content != top) {
                return Err(format!("{var:?} is bound to {top:?}, and {other:?} is a solution"));
            }
            seen.forced += 1;
        } else if left.is_subset(&deferred) {
            let other = search.contents(var).any(|content| content != top);
            *if other { &mut seen.deferred } else { &mut seen.missed } += 1;
        } else {
            let mut expected = witnesses(&form, var, &search);
            expected.push(top.clone());
            if let Some(content) = expected.iter().find(|content| !search.admits(var, content)) {
                return Err(format!("{var:?} is not bound, and cannot be {content:?}"));
            }
            if !search.contents(var).any(|content| content != top) {
                return Err(format!("{var:?} is not bound, and can only be {top:?}"));
            }
            seen.free += 1;
        }
    }
    Ok(seen)
}

/// What an unbound variable must be able to be, beside its top; nothing where it is a part of what
/// `var` is.
fn witnesses(form: &SolvedForm<'_>, var: Variable, search: &Search<'_>) -> Vec<Content> {
    match var {
        Variable::Dim(var) => match form.cap(var) {
            Some(cap) => vec![vec![cap]],
            None => search.universe.dims().iter().map(|dim| vec![*dim]).collect(),
        },
        Variable::Row(var) if form.row(var).flanks.rank() == 0 => vec![vec![Dim::Unit]],
        Variable::Row(_) => vec![],
    }
}

/// The solutions of a store, on a universe in which every variable can be varied.
struct Search<'a> {
    store: &'a [Constraint],
    universe: Universe,
}

impl Search<'_> {
    /// The universe of the atoms of `store` and one more, with rows one longer than those of a
    /// solution; `None` if these are too long.
    fn new<'a>(store: &'a [Constraint], solution: &Grounding) -> Option<Search<'a>> {
        let rank = |var: &Variable| content(solution, *var).len();
        let longest = variables(&Vars::of(store)).iter().map(rank).max().unwrap_or(0) + 1;
        let other = Dim::atom(Size::int(7).ok()?, Basis::DEFAULT);
        let own = Universe::of(store, longest);
        let universe = Universe::new(own.dims().iter().copied().chain([other]), longest);
        (longest <= MAX_RANK).then_some(Search { store, universe })
    }

    /// The contents of a variable among all solutions, in increasing rank.
    fn contents(&self, var: Variable) -> impl Iterator<Item = Content> {
        let ranks = match var {
            Variable::Dim(_) => 1..=1,
            Variable::Row(_) => 0..=self.universe.max_rank(),
        };
        let all = ranks.flat_map(|rank| {
            (0..rank).fold(vec![vec![]], |shorter: Vec<Content>, _| {
                let longer = |content: &Content| -> Vec<Content> {
                    let dims = self.universe.dims().iter();
                    dims.map(|dim| [content.as_slice(), &[*dim]].concat()).collect()
                };
                shorter.iter().flat_map(longer).collect()
            })
        });
        all.filter(move |content| self.admits(var, content))
    }

    /// Whether a solution gives a variable this content, with its marker anywhere.
    fn admits(&self, var: Variable, content: &Content) -> bool {
        let is = match var {
            Variable::Dim(var) => Relation::DimEq(var.into(), content[0].into()),
            Variable::Row(var) => {
                let axes = content.iter().map(|dim| DimTerm::Dim(*dim));
                Relation::RowEq(var.into(), RowTerm::closed([], axes))
            }
        };
        let is = is.with_origin(OriginId::default());
        let store = [self.store, &[is]].concat();
        extents::find(&self.universe, Judge::OneShot, &store).is_some()
    }
}

/// What a grounding gives a variable, without the marker.
fn content(ground: &Grounding, var: Variable) -> Content {
    match var {
        Variable::Dim(var) => vec![ground.dim(var.into())],
        Variable::Row(var) => ground.row_var(var).flat().to_vec(),
    }
}

fn variables(vars: &Vars) -> Vec<Variable> {
    let dims = vars.dims.iter().copied().map(Variable::Dim);
    dims.chain(vars.rows.iter().copied().map(Variable::Row)).collect()
}

/// The unbound variables of what a variable is bound to.
fn variables_of(form: &SolvedForm<'_>, var: Variable) -> BTreeSet<Variable> {
    match var {
        Variable::Dim(var) => form.dim(var).var().map(Variable::Dim).into_iter().collect(),
        Variable::Row(var) => {
            let term = form.row(var);
            let dims = term.dim_vars().map(Variable::Dim);
            dims.chain(term.var.map(Variable::Row)).collect()
        }
    }
}

/// The unbound variables that bounds connect with something that waits.
fn deferred(form: &SolvedForm<'_>) -> BTreeSet<Variable> {
    let residual = form.residual();
    let mut deferred = BTreeSet::new();
    loop {
        let before = deferred.len();
        for kept in &residual {
            let mut vars = Vars::default();
            kept.relation.collect_vars(&mut vars);
            let vars = variables(&vars);
            if kept.deferred || vars.iter().any(|var| deferred.contains(var)) {
                deferred.extend(vars);
            }
        }
        if deferred.len() == before {
            return deferred;
        }
    }
}
