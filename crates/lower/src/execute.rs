//! The reference executor.

use std::fmt;

use lozenge_core::project::{Index, Record, Slot, Statement, View, Write};
use ndarray::{ArrayD, ArrayViewD, ArrayViewMutD, IxDyn};

use crate::{Accumulate, Combine, Element};

/// Why a loop nest cannot be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ExecuteError {
    /// A size stays symbolic.
    Symbolic,
    /// So many arrays are read, and another number was given.
    Arrays {
        /// So many are read or written.
        wanted: usize,
        /// So many were given.
        given: usize,
    },
    /// An array has another shape than the tensor it stands for.
    Shape(Slot),
    /// The combination does not take so many operands.
    Operands(usize),
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
            ExecuteError::Operands(count) => {
                write!(f, "the combination does not take {count} operands")
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

/// So many elements a result may have.
const MOST_CELLS: u128 = 1 << 32;

/// Runs an operation: at every point the operands are read and combined, and the result accumulated. Cells
/// that nothing writes hold the neutral element.
///
/// Arrays have their axes in memory order: batch, output, input. The indices are those that the
/// specification has supplied at run time, in the order in which it names them first.
///
/// # Errors
/// When arrays are missing or have other shapes, an index is not on its axis, or a size is not known.
pub fn execute<T: Element>(
    record: &Record,
    combine: Combine,
    accumulate: Accumulate,
    indices: &[u64],
    operands: &[ArrayViewD<'_, T>],
) -> Result<ArrayD<T>, ExecuteError> {
    let (wanted, given) = (record.operands().count(), operands.len());
    if wanted != given {
        return Err(ExecuteError::Arrays { wanted, given });
    }
    let shape = shape(record, Slot::RESULT)?;
    if record.cells(Slot::RESULT).is_none_or(|cells| cells > MOST_CELLS) {
        return Err(ExecuteError::TooLarge);
    }
    // Not a number: what the decision leaves unset, and nothing writes, shall be seen.
    let mut result = ArrayD::from_elem(IxDyn(&shape), T::of(f64::NAN));
    let written = &mut [result.view_mut()];
    let how = (combine, accumulate);
    execute_view(&record.forward(), Statement::Erasing, how, indices, operands, written)?;
    Ok(result)
}

/// Runs an assignment over the loops of a record: the arrays that are read and those that are written are in
/// the order of the view.
///
/// # Errors
/// As for [`execute`].
pub fn execute_view<T: Element>(
    view: &View<'_>,
    statement: Statement,
    (combine, accumulate): (Combine, Accumulate),
    indices: &[u64],
    read: &[ArrayViewD<'_, T>],
    written: &mut [ArrayViewMutD<'_, T>],
) -> Result<(), ExecuteError> {
    let record = view.record;
    let wanted = view.read.len() + view.written.len();
    if (view.read.len(), view.written.len()) != (read.len(), written.len()) {
        return Err(ExecuteError::Arrays { wanted, given: read.len() + written.len() });
    }
    for (slot, array) in view.read.iter().zip(read) {
        check(record, *slot, array.shape(), indices)?;
    }
    for (slot, array) in view.written.iter().zip(written.iter()) {
        check(record, *slot, array.shape(), indices)?;
    }
    if record.loops().any(|(_, extent)| extent.count().is_none()) {
        return Err(ExecuteError::Symbolic);
    }
    if indices.len() < record.symbols() {
        return Err(ExecuteError::Supplied(Slot::RESULT));
    }
    let decisions: Vec<_> = view.decisions(statement).collect();
    for (decision, array) in decisions.iter().zip(written.iter_mut()) {
        if decision.initialise {
            array.fill(accumulate.neutral());
        }
    }
    let mut wrong = None;
    record.for_each_point(indices, &mut |point| {
        if !record.is_live(point) {
            return;
        }
        let at = |slot: Slot| {
            let position = record.position(slot, point)?;
            position.iter().map(|at| usize::try_from(*at).ok()).collect::<Option<Vec<usize>>>()
        };
        let mut values: Vec<T> = Vec::with_capacity(read.len());
        for (slot, array) in view.read.iter().zip(read) {
            // An operand that takes no part is left out.
            if record.is_active(*slot, point) {
                match at(*slot) {
                    Some(at) => values.push(array[IxDyn(&at)]),
                    None => wrong = Some(ExecuteError::Supplied(*slot)),
                }
            }
        }
        if values.len() > 1 && !combine.takes(values.len()) {
            wrong = Some(ExecuteError::Operands(values.len()));
            return;
        }
        let value = combine.of(&values);
        for ((slot, decision), array) in view.written.iter().zip(&decisions).zip(written.iter_mut())
        {
            let Some(at) = at(*slot) else { continue };
            let cell = &mut array[IxDyn(&at)];
            *cell = match decision.write {
                Write::Store => accumulate.step(accumulate.neutral(), value),
                Write::Accumulate => accumulate.step(*cell, value),
            };
        }
    });
    wrong.map_or(Ok(()), Err)
}

/// The shape of an occurrence's array.
fn shape(record: &Record, slot: Slot) -> Result<Vec<usize>, ExecuteError> {
    let sizes = record.map(slot).iter().map(|axis| {
        let count = axis.size.count().ok_or(ExecuteError::Symbolic)?;
        usize::try_from(count).map_err(|_| ExecuteError::Shape(slot))
    });
    sizes.collect()
}

fn check(
    record: &Record,
    slot: Slot,
    found: &[usize],
    indices: &[u64],
) -> Result<(), ExecuteError> {
    let wanted = shape(record, slot)?;
    if wanted != found {
        return Err(ExecuteError::Shape(slot));
    }
    for (axis, size) in record.map(slot).iter().zip(wanted) {
        if let Index::Symbol(id) = axis.index {
            let supplied = indices.get(id.0 as usize).and_then(|at| usize::try_from(*at).ok());
            if supplied.is_none_or(|at| at >= size) {
                return Err(ExecuteError::Supplied(slot));
            }
        }
    }
    Ok(())
}
