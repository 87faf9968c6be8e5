//! What closing says.

use std::collections::BTreeSet;

use lozenge_core::{
    close::{Closed as Values, Dispute, Note, Problem, Role, Unclosed, Why},
    constraint::{OriginId, Relation, SizeRelation, Vars},
    dim::Dim,
    explain::Target,
    solve::Solver,
    term::{DimTerm, Variable},
};
use lozenge_spec::diagnostic::{Code, Diagnostic, Help, Rejection, Sources};

use crate::{Session, session::program::Leaf};

use super::{listing::Listing, why, windows, words};

/// So many problems are told; the others show when these are mended.
const MOST_PROBLEMS: usize = 20;

/// Why a program cannot be closed.
pub(crate) fn unclosed(session: &Session, unclosed: &Unclosed) -> Rejection {
    let mut listing = Listing::new(&session.program);
    let mut diagnostics: Vec<Diagnostic> = vec![];
    let mut told: Vec<u32> = vec![];
    for problem in &unclosed.problems {
        // What is not known of one parameter is one mistake, and its help tells all of it.
        let var = match problem {
            Problem::Unused(var) | Problem::NoRank(var) | Problem::Hole { var, .. } => Some(*var),
            Problem::Refused(_)
            | Problem::Unsettled(_)
            | Problem::Waits(_)
            | Problem::Exhausted(_) => None,
        };
        if let Some(leaf) = var.and_then(|var| leaf(session, var)) {
            if told.contains(&leaf.step) {
                continue;
            }
            told.push(leaf.step);
        }
        if diagnostics.len() == MOST_PROBLEMS {
            break;
        }
        diagnostics.push(said(session, &mut listing, problem));
    }
    Rejection { sources: listing.sources, diagnostics }
}

fn leaf(session: &Session, var: Variable) -> Option<Leaf> {
    session.program.leaves.iter().find(|leaf| leaf.var == var).copied()
}

fn said(session: &Session, listing: &mut Listing<'_>, problem: &Problem) -> Diagnostic {
    let program = &session.program;
    let of = |var| leaf(session, var).map(|leaf| (leaf, program.called(leaf.step)));
    match problem {
        Problem::Unused(var) => {
            let Some((leaf, name)) = of(*var) else { return nothing(listing, session) };
            let place = listing.step(leaf.step);
            if program.is_used(leaf.step) {
                words::hidden_rank(place, &name, leaf.kind)
            } else {
                words::unused_parameter(place, &name)
            }
        }
        Problem::NoRank(var) => {
            let Some((leaf, name)) = of(*var) else { return nothing(listing, session) };
            let said = words::hidden_rank(listing.step(leaf.step), &name, leaf.kind);
            uses(session, listing, said, &leaf).help(declare(session, &leaf))
        }
        Problem::Hole { var, axis } => {
            let Some((leaf, name)) = of(*var) else { return nothing(listing, session) };
            let axis = usize::from(leaf.axis) + axis.unwrap_or(0);
            let said = words::hidden_size(listing.step(leaf.step), &name, leaf.kind, axis);
            uses(session, listing, said, &leaf).help(declare(session, &leaf))
        }
        Problem::Refused(dispute) => {
            let Some((leaf, name)) = of(dispute.commitment.var) else {
                return nothing(listing, session);
            };
            let said = words::disputed(
                Code::DisputedParameter,
                listing.step(leaf.step),
                &name,
                leaf.kind,
                &dispute.commitment,
            );
            disputed(session, listing, said, dispute)
        }
        Problem::Unsettled(origin) => {
            let place = listing.step(program.origin(*origin).0);
            words::unsettled(Code::Unsettled, place)
        }
        Problem::Waits(origin) => {
            let place = listing.step(program.origin(*origin).0);
            words::unsettled(Code::NeedsChoice, place)
        }
        Problem::Exhausted(exhausted) => {
            let place = listing.step(program.len().saturating_sub(1));
            words::exhausted(place, *exhausted)
        }
    }
}

/// A problem of no leaf; there is none.
fn nothing(listing: &mut Listing<'_>, session: &Session) -> Diagnostic {
    words::unsettled(Code::Unsettled, listing.step(session.program.len().saturating_sub(1)))
}

/// Where a leaf is used.
fn uses(session: &Session, listing: &mut Listing<'_>, said: Diagnostic, leaf: &Leaf) -> Diagnostic {
    let program = &session.program;
    let used = |step: &u32| program.operands_of(*step).iter().position(|o| *o == leaf.step);
    let uses = (leaf.step + 1..program.len()).filter_map(|step| used(&step).map(|at| (step, at)));
    uses.take(words::MOST_STEPS).fold(said, |said, (step, operand)| {
        said.label(listing.operand(step, operand), "this use does not say")
    })
}

/// How to declare what is missing: the shape as far as it is known.
fn declare(session: &Session, leaf: &Leaf) -> Help {
    let known = session.partial(leaf.step);
    words::declare(&session.program.called(leaf.step), &known)
}

fn disputed(
    session: &Session,
    listing: &mut Listing<'_>,
    mut said: Diagnostic,
    dispute: &Dispute,
) -> Diagnostic {
    let program = &session.program;
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

/// Why a program cannot be closed in which a size would have to be computed from one that stays symbolic.
pub(crate) fn symbolic(session: &Session, solver: &Solver, values: &Values) -> Option<Rejection> {
    let undecided = |note: &Note| match note {
        Note::Undecided(origin) => Some(*origin),
        Note::Demoted(_) | Note::AxesOverlap(_) | Note::PlacementCompetes { .. } => None,
    };
    let undecided: BTreeSet<OriginId> = values.notes().iter().filter_map(undecided).collect();
    if undecided.is_empty() {
        return None;
    }
    let ground = values.grounding();
    let mut listing = Listing::new(&session.program);
    let mut diagnostics = vec![];
    for constraint in solver.given().filter(|given| undecided.contains(&given.origin)) {
        // The number of elements itself is no axis of anything.
        let constraint = match constraint.relation {
            Relation::Size(SizeRelation::Total { rows, divided_by: axes, .. }) => {
                Relation::Size(SizeRelation::Exact { rows, axes }).with_origin(constraint.origin)
            }
            relation => relation.with_origin(constraint.origin),
        };
        let vars = Vars::of([&constraint]);
        // What nothing else determines would be taken for `1_`, or for the least that fits, which it is not.
        let mut dims = vars.dims.iter().map(|var| DimTerm::from(*var));
        let is_open = |term: DimTerm| {
            let var = solver.resolved_dim(term).var();
            var.is_some_and(|var| {
                let value = ground.dim(term);
                value == Dim::Unit || solver.solved().cap(var) != Some(value)
            })
        };
        let has_open_row =
            vars.rows.iter().any(|var| solver.resolved_row(&(*var).into()).var.is_some());
        if !dims.any(is_open) && !has_open_row {
            continue;
        }
        let (step, about) = session.program.origin(constraint.origin);
        let place = why::part(session, &mut listing, step, about);
        let place = place.unwrap_or_else(|| listing.step(step));
        diagnostics.push(words::symbolic(place));
    }
    (!diagnostics.is_empty()).then_some(Rejection { sources: listing.sources, diagnostics })
}

/// So many axes are explained; who has more reads the first.
const MOST_STRETCHED: usize = 8;

/// Axes of parameters that stretch, because uses of them do not agree; each with why.
fn stretched(
    session: &Session,
    solver: &Solver,
    values: &Values,
) -> Vec<(Leaf, usize, Vec<OriginId>)> {
    let mut found = vec![];
    for leaf in session.program.leaves.iter().filter(|leaf| leaf.role == Role::Parameter) {
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
            let origins = match values.why_within(&solver.solved(), target, why::MOST_TAKEN) {
                Why::Forced(chain) => chain.constraints.iter().map(|c| c.origin).collect(),
                Why::Chosen { by, origins } => {
                    by.iter().flat_map(|chosen| &chosen.asked).chain(&origins).copied().collect()
                }
                Why::Greatest => vec![],
            };
            found.push((*leaf, usize::from(leaf.axis) + axis, origins));
        }
    }
    found
}

/// What is worth knowing about a closed program.
pub(crate) fn notes(
    session: &Session,
    solver: &Solver,
    values: &Values,
) -> (Sources, Vec<Diagnostic>) {
    let stretched = stretched(session, solver, values);
    let program = &session.program;
    let late = windows::late(program);
    if values.notes().is_empty() && stretched.is_empty() && late.is_empty() {
        return (Sources::new(), vec![]);
    }
    let mut listing = Listing::new(program);
    let mut diagnostics = vec![];
    for (leaf, axis, origins) in stretched {
        let name = program.called(leaf.step);
        let mut said = words::stretched(listing.step(leaf.step), &name, leaf.kind, axis);
        let steps = program.steps_of(origins);
        for step in steps.iter().take(words::MOST_STEPS) {
            said = said.label(listing.step(*step), "asks for a size");
        }
        diagnostics.push(words::and_others(said, steps.len()));
    }
    for note in values.notes() {
        let said = match note {
            Note::Demoted(dispute) => {
                let Some(leaf) = leaf(session, dispute.commitment.var) else { continue };
                let name = program.called(leaf.step);
                let place = listing.step(leaf.step);
                let said = words::disputed(
                    Code::BroadcastInstead,
                    place,
                    &name,
                    leaf.kind,
                    &dispute.commitment,
                );
                disputed(session, &mut listing, said, dispute)
            }
            Note::AxesOverlap(origin) => words::overlap(listing.step(program.origin(*origin).0)),
            Note::Undecided(origin) => words::undecided(listing.step(program.origin(*origin).0)),
            Note::PlacementCompetes { holds, yields, seen_by, .. } => {
                let [holds, yields, seen_by] =
                    [holds, yields, seen_by].map(|origin| program.origin(*origin).0);
                words::competes(listing.step(yields), listing.step(holds), listing.step(seen_by))
            }
        };
        diagnostics.push(said);
    }
    diagnostics.extend(late.iter().filter_map(|late| late.said(program, values, &mut listing)));
    (listing.sources, diagnostics)
}
