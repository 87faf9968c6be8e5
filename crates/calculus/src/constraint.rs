//! Constraints between dimensions, rows and sizes, each with its origin.

mod border;
mod discardable;
mod relation;
mod sizes;
mod vars;

pub use border::{Border, Fill};
pub use discardable::discardable;
pub use relation::{Constraint, ConstraintRef, OriginId, Relation, RelationRef};
pub use sizes::{Count, Equation, Part, SizeRelation, Term};
pub use sizes::{bases_agree, count};
pub use vars::Vars;
