//! The state of a graph: its tensors, their types, and what was refused.

use std::sync::Arc;

use lozenge::{
    Accumulation, Binary, Expression, Operation, Report, Session, Site, Spec, Tensor as Shaped,
    Ternary, diagnostic::Diagnostic, project::Slot,
};

use crate::{
    element_type::{ElementType, TypeSet},
    like::Like,
    node::{Begins, Computed, Content, Given, Logic, Made, Node, NodeId, ShapeOf, View},
    region::Region,
    typing::{Mixture, Side, Types},
    words,
};

/// A graph's tensors, and what was said of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) session: Session,
    pub(crate) nodes: Vec<Node>,
    pub(crate) types: Types,
    /// What was refused, in order.
    pub(crate) refused: Vec<Report>,
    /// Tensors that a refused step used: nothing is said of what else is known of them.
    pub(crate) excused: Vec<NodeId>,
}

/// How an operation is applied.
pub(crate) struct Applied {
    pub(crate) site: Site,
    /// The element type of the result, where it is not what is computed.
    pub(crate) converts: Option<ElementType>,
    pub(crate) is_stopped: bool,
    pub(crate) spec: Option<Arc<str>>,
}

impl Applied {
    pub(crate) fn plain(site: Site) -> Applied {
        Applied { site, converts: None, is_stopped: false, spec: None }
    }
}

impl State {
    pub(crate) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.place()]
    }

    /// Takes in a refusal that is about a place, and what there is to say of others.
    pub(crate) fn refuse(&mut self, site: &Site, others: &[(Site, String)], said: Diagnostic) {
        self.refused.push(words::at(site, others, said));
    }

    /// Whether a tensor is what a statement initialises another to.
    pub(crate) fn is_initial(&self, node: NodeId) -> bool {
        self.node(node).region == Some(Region::Initialise)
    }

    /// The tensor that is meant by what it was initialised to.
    pub(crate) fn initialised(&self, mut node: NodeId) -> NodeId {
        while let Some(before) = self.node(node).replaces().filter(|_| self.is_initial(node)) {
            node = before;
        }
        node
    }

    /// Adds a tensor, whose type is taken in with it.
    pub(crate) fn push(&mut self, made: Made, shape: ShapeOf, site: Site) -> NodeId {
        let node = NodeId::at(self.nodes.len());
        let (name, region, is_statement) = (None, None, false);
        self.nodes.push(Node { made, shape, name, site, region, is_statement });
        node
    }

    /// A tensor of which nothing is said, since something that it is made of was refused.
    pub(crate) fn poisoned(&mut self, uses: &[NodeId], site: Site) -> NodeId {
        self.excused.extend(uses);
        let node = self.push(Made::Poisoned, ShapeOf::Refused, site);
        self.types.push(node, TypeSet::ANY);
        node
    }

    pub(crate) fn is_poisoned(&self, node: NodeId) -> bool {
        matches!(self.node(node).made, Made::Poisoned)
    }

    /// The session's tensor of a node. One that has only the shape of another becomes one that the
    /// session knows.
    pub(crate) fn shaped(&mut self, node: NodeId) -> Option<Shaped> {
        let like = match self.node(node).shape {
            ShapeOf::Own(shaped) => return Some(shaped),
            ShapeOf::Refused => return None,
            ShapeOf::Like(like) => like,
        };
        let like = self.shaped(like)?;
        let site = self.node(node).site.clone();
        let own = self.session.at(site).apply(Like, &[like]).ok()?;
        if let Some(name) = self.node(node).name.clone() {
            self.session.set_name(own, &name);
        }
        self.nodes[node.place()].shape = ShapeOf::Own(own);
        Some(own)
    }

    /// The tensor of the session that has the shape of a node.
    pub(crate) fn shape_of(&self, mut node: NodeId) -> Option<Shaped> {
        loop {
            match self.node(node).shape {
                ShapeOf::Own(shaped) => return Some(shaped),
                ShapeOf::Like(like) => node = like,
                ShapeOf::Refused => return None,
            }
        }
    }

    /// A tensor that no operation makes.
    pub(crate) fn terminal(
        &mut self,
        terminal: impl Operation + 'static,
        made: Made,
        (allowed, name): (TypeSet, Option<&str>),
        site: Site,
    ) -> NodeId {
        let applied = self.session.at(site.clone()).apply(terminal, &[]);
        match applied {
            Ok(shaped) => {
                let node = self.push(made, ShapeOf::Own(shaped), site);
                self.nodes[node.place()].name = name.map(Into::into);
                self.types.push(node, allowed);
                node
            }
            Err(report) => {
                self.refused.push(report);
                self.poisoned(&[], site)
            }
        }
    }

    pub(crate) fn given(
        &mut self,
        terminal: impl Operation + 'static,
        given: Given,
        name: &str,
        site: Site,
    ) -> NodeId {
        self.terminal(terminal, Made::Given(given), (TypeSet::ANY, Some(name)), site)
    }

    pub(crate) fn constant(
        &mut self,
        terminal: impl Operation + 'static,
        content: Content,
        allowed: TypeSet,
        site: Site,
    ) -> NodeId {
        self.terminal(terminal, Made::Constant(content), (allowed, None), site)
    }

    /// Applies an operation to tensors of this graph.
    pub(crate) fn apply(
        &mut self,
        operation: &Arc<dyn Operation>,
        operands: &[NodeId],
        applied: Applied,
    ) -> NodeId {
        let Some(of) = self.step(Arc::clone(operation), operands, &applied.site) else {
            return self.poisoned(operands, applied.site);
        };
        let (value, accumulation) = self.scalar_part(of);
        let logic = Logic::of(&**operation, applied.spec.as_deref());
        let read = operands.iter().enumerate().map(|(number, node)| (Slot::operand(number), *node));
        let target = applied.converts;
        let view = View {
            of,
            written: Slot::RESULT,
            read: read.collect(),
            value,
            accumulation,
            needed: vec![],
            is_stopped: applied.is_stopped || target.is_some_and(|target| !target.is_float()),
            logic,
        };
        let node = NodeId::at(self.nodes.len());
        let typed = typed(&view, operation.spec(), operands.len());
        if !self.type_result(&typed, operands, node, &applied) {
            return self.poisoned(operands, applied.site);
        }
        self.push(Made::Computed(Computed::by(view)), ShapeOf::Own(of), applied.site)
    }

    /// A tensor of the shape and the type of another, with one number everywhere.
    pub(crate) fn filled_like(&mut self, other: NodeId, number: f64, site: &Site) -> NodeId {
        if self.is_poisoned(other) {
            return self.poisoned(&[other], site.clone());
        }
        let begins = Begins::Number(number);
        let computed = Computed { replaces: None, begins, views: vec![], definition: None };
        let node = self.push(Made::Computed(computed), ShapeOf::Like(other), site.clone());
        self.types.push_like(node, other);
        node
    }

    /// Has the session take an operation in. A refusal is kept.
    pub(crate) fn step(
        &mut self,
        operation: Arc<dyn Operation>,
        operands: &[NodeId],
        site: &Site,
    ) -> Option<Shaped> {
        let shaped: Option<Vec<Shaped>> = operands.iter().map(|node| self.shaped(*node)).collect();
        let applied = self.session.at(site.clone()).apply(operation, &shaped?);
        match applied {
            Ok(of) => Some(of),
            Err(report) => {
                self.refused.push(report);
                None
            }
        }
    }

    /// What the operation that made a tensor of the session does with elements.
    pub(crate) fn scalar_part(&self, of: Shaped) -> (Expression, Accumulation) {
        let scheme = self.session.scheme(of);
        scheme.map_or_else(
            || (Expression::read(0), Accumulation::default()),
            |scheme| (scheme.value(), scheme.accumulation()),
        )
    }

    /// Takes in the type of the next tensor; gives whether its operands have types that fit.
    pub(crate) fn type_result(
        &mut self,
        value: &Expression,
        operands: &[NodeId],
        node: NodeId,
        applied: &Applied,
    ) -> bool {
        match self.types.read(value, operands) {
            Ok((mut said, result)) => {
                let result = match applied.converts {
                    Some(target) => said.fresh(target.into()),
                    None => result,
                };
                self.types.take(&mut said, operands, (node, result));
                true
            }
            Err(mixture) => {
                self.refuse_mixture(mixture, &applied.site);
                false
            }
        }
    }

    /// Takes in the type of a tensor that was just added. A mixture is said, and any type taken.
    pub(crate) fn type_next(
        &mut self,
        value: Option<&Expression>,
        read: &[NodeId],
        node: NodeId,
        site: &Site,
    ) {
        let applied = Applied::plain(site.clone());
        if !value.is_some_and(|value| self.type_result(value, read, node, &applied)) {
            self.types.push(node, TypeSet::ANY);
        }
    }

    /// Asks that a tensor has one of these types.
    pub(crate) fn needs(&mut self, node: NodeId, allowed: TypeSet, site: &Site) {
        if let Err(mixture) = self.types.need(node, allowed) {
            self.refuse_mixture(mixture, site);
        }
    }

    /// Asks that two tensors have one type, of which the first was just typed.
    pub(crate) fn same_type(&mut self, new: NodeId, other: NodeId, site: &Site) {
        if let Err(mixture) = self.types.equate(other, new) {
            self.refuse_mixture(mixture, site);
        }
    }

    /// Refuses operands of two types where one is needed.
    fn refuse_mixture(&mut self, mixture: Mixture, site: &Site) {
        let said = words::mixture(&mixture.sides.map(|side| {
            let name = side.of.or(side.because).map(|node| self.told(node));
            (side.allowed.words(), name)
        }));
        let place = |side: &Side| {
            let because = self.nodes.get(side.because?.place())?;
            Some((because.site.clone(), words::is_of(&side.allowed.words())))
        };
        let places: Vec<(Site, String)> = mixture.sides.iter().filter_map(place).collect();
        self.refuse(site, &places, said);
    }

    pub(crate) fn set_name(&mut self, node: NodeId, name: &str) {
        self.nodes[node.place()].name = Some(name.into());
        if let ShapeOf::Own(shaped) = self.node(node).shape {
            self.session.set_name(shaped, name);
        }
    }

    /// What a tensor is called in messages: its name, or how it is made.
    fn told(&self, node: NodeId) -> String {
        match (&self.node(node).name, self.node(node).shape) {
            (None, ShapeOf::Own(shaped)) => self.session.display_name(shaped),
            _ => self.called(node),
        }
    }

    /// What a tensor is called: its name, the number that it is, or its place.
    pub(crate) fn called(&self, node: NodeId) -> String {
        let Node { name, made, .. } = self.node(node);
        match (name, made) {
            (Some(name), _) => name.to_string(),
            (None, Made::Constant(Content::Number(number))) => number.to_string(),
            (None, _) => format!("t{}", node.place()),
        }
    }
}

/// An expression with the type of what an operation computes. Truths are counted by nothing, and
/// what is put one after another is of any type.
fn typed(view: &View, spec: Option<&Spec>, operands: usize) -> Expression {
    let value = view.value.clone();
    let counts = matches!(
        view.accumulation,
        Accumulation::Add | Accumulation::Subtract | Accumulation::Multiply | Accumulation::Divide
    );
    match spec {
        Some(spec) if spec.is_summing() && counts => value.clone().binary(Binary::Add, value),
        Some(spec) if spec.is_joining() && !spec.is_summing() => {
            let either = |one: Expression, other: usize| {
                Expression::ternary(Ternary::Where, [1.0.into(), one, Expression::read(other)])
            };
            (1..operands).fold(Expression::read(0), either)
        }
        _ => value,
    }
}
