//! Errors about missing sizes: which they are, where to say them, and the sizes that follow then.

use lozenge_core::{close::Role, term::Variable};
use lozenge_spec::diagnostic::{Diagnostic, Help};

use crate::{
    Kind, Session,
    session::program::{Leaf, RowView},
};

use super::{
    declare as edit,
    holes::{Fits, Missing, Unknown},
    listing::Listing,
    words,
};

/// The error about a missing size and the sizes that follow from it; or about all missing sizes of one tensor,
/// where none follows from another.
pub(super) fn said(
    session: &Session,
    listing: &mut Listing<'_>,
    unknowns: &[(&Unknown, Leaf)],
    has_others: bool,
) -> Diagnostic {
    let program = &session.program;
    let (unknown, leaf) = &unknowns[0];
    let hole = |leaf: &Leaf, missing: Missing| words::Hole {
        name: program.called(leaf.step),
        kind: leaf.kind,
        axis: missing.axis.map(|axis| usize::from(leaf.axis) + axis),
    };
    let named = unknown.follows.iter().take(words::MOST_NAMED).filter_map(|missing| {
        let leaf = edit::leaf(session, missing.var)?;
        Some((leaf, hole(&leaf, *missing)))
    });
    let named: Vec<(Leaf, words::Hole)> = named.collect();
    // Two that are not the same axis tell more than the first two.
    let other = named.iter().position(|(_, hole)| !hole.is_like(&named[0].1)).unwrap_or(1);
    let shown: Vec<&(Leaf, words::Hole)> =
        [0, other].into_iter().filter_map(|place| named.get(place)).collect();

    let root = hole(leaf, unknown.root);
    let is_parameter = program.steps[leaf.step as usize].operation.role() == Some(Role::Parameter);
    let place = (edit::place(session, listing, leaf), edit::gap(session, leaf).is_some());
    let headlined: Vec<&words::Hole> = shown.iter().map(|(_, hole)| hole).collect();
    let follow = unknown.follows.len();
    let mut said = words::hidden(place, &root, is_parameter, &headlined, follow);
    for (leaf, hole) in shown {
        let place = edit::place(session, listing, leaf);
        if said.labels.iter().all(|label| label.place != place) {
            said = said.label(place, words::follows(hole));
        }
    }
    if follow > 0 {
        let named: Vec<&words::Hole> = named.iter().map(|(_, hole)| hole).collect();
        said.notes.extend(words::all_follow(&named, follow, unknown.any_settles));
    } else {
        said = uses(session, listing, said, leaf);
        if unknown.fits.is_none() && has_others {
            said = said.note(words::not_tried());
        }
    }
    let sizes = unknowns.iter().filter_map(|(unknown, leaf)| {
        let Fits { size, axis, rank } = unknown.fits?;
        Some(edit::Said { leaf: *leaf, axis, rank, size })
    });
    let sizes: Vec<edit::Said> = sizes.collect();
    let all = sizes.len() == unknowns.len();
    let edits = if all { edit::sizes(session, listing, &sizes) } else { vec![] };
    let sizes: Vec<u64> = sizes.iter().map(|said| said.size).collect();
    said.help(match &edits[..] {
        [] => declare(session, leaf),
        _ => words::say_sizes(&root, &sizes, edits),
    })
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

/// Advice to declare the missing sizes: the shape as far as it is known, with a `?` for each of them.
pub(super) fn declare(session: &Session, leaf: &Leaf) -> Help {
    let program = &session.program;
    let roles = program.roles();
    let found = Kind::ALL.map(|kind| match program.row_view(leaf.step, kind) {
        RowView::Var(var) => roles.leaves().contains(&(Variable::Row(var), Role::Parameter)),
        RowView::NoAxes | RowView::Term(_) => true,
    });
    words::declare(&program.called(leaf.step), &session.partial(leaf.step), found)
}
