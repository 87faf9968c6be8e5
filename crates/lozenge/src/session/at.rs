//! Steps that are asked for at a place other than that of the call.

use std::ops::{Deref, DerefMut};

use super::{Session, Site};

/// A session, with the place at which steps are asked for while this is kept.
#[derive(Debug)]
pub struct At<'a>(&'a mut Session);

impl Session {
    /// The session, for steps that are asked for at a place other than that of the call.
    pub fn at(&mut self, site: Site) -> At<'_> {
        self.site = Some(site);
        At(self)
    }

    /// Where the step under way is asked for.
    #[track_caller]
    pub(super) fn here(&self) -> Site {
        // No closure: it would be its own caller.
        match &self.site {
            Some(site) => site.clone(),
            None => Site::caller(),
        }
    }
}

impl Deref for At<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.0
    }
}

impl DerefMut for At<'_> {
    fn deref_mut(&mut self) -> &mut Session {
        self.0
    }
}

impl Drop for At<'_> {
    fn drop(&mut self) {
        self.0.site = None;
    }
}
