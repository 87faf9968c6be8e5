//! Messages in a file that is not read whole: keys and lengths are read, what lies between is
//! skipped.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use crate::{
    error::{Foreign, Mistake, ReadError, SourceError},
    wire::{signed, take_varint},
    wire_type::WireType,
};

/// Where a field is in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The field's number.
    pub(crate) number: u64,
    /// Whether it is bytes: a text, a message or a packed list.
    pub(crate) is_bytes: bool,
    /// Where its key begins.
    pub(crate) start: u64,
    /// Where its value begins; of bytes, after their length.
    pub(crate) value: u64,
    /// Where it ends.
    pub(crate) end: u64,
}

impl Place {
    /// How long the value is.
    pub(crate) fn length(&self) -> u64 {
        self.end - self.value
    }
}

/// A file, and where in it reading is.
pub(crate) struct Source<S> {
    file: BufReader<S>,
    at: u64,
    length: u64,
}

impl<S: Read + Seek> Source<S> {
    pub(crate) fn new(mut file: S) -> io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(0))?;
        Ok(Source { file: BufReader::with_capacity(1 << 16, file), at: 0, length })
    }

    /// How many bytes the file has.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The field at a place in a message that ends at `end`; none at its end.
    pub(crate) fn field(&mut self, start: u64, end: u64) -> Result<Option<Place>, SourceError> {
        if start >= end {
            return Ok(None);
        }
        self.go(start)?;
        let key = self.varint(end)?;
        let Some(wire_type) = WireType::of_key(key).filter(|_| key >> 3 != 0) else {
            return Err(ReadError::new(Mistake::Key(key), start).into());
        };
        let needed = match wire_type {
            WireType::Varint => {
                let value = self.at;
                self.varint(end)?;
                let place = Place { number: key >> 3, is_bytes: false, start, value, end: self.at };
                return Ok(Some(place));
            }
            WireType::Fixed64 => 8,
            WireType::Fixed32 => 4,
            WireType::Bytes => self.varint(end)?,
        };
        let (value, left) = (self.at, end - self.at);
        if needed > left {
            return Err(ReadError::new(Mistake::Truncated { needed, left }, value).into());
        }
        let is_bytes = wire_type == WireType::Bytes;
        Ok(Some(Place { number: key >> 3, is_bytes, start, value, end: value + needed }))
    }

    /// The number that a field is.
    pub(crate) fn int(&mut self, field: Place) -> Result<i64, SourceError> {
        self.go(field.value)?;
        self.varint(field.end).map(signed)
    }

    /// Appends the bytes of a range of the file, which must be known to be in it.
    pub(crate) fn copy(
        &mut self,
        start: u64,
        end: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), SourceError> {
        self.go(start)?;
        let wanted = end - start;
        let read = (&mut self.file).take(wanted).read_to_end(out)? as u64;
        self.at += read;
        if read < wanted {
            let mistake = Mistake::Truncated { needed: wanted, left: read };
            return Err(ReadError::new(mistake, start).into());
        }
        Ok(())
    }

    /// The error of a file that is not a model: what the file is, if its first bytes tell;
    /// otherwise the error as it is.
    pub(crate) fn recognise(&mut self, error: SourceError) -> SourceError {
        let mut begins = vec![];
        let end = self.length.min(64);
        if matches!(error, SourceError::Io(_)) || self.copy(0, end, &mut begins).is_err() {
            return error;
        }
        let foreign = Foreign::recognise(&begins);
        foreign.map_or(error, |foreign| ReadError::new(Mistake::Foreign(foreign), 0).into())
    }

    fn go(&mut self, to: u64) -> io::Result<()> {
        // Relative steps keep what is buffered.
        match i64::try_from(i128::from(to) - i128::from(self.at)) {
            Ok(0) => {}
            Ok(step) => self.file.seek_relative(step)?,
            Err(_) => drop(self.file.seek(SeekFrom::Start(to))?),
        }
        self.at = to;
        Ok(())
    }

    fn varint(&mut self, end: u64) -> Result<u64, SourceError> {
        let start = self.at;
        let mut bytes = [0; 10];
        let mut length = 0;
        for byte in &mut bytes {
            if self.at == end {
                break;
            }
            self.file.read_exact(std::slice::from_mut(byte))?;
            self.at += 1;
            length += 1;
            if *byte < 0x80 {
                break;
            }
        }
        take_varint(&mut &bytes[..length]).map_err(|mistake| ReadError::new(mistake, start).into())
    }
}
