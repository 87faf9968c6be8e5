//! A node as the rule of its operator sees it: attributes, what is known of inputs, and where to
//! say what outputs are.
//!
//! A rule reads with [`Call::shape`], [`Call::wholes`], [`Call::int`] and the like, and says what
//! it found with [`Call::give`]. Sizes that meet it puts through [`Call::equal`] or
//! [`Call::stretch`], which give the size to go on with and note what has to hold. What it does not
//! find it leaves out: whoever runs it gives that a name and says why.

use std::cell::Cell;

use lozenge_calculus::number;
use smallvec::SmallVec;

use super::{
    id::NodeId,
    known::{Known, Sizes},
    num::{Num, Nums, Origin, Truth},
    require::{Conflict, Place, Relation, Requirement, Stop},
    template::Template,
    value::{Elem, MOST_ELEMENTS, Value},
};
use crate::{
    element::Element,
    graph::{AttributeValue, Node},
    tensor::Tensor,
};

/// The attributes of a function's node, for the nodes of its body that refer to them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'r, 'a> {
    pub(crate) node: &'r Node<'a>,
    pub(crate) defaults: &'r [crate::graph::Attribute<'a>],
    pub(crate) outer: Option<&'r Frame<'r, 'a>>,
}

impl<'r, 'a> Frame<'r, 'a> {
    fn find(&self, name: &str) -> Option<&'r AttributeValue<'a>> {
        let own = self.node.attribute(name);
        let default = || self.defaults.iter().rfind(|a| a.name == name).map(|found| &found.value);
        match own.or_else(default)? {
            AttributeValue::Reference(outer) => self.outer?.find(outer.to_str()?),
            value => Some(value),
        }
    }
}

/// What nodes require, and where they disagree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effects {
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) assumptions: Vec<Requirement>,
}

impl Effects {
    pub(crate) fn lengths(&self) -> [usize; 3] {
        [self.requirements.len(), self.conflicts.len(), self.assumptions.len()]
    }

    /// Forgets what was noted since the effects had these lengths.
    pub(crate) fn truncate(&mut self, [requirements, conflicts, assumptions]: [usize; 3]) {
        self.requirements.truncate(requirements);
        self.conflicts.truncate(conflicts);
        self.assumptions.truncate(assumptions);
    }
}

/// What a rule says of an output.
pub(crate) type Outputs = SmallVec<[Option<Known>; 2]>;

/// A node that is inferred.
pub(crate) struct Call<'r, 'a> {
    pub(crate) node: &'r Node<'a>,
    pub(crate) id: NodeId,
    /// Which version of its operators' set the model uses.
    pub(crate) version: i64,
    pub(crate) nums: &'r mut Nums,
    pub(crate) inputs: SmallVec<[Option<&'r Known>; 4]>,
    pub(crate) outputs: Outputs,
    pub(crate) effects: &'r mut Effects,
    pub(crate) frame: Option<&'r Frame<'r, 'a>>,
    pub(crate) is_certain: bool,
    /// An attribute that says what the operator does not take.
    refused: Cell<Option<&'static str>>,
    /// The specification of the operator, where `keeps_template` says that it is wanted.
    pub(crate) template: Option<Template>,
    pub(crate) keeps_template: bool,
}

/// The node of a call, and which version of its operators' set the model uses.
#[derive(Clone, Copy)]
pub(crate) struct Called<'r, 'a> {
    pub(crate) node: &'r Node<'a>,
    pub(crate) id: NodeId,
    pub(crate) version: i64,
}

impl<'r, 'a> Call<'r, 'a> {
    /// The call of a node with these inputs, which is certain to run and keeps no specification.
    pub(crate) fn new(
        called: Called<'r, 'a>,
        inputs: impl Iterator<Item = Option<&'r Known>>,
        nums: &'r mut Nums,
        effects: &'r mut Effects,
    ) -> Call<'r, 'a> {
        let Called { node, id, version } = called;
        Call {
            node,
            id,
            version,
            nums,
            inputs: inputs.collect(),
            outputs: Outputs::new(),
            effects,
            frame: None,
            is_certain: true,
            refused: Cell::new(None),
            template: None,
            keeps_template: false,
        }
    }

    /// An attribute, where the node has it.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'r AttributeValue<'a>> {
        match self.node.attribute(name)? {
            AttributeValue::Reference(outer) => self.frame?.find(outer.to_str()?),
            value => Some(value),
        }
    }

    /// What an attribute says in the kind that the rule reads; none where the node does not have
    /// the attribute, for which ONNX has a default. One of another kind is not taken for a default:
    /// the node is refused ([`Call::unread`]).
    fn read<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'r AttributeValue<'a>) -> Option<T>,
    ) -> Option<T> {
        let value = match self.attribute(name)? {
            AttributeValue::None => return None,
            value => read(value),
        };
        if value.is_none() {
            self.refuse(name);
        }
        value
    }

    /// Notes that an attribute says what the operator does not take, where the rule goes on without
    /// it.
    pub(crate) fn refuse(&self, name: &'static str) {
        self.refused.set(Some(name));
    }

    /// The attribute that the rule could not read, if there is one.
    pub(crate) fn unread(&self) -> Option<&'static str> {
        self.refused.get()
    }

    pub(crate) fn int(&self, name: &'static str) -> Option<i64> {
        self.read(name, AttributeValue::int)
    }

    pub(crate) fn int_or(&self, name: &'static str, default: i64) -> i64 {
        self.int(name).unwrap_or(default)
    }

    /// Whether an attribute is a number other than 0.
    pub(crate) fn flag(&self, name: &'static str, default: bool) -> bool {
        self.int(name).map_or(default, |n| n != 0)
    }

    pub(crate) fn float(&self, name: &'static str) -> Option<f32> {
        self.read(name, AttributeValue::float)
    }

    pub(crate) fn string(&self, name: &'static str) -> Option<&'a str> {
        self.read(name, |value| match value {
            AttributeValue::String(text) => text.to_str(),
            _ => None,
        })
    }

    pub(crate) fn ints(&self, name: &'static str) -> Option<Vec<i64>> {
        self.read(name, |value| match value {
            AttributeValue::Ints(list) => Some(list.clone().take(MOST_ELEMENTS).collect()),
            _ => None,
        })
    }

    pub(crate) fn floats(&self, name: &'static str) -> Option<Vec<f32>> {
        self.read(name, |value| match value {
            AttributeValue::Floats(list) => Some(list.clone().take(MOST_ELEMENTS).collect()),
            _ => None,
        })
    }

    pub(crate) fn tensor(&self, name: &'static str) -> Option<&'r Tensor<'a>> {
        self.read(name, |value| match value {
            AttributeValue::Tensor(tensor) => Some(&**tensor),
            _ => None,
        })
    }

    /// How many inputs the node lists, those left out included.
    pub(crate) fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// How many outputs the node lists.
    pub(crate) fn output_count(&self) -> usize {
        self.node.outputs.len()
    }

    /// Whether an input is there.
    pub(crate) fn has(&self, input: usize) -> bool {
        self.inputs.get(input).is_some_and(Option::is_some)
    }

    /// What is known of an input.
    pub(crate) fn known(&self, input: usize) -> Result<&'r Known, Stop> {
        self.inputs.get(input).copied().flatten().ok_or(Stop::Missing(input))
    }

    /// The sizes of an input.
    pub(crate) fn shape(&self, input: usize) -> Result<&'r Sizes, Stop> {
        let known = self.known(input)?;
        if known.container.is_some() {
            return Err(Stop::Container);
        }
        known.shape.as_ref().ok_or(Stop::Rank(input))
    }

    /// The sizes of an input that has exactly `rank` axes.
    pub(crate) fn shape_of_rank(&self, input: usize, rank: usize) -> Result<&'r Sizes, Stop> {
        let shape = self.shape(input)?;
        if shape.len() == rank {
            Ok(shape)
        } else {
            Err(Stop::Axes { input, least: rank, found: shape.len() })
        }
    }

    /// The sizes of an input that has `least` axes or more.
    pub(crate) fn shape_of_least(&self, input: usize, least: usize) -> Result<&'r Sizes, Stop> {
        let shape = self.shape(input)?;
        if shape.len() >= least {
            Ok(shape)
        } else {
            Err(Stop::Axes { input, least, found: shape.len() })
        }
    }

    /// The element type of an input; undefined where it is not there.
    pub(crate) fn element(&self, input: usize) -> Element {
        self.known(input).map_or(Element::Undefined, |known| known.element)
    }

    /// The elements of an input, as far as they are known.
    pub(crate) fn value(&self, input: usize) -> Option<&'r Value> {
        self.known(input).ok()?.value.as_ref()
    }

    /// The whole numbers of an input of at most one axis: none for those that are not known, and as
    /// many as its size says.
    pub(crate) fn wholes(&self, input: usize) -> Result<SmallVec<[Option<Num>; 4]>, Stop> {
        if let Some(value) = self.value(input) {
            return Ok(value.iter().map(|elem| elem.whole()).collect());
        }
        let shape = self.shape(input)?;
        match shape.as_slice() {
            [] => Ok(SmallVec::from_elem(None, 1)),
            [size] => {
                let count = size.as_int().and_then(|n| usize::try_from(n).ok());
                let count =
                    count.filter(|count| *count <= MOST_ELEMENTS).ok_or(Stop::Value(input))?;
                Ok(SmallVec::from_elem(None, count))
            }
            _ => Err(Stop::Value(input)),
        }
    }

    /// The whole numbers of an input of at most one axis, all of which have to be known numbers.
    pub(crate) fn known_ints(&self, input: usize) -> Result<Vec<i64>, Stop> {
        let all = self.wholes(input)?.into_iter().map(|num| num.and_then(Num::as_int));
        all.collect::<Option<Vec<i64>>>().ok_or(Stop::Value(input))
    }

    /// The one element of an input.
    pub(crate) fn scalar(&self, input: usize) -> Option<Elem> {
        match &self.value(input)?[..] {
            [elem] => Some(*elem),
            _ => None,
        }
    }

    /// An axis that may count from the end.
    pub(crate) fn axis(axis: i64, rank: usize) -> Result<usize, Stop> {
        let length = number::length(rank);
        let from_start = if axis < 0 { axis + length } else { axis };
        let found = usize::try_from(from_start).ok().filter(|axis| *axis < rank);
        found.ok_or(Stop::NoAxis { axis, rank })
    }

    /// Says what an output is.
    pub(crate) fn give(&mut self, output: usize, known: Known) {
        if self.outputs.len() <= output {
            self.outputs.resize(output + 1, None);
        }
        self.outputs[output] = Some(known);
    }

    /// Says what sizes an output has.
    pub(crate) fn give_sizes(
        &mut self,
        output: usize,
        element: Element,
        sizes: impl IntoIterator<Item = Num>,
    ) {
        self.give(output, Known::tensor(element, sizes));
    }

    /// Says what sizes and elements an output has. Elements that are too many are left out.
    pub(crate) fn give_value(
        &mut self,
        output: usize,
        element: Element,
        sizes: impl IntoIterator<Item = Num>,
        value: impl IntoIterator<Item = Elem>,
    ) {
        let mut known = Known::tensor(element, sizes);
        let value: Value = value.into_iter().collect();
        known.value = Some(value)
            .filter(|value| value.len() <= MOST_ELEMENTS && known.count() == Some(value.len()));
        self.give(output, known);
    }

    /// A size that only running the model tells, by a name of the node's: between these numbers, as
    /// far as they are given.
    pub(crate) fn fresh(&mut self, number: usize, low: i64, high: Option<Num>) -> Num {
        let op = self.node.op.to_lossy();
        let suffix = if number == 0 { String::new() } else { format!("_{number}") };
        let wanted = format!("{op}_{}{suffix}", self.id.0);
        let origin = Origin::Node(self.id);
        let is_taken = |nums: &Nums| {
            nums.find(&wanted)
                .and_then(|id| nums.name(id))
                .is_some_and(|name| name.origin == Origin::Input)
        };
        let text = if is_taken(self.nums) { format!("{wanted}_") } else { wanted };
        let num = self.nums.named(&text, origin, low);
        let high = high.and_then(|high| self.nums.interval(high).1);
        if let (Some(id), Some(high)) = (self.nums.find(&text), high) {
            self.nums.set_range(id, Some(low), Some(high));
        }
        num
    }

    /// Two sizes that have to be equal. Gives the one to go on with.
    pub(crate) fn equal(&mut self, a: Num, at: Place, b: Num, by: Place) -> Num {
        let truth = self.nums.equals(a, b);
        if truth == Truth::Always {
            return shorter(a, b);
        }
        // That the least of two is one of them says that the other is no less.
        for (least, one, place) in [(a, b, at), (b, a, by)] {
            if let Some(slack) = self.nums.slack(least, one) {
                self.at_least(slack, 0, place);
                return one;
            }
        }
        self.note(Relation::Equal(a, b), [at, by], truth);
        shorter(a, b)
    }

    /// Two sizes that meet where ONNX broadcasts. Gives that of the result.
    pub(crate) fn stretch(&mut self, a: Num, at: Place, b: Num, by: Place) -> Num {
        if a == b || b == Num::ONE {
            return a;
        }
        if a == Num::ONE {
            return b;
        }
        if self.nums.equals(a, b) == Truth::Always {
            return shorter(a, b);
        }
        // Whether one may be 1 where the other is not.
        let mut is_stretched = |one: Num, other: Num| {
            let may_be_one = match one {
                Num::Int(n) => n == 1,
                Num::Form(_) => {
                    self.nums.interval(one).0.is_none_or(|low| low <= 1)
                        && self.nums.equals(one, Num::ONE) != Truth::Never
                }
            };
            may_be_one && !self.nums.is_one_where(other, one)
        };
        let (first, second) = (is_stretched(a, b), is_stretched(b, a));
        if !first && !second {
            return self.equal(a, at, b, by);
        }
        self.note(Relation::Stretch(a, b), [at, by], Truth::Maybe);
        match (first, second) {
            (true, true) => self.nums.greatest(a, b),
            (true, false) => b,
            (false, _) => a,
        }
    }

    /// A size that is broadcast to a given one: it is equal to that or 1.
    pub(crate) fn fit(&mut self, size: Num, at: Place, to: Num, by: Place) {
        if size == Num::ONE || self.nums.equals(size, to) == Truth::Always {
            return;
        }
        let is_one = self.nums.equals(size, Num::ONE);
        if is_one == Truth::Never {
            self.equal(size, at, to, by);
        } else {
            self.note(Relation::Fit(size, to), [at, by], Truth::Maybe);
        }
    }

    /// A number that has to be at least this.
    pub(crate) fn at_least(&mut self, num: Num, least: i64, at: Place) {
        let (low, high) = self.nums.interval(num);
        if low.is_some_and(|low| low >= least) {
            return;
        }
        let truth = if high.is_some_and(|high| high < least) { Truth::Never } else { Truth::Maybe };
        self.note(Relation::AtLeast(num, least), [at, Place::Node], truth);
    }

    /// The exact quotient, which is required to be whole. That by 0 is 0.
    pub(crate) fn divided(&mut self, of: Num, by: Num, at: Place) -> Num {
        if by == Num::ONE {
            return of;
        }
        let Some(quotient) = self.nums.quotient(of, by) else { return Num::Int(0) };
        let is_fraction =
            matches!(quotient, Num::Form(_)) && self.nums.names_of(quotient).is_empty();
        if is_fraction {
            self.note(Relation::Divides(by, of), [Place::Node, at], Truth::Never);
        } else if !self.nums.is_quotient_exact(of, by, quotient) {
            self.note(Relation::Divides(by, of), [Place::Node, at], Truth::Maybe);
            self.nums.set_exact(of, by);
        }
        quotient
    }

    /// Takes two sizes for different, of which this is not known.
    pub(crate) fn assume_different(&mut self, a: Num, b: Num, at: Place) {
        let (node, is_certain) = (self.id, self.is_certain);
        let (relation, places) = (Relation::Equal(a, b), [at, Place::Node]);
        self.effects.assumptions.push(Requirement { relation, node, places, is_certain });
    }

    /// Notes what has to hold.
    pub(crate) fn note(&mut self, relation: Relation, places: [Place; 2], truth: Truth) {
        let (node, is_certain) = (self.id, self.is_certain);
        self.effects.note(Requirement { relation, node, places, is_certain }, truth);
    }
}

impl Effects {
    /// Keeps what has to hold, unless it always does.
    pub(crate) fn note(&mut self, required: Requirement, truth: Truth) {
        let Requirement { relation, node, places, is_certain } = required;
        match truth {
            Truth::Always => {}
            Truth::Maybe => self.requirements.push(required),
            Truth::Never => {
                let relation = Some(relation);
                let conflict = Conflict { relation, mistake: None, node, places, is_certain };
                self.conflicts.push(conflict);
            }
        }
    }
}

/// The size to go on with of two that have to be equal: a number, else the one that was there
/// first.
fn shorter(a: Num, b: Num) -> Num {
    match (a, b) {
        (Num::Int(_), _) => a,
        (_, Num::Int(_)) => b,
        (a, b) => a.min(b),
    }
}
