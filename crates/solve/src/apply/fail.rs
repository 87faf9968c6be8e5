//! The conflict of a rule that fails, with what it follows from.

use alloc::vec::Vec;

use lozenge_calculus::{constraint::OriginId, dim::Dim, term::RowVar};

use crate::{
    config::Config,
    tables::{
        cause::Cause,
        ids::{GivenId, RowSlot},
        node::DimRef,
        rule::Rule,
    },
    why::{
        conflict::{Conflict, Failed, Stop, Trial},
        trace::Reasons,
    },
};

impl Config {
    /// The conflict of a rule that fails on `terms`, which `cause` relates.
    pub(crate) fn fails(
        &self,
        rule: Rule,
        clash: Option<(DimRef, DimRef)>,
        cause: Cause,
        terms: [DimRef; 2],
    ) -> Stop {
        self.fails_but_for(rule, clash, cause, terms, &[])
    }

    /// The conflict of a rule that fails, to which the markers that the inequalities `unseeing` see
    /// do not matter.
    pub(crate) fn fails_but_for(
        &self,
        rule: Rule,
        clash: Option<(DimRef, DimRef)>,
        cause: Cause,
        terms: [DimRef; 2],
        unseeing: &[GivenId],
    ) -> Stop {
        let clash = clash.and_then(|(left, right)| {
            Some((self.tables.dims.met(left)?, self.tables.dims.met(right)?))
        });
        if self.trial == Trial::Quiet {
            return self.conflict(rule, None, Reasons::default(), None);
        }
        let mut reasons = self.reasoner().reasons(cause, terms);
        if self.trial == Trial::Explained {
            return self.conflict(rule, None, reasons, None);
        }
        reasons.placed.retain(|(_, given)| !unseeing.contains(given));
        if !reasons.placed.is_empty() {
            let markers = self.reasoner().markers(cause, terms);
            reasons.placed.retain(|placed| markers.contains(placed));
        }
        self.conflict(rule, clash, reasons, Some(Failed { cause, terms }))
    }

    /// The conflict that follows from these reasons.
    pub(crate) fn conflict(
        &self,
        rule: Rule,
        clash: Option<(Dim, Dim)>,
        reasons: Reasons,
        failed: Option<Failed>,
    ) -> Stop {
        let seen = |(slot, given): (RowSlot, GivenId)| (self.tables.rows.slots.at(slot).var, given);
        let placed_in: Vec<(RowVar, GivenId)> = reasons.placed.into_iter().map(seen).collect();
        let mut placed: Vec<RowVar> = placed_in.iter().map(|(var, _)| *var).collect();
        placed.dedup();
        let givens: Vec<GivenId> = reasons.givens.into_iter().collect();
        let origins = self.tables.givens.origins(givens.iter().copied());
        let policy = reasons.policy;
        let supposed =
            givens.iter().any(|given| self.tables.givens.all.at(*given).origin == OriginId::NOBODY);
        let competes = !self.tables.places_no_other();
        Conflict {
            rule,
            policy,
            supposed,
            placed,
            competes,
            clash,
            required: None,
            origins,
            givens,
            placed_in,
            failed,
        }
        .into()
    }
}
