//! What a graph is built with: tensors that are given, constants, operations that have a method.

use std::{borrow::Cow, ops::RangeBounds, sync::Arc};

use lozenge::{
    Accumulation, Binary, Compose, Einsum, Expression, Operation, Pointwise, Report, Reshape, Role,
    Site, SizeVar, Terminal, Ternary, Transpose, Unary,
};

use crate::{
    element_type::{ElementType, TypeSet},
    graph::{Graph, Tensor},
    like::Told,
    literal::{Literal, LiteralParts},
    node::{Content, Given},
    state::Applied,
};

/// Tensors that no operation makes.
impl Graph {
    /// Data of a shape, such as `batch|->28,28`. Where it has `_` or `...`, its uses say more.
    #[track_caller]
    pub fn data(&self, name: &str, shape: &str) -> Tensor<'_> {
        self.given(Terminal::data(name, shape), Given::Data, name)
    }

    /// Data without a declared shape: it has the shape that its uses ask for.
    #[track_caller]
    pub fn undeclared(&self, name: &str) -> Tensor<'_> {
        self.given(Terminal::undeclared(name, Role::Leaf), Given::Data, name)
    }

    /// A parameter, whose shape its uses must say.
    #[track_caller]
    pub fn parameter(&self, name: &str) -> Tensor<'_> {
        self.given(Terminal::undeclared(name, Role::Parameter), Given::Parameter, name)
    }

    /// A parameter of a shape. Where it has `_` or `...`, its uses must say more.
    #[track_caller]
    pub fn parameter_of(&self, name: &str, shape: &str) -> Tensor<'_> {
        self.given(Terminal::parameter(name, shape), Given::Parameter, name)
    }

    /// What updates keep from step to step. It begins with zeros, and its uses say its shape.
    #[track_caller]
    pub fn kept(&self, name: &str) -> Tensor<'_> {
        self.given(Terminal::undeclared(name, Role::Leaf), Given::State, name)
    }

    /// What updates keep from step to step, in a shape: a count of steps is a number, `1_`,
    /// whatever it is used for.
    #[track_caller]
    pub fn kept_of(&self, name: &str, shape: &str) -> Tensor<'_> {
        self.given(Terminal::data(name, shape), Given::State, name)
    }

    #[track_caller]
    fn given(&self, terminal: Terminal, given: Given, name: &str) -> Tensor<'_> {
        let site = Site::caller();
        self.handle(self.state().given(terminal, given, name, site))
    }

    /// A number, which stretches to anything, or a nested list of numbers, each of whose depths is
    /// an output axis. A number with a point is a float.
    #[track_caller]
    #[allow(clippy::needless_pass_by_value)] // a literal is written where it is given
    pub fn literal(&self, literal: impl Literal) -> Tensor<'_> {
        let site = Site::caller();
        let parts = LiteralParts::of(&literal);
        let allowed = parts.allowed.unwrap_or(TypeSet::ANY);
        let mut state = self.state();
        if let Some((depth, lengths)) = parts.ragged {
            state.refuse(&site, &[], crate::words::ragged(depth, lengths));
            return self.handle(state.poisoned(&[], site));
        }
        if let ([], [number]) = (&parts.lengths[..], &parts.elements[..]) {
            let terminal = Terminal::number(number.to_string());
            return self.handle(state.constant(terminal, Content::Number(*number), allowed, site));
        }
        let sizes: Vec<u64> = parts.lengths.iter().map(|length| *length as u64).collect();
        let terminal = Terminal::data_of_sizes("literal", &[], &[], &sizes);
        let content = Content::Elements(parts.elements.into());
        self.handle(state.constant(terminal, content, allowed, site))
    }

    /// The elements of a literal, in the order of memory, in this shape: `2|3->4`.
    #[track_caller]
    pub fn literal_of(&self, shape: &str, literal: impl Literal) -> Tensor<'_> {
        self.literal(literal).reshape(shape)
    }

    /// 0, 1, 2 … in the order of memory, in this shape. Where it has `_` or `...`, its uses say
    /// more.
    #[track_caller]
    pub fn range(&self, shape: &str) -> Tensor<'_> {
        let site = Site::caller();
        let terminal = Terminal::data("range", shape);
        self.handle(self.state().constant(terminal, Content::Range, TypeSet::NUMBERS, site))
    }

    /// How many elements an axis has, as a number: `graph.size_of(scores, "d").sqrt()`. The name
    /// is one of the specification that made the tensor.
    #[track_caller]
    pub fn size_of(&self, tensor: Tensor<'_>, name: &str) -> Tensor<'_> {
        let site = Site::caller();
        let Some(size) = self.captured(tensor, name, &site) else {
            return self.handle(self.state().poisoned(&[], site));
        };
        self.counted(Content::Size(size), name, site)
    }

    /// How many elements of a tensor there are for each element of another, as a number.
    #[track_caller]
    pub fn ratio_of(&self, many: Tensor<'_>, few: Tensor<'_>) -> Tensor<'_> {
        let site = Site::caller();
        let shaped = self.own(&[many, few], &site).and_then(|nodes| {
            let state = self.state();
            Some((state.shape_of(nodes[0])?, state.shape_of(nodes[1])?))
        });
        match shaped {
            Some((many, few)) => self.counted(Content::Ratio(many, few), "ratio", site),
            None => self.handle(self.state().poisoned(&[], site)),
        }
    }

    /// A tensor of the shape and the type of another, with one number everywhere.
    fn filled_like(&self, tensor: Tensor<'_>, number: f64, site: &Site) -> Tensor<'_> {
        let node = match self.own(&[tensor], site) {
            Some(nodes) => self.state().filled_like(nodes[0], number, site),
            None => self.state().poisoned(&[], site.clone()),
        };
        self.handle(node)
    }

    fn counted(&self, content: Content, name: &str, site: Site) -> Tensor<'_> {
        let terminal = Terminal::number(name);
        self.handle(self.state().constant(terminal, content, TypeSet::NUMBERS, site))
    }
}

/// Sizes.
impl Graph {
    fn captured(&self, tensor: Tensor<'_>, name: &str, site: &Site) -> Option<SizeVar> {
        let [node] = self.own(&[tensor], site)?[..] else { return None };
        let mut state = self.state();
        let shaped = state.shape_of(node)?;
        let captured = state.session.at(site.clone()).capture(shaped, name);
        match captured {
            Ok(size) => Some(size),
            Err(report) => {
                state.refused.push(report);
                None
            }
        }
    }

    /// Says how many elements an axis has, by its name in the specification that made the tensor;
    /// of a row, the number of its elements.
    #[track_caller]
    pub fn set_size(&self, tensor: Tensor<'_>, name: &str, number: u64) {
        let site = Site::caller();
        if let Some(size) = self.captured(tensor, name, &site) {
            self.said(&site, |session| session.set(size, number));
        }
    }

    /// Says that two axes have the same size, each by its name in the specification that made a
    /// tensor.
    #[track_caller]
    pub fn equal_sizes(&self, one: (Tensor<'_>, &str), other: (Tensor<'_>, &str)) {
        let site = Site::caller();
        let sizes = [one, other].map(|(tensor, name)| self.captured(tensor, name, &site));
        if let [Some(one), Some(other)] = sizes {
            self.said(&site, |session| session.equal(one, other));
        }
    }

    /// Says which values a size by a name has, wherever it occurs.
    #[track_caller]
    pub fn range_of(&self, name: &str, range: impl RangeBounds<u64>) {
        self.said(&Site::caller(), |session| session.range(name, range));
    }

    /// Says that something holds of sizes by names: `8 divides seq`.
    #[track_caller]
    pub fn declare(&self, text: &str) {
        self.said(&Site::caller(), |session| session.declare(text));
    }

    fn said(&self, site: &Site, say: impl FnOnce(&mut lozenge::Session) -> Result<(), Report>) {
        let mut state = self.state();
        let said = say(&mut state.session.at(site.clone()));
        if let Err(report) = said {
            state.refused.push(report);
        }
    }
}

/// Operations of several tensors.
impl Graph {
    /// What a specification says: `ij; jk => ik`, products summed.
    #[track_caller]
    pub fn einsum(&self, spec: &str, operands: &[Tensor<'_>]) -> Tensor<'_> {
        self.einsum_with(spec, &[], operands)
    }

    /// The same with numbers for some of its names: `("stride", 2)`.
    #[track_caller]
    pub fn einsum_with(
        &self,
        spec: &str,
        numbers: &[(&str, u64)],
        operands: &[Tensor<'_>],
    ) -> Tensor<'_> {
        self.specified(spec, numbers, operands, |einsum| einsum)
    }

    /// What a specification says, accumulated in this way instead of added.
    #[track_caller]
    pub fn einsum_by(&self, spec: &str, by: Accumulation, operands: &[Tensor<'_>]) -> Tensor<'_> {
        self.specified(spec, &[], operands, |einsum| einsum.by(by))
    }

    /// What a specification says of these elements, accumulated in this way: the tropical product
    /// is the sum of two elements, of which the largest stays.
    #[track_caller]
    pub fn einsum_of(
        &self,
        spec: &str,
        value: Expression,
        by: Accumulation,
        operands: &[Tensor<'_>],
    ) -> Tensor<'_> {
        self.specified(spec, &[], operands, |einsum| einsum.of_elements(value).by(by))
    }

    #[track_caller]
    fn specified<O: Operation + 'static>(
        &self,
        spec: &str,
        numbers: &[(&str, u64)],
        operands: &[Tensor<'_>],
        change: impl FnOnce(Einsum) -> O,
    ) -> Tensor<'_> {
        let site = Site::caller();
        let einsum = match Einsum::with(spec, numbers) {
            Ok(einsum) => change(einsum),
            Err(report) => {
                let nodes = self.own(operands, &site).unwrap_or_default();
                let mut state = self.state();
                state.refused.push(report);
                return self.handle(state.poisoned(&nodes, site));
            }
        };
        let Some(nodes) = self.own(operands, &site) else {
            return self.handle(self.state().poisoned(&[], site));
        };
        let applied = Applied { spec: Some(spec.into()), ..Applied::plain(site) };
        let einsum: Arc<dyn Operation> = Arc::new(einsum);
        self.handle(self.state().apply(&einsum, &nodes, applied))
    }

    /// The tensors along a new first output axis.
    #[track_caller]
    pub fn stack(&self, tensors: &[Tensor<'_>]) -> Tensor<'_> {
        let mut each = Vec::with_capacity(tensors.len());
        for tensor in tensors {
            // No closure: it would be its own caller.
            each.push(self.lifted("...|...->... => ...|...->(1), ...", *tensor));
        }
        self.concat(&each)
    }

    /// A tensor with an axis of one position more.
    #[track_caller]
    fn lifted(&self, spec: &str, tensor: Tensor<'_>) -> Tensor<'_> {
        let told = |operation| Told { operation, template: "[{0}]" };
        self.specified(spec, &[], &[tensor], told)
    }

    /// The tensors one after another along their first output axis.
    #[track_caller]
    pub fn concat(&self, tensors: &[Tensor<'_>]) -> Tensor<'_> {
        let site = Site::caller();
        match tensors {
            [] => {
                let mut state = self.state();
                state.refuse(&site, &[], crate::words::nothing_to_join());
                self.handle(state.poisoned(&[], site))
            }
            [only] => self.einsum("...|...->... => ...|...->...", &[*only]),
            _ => {
                let parts: Vec<String> =
                    (0..tensors.len()).map(|part| format!("part{part}")).collect();
                let read: Vec<String> =
                    parts.iter().map(|part| format!("...|...->{part}, ...")).collect();
                let spec = format!("{} => ...|...->{}, ...", read.join("; "), parts.join("^"));
                self.einsum(&spec, tensors)
            }
        }
    }

    /// Two tensors whose last output axes take turns.
    #[track_caller]
    pub fn interleave(&self, even: Tensor<'_>, odd: Tensor<'_>) -> Tensor<'_> {
        let spec = "...|...->... => ...|...->..., (1)";
        let [even, odd] = [self.lifted(spec, even), self.lifted(spec, odd)];
        let both = "...|...->..., a; ...|...->..., b => ...|...->..., a^b";
        let pairs = self.einsum(both, &[even, odd]);
        self.einsum("...|...->..., i, two => ...|...->..., (i two)", &[pairs])
    }

    /// `where(choice, yes, no)`, element by element.
    #[track_caller]
    pub fn choose(&self, choice: Tensor<'_>, yes: Tensor<'_>, no: Tensor<'_>) -> Tensor<'_> {
        let value = Expression::ternary(Ternary::Where, [0, 1, 2].map(Expression::read));
        self.made(Pointwise::computing("where", value), &[choice, yes, no], Site::caller())
    }

    /// `first * second + third`, element by element, rounded once.
    #[track_caller]
    pub fn multiply_add(
        &self,
        first: Tensor<'_>,
        second: Tensor<'_>,
        third: Tensor<'_>,
    ) -> Tensor<'_> {
        let value = Expression::ternary(Ternary::MultiplyAdd, [0, 1, 2].map(Expression::read));
        self.made(Pointwise::computing("fma", value), &[first, second, third], Site::caller())
    }
}

/// Operations of one tensor, and of it and others.
impl<'g> Tensor<'g> {
    /// What a specification of one operand says: `ij => ji`, summed where the result lacks an axis.
    #[track_caller]
    #[must_use]
    pub fn einsum(self, spec: &str) -> Tensor<'g> {
        self.graph.einsum(spec, &[self])
    }

    /// The same, accumulated in this way.
    #[track_caller]
    #[must_use]
    pub fn reduce(self, spec: &str, by: Accumulation) -> Tensor<'g> {
        self.graph.einsum_by(spec, by, &[self])
    }

    /// The sum of all elements, as a tensor of no axes.
    #[track_caller]
    #[must_use]
    pub fn sum(self) -> Tensor<'g> {
        self.einsum("...|...->... => ")
    }

    /// The sum of a specification, divided for each cell by the number of elements that were added
    /// to it: `...|... => ...|` is the mean over the output axes.
    #[track_caller]
    #[must_use]
    pub fn mean(self, spec: &str) -> Tensor<'g> {
        let sum = self.einsum(spec);
        let is_other = lozenge_notation::parse(spec).ok().is_ok_and(|spec| !spec.is_plain());
        if is_other && !sum.is_poisoned() {
            let ones = self.graph.filled_like(self, 1.0, &Site::caller());
            return sum / ones.einsum(spec);
        }
        sum / self.graph.ratio_of(self, sum)
    }

    /// `self ∘ other`: the input axes of this are contracted with the output axes of the other,
    /// which is a linear layer, for any batch.
    #[track_caller]
    #[must_use]
    pub fn compose(self, other: Tensor<'g>) -> Tensor<'g> {
        self.graph.made(Compose, &[self, other], Site::caller())
    }

    /// The input axes and the output axes exchanged.
    #[track_caller]
    #[must_use]
    pub fn transpose(self) -> Tensor<'g> {
        self.graph.made(Transpose, &[self], Site::caller())
    }

    /// The same elements in this shape, in which `_` and `...` stand for what follows.
    #[track_caller]
    #[must_use]
    pub fn reshape(self, shape: &str) -> Tensor<'g> {
        self.graph.made(Reshape::to(shape), &[self], Site::caller())
    }

    /// The same elements in a shape that is inferred from how the result is used.
    #[track_caller]
    #[must_use]
    pub fn reshaped(self) -> Tensor<'g> {
        self.graph.made(Reshape::new(), &[self], Site::caller())
    }

    /// The rows of this table that another tensor of integers names: `v d; b s => b s d` with
    /// `axis` `v`. An index that the table has not gives 0.
    #[track_caller]
    #[must_use]
    pub fn gather(self, spec: &str, axis: &str, indices: Tensor<'g>) -> Tensor<'g> {
        let site = Site::caller();
        if let Ok(known) = lozenge_notation::parse(spec).ok() {
            let of_table =
                known.operands().first().is_some_and(|table| known.has_axis(table, axis));
            if !of_table {
                self.graph.state().refuse(&site, &[], crate::words::no_axis_of_table(axis, spec));
                return self.graph.handle(self.graph.state().poisoned(&[], site));
            }
        }
        let word = if axis.chars().count() > 1 { "," } else { "" };
        let spec = format!("{axis}{word}; {spec}");
        let places = self.graph.range("_");
        let read = Expression::read;
        let chosen = read(0).binary(Binary::Equal, read(2));
        let value = Expression::ternary(Ternary::Where, [chosen, read(1), 0.0.into()]);
        self.graph.state().needs(indices.node, TypeSet::INDICES, &site);
        self.graph.einsum_of(&spec, value, Accumulation::Add, &[places, self, indices])
    }

    /// The elements as another type.
    #[track_caller]
    #[must_use]
    pub fn to(self, target: ElementType) -> Tensor<'g> {
        let site = Site::caller();
        let applied = Applied { converts: Some(target), ..Applied::plain(site) };
        let name = format!("to_{target}");
        self.computed(name, Expression::read(0), &[], applied)
    }

    /// The tensor, through which no gradient goes.
    #[track_caller]
    #[must_use]
    pub fn stop_gradient(self) -> Tensor<'g> {
        let applied = Applied { is_stopped: true, ..Applied::plain(Site::caller()) };
        self.computed("stop_gradient", Expression::read(0), &[], applied)
    }

    /// A primitive of each element.
    #[track_caller]
    #[must_use]
    pub fn unary(self, primitive: Unary) -> Tensor<'g> {
        let value = Expression::read(0).unary(primitive);
        self.computed(primitive.name(), value, &[], Applied::plain(Site::caller()))
    }

    /// A primitive of each element and that of another tensor, or a number.
    #[track_caller]
    #[must_use]
    pub fn binary(self, primitive: Binary, other: impl Operand<'g>) -> Tensor<'g> {
        let site = Site::caller();
        let value = Expression::read(0).binary(primitive, Expression::read(1));
        let other = other.on(self.graph);
        let name = primitive.sign().map_or(primitive.name(), |(sign, _)| sign);
        self.computed(name, value, &[other], Applied::plain(site))
    }

    #[track_caller]
    fn computed(
        self,
        name: impl Into<Cow<'static, str>>,
        value: Expression,
        others: &[Tensor<'g>],
        applied: Applied,
    ) -> Tensor<'g> {
        let operands: Vec<Tensor<'g>> = [&[self], others].concat();
        let Some(nodes) = self.graph.own(&operands, &applied.site) else {
            return self.graph.handle(self.graph.state().poisoned(&[], applied.site));
        };
        let operation: Arc<dyn Operation> = Arc::new(Pointwise::computing(name, value));
        self.graph.handle(self.graph.state().apply(&operation, &nodes, applied))
    }
}

/// What can stand beside a tensor: another, or a number.
pub trait Operand<'g> {
    /// It, as a tensor of a graph.
    #[track_caller]
    fn on(self, graph: &'g Graph) -> Tensor<'g>;
}

impl<'g> Operand<'g> for Tensor<'g> {
    fn on(self, _: &'g Graph) -> Tensor<'g> {
        self
    }
}

/// Numbers beside tensors.
macro_rules! numbers {
    ($($number:ident)*) => {
        $(impl<'g> Operand<'g> for $number {
            #[track_caller]
            fn on(self, graph: &'g Graph) -> Tensor<'g> {
                graph.literal(self)
            }
        })*
    };
}

numbers! { f64 i32 }
