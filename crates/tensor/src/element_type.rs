//! What tensors are made of, and sets of such types.

use std::fmt;

use half::{bf16, f16};

/// The type of a tensor's elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ElementType {
    /// Half precision. It is computed in single precision, and rounded when it is written.
    F16,
    /// The upper half of single precision. It is computed in single precision, and rounded when it
    /// is written.
    BF16,
    /// Single precision: what a tensor has of which nobody says anything.
    F32,
    /// Double precision.
    F64,
    /// Whole numbers of 32 bits.
    I32,
    /// Whole numbers of 64 bits.
    I64,
    /// Bytes.
    U8,
    /// Truths: 1 and 0.
    Bool,
}

impl ElementType {
    /// All of them, the one first that is taken where several would do.
    pub const ALL: [ElementType; 8] = [
        ElementType::F32,
        ElementType::I32,
        ElementType::Bool,
        ElementType::F64,
        ElementType::F16,
        ElementType::BF16,
        ElementType::I64,
        ElementType::U8,
    ];

    /// A number as one of 16 bits has it; of the others, as it is.
    pub(crate) fn narrowed(self, number: f64) -> f64 {
        #[allow(clippy::cast_possible_truncation)] // the nearest
        match self {
            ElementType::F16 => f16::from_f32(number as f32).to_f64(),
            ElementType::BF16 => bf16::from_f32(number as f32).to_f64(),
            _ => number,
        }
    }

    /// Its name, as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            ElementType::F16 => "f16",
            ElementType::BF16 => "bf16",
            ElementType::F32 => "f32",
            ElementType::F64 => "f64",
            ElementType::I32 => "i32",
            ElementType::I64 => "i64",
            ElementType::U8 => "u8",
            ElementType::Bool => "bool",
        }
    }

    /// How many bytes an element takes.
    pub const fn bytes(self) -> u64 {
        match self {
            ElementType::U8 | ElementType::Bool => 1,
            ElementType::F16 | ElementType::BF16 => 2,
            ElementType::F32 | ElementType::I32 => 4,
            ElementType::F64 | ElementType::I64 => 8,
        }
    }

    /// Whether it is a floating-point type: only these have gradients.
    pub const fn is_float(self) -> bool {
        TypeSet::FLOATS.has(self)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The types that something may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TypeSet(u8);

impl TypeSet {
    pub(crate) const FLOATS: TypeSet = TypeSet(0b1111);
    pub(crate) const INDICES: TypeSet = TypeSet(0b11_0000);
    pub(crate) const NUMBERS: TypeSet = TypeSet(0b111_1111);
    pub(crate) const BOOL: TypeSet = TypeSet(0b1000_0000);
    pub(crate) const ANY: TypeSet = TypeSet(0b1111_1111);

    pub(crate) const fn only(one: ElementType) -> TypeSet {
        TypeSet(1 << one as u8)
    }

    pub(crate) const fn has(self, one: ElementType) -> bool {
        self.0 & (1 << one as u8) != 0
    }

    pub(crate) const fn and(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 & other.0)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The type that is taken where nothing more is said; of no types, `f32`.
    pub(crate) fn chosen(self) -> ElementType {
        ElementType::ALL.into_iter().find(|one| self.has(*one)).unwrap_or(ElementType::F32)
    }

    /// The set in words.
    pub(crate) fn words(self) -> String {
        let names = || ElementType::ALL.into_iter().filter(|one| self.has(*one));
        match self {
            TypeSet::FLOATS => "a float".to_owned(),
            TypeSet::INDICES => "i32 or i64".to_owned(),
            TypeSet::NUMBERS => "a number".to_owned(),
            _ => names().map(ElementType::name).collect::<Vec<_>>().join(" or "),
        }
    }
}

impl From<ElementType> for TypeSet {
    fn from(one: ElementType) -> TypeSet {
        TypeSet::only(one)
    }
}
