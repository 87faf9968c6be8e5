//! Running a program by the reference executor, for tests and for tiny inputs.
//!
//! Elements have the types that the program says. Those of 16 bits are computed in single
//! precision, and rounded when they are written; where a statement reads several types, it is
//! computed in double precision, or, of whole numbers alone, in 64 bits.

use std::fmt;

use lozenge::Shape;
use lozenge_lower::{Element, ExecuteError, Nest, execute_into};
use ndarray::{ArrayD, IxDyn};

use crate::{
    element_type::ElementType,
    program::{Holds, Program, Step, VariableId},
    region::Region,
};

/// A program, and the elements of its variables.
///
/// ```
/// use lozenge_tensor::{Graph, Machine};
///
/// let graph = Graph::new();
/// let x = graph.literal([[1.0, 2.0], [3.0, 4.0]]);
/// let sums = x.einsum("ij => i").named("sums");
/// let program = graph.check()?.program(&[sums])?;
/// let mut machine = Machine::new(&program)?;
/// machine.run(&[])?;
/// assert_eq!(machine.elements("sums")?, [3.0, 7.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    nests: Vec<Nest>,
    /// By variable.
    arrays: Vec<ArrayD<f64>>,
    types: Vec<ElementType>,
    has_begun: bool,
}

/// Why a program cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The program has no variable of this name.
    NoVariable(String),
    /// A variable has another number of elements.
    Elements {
        /// The variable's name.
        name: String,
        /// How many it has.
        has: usize,
        /// How many were given.
        given: usize,
    },
    /// A size stays symbolic: the program is to be made where names have values.
    Symbolic {
        /// The variable's name.
        name: String,
        /// Its shape.
        shape: String,
    },
    /// A variable has more elements than an array can have.
    TooLarge(String),
    /// An index that the program needs is not supplied.
    Index(String),
    /// An index is supplied that the program does not ask for, or that it loops over itself.
    NoIndex(String),
    /// A statement cannot be run.
    Statement(String, ExecuteError),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::NoVariable(name) => write!(f, "the program has no variable `{name}`"),
            RunError::Elements { name, has, given } => {
                write!(f, "`{name}` needs {has} elements, not {given}")
            }
            RunError::Symbolic { name, shape } => write!(
                f,
                "`{name}` has the shape `{shape}`, whose names have no values; \
                 `Checked::program_in` makes the program with values for them"
            ),
            RunError::TooLarge(name) => write!(f, "`{name}` has more elements than fit"),
            RunError::Index(name) => write!(f, "the index `@{name}` is not supplied"),
            RunError::NoIndex(name) => {
                write!(f, "the program asks for no index `@{name}`")
            }
            RunError::Statement(statement, error) => write!(f, "`{statement}`: {error}"),
        }
    }
}

impl std::error::Error for RunError {}

impl<'p> Machine<'p> {
    /// The machine of a program, whose variables hold what they begin with: what the caller has to
    /// give is 0.
    ///
    /// # Errors
    /// When a size stays symbolic.
    pub fn new(program: &'p Program) -> Result<Machine<'p>, RunError> {
        Machine::with(program, |own| own)
    }

    /// The same, computing all floats in double precision.
    ///
    /// # Errors
    /// When a size stays symbolic.
    pub fn in_double(program: &'p Program) -> Result<Machine<'p>, RunError> {
        Machine::with(program, |own| if own.is_float() { ElementType::F64 } else { own })
    }

    fn with(
        program: &'p Program,
        element_type: impl Fn(ElementType) -> ElementType,
    ) -> Result<Machine<'p>, RunError> {
        let mut machine = Machine {
            program,
            nests: program.steps().iter().map(|step| Nest::new(step.assignment.clone())).collect(),
            arrays: vec![],
            types: vec![],
            has_begun: false,
        };
        for (_, variable) in program.variables() {
            let too_large = || RunError::TooLarge(variable.name.to_string());
            let symbolic = || RunError::Symbolic {
                name: variable.name.to_string(),
                shape: variable.shape.to_string(),
            };
            let sizes = sizes(&variable.shape).ok_or_else(symbolic)?;
            let count = sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
            count.filter(|count| *count <= isize::MAX as usize / 8).ok_or_else(too_large)?;
            let own = element_type(variable.element_type);
            machine.types.push(own);
            machine.arrays.push(begins(&variable.holds, &sizes).mapv(|x| rounded(x, own)));
        }
        Ok(machine)
    }

    fn id(&self, name: &str) -> Result<VariableId, RunError> {
        self.program.named(name).ok_or_else(|| RunError::NoVariable(name.to_owned()))
    }

    /// Gives a variable its elements, row-major with the axes in the order batch, output, input: a
    /// weight `3->2` is 2 rows of 3.
    ///
    /// # Errors
    /// When there is no such variable, or it has another number of elements.
    pub fn set(&mut self, name: &str, elements: &[f64]) -> Result<(), RunError> {
        let id = self.id(name)?;
        let own = self.types[id.0];
        let array = &mut self.arrays[id.0];
        let (has, given) = (array.len(), elements.len());
        if has != given {
            return Err(RunError::Elements { name: name.to_owned(), has, given });
        }
        array.iter_mut().zip(elements).for_each(|(cell, x)| *cell = rounded(*x, own));
        Ok(())
    }

    /// The elements of a variable, in the same order.
    ///
    /// # Errors
    /// When there is no such variable.
    pub fn elements(&self, name: &str) -> Result<Vec<f64>, RunError> {
        let id = self.id(name)?;
        Ok(self.arrays[id.0].iter().copied().collect())
    }

    /// The elements of a variable, as an array.
    pub fn array(&self, id: VariableId) -> &ArrayD<f64> {
        &self.arrays[id.0]
    }

    /// Runs the program: what it initialises the first time, then the other regions, for each value
    /// of an index that it loops over. The caller says the values of the others.
    ///
    /// # Errors
    /// When an index is missing, not asked for, or not on its axis.
    pub fn run(&mut self, indices: &[(&str, u64)]) -> Result<(), RunError> {
        let asks = |name: &str| {
            let supplied = self.program.supplied();
            supplied.iter().any(|supplied| *supplied.name == *name && !supplied.is_looped)
        };
        if let Some((name, _)) = indices.iter().find(|(name, _)| !asks(name)) {
            return Err(RunError::NoIndex((*name).to_owned()));
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            self.run_regions(&[Region::Initialise], indices)?;
        }
        let looped: Vec<(&str, u64)> = self
            .program
            .supplied()
            .iter()
            .filter(|supplied| supplied.is_looped)
            .map(|supplied| (&*supplied.name, supplied.range.unwrap_or(0)))
            .collect();
        let mut values: Vec<u64> = vec![0; looped.len()];
        if looped.iter().any(|(_, range)| *range == 0) {
            return Ok(());
        }
        loop {
            let own = looped.iter().zip(&values).map(|((name, _), value)| (*name, *value));
            let indices: Vec<(&str, u64)> = own.chain(indices.iter().copied()).collect();
            self.run_regions(&Region::ALL[1..], &indices)?;
            for carried in self.program.carried() {
                let from = self.arrays[carried.from.0].clone();
                self.arrays[carried.to.0] = from;
            }
            let mut has_more = false;
            for (value, (_, range)) in values.iter_mut().zip(&looped).rev() {
                *value += 1;
                if *value < *range {
                    has_more = true;
                    break;
                }
                *value = 0;
            }
            if !has_more {
                return Ok(());
            }
        }
    }

    /// Runs the statements of some regions.
    ///
    /// # Errors
    /// As for [`Machine::run`].
    pub fn run_regions(
        &mut self,
        regions: &[Region],
        indices: &[(&str, u64)],
    ) -> Result<(), RunError> {
        for (number, step) in self.program.steps().iter().enumerate() {
            if regions.contains(&step.region) {
                self.run_step(number, step, indices)?;
            }
        }
        Ok(())
    }

    fn run_step(
        &mut self,
        number: usize,
        step: &Step,
        indices: &[(&str, u64)],
    ) -> Result<(), RunError> {
        let mut supplied = vec![];
        if step.assignment.record().symbols() > 0 {
            for name in step.assignment.indices() {
                let value = indices.iter().find(|(own, _)| own == name);
                supplied.push(value.ok_or_else(|| RunError::Index(name.clone()))?.1);
            }
        }
        let read = step.read.iter().map(|id| self.types[id.0]);
        let done = match computed_in(read, self.types[step.written.0]) {
            ElementType::F32 => self.execute::<f32>(number, step, &supplied),
            ElementType::I32 | ElementType::U8 | ElementType::Bool => {
                self.execute::<i32>(number, step, &supplied)
            }
            ElementType::I64 => self.execute::<i64>(number, step, &supplied),
            _ => self.execute::<f64>(number, step, &supplied),
        };
        done.map_err(|error| RunError::Statement(self.program.statement(step), error))
    }

    fn execute<T: Number>(
        &mut self,
        number: usize,
        step: &Step,
        indices: &[u64],
    ) -> Result<(), ExecuteError> {
        let read: Vec<ArrayD<T>> =
            step.read.iter().map(|id| self.arrays[id.0].mapv(T::from_f64)).collect();
        let views: Vec<_> = read.iter().map(ArrayD::view).collect();
        let own = self.types[step.written.0];
        let mut written = self.arrays[step.written.0].mapv(T::from_f64);
        execute_into(&self.nests[number], indices, &views, &mut [written.view_mut()])?;
        self.arrays[step.written.0] = written.mapv(|x| rounded(x.into_f64(), own));
        Ok(())
    }
}

/// What a machine computes with.
trait Number: Element {
    fn from_f64(number: f64) -> Self;
    fn into_f64(self) -> f64;
}

macro_rules! numbers {
    ($($number:ident)*) => {
        $(impl Number for $number {
            fn from_f64(number: f64) -> $number {
                <$number as Element>::of(number)
            }

            #[allow(clippy::cast_lossless, clippy::cast_precision_loss)]
            fn into_f64(self) -> f64 {
                self as f64
            }
        })*
    };
}

numbers! { f32 f64 i32 i64 }

/// The type that a statement is computed in. Truths and bytes are numbers of every type, and truths
/// that are written are of what they are truths about.
fn computed_in(read: impl Iterator<Item = ElementType>, written: ElementType) -> ElementType {
    let in_memory = |own: ElementType| match own {
        ElementType::F16 | ElementType::BF16 => ElementType::F32,
        own => own,
    };
    let both = |one: ElementType, other: ElementType| match (one, other) {
        (one, other) if one == other => one,
        (ElementType::U8 | ElementType::Bool, other) => other,
        (one, ElementType::U8 | ElementType::Bool) => one,
        (one, other) if !one.is_float() && !other.is_float() => ElementType::I64,
        _ => ElementType::F64,
    };
    read.chain([written]).map(in_memory).reduce(both).unwrap_or(written)
}

/// An element as its type has it.
fn rounded(element: f64, own: ElementType) -> f64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the nearest
    match own {
        ElementType::F16 | ElementType::BF16 | ElementType::F64 => own.narrowed(element),
        ElementType::F32 => f64::from(element as f32),
        ElementType::I32 => f64::from(element as i32),
        #[allow(clippy::cast_precision_loss)] // beyond 2^53 the nearest
        ElementType::I64 => element as i64 as f64,
        ElementType::U8 => f64::from(element as u8),
        ElementType::Bool => f64::from(u8::from(element != 0.0)),
    }
}

/// The sizes of a shape, in the order of memory; `None` where one stays symbolic.
fn sizes(shape: &Shape) -> Option<Vec<usize>> {
    let rows = [lozenge::Kind::Batch, lozenge::Kind::Output, lozenge::Kind::Input];
    let mut all = vec![];
    for kind in rows {
        for size in shape.sizes(kind)? {
            all.push(usize::try_from(size).ok()?);
        }
    }
    Some(all)
}

/// What a variable holds first.
fn begins(holds: &Holds, sizes: &[usize]) -> ArrayD<f64> {
    let count: usize = sizes.iter().product();
    #[allow(clippy::cast_precision_loss)] // beyond 2^53 the nearest
    let elements: Vec<f64> = match holds {
        Holds::Nothing => vec![f64::NAN; count],
        Holds::Given(_) => vec![0.0; count],
        Holds::Number(number) => vec![*number; count],
        Holds::Elements(elements) => elements.to_vec(),
        Holds::Range => (0..count).map(|place| place as f64).collect(),
    };
    let zeros = || ArrayD::zeros(IxDyn(sizes));
    ArrayD::from_shape_vec(IxDyn(sizes), elements).unwrap_or_else(|_| zeros())
}
