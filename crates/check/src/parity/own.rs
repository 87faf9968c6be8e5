//! What a session makes of a case: specifications, and the shapes they close to.

use std::fmt::Write;

use lozenge::{
    Kind, Report, Session, Tensor,
    diagnostic::{Code, Severity},
    project::Slot,
};
use lozenge_lower::Nest;
use ndarray::ArrayD;

use super::case::{Case, Window};
use crate::border::Slide;

/// Whether all that is wrong has this code.
pub fn says(rejection: &Report, code: Code) -> bool {
    let errors = rejection.diagnostics.iter().filter(|d| d.code.severity() == Severity::Error);
    let codes: Vec<Code> = errors.map(|error| error.code).collect();
    !codes.is_empty() && codes.iter().all(|said| *said == code)
}

/// The sizes of each of these tensors, batch axes before output axes, as they are in memory.
///
/// # Errors
/// What is said where the session cannot be closed.
pub fn closed(session: &Session, tensors: &[Tensor]) -> Result<Vec<Vec<u64>>, Report> {
    let closed = session.close()?;
    let mut shapes = vec![];
    for tensor in tensors {
        let shape = closed.shape(*tensor)?;
        let rows = [Kind::Batch, Kind::Output, Kind::Input].map(|kind| shape.sizes(kind));
        shapes.push(rows.into_iter().flatten().flatten().collect());
    }
    Ok(shapes)
}

/// Numbers with their names, as operations take them.
pub fn numbers(numbers: &[(String, u64)]) -> Vec<(&str, u64)> {
    numbers.iter().map(|(name, number)| (name.as_str(), *number)).collect()
}

/// The shapes of the results of a case.
///
/// # Errors
/// What is said where it is refused.
pub fn shapes(case: &Case) -> Result<Vec<Vec<u64>>, Report> {
    let mut session = Session::new();
    let results = apply(&mut session, case)?;
    closed(&session, &results)
}

/// The sizes and the elements of the result of a window, each of these a million more, so that none
/// is negative.
///
/// # Errors
/// What is said where it is refused or not computed.
pub fn elements(case: &Case) -> Result<Vec<Vec<u64>>, String> {
    let mut session = Session::new();
    let result = apply(&mut session, case).map_err(|said| said.to_string())?[0];
    let closed = session.close().map_err(|said| said.to_string())?;
    let assignment = session.assignment(&closed, result).map_err(|said| said.to_string())?;
    let record = assignment.record();
    let filled = |(number, slot): (i64, &Slot)| {
        let sizes = record.map(*slot).iter().map(|axis| axis.size.count().unwrap_or(0));
        let sizes: Vec<usize> = sizes.map(|size| usize::try_from(size).unwrap_or(0)).collect();
        let count = i64::try_from(sizes.iter().product::<usize>()).unwrap_or(0);
        let element = |i: i64| (7 * i * i + 3 * i + 5 * number).rem_euclid(11) - 5;
        ArrayD::from_shape_vec(sizes, (0..count).map(element).collect())
    };
    let operands: Result<Vec<ArrayD<i64>>, _> = (0..).zip(assignment.read()).map(filled).collect();
    let operands = operands.map_err(|said| said.to_string())?;
    let views: Vec<_> = operands.iter().map(ArrayD::view).collect();
    let made = lozenge_lower::execute(&Nest::new(assignment.clone()), &[], &views);
    let made = made.map_err(|said| said.to_string())?;
    let sizes = made.shape().iter().map(|size| u64::try_from(*size).unwrap_or(0)).collect();
    let elements = made.iter().map(|x| u64::try_from(x + 1_000_000).unwrap_or(0)).collect();
    Ok(vec![sizes, elements])
}

fn apply(session: &mut Session, case: &Case) -> Result<Vec<Tensor>, Report> {
    let result = match case {
        Case::Convolution { batch, windows, channels, read, written } => {
            let x = session.data_of_sizes("x", &[*batch], &[], &sizes(windows, *channels))?;
            let kernels: Vec<u64> = windows.iter().map(|w| w.slide.kernel).chain([*read]).collect();
            let w = session.data_of_sizes("w", &[], &kernels, &[*written])?;
            let (over, kernels, steps) = (slide(windows), list("k", windows), list("o", windows));
            let spec = format!("b | {over}, i; {kernels}, i -> c => b | {steps}, c");
            session.einsum(&spec, &[x, w])?
        }
        Case::Pool { batch, windows, channels } => {
            let x = session.data_of_sizes("x", &[*batch], &[], &sizes(windows, *channels))?;
            let spec = format!("... | {}, c => ... | {}, c", slide(windows), list("o", windows));
            let kernels =
                (0..).zip(windows).map(|(i, window)| (format!("k{i}"), window.slide.kernel));
            session.einsum_with(&spec, &numbers(&kernels.collect::<Vec<_>>()), &[x])?
        }
        Case::Concatenate { shapes, axis } => {
            let operands = operands(session, shapes)?;
            concatenate(session, &operands, shapes[0].len(), *axis)?
        }
        Case::Stack { shapes, axis } => {
            let rank = shapes[0].len();
            let mut operands = operands(session, shapes)?;
            for (i, operand) in operands.iter_mut().enumerate() {
                // An axis of one element, and one that is written at its first position.
                let new = if i % 2 == 0 { "(1)" } else { "0" };
                let spec =
                    format!("{}=> {}", entries(rank, None), entries(rank, Some((*axis, new))));
                *operand = session.einsum(&spec, &[*operand])?;
            }
            concatenate(session, &operands, rank + 1, *axis)?
        }
        Case::Split { shape, axis, parts } => return split(session, shape, *axis, parts),
        Case::SpaceToDepth { batch, sizes, blocks, channels } => {
            let (apart, small, blocks) = blocks_of(blocks);
            let x =
                session.data_of_sizes("x", &[*batch], &[], &[&sizes[..], &[*channels]].concat())?;
            let (h, p) = (small.join(", "), names(&blocks).join(" "));
            let spec = format!("b | {}, c => b | {h}, ({p} c)", apart.join(", "));
            session.einsum_with(&spec, &numbers(&blocks), &[x])?
        }
        Case::DepthToSpace { batch, sizes, blocks, channels } => {
            let (apart, small, blocks) = blocks_of(blocks);
            let x =
                session.data_of_sizes("x", &[*batch], &[], &[&sizes[..], &[*channels]].concat())?;
            let (h, p) = (small.join(", "), names(&blocks).join(" "));
            let spec = format!("b | {h}, ({p} c) => b | {}, c", apart.join(", "));
            session.einsum_with(&spec, &numbers(&blocks), &[x])?
        }
    };
    Ok(vec![result])
}

fn operands(session: &mut Session, shapes: &[Vec<u64>]) -> Result<Vec<Tensor>, Report> {
    shapes.iter().map(|sizes| session.data_of_sizes("x", &[], &[], sizes)).collect()
}

fn concatenate(
    session: &mut Session,
    operands: &[Tensor],
    rank: usize,
    axis: usize,
) -> Result<Tensor, Report> {
    let parts: Vec<String> = (0..operands.len()).map(|i| format!("p{i}")).collect();
    let rows: Vec<String> = parts.iter().map(|part| row(rank, axis, part)).collect();
    let spec = format!("{} => {}", rows.join("; "), row(rank, axis, &parts.join("^")));
    session.einsum(&spec, operands)
}

/// Every part by a specification of its own. The size of the last is what the others leave.
fn split(
    session: &mut Session,
    shape: &[u64],
    axis: usize,
    parts: &[u64],
) -> Result<Vec<Tensor>, Report> {
    let x = session.data_of_sizes("x", &[], &[], shape)?;
    let parts: Vec<(String, u64)> =
        (0..).zip(parts).map(|(i, size)| (format!("p{i}"), *size)).collect();
    let whole = row(shape.len(), axis, &names(&parts).join("^"));
    let known = numbers(&parts[..parts.len() - 1]);
    let part = |(name, _): &(String, u64)| {
        let spec = format!("{whole} => {}", row(shape.len(), axis, name));
        session.einsum_with(&spec, &known, &[x])
    };
    parts.iter().map(part).collect()
}

fn names(numbers: &[(String, u64)]) -> Vec<&str> {
    numbers.iter().map(|(name, _)| name.as_str()).collect()
}

/// A row of so many axes, with this one in its place.
fn row(rank: usize, axis: usize, entry: &str) -> String {
    let entries = (0..rank).map(|i| if i == axis { entry.to_owned() } else { format!("a{i}") });
    entries.collect::<Vec<_>>().join(", ")
}

/// A row of so many axes, each with a comma behind it, and one more in a place.
fn entries(rank: usize, more: Option<(usize, &str)>) -> String {
    let mut text = String::new();
    for place in 0..=rank {
        if let Some((_, entry)) = more.filter(|(axis, _)| *axis == place) {
            let _ = write!(text, "{entry}, ");
        }
        if place < rank {
            let _ = write!(text, "a{place}, ");
        }
    }
    text
}

fn sizes(windows: &[Window], channels: u64) -> Vec<u64> {
    windows.iter().map(|window| window.size).chain([channels]).collect()
}

/// `2*o0<+1+3*k0, …`
fn slide(windows: &[Window]) -> String {
    let axis = |(i, window): (usize, &Window)| {
        let Slide { border, stride, dilation, .. } = window.slide;
        format!("{stride}*o{i}{}+{}+{dilation}*k{i}", border.text(), window.offset)
    };
    windows.iter().enumerate().map(axis).collect::<Vec<_>>().join(", ")
}

/// `k0, k1, …`, one for each window.
fn list(name: &str, windows: &[Window]) -> String {
    let names = (0..windows.len()).map(|i| format!("{name}{i}"));
    names.collect::<Vec<_>>().join(", ")
}

/// The axes `(h0 p0)`, their first factors, and their second with the sizes of blocks.
fn blocks_of(blocks: &[u64]) -> (Vec<String>, Vec<String>, Vec<(String, u64)>) {
    let apart = (0..blocks.len()).map(|i| format!("(h{i} p{i})")).collect();
    let small = (0..blocks.len()).map(|i| format!("h{i}")).collect();
    (apart, small, (0..).zip(blocks).map(|(i, block)| (format!("p{i}"), *block)).collect())
}
