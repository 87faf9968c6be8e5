//! Parts of a store that share no variable: a choice in one says nothing of another.

use alloc::{collections::BTreeMap, vec::Vec};
use core::borrow::Borrow;

use lozenge_calculus::{
    constraint::{Constraint, Vars},
    term::Variable,
    union_find::UnionFind,
};

/// The part of each constraint: the place of its first constraint.
pub(crate) fn independent_parts(
    constraints: impl IntoIterator<Item: Borrow<Constraint>>,
) -> Vec<usize> {
    let mut parts = UnionFind::default();
    let mut mentioned: BTreeMap<Variable, usize> = BTreeMap::new();
    for constraint in constraints {
        let place = parts.push();
        let vars = Vars::of([constraint.borrow()]);
        let dims = vars.dims.into_iter().map(Variable::Dim);
        for var in dims.chain(vars.rows.into_iter().map(Variable::Row)) {
            parts.union(place, *mentioned.entry(var).or_insert(place));
        }
    }
    (0..parts.len()).map(|place| parts.find(place)).collect()
}
