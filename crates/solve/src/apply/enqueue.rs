//! The queue, filled: constraints are put into it to be asked, and asked again.

use crate::tables::{
    cause::Cause,
    ids::{GivenId, Id, RelationId},
    list::Tables,
    node::{DimRef, GivenKind, Pending, Sign, Status},
};

/// A relation of more parts waits until nothing else is left to ask, so that it is not read again
/// for each part that becomes known.
pub(super) const FEW: u32 = 32;

impl Tables {
    /// The next given constraint that was not asked yet.
    #[inline]
    pub(crate) fn next_to_ask(&mut self) -> Option<Pending> {
        let given = self.counts.asked;
        if given == self.givens.all.end() {
            return None;
        }
        self.counts.asked = given.next();
        Some(match self.givens.all.at(given).kind {
            GivenKind::Row(_) => Pending::Row(given),
            GivenKind::Size(relation) => Pending::Size(relation),
            GivenKind::AtLeast { dim, least } => {
                Pending::AtLeast { dim, least, cause: Cause::given(given) }
            }
            GivenKind::Dim { relation, left, right } => {
                Pending::Dim { relation, left, right, cause: Cause::given(given) }
            }
        })
    }

    /// Puts a dimension constraint into the queue.
    pub(crate) fn enqueue_dim(&mut self, relation: Sign, terms: [DimRef; 2], cause: Cause) {
        let [left, right] = terms;
        self.queue.push(Pending::Dim { relation, left, right, cause });
    }

    /// Puts a given row constraint into the queue, unless it is there or nothing is left of it.
    #[inline]
    pub(crate) fn enqueue(&mut self, given: GivenId) {
        if let GivenKind::Size(relation) = self.givens.all.at(given).kind {
            return self.enqueue_size(relation);
        }
        let progress = self.givens.progress.get(given);
        if progress.queued || progress.status == Status::Done {
            return;
        }
        self.uncount(progress.status);
        self.givens.progress.update(given, |progress| {
            progress.queued = true;
            progress.status = Status::Pending;
        });
        self.queue.push(Pending::Row(given));
    }

    pub(crate) fn uncount(&mut self, status: Status) {
        match status {
            Status::DeferredEq => self.counts.deferred_eq -= 1,
            Status::DeferredIneq => self.counts.deferred_ineq -= 1,
            Status::Pending | Status::Done | Status::Adjacent | Status::Cap => {}
        }
    }

    /// Puts a relation into the queue, unless it is there or nothing is left of it.
    pub(crate) fn enqueue_size(&mut self, relation: RelationId) {
        let rel = self.relations.all.get(relation);
        if !rel.queued && !rel.done {
            self.relations.all.update(relation, |relation| relation.queued = true);
            if rel.parts.len > FEW {
                self.queue.push_last(Pending::Size(relation));
            } else {
                self.queue.push(Pending::Size(relation));
            }
        }
    }
}
