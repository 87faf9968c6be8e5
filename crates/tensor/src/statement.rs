//! Assignments that stand by themselves: the producer regime.
//!
//! A statement asks for shapes itself, as an operation does, and writes a tensor that exists or one
//! that it declares. It gives the tensor as it is afterwards: in single assignment a tensor of its
//! own, in place the same one.

use std::{ops, sync::Arc};

use lozenge::{
    Accumulation, Binary, Compose, Einsum, Expression, Operation, Pointwise, Site, Ternary,
    Transpose, Unary,
    project::{Slot, Statement},
};

use crate::{
    graph::{Graph, Tensor},
    like::Replacing,
    node::{Begins, Computed, Logic, Made, NodeId, ShapeOf, View},
    region::Region,
    state::{Applied, State},
    words,
};

/// A tree of primitives over tensors that a statement reads.
///
/// `lr * delta` is a tensor, which a statement may read; `read(lr) * delta` is a tree, which the
/// statement computes itself, so that there is no tensor between.
#[derive(Clone, Debug)]
pub struct Value<'g> {
    expression: Expression,
    reads: Vec<Tensor<'g>>,
}

/// A tensor as a part of what a statement computes.
pub fn read(tensor: Tensor<'_>) -> Value<'_> {
    Value { expression: Expression::read(0), reads: vec![tensor] }
}

impl<'g> Value<'g> {
    /// A primitive of this.
    #[must_use]
    pub fn unary(self, primitive: Unary) -> Value<'g> {
        Value { expression: self.expression.unary(primitive), ..self }
    }

    /// A primitive of this and another.
    #[must_use]
    pub fn binary(mut self, primitive: Binary, other: impl Into<Value<'g>>) -> Value<'g> {
        let other = self.taking(other.into());
        Value { expression: self.expression.binary(primitive, other), ..self }
    }

    /// `where(self, second, third)`.
    #[must_use]
    pub fn choose(
        mut self,
        second: impl Into<Value<'g>>,
        third: impl Into<Value<'g>>,
    ) -> Value<'g> {
        let [second, third] = [second.into(), third.into()].map(|value| self.taking(value));
        let chosen = Expression::ternary(Ternary::Where, [self.expression, second, third]);
        Value { expression: chosen, ..self }
    }

    /// This to the power of another.
    #[must_use]
    pub fn pow(self, other: impl Into<Value<'g>>) -> Value<'g> {
        self.binary(Binary::Power, other)
    }

    /// The square root.
    #[must_use]
    pub fn sqrt(self) -> Value<'g> {
        self.unary(Unary::Sqrt)
    }

    fn taking(&mut self, other: Value<'g>) -> Expression {
        let before = self.reads.len();
        self.reads.extend(other.reads);
        other.expression.with_reads(&|number| Expression::read(before + number))
    }
}

impl<'g> From<Tensor<'g>> for Value<'g> {
    fn from(tensor: Tensor<'g>) -> Value<'g> {
        read(tensor)
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Value { expression: number.into(), reads: vec![] }
    }
}

/// The signs of Rust for what a statement computes.
macro_rules! signs {
    ($($sign:ident $method:ident $primitive:ident)*) => {
        $(impl<'g, T: Into<Value<'g>>> ops::$sign<T> for Value<'g> {
            type Output = Value<'g>;

            fn $method(self, other: T) -> Value<'g> {
                self.binary(Binary::$primitive, other)
            }
        })*
    };
}

signs! { Add add Add  Sub sub Subtract  Mul mul Multiply  Div div Divide }

impl ops::Neg for Value<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        self.unary(Unary::Negate)
    }
}

/// A statement under construction: what it writes, and how its tensors are aligned.
#[derive(Clone, Debug)]
#[must_use = "it is nothing before it is given a value"]
pub struct Assign<'g> {
    graph: &'g Graph,
    written: Written<'g>,
    region: Region,
    alignment: Alignment,
    statement: Statement,
    site: Site,
}

#[derive(Clone, Debug)]
enum Written<'g> {
    Tensor(Tensor<'g>),
    New(Arc<str>),
}

#[derive(Clone, Debug)]
enum Alignment {
    Pointwise,
    Compose,
    Transpose,
    Spec(Arc<str>),
}

/// Statements.
impl Graph {
    /// A statement that changes a tensor, in the region `update` unless it says another.
    ///
    /// ```
    /// use lozenge_tensor::{Graph, read};
    ///
    /// let graph = Graph::new();
    /// let (w, x) = (graph.parameter("w"), graph.data("x", "32|->784"));
    /// let loss = (w.compose(x) - graph.data("labels", "32|->10")).pow(2.0).sum();
    /// let [slope] = graph.gradients(loss, [w]);
    /// let rate = graph.undeclared("rate");
    /// graph.update(w).subtract(read(rate) * slope);
    /// let program = graph.check()?.program(&[loss])?;
    /// assert!(program.to_string().ends_with("w =- rate * w.grad\n"));
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    #[track_caller]
    pub fn update<'g>(&'g self, tensor: Tensor<'g>) -> Assign<'g> {
        self.assign(Written::Tensor(tensor), Site::caller())
    }

    /// A statement that declares what it writes, whose shape follows from what it reads.
    #[track_caller]
    pub fn inline<'g>(&'g self, name: &str) -> Assign<'g> {
        self.assign(Written::New(name.into()), Site::caller())
    }

    fn assign<'g>(&'g self, written: Written<'g>, site: Site) -> Assign<'g> {
        Assign {
            graph: self,
            written,
            region: Region::Update,
            alignment: Alignment::Pointwise,
            statement: Statement::Accumulating,
            site,
        }
    }
}

impl<'g> Assign<'g> {
    /// The statement in another region.
    pub fn in_region(self, region: Region) -> Assign<'g> {
        Assign { region, ..self }
    }

    /// The statement of two tensors that are composed: what the second gives, the first takes.
    pub fn composing(self) -> Assign<'g> {
        Assign { alignment: Alignment::Compose, ..self }
    }

    /// The statement of one tensor whose input is the output of what is written.
    pub fn transposing(self) -> Assign<'g> {
        Assign { alignment: Alignment::Transpose, ..self }
    }

    /// The statement of tensors that a specification aligns.
    pub fn by(self, spec: &str) -> Assign<'g> {
        Assign { alignment: Alignment::Spec(spec.into()), ..self }
    }

    /// The statement that erases what was there first: `=:+` instead of `=+`.
    pub fn erasing(self) -> Assign<'g> {
        Assign { statement: Statement::Erasing, ..self }
    }

    /// `=:`: the tensor becomes this.
    pub fn set(self, value: impl Into<Value<'g>>) -> Tensor<'g> {
        self.erasing().accumulate(Accumulation::Set, value)
    }

    /// `=+`: this is added to the tensor.
    #[allow(clippy::should_implement_trait)] // it makes a statement
    pub fn add(self, value: impl Into<Value<'g>>) -> Tensor<'g> {
        self.accumulate(Accumulation::Add, value)
    }

    /// `=-`: this is subtracted from the tensor.
    pub fn subtract(self, value: impl Into<Value<'g>>) -> Tensor<'g> {
        self.accumulate(Accumulation::Subtract, value)
    }

    /// This joins the tensor by an accumulation. Gives the tensor as it is afterwards.
    pub fn accumulate(self, by: Accumulation, value: impl Into<Value<'g>>) -> Tensor<'g> {
        let Assign { graph, written, region, alignment, statement, site } = self;
        let Value { mut expression, mut reads } = value.into();
        if let (true, Expression::Constant(number)) = (reads.is_empty(), &expression) {
            reads.push(graph.literal(number.value()));
            expression = Expression::read(0);
        }
        let target = match &written {
            Written::Tensor(tensor) => Some(*tensor),
            Written::New(_) => None,
        };
        let all: Vec<Tensor<'g>> = reads.iter().copied().chain(target).collect();
        let Some(nodes) = graph.own(&all, &site) else {
            return graph.handle(graph.state().poisoned(&[], site));
        };
        let mut state = graph.state();
        let aligned: Result<(Arc<dyn Operation>, Logic), _> = match &alignment {
            Alignment::Pointwise => {
                let sign = Pointwise::computing("pointwise", expression.clone());
                Ok((Arc::new(sign), Logic::Pointwise))
            }
            Alignment::Compose => Ok((Arc::new(Compose), Logic::Named("@"))),
            Alignment::Transpose => Ok((Arc::new(Transpose), Logic::Named("T"))),
            Alignment::Spec(spec) => Einsum::new(spec)
                .map(|einsum| (Arc::new(einsum) as Arc<dyn Operation>, Logic::Spec(spec.clone())))
                .map_err(|report| state.refused.push(report)),
        };
        let Ok((operation, logic)) = aligned else {
            return graph.handle(state.poisoned(&nodes, site));
        };
        let said = Said { expression, by, statement, logic, region, site };
        let node = state.assign(operation, &nodes, target.is_some(), said);
        if let Written::New(name) = written {
            state.set_name(node, &name);
        }
        graph.handle(node)
    }
}

/// What a statement says beside its tensors.
struct Said {
    expression: Expression,
    by: Accumulation,
    statement: Statement,
    logic: Logic,
    region: Region,
    site: Site,
}

impl State {
    /// Takes in a statement that reads these tensors, of which the last is replaced if so said.
    fn assign(
        &mut self,
        operation: Arc<dyn Operation>,
        nodes: &[NodeId],
        is_replacing: bool,
        said: Said,
    ) -> NodeId {
        let Said { expression, by, statement, logic, region, site } = said;
        let (read, target) = match nodes.split_last() {
            Some((target, read)) if is_replacing => (read, Some(*target)),
            _ => (nodes, None),
        };
        let operation = match target {
            Some(_) => {
                let is_erasing = statement == Statement::Erasing;
                let sign = if is_erasing { by.erasing() } else { by.name() };
                let hole = |number: usize| format!("{{{number}}}");
                let value = expression.display(&hole).to_string();
                let template = format!("{} {sign} {value}{logic}", hole(read.len()));
                Arc::new(Replacing { operation, template })
            }
            None => operation,
        };
        let Some(of) = self.step(operation, nodes, &site) else {
            return self.poisoned(nodes, site);
        };
        let begins = match (statement, target) {
            (Statement::Accumulating, Some(_)) => Begins::Kept,
            _ => Begins::Erased,
        };
        let slots = read.iter().enumerate();
        let view = View {
            of,
            written: Slot::RESULT,
            read: slots.map(|(number, node)| (Slot::operand(number), *node)).collect(),
            value: expression,
            accumulation: by,
            needed: vec![],
            is_stopped: false,
            logic,
        };
        let node = NodeId::at(self.nodes.len());
        let applied = Applied::plain(site.clone());
        if !self.type_result(&view.value, read, node, &applied) {
            return self.poisoned(nodes, site);
        }
        let computed = Computed { replaces: target, begins, views: vec![view], definition: None };
        let made = self.push(Made::Computed(computed), ShapeOf::Own(of), site.clone());
        self.nodes[made.place()].region = Some(region);
        self.nodes[made.place()].is_statement = true;
        let is_given = |node: NodeId| matches!(self.node(node).made, Made::Given(_));
        if let Some(target) = target {
            if region == Region::Initialise && !is_given(self.initialised(target)) {
                self.refuse(&site, &[], words::computed_anew(&self.called(target)));
            }
            // What is replaced has the type of what is computed.
            self.same_type(made, target, &site);
            let name = self.node(target).name.clone();
            self.nodes[made.place()].name = name;
        }
        made
    }
}
