//! Errors about missing sizes: which they are, where to say them, and the sizes that follow then.

use lozenge_calculus::term::Variable;
use lozenge_diagnostic::{Code, Diagnostic, Help};
use lozenge_solve::close::Role;

use crate::{
    Inference, Kind,
    session::{program::Leaf, step::StepId},
    shape::RowView,
};

use super::{
    declare as edit,
    holes::{Fits, Missing, Unknown},
    listing::Listing,
    words,
};

/// The error about a missing size and the sizes that follow from it; or about several of one
/// tensor, where none follows from another. `all` are those that the program lacks.
pub(super) fn said(
    inference: &Inference,
    listing: &mut Listing<'_>,
    unknowns: &[&Unknown],
    all: &[Unknown],
) -> Diagnostic {
    let program = &inference.program;
    let unknown = unknowns[0];
    let Some(leaf) = edit::leaf(inference, unknown.root.var) else {
        // There is none: closing asks for variables of leaves only.
        return words::unsettled(Code::Unsettled, listing.step(program.last_step()));
    };
    let leaf = &leaf;
    let hole = |leaf: &Leaf, missing: Missing| words::Hole {
        name: program.display_name(leaf.step),
        kind: leaf.kind,
        axis: missing.axis.map(|axis| usize::from(leaf.axis) + axis),
    };
    let named = unknown.follows.iter().take(words::MOST_NAMED).filter_map(|missing| {
        let leaf = edit::leaf(inference, missing.var)?;
        Some((leaf, hole(&leaf, *missing)))
    });
    let named: Vec<(Leaf, words::Hole)> = named.collect();
    // Two that are not the same axis tell more than the first two.
    let other = named.iter().position(|(_, hole)| !hole.is_like(&named[0].1)).unwrap_or(1);
    let shown: Vec<&(Leaf, words::Hole)> =
        [0, other].into_iter().filter_map(|place| named.get(place)).collect();

    let root = hole(leaf, unknown.root);
    let is_parameter = program.steps[leaf.step.place()].operation.role() == Some(Role::Parameter);
    let place = (edit::place(inference, listing, leaf), edit::gap(inference, leaf).is_some());
    let headlined: Vec<&words::Hole> = shown.iter().map(|(_, hole)| hole).collect();
    let follow = unknown.follows.len();
    let mut said = words::hidden(place, &root, is_parameter, &headlined, follow);
    for (leaf, hole) in shown {
        let place = edit::place(inference, listing, leaf);
        if said.labels.iter().all(|label| label.place != place) {
            said = said.label(place, words::follows(hole));
        }
    }
    if follow > 0 {
        let named: Vec<&words::Hole> = named.iter().map(|(_, hole)| hole).collect();
        said.notes.extend(words::all_follow(&named, follow, unknown.any_settles));
    } else {
        said = uses(inference, listing, said, leaf);
        if unknown.fits.is_none() && all.len() > unknowns.len() {
            said = said.note(words::not_tried());
        }
    }
    let others: Vec<words::Hole> = unknowns[1..]
        .iter()
        .filter_map(|other| Some(hole(&edit::leaf(inference, other.root.var)?, other.root)))
        .collect();
    said.notes.extend(words::also_missing(&others));
    said.help(say(inference, listing, leaf, &root, unknowns, all))
}

/// How to say missing sizes of one tensor.
fn say(
    inference: &Inference,
    listing: &mut Listing<'_>,
    leaf: &Leaf,
    root: &words::Hole,
    unknowns: &[&Unknown],
    all: &[Unknown],
) -> Help {
    let said = |unknown: &Unknown| {
        let leaf = edit::leaf(inference, unknown.root.var).filter(|it| it.step == leaf.step)?;
        let Fits { size, axis, rank } = unknown.fits?;
        Some(edit::Said { leaf, axis, rank, size })
    };
    // A declaration that says nothing yet is written whole, with every size of it that is missing.
    let sizes: Vec<edit::Said> = if edit::gap(inference, leaf).is_some() {
        unknowns.iter().filter_map(|unknown| said(unknown)).collect()
    } else {
        all.iter().filter_map(said).collect()
    };
    if unknowns.iter().any(|unknown| unknown.fits.is_none()) {
        return declare(inference, leaf);
    }
    let edits = edit::sizes(inference, listing, &sizes);
    if edits.is_empty() {
        return declare(inference, leaf);
    }
    words::say_sizes(root, &sizes.iter().map(|said| said.size).collect::<Vec<_>>(), edits)
}

/// Where a leaf is used.
fn uses(
    inference: &Inference,
    listing: &mut Listing<'_>,
    said: Diagnostic,
    leaf: &Leaf,
) -> Diagnostic {
    let program = &inference.program;
    let used = |step: &StepId| program.operands_of(*step).iter().position(|o| *o == leaf.step);
    let uses = program.steps_after(leaf.step).filter_map(|step| used(&step).map(|at| (step, at)));
    uses.take(words::MOST_STEPS).fold(said, |said, (step, operand)| {
        said.label(listing.operand(step, operand), "this use does not say")
    })
}

/// Advice to declare the missing sizes: the shape as far as it is known, with a `?` for each of
/// them.
pub(super) fn declare(inference: &Inference, leaf: &Leaf) -> Help {
    let program = &inference.program;
    let roles = program.roles();
    let found = Kind::ALL.map(|kind| match program.row_view(leaf.step, kind) {
        RowView::Var(var) => roles.leaves().contains(&(Variable::Row(var), Role::Parameter)),
        RowView::NoAxes | RowView::Term(_) => true,
    });
    words::declare(&program.display_name(leaf.step), &inference.partial(leaf.step), found)
}
