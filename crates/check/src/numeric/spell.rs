//! The text of a draft: names, signs and separators in all the ways that mean the same.

use std::fmt::Write;

use super::draft::{Axis, Coefficient, Draft, KINDS, Part, Row, Slot, Window};
use crate::Generator;

const LETTERS: &[&str] = &[
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
    "t", "u", "v", "w", "x", "y", "z",
];

const WORDS: &[&str] = &[
    "height", "width", "row", "col", "h2", "w_2", "k0", "k1", "o0", "chan", "time", "seq", "head",
    "dim", "out", "inner", "tile", "x1", "x_1", "step", "gap", "left", "right", "mid", "part",
    "lane",
];

/// How entries of a row are separated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Letters,
    Blanks,
    Commas,
}

/// What everything is called.
struct Names {
    loops: Vec<&'static str>,
    rows: Vec<&'static str>,
    /// Coefficients with the numbers that they stand for.
    coefficients: Vec<(&'static str, u64)>,
    spare: Vec<&'static str>,
}

/// The text of a specification, what its names are called, and the coefficients by name.
pub(super) fn spell(
    rng: &mut Generator,
    draft: &Draft,
) -> (String, Vec<&'static str>, Vec<(&'static str, u64)>) {
    let computed = draft.slots().flat_map(Slot::axes).any(Axis::is_computed);
    let style = match rng.u8(..3) {
        0 if !computed && !touching(draft) => Style::Letters,
        1 => Style::Blanks,
        _ => Style::Commas,
    };
    let words = style != Style::Letters && rng.u8(..3) == 0;
    let mut spare = if words { WORDS.to_vec() } else { LETTERS.to_vec() };
    rng.shuffle(&mut spare);
    let mut take = |count: usize| spare.drain(..count).collect::<Vec<_>>();
    let (loops, rows) = (take(draft.sizes.len()), take(draft.rows.len()));
    let names = Names { loops, rows, coefficients: vec![], spare };
    let mut speller = Speller { rng, style, names };
    let operands: Vec<String> = draft.operands.iter().map(|slot| speller.slot(slot)).collect();
    let result = speller.slot(&draft.result);
    let mut text = operands.join(if speller.rng.bool() { "; " } else { ";" });
    // Words are words by a sign that says so; a comma behind an entry is one.
    if words && !computed && !text.contains(',') && !result.contains(',') {
        let rows = draft.operands.last().map(|slot| &slot.rows[KINDS - 1]);
        if rows.is_some_and(|row| !row.axes.is_empty()) {
            text.push(',');
        } else {
            return spell(speller.rng, draft);
        }
    }
    let text = match speller.rng.u8(..4) {
        0 if !text.ends_with('=') => format!("{text}=>{result}"),
        _ => format!("{text} => {result}"),
    };
    (text, speller.names.loops, speller.names.coefficients)
}

/// Whether two numbers stand beside each other, which letters do not keep apart.
fn touching(draft: &Draft) -> bool {
    let number = |axis: &Axis| matches!(axis, Axis::Fixed { .. });
    let rows = draft.slots().flat_map(|slot| &slot.rows);
    rows.into_iter().any(|row| row.axes.windows(2).any(|pair| pair.iter().all(number)))
}

struct Speller<'a> {
    rng: &'a mut Generator,
    style: Style,
    names: Names,
}

impl Speller<'_> {
    fn slot(&mut self, slot: &Slot) -> String {
        let [batch, input, output] = slot.rows.each_ref().map(|row| self.row(row));
        let empty = |row: &Row| row.axes.is_empty() && row.variable.is_none();
        let has_batch = !empty(&slot.rows[0]) || self.rng.u8(..30) == 0;
        let has_input = !empty(&slot.rows[1]) || self.rng.u8(..30) == 0;
        let mut text = String::new();
        let blank = if self.rng.bool() { " " } else { "" };
        if has_batch {
            let _ = write!(text, "{batch}{blank}|{blank}");
        }
        if has_input {
            let _ = write!(text, "{input}{blank}->{blank}");
        }
        text + &output
    }

    fn row(&mut self, row: &Row) -> String {
        let mut entries: Vec<String> = row.axes.iter().map(|axis| self.axis(axis)).collect();
        if let Some((name, at)) = row.variable {
            let text =
                if name < KINDS { "...".into() } else { format!("..{}..", self.names.rows[name]) };
            entries.insert(at, text);
        }
        match self.style {
            Style::Letters => entries.concat(),
            Style::Blanks => entries.join(" "),
            Style::Commas => {
                let separator = if self.rng.bool() { "," } else { ", " };
                entries.join(separator)
            }
        }
    }

    fn axis(&mut self, axis: &Axis) -> String {
        match axis {
            Axis::Name(name) => self.names.loops[*name].into(),
            Axis::Fresh(_) => "_".into(),
            Axis::Fixed { at, .. } => at.to_string(),
            Axis::Runtime(name) => format!("@{}", self.names.loops[*name]),
            Axis::Stride { stride, over, offset, loose } => {
                let sign = if loose.is_some() { "~" } else { "" };
                let over = self.names.loops[*over];
                let mut terms = vec![format!("{}*{over}{sign}", self.coefficient(*stride))];
                if *offset > 0 {
                    terms.push(offset.to_string());
                }
                self.sum(terms)
            }
            Axis::Window(window) => self.window(window),
            Axis::Concat(parts) => self.parts(parts).join("^"),
            Axis::Merged(parts) => {
                let separator = if self.rng.u8(..4) == 0 { ", " } else { " " };
                format!("({})", self.parts(parts).join(separator))
            }
        }
    }

    fn window(&mut self, window: &Window) -> String {
        let [stride, dilation] = [window.stride, window.dilation].map(|c| self.factor(c));
        let sign = window.border.text();
        let mut terms = vec![
            format!("{stride}{}{sign}", self.names.loops[window.over]),
            format!("{dilation}{}", self.names.loops[window.kernel]),
        ];
        if window.offset > 0 {
            terms.push(window.offset.to_string());
        }
        self.sum(terms)
    }

    /// A coefficient with its sign, or nothing where it is one.
    fn factor(&mut self, coefficient: Coefficient) -> String {
        match coefficient {
            Coefficient::Number(1) if self.rng.u8(..8) > 0 => String::new(),
            other => format!("{}*", self.coefficient(other)),
        }
    }

    fn coefficient(&mut self, coefficient: Coefficient) -> String {
        match coefficient {
            Coefficient::Number(number) => number.to_string(),
            Coefficient::Named(number) => {
                let name = self.names.spare.pop().unwrap_or("coefficient");
                self.names.coefficients.push((name, number));
                name.into()
            }
        }
    }

    /// Terms come in any order.
    fn sum(&mut self, mut terms: Vec<String>) -> String {
        if self.rng.u8(..3) == 0 {
            self.rng.shuffle(&mut terms);
        }
        terms.join(if self.rng.u8(..8) == 0 { " + " } else { "+" })
    }

    fn parts(&self, parts: &[Part]) -> Vec<String> {
        let text = |part: &Part| match part {
            Part::Name(name) => self.names.loops[*name].into(),
            Part::Size(size) => size.to_string(),
            Part::Fresh(_) => "_".into(),
        };
        parts.iter().map(text).collect()
    }
}
