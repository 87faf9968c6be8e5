//! How a model is looked at: numbers for names, and what is taken for unknown.

use std::{fmt, sync::Arc};

use super::custom::CustomRules;
use crate::tensor::Tensor;

/// Reads the elements of a tensor that are in another file; `None` where they cannot be read.
pub type ReadElements<'o> = dyn Fn(&Tensor<'_>) -> Option<Vec<i64>> + 'o;

/// How a model is looked at.
#[derive(Clone, Default)]
pub struct Options<'o> {
    /// Numbers for names of the inputs' sizes.
    pub set: Vec<(String, i64)>,
    /// Axes of inputs whose numbers are forgotten: the input and the axis. They get names.
    pub free: Vec<(String, usize)>,
    /// Reads elements that are in other files, by the tensor.
    pub external: Option<&'o ReadElements<'o>>,
    /// Elements of initializers and constants that nodes take for others.
    pub edits: Vec<Edited>,
    /// Rules for operators outside of ONNX, or in place of those of this crate.
    pub rules: Arc<CustomRules>,
}

/// An element of an initializer or constant that is taken for another where nodes read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The first outputs of the nodes.
    pub readers: Vec<String>,
    /// The tensor's name.
    pub tensor: String,
    /// Which element.
    pub element: usize,
    /// What is put there.
    pub edit: Edit,
    /// The name of the size that is meant.
    pub size: String,
}

/// What to put in the place of a number that fixes an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// -1 in the shape that a reshape reads: whatever fits.
    Rest,
    /// As `Size`; or 0, where the axis stays in its place, in the shape that a reshape reads.
    Keep,
    /// A multiple of the size of the axis, computed by the graph.
    Size(i64),
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edit::Rest => f.write_str("-1, whatever fits"),
            Edit::Keep => f.write_str(
                "0 where the axis stays in its place, else the axis' size by `Shape` and `Gather`",
            ),
            Edit::Size(1) => f.write_str("the axis' size, by `Shape` and `Gather`"),
            Edit::Size(times) => write!(f, "{times} times the axis' size, by `Shape` and `Gather`"),
        }
    }
}
