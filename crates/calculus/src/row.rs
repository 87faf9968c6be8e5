//! Rows: the axes of one kind of a tensor, with the place where broadcasting inserts more.
//!
//! A row `l·◊·r` has a leading flank `l`, a trailing flank `r` and between them the marker. Used as
//! an operand it is *expanded*: claim-free units fill the marker up to the rank of the result.
//!
//! Three relations between rows, none of which is `==` (which is identity, marker included):
//!
//! | name | here | partial order? | what it is for |
//! |---|---|---|---|
//! | row order ⊑ | [`Row::refines`] | yes | what may be concluded for every later use |
//! | one-shot order ⊑¹ | [`Row::refines_once`] | no: neither transitive nor antisymmetric | the truth of one operation |
//! | flat equivalence ≈ | [`Row::flat_eq`] | an equivalence, no congruence of ⊑ | the truth of a row equality |
//!
//! The [rigid rows](Rigid) have no marker at all; through them ⊑¹ is an instance of an order.

mod flanks;
mod ground;
mod order;
mod rigid;

pub use flanks::{Flank, Flanks};
pub use ground::Row;
pub use rigid::{Rigid, TwoSorted};
