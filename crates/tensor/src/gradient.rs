//! Gradients: views of the loops that the forward statements have.
//!
//! A tensor is the sum of its statements. What arrives at it is handed to what each statement
//! reads, over the same loops, with the slots exchanged: the slot that was read is written. So a
//! gradient needs no inference of its own, broadcasting is summed and a contraction is spread out
//! because the maps say so, and, since a gradient is a tensor made of statements too, it has
//! gradients in turn.

use std::sync::Arc;

use lozenge::{
    Accumulation, Expression, Site,
    project::{Slot, Statement},
};

use crate::{
    arriving::{Beside, Part, arriving, shifted},
    definition::{Claim, SlotStatement},
    derivative::{NoDerivative, reaching},
    element_type::TypeSet,
    graph::{Graph, Tensor},
    like::Like,
    node::{Backward, Begins, Computed, Made, NodeId, ShapeOf, View},
    region::Region,
    state::State,
    words,
};

impl Graph {
    /// The gradients of a tensor by others; of one with axes, those of the sum of its elements.
    ///
    /// ```
    /// use lozenge_tensor::Graph;
    ///
    /// let graph = Graph::new();
    /// let x = graph.data("x", "3");
    /// let [slope] = graph.gradients((x * x * x).sum(), [x]);
    /// let [curvature] = graph.gradients(slope, [x]); // a gradient is a tensor
    /// assert_eq!(graph.check()?.shape(curvature)?.to_string(), "3");
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    #[track_caller]
    pub fn gradients<'g, const N: usize>(
        &'g self,
        of: Tensor<'g>,
        by: [Tensor<'g>; N],
    ) -> [Tensor<'g>; N] {
        let site = Site::caller();
        let made = self.gradients_at(of, &by, &site);
        std::array::from_fn(|number| made[number])
    }

    /// The same for any number of tensors.
    #[track_caller]
    pub fn gradients_of<'g>(&'g self, of: Tensor<'g>, by: &[Tensor<'g>]) -> Vec<Tensor<'g>> {
        self.gradients_at(of, by, &Site::caller())
    }

    fn gradients_at<'g>(
        &'g self,
        of: Tensor<'g>,
        by: &[Tensor<'g>],
        site: &Site,
    ) -> Vec<Tensor<'g>> {
        let all: Vec<Tensor<'g>> = [&[of], by].concat();
        let Some(nodes) = self.own(&all, site) else {
            let mut state = self.state();
            return by.iter().map(|_| self.handle(state.poisoned(&[], site.clone()))).collect();
        };
        let mut state = self.state();
        for node in &nodes {
            state.needs(*node, TypeSet::FLOATS, site);
        }
        let made = state.gradients(nodes[0], &nodes[1..], site);
        drop(state);
        made.into_iter().map(|node| self.handle(node)).collect()
    }
}

/// Gradients that are being made.
struct Pass {
    site: Site,
    /// By tensor, whether it depends on what gradients are asked by.
    active: Vec<bool>,
    /// By tensor, the statements of its gradient so far.
    arriving: Vec<Vec<View>>,
}

impl Pass {
    fn is_active(&self, node: NodeId) -> bool {
        self.active.get(node.place()).is_some_and(|is| *is)
    }
}

impl State {
    fn gradients(&mut self, of: NodeId, by: &[NodeId], site: &Site) -> Vec<NodeId> {
        if [of].iter().chain(by).any(|node| self.is_poisoned(*node)) {
            return by.iter().map(|node| self.poisoned(&[of, *node], site.clone())).collect();
        }
        let count = of.place() + 1;
        let active = self.active(count, by);
        let mut pass = Pass { site: site.clone(), active, arriving: vec![vec![]; count] };
        let mut made: Vec<Option<NodeId>> = vec![None; count];
        for place in (0..count).rev() {
            if !pass.active[place] {
                continue;
            }
            let node = NodeId::at(place);
            let views = std::mem::take(&mut pass.arriving[place]);
            let seed = if node == of { 1.0 } else { 0.0 };
            if node != of && views.is_empty() {
                continue;
            }
            let gradient = self.sum(node, seed, views, site);
            made[place] = Some(gradient);
            if let Err(NoDerivative(function)) = self.hand_down(node, gradient, &mut pass) {
                let said = words::no_derivative(&function);
                let made_at = self.node(node).site.clone();
                self.refuse(site, &[(made_at, "it is applied here".to_owned())], said);
                return by.iter().map(|node| self.poisoned(&[of, *node], site.clone())).collect();
            }
        }
        let gradient = |state: &mut State, node: &NodeId| {
            let known = made.get(node.place()).copied().flatten();
            // What it does not depend on has the gradient 0.
            known.unwrap_or_else(|| state.sum(*node, 0.0, vec![], site))
        };
        by.iter().map(|node| gradient(self, node)).collect()
    }

    /// By tensor, of the first ones, whether a gradient can go through it to one of these.
    fn active(&self, count: usize, by: &[NodeId]) -> Vec<bool> {
        let mut active = vec![false; count];
        for node in by.iter().filter(|node| node.place() < count) {
            active[node.place()] = true;
        }
        for place in 0..count {
            let Made::Computed(computed) = &self.nodes[place].made else { continue };
            let goes_on = |node: NodeId| active[node.place()];
            let views = computed.views.iter().filter(|view| !view.is_stopped);
            let mut reads = views.flat_map(|view| view.read.iter().map(|(_, node)| *node));
            active[place] |= computed.before().is_some_and(goes_on) || reads.any(goes_on);
        }
        active
    }

    /// The gradient of a tensor: a number, and statements that are added to it.
    fn sum(&mut self, of: NodeId, begins: f64, views: Vec<View>, site: &Site) -> NodeId {
        let begins = Begins::Number(begins);
        let computed = Computed { replaces: None, begins, views, definition: None };
        let name = format!("{}.grad", self.called(of));
        self.like(of, computed, &name, site)
    }

    /// A tensor with the shape and the type of another.
    fn like(&mut self, of: NodeId, computed: Computed, name: &str, site: &Site) -> NodeId {
        let node = self.push(Made::Computed(computed), ShapeOf::Like(of), site.clone());
        self.types.push_like(node, of);
        self.nodes[node.place()].name = Some(name.into());
        self.nodes[node.place()].region = Some(Region::Backward);
        node
    }

    /// Hands what arrives at a tensor to what its statements read.
    fn hand_down(
        &mut self,
        node: NodeId,
        gradient: NodeId,
        pass: &mut Pass,
    ) -> Result<(), NoDerivative> {
        let Made::Computed(computed) = &self.node(node).made else { return Ok(()) };
        if computed
            .views
            .iter()
            .all(|view| view.is_stopped || !view.read.iter().any(|(_, read)| pass.is_active(*read)))
            && !computed.before().is_some_and(|before| pass.is_active(before))
        {
            return Ok(());
        }
        let Computed { views, definition, .. } = computed.clone();
        if let Some(before) = computed.before().filter(|before| pass.is_active(*before)) {
            self.hand_back(before, node, gradient, pass)?;
        }
        if let Some(backward) = definition {
            self.write_gradients(&backward, node, gradient, pass);
            return Ok(());
        }
        for view in views.iter().filter(|view| !view.is_stopped) {
            self.hand_down_view(view, node, gradient, pass)?;
        }
        Ok(())
    }

    /// What a tensor goes on from gets what arrives at it, cell by cell.
    fn hand_back(
        &mut self,
        before: NodeId,
        node: NodeId,
        gradient: NodeId,
        pass: &mut Pass,
    ) -> Result<(), NoDerivative> {
        let Made::Computed(computed) = &self.node(node).made else { return Ok(()) };
        let adds =
            |view: &View| matches!(view.accumulation, Accumulation::Add | Accumulation::Subtract);
        if !computed.views.iter().all(adds) {
            return Err(NoDerivative("an assignment that goes on from what was there".to_owned()));
        }
        let (Some(shaped), site) = (self.shaped(before), pass.site.clone()) else { return Ok(()) };
        if let Ok(of) = self.session.at(site).apply(Like, &[shaped]) {
            let view = View::new(
                (of, Slot::operand(0)),
                &[(Slot::RESULT, gradient)],
                &Expression::read(0),
                Accumulation::Add,
            );
            pass.arriving[before.place()].push(view);
        }
        Ok(())
    }

    /// Hands what arrives at a tensor to what one of its statements reads.
    fn hand_down_view(
        &mut self,
        view: &View,
        node: NodeId,
        gradient: NodeId,
        pass: &mut Pass,
    ) -> Result<(), NoDerivative> {
        let wants = |(number, (_, read)): (usize, &(Slot, NodeId))| {
            pass.is_active(*read).then_some((number, *read))
        };
        let wanted: Vec<(usize, NodeId)> = view.read.iter().enumerate().filter_map(wants).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let Some((own, arriving)) = self.arriving(view, node, gradient, pass) else {
            return Ok(());
        };
        let value = shifted(&view.value, own.len());
        let written = |node: NodeId| (view.written, node);
        let read: Vec<(Slot, NodeId)> =
            own.iter().map(|node| written(*node)).chain(view.read.iter().copied()).collect();
        for (number, to) in wanted {
            let found = reaching(&value, own.len() + number, arriving.clone())?;
            let Some(found) = found else { continue };
            let slot = view.read[number].0;
            let mut handed = View::new((view.of, slot), &read, &found, Accumulation::Add);
            // While another part of a concatenation runs, the statement does nothing, and what is
            // left of its derivative without its operands means nothing.
            handed.needed.clone_from(&view.needed);
            handed.needed.push(view.written);
            pass.arriving[to.place()].push(handed);
        }
        Ok(())
    }

    /// What arrives at a point of a statement's loops, over tensors in the slot that the statement
    /// writes, which are read before its own.
    fn arriving(
        &mut self,
        view: &View,
        node: NodeId,
        gradient: NodeId,
        pass: &Pass,
    ) -> Option<(Vec<NodeId>, Expression)> {
        let arriving = arriving(&view.value, view.accumulation, view.written)?;
        let mut made: Vec<(Part, NodeId)> = vec![];
        for beside in &arriving.beside {
            let own = self.beside(view, node, beside, &pass.site);
            made.push((beside.part, own));
        }
        let tensor = |part: &Part| {
            let known = made.iter().find(|(own, _)| own == part).map(|(_, node)| *node);
            known.unwrap_or(if matches!(part, Part::Gradient(_)) { gradient } else { node })
        };
        Some((arriving.read.iter().map(tensor).collect(), arriving.value))
    }

    /// A tensor in the slot that a statement writes, made over the same loops: of the statement's
    /// result, where it reads that, and of what the statement reads.
    fn beside(&mut self, view: &View, node: NodeId, beside: &Beside, site: &Site) -> NodeId {
        let own = beside.read.iter().map(|_| (view.written, node));
        let read: Vec<(Slot, NodeId)> = own.chain(view.read.iter().copied()).collect();
        let mut made =
            View::new((view.of, view.written), &read, &beside.value, beside.accumulation);
        made.needed.clone_from(&view.needed);
        made.is_stopped = beside.is_count();
        let name = format!("{}.{}", self.called(node), beside.part.suffix());
        self.like(node, Computed::by(made), &name, site)
    }

    /// Writes gradients as a definition says.
    fn write_gradients(
        &mut self,
        backward: &Arc<Backward>,
        node: NodeId,
        gradient: NodeId,
        pass: &mut Pass,
    ) {
        let mut intermediates = backward.intermediates.clone();
        for statement in &backward.definition.backward {
            let SlotStatement { written, read, value, accumulation, .. } = statement;
            let Some(claim) = Claim::of(&written.0) else { continue };
            let tensor = |name: &str| match Claim::of(name)? {
                Claim::Value(Slot::RESULT) => Some((Slot::RESULT, node)),
                Claim::Gradient(Slot::RESULT) => Some((Slot::RESULT, gradient)),
                Claim::Value(slot) => Some((slot, *backward.operands.get(slot.0 - 1)?)),
                Claim::Intermediate(slot) => {
                    let own = intermediates.iter().rev().find(|(own, _)| **own == *name)?;
                    Some((slot, own.1))
                }
                Claim::Gradient(_) => None,
            };
            let reads: Option<Vec<(Slot, NodeId)>> =
                read.iter().map(|(name, _)| tensor(name)).collect();
            let Some(reads) = reads else { continue };
            let slot = claim.slot();
            let of = if slot == Slot::RESULT {
                Some(node)
            } else {
                backward.operands.get(slot.0 - 1).copied()
            };
            let Some(of) = of else { continue };
            let view = View::new((backward.of, slot), &reads, value, *accumulation);
            match claim {
                Claim::Gradient(_) if pass.is_active(of) => {
                    pass.arriving[of.place()].push(view);
                }
                Claim::Intermediate(_) => {
                    let begins = match statement.statement {
                        Statement::Erasing => Begins::Erased,
                        Statement::Accumulating => Begins::Number(0.0),
                    };
                    let views = vec![view];
                    let computed = Computed { replaces: None, begins, views, definition: None };
                    let made = self.like(of, computed, &written.0, &pass.site);
                    intermediates.push((Arc::clone(&written.0), made));
                }
                Claim::Gradient(_) | Claim::Value(_) => {}
            }
        }
    }
}
