//! The ways in which protobuf encodes a value.

/// How a value is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireType {
    /// A number in as few bytes as it needs, seven bits a byte.
    Varint,
    /// Eight bytes.
    Fixed64,
    /// A length and that many bytes: a text, a message, a packed list.
    Bytes,
    /// Four bytes.
    Fixed32,
}

impl WireType {
    /// The wire type of a key's three lowest bits.
    pub(crate) fn of_key(key: u64) -> Option<WireType> {
        match key & 7 {
            0 => Some(WireType::Varint),
            1 => Some(WireType::Fixed64),
            2 => Some(WireType::Bytes),
            5 => Some(WireType::Fixed32),
            _ => None,
        }
    }
}
