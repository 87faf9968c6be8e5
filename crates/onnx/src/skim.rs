//! Reading a model without its weights, from a file of any size.
//!
//! What shapes need of a file of gigabytes is a few megabytes. Skimming copies it, except elements
//! of tensors that are longer than [`LARGE`]: these are skipped by seeking, and in their place the
//! copy says where they are ([`crate::Data::LeftOut`]). A message that is not large is copied
//! without looking into it.

use std::io::{Read, Seek};

use crate::{
    error::{Mistake, ReadError, SourceError},
    limits::MAX_DEPTH,
    model::Model,
    source::{Place, Source},
    tensor::LEFT_OUT,
    wire::{put_bytes, put_header, put_int},
};

/// How many bytes of elements a tensor may have before they are left out. Constants that shapes
/// depend on are shorter.
pub const LARGE: u64 = 4096;

/// A copy of a model's file without large elements.
#[derive(Debug, Clone, Default)]
pub struct Skimmed {
    bytes: Vec<u8>,
    /// The most bytes of elements that are copied.
    large: u64,
    /// From where on a run of bytes was copied: where it begins here, and where in the file.
    runs: Vec<(usize, u64)>,
}

/// The messages in which elements of tensors can lie.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Model,
    Graph,
    Function,
    Node,
    Attribute,
    Sparse,
    Tensor,
}

impl Kind {
    /// What a field of such a message is, if elements can lie in it.
    fn inside(self, number: u64) -> Option<Kind> {
        match (self, number) {
            (Kind::Model, 7) | (Kind::Attribute, 6 | 11) => Some(Kind::Graph),
            (Kind::Model, 25) => Some(Kind::Function),
            (Kind::Graph, 1) | (Kind::Function, 7) => Some(Kind::Node),
            (Kind::Node, 5) | (Kind::Function, 11) => Some(Kind::Attribute),
            (Kind::Graph, 15) | (Kind::Attribute, 22 | 23) => Some(Kind::Sparse),
            (Kind::Graph, 5) | (Kind::Attribute, 5 | 10) | (Kind::Sparse, 1 | 2) => {
                Some(Kind::Tensor)
            }
            _ => None,
        }
    }

    /// Whether a field of such a message is elements as they lie in memory: bytes, floats of 32 or
    /// of 64 bits.
    fn is_elements(self, number: u64) -> bool {
        matches!((self, number), (Kind::Tensor, 4 | 9 | 10))
    }
}

/// Copies a model without large elements.
///
/// ```
/// use std::io::Cursor;
///
/// // A model whose graph has one initializer, `w`, of 5000 bytes.
/// let raw = [&[0x42, 1, b'w', 0x4a, 0x88, 0x27][..], &[0; 5000]].concat();
/// let graph = [&[0x2a, 0x8e, 0x27][..], &raw].concat();
/// let file = [&[0x3a, 0x91, 0x27][..], &graph].concat();
///
/// let skimmed = lozenge_onnx::skim(Cursor::new(file))?;
/// assert!(skimmed.bytes().len() < 50);
/// let weights = &skimmed.model()?.graph.initializers[0];
/// assert_eq!(weights.name, "w");
/// assert!(matches!(weights.data, lozenge_onnx::Data::LeftOut { offset: 12, length: 5000 }));
/// # Ok::<(), lozenge_onnx::SourceError>(())
/// ```
///
/// # Errors
///
/// The source failed, or a message in it does not fit into the one around it. Other mistakes are
/// found by [`Skimmed::model`].
pub fn skim(source: impl Read + Seek) -> Result<Skimmed, SourceError> {
    skim_above(LARGE, source)
}

/// Copies a model without elements that are longer than `large`.
pub(crate) fn skim_above(large: u64, source: impl Read + Seek) -> Result<Skimmed, SourceError> {
    let mut source = Source::new(source)?;
    let whole = Place { number: 0, is_bytes: true, start: 0, value: 0, end: source.length() };
    let mut skimmed = Skimmed { large, ..Skimmed::default() };
    let copied = skimmed.copy_message(&mut source, Kind::Model, whole, 0);
    copied.map_err(|error| source.recognise(error))?;
    Ok(skimmed)
}

impl Skimmed {
    /// The copy: a model file as well, though only this crate knows where its elements went.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the model.
    ///
    /// # Errors
    ///
    /// Those of [`Model::read`], with places in the file.
    pub fn model(&self) -> Result<Model<'_>, ReadError> {
        Model::read(&self.bytes).map_err(|error| error.moved(|offset| self.place_in_file(offset)))
    }

    /// Where in the file a byte of the copy is.
    fn place_in_file(&self, offset: u64) -> u64 {
        let at = usize::try_from(offset).unwrap_or(usize::MAX);
        let run = self.runs.partition_point(|(start, _)| *start <= at);
        let Some((start, original)) = run.checked_sub(1).map(|run| self.runs[run]) else {
            return offset;
        };
        original + (at - start) as u64
    }

    fn copy_message<S: Read + Seek>(
        &mut self,
        source: &mut Source<S>,
        kind: Kind,
        message: Place,
        depth: u32,
    ) -> Result<(), SourceError> {
        // Five kinds of messages lie between a graph and a graph in it.
        if depth > 5 * MAX_DEPTH {
            return Err(ReadError::new(Mistake::TooDeep { most: MAX_DEPTH }, message.start).into());
        }
        let mut at = message.value;
        while let Some(field) = source.field(at, message.end)? {
            at = field.end;
            let is_large = field.is_bytes && field.length() > self.large;
            if is_large && kind.is_elements(field.number) {
                let mut place = vec![];
                put_int(&mut place, 1, signed(field.value)?);
                put_int(&mut place, 2, signed(field.length())?);
                put_bytes(&mut self.bytes, LEFT_OUT, &place);
            } else if let Some(inside) = kind.inside(field.number).filter(|_| is_large) {
                let mut inner = Skimmed { large: self.large, ..Skimmed::default() };
                inner.copy_message(source, inside, field, depth + 1)?;
                self.runs.push((self.bytes.len(), field.start));
                put_header(&mut self.bytes, field.number, inner.bytes.len() as u64);
                let shift = self.bytes.len();
                self.bytes.append(&mut inner.bytes);
                self.runs.extend(inner.runs.iter().map(|(start, place)| (start + shift, *place)));
            } else {
                let continues = self.runs.last().is_some_and(|(start, place)| {
                    place + (self.bytes.len() - start) as u64 == field.start
                });
                if !continues {
                    self.runs.push((self.bytes.len(), field.start));
                }
                source.copy(field.start, field.end, &mut self.bytes)?;
            }
        }
        Ok(())
    }
}

fn signed(place: u64) -> Result<i64, ReadError> {
    i64::try_from(place).map_err(|_| ReadError::new(Mistake::TooLong(place), place))
}
