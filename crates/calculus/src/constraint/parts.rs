//! Parts of a store that share no variable: what is chosen in one says nothing of another.

use alloc::{collections::BTreeMap, vec::Vec};
use core::borrow::Borrow;

use super::{Constraint, Vars};
use crate::term::Variable;

/// The part of each constraint: the place of the first one in it.
pub fn parts(constraints: impl IntoIterator<Item: Borrow<Constraint>>) -> Vec<usize> {
    let mut joined = Joined::default();
    let mut mentioned: BTreeMap<Variable, usize> = BTreeMap::new();
    for constraint in constraints {
        let place = joined.add();
        let vars = Vars::of([constraint.borrow()]);
        let dims = vars.dims.into_iter().map(Variable::Dim);
        for var in dims.chain(vars.rows.into_iter().map(Variable::Row)) {
            joined.join(place, *mentioned.entry(var).or_insert(place));
        }
    }
    (0..joined.up.len()).map(|place| joined.first(place)).collect()
}

/// What is joined to what, by numbers: everything points up to the first that it is joined to.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    up: Vec<usize>,
}

impl Joined {
    /// So many things, each alone.
    pub fn alone(count: usize) -> Joined {
        Joined { up: (0..count).collect() }
    }

    /// One more, which is alone. Gives its number.
    pub fn add(&mut self) -> usize {
        self.up.push(self.up.len());
        self.up.len() - 1
    }

    /// Joins two, and all that is joined to them.
    pub fn join(&mut self, one: usize, other: usize) {
        let [one, other] = [self.first(one), self.first(other)];
        self.up[one.max(other)] = one.min(other);
    }

    /// The first of all that something is joined to.
    pub fn first(&mut self, mut of: usize) -> usize {
        while self.up[of] != of {
            self.up[of] = self.up[self.up[of]];
            of = self.up[of];
        }
        of
    }
}
