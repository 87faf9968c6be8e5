//! Tensors that a file holds: mostly weights, whose sizes are all that inference needs; and the few
//! small ones whose elements decide shapes.
//!
//! Elements stay in the file until they are read, and whoever reads them says how many are too
//! many.

use crate::{
    element::Element,
    error::{Mistake, ReadError, ValuesError},
    external::External,
    list::{Doubles, Floats, Ints, Repeated, Strings, check_fixed, check_varints},
    text::Text,
    wire::Fields,
};

/// The field of a tensor by which [`crate::skim`] says where bytes are that it left out. Protobuf
/// keeps these numbers from schemas.
pub(crate) const LEFT_OUT: u64 = 19_001;

/// A tensor: its name, its element type, its sizes, and where its elements are.
#[derive(Debug, Clone, Default)]
pub struct Tensor<'a> {
    /// The tensor's name; empty in attributes.
    pub name: Text<'a>,
    /// The type of the elements.
    pub element: Element,
    /// Where the elements are.
    pub data: Data<'a>,
    dims: Repeated<'a>,
}

/// Where a tensor's elements are.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub enum Data<'a> {
    /// Nowhere: the tensor has none, or somebody took them out of the file.
    #[default]
    None,
    /// In the file, as bytes with the lowest first.
    Raw(&'a [u8]),
    /// In the file, as a list of numbers or texts.
    Listed(Listed<'a>),
    /// In the file, but not read: this many bytes from there on.
    LeftOut {
        /// How many bytes into the file.
        offset: u64,
        /// How many bytes.
        length: u64,
    },
    /// In another file.
    External(External<'a>),
}

/// A tensor's elements as a list of protobuf's own types.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a>(Repeated<'a>);

/// A sparse tensor: only some of its elements are stored.
#[derive(Debug, Clone, Default)]
pub struct SparseTensor<'a> {
    /// The elements that are stored; its name is the tensor's.
    pub values: Tensor<'a>,
    /// Where these elements are.
    pub indices: Tensor<'a>,
    dims: Repeated<'a>,
}

/// The fields of a tensor in which elements can be listed.
const LISTS: [u64; 6] = [4, 5, 6, 7, 10, 11];

impl<'a> Tensor<'a> {
    pub(crate) fn read(mut fields: Fields<'a>) -> Result<Self, ReadError> {
        let mut tensor = Tensor::default();
        let mut lists = [Repeated::default(); LISTS.len()];
        let mut external = Repeated::default();
        let mut is_external = false;
        let mut raw = None;
        let mut left_out = None;
        loop {
            let before = fields.rest();
            let Some(field) = fields.read()? else { break };
            match field.number {
                1 => {
                    check_varints(&field)?;
                    tensor.dims.note(1, before, fields.rest());
                }
                2 => tensor.element = Element::of_number(field.int32()?),
                number @ (4 | 5 | 6 | 7 | 10 | 11) => {
                    match number {
                        4 => check_fixed(&field, 4)?,
                        10 => check_fixed(&field, 8)?,
                        6 => drop(field.bytes()?),
                        _ => check_varints(&field)?,
                    }
                    let list = LISTS.iter().zip(&mut lists).find(|(list, _)| **list == number);
                    list.expect("the fields of lists").1.note(number, before, fields.rest());
                }
                8 => tensor.name = Text(field.bytes()?),
                9 => raw = Some(field.bytes()?),
                13 => {
                    field.bytes()?;
                    external.note(13, before, fields.rest());
                }
                14 => is_external = field.int()? == 1,
                LEFT_OUT => left_out = read_left_out(field.message()?)?,
                _ => {}
            }
        }
        let list = list_of(tensor.element).and_then(|number| {
            lists.into_iter().zip(LISTS).find(|(list, n)| *n == number && !list.is_empty())
        });
        tensor.data = match (left_out, raw, list) {
            _ if is_external => Data::External(External::new(external)),
            (Some((offset, length)), ..) => Data::LeftOut { offset, length },
            (None, None | Some([]), Some((list, _))) => Data::Listed(Listed(list)),
            (None, Some(raw), _) => Data::Raw(raw),
            (None, None, None) => Data::None,
        };
        Ok(tensor)
    }

    /// The size of each axis, as the file says it; none for a scalar.
    pub fn dims(&self) -> Ints<'a> {
        Ints::new(self.dims)
    }

    /// How many elements there are; none if a size is negative or they cannot be counted in 64
    /// bits.
    pub fn count(&self) -> Option<u64> {
        product(self.dims())
    }

    /// The elements as whole numbers, in row-major order: those of integer types, and of booleans
    /// as 0 and 1.
    ///
    /// # Errors
    ///
    /// There are more than `most` elements, they are not whole numbers of 64 bits, they are not in
    /// this file, or not as many as the sizes say.
    pub fn ints(&self, most: usize) -> Result<Vec<i64>, ValuesError> {
        let count = self.count_up_to(most)?;
        if !is_int(self.element) {
            return Err(ValuesError::Element(self.element));
        }
        match self.data {
            Data::Raw(raw) => self.ints_of_raw(raw, most),
            Data::Listed(Listed(list)) => {
                let elements = Ints::new(list).map(|value| truncate(value, self.element));
                match self.element.bits() {
                    // Elements of less than a byte are packed into bytes first, and each byte is a
                    // number.
                    Some(bits @ (2 | 4)) => {
                        let bytes: Vec<u8> =
                            Ints::new(list).take(count).map(|v| v.to_le_bytes()[0]).collect();
                        exactly(count, sub_bytes(&bytes, bits, self.element).take(count))
                    }
                    _ => exactly(count, elements.take(count.saturating_add(1))),
                }
            }
            _ => self.absent(count).map(|()| vec![]),
        }
    }

    /// The elements as whole numbers, from bytes that were read from elsewhere: another file, or
    /// the part of this one that was left out.
    ///
    /// # Errors
    ///
    /// Those of [`Tensor::ints`].
    pub fn ints_of_raw(&self, raw: &[u8], most: usize) -> Result<Vec<i64>, ValuesError> {
        let count = self.count_up_to(most)?;
        let element = self.element;
        if !is_int(element) {
            return Err(ValuesError::Element(element));
        }
        self.check_length(raw, count)?;
        Ok(match element.bits() {
            Some(bits @ (2 | 4)) => sub_bytes(raw, bits, element).take(count).collect(),
            Some(64) => words::<8>(raw).map(i64::from_le_bytes).collect(),
            Some(32) => words::<4>(raw)
                .map(|w| truncate(i64::from(i32::from_le_bytes(w)), element))
                .collect(),
            Some(16) => words::<2>(raw)
                .map(|w| truncate(i64::from(i16::from_le_bytes(w)), element))
                .collect(),
            _ => raw.iter().map(|byte| truncate(i64::from(*byte), element)).collect(),
        })
    }

    /// The elements as floating-point numbers, in row-major order. Each type's numbers are numbers
    /// of 64 bits too.
    ///
    /// # Errors
    ///
    /// There are more than `most` elements, they are not floating-point numbers of 16, 32 or 64
    /// bits, they are not in this file, or not as many as the sizes say.
    pub fn floats(&self, most: usize) -> Result<Vec<f64>, ValuesError> {
        let count = self.count_up_to(most)?;
        let halves = match self.element {
            Element::Float | Element::Double => None,
            Element::Float16 => Some(of_half as fn(u16) -> f64),
            Element::Bfloat16 => Some(of_bfloat as fn(u16) -> f64),
            other => return Err(ValuesError::Element(other)),
        };
        let one_more = count.saturating_add(1);
        match (self.data, halves) {
            (Data::Raw(raw), _) => self.floats_of_raw(raw, most),
            (Data::Listed(Listed(list)), Some(convert)) => {
                let half = |value: i64| {
                    let [low, high, ..] = value.to_le_bytes();
                    convert(u16::from_le_bytes([low, high]))
                };
                exactly(count, Ints::new(list).take(one_more).map(half))
            }
            (Data::Listed(Listed(list)), None) if self.element == Element::Double => {
                exactly(count, Doubles::new(list).take(one_more))
            }
            (Data::Listed(Listed(list)), None) => {
                exactly(count, Floats::new(list).take(one_more).map(f64::from))
            }
            _ => self.absent(count).map(|()| vec![]),
        }
    }

    /// The elements as floating-point numbers, from bytes that were read from elsewhere.
    ///
    /// # Errors
    ///
    /// Those of [`Tensor::floats`].
    pub fn floats_of_raw(&self, raw: &[u8], most: usize) -> Result<Vec<f64>, ValuesError> {
        let count = self.count_up_to(most)?;
        let halves = |convert: fn(u16) -> f64| {
            words::<2>(raw).map(|word| convert(u16::from_le_bytes(word))).collect()
        };
        let elements = match self.element {
            Element::Float => words::<4>(raw).map(|w| f64::from(f32::from_le_bytes(w))).collect(),
            Element::Double => words::<8>(raw).map(f64::from_le_bytes).collect(),
            Element::Float16 => halves(of_half),
            Element::Bfloat16 => halves(of_bfloat),
            other => return Err(ValuesError::Element(other)),
        };
        self.check_length(raw, count)?;
        Ok(elements)
    }

    /// The elements that are texts; none of another type.
    pub fn strings(&self) -> Strings<'a> {
        match self.data {
            Data::Listed(Listed(list)) if self.element == Element::String => Strings::new(list),
            _ => Strings::default(),
        }
    }

    /// How many elements there are, if they are not more than `most`.
    fn count_up_to(&self, most: usize) -> Result<usize, ValuesError> {
        let count = self.count().ok_or(ValuesError::Uncountable)?;
        let fits = usize::try_from(count).ok().filter(|count| *count <= most);
        fits.ok_or(ValuesError::TooMany { count, most })
    }

    fn check_length(&self, raw: &[u8], count: usize) -> Result<(), ValuesError> {
        let Some(expected) = self.element.bytes(count as u64) else {
            return Err(ValuesError::Uncountable);
        };
        let found = raw.len() as u64;
        if found == expected { Ok(()) } else { Err(ValuesError::Length { found, expected }) }
    }

    /// Elements that are not in this file; where there are none, none are missing.
    fn absent(&self, count: usize) -> Result<(), ValuesError> {
        match self.data {
            _ if count == 0 => Ok(()),
            Data::External(_) => Err(ValuesError::External),
            Data::LeftOut { .. } => Err(ValuesError::LeftOut),
            _ => Err(ValuesError::Missing),
        }
    }
}

impl<'a> SparseTensor<'a> {
    pub(crate) fn read(mut fields: Fields<'a>) -> Result<Self, ReadError> {
        let mut tensor = SparseTensor::default();
        let mut seen = [false; 2];
        loop {
            let before = fields.rest();
            let Some(field) = fields.read()? else { break };
            let (piece, name, seen) = match field.number {
                1 => (&mut tensor.values, "values", &mut seen[0]),
                2 => (&mut tensor.indices, "indices", &mut seen[1]),
                3 => {
                    check_varints(&field)?;
                    tensor.dims.note(3, before, fields.rest());
                    continue;
                }
                _ => continue,
            };
            if std::mem::replace(seen, true) {
                return Err(ReadError::new(Mistake::TwoPieces, field.offset));
            }
            let read = field.message().and_then(Tensor::read);
            *piece = read.map_err(|error| error.inside(name, None))?;
        }
        Ok(tensor)
    }

    /// The size of each axis.
    pub fn dims(&self) -> Ints<'a> {
        Ints::new(self.dims)
    }
}

/// Elements, if there are as many as expected.
fn exactly<T>(expected: usize, elements: impl Iterator<Item = T>) -> Result<Vec<T>, ValuesError> {
    let elements: Vec<T> = elements.collect();
    let (found, expected) = (elements.len() as u64, expected as u64);
    if found == expected { Ok(elements) } else { Err(ValuesError::Count { found, expected }) }
}

/// Where the bytes are that skimming left out: an offset and a length.
fn read_left_out(mut fields: Fields<'_>) -> Result<Option<(u64, u64)>, ReadError> {
    let mut found = (0, 0);
    while let Some(field) = fields.read()? {
        let number = field.int()?.unsigned_abs();
        if field.number == 1 {
            found.0 = number;
        } else {
            found.1 = number;
        }
    }
    Ok(Some(found))
}

/// The product of sizes; none if one is negative or it does not fit. A size of 0 makes it 0
/// whatever the others are.
fn product(mut dims: Ints<'_>) -> Option<u64> {
    let mut sizes = dims.clone().map(|dim| u64::try_from(dim).ok());
    if dims.any(|dim| dim == 0) {
        return sizes.all(|size| size.is_some()).then_some(0);
    }
    sizes.try_fold(1u64, |product, size| product.checked_mul(size?))
}

/// The field in which elements of a type are listed.
fn list_of(element: Element) -> Option<u64> {
    match element {
        Element::Float | Element::Complex64 => Some(4),
        Element::String => Some(6),
        Element::Int64 => Some(7),
        Element::Double | Element::Complex128 => Some(10),
        Element::Uint32 | Element::Uint64 => Some(11),
        Element::Undefined | Element::Other(_) => None,
        _ => Some(5),
    }
}

/// Whether a type's elements are whole numbers or booleans.
fn is_int(element: Element) -> bool {
    use Element::{
        Bool, Int2, Int4, Int8, Int16, Int32, Int64, Uint2, Uint4, Uint8, Uint16, Uint32, Uint64,
    };
    matches!(element, Bool | Int2 | Int4 | Int8 | Int16 | Int32 | Int64)
        || matches!(element, Uint2 | Uint4 | Uint8 | Uint16 | Uint32 | Uint64)
}

/// A number of an integer type, from any number whose lowest bits are its. Those past 63 bits
/// become negative, which no size is.
fn truncate(value: i64, element: Element) -> i64 {
    let [b0, b1, b2, b3, ..] = value.to_le_bytes();
    match element {
        Element::Bool => i64::from(value != 0),
        Element::Uint8 => i64::from(b0),
        Element::Int8 => i64::from(i8::from_le_bytes([b0])),
        Element::Uint16 => i64::from(u16::from_le_bytes([b0, b1])),
        Element::Int16 => i64::from(i16::from_le_bytes([b0, b1])),
        Element::Uint32 => i64::from(u32::from_le_bytes([b0, b1, b2, b3])),
        Element::Int32 => i64::from(i32::from_le_bytes([b0, b1, b2, b3])),
        _ => value,
    }
}

/// The elements of `bits` bits that share bytes, the lowest first.
fn sub_bytes(bytes: &[u8], bits: u32, element: Element) -> impl Iterator<Item = i64> + '_ {
    let is_signed = matches!(element, Element::Int4 | Element::Int2);
    bytes.iter().flat_map(move |byte| {
        (0..8 / bits).map(move |i| {
            let value = i64::from(*byte >> (i * bits)) & ((1 << bits) - 1);
            let is_negative = is_signed && value >> (bits - 1) == 1;
            if is_negative { value - (1 << bits) } else { value }
        })
    })
}

/// Bytes, `N` at a time.
fn words<const N: usize>(raw: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    raw.chunks_exact(N).filter_map(|chunk| chunk.try_into().ok())
}

/// The number that 16 bits of IEEE 754 are.
fn of_half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match bits >> 10 & 0x1f {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The number whose upper half, as 32 bits of IEEE 754, these are.
fn of_bfloat(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

impl Data<'_> {
    /// The bytes, if they are in the file.
    pub fn raw(&self) -> Option<&[u8]> {
        if let Data::Raw(raw) = self { Some(raw) } else { None }
    }
}
