//! Why a file was not read, as values: what was found, what was expected, and where. The words are
//! in `words`.

use std::{io, path::PathBuf};

use crate::{element::Element, wire_type::WireType};

/// Why bytes are not a model that can be read: a mistake, and where it is.
///
/// ```
/// let error = lozenge_onnx::Model::read(b"version https://git-lfs.github.com/spec/v1\n").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "found a git-lfs pointer, expected an ONNX model: fetch the file itself with `git lfs pull`",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    mistake: Mistake,
    offset: u64,
    /// From the innermost message out: errors travel that way.
    path: Vec<Step>,
}

/// A step from a message to one inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The field, as the schema of ONNX names it.
    pub field: &'static str,
    /// Which element of the field, where it is a list.
    pub index: Option<usize>,
}

/// What is wrong with bytes that should be a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mistake {
    /// The file, or the message around, ends too early.
    Truncated {
        /// How many bytes come next.
        needed: u64,
        /// How many there are.
        left: u64,
    },
    /// A number goes on for more than ten bytes.
    LongVarint,
    /// A key whose wire type is none, a group, or whose number is 0.
    Key(u64),
    /// A field has another wire type than the schema says.
    WireType {
        /// The field's number.
        number: u64,
        /// The wire type that it has.
        found: WireType,
        /// The wire type that the schema says.
        expected: WireType,
    },
    /// A packed list of fixed-size elements has bytes left over, or one of numbers ends inside a
    /// number.
    PackedRemainder {
        /// How long the list is, in bytes.
        length: u64,
        /// How long an element is, in bytes; none where lengths differ.
        element: Option<u64>,
    },
    /// A tensor is given in two pieces, which protobuf would join and no exporter writes.
    TwoPieces,
    /// Graphs or types lie deeper in each other than [`crate::MAX_DEPTH`].
    TooDeep {
        /// The most levels that are read.
        most: u32,
    },
    /// The structures would take more memory than [`crate::MEMORY_FACTOR`] times the bytes.
    TooDense {
        /// The most bytes that structures may take.
        most: u64,
    },
    /// A message larger than this machine can address.
    TooLong(u64),
    /// The file is something else than a model.
    Foreign(Foreign),
    /// The model has no graph.
    NoGraph,
}

/// What a file may be that is not an ONNX model, recognised by how it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Foreign {
    /// The file is empty.
    Empty,
    /// The text that git keeps in place of a large file.
    GitLfsPointer,
    /// A web page, often one that says that a download failed.
    Html,
    /// Some other text.
    Text,
    /// A zip archive, which is also what `PyTorch` saves.
    Zip,
    /// A gzip stream.
    Gzip,
    /// A model in ONNX Runtime's own format.
    Ort,
    /// A `TensorFlow` Lite model.
    TensorFlowLite,
    /// A picture: PNG or JPEG.
    Image,
    /// An HDF5 file, which is what Keras saves.
    Hdf5,
    /// A safetensors file: weights without a graph.
    Safetensors,
    /// A GGUF file: weights for llama.cpp.
    Gguf,
    /// A pickle, which is what old versions of `PyTorch` save.
    Pickle,
}

impl Foreign {
    /// What the bytes are, if their first bytes tell that they are not a protobuf message.
    pub fn recognise(bytes: &[u8]) -> Option<Foreign> {
        if bytes.is_empty() {
            return Some(Foreign::Empty);
        }
        if bytes.starts_with(b"version https://git-lfs") {
            return Some(Foreign::GitLfsPointer);
        }
        if bytes.starts_with(b"PK\x03\x04") {
            return Some(Foreign::Zip);
        }
        if bytes.starts_with(&[0x1f, 0x8b]) {
            return Some(Foreign::Gzip);
        }
        match bytes.get(4..8) {
            Some(b"ORTM") => return Some(Foreign::Ort),
            Some(b"TFL3") => return Some(Foreign::TensorFlowLite),
            _ => {}
        }
        if bytes.starts_with(b"\x89PNG") || bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            return Some(Foreign::Image);
        }
        if bytes.starts_with(b"\x89HDF") {
            return Some(Foreign::Hdf5);
        }
        // The length of a header in eight bytes, then the header, which is JSON.
        if bytes.get(5..10) == Some(b"\0\0\0{\"") {
            return Some(Foreign::Safetensors);
        }
        if bytes.starts_with(b"GGUF") {
            return Some(Foreign::Gguf);
        }
        if matches!(bytes, [0x80, 2..=5, b'}' | b'c' | 0x8a | 0x95 | b']' | b'(', ..]) {
            return Some(Foreign::Pickle);
        }
        let begins = &bytes[..bytes.len().min(64)];
        // The last character may be cut.
        let text = match std::str::from_utf8(begins) {
            Ok(text) => text,
            Err(cut) if cut.error_len().is_none() => {
                std::str::from_utf8(&begins[..cut.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => return None,
        };
        let is_text = |c: char| matches!(c, '\t' | '\n' | '\r') || !c.is_control();
        if text.is_empty() || !text.chars().all(is_text) {
            return None;
        }
        let first = begins.trim_ascii_start();
        let is_page = first.get(..5).is_some_and(|tag| {
            tag.eq_ignore_ascii_case(b"<html") || tag.eq_ignore_ascii_case(b"<!doc")
        });
        Some(if is_page { Foreign::Html } else { Foreign::Text })
    }
}

impl ReadError {
    /// The error that there is a mistake, `offset` bytes into the file.
    #[cold]
    pub(crate) fn new(mistake: Mistake, offset: u64) -> Self {
        ReadError(Box::new(Inner { mistake, offset, path: vec![] }))
    }

    /// The error as seen from the message around: the message it is in is the given element of a
    /// field.
    #[cold]
    pub(crate) fn inside(mut self, field: &'static str, index: Option<usize>) -> Self {
        self.0.path.push(Step { field, index });
        self
    }

    /// The error with its place counted from elsewhere.
    #[cold]
    pub(crate) fn moved(mut self, to: impl FnOnce(u64) -> u64) -> Self {
        self.0.offset = to(self.0.offset);
        self
    }

    /// What is wrong.
    pub fn mistake(&self) -> Mistake {
        self.0.mistake
    }

    /// Where, in bytes from the start of the file.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// In which message, from the model inwards; empty for the model itself.
    pub fn path(&self) -> impl Iterator<Item = Step> + '_ {
        self.0.path.iter().rev().copied()
    }
}

/// Why a tensor's elements are not to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValuesError {
    /// A size is negative, or the elements cannot be counted in 64 bits.
    Uncountable,
    /// There are more elements than the caller wants.
    TooMany {
        /// How many there are.
        count: u64,
        /// How many were wanted.
        most: usize,
    },
    /// Elements of this type are not numbers of the kind that the caller wants.
    Element(Element),
    /// The tensor has other bytes than its sizes and its type say.
    Length {
        /// How many bytes there are.
        found: u64,
        /// How many the sizes say.
        expected: u64,
    },
    /// The tensor has another number of elements than its sizes say.
    Count {
        /// How many elements there are, or one more than expected.
        found: u64,
        /// How many the sizes say.
        expected: u64,
    },
    /// The elements are in another file.
    External,
    /// The elements are in the file, and were not read.
    LeftOut,
    /// The file has no elements for the tensor.
    Missing,
}

/// Why elements in another file are not to be had.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExternalError {
    /// The location is not a path inside the model's directory.
    Location {
        /// The location.
        location: String,
        /// What is wrong with it.
        mistake: LocationMistake,
    },
    /// An offset or a length is not a number.
    Number {
        /// Which.
        key: &'static str,
        /// What is there.
        found: String,
    },
    /// There are more bytes than the caller wants.
    TooLong {
        /// How many bytes there are, or one more than wanted.
        length: u64,
        /// How many were wanted.
        most: u64,
    },
    /// The file ends too early.
    Truncated {
        /// The file.
        path: PathBuf,
        /// How many bytes there are.
        found: u64,
        /// How many the model says.
        expected: u64,
    },
    /// The file is not there, or cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        kind: io::ErrorKind,
        /// What the system says about it.
        message: String,
    },
}

/// What is wrong with the location of another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LocationMistake {
    /// The location is empty, or names the directory itself.
    Empty,
    /// The location is not UTF-8.
    NotUtf8,
    /// The location contains a NUL.
    Nul,
    /// The location is absolute.
    Absolute,
    /// The location contains `..`.
    Outside,
    /// The location is a link that leads out of the directory.
    Link,
}

/// Why a model was not read from a source, or not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// The source is not a model that can be read.
    Read(ReadError),
    /// The source, or what is written to, failed.
    Io(io::Error),
}

impl From<ReadError> for SourceError {
    fn from(error: ReadError) -> Self {
        SourceError::Read(error)
    }
}

impl From<io::Error> for SourceError {
    fn from(error: io::Error) -> Self {
        SourceError::Io(error)
    }
}

impl std::error::Error for ReadError {}
impl std::error::Error for ValuesError {}
impl std::error::Error for ExternalError {}
impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SourceError::Read(_) => None,
            SourceError::Io(error) => Some(error),
        }
    }
}
