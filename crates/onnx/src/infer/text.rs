//! How sizes, shapes and specifications are written.

use super::{
    known::{Container, Known, Sizes},
    num::{Num, Nums},
    template::{Fit, Template, Term, Window},
};

/// A shape in brackets: `[n,64,h,w]`; `[...]` where not even the number of axes is known.
pub fn shape_text(nums: &Nums, shape: Option<&Sizes>) -> String {
    match shape {
        None => "[...]".to_owned(),
        Some(sizes) => {
            let all: Vec<String> = sizes.iter().map(|size| nums.text(*size)).collect();
            format!("[{}]", all.join(","))
        }
    }
}

/// The shape of a value, or what it is if not a tensor.
pub fn known_text(nums: &Nums, known: &Known) -> String {
    match &known.container {
        None => shape_text(nums, known.shape.as_ref()),
        Some(Container::Sequence(of, _)) => format!("sequence of {}", known_text(nums, of)),
        Some(Container::Optional(of)) => format!("optional {}", known_text(nums, of)),
        Some(Container::Opaque) => "no tensor".to_owned(),
    }
}

/// A name of a file on one line: what would break lines or hide text is replaced.
pub fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || c == '`' { '\u{fffd}' } else { c }).collect()
}

impl Template {
    /// The specification in Lozenge's notation: `n, (g c), 2*y~[1,1]+ky; …`.
    pub fn text(&self, nums: &Nums) -> String {
        let operands: Vec<String> = self.operands.iter().map(|row| row_text(nums, row)).collect();
        format!("{} => {}", operands.join("; "), row_text(nums, &self.result)).trim().to_owned()
    }
}

fn row_text(nums: &Nums, row: &[Term]) -> String {
    let entries: Vec<String> = row.iter().map(|term| term_text(nums, term)).collect();
    entries.join(", ")
}

fn term_text(nums: &Nums, term: &Term) -> String {
    let parts = |parts: &[Term], between: &str| {
        let all: Vec<String> = parts
            .iter()
            .map(|part| match part {
                Term::Size(num) => nums.text(*num),
                part => term_text(nums, part),
            })
            .collect();
        all.join(between)
    };
    match term {
        Term::Axis(label) => label.to_string(),
        Term::Rest(name) => format!("..{name}.."),
        Term::One => "0".to_owned(),
        // In parentheses an integer is a size, elsewhere an index.
        Term::Size(num) => format!("({})", nums.text(*num)),
        Term::Any => "_".to_owned(),
        Term::At(index) => index.to_string(),
        Term::Supplied(name) => format!("@{name}"),
        Term::Steps { stride, over, offset, is_loose } => {
            let loose = if *is_loose { "~" } else { "" };
            format!("{}{over}{loose}{}", times(*stride), shifted(*offset))
        }
        Term::Window(Window { stride, over, offset, dilation, kernel, fit, margin }) => {
            let marker = match fit {
                Fit::Exact => "<",
                Fit::Floor if *stride == 1 => "<",
                Fit::Floor => "~",
                Fit::Ceil => ">",
                Fit::SameExact => "=",
                Fit::Same if *stride == 1 => "=",
                Fit::Same => "=~",
            };
            let margin = match margin {
                [0, 0] => String::new(),
                [left, right] => format!("[{left},{right}]"),
            };
            let (stride, dilation, offset) = (times(*stride), times(*dilation), shifted(*offset));
            format!("{stride}{over}{marker}{margin}{offset}+{dilation}{kernel}")
        }
        Term::Merged(all) => format!("({})", parts(all, " ")),
        Term::Joined(all) => parts(all, "^"),
    }
}

/// A coefficient that is not 1.
fn times(n: i64) -> String {
    if n == 1 { String::new() } else { format!("{n}*") }
}

/// An offset that is not 0.
fn shifted(offset: u64) -> String {
    if offset == 0 { String::new() } else { format!("+{offset}") }
}

/// A size as sympy writes it, which other tools read in `dim_param`: `floor(x/2) + 1`, `Max(a, b)`.
pub fn sympy(nums: &Nums, num: Num) -> String {
    let text = nums.text(num);
    let text = text.replace("ceil(", "ceiling(").replace("min(", "Min(").replace("max(", "Max(");
    let mut written = String::with_capacity(text.len() + 8);
    for (place, c) in text.char_indices() {
        match c {
            '+' | '-' if place > 0 && !text[..place].ends_with(['(', ' ', ',']) => {
                written.extend([' ', c, ' ']);
            }
            c => written.push(c),
        }
    }
    written
}

/// Several things in one sentence: `a`, `a and b`, `a, b and c`.
pub fn listed(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A number of things: `1 node`, `3 nodes`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
