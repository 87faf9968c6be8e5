//! Missing sizes, each with the sizes that follow from it.
//!
//! One width that nobody wrote is missing from every weight that takes or gives it. To tell it
//! once, a size is supposed where one is missing and the program is closed again: the axes that are
//! known then follow from it. The number of tries is bounded; a size with which nothing could be
//! tried is told by itself.
//!
//! The alternative, to group axes by the classes and bounds of the solver, was rejected: a size
//! also follows through relations between sizes and through what closing chooses, and only closing
//! knows both.

use std::collections::BTreeSet;

use lozenge_calculus::{
    constraint::{OriginId, Relation},
    dim::Dim,
    term::{DimTerm, RowTerm, Variable},
};
use lozenge_solve::{
    Solver,
    close::{Closed as Values, Policy, Problem, Role, Roles, close},
};

use super::declare;
use crate::{Inference, operation::Variables};

/// A size or a number of axes that a leaf lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Missing {
    /// Of which variable.
    pub(super) var: Variable,
    /// The size of this axis of its row, the first of a single axis; `None` for how many axes a row
    /// has.
    pub(super) axis: Option<usize>,
}

/// A size that somebody has to say.
#[derive(Clone, Debug)]
pub(super) struct Unknown {
    /// Where to say it.
    pub(super) root: Missing,
    /// A size with which the program closes there; `None` where none was found.
    pub(super) fits: Option<Fits>,
    /// The missing sizes and numbers of axes that are known then.
    pub(super) follows: Vec<Missing>,
    /// Whether each of these would settle all of them as well.
    pub(super) any_settles: bool,
}

/// A size that fits, of which axis of a row, and how many axes that has; of a single axis, the
/// first of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fits {
    pub(super) size: u64,
    pub(super) axis: usize,
    pub(super) rank: usize,
}

/// The most times that a program is closed to find out which sizes follow from which.
const MOST_CLOSED: usize = 96;

/// The most steps that are closed for that, in all tries together.
const MOST_STEPS: usize = 100_000;

/// The most sizes of data that are tried.
const MOST_DATA: usize = 8;

/// The axis of what has one alone: a dimension, and a row that is supposed to have one since not
/// even its rank is known.
const FIRST: usize = 0;

/// Sizes to suppose, one for each that is missing: different, so that nothing fits because two are
/// the same.
const SIZES: [u64; 8] = [64, 128, 32, 256, 16, 512, 8, 1024];

/// Sizes to suppose where that one does not fit: one with many divisors, and one with none.
const OTHERS: [u64; 2] = [60, 61];

impl Missing {
    /// The size or number of axes that a problem of closing is about.
    pub(super) fn of(problem: &Problem) -> Option<Missing> {
        match problem {
            Problem::Hole { var, axis } => Some(Missing { var: *var, axis: axis.or(Some(FIRST)) }),
            Problem::NoRank(var) => Some(Missing { var: *var, axis: None }),
            Problem::Unused(_)
            | Problem::Refused(_)
            | Problem::Unsettled(_)
            | Problem::Deferred(_)
            | Problem::Misplaced { .. }
            | Problem::Exhausted(_) => None,
        }
    }

    /// The number of axes of the same row.
    fn rank(self) -> Missing {
        Missing { axis: None, ..self }
    }

    /// Whether it is known where only these are missing.
    fn is_known(self, missing: &BTreeSet<Missing>) -> bool {
        match self.axis {
            Some(_) => !missing.contains(&self) && !missing.contains(&self.rank()),
            None => missing.range(self..).next().is_none_or(|next| next.var != self.var),
        }
    }
}

/// The program with some sizes supposed.
#[derive(Clone)]
struct Supposed {
    solver: Solver,
    variables: Variables,
    /// The sizes that are missing when it is closed.
    missing: BTreeSet<Missing>,
}

/// Trying, under way.
struct Trial<'a> {
    policy: Policy,
    /// The roles of the program, where data must say its `_` and `...` too.
    roles: Roles,
    /// The same leaves, none of which must be known.
    leaves: Roles,
    /// The sizes that are missing from the program, in order.
    missing: &'a [Missing],
    /// How many problems there may be besides.
    others: usize,
    /// How often the program may still be closed.
    left: usize,
}

/// The sizes that somebody has to say so that none is missing: no more than were found to be
/// needed, and at most `most` of which anything was tried.
pub(super) fn unknowns(
    inference: &Inference,
    solver: &Solver,
    policy: Policy,
    problems: &[Problem],
    most: usize,
) -> Vec<Unknown> {
    let missing: Vec<Missing> = problems.iter().filter_map(Missing::of).collect();
    let alone = |root| Unknown { root, fits: None, follows: vec![], any_settles: false };
    let all_alone = || missing.iter().copied().take(most).map(alone).collect();
    if missing.is_empty() {
        return vec![];
    }
    let mut trial = Trial::new(inference, policy, &missing);
    let Some((of_program, others)) = trial.problems(solver) else { return all_alone() };
    trial.others = others;
    let variables = inference.program.variables;
    let start = Supposed { solver: solver.clone(), variables, missing: of_program };

    let own: BTreeSet<Missing> = missing.iter().copied().collect();
    let data = start.missing.difference(&own).take(MOST_DATA);
    let (mut unknowns, mut stuck): (Vec<Unknown>, Vec<Missing>) = (vec![], vec![]);
    let mut now = start.clone();
    for root in data.chain(&missing).copied() {
        if root.is_known(&now.missing) {
            continue;
        }
        if unknowns.len() + stuck.len() == most {
            break;
        }
        let settled = trial.settle(&now, root, SIZES[unknowns.len() % SIZES.len()]);
        let is_data = !own.contains(&root);
        // Data that may have any axes is rarely where one size is meant to be said.
        let least = match root.var {
            _ if !is_data => 0,
            Variable::Dim(_) => 1,
            Variable::Row(_) => 2,
        };
        match settled {
            Some((fits, next)) => {
                let follows = trial.follows(root, &now, &next);
                if follows.len() >= least {
                    unknowns.push(Unknown { fits: Some(fits), follows, ..alone(root) });
                    now = next;
                }
            }
            None if is_data => {}
            None => stuck.push(root),
        }
    }
    trial.leave_out(&start, &mut unknowns, &stuck);
    if let Some(values) = trial.values(&now.solver) {
        for place in 0..unknowns.len() {
            let any = trial.any_settles(&start, &values, &unknowns, place, &stuck);
            unknowns[place].any_settles = any;
        }
    }
    unknowns.extend(stuck.into_iter().map(alone));
    // That data must be known here may change what is missing; nothing that is shall be lost by
    // that.
    let told: BTreeSet<Missing> = unknowns.iter().flat_map(Unknown::told).collect();
    let untold = missing.iter().filter(|it| !told.contains(it)).take(most).copied();
    unknowns.extend(untold.map(alone));
    unknowns
}

impl<'a> Trial<'a> {
    fn new(inference: &Inference, policy: Policy, missing: &'a [Missing]) -> Trial<'a> {
        let data = inference
            .program
            .leaves
            .iter()
            .filter(|leaf| leaf.role == Role::Leaf && declare::gap(inference, leaf).is_some());
        let data: BTreeSet<Variable> = data.map(|leaf| leaf.var).collect();
        let roles = inference.program.roles();
        let known = roles
            .leaves()
            .iter()
            .map(|(var, role)| (*var, if data.contains(var) { Role::Parameter } else { *role }));
        let leaves = roles.leaves().iter().map(|(var, _)| (*var, Role::Leaf));
        let left = (MOST_STEPS / inference.program.steps.len().max(1)).min(MOST_CLOSED);
        let (roles, leaves) = (Roles::new(known), Roles::new(leaves));
        Trial { policy, roles, leaves, missing, others: 0, left }
    }

    /// The sizes that are missing when the program is closed from here, and the number of other
    /// problems; `None` when it has been closed often enough.
    fn problems(&mut self, solver: &Solver) -> Option<(BTreeSet<Missing>, usize)> {
        self.left = self.left.checked_sub(1)?;
        let problems = match close(&solver.solved(), &self.roles, self.policy) {
            Ok(_) => vec![],
            Err(unclosed) => unclosed.problems,
        };
        let missing = problems.iter().filter_map(Missing::of).collect();
        let others = problems.iter().filter(|problem| Missing::of(problem).is_none()).count();
        Some((missing, others))
    }

    /// The sizes that are missing when the program is closed from here; `None` also when something
    /// else is wrong then.
    fn close(&mut self, solver: &Solver) -> Option<BTreeSet<Missing>> {
        let (missing, others) = self.problems(solver)?;
        (others <= self.others).then_some(missing)
    }

    /// The values of a program in which nothing must be known.
    fn values(&mut self, solver: &Solver) -> Option<Values> {
        self.left = self.left.checked_sub(1)?;
        // Beside open sizes not everything is guessed.
        let mut policies = [Policy::Default, Policy::Upward].into_iter();
        policies.find_map(|policy| close(&solver.solved(), &self.leaves, policy).ok())
    }

    /// Supposes a size. The caller closes the program to find the sizes that are missing then.
    fn suppose(from: &Supposed, var: Variable, fits: Fits) -> Option<Supposed> {
        let mut next = from.clone();
        let size = DimTerm::from(Dim::int(fits.size).ok()?);
        let relation = match var {
            Variable::Dim(var) => Relation::DimEq(var.into(), size),
            Variable::Row(var) => {
                let mut entry = |axis: usize| match axis {
                    _ if axis == fits.axis => size,
                    _ => next.variables.new_dim().into(),
                };
                let entries: Vec<DimTerm> = (0..fits.rank).map(&mut entry).collect();
                Relation::RowEq(var.into(), RowTerm::closed([], entries))
            }
        };
        next.solver.extend(&[relation.with_origin(OriginId::default())]).ok()?;
        Some(next)
    }

    /// Supposes a size that fits, this one or another, if nothing is missing there then.
    fn settle(&mut self, from: &Supposed, root: Missing, size: u64) -> Option<(Fits, Supposed)> {
        let var = root.var;
        // Where the number of axes was missing, it may be known by now which of them is.
        let mut of_row = from.missing.range(root.rank()..).take_while(|it| it.var == var);
        let axis = root.axis.or_else(|| of_row.find_map(|it| it.axis)).unwrap_or(FIRST);
        let values = self.values(&from.solver)?;
        let (guessed, rank) = value(&values, var, axis);
        // Where relations between sizes leave few, closing knows one that fits.
        [size].into_iter().chain(OTHERS).chain(guessed).find_map(|size| {
            let fits = Fits { size, axis, rank: rank.max(axis + 1) };
            let mut next = Self::suppose(from, var, fits)?;
            next.missing = self.close(&next.solver)?;
            root.is_known(&next.missing).then_some((fits, next))
        })
    }

    /// The sizes that were missing and are known as soon as one is supposed.
    fn follows(&self, root: Missing, before: &Supposed, after: &Supposed) -> Vec<Missing> {
        let is_new = |it: &&Missing| {
            **it != root && !it.is_known(&before.missing) && it.is_known(&after.missing)
        };
        self.missing.iter().filter(is_new).copied().collect()
    }

    /// Whether the program is closed with these sizes, but for what nothing settled.
    fn settles(
        &mut self,
        start: &Supposed,
        mut sizes: impl Iterator<Item = (Variable, Fits)>,
        stuck: &[Missing],
    ) -> bool {
        let with = sizes.try_fold(start.clone(), |all, (var, fits)| Self::suppose(&all, var, fits));
        let left = with.and_then(|with| self.close(&with.solver));
        left.is_some_and(|left| {
            self.missing.iter().all(|it| it.is_known(&left) || stuck.contains(it))
        })
    }

    /// Leaves out the sizes that follow from others after all, and finds again what follows from
    /// each.
    fn leave_out(&mut self, start: &Supposed, unknowns: &mut Vec<Unknown>, stuck: &[Missing]) {
        let before = unknowns.len();
        let mut place = 0;
        while unknowns.len() > 1 && place < unknowns.len() {
            let others = unknowns.iter().enumerate().filter(|(other, _)| *other != place);
            let sizes: Vec<(Variable, Fits)> = others.filter_map(|(_, it)| it.size()).collect();
            if self.settles(start, sizes.into_iter(), stuck) {
                unknowns.remove(place);
            } else {
                place += 1;
            }
        }
        if unknowns.len() == before {
            return;
        }
        let mut now = start.clone();
        for unknown in unknowns {
            let Some((var, fits)) = unknown.size() else { continue };
            let Some(mut next) = Self::suppose(&now, var, fits) else { continue };
            let Some(missing) = self.close(&next.solver) else { continue };
            next.missing = missing;
            unknown.follows = self.follows(unknown.root, &now, &next);
            now = next;
        }
    }

    /// Whether each of the sizes that follow from one would do instead of it.
    fn any_settles(
        &mut self,
        start: &Supposed,
        values: &Values,
        unknowns: &[Unknown],
        place: usize,
        stuck: &[Missing],
    ) -> bool {
        let follows = &unknowns[place].follows;
        if follows.is_empty() || follows.len() > self.left {
            return false;
        }
        follows.iter().all(|instead| {
            let axis = instead.axis.unwrap_or(FIRST);
            let (Some(size), rank) = value(values, instead.var, axis) else { return false };
            let mut sizes: Vec<(Variable, Fits)> =
                unknowns.iter().filter_map(Unknown::size).collect();
            sizes[place] = (instead.var, Fits { size, axis, rank });
            self.settles(start, sizes.into_iter(), stuck)
        })
    }
}

/// The size of an axis in a closed program, if it is a number that does not stretch; and how many
/// axes its row has.
fn value(values: &Values, var: Variable, axis: usize) -> (Option<u64>, usize) {
    let (dim, rank) = match var {
        Variable::Dim(var) => (Some(values.grounding().dim(var.into())), 1),
        Variable::Row(var) => {
            let row = values.grounding().row_var(var);
            (row.flat().get(axis).copied(), row.rank())
        }
    };
    (dim.filter(|dim| dim.is_atom()).and_then(|dim| dim.size().count()), rank)
}

impl Unknown {
    /// The variable, and the size of it that fits.
    fn size(&self) -> Option<(Variable, Fits)> {
        self.fits.map(|fits| (self.root.var, fits))
    }

    /// All sizes that are missing as long as this one is.
    pub(super) fn told(&self) -> impl Iterator<Item = Missing> + '_ {
        [self.root].into_iter().chain(self.follows.iter().copied())
    }
}
