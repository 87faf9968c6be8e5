//! Programs as text that compute, a step a line. `docs/values.md` says how they are written.

use std::collections::BTreeMap;

use lozenge::{
    Compose, Einsum, Kind, Pointwise, Rejection, Role, Session, Shape, Site, Spec, Tensor,
    Terminal, Transpose,
};
use lozenge_lower::{Accumulate, Combine, Element, execute};
use ndarray::{ArrayD, ArrayViewD};

use super::numbers;

/// A tensor of a program that was run.
pub(crate) struct Computed<T> {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) array: ArrayD<T>,
    /// Whether a step made it.
    pub(crate) made: bool,
}

/// How a tensor comes to its numbers.
enum Source {
    Given(String),
    Made { combine: Combine, accumulate: Accumulate, indices: Vec<u64>, operands: Vec<usize> },
}

/// A program under construction.
#[derive(Default)]
struct Program {
    session: Session,
    tensors: Vec<(String, Tensor, Source)>,
    names: BTreeMap<String, usize>,
}

/// What the tensors of a program hold, in the order of its lines, computed in elements of one type.
///
/// # Errors
/// When a step is refused, or has no loops.
pub(crate) fn run<T: Element>(text: &str) -> Result<Vec<Computed<T>>, Rejection> {
    let mut program = Program::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.split(" #").next().unwrap_or_default().trim_end();
        if !line.is_empty() && !line.starts_with('#') {
            program.line(Site::line("program", number + 1, 1), line)?;
        }
    }
    program.compute()
}

impl Program {
    fn line(&mut self, site: Site, line: &str) -> Result<(), Rejection> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "data" | "param" => {
                let role = if word == "data" { Role::Leaf } else { Role::Parameter };
                let (declared, values) = rest.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
                let (name, terminal) = match declared.split_once(':') {
                    None => (declared, Terminal::unknown(declared, role)),
                    Some((name, shape)) if role == Role::Leaf => {
                        (name, Terminal::data(name, shape.trim()))
                    }
                    Some((name, shape)) => (name, Terminal::parameter(name, shape.trim())),
                };
                let tensor = self.session.apply_at(site, terminal, &[])?;
                self.keep(name, tensor, Source::Given(values.to_owned()));
            }
            "number" => {
                let tensor = self.session.apply_at(site, Terminal::number(rest), &[])?;
                self.keep(rest, tensor, Source::Given(rest.to_owned()));
            }
            _ => {
                let (name, made) =
                    line.split_once(" = ").unwrap_or_else(|| panic!("no step: {line}"));
                let (tensor, source) = self.step(site, made)?;
                self.session.name(tensor, name);
                self.keep(name, tensor, source);
            }
        }
        Ok(())
    }

    fn keep(&mut self, name: &str, tensor: Tensor, source: Source) {
        self.names.insert(name.to_owned(), self.tensors.len());
        self.tensors.push((name.to_owned(), tensor, source));
    }

    fn places(&self, names: &str) -> Vec<usize> {
        let place = |name: &str| {
            *self.names.get(name).unwrap_or_else(|| panic!("no tensor `{name}` before this"))
        };
        names.split_whitespace().map(place).collect()
    }

    fn tensors(&self, places: &[usize]) -> Vec<Tensor> {
        places.iter().map(|place| self.tensors[*place].1).collect()
    }

    /// Takes a step in, and says how it is computed.
    fn step(&mut self, site: Site, made: &str) -> Result<(Tensor, Source), Rejection> {
        if let Some(rest) = made.strip_prefix("einsum \"") {
            return self.einsum(site, rest);
        }
        let words: Vec<&str> = made.split_whitespace().collect();
        let (sign, operands) = match words[..] {
            [first, sign, second] if !sign.contains(char::is_alphanumeric) => {
                (sign, format!("{first} {second}"))
            }
            [name, ref operands @ ..] => (name, operands.join(" ")),
            [] => panic!("no operation"),
        };
        let operands = self.places(&operands);
        let tensors = self.tensors(&operands);
        let tensor = match sign {
            "*" => self.session.apply_at(site, Compose, &tensors),
            "transpose" => self.session.apply_at(site, Transpose, &tensors),
            _ => self.session.apply_at(site, Pointwise::new(sign.to_owned()), &tensors),
        }?;
        let combine = match sign {
            "transpose" => Combine::Multiply,
            _ => combine(sign).unwrap_or_else(|| panic!("no `{sign}`")),
        };
        let accumulate = Accumulate::Sum;
        Ok((tensor, Source::Made { combine, accumulate, indices: vec![], operands }))
    }

    /// `…" a b {i=3} at 1 by max of +`: behind the operands are sizes, indices, and what is done.
    fn einsum(&mut self, site: Site, text: &str) -> Result<(Tensor, Source), Rejection> {
        let (spec, rest) = text.split_once('"').unwrap_or_else(|| panic!("no end: {text}"));
        let (rest, by) = rest.split_once(" by ").unwrap_or((rest, "sum"));
        let (rest, at) = rest.split_once(" at ").unwrap_or((rest, ""));
        let (operands, sizes) = rest.split_once('{').unwrap_or((rest, "}"));
        let (accumulated, combined) = by.split_once(" of ").unwrap_or((by, "*"));
        let accumulate = accumulate(accumulated).unwrap_or_else(|| panic!("no `{accumulated}`"));
        let combine = combine(combined).unwrap_or_else(|| panic!("no `{combined}`"));
        let number = |word: &str| -> u64 {
            word.parse().unwrap_or_else(|_| panic!("`{word}` is no number: {text}"))
        };
        let sizes: Vec<(&str, u64)> = sizes
            .trim_end_matches(['}', ' '])
            .split_whitespace()
            .map(|pair| pair.split_once('=').unwrap_or_else(|| panic!("no size: {pair}")))
            .map(|(name, size)| (name, number(size)))
            .collect();
        let parsed: Result<Spec, Rejection> = spec.parse();
        let einsum = parsed.and_then(|spec| Einsum::of(spec, &sizes));
        let einsum = einsum.map_err(|rejection| site.blame(rejection))?;
        let operands = self.places(operands);
        let tensor = self.session.apply_at(site, einsum, &self.tensors(&operands))?;
        let indices = at.split_whitespace().map(number).collect();
        Ok((tensor, Source::Made { combine, accumulate, indices, operands }))
    }

    fn compute<T: Element>(self) -> Result<Vec<Computed<T>>, Rejection> {
        let closed = self.session.close()?;
        let mut computed: Vec<Computed<T>> = Vec::with_capacity(self.tensors.len());
        for (name, tensor, source) in self.tensors {
            let shape = closed.shape(tensor)?.clone();
            let made = matches!(source, Source::Made { .. });
            let array = match source {
                Source::Given(values) => numbers::read(&values, &in_memory(&shape)).mapv(T::of),
                Source::Made { combine, accumulate, indices, operands } => {
                    let record = self.session.record(&closed, tensor)?;
                    let read: Vec<ArrayViewD<'_, T>> =
                        operands.iter().map(|place| computed[*place].array.view()).collect();
                    execute(&record, combine, accumulate, &indices, &read)
                        .unwrap_or_else(|error| panic!("{name}: {error}"))
                }
            };
            computed.push(Computed { name, shape, array, made });
        }
        Ok(computed)
    }
}

/// The sizes of a shape, in memory order.
fn in_memory(shape: &Shape) -> Vec<usize> {
    let axes = [Kind::Batch, Kind::Output, Kind::Input].map(|kind| shape.sizes(kind));
    let sizes = axes.into_iter().flat_map(|row| row.expect("a size stays symbolic"));
    sizes.map(|size| usize::try_from(size).expect("a size")).collect()
}

/// The combination of a sign: `*` where it composes, `*.` where it is pointwise.
fn combine(sign: &str) -> Option<Combine> {
    Some(match sign {
        "*" | "*." => Combine::Multiply,
        "+" => Combine::Add,
        "-" => Combine::Subtract,
        "/" => Combine::Divide,
        "max" => Combine::Max,
        "min" => Combine::Min,
        "==" => Combine::Equal,
        "<" => Combine::Less,
        "<=" => Combine::AtMost,
        "and" => Combine::And,
        "or" => Combine::Or,
        "where" => Combine::Where,
        _ => return None,
    })
}

fn accumulate(name: &str) -> Option<Accumulate> {
    Some(match name {
        "sum" => Accumulate::Sum,
        "product" => Accumulate::Product,
        "max" => Accumulate::Max,
        "min" => Accumulate::Min,
        "and" => Accumulate::And,
        "or" => Accumulate::Or,
        _ => return None,
    })
}
