//! Causes made of causes: joined, and taken apart.

use crate::tables::{
    cause::Cause,
    ids::{EntryId, GivenId},
    list::Trace,
    node::DimRef,
    trace::Joint,
};

/// What a cause is made of.
pub(crate) enum Source {
    Given(GivenId),
    Joint { causes: [Cause; 2], terms: [DimRef; 2], time: EntryId },
}

impl Trace {
    /// The cause that is both causes, where the two terms stand for the same variable.
    pub(crate) fn joint(&mut self, first: Cause, second: Cause, terms: [DimRef; 2]) -> Cause {
        let time = self.entries.end();
        Cause::joint(self.joints.push(Joint { first, second, terms, time }))
    }

    /// What a cause is made of.
    pub(crate) fn source(&self, cause: Cause) -> Source {
        match cause.parts() {
            Ok(given) => Source::Given(given),
            Err(joint) => {
                let Joint { first, second, terms, time } = self.joints.get(joint);
                Source::Joint { causes: [first, second], terms, time }
            }
        }
    }

    /// The given constraint that was there before those that were joined to it.
    pub(crate) fn first_given(&self, mut cause: Cause) -> GivenId {
        loop {
            match self.source(cause) {
                Source::Given(given) => return given,
                Source::Joint { causes: [first, _], .. } => cause = first,
            }
        }
    }
}
