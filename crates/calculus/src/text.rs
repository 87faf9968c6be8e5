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
//! The lines of `sizes` are a stride, with `~` where the last step may only be begun, or a window:
//! one that fills its axis (`<`), as many whole ones as fit (`~`), one more that is begun (`>`),
//! each perhaps with margins, or padded (`=`); a concatenation, with `!` after a part that may be
//! left out; a merged axis; a number of elements; exact axes; at least n; rows that are stretched
//! to one, as NumPy broadcasts.
//!
//! `?a` is a dimension variable and `⟨r⟩` a row variable; a bare name is a size that stays
//! symbolic. A basis follows an underscore, so a size whose name has one is quoted:
//! `"seq_len"_rgb`. (The notation of shapes, which is another language, has a colon there.) `@7` is
//! the origin, left out when it is 0. Numbers in place of names are indices, for what nobody named;
//! after an apostrophe they count what a solver minted. What the printer writes is easy to read;
//! what is easy to type parses as well: `<r>`, `<>` or `◇` for `◊`, `<=` for `⊑` and `⊑ᴺ`, `~` for
//! `≈`, and a `.` or `·` between flank and marker. Blanks may stand between any two of these, and
//! `//` begins a comment.
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

mod error;
mod names;
mod parse;
mod print;
mod sizes;

pub use error::{Expected, TextError, TextErrorKind};
pub use names::Names;
pub use parse::Parse;
pub use print::{Print, Shown};
