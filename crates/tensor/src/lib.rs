//! Arithmetic on tensors whose weights nobody sized, its gradients, and programs of assignments.
//!
//! Should you use this crate? To write models and training steps in Rust without writing their
//! sizes: yes. It runs nothing fast by itself: a [`Program`] is a list of assignments over loops,
//! meant for an engine, and none comes with it yet; [`Machine`] runs it point by point, for tests.
//!
//! ```
//! use lozenge_tensor::{Graph, Machine, read};
//!
//! let graph = Graph::new();
//! let (x, labels) = (graph.data("x", "8|->3"), graph.data("labels", "8|->2"));
//! let (w, b) = (graph.parameter("w"), graph.parameter("b")); // nobody says what shapes they have
//! let error = (w.compose(x) + b).tanh() - labels;
//! let loss = (error * error).sum().named("loss");
//!
//! let rate = graph.literal(0.1);
//! for (parameter, slope) in [w, b].into_iter().zip(graph.gradients(loss, [w, b])) {
//!     graph.update(parameter).subtract(read(rate) * slope);
//! }
//!
//! let checked = graph.check()?;
//! assert_eq!(checked.shape(w)?.to_string(), "3->2");
//! let program = checked.program(&[loss])?;
//! assert!(program.to_string().contains("w =- 0.1 * w.grad"));
//!
//! let mut machine = Machine::new(&program)?;
//! machine.set("x", &[0.5; 24])?;
//! machine.set("labels", &[1.0; 16])?;
//! machine.run(&[])?;
//! assert_eq!(machine.elements("loss")?, [16.0]);
//! machine.run(&[])?;
//! assert!(machine.elements("loss")?[0] < 16.0); // it has learned something
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | you want | look at |
//! |---|---|
//! | expressions, literals, reductions | [`Graph`], [`Tensor`] |
//! | element types | [`ElementType`], [`Tensor::to`] |
//! | all mistakes at once | [`Graph::check`] |
//! | gradients, also of gradients | [`Graph::gradients`] |
//! | statements: updates, initial values | [`Graph::update`], [`Graph::inline`], [`read`] |
//! | the gradient of one assignment, as assignments | [`gradient_statements`] |
//! | operations with gradients of your own | [`Definition`] |
//! | a program as a value: to run, print, lower | [`Checked::program`], [`Program`] |
//!
//! | file | holds |
//! |---|---|
//! | `graph`, `state` | the handles, and what they are handles of |
//! | `build`, `operators`, `literal` | what a graph is built with |
//! | `element_type`, `typing` | element types, and how they are found |
//! | `node` | how a tensor is made: a sum of statements, each a view of an operation's loops |
//! | `derivative`, `arriving`, `gradient` | of scalar parts; of one assignment; of tensors |
//! | `statement`, `definition`, `define` | the two regimes of assignments: asking for shapes, and over loops that are there |
//! | `check`; `making`, `initial`; `program`, `print`, `run` | what a graph becomes, and how |
//! | `words` | what is said |
//!
//! **Invariants.** There is no global state: a graph owns its tensors, and refuses those of
//! another. Building never fails and never panics.
//! Nothing is computed but by assignments.

mod arriving;
mod build;
mod check;
mod define;
mod definition;
mod derivative;
mod element_type;
mod gradient;
mod graph;
mod initial;
mod like;
mod literal;
mod making;
mod node;
mod operators;
mod print;
mod program;
mod region;
mod run;
mod state;
mod statement;
mod typing;
mod words;

pub use arriving::{GradientStatement, Part, gradient_statements};
pub use build::Operand;
pub use check::Checked;
pub use definition::{Definition, SlotStatement, SlotValue, slot};
pub use derivative::NoDerivative;
pub use element_type::ElementType;
pub use graph::{Graph, Tensor};
pub use literal::{Literal, LiteralParts};
pub use lozenge::{Accumulation, Binary, Expression, Report, Ternary, Unary};
pub use node::Given;
pub use program::{Carried, Form, Holds, Program, Step, Supplied, Variable, VariableId};
pub use region::Region;
pub use run::{Machine, RunError};
pub use statement::{Assign, Value, read};

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
