//! Protobuf on the wire: the fields of a message in a byte slice, and the few bytes that writing
//! one needs.
//!
//! A message is a sequence of fields, each a key (a number and a wire type) and a value. Nothing
//! here knows what the numbers mean. Reading borrows and allocates nothing. Groups, which protobuf
//! gave up before ONNX began, are refused.

use crate::error::{Mistake, ReadError};

pub use crate::wire_type::WireType;

/// The longest encoding of a 64-bit number, seven bits a byte.
const LONGEST: usize = 10;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number; negative ones are in two's complement.
    Varint(u64),
    /// Eight bytes, the lowest first.
    Fixed64(u64),
    /// A text, a message or a packed list.
    Bytes(&'a [u8]),
    /// Four bytes, the lowest first.
    Fixed32(u32),
}

impl Value<'_> {
    /// How this value is encoded.
    pub fn wire_type(&self) -> WireType {
        match self {
            Value::Varint(_) => WireType::Varint,
            Value::Fixed64(_) => WireType::Fixed64,
            Value::Bytes(_) => WireType::Bytes,
            Value::Fixed32(_) => WireType::Fixed32,
        }
    }
}

/// A field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    /// The field's number, which the schema gives a meaning.
    pub number: u64,
    /// The field's value.
    pub value: Value<'a>,
    /// The field as it stands in the message, with its key: what copying it through needs.
    pub encoding: &'a [u8],
    /// Where the field begins, in bytes from where its [`Fields`] count.
    pub offset: u64,
}

impl<'a> Field<'a> {
    /// The bytes of a text, a message or a packed list.
    pub(crate) fn bytes(&self) -> Result<&'a [u8], ReadError> {
        match self.value {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(self.unexpected(WireType::Bytes)),
        }
    }

    /// The fields of a message.
    pub(crate) fn message(&self) -> Result<Fields<'a>, ReadError> {
        let bytes = self.bytes()?;
        let header = self.encoding.len() - bytes.len();
        Ok(Fields { rest: bytes, offset: self.offset + header as u64 })
    }

    /// A signed number.
    pub(crate) fn int(&self) -> Result<i64, ReadError> {
        match self.value {
            Value::Varint(value) => Ok(signed(value)),
            _ => Err(self.unexpected(WireType::Varint)),
        }
    }

    /// A signed number of 32 bits, which may be encoded with 64: the upper half is its sign, and is
    /// dropped.
    pub(crate) fn int32(&self) -> Result<i32, ReadError> {
        self.int().map(low_half)
    }

    /// A 32-bit floating-point number.
    pub(crate) fn float(&self) -> Result<f32, ReadError> {
        match self.value {
            Value::Fixed32(bits) => Ok(f32::from_bits(bits)),
            _ => Err(self.unexpected(WireType::Fixed32)),
        }
    }

    /// The error that this field has another wire type than `expected`.
    #[cold]
    pub(crate) fn unexpected(&self, expected: WireType) -> ReadError {
        let found = self.value.wire_type();
        ReadError::new(Mistake::WireType { number: self.number, found, expected }, self.offset)
    }
}

/// The number with the same 64 bits in two's complement.
pub(crate) fn signed(value: u64) -> i64 {
    i64::from_ne_bytes(value.to_ne_bytes())
}

/// The lower 32 bits of a number, in two's complement.
pub(crate) fn low_half(value: i64) -> i32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// The fields of a message, read from front to back.
///
/// ```
/// use lozenge_onnx::wire::{Fields, Value};
///
/// let mut fields = Fields::new(&[0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i']);
/// assert_eq!(fields.read()?.unwrap().value, Value::Varint(150));
/// let second = fields.read()?.unwrap();
/// assert_eq!((second.number, second.value), (2, Value::Bytes(b"hi")));
/// assert_eq!(fields.read()?, None);
/// # Ok::<(), lozenge_onnx::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Fields<'a> {
    rest: &'a [u8],
    offset: u64,
}

impl<'a> Fields<'a> {
    /// The fields of the message that these bytes are; places count from its first byte.
    pub fn new(message: &'a [u8]) -> Self {
        Fields { rest: message, offset: 0 }
    }

    /// The bytes that were not read yet, which are a message too.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Where the next field begins.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next field; none at the end of the message.
    ///
    /// # Errors
    ///
    /// The message ends inside the field, the key is not one, or the field is a group.
    #[inline]
    pub fn read(&mut self) -> Result<Option<Field<'a>>, ReadError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let offset = self.offset;
        let (start, mut rest) = (self.rest, self.rest);
        match Self::split(&mut rest) {
            Ok((number, value)) => {
                let encoding = &start[..start.len() - rest.len()];
                self.rest = rest;
                self.offset += encoding.len() as u64;
                Ok(Some(Field { number, value, encoding, offset }))
            }
            // Where the bytes ran out or stopped making sense, not where the field began.
            Err(mistake) => {
                let read = (start.len() - rest.len()) as u64;
                Err(ReadError::new(mistake, offset + read))
            }
        }
    }

    /// Takes a field off the front; after a mistake, `rest` begins where it is.
    #[inline]
    fn split(rest: &mut &'a [u8]) -> Result<(u64, Value<'a>), Mistake> {
        let start = *rest;
        let key = take_varint(rest)?;
        let number = key >> 3;
        let Some(wire_type) = WireType::of_key(key).filter(|_| number != 0) else {
            *rest = start;
            return Err(Mistake::Key(key));
        };
        let value = match wire_type {
            WireType::Varint => Value::Varint(take_varint(rest)?),
            WireType::Fixed64 => Value::Fixed64(u64::from_le_bytes(take_chunk(rest)?)),
            WireType::Bytes => {
                let length = take_varint(rest)?;
                let split = usize::try_from(length).ok().and_then(|at| rest.split_at_checked(at));
                let Some((bytes, after)) = split else { return Err(truncated(length, rest)) };
                *rest = after;
                Value::Bytes(bytes)
            }
            WireType::Fixed32 => Value::Fixed32(u32::from_le_bytes(take_chunk(rest)?)),
        };
        Ok((number, value))
    }
}

/// Takes a number off the front of `bytes`.
#[inline]
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Result<u64, Mistake> {
    if let [first @ 0..=0x7f, rest @ ..] = *bytes {
        *bytes = rest;
        return Ok(u64::from(*first));
    }
    take_long_varint(bytes)
}

fn take_long_varint(bytes: &mut &[u8]) -> Result<u64, Mistake> {
    let start = *bytes;
    let mut value = 0;
    for (i, &byte) in start.iter().enumerate().take(LONGEST) {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            *bytes = &start[i + 1..];
            return Ok(value);
        }
    }
    let needed = start.len() as u64 + 1;
    Err(if start.len() < LONGEST { truncated(needed, start) } else { Mistake::LongVarint })
}

#[inline]
fn take_chunk<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], Mistake> {
    let Some((chunk, rest)) = bytes.split_first_chunk() else {
        return Err(truncated(N as u64, bytes));
    };
    *bytes = rest;
    Ok(*chunk)
}

#[cold]
fn truncated(needed: u64, rest: &[u8]) -> Mistake {
    Mistake::Truncated { needed, left: rest.len() as u64 }
}

/// Appends a number.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Appends a field that is a number.
pub(crate) fn put_int(out: &mut Vec<u8>, number: u64, value: i64) {
    put_varint(out, number << 3);
    put_varint(out, u64::from_ne_bytes(value.to_ne_bytes()));
}

/// Appends the key and the length of a field of `length` bytes; the bytes come next.
pub(crate) fn put_header(out: &mut Vec<u8>, number: u64, length: u64) {
    put_varint(out, number << 3 | 2);
    put_varint(out, length);
}

/// Appends a field that is bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    put_header(out, number, bytes.len() as u64);
    out.extend_from_slice(bytes);
}
