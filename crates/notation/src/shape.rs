//! Shapes: `2|3->4,3_rgb`, three rows of sizes.
//!
//! A size is a number `3`, with a basis `3_rgb`; a name that stays symbolic and equals only itself,
//! `seq_len`, with a basis `c:rgb`, with a range `batch: 1..64`, or with `any batch` one that has
//! to stay free, or with `*batch` one that is known when the program runs; `*` is such a size of
//! its own. What is computed from numbers and names is `2*batch`, `(n+m)/2`; the claim-free unit is
//! `1_`, which alone stretches, and `?` is that or what it meets. What is not known is `_` for one
//! axis and `...` or `..name..` for any number of them.
//!
//! **Why a colon.** A name may have underscores, as the names of axes have: `seq_len` and `seq_max`
//! are two sizes. So the basis of a name needs a sign that no name has, and that shapes,
//! specifications and the command do not use for something else. `c:rgb` reads as it does in
//! languages with types: `c`, which counts `rgb`. Rejected: `c__rgb`, as `a__b` is a name; `c.rgb`,
//! as dots are ellipses, and `result.c` is an axis of the command; `c/rgb`, as that is a quotient;
//! `c@rgb`, as `@t` is an index of run time; `c(rgb)` and `c[rgb]`, as parentheses merge axes and
//! brackets surround shapes elsewhere; `c#rgb` and `c'rgb`, which a shell may take for its own. A
//! number keeps its underscore, `3_rgb`, which no name can begin with; that there is one spelling
//! of each is why `3:rgb` is an error, with the edit that mends it.

mod computed;
mod made;
mod read;
mod value;

pub use made::{MadeDim, MadeRow};
pub use read::{ParsedShape, parse_shape};
pub use value::{Computed, ComputedId, Dim, DimForm, Range, Shape, Size};
