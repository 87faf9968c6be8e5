//! A model: what a file is.

use crate::{
    error::{Foreign, Mistake, ReadError},
    graph::{Attribute, Graph, Node, push},
    limits::{Limits, counts},
    text::Text,
    types::ValueInfo,
    wire::Fields,
};

/// A model, borrowed from the bytes of its file.
#[derive(Debug, Clone, Default)]
pub struct Model<'a> {
    /// The version of the file format.
    pub ir_version: i64,
    /// The program that made the file.
    pub producer: Text<'a>,
    /// The version of that program.
    pub producer_version: Text<'a>,
    /// The model's name space: a reversed domain name.
    pub domain: Text<'a>,
    /// The version of the model.
    pub version: i64,
    /// The sets of operations that the model uses, each with its version.
    pub opsets: Vec<Opset<'a>>,
    /// The graph.
    pub graph: Graph<'a>,
    /// Operations that the file itself defines.
    pub functions: Vec<Function<'a>>,
    /// What the producer says besides, by key.
    pub metadata: Vec<(Text<'a>, Text<'a>)>,
}

/// A set of operations and its version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opset<'a> {
    /// The domain of the operations; empty for ONNX's own.
    pub domain: Text<'a>,
    /// The version.
    pub version: i64,
}

/// An operation that a file defines by a graph of others.
#[derive(Debug, Clone, Default)]
pub struct Function<'a> {
    /// The operation's name.
    pub name: Text<'a>,
    /// Its domain.
    pub domain: Text<'a>,
    /// Which of several functions of one name this is.
    pub overload: Text<'a>,
    /// The names of its inputs.
    pub inputs: Vec<Text<'a>>,
    /// The names of its outputs.
    pub outputs: Vec<Text<'a>>,
    /// The names of its attributes that have no default.
    pub attributes: Vec<Text<'a>>,
    /// Its attributes that have one.
    pub defaults: Vec<Attribute<'a>>,
    /// Its nodes.
    pub nodes: Vec<Node<'a>>,
    /// The sets of operations that its nodes use, each with its version.
    pub opsets: Vec<Opset<'a>>,
    /// What the file says about its values.
    pub value_info: Vec<ValueInfo<'a>>,
}

impl<'a> Model<'a> {
    /// Reads a model from the bytes of its file.
    ///
    /// # Errors
    ///
    /// The bytes are not a model, are cut short, or go past what [`crate::MAX_DEPTH`] and
    /// [`crate::MEMORY_FACTOR`] allow.
    pub fn read(bytes: &'a [u8]) -> Result<Self, ReadError> {
        Self::read_measured(bytes).map(|(model, _)| model)
    }

    /// Reads a model; beside it, how many bytes of memory its structures take.
    pub(crate) fn read_measured(bytes: &'a [u8]) -> Result<(Self, usize), ReadError> {
        let mut limits = Limits::new(bytes.len());
        let read = Self::read_fields(Fields::new(bytes), &mut limits);
        // How a file begins says more about it than where it stops making sense.
        let recognised = |error| {
            Foreign::recognise(bytes)
                .map_or(error, |foreign| ReadError::new(Mistake::Foreign(foreign), 0))
        };
        read.map(|model| (model, limits.used())).map_err(recognised)
    }

    fn read_fields(message: Fields<'a>, limits: &mut Limits) -> Result<Self, ReadError> {
        let mut model = Model::default();
        let counts = counts(message)?;
        limits.reserve(&mut model.opsets, counts[8], 0)?;
        limits.reserve(&mut model.metadata, counts[14], 0)?;
        limits.reserve(&mut model.functions, counts[25], 0)?;
        let mut fields = message;
        while let Some(field) = fields.read()? {
            match field.number {
                1 => model.ir_version = field.int()?,
                2 => model.producer = Text(field.bytes()?),
                3 => model.producer_version = Text(field.bytes()?),
                4 => model.domain = Text(field.bytes()?),
                5 => model.version = field.int()?,
                7 => {
                    let merged = model.graph.merge(field.message()?, limits);
                    merged.map_err(|error| error.inside("graph", None))?;
                }
                8 => push(&mut model.opsets, &field, "opset_import", Opset::read)?,
                14 => push(&mut model.metadata, &field, "metadata_props", read_entry)?,
                25 => {
                    let read = |message| Function::read(message, limits);
                    push(&mut model.functions, &field, "functions", read)?;
                }
                _ => {}
            }
        }
        if counts[7] == 0 {
            return Err(ReadError::new(Mistake::NoGraph, 0));
        }
        Ok(model)
    }

    /// The version of a domain's operations that the model uses; none if it does not say. `""` is
    /// ONNX's own domain.
    pub fn opset(&self, domain: &str) -> Option<i64> {
        opset_of(&self.opsets, domain)
    }

    /// All graphs: the model's own, then those inside it, each before the ones inside itself, in
    /// the order of the file. Those of functions are not among them.
    pub fn graphs(&self) -> impl Iterator<Item = &Graph<'a>> {
        let mut waiting = vec![&self.graph];
        std::iter::from_fn(move || {
            let graph = waiting.pop()?;
            let first = waiting.len();
            waiting.extend(graph.subgraphs());
            waiting[first..].reverse();
            Some(graph)
        })
    }

    /// How many nodes there are in the graph, in functions, and in the graphs inside both.
    pub fn count_nodes(&self) -> usize {
        self.graph.count_nodes() + self.functions.iter().map(Function::count_nodes).sum::<usize>()
    }
}

/// `ai.onnx` is another name of the empty domain.
fn opset_of(opsets: &[Opset<'_>], domain: &str) -> Option<i64> {
    let plain = |domain: Text<'_>| domain.is_empty() || domain == "ai.onnx";
    let wanted = Text::from(domain);
    let is_wanted =
        |opset: &&Opset<'_>| opset.domain == wanted || plain(opset.domain) && plain(wanted);
    opsets.iter().rfind(is_wanted).map(|opset| opset.version)
}

impl<'a> Opset<'a> {
    fn read(mut fields: Fields<'a>) -> Result<Self, ReadError> {
        let mut opset = Opset::default();
        while let Some(field) = fields.read()? {
            match field.number {
                1 => opset.domain = Text(field.bytes()?),
                2 => opset.version = field.int()?,
                _ => {}
            }
        }
        Ok(opset)
    }
}

fn read_entry(mut fields: Fields<'_>) -> Result<(Text<'_>, Text<'_>), ReadError> {
    let mut entry = (Text::default(), Text::default());
    while let Some(field) = fields.read()? {
        match field.number {
            1 => entry.0 = Text(field.bytes()?),
            2 => entry.1 = Text(field.bytes()?),
            _ => {}
        }
    }
    Ok(entry)
}

impl<'a> Function<'a> {
    fn read(message: Fields<'a>, limits: &mut Limits) -> Result<Self, ReadError> {
        let mut function = Function::default();
        let (counts, at) = (counts(message)?, message.offset());
        limits.reserve(&mut function.inputs, counts[4], at)?;
        limits.reserve(&mut function.outputs, counts[5], at)?;
        limits.reserve(&mut function.attributes, counts[6], at)?;
        limits.reserve(&mut function.nodes, counts[7], at)?;
        limits.reserve(&mut function.opsets, counts[9], at)?;
        limits.reserve(&mut function.defaults, counts[11], at)?;
        limits.reserve(&mut function.value_info, counts[12], at)?;
        let mut fields = message;
        while let Some(field) = fields.read()? {
            let field = &field;
            match field.number {
                1 => function.name = Text(field.bytes()?),
                4 => function.inputs.push(Text(field.bytes()?)),
                5 => function.outputs.push(Text(field.bytes()?)),
                6 => function.attributes.push(Text(field.bytes()?)),
                7 => push(&mut function.nodes, field, "node", |m| Node::read(m, limits))?,
                9 => push(&mut function.opsets, field, "opset_import", Opset::read)?,
                10 => function.domain = Text(field.bytes()?),
                11 => {
                    let read = |message| Attribute::read(message, limits);
                    push(&mut function.defaults, field, "attribute_proto", read)?;
                }
                12 => {
                    let read = |message| ValueInfo::read(message, limits);
                    push(&mut function.value_info, field, "value_info", read)?;
                }
                13 => function.overload = Text(field.bytes()?),
                _ => {}
            }
        }
        Ok(function)
    }

    /// How many nodes there are, also in the graphs inside, among them defaults of attributes.
    fn count_nodes(&self) -> usize {
        let defaults = self.defaults.iter().flat_map(Attribute::graphs);
        let inside = defaults.chain(self.nodes.iter().flat_map(Node::graphs));
        self.nodes.len() + inside.map(Graph::count_nodes).sum::<usize>()
    }

    /// The version of a domain's operations that the function uses; none if it does not say.
    pub fn opset(&self, domain: &str) -> Option<i64> {
        opset_of(&self.opsets, domain)
    }
}
