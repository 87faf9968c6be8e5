//! What the file says of values: types of inputs, and tensors with their elements where these may
//! decide shapes.

use std::sync::Arc;

use super::{
    constant::constant,
    id::TensorId,
    known::{Container, Known, Sizes},
    num::{Num, Origin},
    options::{Edit, Edited},
    run::Run,
    value::{Elem, MOST_ELEMENTS},
};
use crate::{
    graph::Node,
    tensor::Tensor,
    text::Text,
    types::{Dim, Type, ValueInfo},
};

impl<'a> Run<'_, 'a, '_> {
    /// Gives a node values of its own where elements of what it reads are to be taken for others.
    pub(super) fn edit(&mut self, node: &Node<'a>, inputs: &mut [Option<TensorId>]) {
        let options = self.options;
        let Some(first) = node.outputs.first() else { return };
        let is_reader =
            |edited: &&Edited| edited.readers.iter().any(|reader| *first == reader.as_str());
        for edited in options.edits.iter().filter(is_reader) {
            for input in inputs.iter_mut() {
                let Some(id) = *input else { continue };
                let record = &self.tensors[id.0 as usize];
                if record.name != *edited.tensor {
                    continue;
                }
                let (name, graph, source) = (record.name, record.graph, record.source);
                let mut known = record.known.clone();
                let Some(mut elems) = known.value.as_deref().map(<[_]>::to_vec) else { continue };
                let Some(elem) = elems.get_mut(edited.element) else { continue };
                let num = match edited.edit {
                    Edit::Rest => Num::Int(-1),
                    Edit::Keep => self.nums.named(&edited.size, Origin::Input, 1),
                    Edit::Size(times) => {
                        let size = self.nums.named(&edited.size, Origin::Input, 1);
                        self.nums.mul(Num::Int(times), size)
                    }
                };
                *elem = Elem::Whole(num);
                known.value = Some(elems.into());
                *input = Some(self.record(name, graph, source, known, None));
            }
        }
    }

    /// What an input's declaration says.
    pub(super) fn of_input(&mut self, input: &ValueInfo<'a>) -> Known {
        let name = input.name.to_string();
        self.of_type(&input.ty, &name)
    }

    /// What a declared type says; sizes that it does not say get names from this one.
    pub(crate) fn of_type(&mut self, ty: &Type<'_>, name: &str) -> Known {
        let inner = |run: &mut Self, ty: &Type<'_>| Arc::new(run.of_type(ty, name));
        match ty {
            Type::Tensor(tensor) | Type::SparseTensor(tensor) => {
                let shape = tensor.shape.as_ref().map(|dims| {
                    let sizes =
                        dims.iter().enumerate().map(|(axis, dim)| self.of_dim(dim, name, axis));
                    sizes.collect::<Sizes>()
                });
                Known { element: tensor.element, shape, ..Known::default() }
            }
            Type::Sequence(of) => {
                let of = inner(self, of);
                Known {
                    element: of.element,
                    container: Some(Container::Sequence(of, None)),
                    ..Known::default()
                }
            }
            Type::Optional(of) => {
                let of = inner(self, of);
                Known {
                    element: of.element,
                    container: Some(Container::Optional(of)),
                    ..Known::default()
                }
            }
            Type::Map { .. } | Type::Opaque => {
                Known { container: Some(Container::Opaque), ..Known::default() }
            }
            Type::Unknown => Known::default(),
        }
    }

    fn of_dim(&mut self, dim: &Dim<'_>, input: &str, axis: usize) -> Num {
        let is_free = self.options.free.iter().any(|(name, of)| name == input && *of == axis);
        match dim {
            Dim::Value(n @ 1..) if !is_free => Num::Int(*n),
            Dim::Param(name) if is_name(name) && !is_free => {
                let name = name.to_string();
                let low = i64::from(!may_be_empty(&name));
                self.nums.named(&name, Origin::Input, low)
            }
            // Some files write a 0 for a size that they do not know, others for one that is 0.
            Dim::Value(0) if !is_free => {
                self.nums.named(&format!("{input}_{axis}"), Origin::Input, 0)
            }
            _ => self.nums.named(&format!("{input}_{axis}"), Origin::Input, 1),
        }
    }

    /// What a tensor of the file is, with its elements where they may decide shapes.
    pub(crate) fn of_tensor(&mut self, tensor: &Tensor<'a>) -> Known {
        let mut known = constant(tensor);
        if known.value.is_none() {
            if let (Some(read), true) =
                (self.options.external, known.count().is_some_and(|n| n <= MOST_ELEMENTS))
            {
                let value = read(tensor).filter(|elements| Some(elements.len()) == known.count());
                known.value = value.map(|elements| elements.into_iter().map(Into::into).collect());
            }
        }
        known
    }
}

/// Whether what a file calls a size is a name of it, not a sign that it has none: `?`, `-1`,
/// `None`.
pub(crate) fn is_name(text: &Text<'_>) -> bool {
    let text = text.to_lossy();
    text.chars().any(char::is_alphabetic) && !text.eq_ignore_ascii_case("none")
}

/// Whether a size of this name may be 0: that of a cache at the first step.
fn may_be_empty(name: &str) -> bool {
    name.contains("past")
}
