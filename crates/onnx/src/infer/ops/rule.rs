//! The rule of an operator, and a family of them.

use super::super::{call::Call, require::Stop};

/// The rule of an operator.
pub(crate) type Rule = fn(&mut Call<'_, '_>) -> Result<(), Stop>;

/// The operators of a family, with their rules. Those of other domains than ONNX's own are written
/// `domain::Name`.
pub(crate) type Family = &'static [(&'static str, Rule)];
