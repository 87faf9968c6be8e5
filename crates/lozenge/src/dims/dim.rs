//! A dimension, and shapes that are lists of them.

use std::{
    fmt::{self, Display, Formatter},
    sync::Arc,
};

use crate::{Computed, SizeVar};

/// The size of one axis, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dim {
    /// A number.
    Literal(u64),
    /// A size that is to be inferred.
    Var(DimVar),
    /// A size by a name, which is equal to itself and to the number that it has to be, if there is
    /// one.
    Named {
        /// The name.
        name: Arc<str>,
        /// Its values, where somebody said.
        range: Option<DimRange>,
    },
    /// A size that is known when the program runs, another one wherever this stands. What it is
    /// forced to equal is required then.
    Dynamic,
    /// One element that stretches, or what it meets.
    Broadcast,
    /// A size that is computed from names, as a reshape gives it to a variable: `2*batch`.
    Computed(Computed),
}

/// A size that is to be inferred, of the context that made it and of its clones made since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimVar {
    size: SizeVar,
    name: Option<Arc<str>>,
}

/// The values of a named size: both ends are among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DimRange {
    /// The least.
    pub min: u64,
    /// The largest; `None` where there is none.
    pub max: Option<u64>,
}

impl DimRange {
    /// The values from a least one to a largest one, both included; to all others where there is no
    /// largest.
    pub fn new(min: u64, max: Option<u64>) -> DimRange {
        DimRange { min, max }
    }
}

/// The dimensions of a tensor, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TensorShape {
    dims: Vec<Dim>,
}

impl Dim {
    /// A named size without a range.
    pub fn named(name: impl Into<Arc<str>>) -> Dim {
        Dim::Named { name: name.into(), range: None }
    }

    /// A size by a name that has these values, both ends included.
    pub fn ranged(name: impl Into<Arc<str>>, min: u64, max: u64) -> Dim {
        Dim::Named { name: name.into(), range: Some(DimRange { min, max: Some(max) }) }
    }

    /// The variable that it is, if it is one.
    pub fn as_var(&self) -> Option<&DimVar> {
        match self {
            Dim::Var(var) => Some(var),
            Dim::Literal(_)
            | Dim::Named { .. }
            | Dim::Dynamic
            | Dim::Broadcast
            | Dim::Computed(_) => None,
        }
    }
}

impl DimVar {
    pub(super) fn new(size: SizeVar, name: Option<&str>) -> DimVar {
        DimVar { size, name: name.map(Into::into) }
    }

    /// The size of the context's session that it is: [`Closed::size`](crate::Closed::size) and
    /// [`Closed::axis`](crate::Closed::axis) know it.
    pub fn size(&self) -> SizeVar {
        self.size
    }

    /// What it is called in messages, where it has a name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl TensorShape {
    /// The shape of these dimensions.
    pub fn new(dims: impl Into<Vec<Dim>>) -> TensorShape {
        TensorShape { dims: dims.into() }
    }

    /// The dimensions, in order.
    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }

    /// How many axes it has.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }
}

impl From<u64> for Dim {
    fn from(size: u64) -> Dim {
        Dim::Literal(size)
    }
}

impl From<DimVar> for Dim {
    fn from(var: DimVar) -> Dim {
        Dim::Var(var)
    }
}

impl<const N: usize> From<[Dim; N]> for TensorShape {
    fn from(dims: [Dim; N]) -> TensorShape {
        TensorShape::new(dims)
    }
}

impl FromIterator<Dim> for TensorShape {
    fn from_iter<I: IntoIterator<Item = Dim>>(dims: I) -> TensorShape {
        TensorShape { dims: dims.into_iter().collect() }
    }
}

/// As it is written in a shape: `64`, `batch: 1..64`, `*`, `?`; a variable by its name or `_`.
impl Display for Dim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Literal(size) => size.fmt(f),
            Dim::Var(var) => f.write_str(var.name().unwrap_or("_")),
            Dim::Named { name, range: None } => f.write_str(name),
            Dim::Named { name, range: Some(range) } => write!(f, "{name}: {range}"),
            Dim::Dynamic => f.write_str("*"),
            Dim::Broadcast => f.write_str("?"),
            Dim::Computed(computed) => f.write_str(computed.text()),
        }
    }
}

impl Display for DimRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}..", self.min)?;
        self.max.map_or(Ok(()), |max| max.fmt(f))
    }
}

impl Display for TensorShape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (place, dim) in self.dims.iter().enumerate() {
            if place > 0 {
                f.write_str(", ")?;
            }
            dim.fmt(f)?;
        }
        f.write_str("]")
    }
}
