//! One text form for dimensions, rows, terms and constraints: the vocabulary of every test, trace
//! and literate case.
//!
//! ```text
//! store      = [ constraint ] { ( ";" | newline ) [ constraint ] }
//! constraint = ( dim "=" dim | row "≈" row | dim "⊑" dim | row "⊑" row | sizes ) [ "@" int ]
//! sizes      = dim "=" int "*" dim [ "~" ] | dim "=" [ int "*" ] dim border "+" [ int "*" ] dim
//!            | dim "=" "^" "[" [ dim [ "!" ] { "," dim [ "!" ] } ] "]" | dim "=" "*" flank
//!            | rows { "*" dim } "=" int [ "*" dim [ "/" int ] ] | rows "≈" flank | dim "≥" int
//!            | row "⊑ᴺ" rows
//! border     = ( "<" | "~" | ">" ) [ "[" margin "," margin "]" ] | "=" [ "~" ]
//! margin     = [ "-" ] int
//! rows       = "|" [ row { "," row } ] "|"
//! row        = [ flank ] marker [ flank ]
//! flank      = "[" [ dim { "," dim } ] "]"
//! marker     = "◊" | "⟨" var "⟩"
//! dim        = "?" var | "1_" | size [ "_" basis ]
//! var        = name | int | "'" int
//! size       = int | word | "#" int
//! basis      = name | "?" int
//! name       = letter { letter | digit | "_" } | quoted
//! word       = letter { letter | digit } | quoted
//! quoted     = '"' any text, with \" \\ \n '"'
//! ```
//!
//! The lines of `sizes` are a stride, with `~` where the last step may only be begun, or a window: one that fills its
//! axis (`<`), as many whole ones as fit (`~`), one more that is begun (`>`), each perhaps with margins, or padded (`=`); a
//! concatenation, with `!` after a part that may be left out; a merged axis; a number of elements; exact axes; at least n;
//! rows that are stretched to one, as NumPy broadcasts.
//!
//! `?a` is a dimension variable and `⟨r⟩` a row variable; a bare name is a size that stays symbolic. A
//! basis follows an underscore, so a size whose name has one is quoted: `"seq_len"_rgb`. (The notation of
//! shapes, which is another language, has a colon there.)
//! `@7` is the origin, left out when it is 0. Numbers in place of names are indices, for what
//! nobody named; after an apostrophe they count what a solver minted. What the printer writes is
//! easy to read; what is easy to type parses as well: `<r>`, `<>` or `◇` for `◊`, `<=` for `⊑` and `⊑ᴺ`, `~`
//! for `≈`, and a `.` or `·` between flank and marker. Blanks may stand between any two of these,
//! and `//` begins a comment.
//!
//! Names are kept in a [`Names`] table, a value. Parsing what was printed with the same table gives
//! back the same thing.
//!
//! ```
//! use lozenge_calculus::{constraint::Constraint, text::Names};
//! let mut names = Names::new();
//! let constraint: Constraint = names.parse("[3].<r>.[?a] <= <>[batch, 3_rgb, 1_]")?;
//! assert_eq!(names.show(&constraint).to_string(), "[3]⟨r⟩[?a] ⊑ ◊[batch,3_rgb,1_]");
//! # Ok::<(), lozenge_calculus::text::TextError>(())
//! ```

mod names;
mod parse;
mod print;
mod sizes;

pub use names::Names;
pub use parse::{Expected, TextError, TextErrorKind};
pub use print::Shown;

use crate::{
    constraint::{Constraint, Relation},
    dim::Dim,
    row::Row,
    term::{DimTerm, Grounding, RowTerm, Substitution},
};

/// What has a text form that can be printed.
pub trait Print {
    /// Writes it, with the names that `names` knows.
    ///
    /// # Errors
    /// Those of the formatter.
    fn print(&self, names: &Names, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result;
}

/// What has a text form that can be parsed.
pub trait Parse: Sized {
    /// Reads one from the parser's position.
    ///
    /// # Errors
    /// When the text there is not one.
    fn parse(parser: &mut parse::Parser<'_>) -> Result<Self, TextError>;
}

impl Names {
    /// What prints `item` with these names.
    pub fn show<'a, T: Print>(&'a self, item: &'a T) -> Shown<'a, T> {
        Shown { item, names: self }
    }

    /// The item that `text` says, learning the names it does not know. A failed parse may leave
    /// names behind; they stand for nothing.
    ///
    /// # Errors
    /// When the text is not exactly one item.
    pub fn parse<T: Parse>(&mut self, text: &str) -> Result<T, TextError> {
        parse::Parser::new(text, self).whole()
    }

    /// The constraints that `text` says, one a line or separated by `;`.
    ///
    /// # Errors
    /// When one of them is not a constraint.
    pub fn parse_store(&mut self, text: &str) -> Result<alloc::vec::Vec<Constraint>, TextError> {
        parse::Parser::new(text, self).store()
    }
}

/// Without a table of names, everything goes by its index.
macro_rules! display_anonymously {
    ($($ty:ty),*) => {$(
        impl core::fmt::Display for $ty {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.print(&Names::new(), f)
            }
        }
    )*};
}
display_anonymously!(Dim, Row, DimTerm, RowTerm, Relation, Constraint, Substitution, Grounding);
