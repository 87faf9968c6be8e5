//! Parts of a store that share no variable: what is chosen in one says nothing of another.

use alloc::{collections::BTreeMap, vec::Vec};
use core::borrow::Borrow;

use super::{Constraint, Vars};
use crate::term::Variable;

/// The part of each constraint: the place of the first one in it.
pub(crate) fn parts(constraints: impl IntoIterator<Item: Borrow<Constraint>>) -> Vec<usize> {
    let mut up: Vec<usize> = Vec::new();
    let mut mentioned: BTreeMap<Variable, usize> = BTreeMap::new();
    for (place, constraint) in constraints.into_iter().enumerate() {
        up.push(place);
        let vars = Vars::of([constraint.borrow()]);
        let dims = vars.dims.into_iter().map(Variable::Dim);
        for var in dims.chain(vars.rows.into_iter().map(Variable::Row)) {
            let other = *mentioned.entry(var).or_insert(place);
            let [one, other] = [root(&mut up, place), root(&mut up, other)];
            up[one.max(other)] = one.min(other);
        }
    }
    // The first of a part points to itself, and comes before all others.
    for place in 0..up.len() {
        up[place] = up[up[place]];
    }
    up
}

fn root(up: &mut [usize], mut of: usize) -> usize {
    while up[of] != of {
        up[of] = up[up[of]];
        of = up[of];
    }
    of
}
