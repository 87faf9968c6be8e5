//! Elements that are in another file than the model.
//!
//! A model says where: a file's name, and optionally a place and a length in it. The name comes
//! from whoever made the model, so that it is not followed out of the model's directory: no
//! absolute path, no `..`, and, since links can lead anywhere, only to a file whose real path is in
//! the directory's real path. This crate opens no files; whoever uses it gives a [`Directory`].

use std::{
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use crate::{
    error::{ExternalError, LocationMistake},
    list::Repeated,
    text::Text,
    wire::{Fields, Value},
};

/// Where a tensor's elements are in another file.
#[derive(Debug, Clone, Copy)]
pub struct External<'a> {
    entries: Repeated<'a>,
}

/// The directory of a model. Files outside of it are not opened.
///
/// ```
/// use std::{fs::File, io, path::{Path, PathBuf}};
///
/// struct Folder(PathBuf);
///
/// impl lozenge_onnx::Directory for Folder {
///     type File = File;
///     fn real_path(&self, inside: &Path) -> io::Result<PathBuf> {
///         self.0.join(inside).canonicalize()
///     }
///     fn open(&self, inside: &Path) -> io::Result<File> {
///         File::open(self.0.join(inside))
///     }
/// }
/// ```
pub trait Directory {
    /// An open file.
    type File: Read + Seek;

    /// The path of a file in the directory, absolute and with all links followed; that of the
    /// directory itself for the empty path.
    ///
    /// # Errors
    ///
    /// There is no such file, or it cannot be looked at.
    fn real_path(&self, inside: &Path) -> io::Result<PathBuf>;

    /// Opens a file in the directory.
    ///
    /// # Errors
    ///
    /// There is no such file, or it cannot be read.
    fn open(&self, inside: &Path) -> io::Result<Self::File>;
}

/// Where elements begin in a file, if the model does not say it.
const START: u64 = 0;

impl<'a> External<'a> {
    pub(crate) fn new(entries: Repeated<'a>) -> Self {
        External { entries }
    }

    /// The value of an entry by its key; the last, where there are several.
    pub fn get(&self, key: &str) -> Option<Text<'a>> {
        let entries = self.entries.values().filter_map(|value| match value {
            Value::Bytes(entry) => Some(entry_of(entry)),
            _ => None,
        });
        entries.filter(|(found, _)| *found == key).last().map(|(_, value)| value)
    }

    /// The name of the file, as the model says it; empty where it says none. It may lead anywhere:
    /// [`External::path`] checks it.
    pub fn location(&self) -> Text<'a> {
        self.get("location").unwrap_or_default()
    }

    /// How many bytes into the file the elements begin.
    ///
    /// # Errors
    ///
    /// The model says something that is not a number.
    pub fn offset(&self) -> Result<u64, ExternalError> {
        Ok(self.number("offset")?.unwrap_or(START))
    }

    /// How many bytes the elements take; none if they go to the end of the file.
    ///
    /// # Errors
    ///
    /// The model says something that is not a number.
    pub fn length(&self) -> Result<Option<u64>, ExternalError> {
        self.number("length")
    }

    fn number(&self, key: &'static str) -> Result<Option<u64>, ExternalError> {
        let Some(text) = self.get(key) else { return Ok(None) };
        let number = text.to_str().and_then(|text| text.parse().ok());
        let not_one = || ExternalError::Number { key, found: text.to_lossy().into_owned() };
        number.map(Some).ok_or_else(not_one)
    }

    /// The path of the file inside the model's directory.
    ///
    /// ```
    /// # use lozenge_onnx::relative;
    /// assert_eq!(relative("weights/a.bin".into()).unwrap().to_str(), Some("weights/a.bin"));
    /// assert!(relative("../secret".into()).is_err());
    /// assert!(relative("/etc/passwd".into()).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// The location is not a path inside a directory.
    pub fn path(&self) -> Result<PathBuf, ExternalError> {
        relative(self.location())
    }

    /// Reads the elements' bytes.
    ///
    /// # Errors
    ///
    /// The location leads out of the directory, the file is not there or ends too early, or there
    /// are more than `most` bytes.
    pub fn read(&self, directory: &impl Directory, most: u64) -> Result<Vec<u8>, ExternalError> {
        let path = self.path()?;
        let (offset, length) = (self.offset()?, self.length()?);
        if let Some(length) = length.filter(|length| *length > most) {
            return Err(ExternalError::TooLong { length, most });
        }
        let failed = |error: io::Error| ExternalError::Io {
            path: path.clone(),
            kind: error.kind(),
            message: error.to_string(),
        };
        let root = directory.real_path(Path::new("")).map_err(failed)?;
        if !directory.real_path(&path).map_err(failed)?.starts_with(&root) {
            return Err(ExternalError::Location {
                location: self.location().to_lossy().into_owned(),
                mistake: LocationMistake::Link,
            });
        }
        let mut file = directory.open(&path).map_err(failed)?;
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let mut bytes = vec![];
        // One byte more than there may be tells a file that is too long from one that fits.
        let wanted = length.unwrap_or_else(|| most.saturating_add(1));
        file.take(wanted).read_to_end(&mut bytes).map_err(failed)?;
        let found = bytes.len() as u64;
        match length {
            Some(expected) if found < expected => {
                Err(ExternalError::Truncated { path, found, expected })
            }
            None if found > most => Err(ExternalError::TooLong { length: found, most }),
            _ => Ok(bytes),
        }
    }
}

fn entry_of(entry: &[u8]) -> (Text<'_>, Text<'_>) {
    let mut fields = Fields::new(entry);
    let mut found = (Text::default(), Text::default());
    while let Ok(Some(field)) = fields.read() {
        match (field.number, field.value) {
            (1, Value::Bytes(key)) => found.0 = Text(key),
            (2, Value::Bytes(value)) => found.1 = Text(value),
            _ => {}
        }
    }
    found
}

/// The path inside a directory that a location is.
///
/// Both kinds of slashes separate, whatever the machine, so that a location means the same
/// everywhere.
///
/// # Errors
///
/// The location is empty, not UTF-8, absolute, contains `..` or a NUL, or names a drive.
pub fn relative(location: Text<'_>) -> Result<PathBuf, ExternalError> {
    let refuse = |mistake| {
        let location = location.to_lossy().into_owned();
        Err(ExternalError::Location { location, mistake })
    };
    let Some(text) = location.to_str() else { return refuse(LocationMistake::NotUtf8) };
    if text.contains('\0') {
        return refuse(LocationMistake::Nul);
    }
    if text.starts_with(['/', '\\']) {
        return refuse(LocationMistake::Absolute);
    }
    let mut path = PathBuf::new();
    for part in text.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => return refuse(LocationMistake::Outside),
            // A drive, which would take the place of the directory.
            drive if drive.get(1..2) == Some(":") => return refuse(LocationMistake::Absolute),
            part => path.push(part),
        }
    }
    if path.as_os_str().is_empty() {
        return refuse(LocationMistake::Empty);
    }
    Ok(path)
}
