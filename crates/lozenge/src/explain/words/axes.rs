//! How axes are counted and called.

use crate::{
    Kind,
    session::{program::Program, step::StepId},
};

/// `1 axis`, `2 axes`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, noun) => match noun.strip_suffix("is") {
            Some(stem) => format!("{count} {stem}es"),
            None => format!("{count} {noun}s"),
        },
    }
}

/// An axis in words: output axis 0 of a tensor.
pub(crate) fn axis_of(program: &Program, tensor: StepId, kind: Kind, axis: usize) -> String {
    format!("{kind} axis {axis} of `{}`", program.display_name(tensor))
}
