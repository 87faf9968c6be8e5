//! Lists of numbers and texts that stay in the file until they are read.
//!
//! A tree ensemble has attributes with millions of numbers that no shape depends on. A list is
//! therefore the bytes from the first of its elements to the last, packed or not, and its elements
//! are decoded by whoever iterates over it. Reading has checked that they can be.

use crate::{
    error::{Mistake, ReadError},
    text::Text,
    wire::{Field, Fields, Value, signed},
    wire_type::WireType,
};

/// The elements of one repeated field of a message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Repeated<'a> {
    /// The message from the field's first occurrence on.
    from: &'a [u8],
    /// How much of it comes after the last occurrence.
    after: usize,
    number: u64,
}

impl<'a> Repeated<'a> {
    /// Notes an occurrence of the field: what was left of the message before it, and after it.
    pub(crate) fn note(&mut self, number: u64, before: &'a [u8], after: &[u8]) {
        if self.number == 0 {
            (self.from, self.number) = (before, number);
        }
        self.after = after.len();
    }

    /// Whether the field did not occur.
    pub(crate) fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// The bytes from the first occurrence to the last.
    fn span(&self) -> &'a [u8] {
        &self.from[..self.from.len() - self.after]
    }

    /// The values of the field's occurrences.
    pub(crate) fn values(self) -> impl Iterator<Item = Value<'a>> + Clone {
        let mut fields = Fields::new(self.span());
        std::iter::from_fn(move || {
            loop {
                let field = fields.read().ok()??;
                if field.number == self.number {
                    return Some(field.value);
                }
            }
        })
    }
}

/// Checks that an element or a packed list of numbers of one to ten bytes can be decoded.
pub(crate) fn check_varints(field: &Field<'_>) -> Result<(), ReadError> {
    match field.value {
        Value::Varint(_) => Ok(()),
        Value::Bytes(packed) if packed.last().is_none_or(|last| *last < 0x80) => Ok(()),
        Value::Bytes(packed) => Err(remainder(field, packed, None)),
        _ => Err(field.unexpected(WireType::Varint)),
    }
}

/// Checks that an element or a packed list of numbers of `size` bytes can be decoded.
pub(crate) fn check_fixed(field: &Field<'_>, size: usize) -> Result<(), ReadError> {
    match field.value {
        Value::Fixed32(_) if size == 4 => Ok(()),
        Value::Fixed64(_) if size == 8 => Ok(()),
        Value::Bytes(packed) if packed.len() % size == 0 => Ok(()),
        Value::Bytes(packed) => Err(remainder(field, packed, Some(size as u64))),
        _ => Err(field.unexpected(if size == 4 { WireType::Fixed32 } else { WireType::Fixed64 })),
    }
}

#[cold]
fn remainder(field: &Field<'_>, packed: &[u8], element: Option<u64>) -> ReadError {
    ReadError::new(Mistake::PackedRemainder { length: packed.len() as u64, element }, field.offset)
}

/// Whole numbers of variable length, decoded one by one as they are read.
///
/// A number that goes on for more than ten bytes counts as its lowest 64 bits.
#[derive(Debug, Clone, Default)]
pub struct Ints<'a> {
    fields: Fields<'a>,
    number: u64,
    packed: &'a [u8],
}

impl<'a> Ints<'a> {
    pub(crate) fn new(list: Repeated<'a>) -> Self {
        Ints { fields: Fields::new(list.span()), number: list.number, packed: &[] }
    }
}

impl Iterator for Ints<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        loop {
            if !self.packed.is_empty() {
                return Some(signed(next_packed(&mut self.packed)));
            }
            let field = self.fields.read().ok()??;
            match field.value {
                Value::Varint(value) if field.number == self.number => return Some(signed(value)),
                Value::Bytes(packed) if field.number == self.number => self.packed = packed,
                _ => {}
            }
        }
    }
}

/// Takes a number off the front of a packed list, whose end was checked.
fn next_packed(packed: &mut &[u8]) -> u64 {
    let mut value = 0;
    for (i, &byte) in packed.iter().enumerate() {
        if i < 10 {
            value |= u64::from(byte & 0x7f) << (7 * i);
        }
        if byte < 0x80 {
            *packed = &packed[i + 1..];
            return value;
        }
    }
    *packed = &[];
    value
}

/// Numbers of a fixed size, decoded one by one as they are read.
#[derive(Debug, Clone, Default)]
struct Fixed<'a> {
    fields: Fields<'a>,
    number: u64,
    packed: &'a [u8],
}

impl<'a> Fixed<'a> {
    fn new(list: Repeated<'a>) -> Self {
        Fixed { fields: Fields::new(list.span()), number: list.number, packed: &[] }
    }

    fn next<const N: usize>(&mut self) -> Option<[u8; N]> {
        loop {
            if let Some((chunk, rest)) = self.packed.split_first_chunk() {
                self.packed = rest;
                return Some(*chunk);
            }
            let field = self.fields.read().ok()??;
            match field.value {
                Value::Bytes(packed) if field.number == self.number => self.packed = packed,
                Value::Fixed32(bits) if field.number == self.number => {
                    return bits.to_le_bytes().first_chunk().copied();
                }
                Value::Fixed64(bits) if field.number == self.number => {
                    return bits.to_le_bytes().first_chunk().copied();
                }
                _ => {}
            }
        }
    }
}

/// Floating-point numbers of 32 bits, decoded one by one as they are read.
#[derive(Debug, Clone, Default)]
pub struct Floats<'a>(Fixed<'a>);

impl<'a> Floats<'a> {
    pub(crate) fn new(list: Repeated<'a>) -> Self {
        Floats(Fixed::new(list))
    }
}

impl Iterator for Floats<'_> {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        self.0.next().map(f32::from_le_bytes)
    }
}

/// Floating-point numbers of 64 bits, decoded one by one as they are read.
#[derive(Debug, Clone, Default)]
pub struct Doubles<'a>(Fixed<'a>);

impl<'a> Doubles<'a> {
    pub(crate) fn new(list: Repeated<'a>) -> Self {
        Doubles(Fixed::new(list))
    }
}

impl Iterator for Doubles<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        self.0.next().map(f64::from_le_bytes)
    }
}

/// Texts, one by one as they are read.
#[derive(Debug, Clone, Default)]
pub struct Strings<'a> {
    fields: Fields<'a>,
    number: u64,
}

impl<'a> Strings<'a> {
    pub(crate) fn new(list: Repeated<'a>) -> Self {
        Strings { fields: Fields::new(list.span()), number: list.number }
    }
}

impl<'a> Iterator for Strings<'a> {
    type Item = Text<'a>;

    fn next(&mut self) -> Option<Text<'a>> {
        loop {
            let field = self.fields.read().ok()??;
            if let Value::Bytes(bytes) = field.value {
                if field.number == self.number {
                    return Some(Text(bytes));
                }
            }
        }
    }
}
