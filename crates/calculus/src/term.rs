//! Variables, terms and substitutions.
//!
//! A row term has at most one row variable, and it stands at the marker. So a row term is two
//! flanks of dimension terms and, at the marker, either nothing more (the row is *closed*) or a row
//! variable (it is *open*).

mod grounding;
mod substitution;
mod terms;
mod variables;

pub use grounding::Grounding;
pub use substitution::{Occurs, Substitution, Variable};
pub use terms::{DimTerm, RowTerm};
pub use variables::{DimVar, RowVar};
