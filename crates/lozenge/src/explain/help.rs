//! Ways out, each tried before it is offered.

use lozenge_diagnostic::{Applicability, Edit, Help, Span};
use lozenge_notation::{Form, Kind, Known, Label, Shape, Slot, Spec};

use crate::{
    Inference, PartialRow, PartialShape, Session, Tensor,
    operation::{Compose, Pointwise, Transpose},
    session::step::StepId,
};

use super::{clash::Clash, listing::Listing, words};

/// The most orders of axes that are tried; a row that has more of them is not one that somebody
/// mixed up.
const MOST_ORDERS: usize = 200;

/// Texts that are longer are not tried again and again.
const LONGEST: usize = 400;

/// Another order of the named axes of an operand with which a specification fits: of those that do,
/// one that moves few.
pub(super) fn reordered(spec: &Spec, known: &Known<'_>) -> Option<Help> {
    if spec.text().len() > LONGEST {
        return None;
    }
    // Operands, kinds and orders.
    let mut tried: Vec<(usize, Kind, Vec<usize>)> = vec![];
    let axes = |operand: usize, kind: Kind| {
        named_axes(spec, &spec.operands()[operand], kind, &known.operands[operand])
    };
    for operand in 0..spec.operands().len() {
        for kind in Kind::ALL {
            let Some(axes) = axes(operand, kind) else { continue };
            tried.extend(orders(axes.len()).into_iter().map(|order| (operand, kind, order)));
        }
    }
    let moved = |order: &[usize]| order.iter().enumerate().filter(|(at, from)| at != *from).count();
    tried.sort_by_key(|(.., order)| moved(order)); // stable
    tried.into_iter().take(MOST_ORDERS).find_map(|(operand, kind, order)| {
        let axes = axes(operand, kind)?;
        let places: Vec<(usize, usize)> =
            order.iter().enumerate().map(|(at, from)| (axes[at].1, axes[*from].1)).collect();
        let mut operands = known.operands.to_vec();
        operands[operand] = operands[operand].exchanged(kind, &places);
        spec.hold(&Known { operands: &operands, ..*known }).ok()?;
        // What fits is written where the axes are that it fits.
        let edits = order.iter().enumerate().filter(|(at, from)| at != *from);
        let edits =
            edits.map(|(at, from)| Edit::replace(axes[*from].0, axes[at].0.of(spec.text())));
        spec.claimed(Applicability::Choice, edits, |operand| known.display_name(operand))
    })
}

/// The named axes of a row of a specification, and which axes of the operand's row they read;
/// `None` where these are not all known.
fn named_axes(spec: &Spec, slot: &Slot, kind: Kind, shape: &Shape) -> Option<Vec<(Span, usize)>> {
    let given = shape.row(kind);
    let (before, after) = spec.axes(slot.row(kind));
    let surplus = given.rank().checked_sub(before.len() + after.len())?;
    if given.ellipsis.is_some() || surplus > 0 && slot.row(kind).ellipsis.is_none() {
        return None;
    }
    let behind = before.len() + surplus;
    let read = (0..before.len()).chain(behind..behind + after.len());
    let named = before.iter().chain(after).zip(read);
    let named = named.filter(|(axis, _)| matches!(axis.form, Form::Axis(Label::Named(_))));
    Some(named.map(|(axis, place)| (axis.span, place)).collect())
}

/// All orders of up to four things but their own, by where each comes from.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if !(2..=4).contains(&count) {
        let swaps = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let swap = |(a, b)| {
            let mut order: Vec<usize> = (0..count).collect();
            order.swap(a, b);
            order
        };
        return swaps.map(swap).collect();
    }
    let mut orders: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..count {
        let longer = |order: &Vec<usize>| {
            let left = (0..count).filter(|next| !order.contains(next));
            left.map(|next| [&order[..], &[next]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders.retain(|order| !order.is_sorted());
    orders
}

/// Ways out of two axes that do not fit.
pub(super) fn broadcast(
    inference: &Inference,
    step: StepId,
    listing: &mut Listing<'_>,
    clash: &Clash,
) -> Vec<Help> {
    let mut helps = vec![];
    for (place, (side, axis, dim)) in clash.sides.iter().enumerate() {
        let size = words::size(inference, *dim);
        // What takes a size does not stretch, and elsewhere nothing else may be in the way.
        let mends = !(clash.others || clash.composed && place == 0);
        if words::is_one(&size) && mends {
            let text = "an explicit 1 does not stretch, `1_` does";
            let declared = super::why::declared(inference, side.tensor, side.kind, *axis, *dim);
            helps.push(match declared {
                Some(span) => {
                    let place = listing.text(side.tensor, span);
                    Help::choice(text, [Edit::replace(place, "1_")])
                }
                None => Help::advice(text),
            });
        }
    }
    helps.extend(composed(inference, step));
    helps
}

/// Other operations on the same operands, and the same on transposed ones, where these fit.
pub(super) fn composed(inference: &Inference, step: StepId) -> Vec<Help> {
    let program = &inference.program;
    let operation = &program.steps[step.place()].operation;
    let [first, second] = program.operands_of(step)[..] else { return vec![] };
    if operation.name() != "*" || inference.program.steps.len() > MOST_STEPS {
        return vec![];
    }
    let fits = |attempt: &dyn Fn(&mut Session, [Tensor; 2]) -> bool| {
        let mut trial = Session::from(inference.before(step));
        let tensors = [first, second].map(|number| trial.tensor(number));
        attempt(&mut trial, tensors)
    };
    let [a, b] = [first, second].map(|number| program.display_name(number));
    let [left, right] = [first, second].map(|number| inference.partial(number));
    let takes = |shape: &PartialShape| {
        let row = shape.row(Kind::Input);
        row.is_open() || !row.axes().is_empty()
    };
    // What takes one row gives the same; that no axes fit anything helps nobody.
    let meets = |takes: &PartialRow, gives: &PartialRow| {
        !takes.is_open() && !takes.axes().is_empty() && takes.axes() == gives.axes()
    };
    let mut helps = vec![];
    // What takes something is meant to be composed.
    if ![&left, &right].into_iter().any(takes)
        && fits(&|s, pair| s.apply(Pointwise::new("*."), &pair).is_ok())
    {
        let text = format!("element by element, a pointwise product of `{a}` and `{b}` fits");
        helps.push(Help::advice(text));
    }
    let transposed = |which: usize| {
        move |s: &mut Session, mut pair: [Tensor; 2]| {
            let Ok(turned) = s.apply(Transpose, &[pair[which]]) else { return false };
            pair[which] = turned;
            s.apply(Compose, &pair).is_ok()
        }
    };
    let [input, output] = [Kind::Input, Kind::Output];
    if meets(left.row(output), right.row(output)) && fits(&transposed(0)) {
        helps.push(Help::advice(format!("the transpose of `{a}` fits")));
    } else if meets(left.row(input), right.row(input)) && fits(&transposed(1)) {
        helps.push(Help::advice(format!("the transpose of `{b}` fits")));
    }
    if meets(right.row(input), left.row(output))
        && fits(&|s, [x, y]| s.apply(Compose, &[y, x]).is_ok())
    {
        helps.push(Help::advice(format!("the other way round, `{b} * {a}` fits")));
    }
    helps
}

/// Programs that are larger are not copied to try something.
const MOST_STEPS: usize = 100_000;
