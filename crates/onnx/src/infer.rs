//! The shapes of a model's values, what it needs of its inputs, and why.
//!
//! Inference goes through the graph once, node by node: from the sizes of the inputs, which are
//! numbers or names, each operator's rule computes the sizes of its outputs and, of small tensors
//! of integers, their elements. What has to hold so that a node can run is a [`Requirement`] of the
//! model; what holds for no sizes at all is a [`Conflict`]. Where requirements make a name another
//! size, the graph is gone through once more with it.
//!
//! ```
//! use lozenge_onnx::{Model, infer::{Options, infer}};
//!
//! // A graph with a node, y = Relu(x), whose input has the shape batch × 3.
//! let file = b"\x08\x0a\x3a\x31\
//!     \x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu\
//!     \x5a\x19\x0a\x01x\x12\x14\x0a\x12\x08\x01\x12\x0e\x0a\x07\x12\x05batch\x0a\x03\x08\x83\x00\
//!     \x62\x03\x0a\x01y\
//!     \x12\x01g";
//! let model = Model::read(file)?;
//! let inferred = infer(&model, &Options::default());
//! let y = inferred.find("y").unwrap();
//! let sizes = inferred.tensor(y).known.shape.as_ref().unwrap();
//! assert_eq!(sizes.iter().map(|size| inferred.nums().text(*size)).collect::<Vec<_>>(), ["batch", "3"]);
//! # Ok::<(), lozenge_onnx::ReadError>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `num` | numbers: known ones, and forms over names |
//! | `known`, `value` | what is known of a tensor, and of its elements |
//! | `require` | requirements, conflicts, and why a rule stops |
//! | `call` | a node as the rule of its operator sees it |
//! | `template`, `apply` | operators as specifications, and these read forward |
//! | `ops` | the rules, a file a family |
//! | `custom` | rules of the user's, from a text in Lozenge's notation |
//! | `declared` | what the file says of inputs and constants |
//! | `order`, `run`, `control` | the order of nodes; the walk through a graph; branches, loops and functions |
//! | `options` | how a model is looked at |
//! | `passes` | the walk again, with names that were found to be other sizes |
//! | `inferred`, `id` | what was found out: graphs, nodes and values, each with its number |
//! | `text` | how sizes, shapes and specifications are written |
//! | [`answer`] | answers to questions about what was inferred |

pub mod answer;
mod apply;
mod call;
mod constant;
mod control;
mod custom;
mod declared;
mod id;
mod inferred;
mod known;
mod num;
mod ops;
mod options;
mod order;
mod passes;
mod require;
mod run;
mod template;
mod text;
mod value;

pub use custom::CustomRules;
pub use id::{GraphId, NodeId, TensorId};
pub use inferred::{GraphRecord, Inferred, NodeRecord, Source, Taken, TensorRecord};
pub use known::{Container, Known, Sizes};
pub use num::{FormId, Name, NameId, Num, Nums, Origin, TooLarge, Truth};
pub use ops::{Operator, operators};
pub use options::{Edit, Edited, Options, ReadElements};
pub use passes::infer;
pub use require::{Conflict, Place, Relation, Requirement, Stop};
pub use template::{Fit, Label, Template, Term, Window, Word};
pub use text::{counted, known_text, listed, plain, shape_text, sympy};
pub use value::{Elem, MOST_ELEMENTS, Value};
