//! Answers about an inferred model, as values: each file is a question. Nothing here prints, reads
//! or writes.
//!
//! | file | answers |
//! |---|---|
//! | `name`, `line` | what nodes, values and places are called; a node as one line of text with spans |
//! | `probe`, `chain` | which sizes force a size, in one node and back to the inputs |
//! | `report` | diagnostics with their sources and nodes |
//! | `check`, `mend` | what does not fit, what to change, and what stops inference |
//! | `declared` | where the file says other shapes than inference |
//! | `shapes` | the table of all values, and the annotations for writing back |
//! | `values`, `requires` | for which values of a name something holds; conditions on the inputs |
//! | `why` | why a size is what it is |
//! | `pins` | which numbers of the file fix an axis |
//! | `audit` | the axes that broadcasting stretches |
//! | `bound`, `loops`, `cost` | the sizes of a specification's axes; a node as an einsum; parameters, memory and work |
//! | `groups` | the graph, collapsed by name prefix |
//! | `diff` | what changed between two models |

mod audit;
mod bound;
mod chain;
mod check;
mod cost;
mod declared;
mod diff;
mod groups;
mod line;
mod loops;
mod mend;
mod name;
mod pins;
mod probe;
mod report;
mod requires;
mod shapes;
mod values;
mod why;

pub use audit::{Stretch, audit, audit_report};
pub use check::{Summary, Tell, check, summary};
pub use cost::{Cost, NodeCost, cost};
pub use declared::{Differing, Part, differing};
pub use diff::{Change, diff};
pub use groups::{Group, Grouped, groups};
pub use loops::{Does, Einsum, einsum};
pub use name::{find_axis, node_called, tensor_called, tensor_plain};
pub use pins::{Pin, Pins, PinsError, pins};
pub use report::{Finding, ModelReport};
pub use requires::{Condition, Need, assumptions, conditions, requires_report};
pub use shapes::{Row, SizeTexts, annotations, rows, size_texts};
pub use values::Values;
pub use why::{Step, Why, why};
