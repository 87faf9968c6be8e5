//! How a model is looked at: numbers for names, and what is taken for unknown.

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
    /// Elements of initializers and constants that are taken for unknown, by the tensor's name and the element.
    pub open: Vec<(String, usize)>,
}
