//! What an equation between sizes can say: a decision, and a requirement where it depends on names.

use super::polynomial::{Indeterminate, Polynomial};

/// What an equation says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// It holds whatever the names are.
    Always,
    /// It holds for no values of the ranges.
    Never,
    /// It holds if and only if this name is this number.
    Is(Indeterminate, u64),
    /// It holds if and only if this does.
    Requires(Requirement),
    /// It relates names that are different sizes, and does not hold for all of them.
    Several,
}

/// Something that has to hold of sizes when a program runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Requirement {
    /// The number divides the size.
    Divides(u64, Polynomial),
    /// The size is at least the number.
    AtLeast(Polynomial, i128),
    /// The size is 0.
    Zero(Polynomial),
    /// The second size divides the first.
    Exact(Polynomial, Polynomial),
}

impl Requirement {
    /// The forms that it is about.
    pub fn forms(&self) -> impl Iterator<Item = &Polynomial> {
        let (first, second) = match self {
            Requirement::Divides(_, of) | Requirement::AtLeast(of, _) | Requirement::Zero(of) => {
                (of, None)
            }
            Requirement::Exact(of, by) => (of, Some(by)),
        };
        core::iter::once(first).chain(second)
    }
}
