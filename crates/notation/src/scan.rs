//! A scan of a whole text, before it is cut into tokens: whether its names are letters or words,
//! and what else its author has decided.
//!
//! It looks at each byte once. A small automaton knows whether an entry has ended and a blank has
//! followed it; that, and the class of the byte, say what has been found.

/// The class of a byte for the scan.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    Letter,
    /// A digit or an underscore.
    Digit,
    Dot,
    /// A part of a character beyond ASCII.
    Beyond,
    Blank,
    At,
    Open,
    Close,
    Comma,
    /// `*`, `+` or `^`.
    Operator,
    /// `<` or `~`, with which an entry may end.
    Marker,
    Equals,
    Greater,
    /// `;` or `|`.
    Separator,
    Other,
}

impl Class {
    /// How many there are, rounded up to a power of two.
    const COUNT: usize = 16;

    const ALL: [Class; 15] = [
        Class::Letter,
        Class::Digit,
        Class::Dot,
        Class::Beyond,
        Class::Blank,
        Class::At,
        Class::Open,
        Class::Close,
        Class::Comma,
        Class::Operator,
        Class::Marker,
        Class::Equals,
        Class::Greater,
        Class::Separator,
        Class::Other,
    ];

    pub(crate) const fn of(byte: u8) -> Self {
        CLASSES[byte as usize]
    }

    const fn classify(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' | b'_' => Class::Digit,
            b'.' => Class::Dot,
            0x80.. => Class::Beyond,
            b' ' | b'\t' | b'\n' | b'\r' => Class::Blank,
            b'@' => Class::At,
            b'(' => Class::Open,
            b')' | b']' => Class::Close,
            b',' => Class::Comma,
            b'*' | b'+' | b'^' => Class::Operator,
            b'<' | b'~' => Class::Marker,
            b'=' => Class::Equals,
            b'>' => Class::Greater,
            b';' | b'|' => Class::Separator,
            _ => Class::Other,
        }
    }
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        #[allow(clippy::cast_possible_truncation)] // below 256
        let class = Class::classify(byte as u8);
        classes[byte] = class;
        byte += 1;
    }
    classes
};

/// The state of the scan.
#[derive(Clone, Copy)]
#[repr(u8)]
enum State {
    /// Between entries.
    Between,
    /// At the end of an entry, as far as it goes.
    Entry,
    /// Behind an entry and a blank.
    Blank,
    /// Behind `=`.
    Equals,
}

/// The findings of a scan, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scan(u8);

const COMMA: u8 = 1;
const OPERATOR: u8 = 2;
const BLANK: u8 = 4;
const WORDY: u8 = 8;
const OURS: u8 = 16;
const FAT_ARROW: u8 = 32;

/// For each state and class, what is found and the state after it.
const STEPS: [(u8, State); 4 * Class::COUNT] = {
    let mut steps = [(0, State::Between); 4 * Class::COUNT];
    let states = [State::Between, State::Entry, State::Blank, State::Equals];
    let mut s = 0;
    while s < states.len() {
        let mut c = 0;
        while c < Class::ALL.len() {
            steps[s * Class::COUNT + c] = step(states[s], Class::ALL[c]);
            c += 1;
        }
        s += 1;
    }
    steps
};

const fn step(state: State, class: Class) -> (u8, State) {
    // A blank between two entries, or an `=` that turns out to be no arrow.
    let begins = matches!(
        class,
        Class::Letter | Class::Digit | Class::Dot | Class::Beyond | Class::At | Class::Open
    );
    let late = match state {
        State::Blank if begins => BLANK,
        State::Equals if !matches!(class, Class::Greater) => OPERATOR,
        _ => 0,
    };
    let (found, next) = match class {
        Class::Letter | Class::Dot | Class::Beyond | Class::Close => (0, State::Entry),
        Class::Digit => (WORDY, State::Entry),
        Class::Blank => match state {
            State::Entry | State::Blank => (0, State::Blank),
            State::Between | State::Equals => (0, State::Between),
        },
        Class::Open => (OPERATOR | WORDY, State::Between),
        Class::Comma => (COMMA, State::Between),
        Class::Operator => (OPERATOR, State::Between),
        Class::Marker => (OPERATOR, State::Entry),
        Class::Equals => (0, State::Equals),
        Class::Greater if matches!(state, State::Equals) => (FAT_ARROW, State::Between),
        Class::Separator => (OURS, State::Between),
        Class::At | Class::Greater | Class::Other => (0, State::Between),
    };
    (found | late, next)
}

impl Scan {
    pub(crate) fn of(text: &str) -> Self {
        let mut state = State::Between;
        let mut found = 0;
        for &byte in text.as_bytes() {
            let (more, next) = STEPS[state as usize * Class::COUNT + Class::of(byte) as usize];
            found |= more;
            state = next;
        }
        if matches!(state, State::Equals) {
            found |= OPERATOR;
        }
        Self(found)
    }

    /// A comma.
    pub(crate) const fn comma(self) -> bool {
        self.0 & COMMA != 0
    }

    /// An operator that only words have: `*`, `+`, `^`, `<`, `~`, `(`, or `=` that is not part of
    /// an arrow.
    pub(crate) const fn operator(self) -> bool {
        self.0 & OPERATOR != 0
    }

    /// A blank between two entries of a row.
    pub(crate) const fn blank(self) -> bool {
        self.0 & BLANK != 0
    }

    /// `(`, a digit or an underscore, which say in other notations that names are words.
    pub(crate) const fn wordy(self) -> bool {
        self.0 & WORDY != 0
    }

    /// `;` or `|`, which other notations do not have.
    pub(crate) const fn ours(self) -> bool {
        self.0 & OURS != 0
    }

    /// `=>`.
    pub(crate) const fn fat_arrow(self) -> bool {
        self.0 & FAT_ARROW != 0
    }
}
