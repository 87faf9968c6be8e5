//! What runs once, before everything: the order of initial values.
//!
//! A tensor that is initialised has its initial value wherever an initial value reads it. So what
//! initialises it comes first, but for its own initial value, which may be made of what it was.

use std::collections::{BTreeMap, BTreeSet};

use lozenge::Report;

use crate::{
    node::{Made, NodeId},
    state::State,
    words,
};

/// What is computed once, while it is put in order.
pub(crate) struct Initial<'a> {
    state: &'a State,
    /// The statements that initialise a tensor, by that tensor.
    statements: BTreeMap<NodeId, Vec<NodeId>>,
    begun: BTreeSet<NodeId>,
    order: Vec<NodeId>,
    /// By tensor that is in order, its last place there.
    places: BTreeMap<NodeId, usize>,
}

impl Initial<'_> {
    /// What these statements compute and need, in the order in which it runs. What several of them
    /// need may run again, where what it reads was initialised meanwhile.
    pub(crate) fn of(state: &State, statements: &[NodeId]) -> Result<Vec<NodeId>, Report> {
        let mut by_tensor: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for statement in statements {
            by_tensor.entry(state.initialised(*statement)).or_default().push(*statement);
        }
        let tensors: Vec<NodeId> = by_tensor.keys().copied().collect();
        let mut initial = Initial {
            state,
            statements: by_tensor,
            begun: BTreeSet::new(),
            order: vec![],
            places: BTreeMap::new(),
        };
        for tensor in tensors {
            initial.initialise(tensor)?;
        }
        Ok(initial.order)
    }

    fn initialise(&mut self, tensor: NodeId) -> Result<(), Report> {
        let Some(statements) = self.statements.get(&tensor).cloned() else { return Ok(()) };
        if !self.begun.insert(tensor) {
            return Ok(());
        }
        for statement in statements {
            let (computed, given) = self.needed(statement)?;
            for other in &given {
                self.initialise(*other)?;
            }
            let last = |node: &NodeId| {
                let statements = self.statements.get(node).into_iter().flatten();
                statements.filter_map(|own| self.places.get(own)).max()
            };
            let changed = given.iter().filter_map(last).max().copied();
            for node in computed {
                // It is there already, of what it reads now.
                let place = self.places.get(&node).copied();
                if place.is_none() || place < changed {
                    self.push(node);
                }
            }
            self.push(statement);
        }
        Ok(())
    }

    fn push(&mut self, node: NodeId) {
        self.places.insert(node, self.order.len());
        self.order.push(node);
    }

    /// What has to be computed for a statement, in order, and the tensors that it is made of that
    /// nothing computes.
    fn needed(&self, statement: NodeId) -> Result<(BTreeSet<NodeId>, BTreeSet<NodeId>), Report> {
        let (mut computed, mut given) = (BTreeSet::new(), BTreeSet::new());
        let mut todo: Vec<NodeId> = self.state.node(statement).reads().collect();
        while let Some(node) = todo.pop() {
            let own = self.state.node(node);
            if self.state.is_initial(node) || !matches!(own.made, Made::Computed(_)) {
                given.insert(self.state.initialised(node));
            } else if own.is_statement {
                let site = &self.state.node(statement).site;
                let others = [(own.site.clone(), "of this".to_owned())];
                return Err(words::at(site, &others, words::initial_of_statement()));
            } else if computed.insert(node) {
                todo.extend(own.reads());
            }
        }
        Ok((computed, given))
    }
}
