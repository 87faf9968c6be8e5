//! Dimension variables as they stand: what they are bound to, what bounds them, what is known of
//! their sizes.

use lozenge_calculus::{constraint::count, dim::Dim, term::DimVar};

use crate::tables::{
    ids::{DimNode, EntryId},
    list::Dims,
    node::{Bounds, Cap, DimRef, DimState},
    sizes::{Least, SizePart},
};

impl Dims {
    /// What a dimension term is bound to.
    pub(crate) fn resolve(&self, term: DimRef) -> DimRef {
        let mut at = term;
        while let Some(node) = at.as_node() {
            let DimState::Bound { up, .. } = *self.states.at(node) else { break };
            at = up;
        }
        self.met.same(at)
    }

    /// The bindings that lead from a dimension term to what it was at `time`.
    pub(crate) fn bindings(&self, term: DimRef, time: EntryId) -> impl Iterator<Item = EntryId> {
        let mut at = term;
        core::iter::from_fn(move || {
            let DimState::Bound { to, reason, .. } = *self.states.at(at.as_node()?) else {
                return None;
            };
            at = to;
            (reason < time).then_some(reason)
        })
    }

    /// The bounds of an unbound dimension variable, if it has any.
    pub(crate) fn bounds_of(&self, node: DimNode) -> Option<Bounds> {
        match *self.states.at(node) {
            DimState::Unbound { bounds, .. } => bounds.get().map(|at| self.bounds.get(at)),
            DimState::Bound { .. } => None,
        }
    }

    /// The atom below a node, if it is an unbound variable that has one.
    pub(crate) fn cap(&self, node: DimNode) -> Option<Cap> {
        let cap = self.bounds_of(node).and_then(|bounds| bounds.cap)?;
        Some(Cap { atom: self.met.same(cap.atom), ..cap })
    }

    /// The node of a dimension variable that the program mentioned or a rule minted.
    pub(crate) fn dim_node(&self, var: DimVar) -> Option<DimNode> {
        let minted = || DimNode::minted_as(var).filter(|node| self.states.has(*node));
        self.vars.get(var).or_else(minted)
    }

    pub(crate) fn degree(&self, node: DimNode) -> u32 {
        self.bounds_of(node).map_or(0, |bounds| bounds.degree + u32::from(bounds.cap.is_some()))
    }

    /// The dimension that a term is, if it is ground.
    pub(crate) fn met(&self, term: DimRef) -> Option<Dim> {
        term.as_ground().map(|index| self.met.get(index))
    }

    /// What a term is where every unbound variable is at its top.
    pub(crate) fn top(&self, term: DimRef) -> Dim {
        self.met(self.resolve(term)).unwrap_or(Dim::Unit)
    }

    /// Whether an unbound variable is an axis of no row.
    pub(crate) fn is_bare(&self, var: DimNode) -> bool {
        matches!(self.states.at(var), DimState::Unbound { bare: true, .. })
    }

    /// The least size of an unbound variable, if that is more than the unit has.
    pub(crate) fn least_above_one(&self, node: DimNode) -> Option<Least> {
        self.least_of(node).filter(|least| least.size > 1)
    }

    /// Whether a part of a relation that is this unbound variable may have no elements.
    pub(crate) fn may_be_left_out(&self, part: SizePart, node: DimNode) -> bool {
        part.discardable && self.is_bare(node)
    }

    /// The size of an unbound dimension term, if that is known exactly.
    pub(crate) fn exact_of(&self, term: DimRef) -> Option<Least> {
        let known = self.least_of(self.resolve(term).as_node()?)?;
        known.exact.is_some().then_some(known)
    }

    /// The least size of an unbound variable, if something says so.
    pub(crate) fn least_of(&self, node: DimNode) -> Option<Least> {
        self.bounds_of(node)?.least.get().map(|at| self.facts.get(at))
    }

    /// How many elements an axis has, if that is known.
    pub(crate) fn count_of(&self, dim: DimRef) -> Option<u64> {
        let exact = self.exact_of(dim).map(|known| known.size);
        self.met(self.resolve(dim)).and_then(count).or(exact)
    }

    /// Whether relations say how many elements an unbound variable has.
    pub(crate) fn has_found_sizes(&self) -> bool {
        self.unbound_sizes().any(|(_, known)| known.exact.is_some())
    }

    /// The unbound dimension variables of whose sizes something is known.
    pub(crate) fn unbound_sizes(&self) -> impl Iterator<Item = (DimNode, Least)> + '_ {
        let nodes = Some(self.states.ids()).filter(|_| !self.facts.is_empty());
        nodes.into_iter().flatten().filter_map(|node| Some((node, self.least_of(node)?)))
    }

    /// The unbound dimension variables that have a least size above 1.
    pub(crate) fn unbound_leasts(&self) -> impl Iterator<Item = (DimNode, Least)> + '_ {
        self.unbound_sizes().filter(|(_, known)| known.size > 1)
    }
}
