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
    term::{DimTerm, DimVar, RowTerm, RowVar, Variable},
};

pub use compose::{Compose, ComposeAccumulate};
pub use einsum::Einsum;
pub use pointwise::Pointwise;
pub use reshape::{BitCast, Reshape};
pub(crate) use statement::{NewSize, SameInputOutput, SameShape, SameSize, ScaleSize, SetSize};
pub use terminal::Terminal;
pub use transpose::Transpose;

use crate::{
    Kind, Rejection, Role, Spec,
    session::program::{Leaf, Program},
    shape::Words,
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
    pub(crate) program: &'a mut Program,
    pub(crate) batch: &'a mut Vec<Constraint>,
    /// The operands, as the session numbers tensors.
    pub(crate) operands: &'a [u32],
    pub(crate) result: [Option<RowTerm>; 3],
}

impl Asks<'_> {
    /// How many operands there are.
    pub fn operand_count(&self) -> usize {
        self.operands.len()
    }

    /// Refuses any other number of operands.
    ///
    /// # Errors
    /// When there are more or fewer.
    pub fn expect_operands(&self, count: usize) -> Result<(), Rejection> {
        if self.operands.len() == count {
            return Ok(());
        }
        Err(crate::explain::words::operand_count(count, self.operands.len()))
    }

    /// A row of an operand.
    pub fn operand(&self, operand: usize, kind: Kind) -> RowTerm {
        match self.operands.get(operand) {
            Some(tensor) => self.program.row(*tensor, kind),
            None => RowTerm::closed([], []),
        }
    }

    /// A row of the result: as it was [declared](Asks::declare), or else a new variable.
    pub fn result(&mut self, kind: Kind) -> RowTerm {
        if let Some(row) = &self.result[kind as usize] {
            return row.clone();
        }
        let row = RowTerm::from(self.row());
        self.result[kind as usize] = Some(row.clone());
        row
    }

    /// Makes a row of the result this one.
    pub fn declare(&mut self, kind: Kind, row: RowTerm) {
        self.result[kind as usize] = Some(row);
    }

    /// A new axis of which nothing is known.
    pub fn axis(&mut self) -> DimVar {
        self.program.new_dim()
    }

    /// A new row of which nothing is known.
    pub fn row(&mut self) -> RowVar {
        self.program.new_row()
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
        let origin = OriginId::new(self.program.new_origin(about));
        self.batch.push(relation.with_origin(origin));
    }

    pub(crate) fn leaf(&mut self, var: impl Into<Variable>, role: Role, kind: Kind, axis: u16) {
        let step = self.program.len();
        let leaf = Leaf { var: var.into(), role, step, kind, axis };
        self.program.leaves.push(leaf);
    }

    /// The rows of the result, and whether there is one.
    pub(crate) fn finish(self) -> ([RowTerm; 3], bool) {
        let has_result = self.result.iter().any(Option::is_some);
        (self.result.map(|row| row.unwrap_or_else(|| RowTerm::closed([], []))), has_result)
    }

    pub(crate) fn words(&mut self) -> &mut Words {
        &mut self.program.words
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
