//! All that is said about mistakes: lower case, what was found, what was expected, and where.

use std::fmt;

use crate::{
    error::{
        ExternalError, Foreign, LocationMistake, Mistake, ReadError, SourceError, Step, ValuesError,
    },
    wire_type::WireType,
};

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.mistake())?;
        if matches!(self.mistake(), Mistake::Foreign(_) | Mistake::NoGraph) {
            return Ok(());
        }
        write!(f, ", at byte {}", self.offset())?;
        for (i, step) in self.path().enumerate() {
            f.write_str(if i == 0 { ", in " } else { "." })?;
            write!(f, "{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            None => f.write_str(self.field),
            Some(index) => write!(f, "{}[{index}]", self.field),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Mistake::Truncated { needed, left } => {
                write!(
                    f,
                    "found {left} more bytes, expected {needed}: the file is cut short or damaged"
                )
            }
            Mistake::LongVarint => {
                f.write_str("found a number that goes on after ten bytes, expected one of 64 bits")
            }
            Mistake::Key(key) => match key & 7 {
                _ if key >> 3 == 0 => f.write_str("found a field numbered 0, expected 1 or more"),
                3 | 4 => write!(f, "found a group as field {}, expected none in ONNX", key >> 3),
                other => write!(
                    f,
                    "found wire type {other} for field {}, expected 0, 1, 2 or 5",
                    key >> 3
                ),
            },
            Mistake::WireType { number, found, expected } => {
                write!(f, "found {found} as field {number}, expected {expected}")
            }
            Mistake::PackedRemainder { length, element: Some(element) } => {
                write!(f, "found a packed list of {length} bytes, expected a multiple of {element}")
            }
            Mistake::PackedRemainder { length, element: None } => write!(
                f,
                "found a packed list of {length} bytes that ends inside a number, expected whole numbers"
            ),
            Mistake::TwoPieces => {
                f.write_str("found a second piece of one tensor, expected it in one piece")
            }
            Mistake::TooDeep { most } => {
                write!(f, "found more than {most} levels of nesting, expected fewer")
            }
            Mistake::TooDense { most } => write!(
                f,
                "found so many nearly empty messages that they would take more than {most} bytes of \
                 memory, expected a file that says something"
            ),
            Mistake::TooLong(length) => {
                write!(
                    f,
                    "found a message of {length} bytes, expected one that this machine can address"
                )
            }
            Mistake::Foreign(foreign) => write!(f, "found {foreign}"),
            Mistake::NoGraph => {
                f.write_str("found a message without a graph, expected an ONNX model")
            }
        }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Foreign::Empty => "an empty file, expected an ONNX model",
            Foreign::GitLfsPointer => {
                "a git-lfs pointer, expected an ONNX model: fetch the file itself with `git lfs pull`"
            }
            Foreign::Html => "a web page, expected an ONNX model: did the download fail?",
            Foreign::Text => "a text, expected an ONNX model in its binary form",
            Foreign::Zip => "a zip archive, expected an ONNX model: PyTorch's own files are such archives",
            Foreign::Gzip => "gzip data, expected an ONNX model: unpack it first",
            Foreign::Ort => "a model in ONNX Runtime's format, expected an ONNX model",
            Foreign::TensorFlowLite => "a TensorFlow Lite model, expected an ONNX model",
            Foreign::Image => "a picture, expected an ONNX model",
            Foreign::Gguf => "a GGUF file, expected an ONNX model: it has weights for llama.cpp, and no graph",
            Foreign::Pickle => "a pickle, expected an ONNX model: old versions of PyTorch save such files, and `torch.onnx.export` makes models of them",
            Foreign::Hdf5 => "an HDF5 file, expected an ONNX model: Keras's own files are such files",
            Foreign::Safetensors => {
                "a safetensors file, expected an ONNX model: it has weights and no graph"
            }
        })
    }
}

impl fmt::Display for WireType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WireType::Varint => "a number",
            WireType::Fixed64 => "eight bytes",
            WireType::Bytes => "a text, message or list",
            WireType::Fixed32 => "four bytes",
        })
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Read(error) => write!(f, "{error}"),
            SourceError::Io(_) => f.write_str("reading or writing failed"),
        }
    }
}

impl fmt::Display for ValuesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValuesError::Uncountable => {
                f.write_str("found sizes that no number of elements follows from")
            }
            ValuesError::TooMany { count, most } => {
                write!(f, "found {count} elements, expected {most} at most")
            }
            ValuesError::Element(element) => {
                write!(f, "found elements of type {element}, expected numbers of another kind")
            }
            ValuesError::Length { found, expected } => {
                write!(f, "found {found} bytes of elements, expected {expected} by the sizes")
            }
            ValuesError::Count { found, expected } => {
                write!(f, "found {found} elements, expected {expected} by the sizes")
            }
            ValuesError::External => f.write_str("the elements are in another file"),
            ValuesError::LeftOut => {
                f.write_str("the elements were left out when the file was read")
            }
            ValuesError::Missing => f.write_str("found no elements, expected some by the sizes"),
        }
    }
}

impl fmt::Display for ExternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExternalError::Location { location, mistake } => {
                write!(f, "found the location {location:?}, {mistake}")
            }
            ExternalError::Number { key, found } => {
                write!(f, "found {found:?} as {key}, expected a number")
            }
            ExternalError::TooLong { length, most } => {
                write!(f, "found {length} bytes, expected {most} at most")
            }
            ExternalError::Truncated { path, found, expected } => {
                write!(f, "found {found} bytes in {}, expected {expected}", path.display())
            }
            ExternalError::Io { path, message, .. } => {
                write!(f, "cannot read {}: {message}", path.display())
            }
        }
    }
}

impl fmt::Display for LocationMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LocationMistake::Empty => "which names no file",
            LocationMistake::NotUtf8 => "which is not UTF-8",
            LocationMistake::Nul => "which contains a NUL",
            LocationMistake::Absolute => "expected a path inside the model's directory",
            LocationMistake::Outside => "expected one without `..`",
            LocationMistake::Link => "a link that leads out of the model's directory",
        })
    }
}
