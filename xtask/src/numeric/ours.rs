//! What Lozenge makes of a case: its shapes, and its elements by the reference executor.
//!
//! Everything that touches the executor is here.

use lozenge::{Closed, Einsum, Kind, Session, Tensor};

use lozenge_lower::{Accumulate, Combine};
use ndarray::ArrayD;

use super::draw::{self, Case};

/// A result: sizes in the order of memory, and elements row by row.
#[derive(Clone)]
pub(super) struct Array {
    pub(super) sizes: Vec<u64>,
    pub(super) elements: Vec<f64>,
}

impl Array {
    /// Whether both are the same; elements are whole numbers, so that no sum is rounded.
    pub(super) fn agrees(&self, truth: &Array) -> bool {
        self.sizes == truth.sizes && self.elements == truth.elements
    }
}

/// The result of a case, or why there is none.
pub(super) fn evaluate(case: &Case) -> Result<Array, String> {
    let (session, closed, result) = shapes(case)?;
    execute(case, &session, &closed, result)
}

/// Infers the shapes, and holds that of the result against what was drawn.
fn shapes(case: &Case) -> Result<(Session, Closed, Tensor), String> {
    let mut session = Session::new();
    let mut tensors: Vec<Tensor> = vec![];
    for (slot, [batch, input, output]) in case.slots.iter().zip(&case.shapes) {
        if *slot == tensors.len() {
            let name = format!("x{slot}");
            let made = session.sized(&name, batch, input, output);
            tensors.push(made.map_err(|said| said.to_string())?);
        }
    }
    let operands: Vec<Tensor> = case.slots.iter().map(|slot| tensors[*slot]).collect();
    let einsum = Einsum::with(&case.spec, &case.numbers).map_err(|said| said.to_string())?;
    let result = session.apply(einsum, &operands).map_err(|said| said.to_string())?;
    let closed = session.close().map_err(|said| said.to_string())?;
    let shape = closed.shape(result).map_err(|said| said.to_string())?;
    let rows = Kind::ALL.map(|kind| shape.sizes(kind).unwrap_or_default());
    if rows != case.result {
        return Err(format!("the result is {shape}, not {:?}", case.result));
    }
    Ok((session, closed, result))
}

/// The elements, by the record of the loops.
fn execute(
    case: &Case,
    session: &Session,
    closed: &Closed,
    result: Tensor,
) -> Result<Array, String> {
    let loops = session.loops(closed, result).map_err(|said| said.to_string())?;
    let combine = match case.combine {
        draw::Combine::Multiply => Combine::Multiply,
        draw::Combine::Add => Combine::Add,
    };
    let accumulate = match case.accumulate {
        draw::Accumulate::Sum => Accumulate::Sum,
        draw::Accumulate::Max => Accumulate::Max,
        draw::Accumulate::Min => Accumulate::Min,
    };
    let indices: Vec<u64> = case.indices.iter().map(|(_, at)| *at).collect();
    let mut operands = vec![];
    for (slot, [batch, input, output]) in case.slots.iter().zip(&case.shapes) {
        let sizes = [&batch[..], output, input].concat();
        let sizes: Result<Vec<usize>, _> = sizes.into_iter().map(usize::try_from).collect();
        let sizes = sizes.map_err(|said| said.to_string())?;
        let elements = case.values[*slot].iter().map(|value| f64::from(*value)).collect();
        let array = ArrayD::from_shape_vec(sizes, elements).map_err(|said| said.to_string())?;
        operands.push(array);
    }
    let views: Vec<_> = operands.iter().map(ArrayD::view).collect();
    let result = lozenge_lower::execute(loops.record(), combine, accumulate, &indices, &views)
        .map_err(|said| said.to_string())?;
    let sizes =
        result.shape().iter().map(|size| u64::try_from(*size).unwrap_or(u64::MAX)).collect();
    Ok(Array { sizes, elements: result.iter().copied().collect() })
}
