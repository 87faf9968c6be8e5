//! The program of a session: its steps, and where everything in it comes from.
//!
//! A step is an operation, a terminal or a statement; its number is that of its result. Everything
//! is in a few flat tables, which an operation that is refused is cut from again.

mod declared;
mod steps;
mod template;
mod titles;
mod written;

use std::{collections::BTreeSet, fmt::Write, mem::size_of, sync::Arc};

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation},
    dim::Dim,
    size::SizeSymbol,
    term::{DimTerm, RowTerm, RowVar, Variable},
};
use lozenge_solve::close::{Closed as Values, Roles};

use crate::{
    Kind, Operation, Role, Scheme, SchemePart, Shape,
    number::index,
    operation::{Instance, NameRange, SchemeLeaf, Variables},
    shape::{NameTable, RowView},
    text::in_one_line,
};

use super::{Site, step::StepId};
use declared::Declared;
pub(crate) use declared::{Defined, within};
use titles::Titles;
use written::Written;
pub(crate) use written::{Specialised, dims};

#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    /// The operands of all steps, one after another.
    pub(crate) operands: Vec<StepId>,
    /// Rows that are more than a variable.
    rows: Vec<RowTerm>,
    /// What each origin is about.
    abouts: Vec<SchemePart>,
    /// What closing has to find.
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) name_table: NameTable,
    /// The names of tensors.
    titles: Titles,
    /// The variables that were made.
    pub(crate) variables: Variables,
    /// The steps that write an axis as 0.
    pub(crate) empty: Vec<StepId>,
    /// The ranges that steps give to names, in order.
    pub(crate) ranges: Vec<Ranged>,
    /// The declarations.
    pub(crate) declared: Declared,
    /// The names that the program makes numbers.
    pub(crate) specialised: Vec<Specialised>,
    /// The constraints that make them numbers.
    pub(crate) opened: BTreeSet<OriginId>,
    /// What they stand in, as it was before.
    pub(crate) written: Written,
}

/// What a step says of the values of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranged {
    pub(crate) name: SizeSymbol,
    pub(crate) range: NameRange,
    pub(crate) step: StepId,
}

/// Something that was done.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) operation: Arc<dyn Operation>,
    /// What it asks and does; a tensor that no operation makes asks for nothing more than its
    /// declaration.
    pub(crate) scheme: Option<Arc<Scheme>>,
    pub(crate) site: Site,
    /// Where its operands begin.
    pub(crate) operands: u32,
    pub(crate) first: First,
    pub(crate) rows: [RowRef; 3],
    /// Whether it makes a tensor, or only says something.
    pub(crate) has_result: bool,
}

impl Step {
    /// The variable of a size that its scheme has a name for, and the name's number.
    pub(crate) fn named(&self, name: &str) -> Option<(Variable, usize)> {
        self.scheme.as_ref()?.named(name, (self.first.dim, self.first.row))
    }
}

/// The first of a step's variables and origins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    pub(crate) dim: u32,
    pub(crate) row: u32,
    pub(crate) origin: u32,
}

/// A variable of a terminal, which closing has to find.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub(crate) var: Variable,
    pub(crate) role: Role,
    /// The step that declares it.
    pub(crate) step: StepId,
    pub(crate) kind: Kind,
    /// The axis as it is declared, or how many axes come before the row variable.
    pub(crate) axis: u16,
}

/// A row: a bare variable, no axes, or one of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowRef(u32);

impl RowRef {
    /// No axes.
    pub(crate) const NONE: RowRef = RowRef(NO_AXES);
}

/// Where a program was.
#[derive(Debug)]
pub(crate) struct Mark {
    pub(crate) operands: u32,
    first: First,
    steps: usize,
    rows: usize,
    leaves: usize,
    name_table: [usize; 2],
    ranges: usize,
    empty: usize,
}

/// A scheme over tensors of a program.
struct OverTensors<'a> {
    program: &'a Program,
    scheme: &'a Scheme,
    operands: &'a [StepId],
    captured: &'a [Variable],
    first: (u32, u32),
    /// Whether names stay that the program makes numbers.
    as_written: bool,
}

impl Instance for OverTensors<'_> {
    #[inline]
    fn slot(&self, operand: usize, kind: Kind) -> RowTerm {
        let Some(tensor) = self.operands.get(operand) else { return RowTerm::closed([], []) };
        if self.as_written {
            return self.program.written_row(*tensor, kind);
        }
        self.program.row(*tensor, kind)
    }

    #[inline]
    fn result(&self, _: impl FnOnce() -> Option<Kind>) -> Option<RowTerm> {
        None
    }

    fn captured(&self, number: usize) -> Option<Variable> {
        self.captured.get(number).copied()
    }

    fn first(&self) -> (u32, u32) {
        self.first
    }

    fn ground(&self, dim: Dim) -> DimTerm {
        let name_table = &self.program.name_table;
        let dim = name_table.adopted(dim, self.scheme.known_names());
        let dim = if self.as_written { dim } else { name_table.with_number(dim) };
        if self.program.declared.is_empty() {
            return dim.into();
        }
        self.program.declared.in_place(dim.into())
    }
}

const IN_TABLE: u32 = 1 << 31;
const NO_AXES: u32 = u32::MAX;

impl Program {
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            operands: index(self.operands.len()),
            first: First {
                dim: self.variables.dims,
                row: self.variables.rows,
                origin: index(self.abouts.len()),
            },
            steps: self.steps.len(),
            rows: self.rows.len(),
            leaves: self.leaves.len(),
            name_table: self.name_table.lens(),
            ranges: self.ranges.len(),
            empty: self.empty.len(),
        }
    }

    /// Takes in what a scheme asks of tensors and captured sizes: its constraints go into the
    /// batch. Gives the rows of its result.
    pub(crate) fn instantiate(
        &mut self,
        scheme: &Scheme,
        operands: &[StepId],
        captured: &[Variable],
        batch: &mut Vec<Constraint>,
    ) -> [RowRef; 3] {
        let first = self.variables.add(scheme.own());
        self.name_table.include(scheme.known_names());
        let mut origin = index(self.abouts.len());
        let mut abouts = std::mem::take(&mut self.abouts);
        let over =
            OverTensors { program: self, scheme, operands, captured, first, as_written: false };
        scheme.constraints_over(&over, |about, relation| {
            abouts.push(about);
            batch.push(Constraint { relation, origin: OriginId::new(origin) });
            origin += 1;
        });
        let is_numbered =
            |step: &StepId| Kind::ALL.iter().any(|kind| self.numbered(*step, *kind).is_some());
        let has_name = || scheme.known_names().names().next().is_some();
        if !self.specialised.is_empty() && (has_name() || operands.iter().any(is_numbered)) {
            let mut written = vec![];
            let over = OverTensors { as_written: true, ..over };
            scheme.constraints_over(&over, |_, relation| written.push(relation));
            self.written.keep(batch, written);
        }
        let step = self.next_step();
        let leaf = |SchemeLeaf { var, role, kind, axis }| Leaf { var, role, step, kind, axis };
        self.leaves.extend(scheme.leaves(first).map(leaf));
        self.abouts = abouts;
        for (name, range) in scheme.ranges() {
            let name = self.name_table.adopted_symbol(*name, scheme.known_names());
            self.ranges.push(Ranged { name, range: *range, step });
        }
        if scheme.has_empty() {
            self.empty.push(step);
        }
        Kind::ALL.map(|kind| {
            if let Some(var) = scheme.own_row(kind, first.1).filter(|var| *var < IN_TABLE) {
                return RowRef(var);
            }
            let over =
                OverTensors { program: self, scheme, operands, captured, first, as_written: false };
            let Some(row) = scheme.result_row(kind, &over) else { return RowRef::NONE };
            if !self.specialised.is_empty() {
                let written = scheme.result_row(kind, &OverTensors { as_written: true, ..over });
                if let Some(written) = written.filter(|written| *written != row) {
                    self.written.keep_row(self.rows.len(), written);
                }
            }
            self.keep_row(row)
        })
    }

    /// A constraint that the step under way asks besides.
    pub(crate) fn add_constraint(&mut self, relation: Relation) -> Constraint {
        let origin = OriginId::new(index(self.abouts.len()));
        self.abouts.push(SchemePart::Whole);
        Constraint { relation, origin }
    }

    /// Puts computed sizes in the place of names in all rows.
    pub(crate) fn define_in_rows(&mut self) {
        for row in &mut self.rows {
            row.flanks = row.flanks.map(|term| self.declared.in_place(*term));
        }
    }

    /// A name that is computed from others and stands with a basis in rows that were made since, or
    /// in what is asked.
    pub(crate) fn based(&self, since: Option<&Mark>, asked: &[Constraint]) -> Option<SizeSymbol> {
        self.declared.based(&self.rows[since.map_or(0, |mark| mark.rows)..], asked)
    }

    /// The name that the step under way makes a computed size; and whether the program had it
    /// before.
    pub(crate) fn defined_since(&self, mark: &Mark) -> Option<(SizeSymbol, bool)> {
        let Defined { name, step, .. } = *self.declared.definitions().last()?;
        let [_, symbols] = mark.name_table;
        (step.place() == mark.steps).then_some((name, (name.index() as usize) < symbols))
    }

    /// Makes names numbers wherever they stand; these constraints were that before.
    pub(crate) fn specialise(
        &mut self,
        specialised: Vec<Specialised>,
        constraints: &[Constraint],
        written: Vec<Constraint>,
    ) {
        self.written.put_into(&mut self.rows, &specialised);
        self.written.keep(constraints, written.into_iter().map(|written| written.relation));
        for found in &specialised {
            self.name_table.specialise(found.name, found.value);
        }
        self.specialised.extend(specialised);
    }

    /// A row of a step's result with the names that it was declared with.
    fn written_row(&self, step: StepId, kind: Kind) -> RowTerm {
        self.numbered(step, kind).map_or_else(|| self.row(step, kind), RowTerm::clone)
    }

    /// A row of a step's result as it was declared, if some of its names are numbers now.
    fn numbered(&self, step: StepId, kind: Kind) -> Option<&RowTerm> {
        let RowRef(place) = self.steps[step.place()].rows[kind as usize];
        let is_kept = place & IN_TABLE != 0 && place != NO_AXES;
        self.written.row((place & !IN_TABLE) as usize).filter(|_| is_kept)
    }

    /// The program with the names that it was written with.
    pub(crate) fn as_written(&self) -> Program {
        let mut program = self.clone();
        program.written.put_back(&mut program.rows);
        program.specialised.clear();
        program.name_table.forget_numbers();
        program
    }

    /// Whether there is a name that is no number.
    pub(crate) fn has_open_names(&self) -> bool {
        self.name_table.names().any(|name| {
            self.name_table.number(name).is_none() && self.declared.definition(name).is_none()
        })
    }

    /// What was said of the values of names since.
    pub(crate) fn ranged_since(&self, mark: &Mark) -> &[Ranged] {
        &self.ranges[mark.ranges..]
    }

    /// Whether an axis was written as 0 since.
    pub(crate) fn is_emptied_since(&self, mark: &Mark) -> bool {
        self.empty.len() > mark.empty
    }

    /// The values of a name, by all that was said of them.
    pub(crate) fn range_of(&self, name: SizeSymbol) -> NameRange {
        let all = self.ranges.iter().filter(|ranged| ranged.name == name);
        let all = all.map(|ranged| ranged.range);
        let mut range = all.reduce(NameRange::meet).unwrap_or(NameRange::UNSAID);
        // Where only a bound above was said.
        range.values.low.get_or_insert(1);
        range
    }

    /// Cuts off what was added since.
    pub(crate) fn roll_back(&mut self, mark: &Mark) {
        self.operands.truncate(mark.operands as usize);
        self.abouts.truncate(mark.first.origin as usize);
        self.variables = Variables { dims: mark.first.dim, rows: mark.first.row };
        self.steps.truncate(mark.steps);
        self.rows.truncate(mark.rows);
        self.leaves.truncate(mark.leaves);
        self.name_table.truncate(mark.name_table);
        self.ranges.truncate(mark.ranges);
        self.empty.truncate(mark.empty);
        self.declared.cut(OriginId::new(mark.first.origin), mark.steps);
        if !self.specialised.is_empty() {
            let first = OriginId::new(mark.first.origin);
            self.written.cut(first, mark.rows);
            self.opened.split_off(&first);
        }
    }

    /// Cuts off the last step, which asks nothing of anything yet.
    pub(crate) fn cut(&mut self, step: StepId) {
        if let Some(last) = self.steps.get(step.place()) {
            self.operands.truncate(last.operands as usize);
            self.abouts.truncate(last.first.origin as usize);
            self.steps.truncate(step.place());
        }
    }

    /// The step that an origin is of, and what it is about.
    pub(crate) fn origin(&self, origin: OriginId) -> (StepId, SchemePart) {
        let after = self.steps.partition_point(|step| step.first.origin <= origin.index());
        let about = self.abouts.get(origin.index() as usize).copied();
        (StepId::new(after.saturating_sub(1)), about.unwrap_or(SchemePart::Whole))
    }

    fn keep_row(&mut self, row: RowTerm) -> RowRef {
        match row.var {
            Some(var) if row.flanks.rank() == 0 && var.index() < IN_TABLE => RowRef(var.index()),
            None if row.flanks.rank() == 0 => RowRef(NO_AXES),
            _ => {
                self.rows.push(row);
                RowRef(IN_TABLE | index(self.rows.len() - 1))
            }
        }
    }

    /// A row of a step's result.
    #[inline]
    pub(crate) fn row(&self, step: StepId, kind: Kind) -> RowTerm {
        match self.row_view(step, kind) {
            RowView::NoAxes => RowTerm::closed([], []),
            RowView::Var(var) => var.into(),
            RowView::Term(term) => term.clone(),
        }
    }

    /// A row of a step's result, as it is kept.
    pub(crate) fn row_view(&self, step: StepId, kind: Kind) -> RowView<'_> {
        match self.steps[step.place()].rows[kind as usize].0 {
            NO_AXES => RowView::NoAxes,
            var @ ..IN_TABLE => RowView::Var(RowVar::new(var)),
            place => RowView::Term(&self.rows[(place & !IN_TABLE) as usize]),
        }
    }

    /// The shape of a step's result, as it is closed.
    pub(crate) fn closed_shape(&self, values: &Values, step: StepId) -> Shape {
        let naming = self.name_table.with(values.sizes());
        Shape::new(Kind::ALL.map(|kind| naming.row(values.grounding(), self.row_view(step, kind))))
    }

    /// What a size is called: by a name that its step has, or as its step is.
    pub(crate) fn size_name(&self, step: StepId, name: u32) -> &str {
        let step = &self.steps[step.place()];
        let named = step.scheme.as_ref().and_then(|scheme| scheme.names().get(name as usize));
        named.map_or(step.operation.name(), |(name, _)| name)
    }

    pub(crate) fn rename(&mut self, step: StepId, name: &str) {
        self.titles.set(step, &in_one_line(name));
    }

    /// The name that a step's result was given, or was declared with.
    pub(crate) fn name(&self, step: StepId) -> Option<&str> {
        self.titles.of(step).or_else(|| {
            let operation = &self.steps[step.place()].operation;
            operation.declaration().map(|_| operation.name())
        })
    }

    /// What a step's result is called: its name, or how it is made.
    pub(crate) fn display_name(&self, step: StepId) -> String {
        self.expression(step, NESTED)
    }

    fn expression(&self, step: StepId, depth: usize) -> String {
        if let Some(name) = self.name(step) {
            return name.to_owned();
        }
        if depth == 0 {
            return format!("t{step}");
        }
        let (text, _) = self.made(step, depth - 1);
        text
    }

    /// How a step is written, without the name of its result; and where its operands are in that.
    pub(crate) fn made(&self, step: StepId, depth: usize) -> (String, Vec<std::ops::Range<usize>>) {
        let operation = &self.steps[step.place()].operation;
        let operands = self.operands_of(step);
        let nested = |operand: &StepId| {
            let text = self.expression(*operand, depth);
            let simple = !text.contains([' ', '"']);
            if simple { text } else { format!("({text})") }
        };
        let names: Vec<String> = operands.iter().map(nested).collect();
        if let Some(template) = operation.template() {
            return template::filled(&template, &names);
        }
        let mut text = String::new();
        let mut places = vec![];
        let mut put = |text: &mut String, name: &str| {
            places.push(text.len()..text.len() + name.len());
            text.push_str(name);
        };
        let name = operation.name();
        let is_sign = !name.contains(|c: char| c.is_alphanumeric());
        match (operation.spec(), &names[..]) {
            (None, [first, second]) if is_sign => {
                put(&mut text, first);
                let _ = write!(text, " {name} ");
                put(&mut text, second);
            }
            (spec, names) => {
                text.push_str(name);
                if let Some(spec) = spec {
                    let _ = write!(text, " \"{}\"", spec.text());
                }
                for name in names {
                    text.push(' ');
                    put(&mut text, name);
                }
                if let Some(detail) = operation.detail() {
                    let _ = write!(text, " {detail}");
                }
            }
        }
        (text, places)
    }

    /// How many dimension variables and row variables there are.
    pub(crate) fn variable_counts(&self) -> [usize; 2] {
        [self.variables.dims as usize, self.variables.rows as usize]
    }

    /// What the variables of terminals are, as these were declared.
    pub(crate) fn roles(&self) -> Roles {
        self.roles_in(0..self.leaves.len())
    }

    /// What the variables of terminals are, in this order of the leaves. The input of a parameter
    /// must be found only if something gives it one: a bias that is added takes none.
    pub(crate) fn roles_in(&self, order: impl Iterator<Item = usize>) -> Roles {
        if self.leaves.is_empty() {
            return Roles::default();
        }
        let mut is_leaf = vec![false; self.steps.len()];
        self.leaves.iter().for_each(|leaf| is_leaf[leaf.step.place()] = true);
        // What has the shape of a leaf is one as well.
        for step in self.step_ids() {
            let copied = self.copied(step).and_then(|place| self.operands_of(step).get(place));
            is_leaf[step.place()] |= copied.is_some_and(|operand| is_leaf[operand.place()]);
        }
        let (mut used, mut composed) =
            (vec![false; self.steps.len()], vec![false; self.steps.len()]);
        // Last first: what is known of the uses of a copy is known of what it is a copy of.
        for step in self.step_ids().rev() {
            for (place, operand) in self.operands_of(step).iter().enumerate() {
                let operand = operand.place();
                used[operand] = true;
                let is_copied = self.copied(step) == Some(place);
                composed[operand] |= is_leaf[operand]
                    && if is_copied {
                        composed[step.place()]
                    } else {
                        !self.broadcasts(step, place)
                    };
            }
        }
        let role = |leaf: &Leaf| match (leaf.role, leaf.kind, leaf.var) {
            (Role::Parameter, Kind::Input, Variable::Row(_))
                if used[leaf.step.place()] && !composed[leaf.step.place()] =>
            {
                Role::Leaf
            }
            (role, ..) => role,
        };
        Roles::new(order.map(|place| &self.leaves[place]).map(|leaf| (leaf.var, role(leaf))))
    }

    /// Whether a step does nothing with an operand but broadcast it to its result, kind by kind.
    pub(crate) fn broadcasts(&self, step: StepId, operand: usize) -> bool {
        let scheme = &self.steps[step.place()].scheme;
        scheme.as_ref().is_some_and(|scheme| scheme.broadcasts(operand))
    }

    /// The number of the operand whose shape a step's result has.
    pub(crate) fn copied(&self, step: StepId) -> Option<usize> {
        self.steps[step.place()].scheme.as_ref().and_then(|scheme| scheme.copied())
    }

    /// Whether a step's result is an operand of another.
    pub(crate) fn is_used(&self, step: StepId) -> bool {
        self.operands.contains(&step)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        fn bytes<T>(table: &Vec<T>) -> usize {
            table.capacity() * size_of::<T>()
        }
        // An operation is on the heap with its two counts.
        let operation = |step: &Step| size_of_val(&*step.operation) + 2 * size_of::<usize>();
        bytes(&self.steps)
            + self.steps.iter().map(operation).sum::<usize>()
            + bytes(&self.operands)
            + bytes(&self.rows)
            + bytes(&self.abouts)
            + bytes(&self.leaves)
            + self.titles.heap_bytes()
    }
}

impl Mark {
    pub(crate) fn first(&self) -> First {
        self.first
    }
}

/// How deep an operand is written out that has no name.
pub(crate) const NESTED: usize = 2;
