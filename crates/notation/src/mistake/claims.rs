//! What helps say of what their edits do.

use super::wording::counted;
use lozenge_diagnostic::{Claim, Together};

/// The claim of an edit, in words. `called` names an operand by its number.
pub(crate) fn claims(claim: &Claim, called: impl Fn(usize) -> String) -> String {
    match claim {
        Claim::Renames => "other names".to_owned(),
        Claim::Counts { operands } => format!("with {}", counted(*operands, "operand", "operands")),
        Claim::Permutes { operand, order } => {
            let moved = order.iter().enumerate().filter(|(at, from)| at != *from).count();
            match moved {
                2 => format!("{} with two axes exchanged", called(*operand)),
                _ => format!("{} with its axes in another order", called(*operand)),
            }
        }
        Claim::Keeps { .. } => {
            "`...` takes the axes that are not named, and the result keeps them".to_owned()
        }
        Claim::Joins { .. } => {
            "`...` takes the axes that are not named, together with those of the other operands"
                .to_owned()
        }
        Claim::Sums { .. } => {
            "`...` takes the axes that are not named, and they are summed over".to_owned()
        }
        Claim::Splits { operand, was: Together::Summed, .. } => format!(
            "if they are two axes, two names; that of {} is then summed over by itself, not with the other",
            called(*operand)
        ),
        Claim::Splits { operand, was: Together::Kept, .. } => format!(
            "if they are two axes, two names; that of {} is then summed over, and the result has the other",
            called(*operand)
        ),
        Claim::Equates { operand, with, .. } => {
            format!("`{with}`, which has that size, where {} has it", called(*operand))
        }
        Claim::SplitsIndex { .. } => "if they are two indices, two names".to_owned(),
        Claim::SplitsRow { operand, .. } => format!(
            "if they are two rows, a name of its own; that of {} is then summed over by itself",
            called(*operand)
        ),
        Claim::SplitsPart { operand, .. } => format!(
            "another name for what is left of the axis of {}, which is then summed over by itself",
            called(*operand)
        ),
        Claim::Pads { .. } => "padded, where any window fits".to_owned(),
        Claim::Leaves { .. } => {
            "as many whole windows as fit; what is left over is not read".to_owned()
        }
        Claim::Begins { .. } => "a place also for the last step, which is only begun".to_owned(),
        Claim::Steps { by, .. } => format!("a stride of {by} fits"),
        Claim::Places { at, .. } => format!("position {at}, its last"),
    }
}
