//! Tokens: what a text consists of, letter by letter or word by word.

use crate::scan::Class;
use lozenge_diagnostic::Span;

/// The longest text that is read, in bytes.
pub const MAX_LEN: usize = 1 << 20;

/// How letters are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Every letter is a name.
    Letters,
    /// A letter and the letters, digits and underscores after it are a name.
    Words,
    /// As words; a number or a name may have a basis, which is a part of its token, and `1_` is the
    /// unit.
    Sizes,
}

/// A kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Comma,
    Pipe,
    Arrow,
    FatArrow,
    Semicolon,
    Plus,
    Star,
    /// `-` and `/` in a shape.
    Minus,
    Slash,
    Caret,
    Ampersand,
    Equals,
    Less,
    Tilde,
    /// `>` in a window.
    Greater,
    Question,
    /// `[1,2]`: numbers with a sign, in brackets.
    Margins,
    Open,
    Close,
    Underscore,
    /// `...`
    Ellipsis,
    /// `..name..`; the name is what lies between.
    RowName,
    /// `@name`; the name is what comes after `@`.
    At,
    Number,
    Name,
    /// `1_` in a shape.
    Unit,
    /// `: 1..64` after a name in a shape.
    Range,
    /// A piece of text that is not a token, and why.
    Bad(Bad),
    End,
}

/// Why a piece of text is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// A character that the notation does not have.
    Character,
    /// A number that does not fit.
    Number,
    /// A minus that is not part of an arrow.
    Minus,
    /// A number, and letters right after it.
    Joined,
    /// A word that begins with `_`.
    Underscore,
    /// Dots that are not an ellipsis.
    Dots,
    /// `.. name ..`, with blanks in it.
    SpacedRow,
    /// `@` and no name.
    At,
    /// `3_` or `n:` in a shape: a basis is announced and missing.
    Basis,
    /// `3:rgb` or `:rgb` in a shape: a basis where none can stand.
    StrayBasis,
}

/// Numbers are below this, as the calculus' sizes are.
pub(crate) const LIMIT: u64 = 1 << 63;

/// Cuts a text into tokens.
#[derive(Clone)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    reading: Reading,
}

impl<'t> Lexer<'t> {
    pub(crate) const fn new(text: &'t str, reading: Reading) -> Self {
        Self { text, at: 0, reading }
    }

    /// All tokens, up to the end.
    pub(crate) fn tokens(mut self) -> impl Iterator<Item = (Token, Span)> {
        std::iter::from_fn(move || Some(self.next()).filter(|(token, _)| *token != Token::End))
    }

    /// The next token and where it is; blanks before it are skipped.
    pub(crate) fn next(&mut self) -> (Token, Span) {
        let bytes = self.text.as_bytes();
        self.skip_blanks(bytes);
        let start = self.at;
        let token = match bytes.get(start) {
            // Most tokens are letters.
            Some(b'a'..=b'z' | b'A'..=b'Z') if self.reading == Reading::Letters => {
                self.at += 1;
                Token::Name
            }
            Some(byte) => self.token(*byte, bytes),
            None => Token::End,
        };
        (token, span(start, self.at))
    }

    fn token(&mut self, byte: u8, bytes: &[u8]) -> Token {
        let next = bytes.get(self.at + 1);
        let (token, length) = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {
                // The first letter is one; where each is a name, it was taken before.
                self.at += 1;
                return if self.reading == Reading::Sizes {
                    self.named_size(bytes)
                } else {
                    self.skip_word(bytes);
                    Token::Name
                };
            }
            b'0'..=b'9' => return self.number(bytes),
            b'_' => return self.underscore(bytes),
            b'.' => return self.dots(bytes),
            b'@' => return self.index(bytes),
            b':' if self.reading == Reading::Sizes => {
                if let Some(end) = self.range_end(bytes) {
                    self.at = end;
                    return Token::Range;
                }
                return self.with_colons(bytes, Token::Bad(Bad::StrayBasis));
            }
            b',' => (Token::Comma, 1),
            b'|' => (Token::Pipe, 1),
            b'-' if next == Some(&b'>') => (Token::Arrow, 2),
            b'=' if next == Some(&b'>') => (Token::FatArrow, 2),
            b'-' if self.reading == Reading::Sizes => (Token::Minus, 1),
            b'/' if self.reading == Reading::Sizes => (Token::Slash, 1),
            b'-' => (Token::Bad(Bad::Minus), 1),
            b';' => (Token::Semicolon, 1),
            b'+' => (Token::Plus, 1),
            b'*' => (Token::Star, 1),
            b'^' => (Token::Caret, 1),
            b'&' => (Token::Ampersand, 1),
            b'=' => (Token::Equals, 1),
            b'<' => (Token::Less, 1),
            b'~' if self.reading != Reading::Sizes => (Token::Tilde, 1),
            b'>' if self.in_window(bytes) => (Token::Greater, 1),
            b'[' if self.reading != Reading::Sizes => match self.margins(bytes) {
                Some(length) => (Token::Margins, length),
                None => return self.other(),
            },
            b'(' => (Token::Open, 1),
            b')' => (Token::Close, 1),
            _ => return self.other(),
        };
        self.at += length;
        token
    }

    fn name(&mut self, bytes: &[u8]) -> Token {
        match self.reading {
            Reading::Letters => self.at += self.letter(bytes).unwrap_or(1),
            Reading::Words => self.skip_word(bytes),
            Reading::Sizes => return self.named_size(bytes),
        }
        Token::Name
    }

    /// Whether the sign here is in a window: one goes on behind it, or stands before it.
    #[cold]
    fn in_window(&self, bytes: &[u8]) -> bool {
        let mut rest = bytes[self.at + 1..].iter();
        let next = rest.find(|byte| Class::of(**byte) != Class::Blank);
        let mut before = bytes[..self.at].iter().rev();
        let begun = before.find(|byte| matches!(byte, b'+' | b',' | b';' | b'|' | b'>'));
        self.reading != Reading::Sizes
            && (matches!(next, Some(b'+' | b'[')) || begun == Some(&b'+'))
    }

    /// The length of the margins that begin at the bracket here, if that is what is in it. Behind a
    /// marker it is what is meant.
    #[cold]
    fn margins(&self, bytes: &[u8]) -> Option<usize> {
        let inside = &bytes[self.at + 1..];
        let mut before = bytes[..self.at].iter().rev();
        let before = before.find(|byte| Class::of(**byte) != Class::Blank);
        let is_behind = matches!(before, Some(b'<' | b'~' | b'>' | b'='));
        let is_margin = |byte: &u8| match byte {
            b'0'..=b'9' | b'-' | b',' | b' ' => true,
            // Nor is anything read twice that begins again.
            b']' | b'[' | b';' | b'|' | b'=' => false,
            _ => is_behind,
        };
        let length = inside.iter().take_while(|byte| is_margin(byte)).count();
        (inside.get(length) == Some(&b']')).then_some(length + 2)
    }

    /// A name and, after a colon, its basis: one token, which the shape takes apart.
    fn named_size(&mut self, bytes: &[u8]) -> Token {
        self.skip_word(bytes);
        if bytes.get(self.at) != Some(&b':') || self.range_end(bytes).is_some() {
            return Token::Name;
        }
        self.at += 1;
        let is_basis = self.letter(bytes).is_some();
        self.skip_word(bytes);
        self.with_colons(bytes, if is_basis { Token::Name } else { Token::Bad(Bad::Basis) })
    }

    /// The end of the range that begins at the colon here, if one does.
    fn range_end(&self, bytes: &[u8]) -> Option<usize> {
        let skip = |at: usize, is: fn(&u8) -> bool| {
            at + bytes[at..].iter().take_while(|byte| is(byte)).count()
        };
        let low = skip(self.at + 1, |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        let dots = skip(low, u8::is_ascii_digit);
        let high = skip(dots, |byte| *byte == b'.');
        let end = skip(high, u8::is_ascii_digit);
        // What a number or a word would go on with, or an ellipsis.
        let goes_on = bytes.get(end).is_some_and(|byte| {
            matches!(Class::of(*byte), Class::Letter | Class::Digit | Class::Beyond | Class::Dot)
        });
        (dots > low && high == dots + 2 && !goes_on).then_some(end)
    }

    /// A token of a shape after which no basis can stand, with all that colons tie to its end.
    fn with_colons(&mut self, bytes: &[u8], token: Token) -> Token {
        let has_colon = self.reading == Reading::Sizes && bytes.get(self.at) == Some(&b':');
        if !has_colon || token == Token::Name && self.range_end(bytes).is_some() {
            return token;
        }
        while bytes.get(self.at) == Some(&b':') {
            if let Some(end) = self.range_end(bytes) {
                self.at = end;
                break;
            }
            self.at += 1;
            self.skip_word(bytes);
        }
        match token {
            Token::Bad(bad) if bad != Bad::Basis => token,
            _ => Token::Bad(Bad::StrayBasis),
        }
    }

    #[inline(never)]
    fn number(&mut self, bytes: &[u8]) -> Token {
        let token = self.digits(bytes);
        self.with_colons(bytes, token)
    }

    fn digits(&mut self, bytes: &[u8]) -> Token {
        let value = number(&bytes[self.at..]);
        while let Some(b'0'..=b'9') = bytes.get(self.at) {
            self.at += 1;
        }
        if self.reading != Reading::Letters && self.in_word(bytes).is_some() {
            let start = self.at;
            self.skip_word(bytes);
            if self.reading == Reading::Words || bytes[start] != b'_' {
                return Token::Bad(Bad::Joined);
            }
            let rest = &self.text[start + 1..self.at];
            if rest.is_empty() {
                return if value == Some(1) { Token::Unit } else { Token::Bad(Bad::Basis) };
            }
            if !rest.starts_with(char::is_alphabetic) {
                return Token::Bad(Bad::Joined);
            }
        }
        match value {
            Some(value) if value < LIMIT => Token::Number,
            _ => Token::Bad(Bad::Number),
        }
    }

    #[inline(never)]
    fn underscore(&mut self, bytes: &[u8]) -> Token {
        self.at += 1;
        if self.reading == Reading::Letters || self.in_word(bytes).is_none() {
            return self.with_colons(bytes, Token::Underscore);
        }
        self.skip_word(bytes);
        self.with_colons(bytes, Token::Bad(Bad::Underscore))
    }

    /// `...`, `..name..`, or what was meant as one of them.
    #[inline(never)]
    fn dots(&mut self, bytes: &[u8]) -> Token {
        match self.skip_dots(bytes) {
            3 => return Token::Ellipsis,
            2 if self.letter(bytes).is_some() => {
                let name = self.at;
                self.skip_word(bytes);
                match self.skip_dots(bytes) {
                    2 => return Token::RowName,
                    // The dots were alone: what comes after them is read by itself.
                    0 => self.at = name,
                    _ => return Token::Bad(Bad::Dots),
                }
            }
            2 => {}
            _ => return Token::Bad(Bad::Dots),
        }
        self.spaced_row(bytes)
    }

    /// Behind `..`: whether a name and `..` follow, with blanks between them.
    #[cold]
    fn spaced_row(&mut self, bytes: &[u8]) -> Token {
        let start = self.at;
        self.skip_blanks(bytes);
        if self.letter(bytes).is_some() {
            self.skip_word(bytes);
            self.skip_blanks(bytes);
            if self.skip_dots(bytes) == 2 {
                return Token::Bad(Bad::SpacedRow);
            }
        }
        self.at = start;
        Token::Bad(Bad::Dots)
    }

    fn skip_blanks(&mut self, bytes: &[u8]) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
    }

    #[inline(never)]
    fn index(&mut self, bytes: &[u8]) -> Token {
        self.at += 1;
        match self.letter(bytes) {
            Some(length) if self.reading == Reading::Letters => self.at += length,
            Some(_) => self.skip_word(bytes),
            None => return Token::Bad(Bad::At),
        }
        Token::At
    }

    /// A character beyond those of the notation: a letter of another script, or nothing we know.
    #[cold]
    fn other(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        if self.letter(bytes).is_some() {
            return self.name(bytes);
        }
        let c = self.char();
        self.at += c.map_or(1, char::len_utf8);
        if c == Some('?') && self.reading == Reading::Sizes {
            return Token::Question;
        }
        // Longer strokes are typed for a minus.
        Token::Bad(if matches!(c, Some('−' | '–' | '—')) {
            Bad::Minus
        } else {
            Bad::Character
        })
    }

    fn skip_dots(&mut self, bytes: &[u8]) -> usize {
        let start = self.at;
        while bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
        }
        self.at - start
    }

    fn skip_word(&mut self, bytes: &[u8]) {
        while let Some(&byte) = bytes.get(self.at) {
            match Class::of(byte) {
                Class::Letter | Class::Digit => self.at += 1,
                Class::Beyond => match self.letter(bytes) {
                    Some(length) => self.at += length,
                    None => return,
                },
                _ => return,
            }
        }
    }

    /// The length of the character here, if a word goes on with it.
    fn in_word(&self, bytes: &[u8]) -> Option<usize> {
        match bytes.get(self.at) {
            Some(b'0'..=b'9' | b'_') => Some(1),
            _ => self.letter(bytes),
        }
    }

    /// The length of the letter here, if one is.
    fn letter(&self, bytes: &[u8]) -> Option<usize> {
        match bytes.get(self.at)? {
            b'a'..=b'z' | b'A'..=b'Z' => Some(1),
            0..=0x7f => None,
            _ => self.char().filter(|c| c.is_alphabetic()).map(char::len_utf8),
        }
    }

    fn char(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }
}

/// The names of a text of words, at each place, but for those of row variables and indices.
pub(crate) fn words(text: &str) -> Vec<Span> {
    let tokens = Lexer::new(text, Reading::Words).tokens();
    tokens.filter(|(token, _)| *token == Token::Name).map(|(_, span)| span).collect()
}

/// Whether a word can have this character in it.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number that a text begins with, where it fits.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits
        .map(|digit| u64::from(digit - b'0'))
        .try_fold(0, |value: u64, digit| value.checked_mul(10)?.checked_add(digit))
}

/// A span of a text, between two of its bytes.
pub(crate) fn span(start: usize, end: usize) -> Span {
    Span::new(place(start), place(end))
}

/// A byte of a text, or a number of its entries, in 32 bits: a text that is read has at most
/// [`MAX_LEN`] bytes, and one that is made has as many axes as somebody gave.
pub(crate) fn place(at: usize) -> u32 {
    u32::try_from(at).expect("a text has fewer than 2^32 bytes")
}
