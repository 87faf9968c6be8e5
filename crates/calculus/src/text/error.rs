//! Why a text is not in the text form, and where.

use core::{fmt, ops::Range};

use crate::size::SizeError;

/// Why a text is not in the text form, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The kind of mistake.
    pub kind: TextErrorKind,
    /// The bytes of the text that it is about.
    pub span: Range<usize>,
}

/// A kind of mistake in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TextErrorKind {
    /// Something else should stand here.
    Expected(Expected),
    /// A number that is not a size.
    Size(SizeError),
    /// An index that does not fit 32 bits.
    IndexTooLarge,
    /// `5_`: only the claim-free unit `1_` has an underscore and no basis.
    BareUnderscore,
    /// A dimension on one side and a row on the other.
    MixedSorts,
    /// Rows are equated with `≈`.
    RowsNeedFlatEq,
    /// Dimensions are equated with `=`.
    DimsNeedEq,
    /// A quote is not closed.
    UnclosedQuote,
    /// A backslash before a character that needs no escaping.
    UnknownEscape,
    /// A name of no characters.
    EmptyName,
    /// All indices of a sort are taken.
    TooManyNames,
    /// A stride, a dilation or a coefficient of 0, or one that is too large.
    Factor,
    /// A variable where a ground dimension or row should stand.
    NotGround,
}

/// The piece of the text form that should stand at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Expected {
    /// A dimension.
    Dim,
    /// A marker.
    Marker,
    /// A flank.
    Flank,
    /// A name or an index.
    NameOrIndex,
    /// An index.
    Index,
    /// A number.
    Number,
    /// `,` or `]`.
    CommaOrBracket,
    /// `,` or `|`.
    CommaOrBar,
    /// `⟩`.
    Angle,
    /// One of the relation signs.
    Sign,
    /// The end of the text.
    End,
    /// The end of the constraint.
    EndOfConstraint,
    /// `=` or `≈`, after rows between bars.
    EqOrFlatEq,
}

impl TextError {
    /// The line and the column, both from 1, at which the error is in `text`.
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        let before = text.get(..self.span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            TextErrorKind::Expected(what) => write!(f, "expected {what}"),
            TextErrorKind::Size(error) => error.fmt(f),
            TextErrorKind::IndexTooLarge => write!(f, "an index is at most {}", u32::MAX),
            TextErrorKind::BareUnderscore => {
                f.write_str("a basis should follow `_`; only the claim-free unit is written `1_`")
            }
            TextErrorKind::MixedSorts => {
                f.write_str("a dimension stands on one side and a row on the other")
            }
            TextErrorKind::RowsNeedFlatEq => f.write_str("rows are equated with `≈` (or `~`)"),
            TextErrorKind::DimsNeedEq => f.write_str("dimensions are equated with `=`"),
            TextErrorKind::UnclosedQuote => f.write_str("the quote is not closed"),
            TextErrorKind::UnknownEscape => {
                f.write_str("an escape is one of `\\\"`, `\\\\`, `\\n`")
            }
            TextErrorKind::EmptyName => f.write_str("a name has at least one character"),
            TextErrorKind::TooManyNames => f.write_str("all indices of this sort are taken"),
            TextErrorKind::Factor => {
                write!(f, "a stride, dilation or divisor is a number from 1 to {}", u32::MAX)
            }
            TextErrorKind::NotGround => f.write_str("a variable stands where none may"),
        }?;
        write!(f, ", at byte {}", self.span.start)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expected::Dim => "a dimension (`3`, `3_rgb`, `1_`, `batch` or `?a`)",
            Expected::Marker => "a marker (`◊`, `<>` or a row variable `<r>`)",
            Expected::Flank => "a flank in brackets",
            Expected::NameOrIndex => "a name or an index",
            Expected::Index => "an index",
            Expected::Number => "a number",
            Expected::CommaOrBracket => "`,` or `]`",
            Expected::CommaOrBar => "`,` or `|`",
            Expected::Angle => "the closing angle bracket of the row variable",
            Expected::Sign => "`=`, `≈` (or `~`), `⊑` (or `<=`) or `≥` (or `>=`)",
            Expected::End => "the end of the text",
            Expected::EqOrFlatEq => "`=` or, for exact axes, `≈` (or `~`)",
            Expected::EndOfConstraint => "the end of the line or `;`",
        })
    }
}

impl core::error::Error for TextError {}
