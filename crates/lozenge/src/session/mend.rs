//! Mends of constraints that nothing satisfies: a name becomes a number, or a size is taken for
//! another.

use std::collections::BTreeSet;

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Part, Relation, SizeRelation},
    dim::Dim,
    size::{Size, SizeKind, SizeSymbol},
    term::{DimTerm, DimVar},
};
use lozenge_solve::{
    Conflict, Solver,
    decide::{Decision, Effort, decide_with},
};

use super::{
    Inference,
    canonical::RUNS,
    program::{Specialised, dims, within},
};
use crate::explain::{self, Clash};
use crate::session::step::StepId;

/// How many numbers are tried for names.
const MOST_PAIRS: usize = 16;

/// A mend of constraints that nothing satisfies.
pub(super) enum Mend<T = Specialised> {
    Nothing,
    /// That a name is a number.
    Number(T),
    /// That a name is one of several numbers, or perhaps of several.
    Several,
    /// That one size is taken for another, as this solver does, which knows nothing else.
    Equal(Box<Solver>),
}

impl Inference {
    /// The mend of a conflict of these constraints, or of the few that it comes from.
    pub(super) fn forced(
        &self,
        conflicting: &Solver,
        all: &[Constraint],
        conflict: &Conflict,
    ) -> Mend {
        let of_it = |asked: &&Constraint| conflict.origins.contains(&asked.origin);
        let members: Vec<Constraint> = all.iter().filter(of_it).cloned().collect();
        let direct = self.forced_at_once(conflicting, conflict, &members);
        direct.unwrap_or_else(|| self.forced_by(all, &conflict.origins))
    }

    /// The mend that the conflict itself tells. One element that an axis has because two sizes
    /// meet in it, of which the name is one, does not say what the name is.
    fn forced_at_once(
        &self,
        conflicting: &Solver,
        conflict: &Conflict,
        members: &[Constraint],
    ) -> Option<Mend> {
        let Some((name, value)) = conflicting.equations().forced(conflict) else {
            return Some(Mend::Equal(Box::new(conflicting.equations().equated(conflict)?)));
        };
        let are_atoms = matches!(conflict.clash, Some((Dim::Atom { .. }, Dim::Atom { .. })));
        if value == 1 && (!are_atoms || self.is_refuted_with(members, name, value)) {
            return None;
        }
        Some(Mend::Number(Specialised { name, value, origins: conflict.origins.clone() }))
    }

    /// The mend of constraints that nothing satisfies because of those of these origins. What many
    /// ask together, as that an axis is broadcast which two names meet in, may hide what few of
    /// them do.
    pub(super) fn forced_by(&self, all: &[Constraint], origins: &[OriginId]) -> Mend {
        if !self.program.has_open_names() {
            return Mend::Nothing;
        }
        let (mut members, clash) = explain::least_conflict(self, all.iter().cloned(), origins);
        // That a size is taken for another has its reasons.
        let equated = self.solver.equations().equated_origins();
        let is_reason =
            |asked: &&Constraint| equated.contains(&asked.origin) && !members.contains(asked);
        let reasons: Vec<Constraint> = all.iter().filter(is_reason).cloned().collect();
        members.extend(reasons);
        self.forced_in(&members, clash.as_ref())
    }

    /// The mend where few constraints let a name be one of several numbers, and others say which.
    pub(super) fn forced_with_others(&self, all: &[Constraint], origins: &[OriginId]) -> Mend {
        let mut found = self.only_number(all);
        let step = |origin: OriginId| self.program.origin(origin).0;
        let few: BTreeSet<StepId> = origins.iter().map(|origin| step(*origin)).collect();
        let mut kept = all.to_vec();
        for other in self.program.step_ids().filter(|other| !few.contains(other)) {
            if !matches!(found, Mend::Number(_)) {
                break;
            }
            let fewer = kept.iter().filter(|asked| step(asked.origin) != other);
            let fewer: Vec<Constraint> = fewer.cloned().collect();
            if fewer.len() == kept.len() {
                continue;
            }
            if let with_fewer @ Mend::Number(_) = self.only_number(&fewer) {
                (found, kept) = (with_fewer, fewer);
            }
        }
        found
    }

    /// The mend of the few constraints that conflict.
    pub(super) fn forced_in(&self, members: &[Constraint], clash: Option<&Clash>) -> Mend {
        let direct = clash.and_then(|Clash { conflict, solver }| {
            let direct = self.forced_at_once(solver, conflict, members);
            // What is chosen otherwise fails as well.
            let has_late = || names_in(members).into_iter().any(|name| self.is_late(name));
            direct.or_else(|| {
                let equated = solver.equations().equated_anyway(conflict).filter(|_| has_late())?;
                Some(Mend::Equal(Box::new(equated)))
            })
        });
        direct.unwrap_or_else(|| self.only_number(members))
    }

    /// Whether a name is known at run time: what it is, is required.
    fn is_late(&self, name: SizeSymbol) -> bool {
        self.solver.sizes().is_at_run_time(name)
    }

    /// The one number that some name has to be, if that is all that mends constraints which nothing
    /// satisfies, wherever markers stand.
    fn only_number(&self, members: &[Constraint]) -> Mend {
        let asked = [members, &self.several(members)].concat();
        let found: Vec<(SizeSymbol, Mend<u64>)> =
            if members.iter().any(|member| computes(&member.relation)) {
                let values = names_in(members).into_iter();
                let values = values.map(|name| (name, self.only_value(&asked, name)));
                values.filter(|(_, mend)| !matches!(mend, Mend::Nothing)).collect()
            } else {
                let found = self.fitting(&asked).into_iter();
                found.map(|(name, value)| (name, Mend::Number(value))).collect()
            };
        let origins = || members.iter().map(|member| member.origin).collect();
        match found[..] {
            [] => self.only_name(&asked, origins()),
            [(name, Mend::Number(value))] if self.is_late(name) => {
                let size = Size::int(value).ok();
                let taking =
                    size.and_then(|size| self.solver.equations().taking(name, size, origins()));
                taking.map_or(Mend::Nothing, |solver| Mend::Equal(Box::new(solver)))
            }
            [(name, Mend::Number(value))] => {
                Mend::Number(Specialised { name, value, origins: origins() })
            }
            [..] => Mend::Several,
        }
    }

    /// The mend by which a name that is known at run time is taken for another size.
    fn only_name(&self, asked: &[Constraint], origins: Vec<OriginId>) -> Mend {
        let names = names_in(asked);
        let late: Vec<SizeSymbol> =
            names.iter().copied().filter(|name| self.is_late(*name)).collect();
        if late.is_empty() || late.len() * names.len() > MOST_PAIRS {
            return Mend::Nothing;
        }
        let others = |name: SizeSymbol| {
            // Two that are known at run time are one pair.
            let is_other = move |other: &&SizeSymbol| !self.is_late(**other) || **other < name;
            names.iter().filter(is_other).map(move |other| (name, *other))
        };
        let pairs = late.iter().flat_map(|name| others(*name));
        let mends = |(name, other): &(SizeSymbol, SizeSymbol)| {
            let put = |term: DimTerm| match term.ground() {
                Some(Dim::Atom { size, basis }) if size == Size::symbol(*name) => {
                    Dim::atom(Size::symbol(*other), basis).into()
                }
                _ => term,
            };
            let mut asked = self.program.in_order(asked.to_vec());
            for constraint in &mut asked {
                constraint.relation = constraint.relation.map_dims(put);
            }
            let decided = decide_with(&self.solver, &asked, &mut Effort::of(RUNS));
            !matches!(decided, Decision::Unsatisfiable(_))
        };
        let found: Vec<(SizeSymbol, SizeSymbol)> = pairs.filter(mends).collect();
        match found[..] {
            [] => Mend::Nothing,
            [(name, other)] => {
                let solver = self.solver.equations().taking(name, Size::symbol(other), origins);
                solver.map_or(Mend::Nothing, |solver| Mend::Equal(Box::new(solver)))
            }
            [..] => Mend::Several,
        }
    }

    /// The numbers among these constraints that mend them in the place of names. Where nothing is
    /// computed, a size that is none of them meets what a name meets, so it mends nothing either.
    fn fitting(&self, asked: &[Constraint]) -> Vec<(SizeSymbol, u64)> {
        let (names, numbers) = (names_in(asked), numbers_in(asked));
        if names.len() * numbers.len() > MOST_PAIRS {
            return vec![];
        }
        let pairs = names.iter().flat_map(|name| numbers.iter().map(|number| (*name, *number)));
        pairs.filter(|(name, number)| !self.is_refuted_with(asked, *name, *number)).collect()
    }

    /// The one number that a name has to be so that these constraints have a solution: with a
    /// variable in its place they have one, and with any other number they have none.
    fn only_value(&self, asked: &[Constraint], name: SizeSymbol) -> Mend<u64> {
        if let Some(values) = self.solver.equations().few_values(name) {
            let fits = |value: &u64| !self.is_refuted_with(asked, name, *value);
            let fitting: Vec<u64> = values.into_iter().filter(fits).collect();
            return match fitting[..] {
                [] => Mend::Nothing,
                [value] => Mend::Number(value),
                [..] => Mend::Several,
            };
        }
        let free = DimVar::new(self.program.variables.dims);
        let [rest, above] = [1, 2].map(|more| DimVar::new(self.program.variables.dims + more));
        let bounds = within(free, self.program.range_of(name), above);
        let (free, rest) = (DimTerm::Var(free), DimTerm::Var(rest));
        let in_place = |term: DimTerm| if name_of(term) == Some(name) { free } else { term };
        let asked_of = |constraint: &Constraint| Constraint {
            relation: constraint.relation.map_dims(in_place),
            ..*constraint
        };
        let freed: Vec<Constraint> =
            self.program.in_order(asked.to_vec()).iter().map(asked_of).collect();
        let least = |dim: DimTerm, least: u64| Relation::Size(SizeRelation::AtLeast { dim, least });
        let solve = |more: Vec<Relation>| {
            let more = bounds.iter().cloned().chain(more);
            let more = more.map(|relation| relation.with_origin(OriginId::NOBODY));
            let asked: Vec<Constraint> = freed.iter().cloned().chain(more).collect();
            decide_with(&self.solver, &asked, &mut Effort::of(RUNS))
        };
        let solution = match solve(vec![least(free, 2)]) {
            Decision::Satisfiable(solution) => solution,
            // One element that stretches to nothing else.
            Decision::Unsatisfiable(_) => {
                let is_one = self.is_satisfied_with(asked, name, 1);
                return if is_one { Mend::Number(1) } else { Mend::Nothing };
            }
            Decision::Beyond => return Mend::Nothing,
        };
        let found = solution.grounding.dim(free);
        let Some(value) = found.size().count() else { return Mend::Nothing };
        let parts =
            vec![Part { dim: free, discardable: false }, Part { dim: rest, discardable: false }];
        let less = Relation::Size(SizeRelation::Concat { whole: found.into(), parts });
        let others = [vec![least(free, value + 1)], vec![least(free, 2), least(rest, 1), less]];
        if self.is_refuted_with(asked, name, value) {
            return Mend::Nothing;
        }
        let is_only =
            others.into_iter().all(|other| matches!(solve(other), Decision::Unsatisfiable(_)));
        if is_only { Mend::Number(value) } else { Mend::Several }
    }

    /// Whether nothing satisfies these constraints with a number in the place of a name either.
    pub(super) fn is_refuted_with(
        &self,
        members: &[Constraint],
        name: SizeSymbol,
        value: u64,
    ) -> bool {
        matches!(self.decide_with(members, name, value), Decision::Unsatisfiable(_))
    }

    /// Whether something satisfies these constraints with a number in the place of a name.
    fn is_satisfied_with(&self, members: &[Constraint], name: SizeSymbol, value: u64) -> bool {
        matches!(self.decide_with(members, name, value), Decision::Satisfiable(_))
    }

    fn decide_with(&self, members: &[Constraint], name: SizeSymbol, value: u64) -> Decision {
        let mut members = self.program.in_order(members.to_vec());
        Specialised { name, value, origins: vec![] }.put_into(&mut members);
        let numbered = self.solver.equations().numbered(name, value);
        decide_with(numbered.as_ref().unwrap_or(&self.solver), &members, &mut Effort::of(RUNS))
    }

    /// What says of the sizes which constraints compute from names that they are no single element,
    /// which any other size would fit: that is chosen, not forced. What computes them are
    /// equations.
    pub(super) fn several(&self, members: &[Constraint]) -> Vec<Constraint> {
        let is_equation = |member: &&Constraint| match member.relation {
            Relation::DimEq(..) | Relation::RowEq(..) | Relation::Size(_) => true,
            Relation::DimIneq(..) | Relation::RowIneq(..) => false,
        };
        let equations: Vec<Constraint> = members.iter().filter(is_equation).cloned().collect();
        let mut known = self.solver.blank();
        if known.extend_ordered(&equations).is_err() {
            return vec![];
        }
        let mut several = vec![];
        for Constraint { relation, origin } in &equations {
            let computed = if computes(relation) { dims(relation) } else { vec![] };
            for dim in computed.into_iter().filter(|dim| dim.var().is_some()) {
                if is_computed(known.resolved_dim(dim)) {
                    let relation = Relation::Size(SizeRelation::AtLeast { dim, least: 2 });
                    several.push(relation.with_origin(*origin));
                }
            }
        }
        several
    }
}

/// The names of sizes in constraints.
pub(super) fn names_in<'a>(
    constraints: impl IntoIterator<Item = &'a Constraint>,
) -> BTreeSet<SizeSymbol> {
    let dims = constraints.into_iter().flat_map(|constraint| dims(&constraint.relation));
    dims.filter_map(name_of).collect()
}

/// The numbers in constraints that are sizes of axes.
fn numbers_in(constraints: &[Constraint]) -> BTreeSet<u64> {
    let dims = constraints.iter().flat_map(|constraint| dims(&constraint.relation));
    dims.filter_map(number_of).collect()
}

/// The number that is the size of a dimension, which is no unit.
pub(super) fn number_of(term: DimTerm) -> Option<u64> {
    match term.ground()? {
        Dim::Atom { size, .. } => size.count(),
        Dim::Unit => None,
    }
}

/// The name that is the size of a dimension.
fn name_of(term: DimTerm) -> Option<SizeSymbol> {
    match term.ground()?.size().kind() {
        SizeKind::Symbol(name) => Some(name),
        _ => None,
    }
}

/// Whether a dimension is of a size that is computed from names.
fn is_computed(term: DimTerm) -> bool {
    match term.ground() {
        Some(Dim::Atom { size, .. }) => matches!(size.kind(), SizeKind::Computed(_)),
        Some(Dim::Unit) | None => false,
    }
}

pub(super) fn computes(relation: &Relation) -> bool {
    matches!(relation, Relation::Size(_))
}
