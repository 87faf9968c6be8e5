//! Definitions, applied: their names become tensors.

use std::sync::Arc;

use lozenge::{
    Accumulation, Site, Tensor as Shaped,
    project::{Slot, Statement},
};

use crate::{
    definition::{Claim, Definition, SlotStatement},
    graph::{Graph, Tensor},
    node::{Backward, Begins, Computed, Made, NodeId, ShapeOf, View},
    state::State,
    words,
};

impl Graph {
    /// Applies an operation whose statements you wrote.
    #[track_caller]
    pub fn define<'g>(&'g self, definition: &Definition, operands: &[Tensor<'g>]) -> Tensor<'g> {
        let site = Site::caller();
        let node = match self.own(operands, &site) {
            Some(operands) => self.state().define(definition, &operands, site),
            None => self.state().poisoned(&[], site),
        };
        self.handle(node)
    }
}

/// The tensors of a definition's names, while it is applied.
struct Names<'a> {
    of: Shaped,
    operands: &'a [NodeId],
    /// The statements of the result so far.
    views: Vec<View>,
    result: Option<NodeId>,
    intermediates: Vec<(Arc<str>, NodeId)>,
}

impl State {
    fn define(&mut self, definition: &Definition, operands: &[NodeId], site: Site) -> NodeId {
        if !self.names_fit(definition, operands.len(), &site) {
            return self.poisoned(operands, site);
        }
        let Some(of) = self.step(Arc::clone(&definition.logic), operands, &site) else {
            return self.poisoned(operands, site);
        };
        let (views, result, intermediates) = (vec![], None, vec![]);
        let mut names = Names { of, operands, views, result, intermediates };
        for statement in &definition.forward {
            if !self.forward(statement, &mut names, &site) {
                return self.poisoned(operands, site);
            }
        }
        let node = self.result(&mut names, &site);
        if let (Made::Computed(computed), false) =
            (&mut self.nodes[node.place()].made, definition.backward.is_empty())
        {
            computed.definition = Some(Arc::new(Backward {
                of,
                definition: Arc::new(definition.clone()),
                operands: operands.to_vec(),
                intermediates: names.intermediates,
            }));
        }
        node
    }

    /// Whether every name of a definition claims a tensor that its statement may use.
    fn names_fit(&mut self, definition: &Definition, operands: usize, site: &Site) -> bool {
        let before = self.refused.len();
        let mut written: Vec<&str> = vec![];
        let forward = definition.forward.iter().map(|statement| (statement, true));
        let backward = definition.backward.iter().map(|statement| (statement, false));
        for (statement, is_forward) in forward.chain(backward) {
            for (name, site) in &statement.read {
                let said = match Claim::of(name).filter(|claim| claim.slot().0 <= operands) {
                    None => words::no_slot(name),
                    Some(Claim::Intermediate(_)) if !written.contains(&&**name) => {
                        words::unwritten(name)
                    }
                    Some(Claim::Gradient(slot)) if is_forward || slot != Slot::RESULT => {
                        words::not_readable(name)
                    }
                    Some(_) => continue,
                };
                self.refuse(site, &[], said);
            }
            let (name, site) = &statement.written;
            let said = match Claim::of(name).filter(|claim| claim.slot().0 <= operands) {
                None => Some(words::no_slot(name)),
                Some(Claim::Value(Slot::RESULT)) if is_forward => None,
                Some(Claim::Gradient(slot)) if !is_forward && slot != Slot::RESULT => None,
                Some(Claim::Intermediate(_)) => None,
                Some(Claim::Value(_) | Claim::Gradient(_)) => {
                    let when = if is_forward { "forward" } else { "backward" };
                    Some(words::not_writable(name, when))
                }
            };
            let all = definition.forward.iter().chain(&definition.backward);
            let mut before = all.take_while(|own| !std::ptr::eq(*own, statement));
            let first = before.find(|own| own.written.0 == *name);
            let unlike = || Some(words::not_writable(name, unlike_a_sum(statement, first)?));
            if let Some(said) = said.or_else(unlike) {
                self.refuse(site, &[], said);
            }
            written.push(name);
        }
        let is_result = |statement: &SlotStatement| {
            Claim::of(&statement.written.0) == Some(Claim::Value(Slot::RESULT))
        };
        if self.refused.len() == before && !definition.forward.iter().any(is_result) {
            self.refuse(site, &[], words::no_result());
        }
        self.refused.len() == before
    }

    /// Takes in a forward statement; gives whether it fits.
    fn forward(&mut self, statement: &SlotStatement, names: &mut Names<'_>, site: &Site) -> bool {
        let mut read = Vec::with_capacity(statement.read.len());
        for (name, _) in &statement.read {
            let Some(claim) = Claim::of(name) else { return false };
            let node = match &claim {
                Claim::Value(Slot::RESULT) => self.result(names, site),
                Claim::Value(slot) | Claim::Gradient(slot) => names.operands[slot.0 - 1],
                Claim::Intermediate(_) => {
                    let own = names.intermediates.iter().rev().find(|(own, _)| own == name);
                    let Some((_, node)) = own else { return false };
                    *node
                }
            };
            read.push((claim.slot(), node));
        }
        let (name, at) = &statement.written;
        let Some(claim) = Claim::of(name) else { return false };
        let slot = claim.slot();
        let view = View::new((names.of, slot), &read, &statement.value, statement.accumulation);
        if let Claim::Value(_) = claim {
            if names.result.is_some() {
                self.refuse(at, &[], words::not_writable(name, "after it was read"));
                return false;
            }
            names.views.push(view);
            return true;
        }
        let shape = match slot.0.checked_sub(1) {
            None => ShapeOf::Own(names.of),
            Some(operand) => ShapeOf::Like(names.operands[operand]),
        };
        let node = self.written(Computed::by(view), shape, site);
        self.nodes[node.place()].name = Some(Arc::clone(name));
        names.intermediates.push((Arc::clone(name), node));
        true
    }

    /// The result of a definition, which has the statements so far.
    fn result(&mut self, names: &mut Names<'_>, site: &Site) -> NodeId {
        if let Some(result) = names.result {
            return result;
        }
        let views = std::mem::take(&mut names.views);
        let begins = if views.len() == 1 { Begins::Erased } else { Begins::Number(0.0) };
        let computed = Computed { replaces: None, begins, views, definition: None };
        let node = self.written(computed, ShapeOf::Own(names.of), site);
        names.result = Some(node);
        node
    }

    /// Adds a tensor whose type is what its first statement computes.
    fn written(&mut self, computed: Computed, shape: ShapeOf, site: &Site) -> NodeId {
        let view = computed.views.first().cloned();
        let node = self.push(Made::Computed(computed), shape, site.clone());
        let read: Vec<NodeId> =
            view.iter().flat_map(|view| view.read.iter().map(|(_, node)| *node)).collect();
        self.type_next(view.as_ref().map(|view| &view.value), &read, node, site);
        node
    }
}

/// What is wrong with a statement of a definition whose tensor is a sum: a gradient, and what
/// several statements write. Only of sums are the gradients those of their parts.
fn unlike_a_sum(statement: &SlotStatement, first: Option<&SlotStatement>) -> Option<&'static str> {
    let adds = |own: &SlotStatement| {
        matches!(own.accumulation, Accumulation::Add | Accumulation::Subtract)
    };
    let keeps = adds(statement) && statement.statement == Statement::Accumulating;
    match (Claim::of(&statement.written.0)?, first) {
        (Claim::Gradient(_), _) if !keeps => Some("but by `=+` or `=-`: other uses add to it"),
        (Claim::Intermediate(_), Some(_)) => Some("a second time"),
        (Claim::Value(_), Some(first))
            if !keeps || !adds(first) && first.accumulation != Accumulation::Set =>
        {
            Some("twice but by a sum: `=:`, `=:+` or `=+` first, then `=+` or `=-`")
        }
        (Claim::Value(_) | Claim::Gradient(_) | Claim::Intermediate(_), _) => None,
    }
}
