//! Questions that are asked at a place other than that of the call.

use std::ops::{Deref, DerefMut};

use super::DimContext;
use crate::Site;

/// A context, with the place at which it is asked while this is kept.
#[derive(Debug)]
pub struct DimAt<'a>(&'a mut DimContext);

impl DimContext {
    /// The context, for questions that are asked at a place other than that of the call.
    ///
    /// ```
    /// use lozenge::{Site, dims::{Dim, DimContext}};
    ///
    /// let mut context = DimContext::new();
    /// let site = Site::line("model.txt", 3, 9);
    /// let refused = context.at(site).unify_dims(&Dim::from(3), &Dim::from(4)).unwrap_err();
    /// assert!(refused.to_string().contains("model.txt:3:9"));
    /// ```
    pub fn at(&mut self, site: Site) -> DimAt<'_> {
        self.site = Some(site);
        DimAt(self)
    }

    /// Where the question under way is asked.
    #[track_caller]
    pub(super) fn here(&self) -> Site {
        // No closure: it would be its own caller.
        match &self.site {
            Some(site) => site.clone(),
            None => Site::caller(),
        }
    }
}

impl Deref for DimAt<'_> {
    type Target = DimContext;

    fn deref(&self) -> &DimContext {
        self.0
    }
}

impl DerefMut for DimAt<'_> {
    fn deref_mut(&mut self) -> &mut DimContext {
        self.0
    }
}

impl Drop for DimAt<'_> {
    fn drop(&mut self) {
        self.0.site = None;
    }
}
