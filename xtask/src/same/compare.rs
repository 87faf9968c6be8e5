//! What differs between two records of a section.

use std::{collections::BTreeMap, fmt::Write};

use anyhow::Context;

use crate::record::BEGINS;

/// How many lines are shown before and after those that differ.
const CONTEXT: usize = 3;

/// How many lines of each text are shown.
const SHOWN: usize = 40;

/// The words that were renamed, by their old names.
pub(super) struct Renamed(BTreeMap<String, String>);

impl Renamed {
    /// Reads a list: `old new` on each line, and comments after `#`.
    pub(super) fn read(list: &str) -> anyhow::Result<Renamed> {
        let lines = list.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let pair = |line: &str| {
            let (old, new) = line.split_once(' ').with_context(|| format!("no pair: {line}"))?;
            Ok((old.to_owned(), new.trim().to_owned()))
        };
        lines.filter(|line| !line.is_empty()).map(pair).collect::<anyhow::Result<_>>().map(Renamed)
    }

    /// A text with the new words in the place of the old ones.
    fn applied(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut renamed = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            renamed += self.0.get(word).map_or(word, String::as_str);
            let next = after.find(is_word).unwrap_or(after.len());
            renamed += &after[..next];
            rest = &after[next..];
        }
        renamed
    }
}

/// How two records differ.
pub(super) struct Difference {
    /// The number of items of the older record that the newer one does not have.
    pub(super) gone: usize,
    /// The number of items of the newer record that the older one does not have.
    pub(super) come: usize,
    /// The first of them, as lines that go and come.
    pub(super) first: String,
}

/// An item: where it comes from, and its text.
type Item = (String, String);

/// How two records of a section differ. Those that are sorted have their items in any order.
pub(super) fn difference(
    before: &str,
    after: &str,
    renamed: &Renamed,
    is_sorted: bool,
) -> Option<Difference> {
    let before: Vec<Item> =
        items(before).map(|(from, text)| (from.to_owned(), renamed.applied(text))).collect();
    let owned = |(from, text): (&str, &str)| (from.to_owned(), text.to_owned());
    let after: Vec<Item> = items(after).map(owned).collect();
    let [gone, come] = if is_sorted { unmatched(before, after) } else { at_places(before, after) };
    let first = gone.first().or(come.first())?;
    // Of a sorted section: what stands where the other stood, but for the line, is the same that
    // was changed.
    let place = |item: &Item| item.0.split(':').next().map(str::to_owned);
    let other = come.iter().find(|item| place(item) == place(first)).or(come.first());
    let (old, new) = (gone.first().map_or("", |item| &item.1), other.map_or("", |item| &item.1));
    let first = format!("  {}\n{}", first.0, lines(old, new));
    Some(Difference { gone: gone.len(), come: come.len(), first })
}

/// The items of a file.
fn items(file: &str) -> impl Iterator<Item = (&str, &str)> {
    file.split(BEGINS).skip(1).map(|item| item.split_once('\n').unwrap_or((item, "")))
}

/// The items that the other side does not have, wherever they stand.
fn unmatched(before: Vec<Item>, after: Vec<Item>) -> [Vec<Item>; 2] {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for (items, by) in [(&before, 1), (&after, -1)] {
        for (_, text) in items {
            *counts.entry(text.clone()).or_default() += by;
        }
    }
    let mut of = |sign: i64, items: Vec<Item>| {
        let is_left = |item: &Item| match counts.get_mut(&item.1) {
            Some(count) if *count * sign > 0 => {
                *count -= sign;
                true
            }
            _ => false,
        };
        items.into_iter().filter(is_left).collect()
    };
    [of(1, before), of(-1, after)]
}

/// The items that are other than those at the same place.
fn at_places(before: Vec<Item>, after: Vec<Item>) -> [Vec<Item>; 2] {
    let mut other = [vec![], vec![]];
    let (mut before, mut after) = (before.into_iter(), after.into_iter());
    loop {
        let pair = (before.next(), after.next());
        match pair {
            (None, None) => return other,
            (Some(old), Some(new)) if old.1 == new.1 => {}
            (old, new) => {
                other[0].extend(old);
                other[1].extend(new);
            }
        }
    }
}

/// The lines between the first and the last that differ, with some around them.
fn lines(old: &str, new: &str) -> String {
    let [old, new]: [Vec<&str>; 2] = [old.lines().collect(), new.lines().collect()];
    let begin = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let ends = old[begin..].iter().rev().zip(new[begin..].iter().rev());
    let end = ends.take_while(|(old, new)| old == new).count();
    let mut shown = String::new();
    let mut show = |sign: char, lines: &[&str]| {
        for line in lines.iter().take(SHOWN) {
            // A string takes all that is written to it.
            let _ = writeln!(shown, "  {sign} {line}");
        }
        if lines.len() > SHOWN {
            let _ = writeln!(shown, "  {sign} … {} lines more", lines.len() - SHOWN);
        }
    };
    show(' ', &old[begin.saturating_sub(CONTEXT)..begin]);
    show('-', &old[begin..old.len() - end]);
    show('+', &new[begin..new.len() - end]);
    show(' ', &old[old.len() - end..(old.len() - end + CONTEXT).min(old.len())]);
    shown
}

#[cfg(test)]
mod tests {
    use super::{Renamed, difference};

    fn differ(before: &str, after: &str, is_sorted: bool) -> Option<([usize; 2], String)> {
        let renamed = Renamed::read("# words\nold new\n").unwrap();
        let found = difference(before, after, &renamed, is_sorted);
        found.map(|found| ([found.gone, found.come], found.first))
    }

    #[test]
    fn whole_words_are_renamed_before() {
        let before = "\u{1e}case 0\nold, an old older\n";
        assert_eq!(differ(before, "\u{1e}case 0\nnew, an new older\n", false), None);
        assert!(differ("\u{1e}case 0\nnew\n", "\u{1e}case 0\nold\n", false).is_some());
    }

    #[test]
    fn the_first_difference_is_shown() {
        let before = "\u{1e}case 0\nx\n\u{1e}case 1\na\nb\nc\n";
        let after = "\u{1e}case 0\nx\n\u{1e}case 1\na\nd\nc\n";
        let first = "  case 1\n    a\n  - b\n  + d\n    c\n".to_owned();
        assert_eq!(differ(before, after, false), Some(([1, 1], first)));
    }

    #[test]
    fn sorted_items_may_stand_anywhere() {
        let before = "\u{1e}p:1\na\n\u{1e}q:9\nb\n";
        assert_eq!(differ(before, "\u{1e}r:1\na\n\u{1e}s:2\nb\n", true), None);
        let gone = "  q:9\n  - b\n".to_owned();
        assert_eq!(differ(before, "\u{1e}r:1\na\n", true), Some(([1, 0], gone)));
        let come = "  r:1\n  + a\n".to_owned();
        let after = "\u{1e}r:1\na\n\u{1e}s:2\nb\n\u{1e}t:2\na\n";
        assert_eq!(differ(before, after, true), Some(([0, 1], come)));
    }
}
