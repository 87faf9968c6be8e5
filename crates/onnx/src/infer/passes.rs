//! Going through a model until nothing new is found: names that turn out to be other sizes, and
//! assumptions that do not hold.

use std::collections::BTreeSet;

use super::{
    call::Effects,
    id::NodeId,
    inferred::{Inferred, Taken},
    num::Nums,
    options::Options,
    require::Relation,
    run::Run,
};
use crate::model::Model;

/// How often a graph is gone through with names that were found to be other sizes.
const MOST_PASSES: usize = 8;

/// Infers what a model's values are.
pub fn infer<'m, 'a>(model: &'m Model<'a>, options: &Options<'_>) -> Inferred<'m, 'a> {
    let mut nums = Nums::default();
    let mut taken: Vec<Taken> = vec![];
    let mut turned = Turned::default();
    let mut pass = 0;
    loop {
        let mut run = Run::new(model, options, nums);
        run.turned.clone_from(&turned.all);
        run.main();
        pass += 1;
        if pass >= MOST_PASSES {
            return run.done(taken);
        }
        let found = run.equalities();
        let is_settled = found.is_empty() && !turned.next(&run.effects);
        if is_settled {
            return run.done(taken);
        }
        taken.extend(found);
        nums = run.nums;
    }
}

/// Assumptions that are turned into their opposites, since with them a node cannot run.
#[derive(Default)]
struct Turned {
    all: BTreeSet<NodeId>,
    /// The one that is tried, and how many disagreements there were without it.
    tried: Option<(NodeId, usize)>,
    rejected: BTreeSet<NodeId>,
}

impl Turned {
    /// Takes the last one back where it did not help, and finds another to try. Gives whether
    /// anything changed.
    fn next(&mut self, effects: &Effects) -> bool {
        let count = effects.conflicts.len();
        let mut is_changed = false;
        if let Some((node, before)) = self.tried.take() {
            if count >= before {
                self.all.remove(&node);
                self.rejected.insert(node);
                is_changed = true;
            }
        }
        let Some(conflict) = effects.conflicts.first() else { return is_changed };
        let nodes = effects.assumptions.iter().rev().map(|assumption| assumption.node);
        let mut open = nodes.filter(|node| *node < conflict.node && !self.rejected.contains(node));
        let Some(node) = open.next() else { return is_changed };
        self.all.insert(node);
        self.tried = Some((node, count));
        true
    }
}

impl Run<'_, '_, '_> {
    /// What names are because sizes have to be equal. Those are then taken for it.
    fn equalities(&mut self) -> Vec<Taken> {
        let mut found: Vec<Taken> = vec![];
        for by in self.effects.requirements.clone() {
            let (Relation::Equal(a, b), true) = (by.relation, by.is_certain) else { continue };
            let [a, b] = [a, b].map(|side| self.nums.as_taken(side));
            let Some((name, num)) = self.nums.solved(a, b) else { continue };
            let (low, _) = self.nums.range(name);
            let (_, high) = self.nums.interval(num);
            if high.zip(low).is_some_and(|(high, low)| high < low) {
                continue;
            }
            self.nums.take(name, num);
            found.push(Taken { name, num, by });
        }
        found
    }
}
