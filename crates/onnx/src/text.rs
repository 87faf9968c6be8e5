//! Names and other texts of a file: bytes that should be UTF-8 and sometimes are not.

use std::{borrow::Cow, fmt};

/// A text of a model file, as it stands there.
///
/// Files in use have names and strings that are not UTF-8, so a text is compared, ordered and
/// written back as bytes, and only shown, with `\u{fffd}` in place of what is not a character.
///
/// ```
/// use lozenge_onnx::Text;
///
/// assert_eq!(Text::from("MatMul"), "MatMul");
/// assert_eq!(Text(b"caf\xe9").to_string(), "caf\u{fffd}");
/// assert_eq!(Text(b"caf\xe9").to_str(), None);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<'a>(pub &'a [u8]);

impl<'a> Text<'a> {
    /// Whether there are no bytes. In ONNX that mostly means that something was left out.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The text, if it is UTF-8.
    pub fn to_str(self) -> Option<&'a str> {
        std::str::from_utf8(self.0).ok()
    }

    /// The text, with `\u{fffd}` in place of what is not UTF-8.
    pub fn to_lossy(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.0)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text(text.as_bytes())
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_lossy())
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_lossy())
    }
}
