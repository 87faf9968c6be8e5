//! Ways out, each tried before it is offered.

use lozenge_spec::{
    Kind, Shape, Spec,
    diagnostic::{Edit, Help},
    parse,
};

use crate::{
    Session, Tensor,
    operation::{Compose, Pointwise, Transpose},
};

use super::{broadcast::Clash, listing::Listing, words};

/// Swaps of two axes of an operand with which a specification fits.
pub(super) fn transposed(spec: &Spec, shapes: &[Shape]) -> Vec<Help> {
    for (number, slot) in spec.operands().iter().enumerate() {
        for kind in Kind::ALL {
            let (before, after) = spec.axes(slot.row(kind));
            for axes in [before, after] {
                for (i, first) in axes.iter().enumerate() {
                    for second in &axes[i + 1..] {
                        let [a, b] = [first.span, second.span];
                        let edits = [
                            Edit::replace(a, b.of(spec.text())),
                            Edit::replace(b, a.of(spec.text())),
                        ];
                        let text = format!("operand {} with two axes exchanged", number + 1);
                        let help = Help::choice(text, edits);
                        let swapped = parse(&help.apply(spec.text())).ok();
                        if swapped.is_ok_and(|spec| spec.fit(shapes).is_ok()) {
                            return vec![help];
                        }
                    }
                }
            }
        }
    }
    vec![]
}

/// Ways out of two axes that do not fit.
pub(super) fn broadcast(
    session: &Session,
    step: u32,
    listing: &mut Listing<'_>,
    clash: &Clash,
) -> Vec<Help> {
    let mut helps = vec![];
    for (side, axis, dim) in &clash.sides {
        let size = words::size(&session.program, *dim);
        if words::is_one(&size) {
            let text = "an explicit 1 does not stretch, `1_` does";
            let declared = super::why::declared(session, side.tensor, side.kind, *axis);
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
    if session.program.steps.len() > MOST_STEPS {
        return vec![];
    }
    let fits = |attempt: &dyn Fn(&mut Session, [Tensor; 2]) -> bool| {
        let mut trial = session.before(step);
        let tensors = [first, second].map(|number| trial.tensor(number));
        attempt(&mut trial, tensors)
    };
    let [a, b] = [first, second].map(|number| program.called(number));
    let known = [first, second].map(|number| session.partial(number));
    let takes = |shape: &crate::PartialShape| {
        let row = shape.row(Kind::Input);
        row.is_open() || !row.axes().is_empty()
    };
    let mut helps = vec![];
    if operation.name() == "*" {
        // What takes something is meant to be composed.
        if !known.iter().any(takes) && fits(&|s, pair| s.apply(Pointwise::new("*."), &pair).is_ok())
        {
            helps.push(Help::advice(format!(
                "element by element, a pointwise product of `{a}` and `{b}` fits"
            )));
        }
        let transposed = |which: usize| {
            move |s: &mut Session, mut pair: [Tensor; 2]| {
                let Ok(turned) = s.apply(Transpose, &[pair[which]]) else { return false };
                pair[which] = turned;
                s.apply(Compose, &pair).is_ok()
            }
        };
        // What is not known yet fits anything, which helps nobody.
        if known[0].is_known() && fits(&transposed(0)) {
            helps.push(Help::advice(format!("the transpose of `{a}` fits")));
        } else if known[1].is_known() && fits(&transposed(1)) {
            helps.push(Help::advice(format!("the transpose of `{b}` fits")));
        }
        let both = known.iter().all(crate::PartialShape::is_known);
        if both && fits(&|s, [x, y]| s.apply(Compose, &[y, x]).is_ok()) {
            helps.push(Help::advice(format!("the other way round, `{b} * {a}` fits")));
        }
    } else if fits(&|s, pair| s.apply(Compose, &pair).is_ok())
        && operation.spec().is_none()
        && operation.name().contains('*')
    {
        helps.push(Help::advice(format!("composed, `{a} * {b}` fits")));
    }
    helps
}

/// Programs that are larger are not copied to try something.
const MOST_STEPS: usize = 100_000;
