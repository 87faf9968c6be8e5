//! Operators as specifications: which axes of the operands meet, and which the result has.
//!
//! A template is a specification of our notation as a value: `n, c, 2*y~[1,1]+k; o, c, k => n, o,
//! y` is a convolution. It is read forward (`apply`), from the sizes of operands to those of the
//! result, and printed for loops, pages and messages, so that what an operator does is said once.

use std::fmt;

use super::num::Num;

/// The longest word, in bytes.
pub(crate) const LONGEST: usize = 23;

/// A short word: the name of an axis or a row. It is copied, and compared without following a
/// pointer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Word {
    length: u8,
    bytes: [u8; LONGEST],
}

/// The name of an axis: a word, and a number if there are several of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(pub Word, pub Option<u16>);

/// How windows fill their axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Whole windows, with nothing left over.
    Exact,
    /// As many whole windows as fit.
    Floor,
    /// As many windows as begin within the axis.
    Ceil,
    /// A window for each step, padded as is needed, with nothing left over.
    SameExact,
    /// A window for each step that is begun, padded as is needed.
    Same,
}

/// Windows that slide over an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How far from window to window.
    pub stride: i64,
    /// Which window.
    pub over: Label,
    /// Where the first one is. It changes no size.
    pub offset: u64,
    /// How far from element to element of a window.
    pub dilation: i64,
    /// Which element of a window.
    pub kernel: Label,
    /// How windows fill the axis.
    pub fit: Fit,
    /// How far the windows reach past both ends.
    pub margin: [i64; 2],
}

/// An entry of a row.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Term {
    /// An axis.
    Axis(Label),
    /// All axes that are left.
    Rest(Word),
    /// An axis of one element, which is read at 0.
    One,
    /// An axis that is read at this place.
    At(i64),
    /// An axis that is read at a place which only a run tells, by this name.
    Supplied(Word),
    /// An axis of this size.
    Size(Num),
    /// An axis of any size.
    Any,
    /// An axis that windows slide over.
    Window(Window),
    /// An axis that is read in steps.
    Steps {
        /// How far from step to step.
        stride: i64,
        /// Which step.
        over: Label,
        /// Where the first one is.
        offset: u64,
        /// Whether the last step may be begun only.
        is_loose: bool,
    },
    /// Several axes as one, the last the fastest.
    Merged(Vec<Term>),
    /// Several axes as one, one after the other.
    Joined(Vec<Term>),
}

/// A specification: rows of operands, and of the result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Template {
    /// The rows of operands, which are inputs from the first on.
    pub operands: Vec<Vec<Term>>,
    /// The row of the result.
    pub result: Vec<Term>,
    /// Axes whose size the node says.
    pub given: Vec<(Label, Num)>,
    /// Whether axes of one name are stretched to each other, as NumPy does.
    pub stretches: bool,
}

impl Word {
    /// A word; what is longer than the longest is cut.
    pub(crate) const fn new(text: &str) -> Word {
        let from = text.as_bytes();
        let mut word = Word { length: 0, bytes: [0; LONGEST] };
        while (word.length as usize) < LONGEST && (word.length as usize) < from.len() {
            word.bytes[word.length as usize] = from[word.length as usize];
            word.length += 1;
        }
        // What is left ends with a whole character.
        while word.length > 0 && is_inside(from, word.length as usize) {
            word.length -= 1;
            word.bytes[word.length as usize] = 0;
        }
        word
    }

    /// The word as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// Whether a place is inside a character of a text.
const fn is_inside(text: &[u8], place: usize) -> bool {
    place < text.len() && text[place] & 0b1100_0000 == 0b1000_0000
}

/// A word as a label.
pub(crate) const fn label(word: &str) -> Label {
    Label(Word::new(word), None)
}

/// A word as a row.
pub(crate) const fn rest(word: &str) -> Term {
    Term::Rest(Word::new(word))
}

/// A word as an axis.
pub(crate) const fn axis(word: &str) -> Term {
    Term::Axis(label(word))
}

/// Letters for axes that have no better name.
const LETTERS: [&str; 20] = [
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "p", "q", "r", "s", "t",
    "u",
];

/// A letter for an axis, by its place; behind the last letter with numbers.
pub(crate) fn letter(place: usize) -> Label {
    let number = u16::try_from(place / LETTERS.len()).ok().filter(|number| *number > 0);
    Label(Word::new(LETTERS[place % LETTERS.len()]), number)
}

/// The names of the last axes of images, and of kernels.
pub(crate) fn spatial(place: usize, of: usize) -> [Label; 2] {
    const NAMES: [[&str; 2]; 3] = [["z", "kz"], ["y", "ky"], ["x", "kx"]];
    match (place + 3).checked_sub(of) {
        Some(known) if of <= 3 => NAMES[known].map(label),
        _ => {
            let number = u16::try_from(place).ok();
            ["x", "k"].map(|word| Label(Word::new(word), number))
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())?;
        self.1.map_or(Ok(()), |number| write!(f, "{number}"))
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Word;

    #[test]
    fn a_word_is_cut_between_characters() {
        let long = "\u{3b1}".repeat(12);
        assert_eq!(Word::new(&long).as_str(), "\u{3b1}".repeat(11));
        assert_eq!(Word::new("seq").as_str(), "seq");
    }
}
