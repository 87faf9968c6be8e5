//! What holds of any bytes, whether they are a model or not. Tests and fuzzers call this; nobody
//! else needs it.

use std::io::Cursor;

use crate::{
    element::Element,
    error::{Mistake, ReadError, SourceError},
    graph::{Attribute, AttributeValue, Graph, Node},
    limits::MEMORY_FACTOR,
    model::Model,
    skim::skim_above,
    tensor::{Data, SparseTensor, Tensor},
    types::{TensorType, Type, ValueInfo},
    wire::{put_bytes, put_int},
    write::{Annotations, annotate},
};

/// Reads, skims and rewrites bytes, and looks at all there is in what was read.
///
/// # Panics
///
/// Something does not hold that should: the crate has a defect.
pub fn any_bytes(bytes: &[u8]) {
    let read = Model::read_measured(bytes);
    check_skimming(bytes, read.as_ref().map(|(model, _)| model));
    let (model, memory) = match read {
        Err(error) => return check_error(&error, bytes.len()),
        Ok(read) => read,
    };
    assert!(memory <= bytes.len() * MEMORY_FACTOR + 4096, "{memory} bytes for {}", bytes.len());
    let mut seen = Seen::default();
    seen.model(&model);
    // Each lies in bytes of its own.
    assert!(seen.parts <= bytes.len(), "{} parts of {} bytes", seen.parts, bytes.len());
    assert_eq!(seen.nodes, model.count_nodes());
    check_writing(bytes, &model);
}

fn check_error(error: &ReadError, length: usize) {
    assert!(error.offset() <= length as u64, "{error}");
    let text = error.to_string();
    assert!(!text.is_empty() && !text.contains('\n'), "{text}");
}

/// Whoever skims sees the same model, but for elements.
fn check_skimming(bytes: &[u8], read: Result<&Model<'_>, &ReadError>) {
    for large in [0, 16, 4096] {
        let skimmed = match skim_above(large, Cursor::new(bytes)) {
            Ok(skimmed) => skimmed,
            Err(SourceError::Io(error)) => panic!("{error}"),
            Err(SourceError::Read(error)) => {
                assert!(read.is_err(), "skimming alone says: {error}");
                check_error(&error, bytes.len());
                continue;
            }
        };
        match (read, skimmed.model()) {
            (Ok(whole), Ok(model)) => {
                assert_eq!(whole.count_nodes(), model.count_nodes());
                let tensors = |model: &Model<'_>| -> Vec<_> {
                    let tensors = model.graph.initializers.iter();
                    tensors.map(|t| (t.name.0.to_vec(), t.dims().collect::<Vec<_>>())).collect()
                };
                assert_eq!(tensors(whole), tensors(&model));
            }
            // Without its elements a file may have too many structures for its length.
            (Ok(_), Err(error)) => {
                assert!(matches!(error.mistake(), Mistake::TooDense { .. }), "{error}");
            }
            (Err(_), Ok(_)) => {}
            (Err(_), Err(error)) => check_error(&error, bytes.len()),
        }
    }
}

/// A file that is written back has the same bytes, and one that is annotated has the annotations.
fn check_writing(bytes: &[u8], model: &Model<'_>) {
    assert_eq!(annotate(bytes, &[]).as_deref(), Ok(bytes), "written back without annotations");
    let added = ValueInfo {
        name: "added".into(),
        ty: Type::Tensor(TensorType { element: Element::Int64, shape: Some(vec![]) }),
    };
    let mut graphs = vec![];
    for graph in model.graphs() {
        let value_info = graph.value_info.iter().chain([&added]).cloned().collect();
        graphs.push(Annotations { value_info: Some(value_info), outputs: vec![] });
    }
    let written = annotate(bytes, &graphs).expect("what was read can be annotated");
    let again = match Model::read(&written) {
        Ok(again) => again,
        // Lengths that grow may take a byte more, which an attacker can count on.
        Err(error) => {
            assert!(matches!(error.mistake(), Mistake::TooDense { .. }), "{error}");
            return;
        }
    };
    assert_eq!(again.graphs().count(), graphs.len());
    for (graph, wanted) in again.graphs().zip(&graphs) {
        assert_eq!(Some(&graph.value_info), wanted.value_info.as_ref());
    }
    assert_eq!(annotate(&written, &graphs), Ok(written), "annotated twice");
}

/// Makes a message of bytes that say what to put into it, so that a fuzzer need not find out how
/// long messages are. Any bytes make one, mostly a model's.
pub fn assemble(recipe: &[u8]) -> Vec<u8> {
    let mut open: Vec<(u64, Vec<u8>)> = vec![(0, vec![])];
    let close = |open: &mut Vec<(u64, Vec<u8>)>| {
        let Some((number, message)) = open.pop() else { return };
        match open.last_mut() {
            Some((_, around)) => put_bytes(around, number, &message),
            None => open.push((number, message)),
        }
    };
    let mut bytes = recipe.iter().copied();
    while let (Some(step), Some(byte)) = (bytes.next(), bytes.next()) {
        let number = u64::from(step >> 3);
        let Some((_, message)) = open.last_mut() else { break };
        match step & 7 {
            0 | 1 if number != 0 => open.push((number, vec![])),
            2 | 3 if number != 0 => put_int(message, number, i64::from(i8::from_ne_bytes([byte]))),
            4 if number != 0 => {
                let text: Vec<u8> = bytes.by_ref().take(usize::from(byte) % 64).collect();
                put_bytes(message, number, &text);
            }
            // A key of any wire type, and some of what has to follow.
            5 => message.extend([step, byte]),
            6 => message.extend(std::iter::repeat_n(byte, usize::from(step))),
            _ => close(&mut open),
        }
    }
    for _ in 1..open.len() {
        close(&mut open);
    }
    open.pop().map_or(vec![], |(_, message)| message)
}

/// Counts what a model consists of, looking at all of it.
#[derive(Default)]
struct Seen {
    nodes: usize,
    parts: usize,
}

impl Seen {
    fn model(&mut self, model: &Model<'_>) {
        self.parts += model.opsets.len() + model.metadata.len();
        self.graph(&model.graph);
        for function in &model.functions {
            self.parts +=
                1 + function.inputs.len() + function.outputs.len() + function.opsets.len();
            self.parts += function.attributes.len();
            function.nodes.iter().for_each(|node| self.node(node));
            function.defaults.iter().for_each(|attribute| self.attribute(attribute));
            function.value_info.iter().for_each(|info| self.value_info(info));
        }
    }

    fn graph(&mut self, graph: &Graph<'_>) {
        graph.nodes.iter().for_each(|node| self.node(node));
        graph.initializers.iter().for_each(|tensor| self.tensor(tensor));
        graph.sparse_initializers.iter().for_each(|tensor| self.sparse(tensor));
        let infos = graph.inputs.iter().chain(&graph.outputs).chain(&graph.value_info);
        infos.for_each(|info| self.value_info(info));
    }

    fn node(&mut self, node: &Node<'_>) {
        self.nodes += 1;
        self.parts += 1 + node.inputs.len() + node.outputs.len();
        node.attributes.iter().for_each(|attribute| self.attribute(attribute));
    }

    fn attribute(&mut self, attribute: &Attribute<'_>) {
        self.parts += 1;
        match &attribute.value {
            AttributeValue::Ints(values) => self.parts += values.clone().count(),
            AttributeValue::Floats(values) => self.parts += values.clone().count(),
            AttributeValue::Strings(values) => self.parts += values.clone().count(),
            AttributeValue::Tensor(tensor) => self.tensor(tensor),
            AttributeValue::Tensors(tensors) => tensors.iter().for_each(|t| self.tensor(t)),
            AttributeValue::SparseTensor(tensor) => self.sparse(tensor),
            AttributeValue::SparseTensors(tensors) => tensors.iter().for_each(|t| self.sparse(t)),
            AttributeValue::Graph(graph) => self.graph(graph),
            AttributeValue::Graphs(graphs) => graphs.iter().for_each(|graph| self.graph(graph)),
            AttributeValue::Type(ty) => self.ty(ty),
            AttributeValue::Types(types) => types.iter().for_each(|ty| self.ty(ty)),
            _ => {}
        }
    }

    fn sparse(&mut self, tensor: &SparseTensor<'_>) {
        self.parts += tensor.dims().count();
        self.tensor(&tensor.values);
        self.tensor(&tensor.indices);
    }

    fn tensor(&mut self, tensor: &Tensor<'_>) {
        self.parts += tensor.dims().count() + tensor.strings().count();
        if let Ok(ints) = tensor.ints(1024) {
            assert_eq!(Some(ints.len() as u64), tensor.count());
        }
        if let Ok(floats) = tensor.floats(1024) {
            assert_eq!(Some(floats.len() as u64), tensor.count());
        }
        if let Data::External(external) = &tensor.data {
            if let Ok(path) = external.path() {
                let is_inside = |part| matches!(part, std::path::Component::Normal(_));
                assert!(path.components().all(is_inside), "{}", path.display());
            }
        }
    }

    fn value_info(&mut self, info: &ValueInfo<'_>) {
        self.parts += 1;
        self.ty(&info.ty);
    }

    fn ty(&mut self, ty: &Type<'_>) {
        match ty {
            Type::Tensor(tensor) | Type::SparseTensor(tensor) => {
                self.parts += tensor.shape.as_ref().map_or(0, Vec::len);
            }
            Type::Sequence(inner) | Type::Optional(inner) => self.ty(inner),
            Type::Map { value, .. } => self.ty(value),
            Type::Unknown | Type::Opaque => {}
        }
    }
}
