//! Why an operation was refused.

use std::{cell::Cell, collections::BTreeSet};

use lozenge_calculus::{
    constraint::{Constraint, Count, OriginId, Relation, SizeRelation},
    dim::Dim,
    size::{Sizes, elements},
    term::{DimTerm, DimVar},
};
use lozenge_diagnostic::{Code, Diagnostic, Place, Report, SourceId, Span};
use lozenge_notation::{Known, NameId, Shape};
use lozenge_solve::{
    Conflict, Rule, SolveError as Refusal, Solver,
    decide::{Decision, Effort, Verdict, decide_with, verdict},
};

use crate::{Inference, Misfit, Site, session::step::StepId};

use super::{broadcast, help, listing::Listing, why, words};

/// How often the solver is asked to find what is to blame; enough for every program of a size that
/// somebody reads.
const EFFORT: u32 = 200;

/// How many constraints it may take for that.
const MOST_TAKEN: u64 = 200_000;

/// Says why the last step cannot be taken. The program has it already, the solver has not. That
/// nothing satisfies what comes from these origins is known, if there are any.
pub(crate) fn refused(
    inference: &Inference,
    batch: &[Constraint],
    refusal: &Refusal,
    origins: &[OriginId],
) -> Report {
    let mut listing = Listing::new(&inference.program);
    let step = inference.program.last_step();
    let conflict = match refusal {
        Refusal::Conflict(conflict) => conflict,
        Refusal::Exhausted(exhausted) => {
            let said = words::exhausted(listing.step(step), *exhausted);
            return listing.rejection(vec![said]);
        }
    };
    let is_rank =
        |said: &Vec<Diagnostic>| said.first().is_some_and(|said| said.code == Code::RankMismatch);
    let said = match said_of(inference, &mut listing, step, batch) {
        // A number of axes that was chosen is no reason.
        Some(said) if is_rank(&said) => inference
            .forced_before(batch)
            .and_then(|before| said_of(&before, &mut listing, step, batch)),
        said => said,
    };
    if let Some(diagnostics) = said {
        return listing.rejection(diagnostics);
    }
    let verdict = decide(inference, batch, conflict);
    if verdict == Verdict::Unknown && !origins.is_empty() {
        return unsatisfiable(inference, batch, origins);
    }
    let diagnostics = said_by(inference, &mut listing, step, batch, &verdict)
        .unwrap_or_else(|| vec![blamed(inference, &mut listing, batch, conflict, &verdict)]);
    listing.rejection(diagnostics)
}

/// The diagnostic for a step that its operands' partial shapes alone explain.
fn said_of(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    batch: &[Constraint],
) -> Option<Vec<Diagnostic>> {
    specification(inference, listing, step).or_else(|| {
        let said = broadcast::explain(inference, listing, step, batch)
            .or_else(|| sizes(inference, listing, step, batch));
        said.map(|said| vec![said])
    })
}

/// What can be said of a step from what those say of its operands that it disagrees with.
fn said_by(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    batch: &[Constraint],
    verdict: &Verdict,
) -> Option<Vec<Diagnostic>> {
    let Verdict::Unsatisfiable { members, .. } = verdict else { return None };
    let is_other = |member: &&Constraint| inference.program.origin(member.origin).0 != step;
    let others: Vec<Constraint> = members.iter().filter(is_other).cloned().collect();
    let before = inference.knowing(others)?;
    said_of(&before, listing, step, batch)
}

/// Says why the last step cannot be taken, or the program cannot be closed, where that shows only
/// when all numbers of axes are tried.
pub(crate) fn unsatisfiable(
    inference: &Inference,
    batch: &[Constraint],
    origins: &[OriginId],
) -> Report {
    let mut listing = Listing::new(&inference.program);
    let step = inference.program.last_step();
    if !batch.is_empty() {
        if let Some(diagnostics) = said_of(inference, &mut listing, step, batch) {
            return listing.rejection(diagnostics);
        }
    }
    let members = to_blame(inference, batch, origins);
    let origins = members.iter().map(|member| member.origin);
    // A step that is refused is told; of a program that does not close, the last that takes part.
    let taking_part = inference.program.steps_of(origins);
    let step = if batch.is_empty() { taking_part.last().copied().unwrap_or(step) } else { step };
    // One step that cannot be, whatever comes of others, is told as it is when it is refused.
    if batch.is_empty() && taking_part.len() == 1 {
        if let Some(said) = sizes(inference, &mut listing, step, &members) {
            return listing.rejection(vec![said]);
        }
    }
    let said = blame_members(inference, &mut listing, step, batch, &members);
    listing.rejection(vec![said])
}

/// As few as possible of the constraints that nothing satisfies. How it was found that nothing
/// satisfies those from these origins depends on when that was; so all that has to do with them is
/// asked again.
fn to_blame(inference: &Inference, batch: &[Constraint], origins: &[OriginId]) -> Vec<Constraint> {
    let part = inference.part_with(batch, origins);
    part.and_then(|part| fewest(inference, &part)).unwrap_or_else(|| {
        least_conflict(inference, inference.constraints().chain(batch.iter().cloned()), origins).0
    })
}

/// As few as possible of these constraints that nothing satisfies, in the order of the program;
/// `None` where that is not found out.
fn fewest(inference: &Inference, all: &[Constraint]) -> Option<Vec<Constraint>> {
    let mut effort = Effort { most_taken: MOST_TAKEN, ..Effort::of(EFFORT) };
    let Decision::Unsatisfiable(set) = decide_with(&inference.solver, all, &mut effort) else {
        return None;
    };
    let mut members: Vec<Constraint> =
        set.members.iter().map(|place| all[*place].clone()).collect();
    members.sort_by_key(|constraint| constraint.origin);
    Some(members)
}

/// As few as possible of the constraints from these origins, which nothing satisfies; and what
/// clashes in them, where that shows at once.
pub(crate) fn least_conflict(
    inference: &Inference,
    all: impl Iterator<Item = Constraint>,
    origins: &[OriginId],
) -> (Vec<Constraint>, Option<Clash>) {
    let members = all.filter(|constraint| origins.contains(&constraint.origin));
    // Which of several least sets is found depends on the order.
    let members = inference.program.in_order(members.collect());
    let members = fewest(inference, &members).unwrap_or_else(|| {
        let mut members = members;
        members.sort_by_key(|constraint| constraint.origin);
        members
    });
    let clash = clash(inference, members.clone());
    (members, clash)
}

/// What clashes in all that is asked by the steps of constraints that disagree, or at least in
/// these. The steps are shown, and which of what they ask was found to disagree depends on what
/// else is known.
fn shown_clash(
    inference: &Inference,
    batch: &[Constraint],
    members: &[Constraint],
) -> Option<Clash> {
    let program = &inference.program;
    let step = |asked: &Constraint| program.origin(asked.origin).0;
    let steps: BTreeSet<StepId> = members.iter().map(step).collect();
    let all = inference.constraints().chain(batch.iter().cloned());
    let shown = all.filter(|asked| steps.contains(&step(asked))).collect();
    clash(inference, shown).or_else(|| clash(inference, members.to_vec()))
}

/// What clashes in constraints that disagree, where that shows at once. Of several clashes it is
/// the same one in whatever order the lines were written.
fn clash(inference: &Inference, members: Vec<Constraint>) -> Option<Clash> {
    let mut solver = inference.solver.blank();
    match solver.extend_ordered(&inference.program.in_order(members)) {
        Err(Refusal::Conflict(conflict)) => Some(Clash { conflict, solver }),
        Err(Refusal::Exhausted(_)) | Ok(()) => None,
    }
}

/// A conflict, and the solver that found it, whose table has the sizes that clash.
pub(crate) struct Clash {
    pub(crate) conflict: Box<Conflict>,
    pub(crate) solver: Solver,
}

/// Says that it was not found out whether anything fits, because of what waits.
pub(crate) fn undecided(inference: &Inference, deferred: &[OriginId]) -> Report {
    let mut listing = Listing::new(&inference.program);
    let mut steps = inference.program.steps_of(deferred.iter().copied());
    let step = steps.pop().unwrap_or_else(|| inference.program.last_step());
    let mut said = words::undecided(listing.step(step), &inference.program.display_name(step));
    for other in steps.iter().rev().take(words::MOST_STEPS) {
        said = said.label(listing.step(*other), "waits as well");
    }
    let said = words::and_others(said, steps.len());
    listing.rejection(vec![said])
}

fn decide(inference: &Inference, batch: &[Constraint], conflict: &Conflict) -> Verdict {
    let mut effort = Effort { most_taken: MOST_TAKEN, ..Effort::of(EFFORT) };
    verdict(&inference.solver, batch, conflict, &mut effort)
}

/// Says that an operation cannot be applied at all, with the place of the step under way.
pub(crate) fn misapplied(inference: &Inference, misfit: Misfit, site: &Site) -> Report {
    let rejection = Report::from(misfit);
    if rejection.sources.iter().len() > 0 {
        return site.blame(rejection);
    }
    let mut listing = Listing::new(&inference.program);
    let place = listing.step(inference.program.last_step());
    let diagnostics = rejection.diagnostics.into_iter().map(|said| said.label(place, "here"));
    listing.rejection(diagnostics.collect())
}

/// The specification, held against what is known of the operands, and against the sizes that were
/// given with it.
fn specification(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
) -> Option<Vec<Diagnostic>> {
    let program = &inference.program;
    let operation = &program.steps[step.place()].operation;
    let spec = operation.spec()?;
    // What a statement writes is none of those that its specification reads.
    let read = program.copied(step).unwrap_or(usize::MAX);
    let operands: Vec<StepId> = program.operands_of(step).iter().copied().take(read).collect();
    let shapes: Vec<Shape> =
        operands.iter().map(|operand| inference.partial(*operand).written()).collect();
    let mut sizes = operation.sizes();
    // In which order they are listed means nothing.
    sizes.sort_by_key(|(name, _)| spec.find(name).map(NameId::index)); // stable
    let is_text = program.steps[step.place()].site.is_text();
    let called = |operand: usize| {
        let tensor = operands.get(operand).filter(|_| !is_text)?;
        Some(format!("`{}`", program.display_name(*tensor)))
    };
    let known = Known { operands: &shapes, sizes: &sizes, display_name: &called };
    let mut diagnostics = spec.hold(&known).err()?.diagnostics;
    if !sizes.is_empty() {
        // Another name would no longer be the one whose size was given.
        for said in &mut diagnostics {
            said.helps.retain(|help| help.edits.is_empty());
        }
    }
    if let Some(reordered) = help::reordered(spec, &known) {
        // One mistake, that shows on several axes: what mends only one of them is no way out.
        let others: Vec<String> = diagnostics.drain(1..).map(|said| said.headline).collect();
        let first = &mut diagnostics[0];
        if !others.is_empty() {
            first.helps.retain(|help| help.edits.is_empty());
        }
        first.helps.insert(0, reordered);
        first.notes.extend(words::and_so(&others));
    }
    let mut places: Vec<Option<(SourceId, u32)>> = vec![None; operands.len()];
    let mut place = |listing: &mut Listing<'_>, at: Place| -> Place {
        let (start, end) = (at.span.start, at.span.end);
        match at.source.0.checked_sub(1).map(|operand| operand as usize) {
            None => listing.text(step, at.span),
            // A source for an operand only where something points at it.
            Some(operand) if operand < operands.len() => {
                let (source, from) = *places[operand].get_or_insert_with(|| {
                    let tensor = operands[operand];
                    declared(listing, inference, tensor)
                        .unwrap_or_else(|| listing.shape(tensor, shapes[operand].text()))
                });
                Place { source, span: Span::new(from + start, from + end) }
            }
            Some(size) => {
                // Where a text is all there is, the name itself.
                let name = sizes.get(size - operands.len()).map(|(name, _)| *name);
                match name.and_then(|name| spec.find(name)).filter(|_| is_text) {
                    Some(id) => listing.text(step, spec.name_span(id)),
                    None => listing.sizes(step),
                }
            }
        }
    };
    for said in &mut diagnostics {
        said.labels.iter_mut().for_each(|label| label.place = place(listing, label.place));
        let edits = said.helps.iter_mut().flat_map(|help| &mut help.edits);
        edits.for_each(|edit| edit.place = place(listing, edit.place));
    }
    Some(diagnostics)
}

/// The line that declares a tensor, if that says all that is known of its shape as it is written.
fn declared(
    listing: &mut Listing<'_>,
    inference: &Inference,
    step: StepId,
) -> Option<(SourceId, u32)> {
    let declaration = inference.program.steps[step.place()].operation.declaration()?;
    let known = inference.partial(step).to_string();
    (declaration.text == known).then(|| listing.text_start(step))
}

/// What a statement or a count says of sizes that are known otherwise.
fn sizes(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    batch: &[Constraint],
) -> Option<Diagnostic> {
    let known = |term| inference.solver.resolved_dim(term).ground();
    let axis = |dim: Dim| inference.naming().axis(dim);
    for constraint in batch {
        match &constraint.relation {
            Relation::DimEq(one, other) => {
                let (Some(first), Some(second)) = (known(*one), known(*other)) else { continue };
                if first != second {
                    let sizes = [axis(first), axis(second)];
                    let mut said = words::size_set(listing.step(step), &sizes);
                    for (term, dim) in [(one, first), (other, second)] {
                        if let Some(var) = term.var() {
                            said = why::of_size(inference, listing, said, var, dim);
                        }
                    }
                    return Some(said);
                }
            }
            Relation::Size(SizeRelation::Strided { whole, stride, over, loose: false }) => {
                let sizes = [known(*whole).map(axis), known(*over).map(axis)];
                if let Some(said) = words::not_scaled(listing.step(step), *stride, &sizes) {
                    return Some(said);
                }
            }
            Relation::Size(SizeRelation::Total { rows, count: Count::Number(count), .. })
                if !inference.program.steps[step.place()].has_result
                    || inference.program.operands_of(step).is_empty() =>
            {
                let [row] = &rows[..] else { continue };
                let row = inference.solver.resolved_row(row);
                let dims = row.flanks.flat().iter();
                let known = elements(dims.map(|term| axis(term.ground()?).count()));
                return Some(words::row_set(listing.step(step), known, *count));
            }
            Relation::Size(SizeRelation::Total { .. } | SizeRelation::Exact { .. }) => {
                let operand = inference.program.operands_of(step).first().copied();
                let operand = operand.map(|tensor| {
                    (inference.program.display_name(tensor), inference.partial(tensor))
                });
                let result = inference.partial(step);
                return Some(words::elements(listing.step(step), operand.as_ref(), &result));
            }
            Relation::Size(_)
            | Relation::DimIneq(..)
            | Relation::RowEq(..)
            | Relation::RowIneq(..) => {}
        }
    }
    None
}

/// The steps that disagree, as few as there are; or, where they do not, those that seem to.
fn blamed(
    inference: &Inference,
    listing: &mut Listing<'_>,
    batch: &[Constraint],
    conflict: &Conflict,
    verdict: &Verdict,
) -> Diagnostic {
    let step = inference.program.last_step();
    match verdict {
        Verdict::Unsatisfiable { members, minimal } => {
            let said = blame_members(inference, listing, step, batch, members);
            words::perhaps_fewer(said, *minimal)
        }
        Verdict::Policy(_) | Verdict::Unknown => {
            let (origins, sizes) = (conflict.origins.clone(), inference.solver.sizes());
            let is_rank = conflict.rule == Rule::Ranks;
            blame(inference, listing, step, origins, (Some(conflict), is_rank), sizes)
        }
    }
}

/// The diagnostic for the steps of constraints that nothing satisfies. It depends on nothing else.
fn blame_members(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    batch: &[Constraint],
    members: &[Constraint],
) -> Diagnostic {
    let origins = members.iter().map(|member| member.origin).collect();
    let clash = shown_clash(inference, batch, members);
    let (conflict, sizes) = match &clash {
        Some(Clash { conflict, solver }) => (Some(&**conflict), solver.sizes()),
        None => (None, inference.solver.sizes()),
    };
    let shows = conflict.is_some_and(|conflict| conflict.clash.is_some());
    let is_rank = match conflict {
        Some(conflict) if shows || conflict.rule == Rule::Ranks => conflict.rule == Rule::Ranks,
        _ => ranks_disagree(inference, members),
    };
    blame(inference, listing, step, origins, (conflict, is_rank), sizes)
}

/// Whether nothing satisfies constraints whatever the sizes of axes are.
fn ranks_disagree(inference: &Inference, members: &[Constraint]) -> bool {
    let next = Cell::new(inference.program.variables.dims);
    let any = |_| {
        let var = DimVar::new(next.get());
        next.set(next.get() + 1);
        DimTerm::Var(var)
    };
    let counts_axes = |relation: &Relation| match relation {
        Relation::Size(size) => matches!(size, SizeRelation::Exact { .. }),
        _ => true,
    };
    let asked = members.iter().filter(|member| counts_axes(&member.relation));
    let asked: Vec<Constraint> = asked
        .map(|member| Constraint { relation: member.relation.map_dims(any), ..*member })
        .collect();
    let mut effort = Effort { most_taken: MOST_TAKEN, ..Effort::of(EFFORT) };
    matches!(decide_with(&inference.solver, &asked, &mut effort), Decision::Unsatisfiable(_))
}

/// The steps of some origins, which disagree, perhaps in numbers of axes.
fn blame(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    origins: Vec<OriginId>,
    (conflict, is_rank): (Option<&Conflict>, bool),
    sizes: &Sizes,
) -> Diagnostic {
    let is_declared = origins.iter().all(|origin| inference.program.declared.is_granted(*origin));
    let mut steps = inference.program.steps_of(origins);
    steps.retain(|other| *other != step);
    let here = inference.program.display_name(step);
    let naming = inference.program.name_table.with(sizes);
    let clash = conflict
        .and_then(|conflict| conflict.clash)
        .map(|(first, second)| [first, second].map(|dim| naming.axis(dim)));
    let code = match &clash {
        _ if is_rank => Code::RankConflict,
        Some([first, second]) => words::clash_code(first, second),
        None => Code::SizeMismatch,
    };
    let said = words::disagree(code, &here, clash.as_ref(), steps.len());
    let mut said = said.label(listing.step(step), "does not fit");
    for other in steps.iter().rev().take(words::MOST_STEPS) {
        said = said.label(listing.step(*other), "with this");
    }
    let required = conflict.and_then(|conflict| conflict.required.as_ref());
    if is_declared && required.is_some_and(|required| sizes.names_of(required).len() > 1) {
        said = words::names_related(said);
    }
    words::and_others(said, steps.len())
}
