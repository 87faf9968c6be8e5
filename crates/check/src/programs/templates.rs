//! What specifications and shapes are drawn from: texts with places for names.
//!
//! In a specification every small letter is a label. In a shape `N0` is the place of a named size,
//! `B0` of a basis, `R0` of a row variable.

/// A specification with places for its labels.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    pub text: &'static str,
    /// The labels of axes whose sizes may be given or said something of.
    pub axes: &'static [char],
    /// The labels of rows.
    pub rows: &'static [char],
    /// Whether its labels may be words of several letters.
    pub words: bool,
    /// Whether the operands determine the axes of the result: each is a label or a row of an
    /// operand, or a computed size that is at least 2 (one of 1 may stretch or not). Then nothing
    /// that is said of one of two uses can tell them apart.
    pub determined: bool,
}

impl Template {
    /// The number of operands.
    pub fn operands(&self) -> usize {
        self.text.split("=>").next().unwrap_or_default().matches(';').count() + 1
    }

    /// Its labels in the order in which they occur first.
    pub fn labels(&self) -> Vec<char> {
        let mut labels = vec![];
        for c in self.text.chars().filter(char::is_ascii_lowercase) {
            if !labels.contains(&c) {
                labels.push(c);
            }
        }
        labels
    }

    /// Its text with other labels.
    pub fn spelled(&self, name: impl Fn(char) -> String) -> String {
        let written = |c: char| if c.is_ascii_lowercase() { name(c) } else { c.to_string() };
        self.text.chars().map(written).collect()
    }
}

const fn letters(text: &'static str, axes: &'static [char]) -> Template {
    Template { text, axes, rows: &[], words: false, determined: true }
}

const fn words(text: &'static str, axes: &'static [char]) -> Template {
    Template { words: true, ..letters(text, axes) }
}

/// The template, with an axis of the result that the operands do not determine.
const fn open(template: Template) -> Template {
    Template { determined: false, ..template }
}

const fn rows(template: Template, rows: &'static [char]) -> Template {
    Template { rows, ..template }
}

pub const SPECS: &[Template] = &[
    letters("...|...->... => ...|...->...", &[]),
    letters("... => ...", &[]),
    letters("...|i->o => ...|o->i", &['i', 'o']),
    letters("...|...->...i => ...|...->...", &['i']),
    open(letters("...|...->... => ...|...->0...", &[])),
    open(letters("...|...->... => 0", &[])),
    letters("...i => i...", &['i']),
    letters("i... => ...i", &['i']),
    letters("i...j => j...i", &['i', 'j']),
    letters("ij => ji", &['i', 'j']),
    letters("ij => i", &['i', 'j']),
    letters("i => ii", &['i']),
    open(letters("i => ij", &['i', 'j'])),
    open(letters("i => i0", &['i'])),
    open(letters("i => i1", &['i'])),
    words("... i => ... 2*i", &['i']),
    open(words("o<+k => o", &['o', 'k'])),
    open(words("o=+k => o", &['o', 'k'])),
    open(words("a^b => a", &['a', 'b'])),
    open(words("(h w) => h w", &['h', 'w'])),
    open(words("h w => (h w)", &['h', 'w'])),
    letters("ij; jk => ik", &['i', 'j', 'k']),
    letters("...i; ...i => ...", &['i']),
    letters("...|i; ...|i => ...|i", &['i']),
    letters("...|h->o; ...|i->h => ...|i->o", &['i', 'h', 'o']),
    letters("i; j => ij", &['i', 'j']),
    rows(letters("..r..; ..r.. => ..r..", &[]), &['r']),
    rows(letters("i..r..; ..r.. => ..r..i", &['i']), &['r']),
    rows(letters("i..r..j => j..r..i", &['i', 'j']), &['r']),
    words("a; b => a^b", &['a', 'b']),
    words("a, ...; b, ... => a^b, ...", &['a', 'b']),
    open(words("o<+k; k => o", &['o', 'k'])),
    open(words("2*o<+k; k => o", &['o', 'k'])),
    open(words("2*o~+k; k => o", &['o', 'k'])),
    open(words("2*o>[0,1]+k => o", &['o', 'k'])),
    open(words("2*o=~+k; k => o", &['o', 'k'])),
    open(words("... 3*i~ => ... i", &['i'])),
    open(words("i; k => 2*i~+k", &['i', 'k'])),
    letters("ij; jk; kl => il", &['i', 'j', 'k', 'l']),
];

/// Shapes of data, of parameters and of reshapes.
pub const SHAPES: &[&str] = &[
    "2",
    "3",
    "4",
    "6",
    "2,3",
    "3,4",
    "4,3",
    "2,2",
    "2,3,4",
    "2|3",
    "2|3->4",
    "2|6",
    "3->4",
    "4->3",
    "3->3",
    "",
    "1_",
    "3_B0",
    "2,3_B0",
    "3_B1",
    "_",
    "_,3",
    "_->_",
    "2|_",
    "...",
    "...,3",
    "2,...",
    "...,2,3",
    "2,3,...",
    "3,...,4",
    "2,...,_",
    "_,...",
    "...|3",
    "...|...->...",
    "...->2",
    "2,...->3",
    "2,...|3",
    "4->2,...",
    "...|2,...",
    "N0",
    "N0|3",
    "N0,N1",
    "N1|2",
    "N0,...",
    "3,...,N0",
    "..R0..->..R0..",
    "3,..R0..|..R0..",
];

/// Whether parameters are declared of this shape: one with batch axes is not.
pub fn is_of_parameter(shape: &str) -> bool {
    !shape.contains('|')
}

/// The places for names in a shape, in order: each with its letter, its number and where it stands.
pub fn places(shape: &str) -> Vec<(char, usize, usize)> {
    let mut places = vec![];
    for (at, c) in shape.char_indices().filter(|(_, c)| c.is_ascii_uppercase()) {
        let number = shape[at + 1..].chars().next().and_then(|digit| digit.to_digit(10));
        places.push((c, number.unwrap_or(0) as usize, at));
    }
    places
}

/// A shape with names in their places.
pub fn spelled(shape: &str, name: impl Fn(char, usize) -> String) -> String {
    let mut text = String::new();
    let mut from = 0;
    for (kind, number, at) in places(shape) {
        text += &shape[from..at];
        text += &name(kind, number);
        from = at + 2;
    }
    text + &shape[from..]
}
