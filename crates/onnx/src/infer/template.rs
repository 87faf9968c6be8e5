//! Operators as specifications: which axes of the operands meet, and which the result has.
//!
//! A template is a specification of our notation as a value: `n, c, 2*y~[1,1]+k; o, c, k => n, o, y` is a convolution. It is
//! read forward (`apply`), from the sizes of operands to those of the result, and printed for loops, pages and messages, so
//! that what an operator does is said once.

use std::fmt;

use super::num::Num;

/// The name of an axis: a word, and a number if there are several of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(pub &'static str, pub Option<u16>);

/// How windows fill their axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// As many whole windows as fit.
    Floor,
    /// Also one that is begun within the axis.
    Ceil,
    /// A window for each step that is begun, padded as is needed.
    Same,
}

/// An entry of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// An axis.
    Axis(Label),
    /// All axes that are left.
    Rest(&'static str),
    /// An axis of one element, which is read at 0.
    One,
    /// An axis of this size.
    Size(Num),
    /// An axis of which nothing is said.
    Any,
    /// An axis that windows slide over.
    Window {
        /// How far from window to window.
        stride: i64,
        /// Which window.
        over: Label,
        /// How far from element to element of a window.
        dilation: i64,
        /// Which element of a window.
        kernel: Label,
        /// How windows fill the axis.
        fit: Fit,
        /// How far the windows reach past both ends.
        margin: [i64; 2],
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

/// A word as a label.
pub(crate) const fn label(word: &'static str) -> Label {
    Label(word, None)
}

/// A word as an axis.
pub(crate) const fn axis(word: &'static str) -> Term {
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
    Label(LETTERS[place % LETTERS.len()], number)
}

/// The names of the last axes of images, and of kernels.
pub(crate) fn spatial(place: usize, of: usize) -> [Label; 2] {
    const NAMES: [[&str; 2]; 3] = [["z", "kz"], ["y", "ky"], ["x", "kx"]];
    match (place + 3).checked_sub(of) {
        Some(known) if of <= 3 => NAMES[known].map(label),
        _ => {
            let number = u16::try_from(place).ok();
            [Label("x", number), Label("k", number)]
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)?;
        self.1.map_or(Ok(()), |number| write!(f, "{number}"))
    }
}
