//! Specifications executed on operands.

use lozenge::{Kind, Report, Session, Site, Spec, diagnostic::Source};
use lozenge_lower::Nest;
use lozenge_notation::Use;
use ndarray::{ArrayD, IxDyn};

/// An operand: its sizes kind by kind, and its elements with the axes as they are written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operand {
    pub(crate) rows: [Vec<usize>; 3],
    pub(crate) elements: ArrayD<f64>,
}

impl Operand {
    pub(crate) fn new(rows: [Vec<usize>; 3], elements: impl FnMut() -> f64) -> Operand {
        let sizes = rows.concat();
        let elements = std::iter::repeat_with(elements).take(sizes.iter().product()).collect();
        let elements = ArrayD::from_shape_vec(IxDyn(&sizes), elements);
        Operand { rows, elements: elements.unwrap_or_default() }
    }

    /// The same elements with these axes.
    pub(crate) fn of(rows: [Vec<usize>; 3], elements: ArrayD<f64>) -> Operand {
        assert_eq!(rows.concat(), elements.shape(), "the axes of an operand");
        Operand { rows, elements }
    }

    pub(super) fn shape(&self) -> String {
        let [batch, input, output] = self
            .rows
            .each_ref()
            .map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
        let batch = if batch.is_empty() { batch } else { batch + "|" };
        let input = if input.is_empty() { input } else { input + "->" };
        batch + &input + &output
    }
}

/// The order of memory, batch, output, input, from that of writing; and back.
fn in_memory([batch, input, output]: [usize; 3]) -> Vec<usize> {
    let all: Vec<usize> = (0..batch + input + output).collect();
    [&all[..batch], &all[batch + input..], &all[batch..batch + input]].concat()
}

fn as_written([batch, input, output]: [usize; 3]) -> Vec<usize> {
    let all: Vec<usize> = (0..batch + input + output).collect();
    [&all[..batch], &all[batch + output..], &all[batch..batch + output]].concat()
}

/// Why there is no result.
pub(crate) enum Failed {
    Refused(Report),
    /// An index of run time is not on its axis.
    Index,
}

impl From<Report> for Failed {
    fn from(said: Report) -> Failed {
        Failed::Refused(said)
    }
}

/// The value of an index of run time: any does, if it is that of its name in all specifications and
/// on all axes.
pub(crate) fn supplied(index: &str) -> u64 {
    index.bytes().map(u64::from).sum::<u64>() % 2
}

/// The result of a specification, its axes as they are written.
pub(crate) fn execute(spec: &str, operands: &[Operand]) -> Result<Operand, Failed> {
    let source = Source::new("spec", spec);
    let mut session = Session::new();
    let mut tensors = vec![];
    for (number, operand) in operands.iter().enumerate() {
        let name = format!("x{number}");
        let site = Site::whole(&Source::new(&name[..], operand.shape()));
        tensors.push(session.at(site).data(&name, &operand.shape())?);
    }
    let result = session.at(Site::whole(&source)).einsum(spec, &tensors)?;
    let closed = session.close()?;
    let ranks = |rows: &[Vec<usize>; 3]| rows.each_ref().map(Vec::len);
    let arrays: Vec<ArrayD<f64>> = operands
        .iter()
        .map(|operand| operand.elements.clone().permuted_axes(in_memory(ranks(&operand.rows))))
        .collect();
    let views: Vec<_> = arrays.iter().map(ArrayD::view).collect();
    let nest = Nest::new(session.assignment(&closed, result)?);
    let shape = closed.shape(result)?;
    let rows = Kind::ALL.map(|kind| {
        let sizes = shape.sizes(kind).unwrap_or_default();
        sizes.into_iter().map(|size| usize::try_from(size).unwrap_or(usize::MAX)).collect()
    });
    let spec: Spec = spec.parse()?;
    let named = spec.names().filter(|name| spec.name_use(*name) == Use::Index);
    let indices: Vec<u64> = named.map(|name| supplied(spec.name(name))).collect();
    let made = lozenge_lower::execute(&nest, &indices, &views).map_err(|_| Failed::Index)?;
    let made = made.permuted_axes(as_written(ranks(&rows)));
    // As it would lie if it had been written there.
    Ok(Operand::of(rows, made.as_standard_layout().into_owned()))
}
