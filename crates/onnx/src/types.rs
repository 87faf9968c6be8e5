//! Values' types: what a file says of its inputs, outputs and intermediate tensors.

use crate::{
    element::Element,
    error::ReadError,
    limits::{Limits, counts},
    text::Text,
    wire::{Field, Fields, put_bytes, put_int},
};

/// A name and the type of the value that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueInfo<'a> {
    /// The name of the value.
    pub name: Text<'a>,
    /// Its type.
    pub ty: Type<'a>,
}

/// The type of a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type<'a> {
    /// Nothing is said.
    #[default]
    Unknown,
    /// A tensor.
    Tensor(TensorType<'a>),
    /// A sparse tensor: only some of its elements are stored.
    SparseTensor(TensorType<'a>),
    /// A sequence of values of one type.
    Sequence(Box<Type<'a>>),
    /// A value that may be absent.
    Optional(Box<Type<'a>>),
    /// A map from keys to values.
    Map {
        /// The type of the keys.
        key: Element,
        /// The type of the values.
        value: Box<Type<'a>>,
    },
    /// A type that only some engine knows.
    Opaque,
}

/// The elements of a tensor and its shape.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TensorType<'a> {
    /// The type of the elements.
    pub element: Element,
    /// The size of each axis; none where not even the number of axes is said. A scalar has an empty
    /// one.
    pub shape: Option<Vec<Dim<'a>>>,
}

/// What a file says about the size of an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dim<'a> {
    /// Nothing.
    #[default]
    Unknown,
    /// A number. Some exporters write -1 for a size that they do not know.
    Value(i64),
    /// A name, which some tools use for formulas: `batch`, `p2o.DynamicDimension.0`, `floor(x/2) +
    /// 1`.
    Param(Text<'a>),
}

impl<'a> ValueInfo<'a> {
    pub(crate) fn read(mut fields: Fields<'a>, limits: &mut Limits) -> Result<Self, ReadError> {
        let mut info = ValueInfo::default();
        while let Some(field) = fields.read()? {
            match field.number {
                1 => info.name = Text(field.bytes()?),
                2 => info.ty.merge_field(&field, "type", limits)?,
                _ => {}
            }
        }
        Ok(info)
    }

    /// Appends the message that says this.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_bytes(out, 1, self.name.0);
        self.put_type(out);
    }

    /// Appends the field that says the type.
    pub(crate) fn put_type(&self, out: &mut Vec<u8>) {
        if self.ty != Type::Unknown {
            let mut ty = vec![];
            self.ty.put(&mut ty);
            put_bytes(out, 2, &ty);
        }
    }
}

impl<'a> Type<'a> {
    /// The element type and shape, if this is a tensor whose elements are all stored.
    pub fn as_tensor(&self) -> Option<&TensorType<'a>> {
        if let Type::Tensor(tensor) = self { Some(tensor) } else { None }
    }

    /// Takes a field of this type in, named `name` in what has it. Protobuf merges pieces of one
    /// message.
    pub(crate) fn merge_field(
        &mut self,
        field: &Field<'a>,
        name: &'static str,
        limits: &mut Limits,
    ) -> Result<(), ReadError> {
        let message = field.message()?;
        limits.descend(field.offset)?;
        let merged = self.merge(message, limits);
        limits.ascend();
        merged.map_err(|error| error.inside(name, None))
    }

    fn merge(&mut self, mut fields: Fields<'a>, limits: &mut Limits) -> Result<(), ReadError> {
        while let Some(field) = fields.read()? {
            // Of these alternatives the last stands; a second piece of the same one is merged.
            match field.number {
                1 => {
                    if !matches!(self, Type::Tensor(_)) {
                        *self = Type::Tensor(TensorType::default());
                    }
                    let Type::Tensor(tensor) = self else { continue };
                    let merged = tensor.merge(field.message()?, limits);
                    merged.map_err(|error| error.inside("tensor_type", None))?;
                }
                8 => {
                    if !matches!(self, Type::SparseTensor(_)) {
                        *self = Type::SparseTensor(TensorType::default());
                    }
                    let Type::SparseTensor(tensor) = self else { continue };
                    let merged = tensor.merge(field.message()?, limits);
                    merged.map_err(|error| error.inside("sparse_tensor_type", None))?;
                }
                4 => {
                    if !matches!(self, Type::Sequence(_)) {
                        limits.charge::<Type<'_>>(1, field.offset)?;
                        *self = Type::Sequence(Box::default());
                    }
                    let Type::Sequence(inner) = self else { continue };
                    inner.merge_only_field(field.message()?, limits)?;
                }
                9 => {
                    if !matches!(self, Type::Optional(_)) {
                        limits.charge::<Type<'_>>(1, field.offset)?;
                        *self = Type::Optional(Box::default());
                    }
                    let Type::Optional(inner) = self else { continue };
                    inner.merge_only_field(field.message()?, limits)?;
                }
                5 => {
                    if !matches!(self, Type::Map { .. }) {
                        limits.charge::<Type<'_>>(1, field.offset)?;
                        *self = Type::Map { key: Element::Undefined, value: Box::default() };
                    }
                    let Type::Map { key, value } = self else { continue };
                    let mut map = field.message()?;
                    while let Some(field) = map.read()? {
                        match field.number {
                            1 => *key = Element::of_number(field.int32()?),
                            2 => value.merge_field(&field, "value_type", limits)?,
                            _ => {}
                        }
                    }
                }
                7 => *self = Type::Opaque,
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes in a message whose field 1 is a type: that of sequences and of optional values.
    fn merge_only_field(
        &mut self,
        mut fields: Fields<'a>,
        limits: &mut Limits,
    ) -> Result<(), ReadError> {
        while let Some(field) = fields.read()? {
            if field.number == 1 {
                self.merge_field(&field, "elem_type", limits)?;
            }
        }
        Ok(())
    }

    fn put(&self, out: &mut Vec<u8>) {
        let mut inner = vec![];
        match self {
            Type::Unknown => {}
            Type::Tensor(tensor) => {
                tensor.put(&mut inner);
                put_bytes(out, 1, &inner);
            }
            Type::SparseTensor(tensor) => {
                tensor.put(&mut inner);
                put_bytes(out, 8, &inner);
            }
            Type::Sequence(element) | Type::Optional(element) => {
                let mut ty = vec![];
                element.put(&mut ty);
                put_bytes(&mut inner, 1, &ty);
                put_bytes(out, if matches!(self, Type::Sequence(_)) { 4 } else { 9 }, &inner);
            }
            Type::Map { key, value } => {
                put_int(&mut inner, 1, key.number().into());
                let mut ty = vec![];
                value.put(&mut ty);
                put_bytes(&mut inner, 2, &ty);
                put_bytes(out, 5, &inner);
            }
            Type::Opaque => put_bytes(out, 7, &[]),
        }
    }
}

impl<'a> TensorType<'a> {
    fn merge(&mut self, mut fields: Fields<'a>, limits: &mut Limits) -> Result<(), ReadError> {
        while let Some(field) = fields.read()? {
            match field.number {
                1 => self.element = Element::of_number(field.int32()?),
                2 => {
                    let shape = self.shape.get_or_insert_default();
                    let merged = merge_shape(shape, field.message()?, limits);
                    merged.map_err(|error| error.inside("shape", None))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_int(out, 1, self.element.number().into());
        let Some(shape) = &self.shape else { return };
        let mut dims = vec![];
        for dim in shape {
            let mut message = vec![];
            match dim {
                Dim::Unknown => {}
                Dim::Value(value) => put_int(&mut message, 1, *value),
                Dim::Param(name) => put_bytes(&mut message, 2, name.0),
            }
            put_bytes(&mut dims, 1, &message);
        }
        put_bytes(out, 2, &dims);
    }
}

fn merge_shape<'a>(
    shape: &mut Vec<Dim<'a>>,
    mut fields: Fields<'a>,
    limits: &mut Limits,
) -> Result<(), ReadError> {
    limits.reserve(shape, counts(fields)?[1], fields.offset())?;
    while let Some(field) = fields.read()? {
        if field.number == 1 {
            let dim = field.message().and_then(Dim::read);
            shape.push(dim.map_err(|error| error.inside("dim", Some(shape.len())))?);
        }
    }
    Ok(())
}

impl<'a> Dim<'a> {
    fn read(mut fields: Fields<'a>) -> Result<Self, ReadError> {
        let mut dim = Dim::Unknown;
        while let Some(field) = fields.read()? {
            match field.number {
                1 => dim = Dim::Value(field.int()?),
                2 => dim = Dim::Param(Text(field.bytes()?)),
                _ => {}
            }
        }
        Ok(dim)
    }
}
