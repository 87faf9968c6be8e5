//! Dimensions one by one: unified, and inferred through operations on shapes that are lists of
//! them.
//!
//! A [`DimContext`] owns a [`Session`](crate::Session) and is a thin layer over it. Everything that
//! is asked becomes a step of that session, and what is answered is read from it:
//!
//! | here | in the session |
//! |---|---|
//! | [`Dim::Literal`] | a number |
//! | [`Dim::Var`] | a size of which nothing is known yet |
//! | [`Dim::Named`] | a name, with its range |
//! | [`Dim::Dynamic`] | `*`, a new one each time |
//! | [`Dim::Broadcast`] | `?`, a new one each time |
//! | `unify_shapes` | two tensors of the same shape |
//! | `infer_matmul_shape`, `infer_reduction_shape`, `infer_transpose_shape` | a specification |
//! | `infer_broadcast_shape` | a pointwise operation with NumPy's broadcasting |
//! | `verify_reshape` | a reshape |
//!
//! So a dimension is resolved before it is compared, both arguments are treated alike, and a
//! refusal has the codes and the words that sessions have.
//!
//! ```
//! use lozenge::dims::{Dim, DimContext, TensorShape};
//!
//! let mut context = DimContext::new();
//! let inner = Dim::from(context.var("inner"));
//! let left = TensorShape::from([Dim::from(4), inner.clone()]);
//! let right = TensorShape::from([8, 16].map(Dim::from));
//! let product = context.infer_matmul_shape(&left, &right)?;
//! assert_eq!(product.to_string(), "[4, 16]");
//! assert_eq!(context.resolve(&inner), Dim::Literal(8));
//! # Ok::<(), lozenge::Report>(())
//! ```

mod at;
mod context;
mod dim;
mod infer;
mod spec;

pub use at::DimAt;
pub use context::DimContext;
pub use dim::{Dim, DimRange, DimVar, TensorShape};
pub use spec::DimSpec;
