//! Which steps of a program its structure cannot tell apart, by colour refinement.
//!
//! Steps, named sizes and bases are the nodes of a graph; an edge leads from a step to each thing
//! that it refers to, marked with the place where it does, or with none where the order means
//! nothing. A node begins with the colour of what it is, without any name. Then every node gets the
//! colour of its own and its neighbours' colours, up and down, until no more colours come. Steps of
//! two colours are different; those of one colour may be exchanged without anybody seeing it, as
//! far as this sees. Names of operations ask nothing of shapes, so they have no node.

use std::collections::BTreeMap;

use super::{
    model::{Program, SizeOf, Step},
    templates,
};

struct Edge {
    from: usize,
    to: usize,
    mark: String,
}

/// The colour of a node, and those around it: each by the mark of the edge, and whether it leads
/// there.
type Seen<'a> = (usize, Vec<(&'a str, bool, usize)>);

/// A colour for every step; equal for those that structure cannot tell apart.
pub fn colours(program: &Program) -> Vec<usize> {
    let count = program.steps.len();
    let mut kinds: Vec<String> = vec![];
    let mut edges = vec![];
    for (place, step) in program.steps.iter().enumerate() {
        kinds.push(kind(step));
        edges.extend(marks(step).into_iter().map(|(to, mark)| Edge { from: place, to, mark }));
    }
    let mut names: BTreeMap<(char, usize), usize> = BTreeMap::new();
    for (from, step) in program.steps.iter().enumerate() {
        // A row variable is of one shape only: which of its places are the same is in the kind.
        let places = step.shape().map(templates::places).unwrap_or_default();
        for (letter, number, at) in places.into_iter().filter(|place| place.0 != 'R') {
            let to = *names.entry((letter, number)).or_insert_with(|| {
                kinds.push(letter.to_string());
                kinds.len() - 1
            });
            edges.push(Edge { from, to, mark: at.to_string() });
        }
    }
    let mut colours = numbered(&kinds);
    loop {
        let mut seen: Vec<Seen<'_>> = colours.iter().map(|colour| (*colour, vec![])).collect();
        for edge in &edges {
            seen[edge.from].1.push((edge.mark.as_str(), true, colours[edge.to]));
            seen[edge.to].1.push((edge.mark.as_str(), false, colours[edge.from]));
        }
        for (_, around) in &mut seen {
            around.sort_unstable();
        }
        let finer = numbered(&seen);
        // A colour is only ever split, so as many colours are the same colours.
        let is_stable = finer.iter().max() == colours.iter().max();
        colours = finer;
        if is_stable {
            colours.truncate(count);
            return colours;
        }
    }
}

/// The number of steps whose colour another step has too.
pub fn symmetric(program: &Program) -> u64 {
    let colours = colours(program);
    let others = |colour: &&usize| colours.iter().filter(|other| other == colour).count() > 1;
    colours.iter().filter(others).count() as u64
}

/// Equal numbers for equal values, in the order of the values.
fn numbered<T: Ord>(values: &[T]) -> Vec<usize> {
    let mut sorted: Vec<&T> = values.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    values.iter().map(|value| sorted.binary_search(&value).unwrap_or(0)).collect()
}

/// What a step is, apart from what it refers to and from all names.
fn kind(step: &Step) -> String {
    let shape = |shape: &str| {
        templates::spelled(shape, |kind, number| match kind {
            'R' => format!("R{number}"),
            _ => kind.to_string(),
        })
    };
    let shape = step.shape().map(shape).unwrap_or_default();
    let own = match step {
        Step::Einsum(einsum) => {
            let labels = einsum.template().labels();
            let number = |of: char| labels.iter().position(|label| *label == of).unwrap_or(0);
            let mut sizes: Vec<(usize, u64)> =
                einsum.sizes.iter().map(|(of, size)| (number(*of), *size)).collect();
            sizes.sort_unstable();
            let spec = einsum.template().spelled(|label| format!("<{}>", number(label)));
            format!("{spec} {sizes:?}")
        }
        Step::Elements(count) => count.to_string(),
        Step::Array(axes) => format!("{axes:?}"),
        Step::BitCast(from, to, _) => format!("{from} {to}"),
        Step::Set(_, number) => number.to_string(),
        Step::Scale(factor, _) => factor.to_string(),
        Step::Pointwise(_, operands) => operands.len().to_string(),
        _ => String::new(),
    };
    format!("{} {shape} {own}", step.construct())
}

/// What a step refers to, each with the mark of the place.
fn marks(step: &Step) -> Vec<(usize, String)> {
    let of_size = |size: SizeOf, place: &str| {
        let label = match size {
            SizeOf::New(_) => String::new(),
            SizeOf::Label(_, label) => label.to_string(),
        };
        (size.step(), format!("{place}.{label}"))
    };
    match step {
        Step::Equal(sizes) => sizes.map(|size| of_size(size, "")).to_vec(),
        Step::Set(size, _) => vec![of_size(*size, "")],
        Step::Scale(_, [large, small]) => vec![of_size(*large, "large"), of_size(*small, "small")],
        _ if step.is_commutative() => {
            step.uses().into_iter().map(|used| (used, String::new())).collect()
        }
        _ => {
            let uses = step.uses().into_iter().enumerate();
            uses.map(|(place, used)| (used, place.to_string())).collect()
        }
    }
}
