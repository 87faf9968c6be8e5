//! Writing a model back with other value info, and every other byte as it was.
//!
//! Nothing is encoded anew that does not change: a rewritten file is a list of ranges of the old
//! one with a few bytes between them, so that gigabytes of weights are never held in memory, and
//! fields that this crate does not know are kept. What changes is the value info of graphs, the
//! types of their outputs, and the lengths of the messages around.

use std::{
    io::{self, Cursor, Read, Seek, Write},
    ops::Range,
};

use crate::{
    error::{Mistake, ReadError, SourceError},
    graph::{bit, field_of_value},
    limits::MAX_DEPTH,
    source::{Place, Source},
    text::Text,
    types::ValueInfo,
    wire::{Fields, low_half, put_bytes, put_header},
};

/// What a graph shall say about its values.
#[derive(Debug, Clone, Default)]
pub struct Annotations<'a> {
    /// What takes the place of all value info between inputs and outputs; none leaves it as it is.
    pub value_info: Option<Vec<ValueInfo<'a>>>,
    /// The types of outputs, by name. Outputs that are not named here stay as they are.
    pub outputs: Vec<ValueInfo<'a>>,
}

impl Annotations<'_> {
    fn is_empty(&self) -> bool {
        self.value_info.is_none() && self.outputs.is_empty()
    }
}

/// A model file as ranges of an old one and new bytes between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    pieces: Vec<Piece>,
    length: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Old(Range<u64>),
    New(Vec<u8>),
}

/// Rewrites a model's file in memory; `graphs` are the annotations of its graphs, as for
/// [`rewrite`].
///
/// ```
/// use lozenge_onnx::{Annotations, Element, Model, TensorType, Type, ValueInfo, annotate};
///
/// let file = [0x08, 10, 0x3a, 3, 0x12, 1, b'g']; // version 10, and a graph named g
/// let ty = Type::Tensor(TensorType { element: Element::Float, shape: Some(vec![]) });
/// let value_info = vec![ValueInfo { name: "x".into(), ty }];
/// let graph = Annotations { value_info: Some(value_info.clone()), outputs: vec![] };
///
/// let written = annotate(&file, &[graph])?;
/// assert_eq!(Model::read(&written)?.graph.value_info, value_info);
/// assert_eq!(annotate(&written, &[Annotations { value_info: Some(vec![]), outputs: vec![] }])?, file);
/// assert_eq!(annotate(&written, &[])?, written);
/// # Ok::<(), lozenge_onnx::ReadError>(())
/// ```
///
/// # Errors
///
/// Those of [`rewrite`].
pub fn annotate(file: &[u8], graphs: &[Annotations<'_>]) -> Result<Vec<u8>, ReadError> {
    let rewritten = match rewrite(Cursor::new(file), graphs) {
        Ok(rewritten) => rewritten,
        Err(SourceError::Read(error)) => return Err(error),
        // Slices give what they have; the places of fields were checked.
        Err(SourceError::Io(_)) => return Err(ends_at(0)),
    };
    let mut out = vec![];
    for piece in &rewritten.pieces {
        let range = |range: &Range<u64>| {
            let (start, end) = (usize::try_from(range.start), usize::try_from(range.end));
            file.get(start.ok()?..end.ok()?)
        };
        match piece {
            Piece::Old(old) => {
                out.extend_from_slice(range(old).ok_or_else(|| ends_at(old.start))?);
            }
            Piece::New(bytes) => out.extend_from_slice(bytes),
        }
    }
    Ok(out)
}

/// The mistake of a file that ends before what is copied of it.
fn ends_at(offset: u64) -> ReadError {
    ReadError::new(Mistake::Truncated { needed: 1, left: 0 }, offset)
}

/// Finds what of a model's file stays and what changes.
///
/// The first of `graphs` is for the model's graph, the others for the graphs inside it, in the
/// order of [`crate::Model::graphs`]. Graphs past the end of the list stay as they are. New value
/// info comes at the end of its graph.
///
/// # Errors
///
/// The source failed or is not a model.
pub fn rewrite(
    source: impl Read + Seek,
    graphs: &[Annotations<'_>],
) -> Result<Rewritten, SourceError> {
    let mut source = Source::new(source)?;
    let mut writer = Writer { graphs, next: 0 };
    writer.model(&mut source).map_err(|error| source.recognise(error))
}

impl Rewritten {
    /// Writes the new file, taking what stays from the old one.
    ///
    /// # Errors
    ///
    /// Reading or writing failed, or the old file is shorter than it was.
    pub fn write(&self, source: impl Read + Seek, out: &mut impl Write) -> Result<(), SourceError> {
        let mut source = source;
        for piece in &self.pieces {
            match piece {
                Piece::Old(range) => {
                    source.seek(io::SeekFrom::Start(range.start))?;
                    let wanted = range.end - range.start;
                    let copied = io::copy(&mut source.by_ref().take(wanted), out)?;
                    if copied < wanted {
                        let mistake = Mistake::Truncated { needed: wanted, left: copied };
                        return Err(ReadError::new(mistake, range.start).into());
                    }
                }
                Piece::New(bytes) => out.write_all(bytes)?,
            }
        }
        Ok(())
    }

    /// How long the new file is.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether the new file is the old one.
    pub fn is_unchanged(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Old(_))) && self.pieces.len() <= 1
    }

    /// A message that stays as it is.
    fn kept(message: Place) -> Self {
        let mut kept = Rewritten::default();
        if message.length() > 0 {
            kept.keep(message.value, message.end);
        }
        kept
    }

    fn keep(&mut self, start: u64, end: u64) {
        self.length += end - start;
        match self.pieces.last_mut() {
            Some(Piece::Old(range)) if range.end == start => range.end = end,
            _ => self.pieces.push(Piece::Old(start..end)),
        }
    }

    fn insert(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        match self.pieces.last_mut() {
            Some(Piece::New(new)) => new.extend_from_slice(bytes),
            _ => self.pieces.push(Piece::New(bytes.to_vec())),
        }
    }

    /// Adds the message of a field, in its new form: the field as it was, if nothing in it changed.
    fn nest(&mut self, field: Place, message: Rewritten) {
        let unchanged = match &message.pieces[..] {
            [] => field.length() == 0,
            [Piece::Old(range)] => *range == (field.value..field.end),
            _ => false,
        };
        if unchanged {
            return self.keep(field.start, field.end);
        }
        let mut header = vec![];
        put_header(&mut header, field.number, message.length);
        self.insert(&header);
        for piece in message.pieces {
            match piece {
                Piece::Old(range) => self.keep(range.start, range.end),
                Piece::New(bytes) => self.insert(&bytes),
            }
        }
    }
}

/// Goes through a file and counts graphs.
struct Writer<'w> {
    graphs: &'w [Annotations<'w>],
    next: usize,
}

impl<'w> Writer<'w> {
    fn model<S: Read + Seek>(&mut self, source: &mut Source<S>) -> Result<Rewritten, SourceError> {
        let end = source.length();
        // A graph can be in pieces; its value info goes to the end of the last.
        let (mut pieces, mut at) = (0, 0);
        while let Some(field) = source.field(at, end)? {
            at = field.end;
            pieces += usize::from(field.number == 7 && field.is_bytes);
        }
        if pieces == 0 {
            return Err(ReadError::new(Mistake::NoGraph, 0).into());
        }
        let annotations = self.take();
        let mut out = Rewritten::default();
        at = 0;
        while let Some(field) = source.field(at, end)? {
            at = field.end;
            if field.number == 7 && field.is_bytes {
                pieces -= 1;
                let graph = self.graph(source, field, annotations, pieces == 0, 0)?;
                out.nest(field, graph);
            } else {
                out.keep(field.start, field.end);
            }
        }
        Ok(out)
    }

    /// The annotations of the next graph.
    fn take(&mut self) -> Option<&'w Annotations<'w>> {
        let annotations = self.graphs.get(self.next).filter(|one| !one.is_empty());
        self.next += 1;
        annotations
    }

    /// A graph or a piece of it.
    fn graph<S: Read + Seek>(
        &mut self,
        source: &mut Source<S>,
        message: Place,
        annotations: Option<&Annotations<'_>>,
        is_last: bool,
        depth: u32,
    ) -> Result<Rewritten, SourceError> {
        if depth > MAX_DEPTH {
            return Err(ReadError::new(Mistake::TooDeep { most: MAX_DEPTH }, message.start).into());
        }
        let value_info = annotations.and_then(|graph| graph.value_info.as_deref());
        let mut out = Rewritten::default();
        let mut at = message.value;
        while let Some(field) = source.field(at, message.end)? {
            at = field.end;
            match (field.number, annotations) {
                (13, _) if value_info.is_some() => {}
                (1, _) if field.is_bytes && self.next < self.graphs.len() => {
                    let node = self.node(source, field, depth)?;
                    out.nest(field, node);
                }
                (12, Some(graph)) if field.is_bytes && !graph.outputs.is_empty() => {
                    let mut bytes = vec![];
                    source.copy(field.value, field.end, &mut bytes)?;
                    match retyped(&bytes, &graph.outputs)? {
                        Some(changed) if changed != bytes => {
                            let mut output = vec![];
                            put_bytes(&mut output, 12, &changed);
                            out.insert(&output);
                        }
                        _ => out.keep(field.start, field.end),
                    }
                }
                _ => out.keep(field.start, field.end),
            }
        }
        if is_last {
            let mut new = vec![];
            for info in value_info.into_iter().flatten() {
                let mut message = vec![];
                info.put(&mut message);
                put_bytes(&mut new, 13, &message);
            }
            if !new.is_empty() {
                out.insert(&new);
            }
        }
        Ok(out)
    }

    /// A node, for the graphs in its attributes.
    fn node<S: Read + Seek>(
        &mut self,
        source: &mut Source<S>,
        message: Place,
        depth: u32,
    ) -> Result<Rewritten, SourceError> {
        let mut out = Rewritten::default();
        let mut at = message.value;
        while let Some(field) = source.field(at, message.end)? {
            at = field.end;
            if field.number == 5 && field.is_bytes {
                let attribute = self.attribute(source, field, depth)?;
                out.nest(field, attribute);
            } else {
                out.keep(field.start, field.end);
            }
        }
        Ok(out)
    }

    fn attribute<S: Read + Seek>(
        &mut self,
        source: &mut Source<S>,
        message: Place,
        depth: u32,
    ) -> Result<Rewritten, SourceError> {
        let (mut pieces, mut at) = (0, message.value);
        let (mut kind, mut is_reference, mut seen) = (0, false, 0);
        while let Some(field) = source.field(at, message.end)? {
            at = field.end;
            seen |= bit(field.number);
            match field.number {
                6 => pieces += 1,
                20 => kind = low_half(source.int(field)?),
                21 => is_reference = field.length() > 0,
                _ => {}
            }
        }
        // As the reader sees it, so that both count the same graphs.
        let Some(number @ (6 | 11)) = field_of_value(kind, is_reference, seen) else {
            return Ok(Rewritten::kept(message));
        };
        let single = if number == 6 && pieces > 0 { self.take() } else { None };
        let mut out = Rewritten::default();
        at = message.value;
        while let Some(field) = source.field(at, message.end)? {
            at = field.end;
            if field.is_bytes && field.number == number {
                let (annotations, is_last) = if number == 6 {
                    pieces -= 1;
                    (single, pieces == 0)
                } else {
                    (self.take(), true)
                };
                let graph = self.graph(source, field, annotations, is_last, depth + 1)?;
                out.nest(field, graph);
            } else {
                out.keep(field.start, field.end);
            }
        }
        Ok(out)
    }
}

/// The message of a value with another type, if its name is among `types`: every other field as it
/// was, the new type in the place of the old one.
fn retyped(message: &[u8], types: &[ValueInfo<'_>]) -> Result<Option<Vec<u8>>, ReadError> {
    let mut name = Text::default();
    let mut fields = Fields::new(message);
    while let Some(field) = fields.read()? {
        if field.number == 1 {
            name = Text(field.bytes()?);
        }
    }
    let Some(info) = types.iter().find(|info| info.name == name) else { return Ok(None) };
    let mut ty = vec![];
    info.put_type(&mut ty);
    let (mut out, mut is_put) = (vec![], false);
    let mut fields = Fields::new(message);
    while let Some(field) = fields.read()? {
        if field.number != 2 {
            out.extend_from_slice(field.encoding);
        } else if !std::mem::replace(&mut is_put, true) {
            out.extend_from_slice(&ty);
        }
    }
    if !is_put {
        out.extend_from_slice(&ty);
    }
    Ok(Some(out))
}
