//! Declarations, and how they would have to be written to say more.

use lozenge_calculus::term::Variable;
use lozenge_diagnostic::{Edit, Place, Span};
use lozenge_notation::{Kind, Shape, parse_shape};

use crate::{
    Inference, Role,
    session::{program::Leaf, step::StepId},
    shape::RowView,
};

use super::listing::Listing;

/// A size that a declaration does not say, as it would say it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    /// What it leaves open.
    pub(super) leaf: Leaf,
    /// Which axis of that, and of how many; of a single axis the first and only.
    pub(super) axis: usize,
    pub(super) rank: usize,
    pub(super) size: u64,
}

/// The part of a declaration that a variable stands for.
pub(super) fn leaf(inference: &Inference, var: Variable) -> Option<Leaf> {
    inference.program.leaves.iter().find(|leaf| leaf.var == var).copied()
}

/// The shape that a step declares, as it is written; `None` where it declares a name only.
fn written(inference: &Inference, step: StepId) -> Option<Shape> {
    let declaration = inference.program.steps[step.place()].operation.declaration()?;
    let is_shape = declaration.head.ends_with(": ");
    is_shape.then(|| parse_shape(&declaration.text).ok().ok()).flatten()
}

/// Where a declaration leaves something open: its `_` or `...`.
pub(super) fn gap(inference: &Inference, leaf: &Leaf) -> Option<Span> {
    match leaf.var {
        Variable::Dim(_) => axis(inference, leaf.step, leaf.kind, leaf.axis.into()),
        // A row by a name stands elsewhere too.
        Variable::Row(_) => {
            let shape = written(inference, leaf.step)?;
            let ellipsis = shape.row(leaf.kind).ellipsis;
            ellipsis.filter(|it| it.name.is_none()).map(|it| it.span)
        }
    }
}

/// Where an axis is declared.
pub(super) fn axis(inference: &Inference, step: StepId, kind: Kind, axis: usize) -> Option<Span> {
    let shape = written(inference, step)?;
    let (before, after) = shape.dims(shape.row(kind));
    before.iter().chain(after).nth(axis).map(|dim| dim.span)
}

/// The place where a declaration leaves something open; the whole of it where it says nothing.
pub(super) fn place(inference: &Inference, listing: &mut Listing<'_>, leaf: &Leaf) -> Place {
    match gap(inference, leaf) {
        Some(span) => listing.text(leaf.step, span),
        None => listing.step(leaf.step),
    }
}

/// The edit that makes a declaration say this shape.
pub(super) fn whole(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    shape: &str,
) -> Option<Edit> {
    let made = &inference.program.steps[step.place()];
    let declaration = made.operation.declaration().filter(|_| !made.site.is_text())?;
    let end = u32::try_from(declaration.text.len()).ok()?;
    Some(if written(inference, step).is_some() {
        Edit::replace(listing.text(step, Span::new(0, end)), shape)
    } else {
        Edit::replace(listing.text(step, Span::empty(end)), format!(": {shape}"))
    })
}

/// The edits that make the declaration of a parameter say these sizes, all of them its own; none
/// where that cannot be written.
pub(super) fn sizes(inference: &Inference, listing: &mut Listing<'_>, said: &[Said]) -> Vec<Edit> {
    let Some(step) = said.first().map(|said| said.leaf.step) else { return vec![] };
    let made = &inference.program.steps[step.place()];
    if made.site.is_text() {
        return vec![];
    }
    // The axes of a row, those that are said among others that are not.
    let axes = |var: Variable, sign: &str| {
        let of_row: Vec<&Said> = said.iter().filter(|said| said.leaf.var == var).collect();
        let rank = of_row.iter().map(|said| said.rank.max(said.axis + 1)).max()?;
        let entry = |axis: usize| {
            let size = of_row.iter().find(|said| said.axis == axis).map(|said| said.size);
            size.map_or("_".to_owned(), |size| size.to_string())
        };
        Some((0..rank).map(entry).collect::<Vec<_>>().join(sign))
    };
    if let Some(shape) = written(inference, step) {
        let sign = if shape.text().contains(',') { "," } else { " " };
        let mut edits: Vec<Edit> = vec![];
        for Said { leaf, .. } in said {
            let Some((span, text)) = gap(inference, leaf).zip(axes(leaf.var, sign)) else {
                return vec![];
            };
            let place = listing.text(step, span);
            if edits.iter().all(|edit| edit.place != place) {
                edits.push(Edit::replace(place, text));
            }
        }
        return edits;
    }
    if made.operation.role() != Some(Role::Parameter) {
        return vec![];
    }
    let roles = inference.program.roles();
    let rows = Kind::ALL.map(|kind| match inference.program.row_view(step, kind) {
        RowView::Var(var) => {
            let var = Variable::Row(var);
            let is_found = roles.leaves().contains(&(var, Role::Parameter));
            axes(var, ",").unwrap_or_else(|| if is_found { "..." } else { "" }.to_owned())
        }
        RowView::NoAxes | RowView::Term(_) => String::new(),
    });
    whole(inference, listing, step, &crate::Shape::of_written(rows)).into_iter().collect()
}
