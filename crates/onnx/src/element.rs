//! The types of a tensor's elements.

use std::fmt;

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are ONNX's own")]
pub enum Element {
    /// Nothing is said.
    #[default]
    Undefined,
    Float,
    Uint8,
    Int8,
    Uint16,
    Int16,
    Int32,
    Int64,
    String,
    Bool,
    Float16,
    Double,
    Uint32,
    Uint64,
    Complex64,
    Complex128,
    Bfloat16,
    Float8E4M3Fn,
    Float8E4M3Fnuz,
    Float8E5M2,
    Float8E5M2Fnuz,
    Uint4,
    Int4,
    Float4E2M1,
    Float8E8M0,
    Uint2,
    Int2,
    /// A number that ONNX gave to no type when this was written.
    Other(i32),
}

/// The types in the order of their numbers, with ONNX's name and the bits that an element takes.
const ELEMENTS: &[(Element, &str, Option<u32>)] = &[
    (Element::Undefined, "undefined", None),
    (Element::Float, "float", Some(32)),
    (Element::Uint8, "uint8", Some(8)),
    (Element::Int8, "int8", Some(8)),
    (Element::Uint16, "uint16", Some(16)),
    (Element::Int16, "int16", Some(16)),
    (Element::Int32, "int32", Some(32)),
    (Element::Int64, "int64", Some(64)),
    (Element::String, "string", None),
    (Element::Bool, "bool", Some(8)),
    (Element::Float16, "float16", Some(16)),
    (Element::Double, "double", Some(64)),
    (Element::Uint32, "uint32", Some(32)),
    (Element::Uint64, "uint64", Some(64)),
    (Element::Complex64, "complex64", Some(64)),
    (Element::Complex128, "complex128", Some(128)),
    (Element::Bfloat16, "bfloat16", Some(16)),
    (Element::Float8E4M3Fn, "float8e4m3fn", Some(8)),
    (Element::Float8E4M3Fnuz, "float8e4m3fnuz", Some(8)),
    (Element::Float8E5M2, "float8e5m2", Some(8)),
    (Element::Float8E5M2Fnuz, "float8e5m2fnuz", Some(8)),
    (Element::Uint4, "uint4", Some(4)),
    (Element::Int4, "int4", Some(4)),
    (Element::Float4E2M1, "float4e2m1", Some(4)),
    (Element::Float8E8M0, "float8e8m0", Some(8)),
    (Element::Uint2, "uint2", Some(2)),
    (Element::Int2, "int2", Some(2)),
];

impl Element {
    /// The type with a number of ONNX's `TensorProto.DataType`.
    pub fn of_number(number: i32) -> Element {
        let row = usize::try_from(number).ok().and_then(|index| ELEMENTS.get(index));
        row.map_or(Element::Other(number), |(element, ..)| *element)
    }

    /// The type that prints so: `float`, `int64`.
    pub fn named(name: &str) -> Option<Element> {
        ELEMENTS.iter().find(|(_, own, _)| *own == name).map(|(element, ..)| *element)
    }

    /// The type's number in ONNX's `TensorProto.DataType`.
    pub fn number(self) -> i32 {
        if let Element::Other(number) = self {
            return number;
        }
        let row = ELEMENTS.iter().zip(0..).find(|((element, ..), _)| *element == self);
        row.map_or(0, |(_, number)| number)
    }

    /// How many bits an element takes; none for texts and for what is not known.
    pub fn bits(self) -> Option<u32> {
        ELEMENTS.iter().find(|(element, ..)| *element == self).and_then(|(.., bits)| *bits)
    }

    /// The bytes that `count` elements take. Elements of less than a byte share bytes, and the last
    /// may be partly used.
    ///
    /// ```
    /// use lozenge_onnx::Element;
    ///
    /// assert_eq!(Element::Int64.bytes(3), Some(24));
    /// assert_eq!(Element::Int4.bytes(3), Some(2));
    /// assert_eq!(Element::String.bytes(3), None);
    /// ```
    pub fn bytes(self, count: u64) -> Option<u64> {
        let bits = count.checked_mul(u64::from(self.bits()?))?;
        Some(bits / 8 + u64::from(bits % 8 != 0))
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ELEMENTS.iter().find(|(element, ..)| element == self) {
            Some((_, name, _)) => f.pad(name),
            None => write!(f, "type {}", self.number()),
        }
    }
}
