//! Rows whose elements or axes are counted, held against enumeration.
//!
//! Three forms that were wrong once: a concatenation as long as it has parts, of which some may be
//! left out; a row with a number of elements and bounds; exact axes of three rows of which the
//! middle one is known. And rows that are stretched as NumPy does it, with what is known of them in
//! any order.

use lozenge_calculus::{
    constraint::Constraint,
    dim::{Basis, Dim},
    judge::Judge,
    row::Row,
    size::Size,
    term::Grounding,
    text::Names,
};
use lozenge_solve::{
    SolveError, Solver,
    close::{Policy, Roles, close},
};

use crate::{Generator, Mismatch, mismatch::counts};

counts! {
    /// What was drawn, and what became of it.
    pub struct Counted {
        /// The stores of each form.
        pub forms: [u64; 4],
        pub rejected: u64,
        pub closed: u64,
        pub undecided: u64,
    }
}

/// The names of the forms.
pub const FORMS: [&str; 4] = [
    "totals of as many as parts",
    "counted rows with bounds",
    "exact axes around a known row",
    "stretched rows",
];

/// The sizes that are drawn and enumerated.
const SIZES: [&str; 5] = ["1_", "1", "2", "3", "6"];

impl Counted {
    /// Draws a store and judges what becomes of it.
    pub(super) fn check(&mut self, rng: &mut Generator) -> Result<(), Mismatch> {
        let (form, text) = text(rng);
        self.forms[form] += 1;
        self.judge(&text).map_err(|what| format!("{what}\n    {text}").into())
    }

    fn judge(&mut self, text: &str) -> Result<(), String> {
        let mut names = Names::new();
        let store = names.parse_store(text).map_err(|error| error.to_string())?;
        let holds = |solution: &Grounding| Judge::OneShot.satisfies_all(solution, &store);
        let mut solver = Solver::new();
        match solver.extend(&store) {
            Err(SolveError::Exhausted(exhausted)) => Err(exhausted.to_string()),
            Err(SolveError::Conflict(conflict)) => {
                self.rejected += 1;
                // Where a marker was placed, another place may do.
                let is_exact = conflict.placed.is_empty();
                let found = if is_exact { solution(&mut names, text, &store) } else { None };
                match found {
                    Some(found) => Err(format!("rejected, but {} fits", names.show(&found))),
                    None => Ok(()),
                }
            }
            Ok(()) => match close(&solver.solved(), &Roles::default(), Policy::Default) {
                Ok(closed) if holds(closed.grounding()) => {
                    self.closed += 1;
                    Ok(())
                }
                Ok(closed) => Err(format!("closed to {}", names.show(closed.grounding()))),
                Err(_) => {
                    self.undecided += 1;
                    Ok(())
                }
            },
        }
    }
}

/// Draws a store: which of the forms it has, and its text.
pub(super) fn text(rng: &mut Generator) -> (usize, String) {
    let form = rng.usize(0..FORMS.len());
    let text = match form {
        0 => concatenation(rng),
        1 => bounded(rng),
        2 => exact(rng),
        _ => stretched(rng),
    };
    (form, text)
}

fn axes(rng: &mut Generator, most: usize) -> String {
    let count = rng.usize(0..=most);
    let axes: Vec<&str> = (0..count).map(|_| SIZES[rng.usize(0..SIZES.len())]).collect();
    axes.join(",")
}

/// A concatenation with as many elements as parts.
fn concatenation(rng: &mut Generator) -> String {
    let parts = rng.usize(2..=3);
    let part =
        |rng: &mut Generator, name: &str| format!("?{name}{}", if rng.bool() { "!" } else { "" });
    let names: Vec<String> = ["a", "b", "c"][..parts].iter().map(|n| part(rng, n)).collect();
    let mut lines = vec![format!("?w = ^[{}]", names.join(",")), format!("?w = {parts}")];
    if rng.bool() {
        lines.push(format!("?a = {}", rng.u64(1..=3)));
    }
    if rng.bool() {
        // A part that is an axis by itself.
        lines.push("⟨b⟩ ≈ ◊[?b]".to_owned());
    }
    rng.shuffle(&mut lines);
    lines.join("; ")
}

/// A row with a number of elements, and what is above and below it.
fn bounded(rng: &mut Generator) -> String {
    let count = [1, 2, 3, 4, 6, 12][rng.usize(0..6)];
    let mut lines = vec![format!("|⟨a⟩| = {count}")];
    for _ in 0..rng.usize(1..=2) {
        let (lead, trail) = (axes(rng, 1), axes(rng, 2));
        lines.push(match rng.u8(0..3) {
            0 => format!("[{lead}]◊[{trail}] ⊑ ⟨a⟩"),
            1 => format!("⟨a⟩ ⊑ [{lead}]◊[{trail}]"),
            _ => format!("⟨b⟩ ⊑ ⟨a⟩; ⟨b⟩ ⊑ [{lead}]◊[{trail}]"),
        });
    }
    rng.shuffle(&mut lines);
    lines.join("; ")
}

/// Exact axes of three rows, of which the middle one is known.
fn exact(rng: &mut Generator) -> String {
    let all: Vec<&str> = (0..rng.usize(1..=3)).map(|_| SIZES[rng.usize(1..5)]).collect();
    let from = rng.usize(0..all.len());
    let inner = if rng.u8(0..4) == 0 { axes(rng, 2) } else { all[from..=from].join(",") };
    let mut lines =
        vec![format!("|⟨a⟩, ⟨b⟩, ⟨c⟩| ≈ [{}]", all.join(",")), format!("⟨b⟩ ≈ ◊[{inner}]")];
    if rng.bool() {
        lines.push(format!("⟨{}⟩ ⊑ ◊[{}]", if rng.bool() { "a" } else { "c" }, axes(rng, 1)));
    }
    rng.shuffle(&mut lines);
    lines.join("; ")
}

/// Rows of which some are known, stretched to one of which something may be known.
fn stretched(rng: &mut Generator) -> String {
    const DIMS: [&str; 7] = ["1_", "1", "2", "3", "?w", "?b", "?c"];
    let axes = |rng: &mut Generator, most: usize| {
        let axes = (0..rng.usize(0..=most)).map(|_| DIMS[rng.usize(0..DIMS.len())]);
        axes.collect::<Vec<&str>>().join(",")
    };
    let closed = |rng: &mut Generator| match rng.u8(0..4) {
        0 => format!("[{}]◊[{}]", axes(rng, 1), axes(rng, 1)),
        _ => format!("◊[{}]", axes(rng, 2)),
    };
    let operand = |rng: &mut Generator| match rng.u8(0..4) {
        0 => "⟨b⟩".to_owned(),
        1 => format!("⟨b⟩[{}]", axes(rng, 1)),
        _ => closed(rng),
    };
    let operands: Vec<String> = (0..rng.usize(1..=3)).map(|_| operand(rng)).collect();
    let mut lines = vec![format!("⟨a⟩ ⊑ᴺ |{}|", operands.join(", "))];
    for _ in 0..rng.usize(0..=2) {
        lines.push(match rng.u8(0..6) {
            0 => format!("⟨a⟩ ≈ {}", closed(rng)),
            1 => format!("⟨a⟩ ⊑ {}", closed(rng)),
            2 => format!("{} ⊑ ⟨a⟩", closed(rng)),
            3 => format!("⟨b⟩ ⊑ {}", closed(rng)),
            4 => format!("{} ⊑ ⟨b⟩", closed(rng)),
            _ => format!("⟨b⟩ ≈ {}", closed(rng)),
        });
    }
    for name in ["w", "b", "c"] {
        if rng.u8(0..4) == 0 {
            lines.push(format!("?{name} = {}", SIZES[rng.usize(0..4)]));
        }
    }
    if rng.u8(0..6) == 0 {
        lines.push("?w ≥ 2".to_owned());
    }
    rng.shuffle(&mut lines);
    lines.join("; ")
}

/// A solution among short rows of the sizes drawn.
fn solution(names: &mut Names, text: &str, store: &[Constraint]) -> Option<Grounding> {
    let rows_met = ["a", "b", "c"].into_iter().filter(|name| text.contains(&format!("⟨{name}⟩")));
    let dims_met =
        ["w", "a", "b", "c"].into_iter().filter(|name| text.contains(&format!("?{name}")));
    let vars: Vec<_> = rows_met.filter_map(|name| names.row_var(name)).collect();
    let dims: Vec<_> = dims_met.filter_map(|name| names.dim_var(name)).collect();
    let mut all = vec![Grounding::top()];
    for var in dims {
        let none = Some(Dim::atom(Size::ZERO, Basis::DEFAULT));
        let sizes = [Some(Dim::Unit), none, number(1), number(2), number(3)];
        all = extended(&all, sizes.into_iter().flatten(), |with, dim| with.set_dim(var, dim));
    }
    // Of three rows the markers are left in front, so that there are not too many.
    let most = if vars.len() > 2 { 0 } else { 2 };
    for var in vars {
        all = extended(&all, rows(most), |with, row| with.set_row(var, row));
    }
    all.into_iter().find(|solution| Judge::OneShot.satisfies_all(solution, store))
}

fn extended<T: Clone>(
    all: &[Grounding],
    values: impl Iterator<Item = T>,
    set: impl Fn(&mut Grounding, T),
) -> Vec<Grounding> {
    let values: Vec<T> = values.collect();
    let with = |base: &Grounding, value: &T| {
        let mut base = base.clone();
        set(&mut base, value.clone());
        base
    };
    all.iter().flat_map(|base| values.iter().map(move |value| with(base, value))).collect()
}

fn number(size: u64) -> Option<Dim> {
    Dim::int(size).ok()
}

/// All rows of at most two axes, with at most so many before the marker.
fn rows(most: usize) -> impl Iterator<Item = Row> {
    let sizes =
        || [Some(Dim::Unit), number(1), number(2), number(3), number(6)].into_iter().flatten();
    let mut flat: Vec<Vec<Dim>> = vec![vec![]];
    flat.extend(sizes().map(|dim| vec![dim]));
    flat.extend(sizes().flat_map(|one| sizes().map(move |two| vec![one, two])));
    flat.into_iter().flat_map(move |axes| {
        (0..=axes.len().min(most))
            .map(move |lead| Row::new(axes[..lead].to_vec(), axes[lead..].to_vec()))
    })
}
