//! Assignments: what an operation does, over the loops that its scheme and the closed shapes give.
//!
//! The scheme is instantiated a second time; now its operands and its result are occurrences, each
//! axis of which is a variable of its own, even where one tensor is used twice. What its row
//! variables stand for is known from closing. The rest is [`lozenge_project`].
//!
//! **Invariant.** Nothing is inferred here that closing did not: sizes are those of the closed
//! program.

mod names;
mod view;

use std::{borrow::Cow, ops::Range, sync::Arc};

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation},
    dim::Dim,
    row::{Flank, Flanks},
    size::{Polynomial, Size as Extent, Sizes},
    term::{DimTerm, DimVar, RowTerm, RowVar, Variable},
};
use lozenge_project::{
    ClosedOperation, LoopId, Margin, NoLoops, Record, Slot, Statement, project, reshape,
};

use crate::{
    Accumulation, Closed, Expression, Kind, Report, Scheme, Session, Shape, Size, Tensor, Valued,
    explain,
    number::index,
    operation::Instance,
    session::{program::Program, step::StepId},
    shape::{IN_MEMORY, NameTable, Naming},
};

/// One assignment over the loops of an operation: at every point, elements are read, an expression
/// of them is computed, and the cell that is written is set to it or accumulates it.
///
/// It says everything that is done with elements, and nothing about shapes that is not closed: this
/// is what an engine is made from. `lozenge-lower` makes a loop nest of it, prints and executes it.
///
/// ```
/// use lozenge::{Accumulation, Session, project::Slot};
///
/// let mut session = Session::new();
/// let a = session.data("a", "2,3")?;
/// let b = session.data("b", "3,4")?;
/// let c = session.einsum("ij; jk => ik", &[a, b])?;
/// let product = session.assignment(&session.close()?, c)?;
/// assert_eq!(product.value().to_string(), "x0 * x1");
/// assert_eq!(product.accumulation(), Accumulation::Add);
///
/// // The gradient of `a` runs over the same loops: `a` is written, `c` and `b` are read.
/// let [c, a, b] = [Slot::RESULT, Slot::operand(0), Slot::operand(1)];
/// let gradient = product.seen_from(&[a], &[c, b]);
/// assert_eq!(gradient.record(), product.record());
/// # Ok::<(), lozenge::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct Assignment {
    record: Arc<Record>,
    written: Vec<Slot>,
    read: Vec<Slot>,
    value: Expression,
    accumulation: Accumulation,
    statement: Statement,
    /// Which of those that are read the result begins with.
    initial: Option<usize>,
    /// The occurrences without which nothing happens at a point.
    needed: Vec<Slot>,
    labels: Arc<Labels>,
    /// What is written and then what is read are called, where not as the operation's tensors.
    called: Vec<Arc<str>>,
}

/// A number, and the names of the sizes that it multiplies.
pub type Product = (u64, Vec<Arc<str>>);

/// Names for people.
#[derive(Clone, Debug)]
struct Labels {
    /// By loop.
    loops: Vec<String>,
    /// By number.
    indices: Vec<String>,
    /// By slot.
    occurrences: Vec<Occurrence>,
    name_table: NameTable,
    sizes: Sizes,
}

impl Labels {
    fn naming(&self) -> Naming<'_> {
        self.name_table.with(&self.sizes)
    }
}

/// A tensor as an operation uses it.
#[derive(Clone, Debug)]
struct Occurrence {
    name: String,
    shape: Shape,
}

/// A scheme over the occurrences of its operands and its result.
struct OverOccurrences {
    /// The rows of the result, then of the operands.
    rows: Vec<[OwnRow; 3]>,
}

/// A row of an occurrence: its first variable, its number of axes, and the place of its marker.
#[derive(Clone, Copy, Default)]
struct OwnRow {
    first: u32,
    rank: u32,
    marker: u32,
}

/// A record, and what its row variables stand for.
struct Derived {
    record: Record,
    /// By row variable, the axes that it stands for.
    rows: Vec<Flanks<DimVar>>,
    /// The sizes of the closed program and others, where some were made.
    sizes: Option<Sizes>,
}

impl OverOccurrences {
    fn row(&self, slot: usize, kind: Kind) -> Option<RowTerm> {
        let OwnRow { first, rank, marker } = self.rows.get(slot)?[kind as usize];
        let axes: Flank<DimTerm> = (first..first + rank).map(|id| DimVar::new(id).into()).collect();
        Some(RowTerm { flanks: Flanks::flat_with(axes, marker as usize), var: None })
    }
}

impl Instance for OverOccurrences {
    fn slot(&self, operand: usize, kind: Kind) -> RowTerm {
        self.row(operand + 1, kind).unwrap_or_else(|| RowTerm::closed([], []))
    }

    fn result(&self, kind: impl FnOnce() -> Option<Kind>) -> Option<RowTerm> {
        self.row(0, kind()?)
    }

    fn captured(&self, _: usize) -> Option<Variable> {
        None // only statements are about captured sizes, and they have no loops
    }

    fn first(&self) -> (u32, u32) {
        (0, 0)
    }

    fn ground(&self, dim: Dim) -> DimTerm {
        dim.into()
    }
}

impl Session {
    /// The product space and index maps of the operation that made a tensor. The axes of an
    /// occurrence are in memory order: batch, output, input. A terminal is an operation without
    /// operands, which visits every cell.
    ///
    /// # Errors
    /// When the handle or the closed program is of another session, the tensor is newer than the
    /// closed program, or the operation has no loop nest: bits that are read as other elements.
    #[track_caller]
    pub fn record(&self, closed: &Closed, tensor: Tensor) -> Result<Record, Report> {
        let number = closed.number_of(self, tensor)?;
        let program = &closed.session(self).inference.program;
        let derived = program.derived(closed, number);
        derived
            .map(|derived| derived.record)
            .map_err(|conflict| explain::no_loops(&self.inference, closed, number, conflict))
    }

    /// What the operation that made a tensor does.
    ///
    /// # Errors
    /// As for [`Session::record`], and when no operation made it.
    #[track_caller]
    pub fn assignment(&self, closed: &Closed, tensor: Tensor) -> Result<Assignment, Report> {
        let number = closed.number_of(self, tensor)?;
        let own = &self.inference.program;
        let program = &closed.session(self).inference.program;
        let step = &own.steps[number.place()];
        let Some(scheme) = step.scheme.as_deref().filter(|scheme| scheme.operand_count() > 0)
        else {
            return Err(explain::no_operation(&self.inference, number));
        };
        let derived = program.derived(closed, number);
        let derived = derived
            .map_err(|conflict| explain::no_loops(&self.inference, closed, number, conflict))?;
        let labels = own.labels(closed, number, scheme, &derived).into();
        Ok(Assignment {
            written: vec![Slot::RESULT],
            read: derived.record.operands().collect(),
            value: scheme.value(),
            accumulation: scheme.accumulation(),
            statement: Statement::Erasing,
            initial: scheme.initial(),
            needed: vec![],
            labels,
            record: derived.record.into(),
            called: vec![],
        })
    }

    /// What sets every cell of a tensor to a number, whatever made the tensor.
    ///
    /// ```
    /// use lozenge::Session;
    ///
    /// let mut session = Session::new();
    /// let x = session.data("x", "2|->3")?;
    /// let zero = session.filling(&session.close()?, x, 0.0)?;
    /// assert_eq!(zero.record().to_string(), "(i0:2, i1:3) -> [i0, i1]");
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Session::record`].
    #[track_caller]
    pub fn filling(
        &self,
        closed: &Closed,
        tensor: Tensor,
        number: f64,
    ) -> Result<Assignment, Report> {
        let step = closed.number_of(self, tensor)?;
        let program = &closed.session(self).inference.program;
        let mut sizes = vec![];
        program.occurrence(closed, step, &mut sizes);
        let axes = 0..index(sizes.len());
        let visited = ClosedOperation {
            sizes: &sizes,
            table: closed.values.sizes(),
            rows: &[],
            occurrences: std::slice::from_ref(&axes),
            constraints: &[],
            accesses: &[],
        };
        let record = project(&visited)
            .map_err(|conflict| explain::no_loops(&self.inference, closed, step, conflict))?;
        let derived = Derived { record: in_numbers(record), rows: vec![], sizes: None };
        let none = Scheme::new(0);
        let labels = self.inference.program.labels_of(closed, &[step], None, &none, &derived);
        Ok(Assignment {
            written: vec![Slot::RESULT],
            read: vec![],
            value: number.into(),
            accumulation: Accumulation::Set,
            statement: Statement::Erasing,
            initial: None,
            needed: vec![],
            labels: labels.into(),
            record: derived.record.into(),
            called: vec![],
        })
    }

    /// How much padding a tensor needs on each side of each axis, in memory order, so that no
    /// operation of the closed program reads beyond it: the largest that any of them needs.
    ///
    /// # Errors
    /// When the handle or the closed program is of another session, or the tensor is newer than the
    /// closed program.
    #[track_caller]
    pub fn margins(&self, closed: &Closed, tensor: Tensor) -> Result<Vec<Margin>, Report> {
        let number = closed.number_of(self, tensor)?;
        let rank = closed.shape(tensor)?.rank();
        let mut margins = vec![Margin::default(); rank];
        let own = &self.inference.program;
        let program = &closed.session(self).inference.program;
        for step in [number]
            .into_iter()
            .chain(own.steps_after(number))
            .filter(|step| closed.shape_of(*step).is_some())
        {
            let operands = own.operands_of(step);
            if step != number && !operands.contains(&number) {
                continue;
            }
            let Ok(derived) = program.derived(closed, step) else { continue };
            let occurrences = [step].into_iter().chain(operands.iter().copied()).enumerate();
            for (slot, _) in occurrences.filter(|(_, of)| *of == number) {
                for (margin, axis) in margins.iter_mut().zip(derived.record.map(Slot(slot))) {
                    // What is read through an index without a margin lies within the axis.
                    *margin = axis.margin.map_or(*margin, |read| margin.union(read));
                }
            }
        }
        Ok(margins)
    }
}

/// As many occurrences as almost no operation has more of: for these nothing is allocated.
const FEW: usize = 4;

/// Ranges for a number of occurrences.
fn few_or_many<'a>(
    count: usize,
    few: &'a mut [Range<u32>; FEW],
    many: &'a mut Vec<Range<u32>>,
) -> &'a mut [Range<u32>] {
    if count <= FEW {
        return &mut few[..count];
    }
    many.resize(count, 0..0);
    many
}

impl Program {
    /// The record of a step: its scheme over occurrences.
    fn derived(&self, closed: &Closed, number: StepId) -> Result<Derived, NoLoops> {
        let step = &self.steps[number.place()];
        let operands = self.operands_of(number);
        let [dims, row_vars] = self.variables_of(number);
        let mut sizes = Vec::with_capacity(dims.len() + 16);
        sizes.resize(dims.len(), Extent::ONE);
        for (var, dim) in closed.values.grounding().dims_from(DimVar::new(dims.start)) {
            if !dims.contains(&var.index()) {
                break;
            }
            sizes[(var.index() - dims.start) as usize] = dim.size();
        }
        // The axes of every occurrence.
        let mut rows = Vec::with_capacity(operands.len() + 1);
        let (mut few, mut many): ([Range<u32>; FEW], _) = Default::default();
        let occurrences = few_or_many(operands.len() + 1, &mut few, &mut many);
        for (tensor, occurrence) in [number].iter().chain(operands).zip(occurrences.iter_mut()) {
            let first = index(sizes.len());
            rows.push(self.occurrence(closed, *tensor, &mut sizes));
            *occurrence = first..index(sizes.len());
        }
        if step.scheme.as_ref().is_some_and(|scheme| scheme.is_copied_in_memory()) {
            let axes = |slot: usize| {
                let Range { start, end } = occurrences[slot];
                &sizes[start as usize..end as usize]
            };
            let is_open = |size: &Extent| size.count().is_none();
            // Sizes that are made belong to a table that has the others.
            let opens = axes(0).iter().chain(axes(1)).any(is_open);
            let mut table = if opens { closed.values.sizes().clone() } else { Sizes::default() };
            let record = reshape(axes(0), axes(1), &mut table)?;
            return Ok(Derived {
                record: in_numbers(record),
                rows: vec![],
                sizes: opens.then_some(table),
            });
        }
        let over = OverOccurrences { rows };
        let mut constraints: Vec<Constraint> = Vec::with_capacity(3 * operands.len() + 3);
        let asked_by_nobody = |relation: Relation| relation.with_origin(OriginId::default());
        if let Some(scheme) = &step.scheme {
            scheme
                .constraints_over(&over, |_, relation| constraints.push(asked_by_nobody(relation)));
            for kind in Kind::ALL {
                let row = scheme.result_row(kind, &over);
                let declared = row.zip(over.row(0, kind)).filter(|(row, own)| row != own);
                constraints
                    .extend(declared.map(|(row, own)| asked_by_nobody(Relation::RowEq(row, own))));
            }
        }
        let mut rows = Vec::new();
        let mut stands_for = |term: &RowTerm| {
            let Some(var) = term.var else { return };
            rows.resize(row_vars.len(), Flanks::empty());
            let Some(axes) = rows.get_mut(var.index() as usize) else { return };
            if axes.rank() == 0 {
                let value =
                    closed.values.grounding().row_var(RowVar::new(row_vars.start + var.index()));
                *axes = value.map(|dim| {
                    sizes.push(dim.size());
                    DimVar::new(index(sizes.len()) - 1)
                });
            }
        };
        for constraint in &constraints {
            match &constraint.relation {
                Relation::RowEq(left, right) | Relation::RowIneq(left, right) => {
                    stands_for(left);
                    stands_for(right);
                }
                Relation::Size(relation) => relation.rows().for_each(&mut stands_for),
                Relation::DimEq(..) | Relation::DimIneq(..) => {}
            }
        }
        let operation = ClosedOperation {
            sizes: &sizes,
            table: closed.values.sizes(),
            rows: &rows,
            occurrences,
            constraints: &constraints,
            accesses: step.scheme.as_ref().map_or(&[], |scheme| scheme.accesses()),
        };
        let record = project(&operation)?;
        let initial = step.scheme.as_ref().and_then(|scheme| scheme.initial()).map(Slot::operand);
        if let Some(slot) = initial {
            let mut summed = record.reductions();
            if summed.any(|id| record.map(slot).iter().any(|axis| axis.index.mentions(id))) {
                return Err(NoLoops::Begun(slot));
            }
        }
        Ok(Derived { record: in_numbers(record), rows, sizes: None })
    }
}

/// A record with 0 for what is written so, where all other sizes are numbers: it can be executed.
fn in_numbers(record: Record) -> Record {
    let mut axes = record.slots().flat_map(|slot| record.map(slot));
    if !axes.any(|axis| axis.size == Extent::EMPTY) {
        return record;
    }
    let number = |size: Extent| if size == Extent::EMPTY { Some(0) } else { size.count() };
    record.with_sizes(&number).unwrap_or(record)
}

impl Program {
    /// The rows of a tensor, with an axis of its own for each of theirs.
    fn occurrence(&self, closed: &Closed, tensor: StepId, sizes: &mut Vec<Extent>) -> [OwnRow; 3] {
        let mut rows = [OwnRow::default(); 3];
        for kind in IN_MEMORY {
            let row = closed.grounding().row(&self.row(tensor, kind));
            let first = index(sizes.len());
            let table = closed.values.sizes();
            sizes.extend(row.flat().iter().map(|dim| table.taken_for(dim.size())));
            let marker = index(row.lead().len());
            rows[kind as usize] = OwnRow { first, rank: index(sizes.len()) - first, marker };
        }
        rows
    }
}

impl Assignment {
    /// The product space and the index maps.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The occurrences that are written: one; several only where a concatenation is taken apart,
    /// and each point writes the one that takes part.
    pub fn written(&self) -> &[Slot] {
        &self.written
    }

    /// The occurrences that are read, in the order in which the value counts them.
    pub fn read(&self) -> &[Slot] {
        &self.read
    }

    /// The scalar part: the element of a point, over the operands that are read.
    pub fn value(&self) -> &Expression {
        &self.value
    }

    /// How the elements of a cell are accumulated.
    pub fn accumulation(&self) -> Accumulation {
        self.accumulation
    }

    /// Whether what was there before is erased.
    pub fn statement(&self) -> Statement {
        self.statement
    }

    /// Which of those that are read the result begins with, instead of the neutral element.
    pub fn initial(&self) -> Option<usize> {
        self.initial
    }

    /// The same assignment where names have values, which can then be executed. `None` where a name
    /// has none.
    ///
    /// ```
    /// use lozenge::Session;
    ///
    /// let mut session = Session::new();
    /// let cache = session.data("cache", "past: 0..4096,64")?;
    /// let new = session.data("new", "seq,64")?;
    /// let all = session.einsum("p d; s d => p^s d", &[cache, new])?;
    /// let closed = session.close()?;
    /// let append = session.assignment(&closed, all)?;
    /// let first = append.at(&closed.at(&[("past", 0), ("seq", 7)]).unwrap()).unwrap();
    /// assert_eq!(first.shape(lozenge::project::Slot::RESULT).to_string(), "7,64");
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    #[must_use]
    pub fn at(&self, values: &Valued<'_>) -> Option<Assignment> {
        let record = self.record.with_sizes(&|size| values.count_in(&self.labels.sizes, size))?;
        let mut labels = Labels::clone(&self.labels);
        for occurrence in &mut labels.occurrences {
            occurrence.shape = occurrence.shape.with_numbers(|size| values.number(size));
        }
        Some(Assignment { record: record.into(), labels: labels.into(), ..self.clone() })
    }

    /// The name of a loop.
    pub fn name(&self, id: LoopId) -> &str {
        &self.labels.loops[id.0 as usize]
    }

    /// How often a loop runs.
    pub fn extent(&self, id: LoopId) -> Size {
        self.named(self.record.extent(id))
    }

    /// A size of the [record](Assignment::record), as people know it.
    pub fn named(&self, size: Extent) -> Size {
        self.labels.naming().named(size)
    }

    /// A product of sizes of the record as a sum of products: numbers, and the names of what they
    /// multiply. `None` where something is subtracted or divided.
    pub fn product(&self, sizes: impl IntoIterator<Item = Extent>) -> Option<Vec<Product>> {
        let mut table = Cow::Borrowed(&self.labels.sizes);
        let mut product = Polynomial::constant(1);
        for size in sizes {
            let form = table.form(size);
            product = table.to_mut().product(&product, &form);
        }
        let naming = self.labels.name_table.with(&table);
        let named = |(number, factors): (u64, Vec<Polynomial>)| {
            (number, factors.iter().map(|factor| naming.written(factor)).collect())
        };
        Some(table.products(&product)?.into_iter().map(named).collect())
    }

    /// The names of the indices that are supplied at run time, by their numbers.
    pub fn indices(&self) -> &[String] {
        &self.labels.indices
    }

    /// What an occurrence is called, so that indices can stand behind it.
    pub fn display_name(&self, slot: Slot) -> &str {
        &self.labels.occurrences[slot.0].name
    }

    /// The shape of an occurrence.
    pub fn shape(&self, slot: Slot) -> &Shape {
        &self.labels.occurrences[slot.0].shape
    }

    /// The number of elements of an axis, by its place in memory order.
    pub fn size(&self, slot: Slot, axis: usize) -> Size {
        self.named(self.record.map(slot)[axis].size)
    }

    /// Which axes of the map of an occurrence are of a kind.
    pub fn axes(&self, slot: Slot, kind: Kind) -> Range<usize> {
        let shape = self.shape(slot);
        let before = IN_MEMORY.into_iter().take_while(|other| *other != kind);
        let first = before.map(|kind| shape.row(kind).len()).sum();
        first..first + shape.row(kind).len()
    }
}
