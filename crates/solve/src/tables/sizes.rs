//! Relations between sizes, as the solver holds them.
//!
//! A relation watches the dimension variables in it. When one is bound, or has a new least size,
//! the relation is asked again: what it forces is bound, what it refutes fails, and what it cannot
//! decide yet is kept as it is. A relation over rows watches the first row that is not closed.
//!
//! | asked | kept as |
//! |---|---|
//! | strided, window, concatenation | a linear equation whose first part is the whole |
//! | merged | a product |
//! | number of elements | rows; once all are closed, a product |
//! | exact axes | rows, until all but one are closed |
//! | at least n | a bound of the variable; a requirement where the size is not a number |
//! | stretch | rows, until all operands are closed; then one of it for every axis of the result |
//!
//! **Agreement** (document 000, 8.4(a)): the size equation of each mode is written once, in
//! `SizeRelation::equation`; what is taken here and what the judge decides is that.

use lozenge_calculus::{constraint::Fill, dim::Basis};

use crate::tables::{
    cause::Cause,
    ids::{Id, PackedOption, PartId, RelationId, RelationRowId, WatchId, between},
    node::DimRef,
};

/// A relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SizeRel {
    pub(crate) kind: Kind,
    /// Its dimension terms.
    pub(crate) parts: Span<PartId>,
    /// Its rows.
    pub(crate) rows: Span<RelationRowId>,
    pub(crate) cause: Cause,
    pub(crate) queued: bool,
    /// Whether nothing is left to ask.
    pub(crate) done: bool,
    /// The relation with the same whole that it was subtracted from.
    pub(crate) partner: PackedOption<RelationId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `Σ coefficient·part + constant + r = 0` for some `r` of 0 to `slack`; in one that was given,
    /// the first part is the whole.
    Linear { constant: i64, slack: u32, form: Form },
    /// `left·Π parts with a positive coefficient = right·Π the others`. It was given as merged
    /// axes, and the first part is the whole; or it is what became of a number of elements.
    Product { left: u64, right: u64, of_elements: bool },
    /// A product that also has the axes of the rows: those of the last `over` rows on the right, of
    /// the others on the left.
    Total { left: u64, right: u64, over: u32 },
    /// The axes of the rows are the parts.
    Exact,
    /// The first row is the one that the others are stretched to.
    StretchedRows,
    /// The first part is the axis that the others, each at its place of a row, are stretched to.
    StretchedAxes,
}

impl Kind {
    /// Whether it is one of stretching, which says which dimensions are the same, beside sizes.
    pub(crate) fn is_stretched(self) -> bool {
        matches!(self, Kind::StretchedRows | Kind::StretchedAxes)
    }
}

/// The form in which a linear relation was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Strided,
    Window {
        left: i32,
        right: i32,
        fill: Fill,
    },
    /// The kernel is a part with the coefficient 0.
    Padded {
        dilation: u32,
    },
    Concat,
    /// None: the difference of two that were given.
    Difference,
}

/// A range of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span<I> {
    pub(crate) at: I,
    pub(crate) len: u32,
}

impl<I: Id> Span<I> {
    /// The range from one item to before another.
    pub(crate) fn between(at: I, end: I) -> Span<I> {
        Span { at, len: end.index() - at.index() }
    }

    /// No items.
    pub(crate) fn empty() -> Span<I> {
        Span { at: I::new(0), len: 0 }
    }

    /// The items.
    pub(crate) fn range(self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
        between(self.at, self.at.plus(self.len))
    }
}

/// A dimension term in a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SizePart {
    pub(crate) dim: DimRef,
    pub(crate) coefficient: i64,
    /// Whether it may have no elements.
    pub(crate) discardable: bool,
}

/// A relation in the list of a dimension variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Watch {
    pub(crate) relation: RelationId,
    pub(crate) next: PackedOption<WatchId>,
}

/// A fact of the size of an unbound dimension variable, and its cause.
///
/// A relation that finds a size says nothing of the basis, nor whether one element is the unit or
/// an atom. So the size is kept as a fact of the variable, which stays unbound until something says
/// the rest; a rule that bound it would choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Least {
    pub(crate) size: u64,
    /// Whether it has no more than that either; and the basis that closing gives it.
    pub(crate) exact: Option<Basis>,
    /// Whether nothing said which basis is likely.
    pub(crate) guessed: bool,
    pub(crate) cause: Cause,
    /// The term that stood for the variable.
    pub(crate) via: DimRef,
    /// How often it was raised.
    pub(crate) raised: u32,
}

/// How often the least size of a variable is raised by relations. Two of them can raise each other
/// for ever where there is no solution, as `α = β + 1` and `β = α + 1` do. A size that grows by a
/// quarter each time is too large to be one before that, and so fails.
pub(crate) const MOST_RAISES: u32 = 256;
