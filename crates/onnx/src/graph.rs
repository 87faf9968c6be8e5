//! Graphs, their nodes and the nodes' attributes: three messages that contain each other.

use crate::{
    error::{Mistake, ReadError},
    limits::{Limits, counts},
    list::{Floats, Ints, Repeated, Strings, check_fixed, check_varints},
    tensor::{SparseTensor, Tensor},
    text::Text,
    types::{Type, ValueInfo},
    wire::{Field, Fields},
};

/// A graph: of a model, of a branch or of the body of a loop.
#[derive(Debug, Clone, Default)]
pub struct Graph<'a> {
    /// The graph's name.
    pub name: Text<'a>,
    /// The nodes, each after those whose outputs it uses.
    pub nodes: Vec<Node<'a>>,
    /// Tensors that the file holds.
    pub initializers: Vec<Tensor<'a>>,
    /// Tensors that the file holds some elements of.
    pub sparse_initializers: Vec<SparseTensor<'a>>,
    /// The inputs. Old files list the initializers here too.
    pub inputs: Vec<ValueInfo<'a>>,
    /// The outputs.
    pub outputs: Vec<ValueInfo<'a>>,
    /// What the file says about values between inputs and outputs.
    pub value_info: Vec<ValueInfo<'a>>,
}

/// A node: an operation that is applied to values and gives values.
#[derive(Debug, Clone, Default)]
pub struct Node<'a> {
    /// The operation: `MatMul`.
    pub op: Text<'a>,
    /// The operation's domain; empty for ONNX's own.
    pub domain: Text<'a>,
    /// The node's name, which may be empty and need not be unique.
    pub name: Text<'a>,
    /// Which of several functions of one name is meant.
    pub overload: Text<'a>,
    /// The values that the operation is applied to, by name. An empty name leaves an optional one
    /// out.
    pub inputs: Vec<Text<'a>>,
    /// The values that it gives, by name.
    pub outputs: Vec<Text<'a>>,
    /// The attributes, in the order of the file.
    pub attributes: Vec<Attribute<'a>>,
}

/// An attribute of a node, or the default of one of a function.
#[derive(Debug, Clone, Default)]
pub struct Attribute<'a> {
    /// The attribute's name.
    pub name: Text<'a>,
    /// What it is.
    pub value: AttributeValue<'a>,
}

/// What an attribute is.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum AttributeValue<'a> {
    /// Nothing, or something of a type that ONNX did not have when this was written.
    #[default]
    None,
    /// A number of 32 bits.
    Float(f32),
    /// A whole number.
    Int(i64),
    /// A text, or any bytes.
    String(Text<'a>),
    /// A tensor.
    Tensor(Box<Tensor<'a>>),
    /// A sparse tensor.
    SparseTensor(Box<SparseTensor<'a>>),
    /// A graph: a branch, or the body of a loop.
    Graph(Box<Graph<'a>>),
    /// A type.
    Type(Box<Type<'a>>),
    /// Numbers of 32 bits.
    Floats(Floats<'a>),
    /// Whole numbers.
    Ints(Ints<'a>),
    /// Texts.
    Strings(Strings<'a>),
    /// Tensors.
    Tensors(Vec<Tensor<'a>>),
    /// Sparse tensors.
    SparseTensors(Vec<SparseTensor<'a>>),
    /// Graphs.
    Graphs(Vec<Graph<'a>>),
    /// Types.
    Types(Vec<Type<'a>>),
    /// In the body of a function: what the attribute of this name is where the function is used.
    Reference(Text<'a>),
}

/// Reads the message of a field as the next element of a list.
pub(crate) fn push<'a, T>(
    list: &mut Vec<T>,
    field: &Field<'a>,
    name: &'static str,
    read: impl FnOnce(Fields<'a>) -> Result<T, ReadError>,
) -> Result<(), ReadError> {
    match field.message().and_then(read) {
        Ok(element) => {
            list.push(element);
            Ok(())
        }
        Err(error) => Err(error.inside(name, Some(list.len()))),
    }
}

impl<'a> Graph<'a> {
    /// Takes a graph, or another piece of it, in: protobuf merges pieces of one message.
    pub(crate) fn merge(
        &mut self,
        message: Fields<'a>,
        limits: &mut Limits,
    ) -> Result<(), ReadError> {
        limits.descend(message.offset())?;
        let (counts, at) = (counts(message)?, message.offset());
        limits.reserve(&mut self.nodes, counts[1], at)?;
        limits.reserve(&mut self.initializers, counts[5], at)?;
        limits.reserve(&mut self.inputs, counts[11], at)?;
        limits.reserve(&mut self.outputs, counts[12], at)?;
        limits.reserve(&mut self.value_info, counts[13], at)?;
        limits.reserve(&mut self.sparse_initializers, counts[15], at)?;
        let mut fields = message;
        while let Some(field) = fields.read()? {
            let field = &field;
            match field.number {
                1 => push(&mut self.nodes, field, "node", |m| Node::read(m, limits))?,
                2 => self.name = Text(field.bytes()?),
                5 => push(&mut self.initializers, field, "initializer", Tensor::read)?,
                11 => push(&mut self.inputs, field, "input", |m| ValueInfo::read(m, limits))?,
                12 => push(&mut self.outputs, field, "output", |m| ValueInfo::read(m, limits))?,
                13 => {
                    push(&mut self.value_info, field, "value_info", |m| {
                        ValueInfo::read(m, limits)
                    })?;
                }
                15 => {
                    let list = &mut self.sparse_initializers;
                    push(list, field, "sparse_initializer", SparseTensor::read)?;
                }
                _ => {}
            }
        }
        limits.ascend();
        Ok(())
    }

    /// The graphs of attributes of this graph's nodes, in the order of the file: those of this
    /// graph itself, not the ones inside them.
    pub fn subgraphs(&self) -> impl Iterator<Item = &Graph<'a>> {
        self.nodes.iter().flat_map(Node::graphs)
    }

    /// How many nodes there are in this graph and the graphs inside it.
    pub fn count_nodes(&self) -> usize {
        self.nodes.len() + self.subgraphs().map(Graph::count_nodes).sum::<usize>()
    }
}

impl<'a> Node<'a> {
    pub(crate) fn read(message: Fields<'a>, limits: &mut Limits) -> Result<Self, ReadError> {
        let mut node = Node::default();
        let (counts, at) = (counts(message)?, message.offset());
        limits.reserve(&mut node.inputs, counts[1], at)?;
        limits.reserve(&mut node.outputs, counts[2], at)?;
        limits.reserve(&mut node.attributes, counts[5], at)?;
        let mut fields = message;
        while let Some(field) = fields.read()? {
            match field.number {
                1 => node.inputs.push(Text(field.bytes()?)),
                2 => node.outputs.push(Text(field.bytes()?)),
                3 => node.name = Text(field.bytes()?),
                4 => node.op = Text(field.bytes()?),
                5 => {
                    let read = |message| Attribute::read(message, limits);
                    push(&mut node.attributes, &field, "attribute", read)?;
                }
                7 => node.domain = Text(field.bytes()?),
                8 => node.overload = Text(field.bytes()?),
                _ => {}
            }
        }
        Ok(node)
    }

    /// The attribute of a name; the last, where a file has several.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue<'a>> {
        self.attributes.iter().rfind(|attribute| attribute.name == name).map(|found| &found.value)
    }

    /// The graphs among the attributes, in the order of the file.
    pub fn graphs(&self) -> impl Iterator<Item = &Graph<'a>> {
        self.attributes.iter().flat_map(Attribute::graphs)
    }
}

/// The fields of an attribute as they are read, before its type is known.
#[derive(Default)]
struct Pieces<'a> {
    /// ONNX's number of the attribute's type; 0 where none is given.
    kind: i32,
    /// A bit for each field that was there.
    seen: u32,
    reference: Text<'a>,
    float: f32,
    int: i64,
    string: Text<'a>,
    tensor: Option<Box<Tensor<'a>>>,
    sparse: Option<Box<SparseTensor<'a>>>,
    graph: Option<Box<Graph<'a>>>,
    ty: Option<Box<Type<'a>>>,
    floats: Repeated<'a>,
    ints: Repeated<'a>,
    strings: Repeated<'a>,
    tensors: Vec<Tensor<'a>>,
    sparses: Vec<SparseTensor<'a>>,
    graphs: Vec<Graph<'a>>,
    types: Vec<Type<'a>>,
}

impl<'a> Attribute<'a> {
    pub(crate) fn read(mut fields: Fields<'a>, limits: &mut Limits) -> Result<Self, ReadError> {
        let mut name = Text::default();
        let mut pieces = Pieces::default();
        loop {
            let before = fields.rest();
            let Some(field) = fields.read()? else { break };
            pieces.seen |= bit(field.number);
            match field.number {
                1 => name = Text(field.bytes()?),
                2 => pieces.float = field.float()?,
                3 => pieces.int = field.int()?,
                4 => pieces.string = Text(field.bytes()?),
                7 => {
                    check_fixed(&field, 4)?;
                    pieces.floats.note(7, before, fields.rest());
                }
                8 => {
                    check_varints(&field)?;
                    pieces.ints.note(8, before, fields.rest());
                }
                9 => {
                    field.bytes()?;
                    pieces.strings.note(9, before, fields.rest());
                }
                20 => pieces.kind = field.int32()?,
                21 => pieces.reference = Text(field.bytes()?),
                _ => pieces.merge_message(&field, limits)?,
            }
        }
        Ok(Attribute { name, value: pieces.value() })
    }

    /// The graphs that the attribute is, if it is any.
    pub fn graphs(&self) -> &[Graph<'a>] {
        match &self.value {
            AttributeValue::Graph(graph) => std::slice::from_ref(&**graph),
            AttributeValue::Graphs(graphs) => graphs,
            _ => &[],
        }
    }
}

impl<'a> Pieces<'a> {
    /// Takes a field in that is a message, if it is one of an attribute's.
    fn merge_message(&mut self, field: &Field<'a>, limits: &mut Limits) -> Result<(), ReadError> {
        let at = field.offset;
        match field.number {
            5 => read_once(&mut self.tensor, field, "t", Tensor::read, limits)?,
            22 => read_once(&mut self.sparse, field, "sparse_tensor", SparseTensor::read, limits)?,
            6 => {
                let message = field.message()?;
                if self.graph.is_none() {
                    limits.charge::<Graph<'_>>(1, at)?;
                }
                let merged = self.graph.get_or_insert_default().merge(message, limits);
                merged.map_err(|error| error.inside("g", None))?;
            }
            14 => {
                if self.ty.is_none() {
                    limits.charge::<Type<'_>>(1, at)?;
                }
                self.ty.get_or_insert_default().merge_field(field, "tp", limits)?;
            }
            10 => {
                limits.reserve(&mut self.tensors, 1, at)?;
                push(&mut self.tensors, field, "tensors", Tensor::read)?;
            }
            23 => {
                limits.reserve(&mut self.sparses, 1, at)?;
                push(&mut self.sparses, field, "sparse_tensors", SparseTensor::read)?;
            }
            11 => {
                limits.reserve(&mut self.graphs, 1, at)?;
                push(&mut self.graphs, field, "graphs", |message| {
                    let mut graph = Graph::default();
                    graph.merge(message, limits).map(|()| graph)
                })?;
            }
            15 => {
                limits.reserve(&mut self.types, 1, at)?;
                let mut ty = Type::default();
                ty.merge_field(field, "type_protos", limits)?;
                self.types.push(ty);
            }
            _ => {}
        }
        Ok(())
    }

    /// What the attribute is.
    fn value(self) -> AttributeValue<'a> {
        if !self.reference.is_empty() {
            return AttributeValue::Reference(self.reference);
        }
        let Some(field) = field_of_value(self.kind, false, self.seen) else {
            return AttributeValue::None;
        };
        match field {
            2 => AttributeValue::Float(self.float),
            3 => AttributeValue::Int(self.int),
            4 => AttributeValue::String(self.string),
            5 => self.tensor.map_or(AttributeValue::None, AttributeValue::Tensor),
            6 => self.graph.map_or(AttributeValue::None, AttributeValue::Graph),
            7 => AttributeValue::Floats(Floats::new(self.floats)),
            8 => AttributeValue::Ints(Ints::new(self.ints)),
            9 => AttributeValue::Strings(Strings::new(self.strings)),
            10 => AttributeValue::Tensors(self.tensors),
            11 => AttributeValue::Graphs(self.graphs),
            22 => self.sparse.map_or(AttributeValue::None, AttributeValue::SparseTensor),
            23 => AttributeValue::SparseTensors(self.sparses),
            14 => self.ty.map_or(AttributeValue::None, AttributeValue::Type),
            15 => AttributeValue::Types(self.types),
            _ => AttributeValue::None,
        }
    }
}

/// The field that holds an attribute's value, for each of ONNX's types of attributes from 1 on.
const FIELDS: [u64; 14] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 22, 23, 14, 15];

/// The field of an attribute that counts, if any: that of its type, or, in files from before
/// attributes had a type, the first that is there. `seen` has a bit for each field that is there; a
/// reference to an attribute of a function has no value.
pub(crate) fn field_of_value(kind: i32, is_reference: bool, seen: u32) -> Option<u64> {
    if is_reference {
        return None;
    }
    if kind == 0 {
        return FIELDS.into_iter().find(|field| seen >> field & 1 == 1);
    }
    let index = usize::try_from(kind).ok()?.checked_sub(1)?;
    FIELDS.get(index).copied()
}

/// The bit of a field in `seen`; of fields from 32 on, none of which is an attribute's, no bit.
pub(crate) fn bit(number: u64) -> u32 {
    u32::try_from(number).ok().and_then(|number| 1u32.checked_shl(number)).unwrap_or(0)
}

/// Reads a message that may be there once. Pieces of a tensor cannot be merged without copying its
/// elements.
fn read_once<'a, T>(
    place: &mut Option<Box<T>>,
    field: &Field<'a>,
    name: &'static str,
    read: impl FnOnce(Fields<'a>) -> Result<T, ReadError>,
    limits: &mut Limits,
) -> Result<(), ReadError> {
    if place.is_some() {
        return Err(ReadError::new(Mistake::TwoPieces, field.offset).inside(name, None));
    }
    limits.charge::<T>(1, field.offset)?;
    let message = field.message().and_then(read);
    *place = Some(Box::new(message.map_err(|error| error.inside(name, None))?));
    Ok(())
}

impl<'a> AttributeValue<'a> {
    /// The number, if this is a whole one.
    pub fn int(&self) -> Option<i64> {
        if let AttributeValue::Int(value) = self { Some(*value) } else { None }
    }

    /// The number, if this is one of 32 bits.
    pub fn float(&self) -> Option<f32> {
        if let AttributeValue::Float(value) = self { Some(*value) } else { None }
    }

    /// The text, if this is one.
    pub fn string(&self) -> Option<Text<'a>> {
        if let AttributeValue::String(value) = self { Some(*value) } else { None }
    }

    /// The whole numbers, if this is a list of them.
    pub fn ints(&self) -> Option<Ints<'a>> {
        if let AttributeValue::Ints(values) = self { Some(values.clone()) } else { None }
    }

    /// The numbers of 32 bits, if this is a list of them.
    pub fn floats(&self) -> Option<Floats<'a>> {
        if let AttributeValue::Floats(values) = self { Some(values.clone()) } else { None }
    }

    /// The texts, if this is a list of them.
    pub fn strings(&self) -> Option<Strings<'a>> {
        if let AttributeValue::Strings(values) = self { Some(values.clone()) } else { None }
    }

    /// The tensor, if this is one.
    pub fn tensor(&self) -> Option<&Tensor<'a>> {
        if let AttributeValue::Tensor(tensor) = self { Some(tensor) } else { None }
    }

    /// The graph, if this is one.
    pub fn graph(&self) -> Option<&Graph<'a>> {
        if let AttributeValue::Graph(graph) = self { Some(graph) } else { None }
    }
}
