//! Names that nothing has yet: a letter, or a word with a number. Whoever has to make up a name
//! picks it here.
//!
//! ```
//! use lozenge_notation::fresh::{Letters, or_numbered};
//! assert_eq!(Letters::small().pick(|name| name != "i"), "j");
//! assert_eq!(or_numbered("seq", "seq", 2, |name| name != "seq"), "seq2");
//! ```

use std::ops::RangeInclusive;

/// The order of letters for axes: first those that people count with, without `o`, which is read as
/// a zero.
const LETTERS: [RangeInclusive<char>; 3] = ['i'..='n', 'p'..='z', 'a'..='h'];

/// The letters that were not picked yet; after all of them `i1`, `i2` and so on. What was not free
/// once is not looked at again, so that many names are picked in one pass.
pub struct Letters {
    names: Box<dyn Iterator<Item = String>>,
}

impl Letters {
    /// Small letters, `i` first.
    #[must_use]
    pub fn small() -> Letters {
        Letters::made(|letter| letter)
    }

    /// Capitals, `I` first.
    #[must_use]
    pub fn capital() -> Letters {
        Letters::made(|letter| letter.to_ascii_uppercase())
    }

    fn made(case: fn(char) -> char) -> Letters {
        let letters = LETTERS.into_iter().flatten().map(case).map(String::from);
        let numbered = (1..=u64::MAX).map(move |number| format!("{}{number}", case('i')));
        Letters { names: Box::new(letters.chain(numbered)) }
    }

    /// The next letter that is free.
    pub fn pick(&mut self, is_free: impl Fn(&str) -> bool) -> String {
        endless(&mut self.names, is_free)
    }
}

/// The word itself where it is free, or else the stem with the first number that is, from this one
/// on.
pub fn or_numbered(word: &str, stem: &str, from: u32, is_free: impl Fn(&str) -> bool) -> String {
    let numbered = (u64::from(from)..=u64::MAX).map(|number| format!("{stem}{number}"));
    let mut names = [word.to_owned()].into_iter().chain(numbered);
    endless(&mut names, is_free)
}

/// The first free name of names that end in all numbers.
fn endless(names: &mut impl Iterator<Item = String>, is_free: impl Fn(&str) -> bool) -> String {
    first(names, is_free).expect("numbers do not end")
}

/// The first name that is free, if one is.
pub(crate) fn first(
    names: &mut impl Iterator<Item = String>,
    is_free: impl Fn(&str) -> bool,
) -> Option<String> {
    names.find(|name| is_free(name))
}

#[cfg(test)]
mod tests {
    use super::{Letters, or_numbered};

    #[test]
    fn letters_come_in_the_order_of_counting() {
        let mut letters = Letters::small();
        let picked: String = (0..25).map(|_| letters.pick(|_| true)).collect();
        assert_eq!(picked, "ijklmnpqrstuvwxyzabcdefgh");
        assert_eq!([letters.pick(|_| true), letters.pick(|_| true)], ["i1", "i2"]);
    }

    #[test]
    fn what_is_taken_is_passed_over() {
        assert_eq!(Letters::capital().pick(|name| name > "J"), "K");
        assert_eq!(or_numbered("n", "n", 2, |name| name != "n" && name != "n2"), "n3");
        assert_eq!(or_numbered("n", "t", 2, |_| true), "n");
    }
}
