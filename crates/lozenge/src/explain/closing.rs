//! What closing says.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_calculus::{
    constraint::{Constraint, OriginId},
    dim::Dim,
    judge::Judge,
    size::Size,
    term::Variable,
};
use lozenge_diagnostic::{Code, Diagnostic, Report, Sources};
use lozenge_solve::{
    Solver,
    close::{CloseError, Closed as Values, Dispute, Note, Policy, Problem, Role, Roles, close},
    explain::Target,
};

use crate::{
    Inference, Kind,
    session::{program::Leaf, step::StepId},
};

use super::{
    broadcast, declare, hidden,
    holes::{self, Missing, Unknown},
    listing::Listing,
    names, warnings, why, windows, words,
};

/// The most problems of closing that one refusal tells; the others show when these are mended.
const MOST_PROBLEMS: usize = 20;

/// Why a program cannot be closed.
pub(crate) fn unclosed(
    inference: &Inference,
    solver: &Solver,
    roles: &Roles,
    policy: Policy,
    unclosed: &CloseError,
) -> Report {
    // As the program declares its leaves, whatever the order in which they were closed.
    let leaves = &inference.program.leaves;
    let declared = |var| leaves.iter().position(|leaf| leaf.var == var);
    let mut problems = unclosed.problems.clone();
    problems.sort_by_key(|problem| match problem {
        Problem::Unused(var) | Problem::NoRank(var) | Problem::Hole { var, .. } => declared(*var),
        Problem::Refused(dispute) => declared(dispute.commitment.var),
        Problem::Unsettled(_)
        | Problem::Deferred(_)
        | Problem::Misplaced { .. }
        | Problem::Exhausted(_) => None,
    }); // stable
    let problems = &problems;
    let mut listing = Listing::new(&inference.program);
    let unknowns = holes::unknowns(inference, solver, policy, problems, MOST_PROBLEMS);
    let mut by_missing: BTreeMap<Missing, usize> = BTreeMap::new();
    for (place, unknown) in unknowns.iter().enumerate() {
        by_missing.extend(unknown.told().map(|missing| (missing, place)));
    }
    let mut diagnostics: Vec<Diagnostic> = vec![];
    let mut told: BTreeSet<usize> = BTreeSet::new();
    let mut steps: Vec<StepId> = vec![];
    for problem in problems {
        if diagnostics.len() == MOST_PROBLEMS {
            break;
        }
        let Some(missing) = Missing::of(problem) else {
            let step = match problem {
                Problem::Unused(var) => declare::leaf(inference, *var).map(|leaf| leaf.step),
                _ => None,
            };
            if step.is_none_or(|step| !steps.contains(&step)) {
                diagnostics.push(said(inference, solver, &mut listing, problem));
            }
            steps.extend(step);
            continue;
        };
        let place = by_missing.get(&missing).copied();
        let Some(place) = place.filter(|place| told.insert(*place)) else { continue };
        let unknown = &unknowns[place];
        let Some(leaf) = declare::leaf(inference, unknown.root.var) else { continue };
        steps.push(leaf.step);
        // What is missing of one parameter, and nothing follows from, is one mistake.
        let is_alone = |unknown: &Unknown| unknown.follows.is_empty();
        let mut of_leaf = vec![unknown];
        if is_alone(unknown) {
            let is_of_leaf = |other: &Unknown| {
                let of = declare::leaf(inference, other.root.var);
                is_alone(other) && of.is_some_and(|of| of.step == leaf.step)
            };
            for (place, other) in unknowns.iter().enumerate() {
                if is_of_leaf(other) && told.insert(place) {
                    of_leaf.push(other);
                }
            }
        }
        diagnostics.push(hidden::said(inference, &mut listing, &of_leaf, &unknowns));
    }
    if let Some(values) = used(solver, roles, policy, problems) {
        diagnostics.extend(undecided(inference, &mut listing, solver, &values));
    }
    listing.rejection(diagnostics)
}

/// What the program closes to but for parameters that nothing uses, if that is all that is wrong.
fn used(solver: &Solver, roles: &Roles, policy: Policy, problems: &[Problem]) -> Option<Values> {
    let is_unused = |var: &Variable| {
        problems.iter().any(|problem| matches!(problem, Problem::Unused(unused) if unused == var))
    };
    if problems.iter().any(|problem| !matches!(problem, Problem::Unused(_))) {
        return None;
    }
    let leaf =
        |(var, role): &(Variable, Role)| (*var, if is_unused(var) { Role::Leaf } else { *role });
    close(&solver.solved(), &Roles::new(roles.leaves().iter().map(leaf)), policy).ok()
}

/// What clashes in a step that fits only where an axis is inserted for its sake.
fn clash(
    inference: &Inference,
    solver: &Solver,
    listing: &mut Listing<'_>,
    step: StepId,
) -> Option<Diagnostic> {
    let is_of_step = |asked: &Constraint| inference.program.origin(asked.origin).0 == step;
    let mut asked: Vec<Constraint> = inference.constraints().filter(is_of_step).collect();
    asked.sort_by_key(|asked| asked.origin);
    let known = inference.with_solver(solver.clone());
    let said = broadcast::explain(&known, listing, step, &asked)?;
    let is_clash = matches!(said.code, Code::SizeMismatch | Code::BasisMismatch);
    is_clash.then(|| words::elsewhere(said))
}

fn said(
    inference: &Inference,
    solver: &Solver,
    listing: &mut Listing<'_>,
    problem: &Problem,
) -> Diagnostic {
    let program = &inference.program;
    let of =
        |var| declare::leaf(inference, var).map(|leaf| (leaf, program.display_name(leaf.step)));
    match problem {
        Problem::Unused(var) | Problem::NoRank(var) | Problem::Hole { var, .. } => {
            let Some((leaf, name)) = of(*var) else { return nothing(listing, inference) };
            let place = listing.step(leaf.step);
            if program.is_used(leaf.step) {
                let root = words::Hole { name, kind: leaf.kind, axis: None };
                words::hidden((place, false), &root, true, &[], 0)
                    .help(hidden::declare(inference, &leaf))
            } else {
                words::unused_parameter(place, &name)
            }
        }
        Problem::Refused(dispute) => {
            let Some((leaf, name)) = of(dispute.commitment.var) else {
                return nothing(listing, inference);
            };
            let said = words::disputed(
                Code::DisputedParameter,
                listing.step(leaf.step),
                &name,
                leaf.kind,
                &dispute.commitment,
            );
            disputed(inference, listing, said, dispute)
        }
        Problem::Unsettled(origin) => {
            let place = listing.step(program.origin(*origin).0);
            words::unsettled(Code::Unsettled, place)
        }
        Problem::Misplaced { yields, seen_by, .. } => {
            let [yields, seen_by] = [yields, seen_by].map(|origin| program.origin(*origin).0);
            clash(inference, solver, listing, seen_by).unwrap_or_else(|| {
                let here = program.display_name(seen_by);
                words::misplaced(&here, listing.step(yields), listing.step(seen_by))
            })
        }
        Problem::Deferred(origin) => {
            let place = listing.step(program.origin(*origin).0);
            words::unsettled(Code::NeedsChoice, place)
        }
        Problem::Exhausted(exhausted) => {
            let place = listing.step(program.last_step());
            words::exhausted(place, *exhausted)
        }
    }
}

/// A problem of no leaf; there is none.
fn nothing(listing: &mut Listing<'_>, inference: &Inference) -> Diagnostic {
    words::unsettled(Code::Unsettled, listing.step(inference.program.last_step()))
}

fn disputed(
    inference: &Inference,
    listing: &mut Listing<'_>,
    mut said: Diagnostic,
    dispute: &Dispute,
) -> Diagnostic {
    let program = &inference.program;
    let steps = |origins: &[OriginId]| {
        let mut steps = program.steps_of(origins.iter().copied());
        steps.truncate(words::MOST_STEPS);
        steps
    };
    let asked = steps(&dispute.asked);
    for step in &asked {
        said = said.label(listing.step(*step), "asks for it");
    }
    for step in steps(&dispute.against).iter().filter(|step| !asked.contains(step)) {
        said = said.label(listing.step(*step), "does not allow it");
    }
    said
}

/// Why a program cannot be closed in which whether a relation holds depends on a size that stays
/// symbolic.
pub(crate) fn symbolic(inference: &Inference, solver: &Solver, values: &Values) -> Option<Report> {
    let mut listing = Listing::new(&inference.program);
    let diagnostics = undecided(inference, &mut listing, solver, values);
    (!diagnostics.is_empty()).then(|| listing.rejection(diagnostics))
}

/// The refusal of a program with relations that are not known to hold.
fn undecided(
    inference: &Inference,
    listing: &mut Listing<'_>,
    solver: &Solver,
    values: &Values,
) -> Vec<Diagnostic> {
    let undecided = |note: &Note| match note {
        Note::Undecided(origin) => Some(*origin),
        Note::Demoted(_) | Note::AxesOverlap(_) | Note::PlacementCompetes { .. } => None,
    };
    let undecided: BTreeSet<OriginId> = values.notes().iter().filter_map(undecided).collect();
    let mut diagnostics = vec![];
    if undecided.is_empty() {
        return diagnostics;
    }
    for constraint in solver.given().filter(|given| undecided.contains(&given.origin)) {
        let (sizes, grounding) = (values.sizes(), values.grounding());
        let required = Judge::required_with(sizes, grounding, &constraint);
        // For some values of names is not enough, unless that is required of them.
        let is_required = required.is_none_or(|required| {
            values.requirements().iter().any(|(known, _)| sizes.follows(&required, known))
        });
        if is_required && Judge::OneShot.satisfies_with(sizes, grounding, &constraint) {
            continue;
        }
        let (step, about) = inference.program.origin(constraint.origin);
        let place = why::part(inference, listing, step, about);
        let place = place.unwrap_or_else(|| listing.step(step));
        diagnostics.push(words::symbolic(place));
    }
    diagnostics
}

/// The most stretched axes that notes explain: the first ones of the program.
const MOST_STRETCHED: usize = 8;

/// Axes of parameters that stretch, because uses of them do not agree; each with why.
fn stretched(
    inference: &Inference,
    solver: &Solver,
    values: &Values,
) -> Vec<(Leaf, usize, Vec<OriginId>)> {
    let mut found = vec![];
    for leaf in inference.program.leaves.iter().filter(|leaf| leaf.role == Role::Parameter) {
        let targets: Vec<(usize, Target)> = match leaf.var {
            Variable::Dim(var) => match values.grounding().dim(var.into()) {
                Dim::Unit => vec![(0, Target::Dim(var))],
                Dim::Atom { .. } => vec![],
            },
            Variable::Row(var) => {
                let row = values.grounding().row_var(var);
                let units = row.flat().iter().enumerate().filter(|(_, dim)| **dim == Dim::Unit);
                units.map(|(axis, _)| (axis, Target::Axis(var, axis))).collect()
            }
        };
        for (axis, target) in targets {
            if found.len() == MOST_STRETCHED {
                return found;
            }
            let origins = why::origins(solver, values, target);
            found.push((*leaf, usize::from(leaf.axis) + axis, origins));
        }
    }
    found
}

/// The steps whose results have sizes that are too large to be written out, and none of whose
/// operands has that one.
fn capped(inference: &Inference, values: &Values) -> Vec<StepId> {
    let (program, sizes) = (&inference.program, values.sizes());
    let capped = |step: StepId| -> BTreeSet<Size> {
        let rows = Kind::ALL.map(|kind| values.grounding().row(&program.row(step, kind)));
        let dims = rows.iter().flat_map(|row| row.flat().iter().map(|dim| dim.size()));
        dims.filter(|size| sizes.is_capped(*size)).collect()
    };
    if !sizes.has_capped() {
        return vec![];
    }
    let is_new = |step: &StepId| {
        let known = program.operands_of(*step).iter().flat_map(|operand| capped(*operand));
        let known: BTreeSet<Size> = known.collect();
        program.steps[step.place()].has_result && !capped(*step).is_subset(&known)
    };
    program.step_ids().filter(is_new).collect()
}

/// The code of the diagnostic for a note. An undecided relation holds all the same, or the program
/// does not close.
fn code(note: &Note) -> Option<Code> {
    match note {
        Note::Demoted(_) => Some(Code::BroadcastInstead),
        Note::AxesOverlap(_) => Some(Code::AxesOverlap),
        Note::Undecided(_) => None,
        Note::PlacementCompetes { .. } => Some(Code::PlacementCompetes),
    }
}

/// The warnings and notes about a closed program.
pub(crate) fn notes(
    inference: &Inference,
    solver: &Solver,
    values: &Values,
) -> (Sources, Vec<Diagnostic>) {
    let program = &inference.program;
    let mut listing = Listing::new(program);
    let mut diagnostics = warnings::specifications(inference, solver, &mut listing);
    diagnostics.extend(warnings::parameters(inference, solver, values, &mut listing));
    if !inference.allows(Code::EmptyAxis) {
        let of_step =
            |step: &StepId| words::empty_axis(listing.step(*step), &program.display_name(*step));
        diagnostics.extend(program.empty.iter().take(warnings::MOST_WARNINGS).map(of_step));
    }
    let is_told = !inference.allows(Code::StretchedParameter);
    let stretched = if is_told { stretched(inference, solver, values) } else { vec![] };
    for (leaf, axis, origins) in stretched {
        let name = program.display_name(leaf.step);
        let mut said = words::stretched(listing.step(leaf.step), &name, leaf.kind, axis);
        let steps = program.steps_of(origins);
        for step in steps.iter().take(words::MOST_STEPS) {
            said = said.label(listing.step(*step), "asks for a size");
        }
        diagnostics.push(words::and_others(said, steps.len()));
    }
    for note in values.notes() {
        if code(note).is_none_or(|code| inference.allows(code)) {
            continue;
        }
        let said = match note {
            Note::Demoted(dispute) => {
                let Some(leaf) = declare::leaf(inference, dispute.commitment.var) else { continue };
                let name = program.display_name(leaf.step);
                let place = listing.step(leaf.step);
                let said = words::disputed(
                    Code::BroadcastInstead,
                    place,
                    &name,
                    leaf.kind,
                    &dispute.commitment,
                );
                disputed(inference, &mut listing, said, dispute)
            }
            Note::AxesOverlap(origin) => words::overlap(listing.step(program.origin(*origin).0)),
            Note::Undecided(_) => continue,
            Note::PlacementCompetes { holds, yields, seen_by, .. } => {
                let step = |origin: &OriginId| program.origin(*origin).0;
                let heights = inference.program.heights();
                let height = |origin| heights[step(origin).place()];
                let holds = holds
                    .as_ref()
                    .map(|holds| (listing.step(step(holds)), height(holds) < height(yields)));
                let [yields, seen_by] = [yields, seen_by].map(|origin| listing.step(step(origin)));
                words::competes(yields, holds, seen_by)
            }
        };
        diagnostics.push(said);
    }
    if !inference.allows(Code::CappedSize) {
        let capped = capped(inference, values).into_iter().take(warnings::MOST_WARNINGS);
        let said = |step: StepId| words::capped(listing.step(step), &program.display_name(step));
        diagnostics.extend(capped.map(said));
    }
    if !inference.allows(Code::SizeRequired) {
        diagnostics.extend(names::required(inference, values, &mut listing));
    }
    if !inference.allows(Code::SpecialisedSize) {
        diagnostics.extend(names::specialised(inference, &mut listing));
    }
    if !inference.allows(Code::WindowPastEnd) {
        let late = windows::late(program);
        diagnostics.extend(late.iter().filter_map(|late| late.said(program, values, &mut listing)));
    }
    listing.placed(diagnostics)
}
