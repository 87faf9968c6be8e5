//! Operations: what each asks of the shapes of its operands and its result.
//!
//! An operation is a value with a name and a function from rows to constraints. Those of this crate are one
//! small file a family; a framework adds its own by implementing [`Operation`].
//!
//! | file | operations | what they ask |
//! |---|---|---|
//! | `terminal` | numbers, data, parameters, constants | their declared rows; a number of elements; exact axes |
//! | `pointwise` | arithmetic of one operand or more | result ⊑ operand, kind by kind |
//! | `compose` | composition, with and without a sum | the input of the first ⊑ the output of the second |
//! | `transpose` | input and output exchanged | result ⊑ operand |
//! | `einsum` | all that a specification says | rows of operands ≈ their templates |
//! | `template` | the rows of a specification | relations between sizes |
//! | `reshape` | the same elements in another shape, also in other widths | equal numbers of elements |
//! | `statement` | what is said of tensors and sizes that exist | equalities, sizes, scales |

mod compose;
mod einsum;
mod pointwise;
mod reshape;
mod statement;
mod template;
mod terminal;
mod transpose;

use std::fmt;

use lozenge_core::{
    constraint::{Constraint, OriginId, Relation, SizeRelation},
    project::{Access, Supplied, SymbolId},
    term::{DimTerm, DimVar, RowTerm, RowVar, Variable},
};

pub use compose::{Compose, ComposeAccumulate};
pub use einsum::Einsum;
pub use pointwise::Pointwise;
pub use reshape::{BitCast, Reshape};
pub(crate) use statement::{
    NameSize, NewSize, SameInputOutput, SameShape, SameSize, ScaleSize, SetSize,
};
pub use terminal::Terminal;
pub use transpose::Transpose;

use crate::{
    Kind, Rejection, Role, Spec,
    loops::Again,
    session::program::{Leaf, Program, Variables},
    shape::{BY_EAGERNESS, Words},
};

/// Something that relates the shapes of its operands and its result.
///
/// ```
/// use lozenge::{About, Asks, Kind, Operation, Rejection, Session};
///
/// /// The gram matrix of a row: what comes out goes in as well.
/// #[derive(Debug)]
/// struct Gram;
///
/// impl Operation for Gram {
///     fn name(&self) -> &str {
///         "gram"
///     }
///
///     fn constrain(&self, asks: &mut Asks<'_>) -> Result<(), Rejection> {
///         asks.expect_operands(1)?;
///         for (result, operand) in
///             [(Kind::Batch, Kind::Batch), (Kind::Input, Kind::Output), (Kind::Output, Kind::Output)]
///         {
///             let (row, of) = (asks.result(result), asks.operand(0, operand));
///             asks.refines(About::Row { operand: 0, kind: operand }, row, of);
///         }
///         Ok(())
///     }
/// }
///
/// let mut session = Session::new();
/// let x = session.data("x", "32|->10")?;
/// let gram = session.apply(Gram, &[x])?;
/// assert_eq!(session.close()?.shape(gram)?.to_string(), "32|10->10");
/// # Ok::<(), Rejection>(())
/// ```
pub trait Operation: fmt::Debug + Send + Sync {
    /// What people call it. A sign such as `+` is written between its operands.
    fn name(&self) -> &str;

    /// Says what it asks.
    ///
    /// # Errors
    /// When it cannot be applied to so many operands, or to anything at all. Shapes that do not fit are not
    /// found here: they are what the session finds.
    fn constrain(&self, asks: &mut Asks<'_>) -> Result<(), Rejection>;

    /// The specification that says what it does, where there is one.
    fn spec(&self) -> Option<&Spec> {
        None
    }

    /// The names of its specification whose sizes are given with it.
    fn sizes(&self) -> Vec<(&str, u64)> {
        vec![]
    }

    /// What is written behind its operands in a message: `to 2,3`.
    fn detail(&self) -> Option<String> {
        let sizes = self.sizes();
        let sizes: Vec<String> =
            sizes.iter().map(|(name, size)| format!("{name}={size}")).collect();
        (!sizes.is_empty()).then(|| format!("{{{}}}", sizes.join(" ")))
    }

    /// Whether it does nothing with an operand but broadcast it to the result, kind by kind. A parameter of
    /// which nothing else is known takes no input from such uses.
    fn broadcasts(&self, operand: usize) -> bool {
        let _ = operand;
        false
    }

    /// The operand that the result begins with, each cell once, instead of the neutral element of the
    /// accumulation; the others are combined. Operands count from 0; one that is not there is refused when the
    /// operation is applied.
    fn initial(&self) -> Option<usize> {
        None
    }

    /// How its operands are combined, as a formula of them: a product, unless it says otherwise.
    fn formula(&self, operands: &[String]) -> String {
        operands.join(" * ")
    }

    /// What closing takes its result for, if no operation makes it: data or a parameter.
    fn role(&self) -> Option<Role> {
        None
    }

    /// How it is written in a message, when not as its name and its operands: a declaration, a statement.
    fn declaration(&self) -> Option<Declaration> {
        None
    }
}

/// How a declaration is written: `data x: 2,3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// What stands before the text: `data x: `.
    pub head: String,
    /// The text that places refer to: `2,3`.
    pub text: String,
}

/// What part of an operation asks for something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum About {
    /// The row of an operand, by its number from 0.
    Row {
        /// Which operand.
        operand: u16,
        /// Which row.
        kind: Kind,
    },
    /// A row of an operand, and the row of another that it may be broadcast to.
    Between {
        /// The operand that is lower, and which of its rows.
        low: (u16, Kind),
        /// The operand that may be broadcast, and which of its rows.
        high: (u16, Kind),
    },
    /// An axis of a specification's operand or result, where something is computed.
    Axis {
        /// Which operand; the result comes after the last.
        slot: u16,
        /// Which row.
        kind: Kind,
        /// Which of its axes, as they are written.
        axis: u16,
    },
    /// The size of a name of a specification.
    Name(u32),
    /// All of it.
    Whole,
}

/// Where an operation says what it asks.
pub struct Asks<'a> {
    pub(crate) of: AskedOf<'a>,
    pub(crate) batch: &'a mut Vec<Constraint>,
    pub(crate) result: [Option<RowTerm>; 3],
    /// The variables of the rows of the result that are not declared, once there is one.
    pub(crate) made: Option<[RowVar; 3]>,
}

/// Whom an operation asks: for shapes when it is taken in, and again for its loops when they are known.
pub(crate) enum AskedOf<'a> {
    /// The program, with the operands as the session numbers tensors.
    Program(&'a mut Program, &'a [u32]),
    /// The occurrences of the operands and the result, each axis a variable of its own.
    Occurrences(&'a mut Again),
}

impl AskedOf<'_> {
    fn variables(&mut self) -> &mut Variables {
        match self {
            AskedOf::Program(program, _) => &mut program.variables,
            AskedOf::Occurrences(again) => &mut again.variables,
        }
    }
}

/// A row variable for each kind.
pub(super) fn made_rows(variables: &mut Variables) -> [RowVar; 3] {
    let mut rows = [RowVar::new(0); 3];
    for kind in BY_EAGERNESS {
        rows[kind as usize] = variables.new_row();
    }
    rows
}

impl Asks<'_> {
    /// How many operands there are.
    pub fn operand_count(&self) -> usize {
        match &self.of {
            AskedOf::Program(_, operands) => operands.len(),
            AskedOf::Occurrences(again) => again.operand_count(),
        }
    }

    /// Refuses any other number of operands.
    ///
    /// # Errors
    /// When there are more or fewer.
    pub fn expect_operands(&self, count: usize) -> Result<(), Rejection> {
        if self.operand_count() == count {
            return Ok(());
        }
        Err(crate::explain::words::operand_count(count, self.operand_count()))
    }

    /// Refuses an operation whose result begins with an operand that is not there.
    pub(crate) fn expect_initial(&self, initial: Option<usize>) -> Result<(), Rejection> {
        match initial {
            Some(operand) if operand >= self.operand_count() => {
                Err(crate::explain::words::no_initial(operand, self.operand_count()))
            }
            _ => Ok(()),
        }
    }

    /// A row of an operand.
    pub fn operand(&self, operand: usize, kind: Kind) -> RowTerm {
        let row = match &self.of {
            AskedOf::Program(program, operands) => {
                operands.get(operand).map(|tensor| program.row(*tensor, kind))
            }
            AskedOf::Occurrences(again) => again.row(operand + 1, kind),
        };
        row.unwrap_or_else(|| RowTerm::closed([], []))
    }

    /// A row of the result: as it was [declared](Asks::declare), or else a new variable.
    pub fn result(&mut self, kind: Kind) -> RowTerm {
        if let Some(row) = &self.result[kind as usize] {
            return row.clone();
        }
        let made = *self.made.get_or_insert_with(|| made_rows(self.of.variables()));
        let var = made[kind as usize];
        let row = match &self.of {
            AskedOf::Program(..) => var.into(),
            AskedOf::Occurrences(again) => again.row(0, kind).unwrap_or_else(|| var.into()),
        };
        self.result[kind as usize] = Some(row.clone());
        row
    }

    /// Makes a row of the result this one.
    pub fn declare(&mut self, kind: Kind, row: RowTerm) {
        self.result[kind as usize] = Some(row);
    }

    /// A new axis of which nothing is known.
    pub fn axis(&mut self) -> DimVar {
        self.variables().new_dim()
    }

    /// A new row of which nothing is known.
    pub fn row(&mut self) -> RowVar {
        self.variables().new_row()
    }

    pub(crate) fn variables(&mut self) -> &mut Variables {
        self.of.variables()
    }

    /// Says that an axis is read or written at this position only. It says nothing about the axis' size.
    pub fn fix(&mut self, axis: impl Into<DimTerm>, position: u64) {
        self.access(axis.into(), Access::At(Supplied::Fix(position)));
    }

    /// Says that an axis is read or written at an index that is supplied at run time, by its number among
    /// those of the operation.
    pub fn supply(&mut self, axis: impl Into<DimTerm>, number: u32) {
        self.access(axis.into(), Access::At(Supplied::Symbol(SymbolId(number))));
    }

    /// Says that a strided axis or a window begins at this position, which changes no size: a valid window
    /// reaches past the end by as much, and what is there is skipped.
    pub fn begin(&mut self, axis: impl Into<DimTerm>, position: u64) {
        self.access(axis.into(), Access::From(position));
    }

    fn access(&mut self, axis: DimTerm, access: Access) {
        if let AskedOf::Occurrences(again) = &mut self.of {
            again.accesses.push((axis, access));
        }
    }

    /// Asks `result ⊑ operand`: the operand may be broadcast to the result.
    pub fn refines(&mut self, about: About, result: RowTerm, operand: RowTerm) {
        self.ask(about, Relation::RowIneq(result, operand));
    }

    /// Asks that two rows have the same axes.
    pub fn same_row(&mut self, about: About, first: RowTerm, second: RowTerm) {
        self.ask(about, Relation::RowEq(first, second));
    }

    /// Asks that two axes are the same.
    pub fn same_axis(
        &mut self,
        about: About,
        first: impl Into<DimTerm>,
        second: impl Into<DimTerm>,
    ) {
        self.ask(about, Relation::DimEq(first.into(), second.into()));
    }

    /// Asks for a relation between sizes.
    pub fn size(&mut self, about: About, relation: SizeRelation) {
        self.ask(about, Relation::Size(relation));
    }

    fn ask(&mut self, about: About, relation: Relation) {
        let origin = match &mut self.of {
            AskedOf::Program(program, _) => OriginId::new(program.new_origin(about)),
            AskedOf::Occurrences(_) => OriginId::default(),
        };
        self.batch.push(relation.with_origin(origin));
    }

    pub(crate) fn leaf(&mut self, var: impl Into<Variable>, role: Role, kind: Kind, axis: u16) {
        if let AskedOf::Program(program, _) = &mut self.of {
            let step = program.len();
            program.leaves.push(Leaf { var: var.into(), role, step, kind, axis });
        }
    }

    /// The rows of the result, and whether there is one.
    pub(crate) fn finish(self) -> ([RowTerm; 3], bool) {
        let has_result = self.result.iter().any(Option::is_some);
        (self.result.map(|row| row.unwrap_or_else(|| RowTerm::closed([], []))), has_result)
    }

    pub(crate) fn words(&mut self) -> &mut Words {
        match &mut self.of {
            AskedOf::Program(program, _) => &mut program.words,
            AskedOf::Occurrences(again) => &mut again.words,
        }
    }
}

/// Asks that rows of an operand may be broadcast to rows of the result.
fn broadcast<const N: usize>(asks: &mut Asks<'_>, operand: usize, rows: [(Kind, Kind); N]) {
    let number = u16::try_from(operand).unwrap_or(u16::MAX);
    for (of_result, kind) in rows {
        let (result, row) = (asks.result(of_result), asks.operand(operand, kind));
        asks.refines(About::Row { operand: number, kind }, result, row);
    }
}
