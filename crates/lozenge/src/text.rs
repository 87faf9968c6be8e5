//! Names as messages can have them.

use std::borrow::Cow;

/// A name without line breaks: messages have lines of their own.
pub(crate) fn in_one_line<'a>(name: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    let name = name.into();
    if name.contains(char::is_control) { name.replace(char::is_control, " ").into() } else { name }
}
