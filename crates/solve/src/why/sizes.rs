//! Where relations between sizes come from that closing reads.

use alloc::{collections::BTreeSet, vec::Vec};

use lozenge_calculus::{constraint::OriginId, dim::Dim, term::RowVar};

use crate::{
    reading::frontier::{AxisState, AxisTerm},
    tables::{
        cause::Cause,
        ids::GivenId,
        node::DimRef,
        sizes::{Form, Kind, SizeRel},
    },
    why::trace::Reasoner,
};

impl Reasoner<'_> {
    /// The open rows whose elements or axes open relations count, in the order of the relations,
    /// each once and with where the first of its relations comes from.
    pub(crate) fn counted_rows(&self) -> Vec<(RowVar, OriginId)> {
        let (mut counted, mut seen) = (Vec::new(), BTreeSet::new());
        for relation in self.tables.relations.all.iter().filter(|relation| !relation.done) {
            for row in relation.rows.range().map(|at| self.tables.relations.rows.get(at)) {
                let Some(slot) = row.slot.get() else { continue };
                if self.tables.rows.tail(row).is_some() && seen.insert(slot) {
                    let var = self.tables.rows.slots.at(slot).var;
                    counted.push((var, self.first_origin(relation.cause)));
                }
            }
        }
        counted
    }

    /// The wholes of open relations with a part that may be left out, where an atom is below the
    /// whole: the origin of the relation, the whole and the atom.
    pub(crate) fn capped_wholes(&self) -> Vec<(OriginId, AxisTerm, Dim)> {
        let open = self.tables.relations.all.iter().filter(|relation| !relation.done);
        let capped = |relation: SizeRel| {
            let whole = AxisTerm(self.tables.relations.parts.get(relation.parts.at).dim);
            match self.tables.dims.axis_state(whole) {
                AxisState::Capped(atom) => Some((self.first_origin(relation.cause), whole, atom)),
                AxisState::Bound(_) | AxisState::Open => None,
            }
        };
        let with_parts = open.filter(|relation| relation.parts.len > 0);
        with_parts
            .filter(|relation| self.tables.open_sizes().has_left_out(*relation))
            .filter_map(capped)
            .collect()
    }

    /// The open rows that were set to a number of elements, each with where that comes from.
    pub(crate) fn set_rows(&self) -> Vec<(RowVar, OriginId)> {
        let mut set = Vec::new();
        for relation in self.tables.relations.all.iter().filter(|relation| !relation.done) {
            let number =
                matches!(relation.kind, Kind::Total { over: 0, .. }) && relation.parts.len == 0;
            if number && relation.rows.len == 1 {
                let row = self.tables.relations.rows.get(relation.rows.at);
                if let (Some(slot), Some(_)) = (row.slot.get(), self.tables.rows.tail(row)) {
                    set.push((
                        self.tables.rows.slots.at(slot).var,
                        self.first_origin(relation.cause),
                    ));
                }
            }
        }
        set
    }

    /// The first of the origins that something follows from.
    pub(crate) fn first_origin(&self, cause: Cause) -> OriginId {
        let first = self.least_given(cause);
        first.map(|given| self.tables.givens.all.at(given).origin).unwrap_or_default()
    }

    /// The first of the given constraints that something follows from.
    pub(crate) fn least_given(&self, cause: Cause) -> Option<GivenId> {
        self.reasons(cause, [DimRef::UNIT; 2]).givens.into_iter().next()
    }

    /// Where a relation between sizes comes from that does not hold when every unbound variable is
    /// at its top.
    pub(crate) fn unsettled_size(&self) -> Option<OriginId> {
        let fails = |relation: &SizeRel| {
            !relation.done
                && !self.tables.open_sizes().names_a_size(*relation)
                && !self.tables.open_sizes().holds_at_top(*relation)
        };
        let relation = self.tables.relations.all.iter().find(fails).map(|relation| relation.cause);
        let cause = relation
            .or_else(|| self.tables.dims.unbound_leasts().next().map(|(_, least)| least.cause))?;
        Some(self.first_origin(cause))
    }

    /// Where the relations come from that are over a named size and so stay undecided.
    pub(crate) fn undecided_sizes(&self) -> Vec<OriginId> {
        // A difference follows from what it is the difference of.
        let is_given = |kind| !matches!(kind, Kind::Linear { form: Form::Difference, .. });
        let undecided = |relation: &SizeRel| {
            !relation.done
                && is_given(relation.kind)
                && self.tables.open_sizes().names_a_size(*relation)
        };
        let undecided = self.tables.relations.all.iter().filter(undecided);
        self.tables
            .givens
            .origins(undecided.map(|relation| self.tables.trace.first_given(relation.cause)))
    }
}
