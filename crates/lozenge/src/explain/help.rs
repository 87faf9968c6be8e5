//! Ways out, each tried before it is offered.

use lozenge_spec::{
    Axis, Form, Kind, Label, Shape, Spec,
    diagnostic::{Edit, Help},
    parse,
};

use crate::{
    PartialRow, PartialShape, Session, Tensor,
    operation::{Compose, Pointwise, Transpose},
};

use super::{clash::Clash, listing::Listing, words};

/// So many exchanges are tried; a row that has more of them is not one that somebody mixed up.
const MOST_SWAPS: usize = 60;

/// Texts that are longer are not tried again and again.
const LONGEST: usize = 400;

/// A swap of two named axes of an operand with which a specification fits.
pub(super) fn transposed(spec: &Spec, shapes: &[Shape]) -> Option<Help> {
    if spec.text().len() > LONGEST {
        return None;
    }
    let is_named = |axis: &&Axis| matches!(axis.form, Form::Axis(Label::Named(_)));
    let mut swaps = vec![];
    for (number, slot) in spec.operands().iter().enumerate() {
        for kind in Kind::ALL {
            let (before, after) = spec.axes(slot.row(kind));
            for axes in [before, after] {
                let named: Vec<&Axis> = axes.iter().filter(is_named).collect();
                for (i, first) in named.iter().enumerate() {
                    let others = named[i + 1..].iter();
                    swaps.extend(others.map(|second| (number, first.span, second.span)));
                }
            }
        }
    }
    swaps.into_iter().take(MOST_SWAPS).find_map(|(number, a, b)| {
        let edits = [Edit::replace(a, b.of(spec.text())), Edit::replace(b, a.of(spec.text()))];
        let help = Help::choice(format!("operand {} with two axes exchanged", number + 1), edits);
        let swapped = parse(&help.apply(spec.text())).ok();
        swapped.is_ok_and(|spec| spec.fit(shapes).is_ok()).then_some(help)
    })
}

/// Ways out of two axes that do not fit.
pub(super) fn broadcast(
    session: &Session,
    step: u32,
    listing: &mut Listing<'_>,
    clash: &Clash,
) -> Vec<Help> {
    let mut helps = vec![];
    for (place, (side, axis, dim)) in clash.sides.iter().enumerate() {
        let size = words::size(&session.program, *dim);
        // What takes a size does not stretch, and elsewhere nothing else may be in the way.
        let mends = !(clash.others || clash.composed && place == 0);
        if words::is_one(&size) && mends {
            let text = "an explicit 1 does not stretch, `1_` does";
            let declared = super::why::declared(session, side.tensor, side.kind, *axis, *dim);
            helps.push(match declared {
                Some(span) => {
                    let place = listing.text(side.tensor, span);
                    Help::choice(text, [Edit::replace(place, "1_")])
                }
                None => Help::advice(text),
            });
        }
    }
    helps.extend(composed(session, step));
    helps
}

/// Other operations on the same operands, and the same on transposed ones, where these fit.
pub(super) fn composed(session: &Session, step: u32) -> Vec<Help> {
    let program = &session.program;
    let operation = &program.steps[step as usize].operation;
    let [first, second] = program.operands_of(step)[..] else { return vec![] };
    if operation.name() != "*" || session.program.steps.len() > MOST_STEPS {
        return vec![];
    }
    let fits = |attempt: &dyn Fn(&mut Session, [Tensor; 2]) -> bool| {
        let mut trial = session.before(step);
        let tensors = [first, second].map(|number| trial.tensor(number));
        attempt(&mut trial, tensors)
    };
    let [a, b] = [first, second].map(|number| program.called(number));
    let [left, right] = [first, second].map(|number| session.partial(number));
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
