//! What Lozenge makes of a case: its shapes, and its elements by the reference executor.
//!
//! Everything that touches the executor is here.

use lozenge::{
    Accumulation, Binary, Closed, ComposeAccumulate, Einsum, Expression, Kind, Reshape, Session,
    Shape, Tensor, project::Statement,
};
use lozenge_lower::{Element, Nest};
use ndarray::ArrayD;

use super::{
    case::{Case, Form},
    draft::Combine,
};

/// A result: sizes in the order of memory, and elements row by row.
#[derive(Clone, Debug)]
pub struct Array {
    pub sizes: Vec<u64>,
    pub elements: Vec<f64>,
    /// The sum of the magnitudes that were added for an element, the largest of all.
    pub scale: f64,
}

impl Array {
    /// Whether both are the same, but for a part of the numbers that were added where something is
    /// rounded.
    #[allow(clippy::float_cmp)] // infinities are the same or not
    pub fn agrees(&self, truth: &Array, tolerance: f64) -> bool {
        let same = |(ours, theirs): (&f64, &f64)| {
            let scale = ours.abs().max(theirs.abs()).max(truth.scale).max(1.0);
            ours == theirs
                || ours.is_nan() && theirs.is_nan()
                || (ours - theirs).abs() <= tolerance * scale
        };
        self.sizes == truth.sizes
            && self.elements.len() == truth.elements.len()
            && self.elements.iter().zip(&truth.elements).all(same)
    }
}

impl Case {
    /// The part of a number that may be rounded away. Products and sums of small whole numbers are
    /// exact.
    pub fn tolerance(&self) -> f64 {
        match (&self.value, self.element) {
            (None, _) | (_, "i32" | "i64") => 0.0,
            (_, "f32") => 1e-4,
            (_, _) => 1e-11,
        }
    }

    /// What is done, over the specification.
    fn einsum(&self) -> Result<Einsum, String> {
        let einsum = Einsum::with(&self.spec, &self.numbers).map_err(|said| said.to_string())?;
        let accumulation = match self.accumulate {
            "sum" => Some(Accumulation::Add),
            "max" => Some(Accumulation::Max),
            "min" => Some(Accumulation::Min),
            name => Accumulation::named(name),
        };
        let value = match (self.combine, &self.value) {
            (Some(Combine::Add), _) => Expression::fold(Binary::Add, 0..self.slots.len()),
            (Some(Combine::Multiply) | None, None) => {
                Expression::fold(Binary::Multiply, 0..self.slots.len())
            }
            (_, Some(value)) => value.clone(),
        };
        Ok(einsum.of_elements(value).by(accumulation.ok_or("no such accumulation")?))
    }
}

/// The result of a case.
///
/// # Errors
/// Why there is none.
pub fn evaluate(case: &Case) -> Result<Array, String> {
    let (session, closed, result) = shapes(case)?;
    #[allow(clippy::cast_precision_loss)] // Python prints it as a number too
    match case.element {
        "f32" => execute(case, &session, &closed, result, |x: f32| f64::from(x)),
        "i32" => execute(case, &session, &closed, result, |x: i32| f64::from(x)),
        "i64" => execute(case, &session, &closed, result, |x: i64| x as f64),
        _ => execute(case, &session, &closed, result, |x: f64| x),
    }
}

/// Infers the shapes, and holds that of the result against what was drawn.
fn shapes(case: &Case) -> Result<(Session, Closed, Tensor), String> {
    let mut session = Session::new();
    let mut tensors: Vec<Tensor> = vec![];
    for (slot, [batch, input, output]) in case.slots.iter().zip(&case.shapes) {
        if *slot == tensors.len() {
            let name = format!("x{slot}");
            let made = session.data_of_sizes(&name, batch, input, output);
            tensors.push(made.map_err(|said| said.to_string())?);
        }
    }
    let operands: Vec<Tensor> = case.slots.iter().map(|slot| tensors[*slot]).collect();
    let result = match case.form {
        Form::Einsum => session.apply(case.einsum()?, &operands),
        Form::Reshape => {
            let rows = case
                .result
                .clone()
                .map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
            session.apply(Reshape::to(Shape::of_written(rows)), &operands)
        }
        Form::ComposeAccumulate => session.apply(ComposeAccumulate, &operands),
    };
    let result = result.map_err(|said| said.to_string())?;
    let closed = session.close().map_err(|said| said.to_string())?;
    let shape = closed.shape(result).map_err(|said| said.to_string())?;
    let rows = Kind::ALL.map(|kind| shape.sizes(kind).unwrap_or_default());
    if rows != case.result {
        return Err(format!("the result is {shape}, not {:?}", case.result));
    }
    Ok((session, closed, result))
}

/// The elements, by the reference executor, in elements of one type.
fn execute<T: Element>(
    case: &Case,
    session: &Session,
    closed: &Closed,
    result: Tensor,
    number: impl Fn(T) -> f64,
) -> Result<Array, String> {
    let made = session.assignment(closed, result).map_err(|said| said.to_string())?;
    let indices: Vec<u64> = case.indices.iter().map(|(_, at)| *at).collect();
    let array = |[batch, input, output]: &[Vec<u64>; 3], values: &[i8]| {
        let sizes = [&batch[..], output, input].concat();
        let sizes: Result<Vec<usize>, _> = sizes.into_iter().map(usize::try_from).collect();
        let elements = values.iter().map(|value| T::of(f64::from(*value))).collect();
        ArrayD::from_shape_vec(sizes.map_err(|said| said.to_string())?, elements)
            .map_err(|said| said.to_string())
    };
    let slots = case.slots.iter().zip(&case.shapes);
    let operands: Result<Vec<_>, _> =
        slots.map(|(slot, shape)| array(shape, &case.values[*slot])).collect();
    let operands = operands?;
    let views: Vec<_> = operands.iter().map(ArrayD::view).collect();
    let result = match &case.onto {
        None => lozenge_lower::execute(&Nest::new(made), &indices, &views),
        Some(before) => {
            let mut result = array(&case.result, before)?;
            let by = made.accumulation();
            let nest = Nest::new(made.accumulating(by, Statement::Accumulating));
            let written = &mut [result.view_mut()];
            lozenge_lower::execute_into(&nest, &indices, &views, written).map(|()| result)
        }
    };
    let result = result.map_err(|said| said.to_string())?;
    let sizes =
        result.shape().iter().map(|size| u64::try_from(*size).unwrap_or(u64::MAX)).collect();
    Ok(Array { sizes, elements: result.iter().map(|x| number(*x)).collect(), scale: 0.0 })
}
