//! What several mistakes say alike: quotations, numbers of things, names that are not there yet.

use std::collections::BTreeMap;

use crate::{
    fresh::{first, or_numbered},
    token::words,
};
use lozenge_diagnostic::Span;

/// Characters without width.
pub(super) const INVISIBLE: &str = "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}";

/// Where `...` in several operands is taken for what it is in NumPy.
pub(super) const BROADCAST_ROWS: &str =
    "NumPy broadcasts the axes that `...` takes; here they are equal in all operands";

/// The most characters of a text that are quoted.
const QUOTED: usize = 40;

/// What is written at `span`, between backticks, in one line and not too long.
pub(crate) fn quote(text: &str, span: Span) -> String {
    quoted(span.of(text))
}

/// A text between backticks, in one line and not too long.
pub(super) fn quoted(written: &str) -> String {
    let mut quoted = String::from("`");
    for (i, c) in written.chars().enumerate() {
        if i == QUOTED {
            quoted.push('…');
            break;
        }
        match c {
            '`' => quoted.push('\''),
            c if c.is_control() || INVISIBLE.contains(c) || c != ' ' && c.is_whitespace() => {
                quoted.extend(c.escape_default());
            }
            c => quoted.push(c),
        }
    }
    quoted.push('`');
    quoted
}

/// A letter that the text does not have.
pub(super) fn unused_letter(text: &str) -> String {
    let mut letters = ('i'..='z').chain('a'..='h').chain('A'..='Z').map(String::from);
    // A text that has all of them is told with one of them.
    first(&mut letters, |letter| !text.contains(letter)).unwrap_or_else(|| "x".to_owned())
}

/// The axis that a text of words most likely lacks: the first that it has once, or else a new one.
pub(super) fn wanted_name(text: &str) -> String {
    let names: Vec<&str> = words(text).into_iter().map(|span| span.of(text)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    let once = names.iter().find(|name| counts.get(*name) == Some(&1));
    once.map_or_else(|| unused_name(text, "i"), ToString::to_string)
}

/// A name like `stem` that the text does not have, not even as a part of another.
pub(super) fn unused_name(text: &str, stem: &str) -> String {
    or_numbered(stem, stem, 2, |name| !text.contains(name))
}

/// `n things`, in words.
pub(super) fn counted(n: usize, thing: &str, things: &str) -> String {
    match n {
        0 => format!("no {thing}"),
        1 => format!("1 {thing}"),
        n => format!("{n} {things}"),
    }
}
