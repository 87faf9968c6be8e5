//! What somebody says of one axis of data: a name, a sample, and the least and the largest size.

use super::{Dim, DimRange};
use crate::{Report, Site, explain::words::misuse};

/// The declaration of an axis, with the size that it has in an example.
///
/// | name | min and max | the dimension |
/// |---|---|---|
/// | none | both, and equal | [`Dim::Literal`] |
/// | some | none | [`Dim::Named`] without a range |
/// | some | at least one | [`Dim::Named`] with a range |
/// | none | none | [`Dim::Dynamic`] |
///
/// ```
/// use lozenge::dims::{Dim, DimSpec};
///
/// let batch = DimSpec { name: Some("batch".into()), sample: 32, min: Some(1), max: Some(64) };
/// assert_eq!(batch.to_dim()?, Dim::ranged("batch", 1, 64));
/// assert_eq!(DimSpec::exact(784).to_dim()?, Dim::Literal(784));
/// # Ok::<(), lozenge::Report>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimSpec {
    /// What it is called, if anything.
    pub name: Option<String>,
    /// A size that it may have.
    pub sample: u64,
    /// The least size; 1 where nobody says.
    pub min: Option<u64>,
    /// The largest size.
    pub max: Option<u64>,
}

impl DimSpec {
    /// A size that is always this.
    pub fn exact(size: u64) -> DimSpec {
        DimSpec { name: None, sample: size, min: Some(size), max: Some(size) }
    }

    /// A size by a name.
    pub fn named(name: impl Into<String>, sample: u64) -> DimSpec {
        DimSpec { name: Some(name.into()), sample, min: None, max: None }
    }

    /// A size by a name that is at least and at most this.
    pub fn ranged(name: impl Into<String>, sample: u64, min: u64, max: u64) -> DimSpec {
        DimSpec { name: Some(name.into()), sample, min: Some(min), max: Some(max) }
    }

    /// A size that is known when the program runs.
    pub fn dynamic(sample: u64) -> DimSpec {
        DimSpec { name: None, sample, min: None, max: None }
    }

    /// The dimension that is meant.
    ///
    /// # Errors
    /// When the range has no value or not the sample, or a size without a name has a range of more
    /// than one value.
    #[track_caller]
    pub fn to_dim(&self) -> Result<Dim, Report> {
        let site = Site::caller();
        let is_said = self.min.is_some() || self.max.is_some();
        let range = DimRange { min: self.min.unwrap_or(1), max: self.max };
        if range.max.is_some_and(|max| max < range.min) {
            return Err(site.blame(misuse::range_without_value(&range.to_string())));
        }
        if is_said && !range.has(self.sample) {
            return Err(site.blame(misuse::sample_outside(self.sample, &range.to_string())));
        }
        match &self.name {
            Some(name) => {
                Ok(Dim::Named { name: name.as_str().into(), range: is_said.then_some(range) })
            }
            None if !is_said => Ok(Dim::Dynamic),
            None if self.min.is_some() && self.min == self.max => Ok(Dim::Literal(range.min)),
            None => Err(site.blame(misuse::range_without_name(&range.to_string()))),
        }
    }
}

impl DimRange {
    /// Whether a size is one of these.
    pub fn has(&self, size: u64) -> bool {
        self.min <= size && self.max.is_none_or(|max| size <= max)
    }
}
