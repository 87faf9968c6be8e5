//! The projection language: identifiers, atoms, equations, and axes that are computed from others.

use alloc::vec::Vec;

use lozenge_calculus::size::Size;

/// A projection identifier: one axis of one occurrence, or one variable of the operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AxisId(pub u32);

/// An index that is supplied when the program runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub u32);

/// An index that comes from outside: the operation neither infers it nor ranges over it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Supplied {
    /// A position.
    Fix(u64),
    /// A position that is known when the program runs.
    Symbol(SymbolId),
}

/// The document's `q`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexTerm {
    /// An axis whose index this operation determines.
    Proj(AxisId),
    /// An index that is supplied.
    Sol(Supplied),
}

/// The document's `e`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equation {
    /// Two axes have the same index.
    Eq(IndexTerm, IndexTerm),
    /// The axis is visited.
    Iter(IndexTerm),
}

/// The equations of an operation between its axes, and how its derived axes are computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equations {
    /// The sizes of the identifiers: those of the operation's variables, then those of factors
    /// without a name.
    pub sizes: Vec<Size>,
    /// The first stratum: what is asserted of axes.
    pub asserted: Vec<Equation>,
    /// The second: axes that are computed.
    pub derivations: Vec<Derivation>,
    /// The positions at which computed axes begin.
    pub starts: Vec<(AxisId, u64)>,
}

/// An axis that is computed from others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Derivation {
    /// The axis.
    pub whole: AxisId,
    /// How.
    pub derived: Derived,
}

/// How an axis is computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Derived {
    /// `Σ coefficient·axis + offset`: strided axes, windows and merged axes.
    Affine {
        /// The coefficients, each at least 1, and what they multiply.
        terms: Vec<(u64, AxisId)>,
        /// What is added; negative where a window reaches into the padding.
        offset: i64,
        /// Whether an index may be outside of the axis, which means that the point is skipped.
        outside: Outside,
        /// Whether it may begin later than at the first position.
        start: Start,
    },
    /// Axes one inside the other, the slowest first, where the size of an inner one is open.
    Merged(Vec<AxisId>),
    /// Its parts one after another.
    Concat(Vec<Part>),
}

/// Whether an index may be outside of its axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outside {
    /// The index may not be outside of its axis.
    Never,
    /// The index may be outside, as far as sizes say; where they are open, it is at most this far
    /// past the end of the axis, if that is known.
    Perhaps(Option<i64>),
}

impl Outside {
    /// What both say of one index; `None` where one says that it is inside and the other that it
    /// need not be.
    pub(super) fn meet(self, other: Outside) -> Option<Outside> {
        match (self, other) {
            (Outside::Never, Outside::Never) => Some(Outside::Never),
            (Outside::Perhaps(one), Outside::Perhaps(other)) => {
                Some(Outside::Perhaps(one.into_iter().chain(other).min()))
            }
            (Outside::Never, Outside::Perhaps(_)) | (Outside::Perhaps(_), Outside::Never) => None,
        }
    }
}

/// The start of a computed axis, where it may begin late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// At the first position: a merged axis has them all.
    First,
    /// Below its stride.
    Below(u64),
    /// Anywhere. The size of a valid window does not count where it begins, so one that begins
    /// later reaches so far beyond the axis, and what it would read there is skipped.
    Anywhere,
}

/// A part of a concatenation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// An axis.
    Axis(AxisId),
    /// Positions that nothing reads or writes, by their number.
    Gap(Size),
}
