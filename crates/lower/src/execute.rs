//! The reference executor: it runs assignments, and nothing else.

use std::fmt;

use lozenge::{
    Assignment, Expression,
    project::{Index, Point, Slot},
};
use ndarray::{ArrayD, ArrayViewD, ArrayViewMutD, IxDyn};

use crate::{
    Element,
    nest::{Access, Block, Guard, Nest},
};

/// Why an assignment cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ExecuteError {
    /// A size stays symbolic.
    Symbolic,
    /// Another number of arrays was given than are read and written.
    Arrays {
        /// The number of arrays that are read or written.
        wanted: usize,
        /// The number of arrays that were given.
        given: usize,
    },
    /// An array has another shape than the tensor it stands for.
    Shape(Slot),
    /// The value reads something that the assignment does not.
    Read(usize),
    /// The value calls a function that only the embedder knows.
    Unknown(String),
    /// A supplied index is missing, or not on its axis.
    Supplied(Slot),
    /// The result has more elements than are computed one by one.
    TooLarge,
}

impl fmt::Display for ExecuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |slot: Slot| match slot.0 {
            0 => "the result".to_owned(),
            number => format!("operand {number}"),
        };
        match self {
            ExecuteError::Symbolic => f.write_str("a size stays symbolic, so nothing can be run"),
            ExecuteError::Arrays { wanted, given } => {
                write!(f, "{wanted} arrays are needed, {given} given")
            }
            ExecuteError::Shape(slot) => {
                write!(f, "the array for {} has another shape", name(*slot))
            }
            ExecuteError::Read(number) => {
                write!(f, "the value reads x{number}, and nothing is read by that number")
            }
            ExecuteError::Unknown(function) => {
                write!(f, "only those who added `{function}` know what it computes")
            }
            ExecuteError::TooLarge => {
                f.write_str("the result has more elements than are computed one by one")
            }
            ExecuteError::Supplied(slot) => {
                write!(f, "an index of {} is not supplied, or not on its axis", name(*slot))
            }
        }
    }
}

impl std::error::Error for ExecuteError {}

/// The most elements of a result.
const MOST_CELLS: u128 = 1 << 32;

/// Runs the assignment of an operation, and gives its result. Cells that nothing writes hold the
/// neutral element of the accumulation.
///
/// Arrays have their axes in memory order: batch, output, input. The indices are those that the
/// specification has supplied at run time, in the order in which it names them first.
///
/// # Errors
/// When arrays are missing or have other shapes, an index is not on its axis, a size is not known,
/// or the value calls a function that only the embedder knows.
pub fn execute<T: Element>(
    nest: &Nest,
    indices: &[u64],
    operands: &[ArrayViewD<'_, T>],
) -> Result<ArrayD<T>, ExecuteError> {
    let assignment = nest.assignment();
    let shape = shape(assignment, Slot::RESULT)?;
    if assignment.record().cells(Slot::RESULT).is_none_or(|cells| cells > MOST_CELLS) {
        return Err(ExecuteError::TooLarge);
    }
    // Not a number, or a large one: what is left unset by mistake shall be seen.
    let unset = [f64::NAN, -999_999_937.0].map(T::of);
    let unset = if unset[0] == T::of(0.0) { unset[1] } else { unset[0] };
    let mut result = ArrayD::from_elem(IxDyn(&shape), unset);
    execute_into(nest, indices, operands, &mut [result.view_mut()])?;
    Ok(result)
}

/// Runs an assignment: the arrays that are read and those that are written are in the order of the
/// assignment. What is not erased counts.
///
/// # Errors
/// As for [`execute`].
pub fn execute_into<T: Element>(
    nest: &Nest,
    indices: &[u64],
    read: &[ArrayViewD<'_, T>],
    written: &mut [ArrayViewMutD<'_, T>],
) -> Result<(), ExecuteError> {
    let assignment = nest.assignment();
    let wanted = assignment.read().len() + assignment.written().len();
    if (assignment.read().len(), assignment.written().len()) != (read.len(), written.len()) {
        return Err(ExecuteError::Arrays { wanted, given: read.len() + written.len() });
    }
    for (slot, array) in assignment.read().iter().zip(read) {
        check(assignment, *slot, array.shape(), indices)?;
    }
    for (slot, array) in assignment.written().iter().zip(written.iter()) {
        check(assignment, *slot, array.shape(), indices)?;
    }
    let record = assignment.record();
    if record.loops().any(|(_, extent)| extent.count().is_none()) {
        return Err(ExecuteError::Symbolic);
    }
    if indices.len() < record.symbols() {
        return Err(ExecuteError::Supplied(Slot::RESULT));
    }
    computable(assignment.value(), read.len())?;
    let filled: Vec<Slot> = nest.fills().collect();
    for (slot, array) in assignment.written().iter().zip(written.iter_mut()) {
        if filled.contains(slot) {
            array.fill(T::of(assignment.accumulation().neutral()));
        }
    }
    for block in nest.beginning().chain(nest.blocks()) {
        Run { nest, block: &block, indices }.run(read, written)?;
    }
    Ok(())
}

/// A block that is run.
struct Run<'a> {
    nest: &'a Nest,
    block: &'a Block,
    indices: &'a [u64],
}

impl Run<'_> {
    fn run<T: Element>(
        &self,
        read: &[ArrayViewD<'_, T>],
        written: &mut [ArrayViewMutD<'_, T>],
    ) -> Result<(), ExecuteError> {
        let assignment = self.nest.assignment();
        let record = assignment.record();
        let mut values: Vec<Option<u64>> = record.loops().map(|_| None).collect();
        let mut extents = Vec::with_capacity(self.block.loops.len());
        for id in &self.block.loops {
            values[id.0 as usize] = Some(0);
            extents.push(record.extent(*id).count().ok_or(ExecuteError::Symbolic)?);
        }
        if extents.contains(&0) {
            return Ok(());
        }
        let mut at = vec![0; extents.len()];
        loop {
            self.point(Point { loops: &values, symbols: self.indices }, read, written)?;
            let mut is_last = true;
            for ((id, extent), at) in self.block.loops.iter().zip(&extents).zip(&mut at).rev() {
                *at += 1;
                is_last = *at == *extent;
                if is_last {
                    *at = 0;
                }
                values[id.0 as usize] = Some(*at);
                if !is_last {
                    break;
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn point<T: Element>(
        &self,
        point: Point<'_>,
        read: &[ArrayViewD<'_, T>],
        written: &mut [ArrayViewMutD<'_, T>],
    ) -> Result<(), ExecuteError> {
        let assignment = self.nest.assignment();
        let is_inside = |guard: &Guard| {
            let size = assignment.record().map(guard.slot)[guard.axis].size.count();
            let at = guard.index.at(point).and_then(|at| u64::try_from(at).ok());
            at.zip(size).is_some_and(|(at, size)| at < size)
        };
        if !self.block.guards.iter().all(is_inside) {
            return Ok(());
        }
        let mut elements = Vec::with_capacity(read.len());
        for (access, array) in self.block.reads.iter().zip(read) {
            let element = match access {
                Some(access) => array.get(IxDyn(&position(access, point)?)).copied(),
                None => Some(T::of(0.0)), // no value reads it
            };
            elements.push(element.ok_or(ExecuteError::Supplied(Slot::RESULT))?);
        }
        for store in &self.block.stores {
            let value = evaluate(&store.value, &elements)?;
            let place = assignment.written().iter().position(|slot| *slot == store.to.slot);
            let array = place.and_then(|place| written.get_mut(place));
            let at = position(&store.to, point)?;
            let cell = array.and_then(|array| array.get_mut(IxDyn(&at)));
            let cell = cell.ok_or(ExecuteError::Shape(store.to.slot))?;
            *cell = match store.by {
                None => value,
                Some(by) => cell.binary(by.step(), value),
            };
        }
        Ok(())
    }
}

/// The value of an expression over the elements that were read.
fn evaluate<T: Element>(value: &Expression, read: &[T]) -> Result<T, ExecuteError> {
    let of = |operand: &Expression| evaluate(operand, read);
    Ok(match value {
        Expression::Read(number) => *read.get(*number).ok_or(ExecuteError::Read(*number))?,
        Expression::Constant(number) => T::of(number.value()),
        Expression::Unary(primitive, operand) => of(operand)?.unary(*primitive),
        Expression::Binary(primitive, operands) => {
            of(&operands[0])?.binary(*primitive, of(&operands[1])?)
        }
        Expression::Ternary(primitive, operands) => {
            of(&operands[0])?.ternary(*primitive, of(&operands[1])?, of(&operands[2])?)
        }
        other => return computable(other, read.len()).map(|()| T::of(0.0)),
    })
}

/// Refuses a value that cannot be computed, before anything is written.
fn computable(value: &Expression, read: usize) -> Result<(), ExecuteError> {
    match value {
        Expression::Read(number) if *number >= read => Err(ExecuteError::Read(*number)),
        Expression::Call(function, _) => Err(ExecuteError::Unknown(function.to_string())),
        other => other.operands().iter().try_for_each(|operand| computable(operand, read)),
    }
}

fn position(access: &Access, point: Point<'_>) -> Result<Vec<usize>, ExecuteError> {
    let at = |index: &Index| index.at(point).and_then(|at| usize::try_from(at).ok());
    let position: Option<Vec<usize>> = access.indices.iter().map(at).collect();
    position.ok_or(ExecuteError::Supplied(access.slot))
}

/// The shape of an occurrence's array.
fn shape(assignment: &Assignment, slot: Slot) -> Result<Vec<usize>, ExecuteError> {
    let sizes = assignment.record().map(slot).iter().map(|axis| {
        let count = axis.size.count().ok_or(ExecuteError::Symbolic)?;
        usize::try_from(count).map_err(|_| ExecuteError::Shape(slot))
    });
    sizes.collect()
}

fn check(
    assignment: &Assignment,
    slot: Slot,
    found: &[usize],
    indices: &[u64],
) -> Result<(), ExecuteError> {
    let wanted = shape(assignment, slot)?;
    if wanted != found {
        return Err(ExecuteError::Shape(slot));
    }
    for (axis, size) in assignment.record().map(slot).iter().zip(wanted) {
        if let Index::Symbol(id) = axis.index {
            let supplied = indices.get(id.0 as usize).and_then(|at| usize::try_from(*at).ok());
            if supplied.is_none_or(|at| at >= size) {
                return Err(ExecuteError::Supplied(slot));
            }
        }
    }
    Ok(())
}
