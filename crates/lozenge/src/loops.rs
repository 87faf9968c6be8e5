//! The loop nest of an operation: its scheme, read again once the shapes are known.
//!
//! The scheme is instantiated a second time; now its operands and its result are occurrences, each
//! axis of which is a variable of its own, even where one tensor is used twice. What its row variables stand
//! for is known from closing. The rest is [`lozenge_core::project`].
//!
//! **Invariant.** Nothing is inferred here that closing did not: sizes are those of the closed program.

mod count;
mod print;

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use lozenge_core::{
    constraint::{Constraint, OriginId, Relation, SizeRelation},
    dim::Dim,
    project::{
        Budget, ClosedOperation, Conflict, Coverage, Decision, Id, LoopId, Margin, Record, Slot,
        Statement, Term, decide, project,
    },
    row::{Flank, Flanks},
    size::Size as Extent,
    term::{DimTerm, DimVar, RowTerm, RowVar, Variable},
};
use lozenge_spec::Use;

pub use count::{Amount, Traffic};

use crate::{
    Closed, Kind, Operation, Rejection, Session, Shape, Size, Tensor, explain,
    operation::Instance,
    shape::{BY_EAGERNESS, IN_MEMORY, Words},
};

/// The loop nest of an operation, with names for people. Its `Display` is pseudo-code.
///
/// ```
/// use lozenge::Session;
///
/// let mut session = Session::new();
/// let a = session.data("a", "2,3")?;
/// let b = session.data("b", "3,4")?;
/// let c = session.einsum("ij; jk => ik", &[a, b])?;
/// session.name(c, "c");
/// let loops = session.loops(&session.close()?, c)?;
/// assert_eq!(loops.to_string(), "\
/// c = 0
/// for i in 0..2:
///   for k in 0..4:
///     for j in 0..3:
///       c[i, k] += a[i, j] * b[j, k]
/// ");
/// # Ok::<(), lozenge::Rejection>(())
/// ```
#[derive(Clone, Debug)]
pub struct Loops {
    record: Record,
    operation: Arc<dyn Operation>,
    /// The operand that the result begins with.
    initial: Option<Slot>,
    /// By loop.
    names: Vec<String>,
    /// By number.
    indices: Vec<String>,
    occurrences: Vec<Occurrence>,
    /// How often the cells of the result are written.
    coverage: Coverage,
    words: Words,
}

/// A tensor as an operation uses it.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    name: String,
    shape: Shape,
}

/// A scheme over the occurrences of its operands and its result.
struct OverOccurrences {
    /// The rows of the result, then of the operands.
    rows: Vec<[OwnRow; 3]>,
}

/// A row of an occurrence: so many axes from this variable on, and where its marker is.
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

    fn result(&self, kind: Kind) -> Option<RowTerm> {
        self.row(0, kind)
    }

    fn captured(&self, _: usize) -> Option<Variable> {
        None // only statements are about captured sizes, and they have no loops
    }

    fn first(&self) -> (u32, u32) {
        (0, 0)
    }

    fn ground(&self, dim: Dim) -> Dim {
        dim
    }
}

impl Session {
    /// The product space and index maps of the operation that made a tensor. The axes of an occurrence are in
    /// memory order: batch, output, input. A terminal is an operation without operands, which visits every
    /// cell.
    ///
    /// # Errors
    /// When the handle or the closed program is of another session, the tensor is newer than the closed program,
    /// or the operation has no loop nest: a reshape moves nothing.
    #[track_caller]
    pub fn record(&self, closed: &Closed, tensor: Tensor) -> Result<Record, Rejection> {
        let number = closed.number_of(self, tensor)?;
        let derived = self.derived(closed, number);
        derived
            .map(|derived| derived.record)
            .map_err(|conflict| explain::no_loops(self, closed, number, conflict))
    }

    /// The loop nest of the operation that made a tensor, with names for people.
    ///
    /// # Errors
    /// As for [`Session::record`], and when no operation made it.
    #[track_caller]
    pub fn loops(&self, closed: &Closed, tensor: Tensor) -> Result<Loops, Rejection> {
        let number = closed.number_of(self, tensor)?;
        if self.program.operands_of(number).is_empty() {
            return Err(explain::no_operation(self, number));
        }
        let derived = self.derived(closed, number);
        let derived =
            derived.map_err(|conflict| explain::no_loops(self, closed, number, conflict))?;
        let operation = Arc::clone(&self.program.steps[number as usize].operation);
        let scheme = self.program.steps[number as usize].scheme.as_ref();
        let initial = scheme.and_then(|scheme| scheme.initial()).map(Slot::operand);
        let tensors = [number].into_iter().chain(self.program.operands_of(number).iter().copied());
        let called = self.tensor_names(tensors.clone());
        let occurrence = |number: u32| Occurrence {
            name: called.get(&number).cloned().unwrap_or_default(),
            shape: closed.shape_of(number).cloned().unwrap_or_default(),
        };
        let occurrences = tensors.map(occurrence).collect();
        let spec = operation.spec();
        let indices = spec.map_or_else(Vec::new, |spec| {
            let names = spec.names().filter(|id| spec.name_use(*id) == Use::Index);
            names.map(|id| spec.name(id).to_owned()).collect()
        });
        let names = names(&*operation, &derived, called.into_values());
        let (record, words) = (derived.record, closed.words().clone());
        let coverage = record.coverage(Slot::RESULT, Budget::default());
        Ok(Loops { record, operation, initial, names, indices, occurrences, coverage, words })
    }

    /// Names for tensors, so that indices can stand behind them; no two have the same. The first that was
    /// made keeps its own.
    fn tensor_names(&self, tensors: impl Iterator<Item = u32>) -> BTreeMap<u32, String> {
        let mut names: BTreeMap<u32, String> =
            tensors.map(|number| (number, String::new())).collect();
        let mut taken: Vec<String> = vec![];
        for (number, name) in &mut names {
            let called = print::indexable(&self.program.called(*number));
            let is_formula = called.starts_with('(');
            let (stem, first) = if is_formula { ("t", *number) } else { (&called[..], 2) };
            let numbered = (first..).map(|more| format!("{stem}{more}"));
            let mut candidates = [called.clone()].into_iter().chain(numbered);
            *name = candidates.find(|name| !taken.contains(name)).unwrap_or_default();
            taken.push(name.clone());
        }
        names
    }

    /// How much padding a tensor needs on each side of each axis, in memory order, so that no operation of the
    /// closed program reads beyond it: the largest that any of them needs.
    ///
    /// # Errors
    /// When the handle or the closed program is of another session, or the tensor is newer than the closed program.
    #[track_caller]
    pub fn margins(&self, closed: &Closed, tensor: Tensor) -> Result<Vec<Margin>, Rejection> {
        let number = closed.number_of(self, tensor)?;
        let rank = closed.shape(tensor)?.rank();
        let mut margins = vec![Margin::default(); rank];
        for step in (number..self.program.len()).filter(|step| closed.shape_of(*step).is_some()) {
            let operands = self.program.operands_of(step);
            if step != number && !operands.contains(&number) {
                continue;
            }
            let Ok(derived) = self.derived(closed, step) else { continue };
            let occurrences = [step].into_iter().chain(operands.iter().copied()).enumerate();
            for (slot, _) in occurrences.filter(|(_, of)| *of == number) {
                for (margin, axis) in margins.iter_mut().zip(derived.record.map(Slot(slot))) {
                    *margin = margin.union(axis.margin.unwrap_or_default());
                }
            }
        }
        Ok(margins)
    }

    /// The record of a step: its scheme over occurrences.
    fn derived(&self, closed: &Closed, number: u32) -> Result<Derived, Conflict> {
        let program = &self.program;
        let step = &program.steps[number as usize];
        let operands = program.operands_of(number);
        let [dims, row_vars] = program.variables_of(number);
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
        let mut occurrences: Vec<Range<u32>> = Vec::with_capacity(operands.len() + 1);
        for tensor in [number].iter().chain(operands) {
            let first = next(&sizes);
            rows.push(occurrence(closed, *tensor, &mut sizes));
            occurrences.push(first..next(&sizes));
        }
        let over = OverOccurrences { rows };
        let mut constraints: Vec<Constraint> = Vec::with_capacity(3 * operands.len() + 3);
        let asked_by_nobody = |relation: Relation| relation.with_origin(OriginId::default());
        if let Some(scheme) = &step.scheme {
            let asked = scheme.asked(&over).map(|(_, relation)| asked_by_nobody(relation));
            constraints.extend(asked);
            for (kind, row) in Kind::ALL.into_iter().zip(scheme.result_rows(&over)) {
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
                    DimVar::new(next(&sizes) - 1)
                });
            }
        };
        for constraint in &constraints {
            match &constraint.relation {
                Relation::RowEq(left, right) | Relation::RowIneq(left, right) => {
                    stands_for(left);
                    stands_for(right);
                }
                Relation::Size(
                    SizeRelation::Total { rows, .. } | SizeRelation::Exact { rows, .. },
                ) => {
                    rows.iter().for_each(&mut stands_for);
                }
                Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => {}
            }
        }
        let operation = ClosedOperation {
            sizes: &sizes,
            rows: &rows,
            occurrences: &occurrences,
            constraints: &constraints,
            accesses: step.scheme.as_ref().map_or(&[], |scheme| scheme.accesses()),
        };
        let record = project(&operation)?;
        Ok(Derived { record, rows })
    }
}

fn next(sizes: &[Extent]) -> u32 {
    u32::try_from(sizes.len()).unwrap_or(u32::MAX)
}

/// The rows of a tensor, with an axis of its own for each of theirs.
fn occurrence(closed: &Closed, tensor: u32, sizes: &mut Vec<Extent>) -> [OwnRow; 3] {
    let mut rows = [OwnRow::default(); 3];
    if let Some(shape) = closed.shape_of(tensor) {
        for kind in IN_MEMORY {
            let (first, axes) = (next(sizes), shape.row(kind));
            sizes.extend(axes.iter().map(|axis| closed.words().size(axis)));
            let marker = u32::try_from(shape.marker(kind)).unwrap_or(u32::MAX);
            rows[kind as usize] = OwnRow { first, rank: next(sizes) - first, marker };
        }
    }
    rows
}

/// Words of the pseudo-code.
const WORDS: [&str; 4] = ["for", "in", "if", "and"];

/// Names for loops: those of the specification, those of row variables with numbers, letters for others.
/// None is that of a tensor, or a word of the pseudo-code.
fn names(
    operation: &dyn Operation,
    derived: &Derived,
    tensors: impl Iterator<Item = String>,
) -> Vec<String> {
    let record = &derived.record;
    let mut names: Vec<Option<String>> = record.loops().map(|_| None).collect();
    let mut give = |id: u32, name: &dyn Fn() -> String| {
        if let Some(of) = record.loop_of(Id(id)) {
            names[of.0 as usize].get_or_insert_with(name);
        }
    };
    if let Some(spec) = operation.spec() {
        for id in spec.names().filter(|id| spec.name_use(*id) == Use::Axis) {
            let var = u32::try_from(id.index()).unwrap_or(u32::MAX);
            give(var, &|| spec.name(id).to_owned());
        }
        // The kinds of `...`, in the order in which their variables are made.
        let mut unnamed = BY_EAGERNESS.into_iter();
        let is_row =
            |place: usize| spec.names().nth(place).filter(|id| spec.name_use(*id) == Use::Row);
        for (place, axes) in derived.rows.iter().enumerate() {
            let name = match is_row(place) {
                Some(id) => spec.name(id),
                None if place < spec.name_count() => continue,
                None => unnamed.next().map_or("axis", Kind::name),
            };
            for (number, axis) in axes.flat().iter().enumerate() {
                let several = axes.rank() > 1;
                let name = if several { format!("{name}{number}") } else { name.to_owned() };
                // A name that an axis has already would be read as that axis.
                let is_taken = spec.find(&name).is_some_and(|id| spec.name_use(id) == Use::Axis);
                if !is_taken {
                    give(axis.index(), &|| name.clone());
                }
            }
        }
    }
    for place in 1..names.len() {
        if names[..place].contains(&names[place]) {
            names[place] = None; // two rows by one name with a number
        }
    }
    let reserved: Vec<String> = tensors.chain(WORDS.map(str::to_owned)).collect();
    let mut taken: Vec<String> = names.iter().flatten().cloned().chain(reserved.clone()).collect();
    if let Some(spec) = operation.spec() {
        taken.extend(spec.names().map(|id| spec.name(id).to_owned())); // indices too
    }
    for name in names.iter_mut().flatten().filter(|name| reserved.contains(name)) {
        while taken.contains(name) {
            name.push('_');
        }
        taken.push(name.clone());
    }
    let mut letters = ('i'..='n').chain('p'..='z').chain('a'..='h').map(String::from);
    let mut number = 0;
    let mut free = || loop {
        let name = letters.next().unwrap_or_else(|| {
            number += 1;
            format!("i{number}")
        });
        if !taken.contains(&name) {
            taken.push(name.clone());
            return name;
        }
    };
    names.into_iter().map(|name| name.unwrap_or_else(&mut free)).collect()
}

impl Loops {
    /// The product space and the index maps.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The name of a loop.
    pub fn name(&self, id: LoopId) -> &str {
        &self.names[id.0 as usize]
    }

    /// How often a loop runs.
    pub fn extent(&self, id: LoopId) -> Size {
        self.words.named(self.record.extent(id))
    }

    /// The indices that are supplied at run time, by their numbers.
    pub fn indices(&self) -> &[String] {
        &self.indices
    }

    /// What an occurrence is called, so that indices can stand behind it.
    pub fn called(&self, slot: Slot) -> &str {
        &self.occurrences[slot.0].name
    }

    /// The shape of an occurrence.
    pub fn shape(&self, slot: Slot) -> &Shape {
        &self.occurrences[slot.0].shape
    }

    /// How many elements an axis has.
    pub fn size(&self, slot: Slot, axis: usize) -> Size {
        self.words.named(self.record.map(slot)[axis].size)
    }

    /// Where an axis is read or written, as text.
    pub fn index(&self, slot: Slot, axis: usize) -> String {
        let index = &self.record.map(slot)[axis].index;
        index.display(&|term| self.term(term)).to_string()
    }

    fn term(&self, term: Term) -> String {
        match term {
            Term::Loop(id) => self.name(id).to_owned(),
            Term::Symbol(id) => {
                let name = self.indices.get(id.0 as usize);
                name.map_or_else(|| format!("@{}", id.0), |name| format!("@{name}"))
            }
        }
    }

    /// How often the cells of the result are written.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// What is done with the result before and in the loops.
    pub fn decision(&self) -> Decision {
        decide(Statement::Erasing, self.coverage.injective, self.coverage.onto)
    }
}
