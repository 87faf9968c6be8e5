//! Declarations about named sizes: relations that hold, and names that are computed from others.

use std::collections::BTreeSet;

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Part, Relation, SizeRelation},
    dim::{Basis, Dim},
    size::{Size, SizeKind, SizeSymbol},
    term::{DimTerm, DimVar, RowTerm},
};

use super::written::dims;
use crate::{operation::NameRange, session::step::StepId};

/// The declarations of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    /// The constraints that are taken for granted.
    facts: BTreeSet<OriginId>,
    defined: Vec<Defined>,
}

/// A name that is computed from others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defined {
    pub(crate) name: SizeSymbol,
    /// As which size.
    pub(crate) size: DimVar,
    /// The step that says it.
    pub(crate) step: StepId,
}

impl Declared {
    pub(crate) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.defined.is_empty()
    }

    /// Takes constraints for granted.
    pub(crate) fn grant(&mut self, facts: &[Constraint]) {
        self.facts.extend(facts.iter().map(|fact| fact.origin));
    }

    /// Whether a constraint is taken for granted.
    pub(crate) fn is_granted(&self, origin: OriginId) -> bool {
        self.facts.contains(&origin)
    }

    /// Makes a name a computed size.
    pub(crate) fn define(&mut self, defined: Defined) {
        self.defined.push(defined);
    }

    /// The names that are computed from others.
    pub(crate) fn definitions(&self) -> &[Defined] {
        &self.defined
    }

    /// The size that a name is computed as.
    pub(crate) fn definition(&self, name: SizeSymbol) -> Option<DimVar> {
        self.defined.iter().find(|defined| defined.name == name).map(|defined| defined.size)
    }

    /// Forgets what was declared from this origin and this step on.
    pub(super) fn cut(&mut self, first: OriginId, step: usize) {
        self.facts.split_off(&first);
        self.defined.retain(|defined| defined.step.place() < step);
    }

    /// A constraint, with computed sizes in the place of names.
    pub(crate) fn put_into(&self, mut asked: Constraint) -> Constraint {
        asked.relation = asked.relation.map_dims(|term| self.in_place(term));
        asked
    }

    /// The same of a dimension. No computed size has a basis.
    pub(crate) fn in_place(&self, term: DimTerm) -> DimTerm {
        let named = term.ground().and_then(named);
        let named = named.filter(|(_, basis)| *basis == Basis::DEFAULT);
        named.and_then(|(name, _)| self.definition(name)).map_or(term, DimTerm::Var)
    }

    /// A computed name that is left in rows and in what is asked: it has a basis there.
    pub(super) fn based(&self, rows: &[RowTerm], asked: &[Constraint]) -> Option<SizeSymbol> {
        let defined = |term: DimTerm| {
            let (name, _) = named(term.ground()?)?;
            self.definition(name).map(|_| name)
        };
        let in_row = |row: &RowTerm| row.flanks.flat().iter().find_map(|term| defined(*term));
        let mut asked = asked.iter().flat_map(|asked| dims(&asked.relation));
        rows.iter().find_map(in_row).or_else(|| asked.find_map(defined))
    }
}

/// The relations that put a computed size into a range; what is left up to its upper end is the
/// other size.
pub(crate) fn within(size: DimVar, range: NameRange, rest: DimVar) -> Vec<Relation> {
    let bound = |bound: i128| u64::try_from(bound).ok();
    let least = range.values.low.and_then(bound).filter(|least| *least > 1);
    let least = least.map(|least| SizeRelation::AtLeast { dim: size.into(), least });
    // Every size is within a bound that no size reaches.
    let most = range.values.high.and_then(bound).and_then(|most| Size::int(most).ok());
    let most = most.map(|most| {
        let whole = Dim::atom(most, Basis::DEFAULT).into();
        let parts = vec![
            Part { dim: size.into(), discardable: false },
            Part { dim: rest.into(), discardable: true },
        ];
        SizeRelation::Concat { whole, parts }
    });
    least.into_iter().chain(most).map(Relation::Size).collect()
}

/// The name and the basis of a dimension.
fn named(dim: Dim) -> Option<(SizeSymbol, Basis)> {
    let Dim::Atom { size, basis } = dim else { return None };
    match size.kind() {
        SizeKind::Symbol(name) => Some((name, basis)),
        _ => None,
    }
}
