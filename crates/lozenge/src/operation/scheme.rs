//! Schemes: what an operation asks of shapes, and where it reads and writes, as a value.
//!
//! A scheme is made once for a number of operands, and asks nothing of what these are. Its terms
//! are over **slots**, which stand for the rows of the operands, over variables of its own,
//! numbered from 0, and over sizes that were captured before. To *instantiate* it is to say what
//! these are: a session does it over tensors, so that shapes are found, and a projection over
//! occurrences, each axis of which is a variable of its own, so that loops are.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use lozenge_calculus::{
    constraint::{Relation, SizeRelation},
    dim::Dim,
    size::{SizeError, SizeSymbol},
    term::{DimTerm, DimVar, RowTerm, RowVar, Variable},
};
use lozenge_project::{Access, Supplied, SymbolId};

use super::{
    instance::{CAPTURED, Instance, SLOTS, around, dim_over},
    misfit::Misfit,
    part::SchemePart,
    range::NameRange,
    scalar::{Accumulation, Binary, Expression},
    variables::Variables,
};
use crate::{
    Kind, Role,
    number::in_message,
    shape::{BY_EAGERNESS, NameTable},
};

/// What an operation asks and does, for a number of operands.
///
/// ```
/// use lozenge::{Kind, Scheme};
///
/// let pointwise = || {
///     let mut scheme = Scheme::new(2);
///     scheme.broadcast(0);
///     scheme.broadcast(1);
///     scheme
/// };
/// assert_eq!(pointwise(), pointwise());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheme {
    operands: usize,
    variables: Variables,
    asked: Vec<(SchemePart, Relation)>,
    accesses: Vec<(DimTerm, Access)>,
    result: [Option<RowTerm>; 3],
    /// The variables of the rows of the result that are not declared, once there is one.
    made: Option<[RowVar; 3]>,
    leaves: Vec<SchemeLeaf>,
    /// The sizes that can be captured, by their names.
    names: Vec<(Arc<str>, Variable)>,
    /// The rows that `...` stands for in a specification, by kind.
    ellipses: Option<[RowVar; 3]>,
    initial: Option<usize>,
    /// The element of a point, where it is not the product of all that is read.
    value: Option<Expression>,
    accumulation: Accumulation,
    /// Whether the result holds the elements of its one operand in the order of memory.
    is_copied_in_memory: bool,
    /// The operand whose shape the result has.
    copied: Option<usize>,
    /// The names of its sizes and bases.
    name_table: NameTable,
    /// What it says of the values of names.
    ranges: Vec<(SizeSymbol, NameRange)>,
    /// Whether an axis is written as 0.
    has_empty: bool,
    /// Whether what it asks is declared to hold, and the name that it makes a computed size.
    is_declared: bool,
    defined: Option<(SizeSymbol, DimVar)>,
}

/// What a scheme depends on, but for the number of operands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SchemeKey(pub(super) KeyForm);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyForm {
    /// Its name, and whether an explicit 1 stretches.
    Pointwise(Cow<'static, str>, bool),
    Compose,
    ComposeAccumulate,
    Transpose,
    /// A tensor without a declared shape.
    Undeclared(Role),
    Number,
    Own(Arc<str>),
}

impl SchemeKey {
    /// The key of this name, for operations that others bring.
    pub fn new(name: impl Into<Arc<str>>) -> SchemeKey {
        SchemeKey(KeyForm::Own(name.into()))
    }
}

/// The schemes that a session has made, by their keys and numbers of operands.
pub(crate) type Schemes = BTreeMap<(SchemeKey, usize), Arc<Scheme>>;

/// A variable of a scheme that closing has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemeLeaf {
    pub(crate) var: Variable,
    pub(crate) role: Role,
    pub(crate) kind: Kind,
    pub(crate) axis: u16,
}

impl Scheme {
    /// The scheme of an operation with this number of operands that constrains nothing and has no
    /// result.
    pub fn new(operands: usize) -> Scheme {
        Scheme { operands, ..Scheme::default() }
    }

    /// The scheme of a pointwise function: every operand is broadcast to the result, whose elements
    /// are this.
    ///
    /// # Errors
    /// When there is no operand, or the value reads one that is not there.
    pub fn pointwise(operands: usize, value: Expression) -> Result<Scheme, Misfit> {
        let mut scheme = Scheme::of_some(operands)?;
        (0..operands).for_each(|operand| scheme.broadcast(operand));
        scheme.compute(value)?;
        Ok(scheme)
    }

    /// The scheme of a pointwise function with NumPy's broadcasting: every operand is stretched to
    /// the result.
    ///
    /// # Errors
    /// When there is no operand, or the value reads one that is not there.
    pub fn pointwise_numpy(operands: usize, value: Expression) -> Result<Scheme, Misfit> {
        let mut scheme = Scheme::of_some(operands)?;
        for kind in Kind::ALL {
            let result = scheme.result(kind);
            let operands = (0..operands).map(|operand| scheme.operand(operand, kind)).collect();
            scheme.relate(SchemePart::Whole, SizeRelation::Stretch { result, operands });
        }
        scheme.compute(value)?;
        Ok(scheme)
    }

    /// The empty scheme of an operation that needs at least one operand.
    fn of_some(operands: usize) -> Result<Scheme, Misfit> {
        let scheme = Scheme::new(operands);
        if operands == 0 {
            scheme.expect_operands(1)?;
        }
        Ok(scheme)
    }

    /// The number of operands.
    pub fn operand_count(&self) -> usize {
        self.operands
    }

    /// Refuses any other number of operands.
    ///
    /// # Errors
    /// When there are more or fewer.
    pub fn expect_operands(&self, count: usize) -> Result<(), Misfit> {
        if self.operands == count {
            return Ok(());
        }
        Err(Misfit::Operands { takes: count, given: self.operands })
    }

    /// The scheme of a tensor with the shape of another, its one operand.
    pub fn like() -> Scheme {
        let mut scheme = Scheme { copied: Some(0), ..Scheme::new(1) };
        for kind in Kind::ALL {
            let row = scheme.operand(0, kind);
            scheme.declare(kind, row);
        }
        scheme
    }

    /// Takes one operand more, behind the others, which the result takes the place of: it has the
    /// result's shape. What the scheme computes stays as it is.
    pub fn replace(&mut self) {
        self.value = Some(self.value());
        let replaced = self.operands;
        self.operands += 1;
        self.copied = Some(replaced);
        for kind in Kind::ALL {
            let (result, row) = (self.result(kind), self.operand(replaced, kind));
            self.same_row(SchemePart::Row { operand: in_message(replaced), kind }, result, row);
        }
    }

    /// The operand whose shape the result has, whatever else is asked.
    pub(crate) fn copied(&self) -> Option<usize> {
        self.copied
    }

    /// A row of an operand. One that is not there has no axes.
    pub fn operand(&self, operand: usize, kind: Kind) -> RowTerm {
        let slot = u32::try_from(operand).ok().filter(|_| operand < self.operands);
        slot.map_or_else(
            || RowTerm::closed([], []),
            |slot| RowVar::new(SLOTS + 3 * slot + kind as u32).into(),
        )
    }

    /// A row of the result: as it was [declared](Scheme::declare), or else a new variable.
    pub fn result(&mut self, kind: Kind) -> RowTerm {
        if let Some(row) = &self.result[kind as usize] {
            return row.clone();
        }
        let made = *self.made.get_or_insert_with(|| made_rows(&mut self.variables));
        let row = RowTerm::from(made[kind as usize]);
        self.result[kind as usize] = Some(row.clone());
        row
    }

    /// Makes a row of the result this one.
    pub fn declare(&mut self, kind: Kind, row: RowTerm) {
        self.result[kind as usize] = Some(row);
    }

    /// Begins the result with an operand, each cell once, instead of the neutral element of the
    /// accumulation; the others are combined. Operands count from 0.
    ///
    /// # Errors
    /// When there is no such operand.
    pub fn begin_with(&mut self, operand: usize) -> Result<(), Misfit> {
        if operand >= self.operands {
            return Err(Misfit::Initial { operand, given: self.operands });
        }
        self.initial = Some(operand);
        Ok(())
    }

    /// Makes this the element of every point, instead of the product of all operands.
    ///
    /// # Errors
    /// When it reads an operand that is not there.
    pub fn compute(&mut self, value: Expression) -> Result<(), Misfit> {
        if let Some(operand) = value.reads().into_iter().find(|read| *read >= self.operands) {
            return Err(Misfit::Read { operand, given: self.operands });
        }
        self.value = Some(value);
        Ok(())
    }

    /// Accumulates the elements of a cell in this way, instead of adding them.
    pub fn accumulate(&mut self, by: Accumulation) {
        self.accumulation = by;
    }

    /// The element of a point.
    pub fn value(&self) -> Expression {
        let others = (0..self.operands).filter(|operand| Some(*operand) != self.initial);
        let product = || Expression::fold(Binary::Multiply, others);
        self.value.clone().unwrap_or_else(product)
    }

    /// How the elements of a cell are accumulated.
    pub fn accumulation(&self) -> Accumulation {
        self.accumulation
    }

    /// Says that the result holds the elements of its one operand, in the order of memory.
    pub(super) fn copy_in_memory(&mut self) {
        self.is_copied_in_memory = true;
    }

    pub(crate) fn is_copied_in_memory(&self) -> bool {
        self.is_copied_in_memory
    }

    /// Gives a size a name, by which [`Session::capture`](crate::Session::capture) finds it. The
    /// first of two sizes of one name is found.
    pub fn name_size(&mut self, name: impl Into<Arc<str>>, size: impl Into<Variable>) {
        self.names.push((name.into(), size.into()));
    }

    /// The sizes that have names.
    pub(crate) fn names(&self) -> &[(Arc<str>, Variable)] {
        &self.names
    }

    /// The variable of a name, where its own begin here, and the name's number.
    pub(crate) fn named(&self, name: &str, first: (u32, u32)) -> Option<(Variable, usize)> {
        let place = self.names.iter().position(|(own, _)| **own == *name)?;
        Some((placed(self.names[place].1, first), place))
    }

    /// A new axis, of any size.
    pub fn fresh_axis(&mut self) -> DimVar {
        self.variables.new_dim()
    }

    /// A new row, of any axes.
    pub fn fresh_row(&mut self) -> RowVar {
        self.variables.new_row()
    }

    /// A size that was captured before, of this sort.
    pub(crate) fn captured(number: u32, of: Variable) -> Variable {
        match of {
            Variable::Dim(_) => Variable::Dim(DimVar::new(CAPTURED + number)),
            Variable::Row(_) => Variable::Row(RowVar::new(CAPTURED + number)),
        }
    }

    /// Says that an axis is read or written at this position only. It says nothing about the axis'
    /// size.
    pub fn fix(&mut self, axis: impl Into<DimTerm>, position: u64) {
        self.accesses.push((axis.into(), Access::At(Supplied::Fix(position))));
    }

    /// Says that an axis is read or written at an index that is supplied at run time, by its number
    /// among those of the operation.
    pub fn supply(&mut self, axis: impl Into<DimTerm>, number: u32) {
        self.accesses.push((axis.into(), Access::At(Supplied::Symbol(SymbolId(number)))));
    }

    /// Says that a strided axis or a window begins at this position, which changes no size: a valid
    /// window reaches past the end by as much, and what is there is skipped.
    pub fn begin(&mut self, axis: impl Into<DimTerm>, position: u64) {
        self.accesses.push((axis.into(), Access::From(position)));
    }

    /// Asks that every row of an operand may be broadcast to that of the result.
    pub fn broadcast(&mut self, operand: usize) {
        self.broadcast_rows(operand, Kind::ALL.map(|kind| (kind, kind)));
    }

    /// Asks that rows of an operand may be broadcast to rows of the result: each pair is a row of
    /// the result and one of the operand.
    pub fn broadcast_rows<const N: usize>(&mut self, operand: usize, rows: [(Kind, Kind); N]) {
        let number = in_message(operand);
        for (of_result, kind) in rows {
            let (result, row) = (self.result(of_result), self.operand(operand, kind));
            self.refines(SchemePart::Row { operand: number, kind }, result, row);
        }
    }

    /// Asks `result ⊑ operand`: the operand may be broadcast to the result.
    pub fn refines(&mut self, about: SchemePart, result: RowTerm, operand: RowTerm) {
        self.asked.push((about, Relation::RowIneq(result, operand)));
    }

    /// Asks that two rows have the same axes.
    pub fn same_row(&mut self, about: SchemePart, first: RowTerm, second: RowTerm) {
        self.asked.push((about, Relation::RowEq(first, second)));
    }

    /// Asks that two axes are the same.
    pub fn same_axis(
        &mut self,
        about: SchemePart,
        first: impl Into<DimTerm>,
        second: impl Into<DimTerm>,
    ) {
        self.asked.push((about, Relation::DimEq(first.into(), second.into())));
    }

    /// Asks for a relation between sizes.
    pub fn relate(&mut self, about: SchemePart, relation: SizeRelation) {
        self.asked.push((about, Relation::Size(relation)));
    }

    pub(crate) fn leaf(&mut self, var: impl Into<Variable>, role: Role, kind: Kind, axis: u16) {
        self.leaves.push(SchemeLeaf { var: var.into(), role, kind, axis });
    }

    pub(crate) fn variables(&mut self) -> &mut Variables {
        &mut self.variables
    }

    /// The row that `...` stands for in a row of this kind.
    pub(super) fn row_of_ellipsis(&mut self, kind: Kind) -> RowVar {
        let variables = &mut self.variables;
        self.ellipses.get_or_insert_with(|| made_rows(variables))[kind as usize]
    }

    /// The kind of `...` that a row variable stands for, by the variable's number.
    pub(crate) fn ellipsis(&self, number: usize) -> Option<Kind> {
        let rows = self.ellipses?;
        Kind::ALL.into_iter().find(|kind| rows[*kind as usize].index() as usize == number)
    }

    /// How many variables of its own it has.
    pub(crate) fn own(&self) -> Variables {
        self.variables
    }

    pub(crate) fn name_table(&mut self) -> &mut NameTable {
        &mut self.name_table
    }

    pub(crate) fn known_names(&self) -> &NameTable {
        &self.name_table
    }

    /// Says what values a name of a size has.
    pub(super) fn range(&mut self, name: &str, range: NameRange) {
        let symbol = self.name_table.symbol(name);
        self.ranges.push((symbol, range));
    }

    /// A dimension that is written as a number.
    pub(super) fn written(&mut self, size: u64) -> Result<Dim, SizeError> {
        self.has_empty |= size == 0;
        Dim::int(size)
    }

    /// Whether an axis is written as 0.
    pub(crate) fn has_empty(&self) -> bool {
        self.has_empty
    }

    /// What it says of the values of names, which are its own.
    pub(crate) fn ranges(&self) -> &[(SizeSymbol, NameRange)] {
        &self.ranges
    }

    /// Says that what it asks holds, whoever runs the program.
    pub(super) fn declares(&mut self) {
        self.is_declared = true;
    }

    pub(crate) fn is_declared(&self) -> bool {
        self.is_declared
    }

    /// Makes a name a size that is computed, wherever it stands.
    pub(super) fn define(&mut self, name: &str, size: DimVar) {
        self.defined = Some((self.name_table.symbol(name), size));
    }

    /// The name that it makes a computed size, which is its own, and the size, where its variables
    /// begin here.
    pub(crate) fn defined(&self, first_dim: u32) -> Option<(SizeSymbol, DimVar)> {
        self.defined.map(|(name, size)| (name, DimVar::new(first_dim + size.index())))
    }

    /// The operand that the result begins with.
    pub fn initial(&self) -> Option<usize> {
        self.initial
    }

    /// Whether it makes a tensor, or only says something.
    pub(crate) fn has_result(&self) -> bool {
        self.result.iter().any(Option::is_some)
    }

    /// Whether nothing is done with an operand but broadcast it to the result, kind by kind. A
    /// parameter of which nothing else is known takes no input from such uses.
    pub fn broadcasts(&self, operand: usize) -> bool {
        let mut kinds = [false; 3];
        for (_, relation) in &self.asked {
            for kind in Kind::ALL {
                let slot = self.operand(operand, kind).var;
                let is_named = match relation {
                    Relation::RowIneq(first, second) | Relation::RowEq(first, second) => {
                        first.var == slot || second.var == slot
                    }
                    Relation::Size(relation) => relation.rows().any(|row| row.var == slot),
                    Relation::DimEq(..) | Relation::DimIneq(..) => false,
                };
                let result = self.result[kind as usize].as_ref();
                match relation {
                    _ if !is_named => {}
                    Relation::RowIneq(low, high) if Some(low) == result && high.var == slot => {
                        kinds[kind as usize] = true;
                    }
                    _ => return false,
                }
            }
        }
        kinds == [true; 3]
    }

    /// The variables that closing has to find, where its own begin here.
    pub(crate) fn leaves(&self, first: (u32, u32)) -> impl Iterator<Item = SchemeLeaf> + '_ {
        self.leaves.iter().map(move |leaf| SchemeLeaf { var: placed(leaf.var, first), ..*leaf })
    }

    /// Gives each constraint of the scheme over these operands and variables. An equation between
    /// two rows without axes is left out.
    #[inline]
    pub(crate) fn constraints_over(
        &self,
        over: &impl Instance,
        mut each: impl FnMut(SchemePart, Relation),
    ) {
        for (about, relation) in &self.asked {
            let row = |row: &RowTerm| self.row_over(row, over);
            match relation {
                Relation::RowIneq(result, operand) => {
                    each(*about, Relation::RowIneq(row(result), row(operand)));
                }
                Relation::RowEq(first, second) => {
                    let (first, second) = (row(first), row(second));
                    if !(has_no_axes(&first) && has_no_axes(&second)) {
                        each(*about, Relation::RowEq(first, second));
                    }
                }
                Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => {
                    each(*about, relation.map(|dim| dim_over(dim, over), row));
                }
            }
        }
    }

    /// The variable that a row of the result is, where it is one of its own and nothing else, and
    /// these begin here.
    #[inline]
    pub(crate) fn own_row(&self, kind: Kind, first: u32) -> Option<u32> {
        let row = self.result[kind as usize].as_ref().filter(|row| row.flanks.rank() == 0)?;
        row.var.map(RowVar::index).filter(|own| *own < CAPTURED).map(|own| first + own)
    }

    /// A row of the result, where there is one.
    #[inline]
    pub(crate) fn result_row(&self, kind: Kind, over: &impl Instance) -> Option<RowTerm> {
        self.result[kind as usize].as_ref().map(|row| self.row_over(row, over))
    }

    #[inline]
    fn row_over(&self, row: &RowTerm, over: &impl Instance) -> RowTerm {
        if row.flanks.rank() == 0 {
            return self.var_over(row.var, over);
        }
        around(row, over, &self.var_over(row.var, over))
    }

    /// What the variable of a row is; without one, nothing.
    #[inline]
    fn var_over(&self, var: Option<RowVar>, over: &impl Instance) -> RowTerm {
        match var.map(RowVar::index) {
            None => RowTerm::closed([], []),
            Some(slot @ SLOTS..) => {
                let (operand, kind) =
                    ((slot - SLOTS) / 3, Kind::ALL[((slot - SLOTS) % 3) as usize]);
                over.slot(operand as usize, kind)
            }
            Some(number @ CAPTURED..) => match over.captured((number - CAPTURED) as usize) {
                Some(Variable::Row(var)) => var.into(),
                Some(Variable::Dim(_)) | None => RowTerm::closed([], []),
            },
            Some(own) => {
                let is_made =
                    |kind: &Kind| self.made.is_some_and(|made| made[*kind as usize].index() == own);
                let made = || Kind::ALL.into_iter().find(is_made);
                over.result(made).unwrap_or_else(|| RowVar::new(over.first().1 + own).into())
            }
        }
    }

    /// Where axes are read or written, as far as it says it. These are axes of its own.
    pub(crate) fn accesses(&self) -> &[(DimTerm, Access)] {
        &self.accesses
    }
}

/// A variable of a scheme, where its variables begin here.
fn placed(var: Variable, (first_dim, first_row): (u32, u32)) -> Variable {
    match var {
        Variable::Dim(var) => Variable::Dim(DimVar::new(first_dim + var.index())),
        Variable::Row(var) => Variable::Row(RowVar::new(first_row + var.index())),
    }
}

/// A row variable for each kind.
fn made_rows(variables: &mut Variables) -> [RowVar; 3] {
    let mut rows = [RowVar::new(0); 3];
    for kind in BY_EAGERNESS {
        rows[kind as usize] = variables.new_row();
    }
    rows
}

fn has_no_axes(row: &RowTerm) -> bool {
    row.var.is_none() && row.flanks.rank() == 0
}
