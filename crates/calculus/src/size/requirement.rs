//! What an equation between sizes can say: a decision, and a requirement where it depends on names.

use super::polynomial::{Indeterminate, Polynomial};

/// The decision of an equation between sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The equation holds whatever the names are.
    Always,
    /// The equation holds for no values of the ranges.
    Never,
    /// The equation holds if and only if this name is this number.
    Is(Indeterminate, u64),
    /// The equation holds if and only if this requirement does.
    Requires(Requirement),
    /// The equation relates names that are different sizes, and does not hold for all of them.
    Several,
}

/// A requirement: a condition on sizes that has to hold when a program runs.
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
