//! ONNX model files: read without copying, and written back byte for byte.
//!
//! Use this crate to look at the graph of a model, to annotate its values with types and leave
//! every other byte as it is, to read a file of gigabytes without its weights, and to find out what
//! shapes its values have, what it needs of its inputs and why ([`infer`]). It has no unsafe code,
//! needs no `protoc`, and opens no files: whoever uses it gives bytes, or something that reads and
//! seeks. Reading depends on nothing; inference takes its arithmetic from `lozenge-calculus`, and
//! its messages and notation from `lozenge-notation`.
//!
//! ```
//! use lozenge_onnx::{Dim, Model};
//!
//! // A graph with a node, y = Relu(x), whose input has the shape batch × 3.
//! let file = b"\x08\x0a\x3a\x31\
//!     \x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu\
//!     \x5a\x19\x0a\x01x\x12\x14\x0a\x12\x08\x01\x12\x0e\x0a\x07\x12\x05batch\x0a\x03\x08\x83\x00\
//!     \x62\x03\x0a\x01y\
//!     \x12\x01g";
//! let model = Model::read(file)?;
//! let node = &model.graph.nodes[0];
//! assert_eq!(node.op, "Relu");
//! assert_eq!(node.inputs, ["x"]);
//! let input = model.graph.inputs[0].ty.as_tensor().unwrap();
//! assert_eq!(input.shape, Some(vec![Dim::Param("batch".into()), Dim::Value(3)]));
//! # Ok::<(), lozenge_onnx::ReadError>(())
//! ```
//!
//! - [`Model::read`] reads bytes, [`skim`] a file without its large elements.
//! - [`Tensor::ints`] and [`Tensor::floats`] decode elements, [`External::read`] those in other
//!   files.
//! - [`annotate`] and [`rewrite`] write a model back with other value info.
//!
//! # What a file may be
//!
//! Anything: no bytes make it panic, hang or take memory past a multiple of the file
//! ([`MEMORY_FACTOR`]; nesting ends at [`MAX_DEPTH`]). What exporters really write is taken: names
//! that are not UTF-8 ([`Text`]), sizes of -1, formulas in place of names, graphs in several
//! pieces, lists packed or not, and attributes without a type. What is not a model is told apart by
//! how it begins, so that the pointer of a large file says so ([`Foreign`]). A mistake is a value
//! that says what was found, what was expected, and where:
//!
//! ```
//! let error = lozenge_onnx::Model::read(b"\x3a\x06\x0a\x04\x0a\x09ab").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "found 2 more bytes, expected 9: the file is cut short or damaged, at byte 6, in graph.node[0]",
//! );
//! ```
//!
//! Two things are refused that protobuf would take: groups, which it gave up before ONNX began, and
//! a tensor in two pieces of one attribute, which cannot be joined without copying it. Neither was
//! found in any file.

mod element;
mod error;
mod external;
mod graph;
pub mod infer;
mod limits;
mod list;
mod model;
mod skim;
mod source;
mod tensor;
#[doc(hidden)]
pub mod testing;
mod text;
mod types;
pub mod wire;
mod wire_type;
mod words;
mod write;

pub use element::Element;
pub use error::{
    ExternalError, Foreign, LocationMistake, Mistake, ReadError, SourceError, Step, ValuesError,
};
pub use external::{Directory, External, relative};
pub use graph::{Attribute, AttributeValue, Graph, Node};
pub use limits::{MAX_DEPTH, MEMORY_FACTOR};
pub use list::{Doubles, Floats, Ints, Strings};
pub use model::{Function, Model, Opset};
pub use skim::{LARGE, Skimmed, skim};
pub use tensor::{Data, Listed, SparseTensor, Tensor};
pub use text::Text;
pub use types::{Dim, TensorType, Type, ValueInfo};
pub use write::{Annotations, Rewritten, annotate, rewrite};

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
