//! Why an axis has its size.

use lozenge_calculus::{
    constraint::{OriginId, Relation},
    dim::Dim,
    term::{DimTerm, DimVar, RowTerm},
};
use lozenge_diagnostic::{Code, Diagnostic, Label, Place, Report, Span};
use lozenge_notation::{DimForm, Kind, parse_shape};
use lozenge_solve::{
    Solver,
    close::{Closed as Values, Why},
    explain::{Target, why_within},
};

use crate::{Closed, Inference, SchemePart, Session, Tensor, session::step::StepId};

use super::{clash::Side, declare, listing::Listing, words};

/// How many constraints may be taken to find the steps that a message shows: a few of very many are
/// shown, and to find out that none of two hundred can be left out takes as much.
const MOST_TAKEN: usize = 20_000;

/// An axis of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AxisPlace {
    /// Which tensor.
    pub tensor: Tensor,
    /// Which row.
    pub kind: Kind,
    /// Which axis of it, from the front.
    pub axis: usize,
}

impl AxisPlace {
    /// An axis of a row of a tensor, by its number from the front, from 0.
    pub fn new(tensor: Tensor, kind: Kind, axis: usize) -> AxisPlace {
        AxisPlace { tensor, kind, axis }
    }
}

/// Where the constraints come from that give something its value in a closed program.
pub(super) fn origins(solver: &Solver, values: &Values, target: Target) -> Vec<OriginId> {
    match values.why_within(&solver.solved(), target, MOST_TAKEN) {
        Why::Forced(chain) => chain.constraints.iter().map(|c| c.origin).collect(),
        Why::Chosen { by, origins } => {
            by.iter().flat_map(|chosen| &chosen.asked).chain(&origins).copied().collect()
        }
        Why::Greatest => vec![],
    }
}

/// Where an axis of a declared shape is written, if this is what it says.
pub(super) fn declared(
    inference: &Inference,
    step: StepId,
    kind: Kind,
    axis: usize,
    dim: Dim,
) -> Option<Span> {
    let declaration = inference.program.steps[step.place()].operation.declaration()?;
    let shape = parse_shape(&declaration.text).ok().ok()?;
    let row = shape.row(kind);
    let (before, after) = shape.dims(row);
    if row.ellipsis.is_some() && axis >= before.len() {
        return None;
    }
    let written = before.iter().chain(after).nth(axis)?;
    let span = written.span;
    // A name may look like a shape, and an axis may have been left open.
    let says = span.of(&declaration.text) == words::size(inference, dim).to_string();
    let is_unsaid = matches!(written.form, DimForm::Computed(_) | DimForm::AtRunTime);
    (says || is_unsaid).then_some(span)
}

/// The target of an explanation for an axis of a row term; `None` when its size is written there.
fn target(row: &RowTerm, rank: usize, axis: usize) -> Option<Target> {
    let (lead, trail) = (row.flanks.lead().len(), row.flanks.trail().len());
    let entry = |term: &DimTerm| term.var().map(Target::Dim);
    if axis < lead {
        entry(&row.flanks.lead()[axis])
    } else if axis + trail >= rank {
        entry(row.flanks.trail().get(axis + trail - rank)?)
    } else {
        Some(Target::Axis(row.var?, axis - lead))
    }
}

/// Adds where an axis of an operand has its size from.
pub(super) fn provenance(
    inference: &Inference,
    listing: &mut Listing<'_>,
    said: Diagnostic,
    side: &Side,
    axis: usize,
    dim: Dim,
) -> Diagnostic {
    let program = &inference.program;
    let size = words::size(inference, dim);
    if let Some(span) = declared(inference, side.tensor, side.kind, axis, dim) {
        return said.label(listing.text(side.tensor, span), format!("{size} is declared here"));
    }
    let row = program.row(side.tensor, side.kind);
    let rank = side.rank();
    let Some(chain) = target(&row, rank, axis)
        .and_then(|t| why_within(&inference.solver.solved(), t, MOST_TAKEN))
    else {
        return said;
    };
    let origins = chain.constraints.iter().map(|constraint| constraint.origin);
    let said = from(inference, listing, said, origins, dim);
    words::perhaps_fewer(said, chain.irreducible)
}

/// Adds where a size has its value from.
pub(super) fn of_size(
    inference: &Inference,
    listing: &mut Listing<'_>,
    said: Diagnostic,
    var: DimVar,
    dim: Dim,
) -> Diagnostic {
    let Some(chain) = why_within(&inference.solver.solved(), var, MOST_TAKEN) else { return said };
    let origins = chain.constraints.iter().map(|constraint| constraint.origin);
    let said = from(inference, listing, said, origins, dim);
    words::perhaps_fewer(said, chain.irreducible)
}

/// Adds labels for the steps that some origins are of, and for the declarations they have a size
/// from.
fn from(
    inference: &Inference,
    listing: &mut Listing<'_>,
    mut said: Diagnostic,
    origins: impl IntoIterator<Item = OriginId>,
    dim: Dim,
) -> Diagnostic {
    let program = &inference.program;
    let mut parts: Vec<(StepId, SchemePart)> =
        origins.into_iter().map(|origin| program.origin(origin)).collect();
    parts.sort_by_key(|(step, _)| *step); // stable
    let mut steps: Vec<StepId> = parts.iter().map(|(step, _)| *step).collect();
    steps.dedup();
    let size = words::size(inference, dim);
    let mut labelled: Vec<Place> = vec![];
    for step in steps.iter().rev().take(words::MOST_STEPS) {
        let declarations = program.operands_of(*step).iter().flat_map(|operand| {
            Kind::ALL.into_iter().filter_map(move |kind| {
                let row = program.row(*operand, kind);
                let is_it = |term: &&DimTerm| term.ground() == Some(dim);
                // Where there are several such axes, which one it is is not said.
                if row.flanks.flat().iter().filter(is_it).count() != 1 {
                    return None;
                }
                let axis = row.flanks.flat().iter().position(|term| is_it(&term))?;
                Some((*operand, declared(inference, *operand, kind, axis, dim)?))
            })
        });
        let mut label = |place: Place, text: String| {
            if !labelled.contains(&place) {
                labelled.push(place);
                said.labels.push(Label { place, text, told: None });
            }
        };
        for (operand, span) in declarations.collect::<Vec<_>>() {
            label(listing.text(operand, span), format!("{size} is declared here"));
        }
        let of_step = parts.iter().filter(|(of, _)| of == step).map(|(_, about)| *about);
        for about in of_step.take(words::MOST_STEPS) {
            let place = part(inference, listing, *step, about);
            let text = match place {
                Some(_) => words::part(&*program.steps[step.place()].operation, about),
                None => format!("gives it {size}"),
            };
            label(place.unwrap_or_else(|| listing.step(*step)), text);
        }
    }
    words::and_others(said, steps.len())
}

/// The part of a specification or of a declared shape that asks for something.
pub(super) fn part(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    about: SchemePart,
) -> Option<Place> {
    let made = &inference.program.steps[step.place()];
    let Some(spec) = made.operation.spec() else {
        let SchemePart::Axis { kind, axis, .. } = about else { return None };
        return Some(listing.text(step, declare::axis(inference, step, kind, axis.into())?));
    };
    let slot = |number: u16| spec.operands().get(usize::from(number)).unwrap_or(spec.result());
    let span = match about {
        SchemePart::Row { operand, kind } => slot(operand).row(kind).span,
        SchemePart::Axis { slot: number, kind, axis } => {
            let (before, after) = spec.axes(slot(number).row(kind));
            before.iter().chain(after).nth(axis.into())?.span
        }
        // Where a text is all there is, the name itself.
        SchemePart::Name(name) if made.site.is_text() => {
            spec.name_span(spec.names().nth(name as usize)?)
        }
        SchemePart::Name(_) => return Some(listing.sizes(step)),
        SchemePart::Between { .. } | SchemePart::Whole => return None,
    };
    Some(listing.text(step, span))
}

impl Session {
    /// Why an axis of a closed program has the size it has, as a note whose labels are the steps
    /// that make it so.
    ///
    /// # Errors
    /// When the handle or the closed program is of another session, the tensor is newer than the
    /// closed program, or there is no such axis.
    #[track_caller]
    pub fn why(
        &self,
        closed: &Closed,
        place: AxisPlace,
    ) -> Result<(Diagnostic, lozenge_diagnostic::Sources), Report> {
        let AxisPlace { tensor, kind, axis } = place;
        let inference = &self.inference;
        let number = closed.number_of(self, tensor)?;
        let shape = closed.shape(tensor)?;
        let row = inference.program.row(number, kind);
        let ground = closed.values.grounding().row(&row);
        let (Some(size), Some(dim)) = (shape.row(kind).get(axis), ground.flat().get(axis).copied())
        else {
            return Err(words::no_axis(&inference.program, number, kind, axis, shape));
        };
        let mut listing = Listing::new(&inference.program);
        let called = words::axis_of(&inference.program, number, kind, axis);
        let headline = |because: &str| format!("{called} is {size}{because}");
        let target = target(&row, shape.row(kind).len(), axis);
        let said = match target.map(|target| closed.because(self, target)) {
            None => {
                let place = match declared(inference, number, kind, axis, dim) {
                    Some(span) => listing.text(number, span),
                    None => listing.step(number),
                };
                let required =
                    closed.session(self).inference.solver.equations().taken_origins(dim.size());
                if required.is_empty() || closed.sizes().taken_for(dim.size()) == dim.size() {
                    Diagnostic::new(Code::SizeFollows, headline(", as it is declared"))
                        .label(place, "here")
                } else {
                    let said = Diagnostic::new(Code::SizeFollows, headline(", as is required"));
                    let said = said.label(place, "is known at run time");
                    from(inference, &mut listing, said, required, dim)
                }
            }
            Some(why) => because(inference, &mut listing, number, headline, closed, dim, &why),
        };
        let (sources, mut said) = listing.placed(vec![said]);
        Ok((said.remove(0), sources))
    }
}

/// Why an axis has its size, where it is not only as it is declared.
fn because(
    inference: &Inference,
    listing: &mut Listing<'_>,
    number: StepId,
    headline: impl Fn(&str) -> String,
    closed: &Closed,
    dim: Dim,
    why: &Why,
) -> Diagnostic {
    match why {
        Why::Greatest => Diagnostic::new(Code::SizeFollows, headline(", as nothing asks for more"))
            .label(listing.step(number), "here"),
        Why::Forced(chain) => {
            let mut said = Diagnostic::new(Code::SizeFollows, headline(""));
            let naming = inference.program.name_table.with(closed.values.sizes());
            let size = |term| naming.axis(closed.values.grounding().dim(term));
            for constraint in &chain.constraints {
                if let Relation::Size(relation) = &constraint.relation {
                    said.notes.extend(words::equation(relation, size));
                }
            }
            let origins = chain.constraints.iter().map(|constraint| constraint.origin);
            from(inference, listing, said, origins, dim)
        }
        Why::Chosen { by, origins } => {
            let said = Diagnostic::new(Code::SizeFollows, headline(", which its uses ask for"));
            let asked = by.iter().flat_map(|chosen| &chosen.asked);
            from(inference, listing, said, asked.chain(origins).copied(), dim)
        }
    }
}
