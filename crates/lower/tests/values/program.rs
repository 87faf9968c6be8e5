//! Programs as text that compute, a step a line. `docs/values.md` says how they are written.

use std::collections::BTreeMap;

use lozenge::{
    Accumulation, Binary, Compose, ComposeAccumulate, Einsum, Expression, Kind, Pointwise, Report,
    Reshape, Role, Session, Shape, Site, Spec, Tensor, Terminal, Ternary, Transpose, Unary,
    project::Statement,
};
use lozenge_lower::{Element, Nest, execute, execute_into};
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
    /// By a step; onto a tensor, where what is there is not erased.
    Made {
        indices: Vec<u64>,
        operands: Vec<usize>,
        onto: Option<usize>,
    },
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
pub(crate) fn run<T: Element>(text: &str) -> Result<Vec<Computed<T>>, Report> {
    let mut program = Program::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.split(" #").next().unwrap_or_default().trim_end();
        if !line.is_empty() && !line.starts_with('#') && !line.starts_with("in ") {
            program.line(Site::line("program", number + 1, 1), line)?;
        }
    }
    program.compute()
}

impl Program {
    fn line(&mut self, site: Site, line: &str) -> Result<(), Report> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "data" | "param" => {
                let role = if word == "data" { Role::Leaf } else { Role::Parameter };
                let (declared, values) = rest.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
                let (name, terminal) = match declared.split_once(':') {
                    None => (declared, Terminal::undeclared(declared, role)),
                    Some((name, shape)) if role == Role::Leaf => {
                        (name, Terminal::data(name, shape.trim()))
                    }
                    Some((name, shape)) => (name, Terminal::parameter(name, shape.trim())),
                };
                let tensor = self.session.at(site).apply(terminal, &[])?;
                self.keep(name, tensor, Source::Given(values.to_owned()));
            }
            "number" => {
                let tensor = self.session.at(site).apply(Terminal::number(rest), &[])?;
                self.keep(rest, tensor, Source::Given(rest.to_owned()));
            }
            _ => {
                let (name, made) =
                    line.split_once(" = ").unwrap_or_else(|| panic!("no step: {line}"));
                let (tensor, source) = self.step(site, made)?;
                self.session.set_name(tensor, name);
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
    fn step(&mut self, site: Site, made: &str) -> Result<(Tensor, Source), Report> {
        if let Some(rest) = made.strip_prefix("einsum \"") {
            return self.einsum(site, rest);
        }
        let (tensor, operands) = if let Some(rest) = made.strip_prefix("reshape ") {
            let (operand, shape) = rest.split_once(": ").unwrap_or((rest, "..."));
            let operands = self.places(operand);
            let tensors = self.tensors(&operands);
            (self.session.at(site).apply(Reshape::to(shape), &tensors)?, operands)
        } else if made.contains('(') {
            let (value, names) = formula(made);
            let operands = self.places(&names.join(" "));
            let computed = Pointwise::computing(made.to_owned(), value);
            let tensors = self.tensors(&operands);
            (self.session.at(site).apply(computed, &tensors)?, operands)
        } else {
            let words: Vec<&str> = made.split_whitespace().collect();
            let (sign, operands) = match words[..] {
                [first, sign, second] if self.names.contains_key(first) => {
                    (sign, format!("{first} {second}"))
                }
                [name, ref operands @ ..] => (name, operands.join(" ")),
                [] => panic!("no operation"),
            };
            let operands = self.places(&operands);
            let tensors = self.tensors(&operands);
            let tensor = match sign {
                "*" => self.session.at(site).apply(Compose, &tensors),
                "compose_accumulate" => self.session.at(site).apply(ComposeAccumulate, &tensors),
                "transpose" => self.session.at(site).apply(Transpose, &tensors),
                _ => self.session.at(site).apply(Pointwise::new(sign.to_owned()), &tensors),
            }?;
            (tensor, operands)
        };
        Ok((tensor, Source::Made { indices: vec![], operands, onto: None }))
    }

    /// `…" a b {i=3} at 1 onto c by max of +`: behind the operands are sizes, indices, what is not
    /// erased, and what is done.
    fn einsum(&mut self, site: Site, text: &str) -> Result<(Tensor, Source), Report> {
        let (spec, rest) = text.split_once('"').unwrap_or_else(|| panic!("no end: {text}"));
        let (rest, by) = rest.split_once(" by ").unwrap_or((rest, "sum"));
        let (rest, onto) = rest.split_once(" onto ").unwrap_or((rest, ""));
        let (rest, at) = rest.split_once(" at ").unwrap_or((rest, ""));
        let (operands, sizes) = rest.split_once('{').unwrap_or((rest, "}"));
        let (accumulated, combined) = by.split_once(" of ").unwrap_or((by, "*"));
        let accumulation =
            accumulation(accumulated).unwrap_or_else(|| panic!("no `{accumulated}`"));
        let number = |word: &str| -> u64 {
            word.parse().unwrap_or_else(|_| panic!("`{word}` is no number: {text}"))
        };
        let sizes: Vec<(&str, u64)> = sizes
            .trim_end_matches(['}', ' '])
            .split_whitespace()
            .map(|pair| pair.split_once('=').unwrap_or_else(|| panic!("no size: {pair}")))
            .map(|(name, size)| (name, number(size)))
            .collect();
        let parsed: Result<Spec, Report> = spec.parse();
        let einsum = parsed.and_then(|spec| Einsum::of(spec, &sizes));
        let einsum = einsum.map_err(|rejection| site.blame(rejection))?;
        let operands = self.places(operands);
        let value = match operands.len() {
            1 if combined == "*" => Expression::read(0),
            count => Expression::named(combined, count),
        };
        let einsum = einsum.by(accumulation).of_elements(value);
        let tensors = self.tensors(&operands);
        let tensor = self.session.at(site).apply(einsum, &tensors)?;
        let indices = at.split_whitespace().map(number).collect();
        let onto = self.places(onto).first().copied();
        Ok((tensor, Source::Made { indices, operands, onto }))
    }

    fn compute<T: Element>(self) -> Result<Vec<Computed<T>>, Report> {
        let closed = self.session.close()?;
        let mut computed: Vec<Computed<T>> = Vec::with_capacity(self.tensors.len());
        for (name, tensor, source) in self.tensors {
            let shape = closed.shape(tensor)?.clone();
            let made = matches!(source, Source::Made { .. });
            let array = match source {
                Source::Given(values) => numbers::read(&values, &in_memory(&shape)).mapv(T::of),
                Source::Made { indices, operands, onto } => {
                    let made = self.session.assignment(&closed, tensor)?;
                    let read: Vec<ArrayViewD<'_, T>> =
                        operands.iter().map(|place| computed[*place].array.view()).collect();
                    let done = match onto {
                        None => execute(&Nest::new(made), &indices, &read),
                        Some(place) => {
                            let by = made.accumulation();
                            let made = Nest::new(made.accumulating(by, Statement::Accumulating));
                            let mut array = computed[place].array.clone();
                            execute_into(&made, &indices, &read, &mut [array.view_mut()])
                                .map(|()| array)
                        }
                    };
                    done.unwrap_or_else(|error| panic!("{name}: {error}"))
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

fn accumulation(name: &str) -> Option<Accumulation> {
    Some(match name {
        "set" => Accumulation::Set,
        "sum" => Accumulation::Add,
        "difference" => Accumulation::Subtract,
        "product" => Accumulation::Multiply,
        "quotient" => Accumulation::Divide,
        "max" => Accumulation::Max,
        "min" => Accumulation::Min,
        "and" => Accumulation::And,
        "or" => Accumulation::Or,
        _ => return None,
    })
}

/// A formula such as `where (a = b) c 0`, and the tensors in it, each once.
fn formula(text: &str) -> (Expression, Vec<String>) {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut names = vec![];
    let mut rest = &words[..];
    let read = applied(&mut rest, &mut names);
    assert!(rest.is_empty(), "what is left of {text}: {rest:?}");
    (read, names)
}

/// `f a b`, `a + b` or `a`, up to a parenthesis.
fn applied(words: &mut &[&str], names: &mut Vec<String>) -> Expression {
    let mut parts: Vec<Result<Expression, String>> = vec![];
    while let Some((word, rest)) = words.split_first() {
        if *word == ")" {
            break;
        }
        *words = rest;
        parts.push(if *word == "(" {
            let inner = applied(words, names);
            *words = words.split_first().expect("a parenthesis is open").1;
            Ok(inner)
        } else if let Ok(number) = word.parse::<f64>() {
            Ok(number.into())
        } else if is_function(word) {
            Err((*word).to_owned())
        } else {
            let known = names.iter().position(|name| name == word);
            Ok(Expression::read(known.unwrap_or_else(|| {
                names.push((*word).to_owned());
                names.len() - 1
            })))
        });
    }
    match &parts[..] {
        [Ok(alone)] => alone.clone(),
        [Ok(first), Err(sign), Ok(second)] => function(sign, &[first.clone(), second.clone()]),
        [Err(name), operands @ ..] => {
            let operands: Vec<Expression> =
                operands.iter().map(|part| part.clone().expect("an operand")).collect();
            function(name, &operands)
        }
        other => panic!("no formula: {other:?}"),
    }
}

fn is_function(word: &str) -> bool {
    let is_sign = !word.contains(char::is_alphanumeric);
    let named = Unary::named(word).is_some() || Binary::named(word).is_some();
    is_sign || named || Ternary::named(word).is_some()
}

/// A function by its name, of these operands.
fn function(name: &str, operands: &[Expression]) -> Expression {
    match (Expression::named(name, operands.len()), operands) {
        (Expression::Unary(primitive, _), [of]) => of.clone().unary(primitive),
        (Expression::Binary(primitive, _), [first, second]) => {
            first.clone().binary(primitive, second.clone())
        }
        (Expression::Ternary(primitive, _), [first, second, third]) => {
            Expression::ternary(primitive, [first.clone(), second.clone(), third.clone()])
        }
        (other, _) => panic!("no `{name}` of {}: {other}", operands.len()),
    }
}
