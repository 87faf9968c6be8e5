//! Words about two operands that do not fit each other.

use lozenge_diagnostic::{Code, Diagnostic, Help};
use lozenge_notation::parse_shape;

use crate::{Axis, Inference, session::step::StepId, shape::Size};

use super::{
    super::{
        clash::{Clash, Side},
        listing::Listing,
    },
    axes::{axis_of, counted},
};

/// What two dimensions that clash differ in.
pub(crate) fn clash_code(first: &Axis, second: &Axis) -> Code {
    match (first, second) {
        (Axis::Sized { size: a, .. }, Axis::Sized { size: b, .. }) if a == b => Code::BasisMismatch,
        _ => Code::SizeMismatch,
    }
}

const BASES: &str =
    "axes of one size and two bases are two axes: three colours are not three coordinates";

/// What there is to know of two axes that clash.
pub(super) fn about_clash(said: Diagnostic, first: &Axis, second: &Axis) -> Diagnostic {
    match (first, second) {
        _ if clash_code(first, second) == Code::BasisMismatch => said.note(BASES),
        (
            Axis::Sized { size: Size::Named(one), .. },
            Axis::Sized { size: Size::Named(other), .. },
        ) => said.help(Help::advice(format!(
            "different names are different sizes; if `{one}` and `{other}` are one, one name for both, or \
             declare `{one} = {other}`"
        ))),
        (
            Axis::Sized { size: Size::Named(name), .. },
            Axis::Sized { size: size @ Size::Computed(_), .. },
        )
        | (
            Axis::Sized { size: size @ Size::Computed(_), .. },
            Axis::Sized { size: Size::Named(name), .. },
        ) => match parse_shape(&size.to_string()).ok() {
            Ok(written) if written.names().all(|id| written.name(id) != &**name) => {
                said.help(Help::advice(format!(
                    "different names are different sizes; if `{name}` is `{size}`, declare `{name} = {size}`"
                )))
            }
            // It is of that name itself, or there is no way to write it.
            Ok(_) | Err(_) => said,
        },
        _ => said,
    }
}

/// Two operands of a step whose axes do not fit.
pub(in super::super) fn does_not_fit(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    clash: &Clash,
) -> Diagnostic {
    let program = &inference.program;
    let [(first, a, one), (second, b, two)] = &clash.sides;
    let [x, y] = [one, two].map(|dim| inference.naming().axis(*dim));
    let code = clash_code(&x, &y);
    let at = [(first, *a), (second, *b)]
        .map(|(side, axis)| axis_of(program, side.tensor, side.kind, axis));
    let headline = if clash.composed {
        format!("{} takes {x}, {} gives {y}", at[0], at[1])
    } else {
        format!("{} is {x}, {} is {y}", at[0], at[1])
    };
    let [takes, gives] = if clash.composed { ["takes", "gives"] } else { ["has", "has"] };
    let label =
        |said: Diagnostic, listing: &mut Listing<'_>, side: &Side, verb, axis: usize, n: &Axis| {
            let text = format!("{verb} {n} on {} axis {axis}", side.kind);
            said.label(listing.operand(step, side.operand), text)
        };
    let said = Diagnostic::new(code, headline);
    let said = label(said, listing, second, gives, *b, &y);
    let said = label(said, listing, first, takes, *a, &x);
    about_clash(said, &x, &y)
}

/// More axes than what takes them has; or, where it is written, than what is written has.
pub(in super::super) fn takes_fewer(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    low: &Side,
    high: &Side,
    [takes, gives]: [usize; 2],
) -> Diagnostic {
    let program = &inference.program;
    let (first, second) = (program.display_name(low.tensor), program.display_name(high.tensor));
    let taken = match takes {
        0 => format!("no {} axes", low.kind),
        n => counted(n, &format!("{} axis", low.kind)),
    };
    let given = counted(gives, &format!("{} axis", high.kind));
    let is_written = program.copied(step) == Some(low.operand);
    let [give, take] = if is_written { ["has", "has"] } else { ["gives", "takes"] };
    let headline = format!("`{second}` {give} {given}, `{first}` {take} {taken}");
    Diagnostic::new(Code::RankMismatch, headline)
        .label(listing.operand(step, high.operand), format!("{give} {gives}"))
        .label(listing.operand(step, low.operand), format!("{take} {takes}"))
}
