//! Messages about named sizes: their ranges, the numbers that they have to be, their requirements.

use std::{cmp::Reverse, collections::BTreeSet};

use lozenge_calculus::{
    constraint::OriginId,
    size::{Requirement, SizeSymbol, Sizes},
};
use lozenge_diagnostic::{Diagnostic, Place, Report};
use lozenge_notation::{Kind, parse_shape};
use lozenge_solve::{Conflict, Solver, close::Closed as Values};

use crate::{
    Inference, SchemePart,
    session::{program::Specialised, step::StepId},
};

use super::{listing::Listing, unsatisfiable, why, words};

/// How many values are shown for which something fails.
const MOST_VALUES: usize = 3;

/// How many values are tried to find them.
const MOST_TRIED: i128 = 1_000;

/// Why a name stands against a step.
pub(crate) enum Unfit {
    /// The ranges of a name have nothing in common.
    Empty(SizeSymbol),
    /// A name would have to be a number that its range does not have.
    Outside(Specialised),
    /// A name that has to stay free would have to be a number.
    Pinned(Specialised),
    /// No value in the ranges of names satisfies the constraints.
    Refuted(Refuted),
    /// It is told already: different names would have to be equal, or what sizes known at run time
    /// have to be does not fit.
    Told(Box<Report>),
    /// Nothing satisfies what comes from these origins, whatever the name is: it came to light only
    /// now.
    Elsewhere(Vec<OriginId>),
    /// A name that is computed from others stands with a basis.
    Based(SizeSymbol),
    /// A name that has to stay free is computed from others.
    Tied(SizeSymbol),
    /// A name would be computed from itself.
    Circular(SizeSymbol),
}

/// What the ranges of names refute.
pub(crate) struct Refuted {
    /// As it is written.
    required: Option<String>,
    names: Vec<SizeSymbol>,
    origins: Vec<OriginId>,
}

impl Refuted {
    /// The requirement that the ranges of names refute in a conflict of a solver.
    pub(crate) fn new(inference: &Inference, solver: &Solver, conflict: &Conflict) -> Refuted {
        let naming = inference.program.name_table.with(solver.sizes());
        let required = solver.equations().refuted_by_ranges(conflict);
        let names =
            required.as_ref().map_or_else(Vec::new, |required| solver.sizes().names_of(required));
        Refuted {
            names,
            required: required.map(|required| naming.requirement(&required)),
            origins: conflict.origins.clone(),
        }
    }
}

/// Says why a step is not taken on account of the values of a name. The program has the step
/// already.
pub(crate) fn unfit(inference: &Inference, unfit: &Unfit) -> Report {
    let program = &inference.program;
    let mut listing = Listing::new(program);
    let said = match unfit {
        Unfit::Empty(name) => {
            let name_text = program.name_table.display_name(*name);
            with_ranges(inference, &mut listing, words::range_empty(name_text), *name)
        }
        Unfit::Outside(found) => {
            let name = program.name_table.display_name(found.name);
            let mut range = program.range_of(found.name);
            // Also what is said of names that this one is the same as.
            range.values =
                range.values.meet(inference.solver.sizes().range(Sizes::name(found.name)));
            let said = words::out_of_range(name, found.value, &range.to_string());
            let said = forced(inference, &mut listing, said, found);
            with_ranges(inference, &mut listing, said, found.name)
        }
        Unfit::Pinned(found) => {
            let said = words::pinned(program.name_table.display_name(found.name), found.value);
            let said = forced(inference, &mut listing, said, found);
            with_ranges(inference, &mut listing, said, found.name)
        }
        Unfit::Told(said) => return Report::clone(said),
        Unfit::Elsewhere(origins) => return unsatisfiable(inference, &[], origins),
        Unfit::Based(name) => {
            let said = words::based(program.name_table.display_name(*name));
            said.label(listing.step(program.last_step()), "asks for one")
        }
        Unfit::Tied(name) => {
            let said = words::tied(program.name_table.display_name(*name));
            let said = said.label(listing.step(program.last_step()), "does not go with it");
            with_ranges(inference, &mut listing, said, *name)
        }
        Unfit::Circular(name) => {
            let said = words::circular(program.name_table.display_name(*name));
            said.label(listing.step(program.last_step()), "closes the circle")
        }
        Unfit::Refuted(Refuted { required, names, origins }) => {
            let said = words::refuted(required.as_deref());
            let said = asked_by(inference, &mut listing, said, origins);
            let add = |said, name: &SizeSymbol| with_ranges(inference, &mut listing, said, *name);
            names.iter().fold(said, add)
        }
    };
    listing.rejection(vec![said])
}

/// Says why a step is not taken that would require something of a size known at run time which does
/// not fit what was asked before.
pub(crate) fn beyond(
    inference: &Inference,
    required: &Requirement,
    origins: &[OriginId],
) -> Report {
    let mut listing = Listing::new(&inference.program);
    let said = words::beyond(&inference.naming().requirement(required));
    let said = asked_by(inference, &mut listing, said, origins);
    listing.rejection(vec![said])
}

/// Adds what a size known at run time has to be where something is refused because of that.
pub(crate) fn taken_already(
    inference: &Inference,
    required: &Requirement,
    mut said: Report,
) -> Report {
    let required = inference.naming().requirement(required);
    if let Some(first) = said.diagnostics.first_mut() {
        first.notes.push(words::taken_already(&required));
    }
    said
}

/// Warns of the names that the program makes numbers.
pub(super) fn specialised(inference: &Inference, listing: &mut Listing<'_>) -> Vec<Diagnostic> {
    let program = &inference.program;
    let said = |found: &Specialised| {
        let said = words::specialised(program.name_table.display_name(found.name), found.value);
        forced(inference, listing, said, found)
    };
    program.specialised.iter().map(said).collect()
}

/// Says what has to hold of named sizes, each with the steps that ask for it.
pub(super) fn required(
    inference: &Inference,
    values: &Values,
    listing: &mut Listing<'_>,
) -> Vec<Diagnostic> {
    let naming = inference.program.name_table.with(values.sizes());
    let said = |(requirement, origins): &(Requirement, Vec<OriginId>)| {
        let mut said = words::required(&naming.requirement(requirement));
        let sizes = values.sizes();
        if let (Some(roots @ [_, _, ..]), [name]) =
            (sizes.roots(requirement).as_deref(), &sizes.names_of(requirement)[..])
        {
            said =
                words::with_values(said, inference.program.name_table.display_name(*name), roots);
        }
        asked_by(inference, listing, said, origins)
    };
    values.requirements().iter().map(said).collect()
}

/// Refuses a closed program that requires something of a name that has to stay free.
pub(crate) fn pinned(inference: &Inference, values: &Values) -> Option<Report> {
    let program = &inference.program;
    if !program.ranges.iter().any(|ranged| ranged.range.any) {
        return None;
    }
    let naming = program.name_table.with(values.sizes());
    let mut listing = Listing::new(program);
    let mut diagnostics = vec![];
    for (requirement, origins) in values.requirements() {
        let names = values.sizes().names_of(requirement);
        let is_any = |name: &SizeSymbol| program.range_of(*name).any;
        let Some(name) = names.iter().copied().find(is_any) else { continue };
        let range = program.range_of(name);
        let called = program.name_table.display_name(name);
        let fails = |value: &i128| {
            names.len() == 1 && values.sizes().holds(requirement, &|_| Some(*value)) == Some(false)
        };
        let low = range.values.low.unwrap_or(1);
        let high = range.values.high.unwrap_or(i128::MAX).min(low.saturating_add(MOST_TRIED));
        let failing: Vec<i128> = (low..=high).filter(fails).take(MOST_VALUES).collect();
        let required = naming.requirement(requirement);
        let said = words::pinned_by(called, &range.to_string(), &required, &failing);
        let said = asked_by(inference, &mut listing, said, origins);
        diagnostics.push(with_ranges(inference, &mut listing, said, name));
    }
    (!diagnostics.is_empty()).then(|| listing.rejection(diagnostics))
}

/// Adds the steps that make a name a number, and where both are declared that meet there.
fn forced(
    inference: &Inference,
    listing: &mut Listing<'_>,
    said: Diagnostic,
    found: &Specialised,
) -> Diagnostic {
    let program = &inference.program;
    let mut said = asked_by(inference, listing, said, &found.origins);
    let sizes = [program.name_table.display_name(found.name).to_owned(), found.value.to_string()];
    let mut seen = BTreeSet::new();
    for step in program.steps_of(found.origins.iter().copied()) {
        for operand in program.operands_of(step).iter().filter(|operand| seen.insert(**operand)) {
            // A number beside the name is another axis.
            let declared = sizes.iter().find_map(|size| {
                let places = declarations(inference, listing, *operand, size);
                (!places.is_empty()).then_some((size, places))
            });
            let Some((size, places)) = declared else { continue };
            for place in places {
                if said.labels.iter().all(|label| label.place != place) {
                    said = said.label(place, format!("{size} is declared here"));
                }
            }
        }
    }
    said
}

/// Adds the steps that ask for something: the last one does, because of those before.
fn asked_by(
    inference: &Inference,
    listing: &mut Listing<'_>,
    mut said: Diagnostic,
    origins: &[OriginId],
) -> Diagnostic {
    let program = &inference.program;
    let mut steps: Vec<(StepId, SchemePart)> =
        origins.iter().map(|origin| program.origin(*origin)).collect();
    let is_axis = |about: &SchemePart| matches!(about, SchemePart::Axis { .. });
    steps.sort_by_key(|(step, about)| (Reverse(*step), !is_axis(about)));
    steps.dedup_by_key(|(step, _)| *step);
    for (place, (step, about)) in steps.iter().take(words::MOST_STEPS).enumerate() {
        let part = why::part(inference, listing, *step, *about);
        let part = part.unwrap_or_else(|| listing.step(*step));
        said = said.label(part, if place == 0 { "asks for it" } else { "because of this" });
    }
    words::and_others(said, steps.len())
}

/// Adds where the range of a name is declared.
fn with_ranges(
    inference: &Inference,
    listing: &mut Listing<'_>,
    mut said: Diagnostic,
    name: SizeSymbol,
) -> Diagnostic {
    let program = &inference.program;
    for ranged in program.ranges.iter().rev().filter(|ranged| ranged.name == name) {
        let called = program.name_table.display_name(name);
        let place = declarations(inference, listing, ranged.step, called).into_iter().next();
        let place = place.unwrap_or_else(|| listing.step(ranged.step));
        let text = words::range_declared(called, &ranged.range.to_string(), ranged.range.any);
        said = said.label(place, text);
    }
    said
}

/// Where a size is written in the declared shape of a step.
fn declarations(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    size: &str,
) -> Vec<Place> {
    let operation = &inference.program.steps[step.place()].operation;
    let Some(declaration) = operation.declaration().filter(|_| operation.role().is_some()) else {
        return vec![];
    };
    let Ok(shape) = parse_shape(&declaration.text).ok() else { return vec![] };
    let rows = Kind::ALL.map(|kind| shape.dims(shape.row(kind)));
    let dims = rows.into_iter().flat_map(|(before, after)| before.iter().chain(after));
    let is_it = |written: &str| {
        written == size
            || written.strip_prefix(size).is_some_and(|rest| rest.starts_with([':', '_']))
    };
    let spans = dims.map(|dim| dim.span).filter(|span| is_it(span.of(&declaration.text)));
    spans.map(|span| listing.text(step, span)).collect()
}
